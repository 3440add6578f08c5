"""Where a command writes to: tried before it begins, and asked about where something of the user's would be lost."""

from __future__ import annotations

import argparse
import contextlib
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from snakestudio.errors import ExportError, UsageError
from snakestudio.inputs import local_path

if TYPE_CHECKING:
    from snakestudio.api import Run
    from snakestudio.model.scene import Scene

_LOG = "a log of frames"
_KEPT = {
    ".mcap": "a recorded run",
    ".toml": "a scene or another file of yours",
    ".results": "results of a study",
} | dict.fromkeys((".blf", ".asc", ".log"), _LOG)
"""What is not made again by giving the same command, by the ending of its name."""


def output(text: str) -> Path:
    """The file that an option names; ``-`` is the standard output."""
    from snakestudio.model.atomic import STDOUT

    return STDOUT if text == "-" else Path(text)


def add_force_argument(parser: argparse.ArgumentParser) -> None:
    """Declare what lets scenes, recorded runs, results and logs be replaced."""
    parser.add_argument(
        "--force",
        action="store_true",
        help="replace a scene, a recorded run (.mcap), results of a study or a log of frames without asking",
    )


def folder_for_outputs(folder: Path) -> None:
    """See, before anything begins, that files can be written into a folder; it is made if missing.

    Raises `ExportError` if they cannot.
    """
    from snakestudio.export.files import writable

    writable(folder / "figure.pdf")


class Outputs:
    """The files that a command was told to write; each can be written, or it is said before anything begins.

    What is said on the standard output goes to the standard error where one of them is the standard
    output.

    Raises `UsageError` or `ExportError` if one of them cannot be written, or is not to be replaced.

    Parameters
    ----------
    options : argparse.Namespace
        With `force`.
    sources : tuple of str or Path
        What the command reads, its scene (or run) first: none of it is written to.
    paths : paths or None
        Those that are None were not asked for.
    """

    def __init__(
        self,
        options: argparse.Namespace,
        sources: tuple[str | Path | None, ...],
        *paths: Path | None,
    ) -> None:
        from snakestudio.export.files import writable
        from snakestudio.model.atomic import STDOUT, followed, identity

        wanted = [path for path in paths if path is not None]
        read = {os.path.realpath(source) for source in sources if source is not None}
        names: list[str] = []
        for path in wanted:
            name = os.path.realpath(path)  # of links in a circle, too
            if name in read:
                own = sources[0] is not None and name == os.path.realpath(sources[0])
                what = (
                    "the scene itself"
                    if own and _KEPT.get(path.suffix.lower()) != _LOG
                    else "what is read"
                )
                raise UsageError(f"{path} is {what}; give another name to write to.")
            if name in names and (path == STDOUT or not _passes_on(path)):
                raise UsageError(f"{path} is to be written twice; give each its own name.")
            names.append(name)
        for path in wanted:
            writable(path)
            kind = _KEPT.get(path.suffix.lower())
            if (
                kind is not None
                and not options.force
                and followed(path) is not None
                and path.exists()
            ):
                _ask(path, kind)
        self._before = {path: identity(path) for path in wanted}
        if STDOUT in wanted:
            if getattr(options, "json", False):
                raise UsageError(
                    "--json and a file '-' both go to the standard output; give the file a name."
                )
            sys.stdout.flush()
            if not getattr(options, "quiet", False):
                sys.stdout = sys.stderr

    def spare_files_of(self, scene: Scene, base_dir: Path | None) -> None:
        """See that none of them is a file that the scene names: a height map, the run that it starts from.

        Raises `UsageError` if one is.
        """
        from snakestudio.runfile.mcap.enclosed import named_files

        read = {
            os.path.realpath(local_path(name, base_dir)): key for key, name in named_files(scene)
        }
        for path in self._before:
            if key := read.get(os.path.realpath(path)):
                raise UsageError(
                    f"{path} is what the scene reads ({key}); give another name to write to."
                )

    @contextlib.contextmanager
    def place(self, path: Path) -> Iterator[Path]:
        """Where to write one of them: under a free name beside it if another program has written it meanwhile.

        Raises `KeptElsewhereError` when it was written, if it was under another name.
        """
        from snakestudio.export.files import kept_beside
        from snakestudio.model.atomic import free_name, identity

        if identity(path) in (None, self._before[path]):
            yield path
            return
        free = free_name(path)
        yield free
        raise kept_beside(path, free)

    def live(self, path: Path | None) -> Path | None:
        """`path` if a run can be recorded there while it goes; None if it is copied there in the end."""
        return None if path is None or _passes_on(path) else path

    def write_run(self, options: argparse.Namespace, run: Run) -> None:
        """Write a run to the files that ``--mcap``, ``--csv`` and ``--hdf5`` name, and say so.

        Raises `ExportError` if a file cannot be written, or the run file could not be gone on with;
        the others have been written then, and the run is kept where nothing else holds its rows.
        """
        from snakestudio.export.files import KeptElsewhereError

        troubles = []
        written = 0
        for path, write in (
            (options.mcap, run.to_mcap),
            (options.csv, run.to_csv),
            (options.hdf5, run.to_hdf5),
        ):
            if path is None:
                continue
            try:
                if path == options.mcap and self.live(path) is not None:
                    _see_that_it_is_there(path, run)
                else:
                    with self.place(path) as place:
                        write(place)
            except ExportError as error:
                troubles.append(str(error))
                written += isinstance(error, KeptElsewhereError)
            else:
                written += 1
                print(
                    f"wrote {'to the standard output' if _is_stdout(path) else path}: {len(run.recording)} rows"
                )
        if troubles:
            if not written:
                troubles += _kept_elsewhere(run, options)
            raise ExportError("\n".join(troubles))


