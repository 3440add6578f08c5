"""Control a window that was started with --remote: `snakestudio remote METHOD [KEY=VALUE ...]`."""

from __future__ import annotations

import argparse
import json
from typing import Any

from snakestudio.errors import UsageError
from snakestudio.inputs import local_path


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of `snakestudio remote`."""
    parser.add_argument(
        "method",
        metavar="METHOD",
        help="method to call; 'methods' lists all, 'token' shows port and token",
    )
    parser.add_argument(
        "params",
        metavar="KEY=VALUE",
        nargs="*",
        help="parameters, as JSON or plain text: path=scene.toml",
    )
    parser.add_argument(
        "--port",
        metavar="PORT",
        type=int,
        help="port of the window (that of the last window if omitted)",
    )
    parser.add_argument(
        "--token", metavar="TOKEN", help="token of the window (that of the last window if omitted)"
    )


def execute(options: argparse.Namespace) -> int:
    """Run `snakestudio remote`; return the exit code."""
    from snakestudio.viewmodel.remote.client import RemoteClient
    from snakestudio.viewmodel.remote.door import Door, read_door

    params = dict(_parameter(text) for text in options.params)
    if options.port is not None and not 0 < options.port <= 65535:
        raise UsageError(f"--port {options.port} is not a port. Give a number from 1 to 65535.")
    if options.port is None or options.token is None:
        known = read_door()
        door = Door(options.port or known.port, options.token or known.token, known.pid)
    else:
        door = Door(options.port, options.token, 0)
    if options.method == "token":
        print(json.dumps({"port": door.port, "token": door.token}))
        return 0
    with RemoteClient(door) as client:
        result = client.call(options.method, params)
    if result is not None:
        print(json.dumps(result, indent=2, ensure_ascii=False))
    return 0


def _parameter(text: str) -> tuple[str, Any]:
    key, equals, value = text.partition("=")
    if not equals or not key.strip():
        raise UsageError(
            f"{text!r} is not a parameter. Write it as KEY=VALUE, such as path=scene.toml."
        )
    if key.strip() == "path" and value:
        return "path", str(local_path(value).absolute())  # the window has another current folder
    try:
        return key.strip(), json.loads(value)
    except (ValueError, RecursionError):
        return key.strip(), value
