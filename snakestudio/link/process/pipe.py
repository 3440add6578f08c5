"""Commands of the window from the pipe, one line of JSON each, and the end of the pipe."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from typing import get_args

from snakestudio.link.messages import CommandKind, LinkCommand

_LONGEST = 65_536
"""Longest line that is read, bytes: much longer than the window's commands."""
_KINDS = frozenset(get_args(CommandKind))


class PipeClosed:
    """Event: the pipe has ended because the window has ended."""


def command_of(line: bytes) -> LinkCommand | None:
    """Return the command of a line; None if the line is not a command."""
    try:
        content = json.loads(line)
    except (ValueError, RecursionError):
        return None
    if not isinstance(content, dict):
        return None
    kind = content.get("kind")
    number = content.get("number", 0)
    values = content.get("values", {})
    if (
        not isinstance(kind, str)
        or kind not in _KINDS
        or not isinstance(number, int)
        or not isinstance(values, dict)
    ):
        return None
    if not all(isinstance(value, (str, int, float)) for value in values.values()):
        return None
    return LinkCommand(kind, number, values)  # type: ignore[arg-type]


def read_commands(deliver: Callable[[LinkCommand | PipeClosed], None], descriptor: int = 0) -> None:
    """Read commands from the pipe `descriptor`: deliver each of them, and `PipeClosed` when the pipe ends."""
    rest = b""
    skipping = False
    try:
        while data := _read(descriptor):
            *lines, rest = (rest + data).split(b"\n")
            for line in lines:
                command = None if skipping else command_of(line)
                skipping = False
                if command is not None:
                    deliver(command)
            if len(rest) > _LONGEST:  # a foreign writer must not fill the memory
                rest = b""
                skipping = True
    finally:
        deliver(PipeClosed())


def _read(descriptor: int) -> bytes:
    try:
        return os.read(descriptor, 65_536)
    except OSError:
        return b""
