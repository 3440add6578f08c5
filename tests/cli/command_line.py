"""The command line as a function."""

from __future__ import annotations

from snakestudio.cli import main

__all__ = ["code_of"]


def code_of(arguments: list[str]) -> int:
    """Return the exit code of a command, however it ends."""
    try:
        return main(arguments)
    except SystemExit as ended:
        return int(str(ended.code))
