"""The port of remote control without a window: tokens, invalid lines, hanging clients, and too many clients."""

from __future__ import annotations

import json
import os
import re
import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from pytestqt.qtbot import QtBot

from snakestudio.errors import StreamError
from snakestudio.gui.remote import server as server_module
from snakestudio.gui.remote.server import MAX_CLIENTS, RemoteServer
from snakestudio.paths import docs_dir
from snakestudio.viewmodel.remote.protocol import INVALID_PARAMS, MAX_LINE, LongWork, RemoteError

pytestmark = pytest.mark.gui


def call(method: str, params: dict[str, Any]) -> Any:
    if method == "echo":
        return params
    if method == "large":
        return "x" * 200_000
    if method == "later":
        return LongWork("test", lambda progress: "done")
    if method == "defect":
        raise ZeroDivisionError
    raise RemoteError(INVALID_PARAMS, "Nothing fits. Give something else.")


@contextmanager
def serving(qtbot: QtBot, call: Callable[[str, dict[str, Any]], Any]) -> Iterator[RemoteServer]:
    server = RemoteServer(call, 0)
    yield server
    server.close()
    qtbot.waitUntil(lambda: not server.open_connections)
    server.deleteLater()


@pytest.fixture
def server(qtbot: QtBot) -> Iterator[RemoteServer]:
    with serving(qtbot, call) as server:
        yield server


@pytest.fixture
def exchange(server: RemoteServer, qtbot: QtBot) -> Callable[..., list[Any]]:
    """Replies to lines that a client in another thread sends, up to a number or the end of the connection."""

    def exchanged(*lines: bytes, count: int, token: str | None = "") -> list[Any]:
        token = server.door.token if token == "" else token
        first = [request("authenticate", 0, token=token)] if token is not None else []
        replies: list[Any] = []

        def talk() -> None:
            with socket.create_connection(("127.0.0.1", server.door.port), 30.0) as connection:
                connection.sendall(b"".join([*first, *lines]))
                with connection.makefile("rb") as file:
                    while len(replies) < count and (line := file.readline()):
                        replies.append(json.loads(line))

        program = threading.Thread(target=talk)
        program.start()
        qtbot.waitUntil(lambda: not program.is_alive(), timeout=60_000)
        program.join()
        return replies

    return exchanged


def request(method: str, number: Any, **params: Any) -> bytes:
    return (
        json.dumps({"jsonrpc": "2.0", "method": method, "params": params, "id": number}).encode()
        + b"\n"
    )


def codes(replies: list[Any]) -> list[int]:
    return [reply["error"]["code"] if "error" in reply else 0 for reply in replies]


def test_client_with_the_token_is_answered_in_order(exchange: Callable[..., list[Any]]) -> None:
    replies = exchange(
        request("echo", 1, a=[1, "ä"]), request("later", 2), request("nothing", 3), count=4
    )
    by_id = {reply["id"]: reply for reply in replies}
    assert by_id[1]["result"] == {"a": [1, "ä"]}
    assert by_id[2]["result"] == "done"
    assert by_id[3]["error"] == {
        "code": INVALID_PARAMS,
        "message": "Nothing fits. Give something else.",
    }


def test_calls_without_the_token_are_refused(exchange: Callable[..., list[Any]]) -> None:
    assert codes(exchange(request("echo", 1), request("nothing", 2), count=2, token=None)) == [
        -32001,
        -32001,
    ]


@pytest.mark.parametrize("token", ["wrong", "", 7, ["x"], {"a": 1}])
def test_wrong_token_closes_the_connection(
    token: Any, server: RemoteServer, exchange: Callable[..., list[Any]]
) -> None:
    replies = exchange(
        request("authenticate", 1, token=token), request("echo", 2), count=9, token=None
    )
    assert codes(replies)[0] == -32001
    assert all(code == -32001 for code in codes(replies))
    assert server.clients == 0


