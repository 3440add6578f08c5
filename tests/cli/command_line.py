"""The command line as a function."""

from __future__ import annotations

from snakestudio.cli import main

__all__ = ["code_of"]


def code_of(words: list[str]) -> int:
    """The exit code of a command, however it ends."""
    try:
        return main(words)
    except SystemExit as ended:
        return int(str(ended.code))
