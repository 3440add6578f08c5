"""Client of remote control: one connection, one call at a time."""

from __future__ import annotations

import json
import socket
from typing import Any

from snakestudio.errors import StreamError, UserError
from snakestudio.viewmodel.remote.door import Door
from snakestudio.viewmodel.remote.protocol import line_of

_CONNECT_S = 5.0


class RemoteClient:
    """Authenticated connection to a window; a context manager.

    Raises `StreamError` if no window listens or the token is wrong.

    Parameters
    ----------
    timeout_s : float
        Longest time to wait for a reply, s.
    """

    def __init__(self, door: Door, timeout_s: float = 600.0) -> None:
        self._door = door
        self._number = 0
        try:
            self._socket = socket.create_connection(("127.0.0.1", door.port), _CONNECT_S)
        except OSError:
            raise StreamError(
                f"No window listens on port {door.port}. Start it with 'snakestudio --remote', or give its port."
            ) from None
        self._socket.settimeout(timeout_s)
        self._file = self._socket.makefile("rb")
        try:
            self.call("authenticate", {"token": door.token})
        except UserError:
            self.close()
            raise

    def call(self, method: str, params: dict[str, Any]) -> Any:
        """Call a method and return its result.

        Raises `UserError` with the reason of the window if the call fails. Raises
        `StreamError` if the window
        closes the connection or does not reply.
        """
        self._number += 1
        try:
            self._socket.sendall(
                line_of({"jsonrpc": "2.0", "method": method, "params": params, "id": self._number})
            )
            line = self._file.readline()
        except TimeoutError:
            raise StreamError(
                f"The window did not reply to {method} in time. Check whether it is busy."
            ) from None
        except OSError:
            line = b""
        if not line:
            raise StreamError(
                f"The window closed the connection before it replied to {method}. Try again."
            )
        reply = json.loads(line)
        if "error" in reply:
            raise UserError(reply["error"]["message"])
        return reply["result"]

    def close(self) -> None:
        """Close the connection."""
        self._file.close()
        self._socket.close()

    def __enter__(self) -> RemoteClient:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
