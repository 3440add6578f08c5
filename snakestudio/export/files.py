"""Exports get their name only when they are whole: an interrupted one leaves the old file, and nothing else."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path

from snakestudio.errors import ExportError
from snakestudio.model.atomic import STDOUT, Partial, TakenMeanwhileError
from snakestudio.model.atomic import replacing as replacing_file


class KeptElsewhereError(ExportError):
    """A file that was written whole, but not under the name that was given."""


def writable(path: Path) -> None:
    """Make sure, before a long run, that a file can be written; none is left.

    Raises `ExportError` if it cannot.
    """
    with replacing(path) as partial:
        partial.keep = False


@contextlib.contextmanager
def replacing(path: Path) -> Iterator[Partial]:
    """Give a temporary name beside `path` to write to, renamed to `path` if the block ends well.

    Devices, pipes and the standard output are never replaced: what was written is copied to them.

    Raises `ExportError` if the file cannot be written, or another program wrote it meanwhile (what
    was written here is kept then).
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with replacing_file(path) as partial:
            yield partial
    except TakenMeanwhileError as error:
        raise kept_beside(path, error.kept) from None
    except BrokenPipeError as error:
        if path == STDOUT:
            raise
        raise not_written(path, error) from None
    except OSError as error:
        raise not_written(path, error) from None


def kept_beside(path: Path, kept: Path) -> KeptElsewhereError:
    """That another program wrote a file meanwhile, so that what was written here is another one."""
    return KeptElsewhereError(
        f"{path}: another program wrote this file meanwhile; what was written here is {kept}. Let each write a file of "
        "its own."
    )


def not_written(path: Path, error: OSError) -> ExportError:
    """Why a file cannot be written, and what to do."""
    if isinstance(error, IsADirectoryError):
        return ExportError(f"{path}: this is a folder; give a file name.")
    why = error.strerror or str(error)
    remedy = "choose another folder or free some space"
    if isinstance(error, BrokenPipeError):
        remedy = "let the program that reads it read all of it"
    elif os.path.lexists(path) and not path.is_file():
        remedy = "choose another target"
    return ExportError(f"{path}: the file cannot be written ({why}); {remedy}.")