def _is_stdout(path: Path) -> bool:
    from snakestudio.model.atomic import STDOUT

    return path == STDOUT


def _passes_on(path: Path) -> bool:
    """Whether what is written there is gone: a device, a pipe, the standard output."""
    from snakestudio.model.atomic import followed

    try:
        return followed(path) is None
    except OSError:
        return False  # it is said when it is tried


def _ask(path: Path, kind: str) -> None:
    """Have it said that a file may be replaced.

    Raises `UsageError` if it may not, or nobody can be asked.
    """
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        raise UsageError(
            f"{path} is there already, {kind}; give --force to replace it, or another name."
        )
    print(
        f"{path} is there already, {kind}. Replace it? [y/N] ", end="", file=sys.stderr, flush=True
    )
    if sys.stdin.readline().strip().lower() not in ("y", "yes"):
        raise UsageError(f"{path} is left as it is; give another name.")


def _see_that_it_is_there(path: Path, run: Run) -> None:
    """What was recorded while the run went stands under its name, whole; else it is written anew.

    Raises `ExportError` if it did not.
    """
    from snakestudio.export.files import KeptElsewhereError
    from snakestudio.model.atomic import free_name
    from snakestudio.runfile.recording import RunRecording

    if run.trouble:
        raise ExportError(run.trouble)
    recording = run.recording
    if not isinstance(recording, RunRecording) or recording.path != path or len(recording) < 2:
        run.to_mcap(path)  # a file begins with the second row
        return
    if recording.in_place and path.is_file():
        return
    place = free_name(path) if path.exists() else path
    run.to_mcap(place)
    raise KeptElsewhereError(
        f"{path}: this run file was moved, deleted or replaced while the run was recorded into it; the run is written "
        f"anew as {place}."
    )


def _kept_elsewhere(run: Run, options: argparse.Namespace) -> list[str]:
    """Keep a run whose rows could not be written anywhere among the runs of the window; a sentence that says where."""
    from snakestudio.runfile.library import RunLibrary

    if options.mcap is not None and options.mcap.is_file():
        return []
    try:
        path = RunLibrary().new_path(Path(run.scene_file or "run").stem)
        run.to_mcap(path)
    except (ExportError, OSError):
        return []
    return [f"The run is kept as {path}; write it from there with snakestudio export."]
