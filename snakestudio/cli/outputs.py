"""Output files of commands: checked before the start, with a question before a file of the user is replaced."""

from __future__ import annotations

import argparse
import contextlib
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from snakestudio.errors import UsageError
from snakestudio.inputs import local_path

if TYPE_CHECKING:
    from snakestudio.model.scene import Scene

_LOG = "a log of frames"
_KEPT = {
    ".mcap": "a recorded run",
    ".toml": "a scene or another file of yours",
    ".results": "results of a study",
} | dict.fromkeys((".blf", ".asc", ".log"), _LOG)
"""Files that the same command cannot create again, by suffix."""


def output(text: str) -> Path:
    """Return the path of an output option; ``-`` is the standard output."""
    from snakestudio.model.atomic import STDOUT

    return STDOUT if text == "-" else Path(text)


def add_force_argument(parser: argparse.ArgumentParser) -> None:
    """Declare --force, which replaces scenes, recorded runs, results and logs."""
    parser.add_argument(
        "--force",
        action="store_true",
        help="replace a scene, a recorded run (.mcap), results of a study or a log of frames without confirmation",
    )


def folder_for_outputs(folder: Path) -> None:
    """Check before the start that files can be written to a folder; create it if missing.

    Raises `ExportError` if they cannot be written.
    """
    from snakestudio.export.files import writable

    writable(folder / "figure.pdf")


class Outputs:
    """Output files of a command, checked before the start.

    Messages go to the standard error if one of the files is the standard output.

    Raises `UsageError` or `ExportError` if a file cannot be written or must not be replaced.

    Parameters
    ----------
    options : argparse.Namespace
        With `force`.
    sources : tuple of str or Path
        Input files of the command, its scene (or run) first; they are never overwritten.
    *paths : Path or None
        Output files; None for those not requested.
    """

    def __init__(
        self,
        options: argparse.Namespace,
        sources: tuple[str | Path | None, ...],
        *paths: Path | None,
    ) -> None:
        from snakestudio.export.files import writable
        from snakestudio.model.atomic import STDOUT, followed, identity

        targets = [path for path in paths if path is not None]
        read = {os.path.realpath(source) for source in sources if source is not None}
        names: list[str] = []
        for path in targets:
            name = os.path.realpath(path)  # resolves loops of symbolic links, too
            if name in read:
                own = sources[0] is not None and name == os.path.realpath(sources[0])
                what = (
                    "the scene itself"
                    if own and _KEPT.get(path.suffix.lower()) != _LOG
                    else "an input of this command"
                )
                raise UsageError(f"{path} is {what}. Give another name for the output.")
            if name in names and (path == STDOUT or not _passes_on(path)):
                raise UsageError(f"{path} is the name of two outputs. Give them different names.")
            names.append(name)
        for path in targets:
            writable(path)
            kind = _KEPT.get(path.suffix.lower())
            if (
                kind is not None
                and not options.force
                and followed(path) is not None
                and os.path.exists(path)
            ):
                _ask(path, kind)
        self._before = {path: identity(path) for path in targets}
        if STDOUT in targets:
            if getattr(options, "json", False):
                raise UsageError(
                    "--json and a file '-' both write to the standard output. Give the file a name."
                )
            sys.stdout.flush()
            if not getattr(options, "quiet", False):
                sys.stdout = sys.stderr

    def spare_files_of(self, scene: Scene, base_dir: Path | None) -> None:
        """Check that no output is a file that the scene refers to: a height map, the run that it starts from.

        Raises `UsageError` otherwise.
        """
        from snakestudio.runfile.mcap.enclosed import named_files

        read = {
            os.path.realpath(local_path(name, base_dir)): key for key, name in named_files(scene)
        }
        for path in self._before:
            if key := read.get(os.path.realpath(path)):
                raise UsageError(
                    f"{path} is a file that the scene reads ({key}). Give another name for the output."
                )

    @contextlib.contextmanager
    def target(self, path: Path) -> Iterator[Path]:
        """Path to write one of the files to: a free name next to it if another program has written it meanwhile.

        Raises `KeptElsewhereError` after writing to another name.
        """
        from snakestudio.export.files import saved_elsewhere
        from snakestudio.model.atomic import free_name, identity

        if identity(path) in (None, self._before[path]):
            yield path
            return
        free = free_name(path)
        yield free
        raise saved_elsewhere(path, free)

    def live(self, path: Path | None) -> Path | None:
        """`path` if a run can be recorded to it live; None if it is copied there at the end."""
        return None if path is None or _passes_on(path) else path


def _passes_on(path: Path) -> bool:
    """Return whether a path does not store what is written: a device, a pipe, the standard output."""
    from snakestudio.model.atomic import followed

    try:
        return followed(path) is None
    except OSError:
        return False  # reported when it is opened


def _ask(path: Path, kind: str) -> None:
    """Ask whether a file may be replaced.

    Raises `UsageError` if not, or if there is no terminal to ask on.
    """
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        raise UsageError(
            f"{path} already exists, {kind}. Give --force to replace it, or another name."
        )
    print(f"{path} already exists, {kind}. Replace it? [y/N] ", end="", file=sys.stderr, flush=True)
    if sys.stdin.readline().strip().lower() not in ("y", "yes"):
        raise UsageError(f"{path} was not replaced. Give another name.")
