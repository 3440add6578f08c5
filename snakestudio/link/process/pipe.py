"""The window's commands as they come through the pipe, a JSON line each, and the pipe's end."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from typing import get_args

from snakestudio.link.messages import CommandKind, LinkCommand

_LONGEST = 65_536
"""Bytes of a line that are still looked at: many times what a window sends."""
_KINDS = frozenset(get_args(CommandKind))


class Gone:
    """The pipe has ended: the window is gone."""


def command_of(line: bytes) -> LinkCommand | None:
    """The command that a line is; None if it is none, whatever its bytes."""
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


def read_commands(deliver: Callable[[LinkCommand | Gone], None], descriptor: int = 0) -> None:
    """Hand on every command until the pipe ends, and then that it has.

    Parameters
    ----------
    descriptor : int
        Of the pipe.
    """
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
            if len(rest) > _LONGEST:  # no window wrote that, and memory must not fill with it
                rest = b""
                skipping = True
    finally:
        deliver(Gone())


def _read(descriptor: int) -> bytes:
    try:
        return os.read(descriptor, 65_536)
    except OSError:
        return b""
