"""JSON-RPC 2.0 (https://www.jsonrpc.org/specification) with one request or reply per line, without sockets."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

from snakestudio.inputs import REMOTE_CALL, InputError, parse_json

PARSE_ERROR = -32700
INVALID_REQUEST = -32600
METHOD_NOT_FOUND = -32601
INVALID_PARAMS = -32602
INTERNAL_ERROR = -32603
"""Error codes of the specification."""

AUTHENTICATION = -32001
NOT_NOW = -32002
TOO_MANY = -32003
"""Custom error codes: missing or wrong token; not possible at present; too many connections."""

MAX_LINE = REMOTE_CALL.largest
"""Largest length of a line, bytes; a longer line is dropped with an error."""

MAX_BATCH = 100
"""Largest number of requests in one array."""


class RemoteError(Exception):
    """Error reply to a request.

    Parameters
    ----------
    message : str
        Problem and remedy.
    """

    def __init__(self, code: int, message: str) -> None:
        super().__init__(message)
        self.code = code


class LongWork(NamedTuple):
    """Result of long work: the reply is sent when the work has ended."""

    name: str
    work: Callable[[Callable[[float], bool]], Any]
    """Function of a progress callback, which receives the finished fraction; returns None if cancelled."""


@dataclass(frozen=True, slots=True)
class Request:
    """Single request."""

    method: str
    params: dict[str, Any]
    id: str | int | float | None
    answered: bool
    """Whether the caller expects a reply; a notification has no id."""


class Lines:
    """Buffer that splits received bytes into lines."""

    def __init__(self) -> None:
        self._bytes = bytearray()
        self._dropping = False

    def feed(self, data: bytes) -> list[bytes | None]:
        """Return the complete lines without empty ones; None for a line that is too long."""
        lines: list[bytes | None] = []
        *ended, rest = data.split(b"\n")
        for part in ended:
            line = bytes(self._bytes) + part
            self._bytes.clear()
            if self._dropping:
                self._dropping = False
            elif len(line) > MAX_LINE:
                lines.append(None)
            elif line.strip():
                lines.append(line)
        if not self._dropping:
            self._bytes += rest
            if len(self._bytes) > MAX_LINE:
                self._bytes.clear()
                self._dropping = True
                lines.append(None)
        return lines


def read_line(line: bytes | None) -> list[Request | dict[str, Any]] | dict[str, Any]:
    """Parse a line to requests, each a `Request` or its error reply; a single error reply if there are none.

    A single request that is not in an array also becomes a list of one; see `reply_to`.
    """
    if line is None:
        return error_reply(
            None, PARSE_ERROR, f"The line is too long. Send at most {MAX_LINE // 1000} kB per line."
        )
    try:
        value = parse_json(line.decode("utf-8"), REMOTE_CALL)
    except UnicodeDecodeError:
        return error_reply(None, PARSE_ERROR, "The line is not UTF-8. Send JSON in UTF-8.")
    except InputError as error:
        return error_reply(None, PARSE_ERROR, f"The line is not a JSON-RPC request. {error}")
    if not isinstance(value, list):
        return [_request(value)]
    if not 0 < len(value) <= MAX_BATCH:
        return error_reply(
            None,
            INVALID_REQUEST,
            f"The batch has {len(value)} requests. Send 1 to {MAX_BATCH}.",
        )
    return [_request(each) for each in value]


def _request(value: Any) -> Request | dict[str, Any]:
    if not isinstance(value, dict):
        return error_reply(
            None,
            INVALID_REQUEST,
            'The request is not an object. Send {"jsonrpc": "2.0", "method": ...}.',
        )
    number = value.get("id")
    finite = not isinstance(number, float) or math.isfinite(number)
    if isinstance(number, bool) or not isinstance(number, str | int | float | None) or not finite:
        return error_reply(
            None, INVALID_REQUEST, "The id is not a string or number. Use one of these."
        )
    if value.get("jsonrpc") != "2.0":
        return error_reply(
            number, INVALID_REQUEST, 'The request is not JSON-RPC 2.0. Give "jsonrpc": "2.0".'
        )
    method = value.get("method")
    params = value.get("params", {})
    if not isinstance(method, str):
        return error_reply(
            number, INVALID_REQUEST, "The request has no method. Give its name as a string."
        )
    if isinstance(params, list) and not params:
        params = {}
    if not isinstance(params, dict):
        return error_reply(
            number, INVALID_PARAMS, "The parameters have no names. Send them as an object."
        )
    return Request(method, params, number, "id" in value)


def reply_to(request: Request, call: Callable[[str, dict[str, Any]], Any]) -> dict[str, Any] | None:
    """Execute a request and return its reply, or None for a notification."""
    try:
        result = call(request.method, request.params)
    except RemoteError as error:
        return error_reply(request.id, error.code, str(error)) if request.answered else None
    return (
        {"jsonrpc": "2.0", "result": _plain(result), "id": request.id} if request.answered else None
    )


def error_reply(number: str | int | float | None, code: int, message: str) -> dict[str, Any]:
    """Return the reply to a request that failed."""
    return {"jsonrpc": "2.0", "error": {"code": code, "message": message}, "id": number}


def line_of(value: Any) -> bytes:
    """Return a request or reply as a line."""
    return json.dumps(value, allow_nan=False, separators=(",", ":")).encode() + b"\n"


def _plain(value: Any) -> Any:
    """Return the value for JSON; numbers that are not finite become null."""
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, dict):
        return {str(key): _plain(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(each) for each in value]
    return value
