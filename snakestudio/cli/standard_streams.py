"""Repair of standard streams that are closed at the start (cron, some supervisors) or have a limited encoding."""

from __future__ import annotations

import contextlib
import os
import sys
from typing import TextIO


def complete_standard_streams() -> None:
    """Open the null device for closed standard streams, and escape characters that an encoding lacks.

    Otherwise a file opened later would get the descriptor of a closed stream, and the output of libraries.
    Output to a closed standard output is lost, but a file for it (``--csv -``) is refused, because its
    descriptor is not writable.
    """
    for number, flags in enumerate((os.O_RDONLY, os.O_RDONLY, os.O_WRONLY)):
        _open_if_closed(number, flags)
    sys.stdin = sys.stdin or open(os.devnull, encoding="utf-8")  # noqa: SIM115
    sys.stdout = _complete(sys.stdout)
    sys.stderr = _complete(sys.stderr)


def _open_if_closed(number: int, flags: int) -> None:
    try:
        os.fstat(number)
    except OSError:
        opened = os.open(os.devnull, flags)  # the lowest free number, usually this one
        if opened != number:
            os.dup2(opened, number)
            os.close(opened)
        os.set_inheritable(number, True)


def _complete(stream: TextIO | None) -> TextIO:
    if stream is None or _is_read_only(stream):
        return open(os.devnull, "w", encoding="utf-8", errors="replace")
    if stream.errors == "strict":
        with contextlib.suppress(AttributeError, ValueError):
            stream.reconfigure(errors="backslashreplace")  # type: ignore[attr-defined]
    return stream


def _is_read_only(stream: TextIO) -> bool:
    """Return whether the process that started this one was itself started with this stream closed."""
    if sys.platform == "win32":
        return False
    import fcntl

    try:
        return fcntl.fcntl(stream.fileno(), fcntl.F_GETFL) & os.O_ACCMODE == os.O_RDONLY
    except (OSError, ValueError):
        return False  # the stream has no descriptor
