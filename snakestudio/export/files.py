"""Exports get their name only when they are whole: an interrupted one leaves the old file, and nothing else."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from snakestudio.errors import ExportError

__all__ = ["Partial", "replacing", "writable"]


@dataclass
class Partial:
    """A file being written: `path` is where to, `keep` whether it shall get its name in the end."""

    path: Path
    keep: bool = True


def writable(path: Path) -> None:
    """Make sure, before a long run, that a file can be written; none is left.

    Raises
    ------
    ExportError
        If it cannot.
    """
    with replacing(path) as partial:
        partial.keep = False
        partial.path.touch()


@contextlib.contextmanager
def replacing(path: Path) -> Iterator[Partial]:
    """Give a temporary name beside `path` to write to, renamed to `path` if the block ends well.

    Raises
    ------
    ExportError
        If the folder cannot be made or written to.
    """
    if path.is_dir():
        raise ExportError(f"{path}: this is a folder; give a file name.")
    partial = path.with_name(f".{path.stem}.partial{os.getpid()}{path.suffix}")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        file = Partial(partial)
        yield file
        if file.keep:
            os.replace(partial, path)
    except OSError as error:
        raise ExportError(
            f"{path}: the file cannot be written ({error.strerror or error}); choose another folder or free some space."
        ) from None
    finally:
        with contextlib.suppress(OSError):
            partial.unlink()
