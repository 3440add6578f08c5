"""Atomic writing of exports: files get their names when they are complete; a failed export keeps the old files."""

from __future__ import annotations

import contextlib
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

from snakestudio.errors import ExportError
from snakestudio.model.atomic import STDOUT, PartialFile, TakenMeanwhileError
from snakestudio.model.atomic import replacing as replacing_file
from snakestudio.text import capitalized


class KeptElsewhereError(ExportError):
    """A file was written completely, but under another name."""


def writable(path: Path) -> None:
    """Check, before a long run, that a file can be written, without creating it.

    Raises `ExportError` if it cannot.
    """
    with replacing(path) as partial:
        partial.keep = False


@contextlib.contextmanager
def replacing(path: Path) -> Iterator[PartialFile]:
    """Yield a temporary name next to `path` to write to, renamed to `path` if the block ends without an error.

    Devices, pipes and standard output are not replaced: the data are copied to them.

    Raises `ExportError` if the file cannot be written, or another program wrote it in the meantime (the
    temporary file is kept in that case).
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with replacing_file(path) as partial:
            yield partial
    except TakenMeanwhileError as error:
        raise saved_elsewhere(path, error.saved) from None
    except BrokenPipeError as error:
        if path == STDOUT:
            raise
        raise not_written(path, error) from None
    except OSError as error:
        raise not_written(path, error) from None


@contextlib.contextmanager
def replacing_files(folder: Path) -> Iterator[PartialFile]:
    """Yield a temporary folder whose files move to `folder` if the block ends without an error.

    They replace files of the same names; others remain.

    Raises `ExportError` if they cannot be written.
    """
    is_new = not os.path.lexists(folder)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(
            prefix=".files.partial-", dir=folder, ignore_cleanup_errors=True
        ) as name:
            partial = PartialFile(Path(name))
            yield partial
            for file in sorted(partial.path.iterdir()) if partial.keep else ():
                with replacing_file(folder / file.name, alone=True) as renamed:
                    os.replace(file, renamed.path)
    except OSError as error:
        why = error.strerror or str(error)
        raise ExportError(
            f"{folder}: The files cannot be written ({why}). Choose another folder or free some space."
        ) from None
    finally:
        if is_new:
            with contextlib.suppress(OSError):
                folder.rmdir()  # fails unless the folder is empty


def saved_elsewhere(path: Path, saved: Path) -> KeptElsewhereError:
    """Error: another program wrote a file in the meantime, so the export has another name."""
    return KeptElsewhereError(
        f"{path}: Another program wrote this file in the meantime, so the export was saved as {saved}. Use different "
        "file names."
    )


def not_written(path: Path, error: OSError) -> ExportError:
    """Return the error with the reason why a file cannot be written, and the remedy."""
    if isinstance(error, IsADirectoryError):
        return ExportError(f"{path}: This is a folder. Choose a file name.")
    why = error.strerror or str(error)
    remedy = "choose another folder or free some space"
    if isinstance(error, BrokenPipeError):
        remedy = "let the reading program read all data"
    elif os.path.lexists(path) and not os.path.isfile(path):
        remedy = "choose another target"
    return ExportError(f"{path}: The file cannot be written ({why}). {capitalized(remedy)}.")
