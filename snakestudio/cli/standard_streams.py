"""Standard streams that a program was started without (cron, some supervisors), or whose encoding lacks letters."""

from __future__ import annotations

import contextlib
import os
import sys
from typing import TextIO


def complete_standard_streams() -> None:
    """Open the null device for standard streams that are closed, and have letters written that an encoding lacks.

    A file opened later would else get the number of a closed stream, and whatever a library prints.
    What is printed to a closed standard output is lost, but a file that is to go there (``--csv
    -``) is refused: nothing can be written to its descriptor.
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
        opened = os.open(os.devnull, flags)  # the lowest number that is free, mostly this one
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
    """Whether the process that started this one was itself started with this stream closed."""
    if sys.platform == "win32":
        return False
    import fcntl

    try:
        return fcntl.fcntl(stream.fileno(), fcntl.F_GETFL) & os.O_ACCMODE == os.O_RDONLY
    except (OSError, ValueError):
        return False  # it has no descriptor
