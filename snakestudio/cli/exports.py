"""Options for exports of a run: one for each built-in format, and --to for all formats, including those of plug-ins."""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from snakestudio.cli.outputs import Outputs, output
from snakestudio.cli.shared import assignments
from snakestudio.errors import ExportError, UsageError
from snakestudio.text import listing

if TYPE_CHECKING:
    from snakestudio.api import Run
    from snakestudio.export.formats import ExportKind, Written

_HELP = {
    "csv": "write a CSV (- for the standard output)",
    "hdf5": "write an HDF5 file, with units and the scene",
    "mcap": "write a run file (.mcap)",
    "figures": "draw figures into this folder: general ones, and those of the papers for its scene",
    "video": "write a video (.mp4, .mkv, .webm, .mov), a .gif, or .png images",
}
"""Text of the option of each built-in format of runs, in `EXPORTS`; not read from there because --help
must not wait for its imports."""

NAMES = tuple(_HELP)
"""Names of the options."""


class Export(NamedTuple):
    """File or folder to write."""

    kind: ExportKind
    path: Path
    options: Any
    """Options of the format, see `ExportKind.options`."""

    def write(
        self, source: object, path: Path, progress: Callable[[float], bool] | None = None
    ) -> Written | None:
        """Write a run or a scene to `path`; None if `progress` cancelled it. See `write_as`."""
        from snakestudio.export.formats import write_as

        return write_as(self.kind, source, path, self.options, progress)


def add_export_arguments(
    parser: argparse.ArgumentParser, names: Sequence[str] = NAMES, **helps: str
) -> None:
    """Declare the options for some built-in formats, and --to.

    Parameters
    ----------
    **helps
        Other texts of some options.
    """
    for name in names:
        parser.add_argument(
            f"--{name}",
            metavar="FOLDER" if name == "figures" else "F",
            type=Path if name == "figures" else output,
            help=helps.get(name, _HELP[name]),
        )
    parser.add_argument(
        "--to",
        metavar="F",
        type=output,
        action="append",
        default=[],
        help="write a file in the format of its suffix, including formats of plug-ins (can be repeated)",
    )
    parser.add_argument(
        "--option",
        metavar="NAME=VALUE",
        action="append",
        default=[],
        help="option of a requested format, such as width_mm=120 of a plan (can be repeated)",
    )


def requested(options: argparse.Namespace) -> list[Export]:
    """Return the requested exports with their checked options, in the order of the formats.

    Raises `ExportError` if a format does not exist. Raises `UsageError` if an option is invalid.
    """
    from snakestudio.export.formats import format_of, of_subject, option_names, options_of

    pairs = [
        (kind, path)
        for kind in of_subject("run")
        if (path := getattr(options, kind.name, None)) is not None
    ]
    pairs += [(format_of(path, "run", "scene"), path) for path in options.to]
    values = assignments(
        getattr(options, "option", ()), "--option", "NAME=VALUE, such as width_mm=120"
    )
    known = {kind: option_names(kind) for kind, _ in pairs}
    for name in values:
        if not any(name in names for names in known.values()):
            all_names = listing(
                dict.fromkeys(each for names in known.values() for each in names), "or"
            )
            remedy = f"Use {all_names}." if all_names else "Remove it."
            raise UsageError(f"--option {name}: No requested format has this option. {remedy}")
    exports = []
    for kind, path in pairs:
        others = _options(kind, options, path)
        own = {name: value for name, value in values.items() if name in known[kind]}
        chosen = options_of(kind, own, others)
        kind.target(path, chosen)  # reported before a run, not after it
        exports.append(Export(kind, path, chosen))
    return exports


def _options(kind: ExportKind, options: argparse.Namespace, path: Path) -> Any:
    """Return the options of a format from its own arguments; None for its default options."""
    if kind.name == "video" and hasattr(options, "codec"):
        from snakestudio.cli.video_options import video_options

        return video_options(options, path)
    if kind.name == "figures":
        from snakestudio.export.formats import FigureOptions

        return FigureOptions(f".{options.figure_format.lower().lstrip('.')}")
    return None


def report(written: Written) -> None:
    """Print what was written."""
    content = f": {written.content}" if written.content else ""
    to = "to the standard output" if _is_stdout(written.path) else written.path
    print(f"wrote {to}{content}")
    for note in written.notes:
        print(f"  {note}")


def write_run(
    outputs: Outputs, options: argparse.Namespace, run: Run, exports: Sequence[Export]
) -> None:
    """Write a run to files and print their names.

    Raises `ExportError` if a file cannot be written or the run file could not be completed; the
    others are written first, and the run is saved elsewhere if no file holds its rows.
    """
    from snakestudio.export.files import KeptElsewhereError
    from snakestudio.export.formats import Written

    troubles = []
    written = 0
    # the run file first: it is complete except for its end
    for export in sorted(exports, key=lambda each: each.path != options.mcap):
        path = export.path
        try:
            if path == options.mcap and outputs.live(path) is not None:
                _see_that_it_is_there(path, run)
                result: Written | None = Written(path, f"{len(run.recording)} rows")
            else:
                with outputs.target(path) as output:
                    result = export.write(run, output)
        except ExportError as error:
            troubles.append(str(error))
            written += isinstance(error, KeptElsewhereError)
        else:
            written += 1
            assert result is not None, "without progress nothing is cancelled"
            report(result)
    if troubles:
        if not written:
            troubles += _kept_elsewhere(run, options)
        raise ExportError("\n".join(troubles))


def _is_stdout(path: Path) -> bool:
    from snakestudio.model.atomic import STDOUT

    return path == STDOUT


def _see_that_it_is_there(path: Path, run: Run) -> None:
    """Check that the file recorded live is in place and complete; otherwise write the run again.

    Raises `ExportError` if the file was missing or damaged.
    """
    from snakestudio.export.files import KeptElsewhereError
    from snakestudio.model.atomic import free_name
    from snakestudio.runfile.recording import RunRecording

    if run.trouble:
        raise ExportError(run.trouble)
    recording = run.recording
    if not isinstance(recording, RunRecording) or recording.path != path or len(recording) < 2:
        run.to_mcap(path)  # a file is created with the second row
        return
    if recording.in_place and os.path.isfile(path):
        return
    free_path = free_name(path) if os.path.exists(path) else path
    run.to_mcap(free_path)
    raise KeptElsewhereError(
        f"{path}: this run file was moved, deleted or replaced during recording. The run was written "
        f"to {free_path}."
    )


def _kept_elsewhere(run: Run, options: argparse.Namespace) -> list[str]:
    """Save a run that could not be written to any file among the saved runs; return a message with its location."""
    from snakestudio.runfile.library import RunLibrary

    if options.mcap is not None and os.path.isfile(options.mcap):
        return []
    try:
        path = RunLibrary().new_path(Path(run.scene_file or "run").stem)
        run.to_mcap(path)
    except (ExportError, OSError):
        return []
    return [f"The run is saved as {path}. Export it with snakestudio export."]
