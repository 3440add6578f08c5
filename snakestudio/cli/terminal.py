"""Output on terminals: errors and warnings in colour, and the width of the terminal.

Colours appear only on a terminal, and not if the environment variable NO_COLOR is set
(https://no-color.org).
"""

from __future__ import annotations

import os
import sys
from typing import TextIO

RED = "31"
YELLOW = "33"

_SMALLEST = 8
"""Smallest plausible width in columns; smaller ones count as unknown."""


def is_terminal(stream: TextIO) -> bool:
    """Return whether a stream is a terminal that understands control sequences."""
    try:
        return stream.isatty() and os.environ.get("TERM") != "dumb"
    except ValueError:
        return False  # the stream is closed


def width(stream: TextIO) -> int:
    """Return the width of the terminal of a stream in columns."""
    try:
        columns = os.get_terminal_size(stream.fileno()).columns
    except (OSError, ValueError):
        columns = 0
    return columns if columns >= _SMALLEST else 80


def painted(text: str, colour: str, stream: TextIO) -> str:
    """Return the text in a colour if the stream shows colours."""
    if not is_terminal(stream) or os.environ.get("NO_COLOR"):
        return text
    return f"\x1b[{colour}m{text}\x1b[0m"


def print_error(sentence: str, head: str = "snakestudio") -> None:
    """Print an error to the standard error."""
    print(f"{painted(f'{head}:', RED, sys.stderr)} {sentence}", file=sys.stderr)


def print_warning(sentence: str, head: str = "snakestudio") -> None:
    """Print a warning to the standard error."""
    print(f"{painted(f'{head}:', YELLOW, sys.stderr)} {sentence}", file=sys.stderr)
