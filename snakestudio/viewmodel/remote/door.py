"""Port and token of a window for remote control, in a file that only its user can read."""

from __future__ import annotations

import contextlib
import hmac
import json
import os
import secrets
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from snakestudio.errors import StreamError
from snakestudio.inputs import NOTE, InputError, parse_json, read_text
from snakestudio.paths import state_dir

DEFAULT_PORT = 8766
"""Default port of remote control."""


def door_file() -> Path:
    """Return the path of the file with port and token."""
    return state_dir() / "remote.json"


@dataclass(frozen=True, slots=True)
class Door:
    """Port and token of a window."""

    port: int
    token: str
    pid: int

    @classmethod
    def new(cls, port: int) -> Door:
        """Return port and a random token for a new window."""
        return cls(port, secrets.token_urlsafe(32), os.getpid())

    def opens(self, token: object) -> bool:
        """Return whether a token is correct, in constant time."""
        return isinstance(token, str) and hmac.compare_digest(
            token.encode("utf-8", "replace"), self.token.encode()
        )

    def write(self) -> Path:
        """Write the file, readable only by the user from the start; it replaces that of another window.

        Raises `StreamError` if it cannot be written.
        """
        path = door_file()
        partial = path.with_name(f"{path.name}.{self.pid}")
        text = json.dumps({"port": self.port, "token": self.token, "pid": self.pid})
        try:
            partial.unlink(missing_ok=True)
            handle = os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
            with os.fdopen(handle, "w", encoding="utf-8") as file:
                file.write(text)
            partial.replace(path)
        except OSError as error:
            with contextlib.suppress(OSError):
                partial.unlink(missing_ok=True)
            raise StreamError(
                f"{path} cannot be written ({error.strerror or error}). Free some space, or set SNAKESTUDIO_STATE_DIR."
            ) from None
        return path

    def remove(self) -> None:
        """Remove the file if it still belongs to this window."""
        with contextlib.suppress(StreamError, OSError):
            if read_door() == self:
                door_file().unlink()


def read_door() -> Door:
    """Return port and token of the window that allowed remote control last.

    Raises `StreamError` if there is none.
    """
    path = door_file()
    try:
        value: Any = parse_json(read_text(path, NOTE), NOTE)
        return Door(int(value["port"]), str(value["token"]), int(value["pid"]))
    except (OSError, InputError, KeyError, TypeError, ValueError):
        raise StreamError(
            "No window allows remote control. Start one with 'snakestudio --remote', or switch it on under "
            "Simulation > Other Programs."
        ) from None