def test_invalid_lines_get_errors_and_later_ones_replies(
    exchange: Callable[..., list[Any]],
) -> None:
    lines = [
        b"{\n",
        b"\xff\xfe\n",
        b"[]\n",
        b"x" * (MAX_LINE + 10) + b"\n",
        b"GET / HTTP/1.1\r\n",
        request("echo", 5),
    ]
    replies = exchange(*lines, count=7)
    assert codes(replies) == [0, -32700, -32700, -32600, -32700, -32700, 0]


def test_internal_error_is_returned_and_the_window_continues(
    exchange: Callable[..., list[Any]], caplog: pytest.LogCaptureFixture
) -> None:
    assert codes(exchange(request("defect", 1), request("echo", 2), count=3)) == [0, -32603, 0]
    assert "ZeroDivisionError" in caplog.text


def test_silent_connection_is_closed(
    server: RemoteServer, exchange: Callable[..., list[Any]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(server_module, "SILENT_MS", 20)
    replies = exchange(b'{"jsonrpc"', count=9, token=None)
    assert codes(replies) == [-32001]


def test_additional_connection_is_refused_with_a_message(
    server: RemoteServer, qtbot: QtBot, exchange: Any
) -> None:
    idle = [socket.create_connection(("127.0.0.1", server.door.port)) for _ in range(MAX_CLIENTS)]
    qtbot.waitUntil(lambda: server.open_connections == MAX_CLIENTS)
    assert codes(exchange(count=9, token=None)) == [-32003]
    for each in idle:
        each.close()
    qtbot.waitUntil(lambda: not server.open_connections)
    assert codes(exchange(request("echo", 1), count=2)) == [0, 0]


def test_client_that_reads_nothing_is_disconnected(
    server: RemoteServer, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(server_module, "MAX_WAITING", 1_000_000)
    greedy = socket.create_connection(("127.0.0.1", server.door.port))
    greedy.sendall(request("authenticate", 0, token=server.door.token))
    qtbot.waitUntil(lambda: server.clients == 1)
    greedy.sendall(request("large", 1) * 100)
    qtbot.waitUntil(lambda: not server.open_connections, timeout=60_000)
    greedy.close()


def test_python_of_the_documentation_works(
    qtbot: QtBot, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (block,) = re.findall(
        r"^```python\n(.*?)^```",
        (docs_dir() / "remote-control.md").read_text(),
        re.DOTALL | re.MULTILINE,
    )
    monkeypatch.setenv("PATH", f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}")
    calls: list[tuple[str, dict[str, Any]]] = []

    def noted(method: str, params: dict[str, Any]) -> Any:
        calls.append((method, params))
        return {"time_s": 1.25}

    with serving(qtbot, noted) as server:
        server.door.write()
        namespace: dict[str, Any] = {}
        program = threading.Thread(target=lambda: exec(block, namespace))
        program.start()
        qtbot.waitUntil(lambda: not program.is_alive(), timeout=60_000)
        program.join()
        namespace["lines"].close()
        namespace["connection"].close()
        assert calls == [("set", {"gait.amplitude_deg": 35}), ("state", {})]
        assert capsys.readouterr().out == "1.25\n"
        server.door.remove()


def test_command_line_calls_and_reports(
    server: RemoteServer, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    server.door.write()

    def typed(*words: str) -> tuple[int, str, str]:
        program = subprocess.Popen(
            [sys.executable, "-m", "snakestudio", "remote", *words],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        qtbot.waitUntil(lambda: program.poll() is not None, timeout=60_000)
        out, err = program.communicate()
        return program.returncode, out, err

    code, out, _ = typed(
        "echo", "gait.amplitude_deg=35", "names=[1, 2]", "title=two words", "path=run.csv"
    )
    given = {
        "gait.amplitude_deg": 35,
        "names": [1, 2],
        "title": "two words",
        "path": str(tmp_path / "run.csv"),
    }
    assert (code, json.loads(out)) == (0, given)
    assert typed("nothing") == (2, "", "snakestudio: Nothing fits. Give something else.\n")
    assert typed("echo", "--token", "guessed")[0] == 2
    code, _, err = typed("echo", "--port", "1", "--token", "x")
    assert (code, "port 1" in err) == (2, True)
    server.door.remove()


def test_port_in_use_is_reported() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(StreamError, match=f"Port {port} "):
            RemoteServer(call, port)
