"""List, rename, tag and delete the saved runs."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from snakestudio.cli.results import add_json_argument, print_json
from snakestudio.errors import UsageError
from snakestudio.text import counted, size_text

if TYPE_CHECKING:
    from snakestudio.runfile.library import RunLibrary, SavedRun


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of `snakestudio runs`."""
    parser.add_argument(
        "names",
        metavar="RUN",
        nargs="*",
        help="name of a run or of its file (to list runs: search words)",
    )
    what = parser.add_mutually_exclusive_group()
    what.add_argument(
        "--rename", metavar="NAME", help="rename the run to NAME ('' for the name of its scene)"
    )
    what.add_argument(
        "--tags",
        metavar="TAGS",
        help="replace the tags of the runs by TAGS, separated by spaces or commas",
    )
    what.add_argument("--delete", action="store_true", help="delete the runs permanently")
    add_json_argument(parser)


def execute(options: argparse.Namespace) -> int:
    """Run `snakestudio runs`; return the exit code."""
    from snakestudio.runfile.library import RunLibrary

    library = RunLibrary()
    if options.rename is None and options.tags is None and not options.delete:
        listed = [run for run in library.runs() if _fits(run.search_text, options.names)]
        if options.json:
            print_json(
                options, {"folder": library.folder, "runs": [_values(run) for run in listed]}
            )
        else:
            _print(library, listed)
        return 0
    if not options.names:
        raise UsageError("No run is named. Give the names of runs; 'snakestudio runs' lists all.")
    if options.rename is not None and len(options.names) > 1:
        raise UsageError("--rename needs exactly one run. Give one name.")
    changed = []
    for run in [library.find(name) for name in options.names]:  # look up all before changing any
        if options.delete:
            try:
                library.delete(run)
            except OSError as error:
                raise UsageError(f"{run.path} cannot be deleted: {error.strerror}.") from None
            print(f"deleted {run.path.stem}")
            changed.append(run)
        else:
            renamed = (
                library.rename(run, options.rename)
                if options.tags is None
                else library.tag(run, [options.tags])
            )
            print(
                f"{renamed.path.stem}: {renamed.name} {' '.join(f'#{tag}' for tag in renamed.tags)}".rstrip()
            )
            changed.append(renamed)
    if options.json:
        print_json(
            options,
            {
                "folder": library.folder,
                "deleted" if options.delete else "runs": [_values(run) for run in changed],
            },
        )
    return 0


def _values(run: SavedRun) -> dict[str, Any]:
    """Return a run for scripts; `problem` is the reason why it cannot be read."""
    result = None if run.info is None else run.info.plausibility
    return {
        "file": run.path,
        "name": run.name,
        "tags": run.tags,
        "created": run.created.isoformat(timespec="seconds"),
        "size_bytes": run.size_bytes,
        "model": None if run.info is None else run.info.model,
        "duration_s": None if run.info is None else run.info.duration,
        "plausibility": None if result is None else result.values,
        "problem": run.problem or None,
    }


def _fits(text: str, sought: list[str]) -> bool:
    return all(term.casefold() in text.casefold() for term in sought)


def _print(library: RunLibrary, runs: list[SavedRun]) -> None:
    from snakestudio.export.tables import aligned

    if not runs:
        print(f"no runs in {library.folder}")
        return
    table = [("begun", "run", "model", "length", "plausibility", "size", "tags", "file")]
    for run in runs:
        length = "unreadable" if run.info is None else f"{run.info.duration:.4g} s"
        model = "" if run.info is None else run.info.model
        plausibility = "" if run.info is None else run.info.plausibility_text
        tags = " ".join(f"#{tag}" for tag in run.tags)
        size = size_text(run.size_bytes)
        table.append(
            (
                f"{run.created:%Y-%m-%d %H:%M:%S}",
                run.name,
                model,
                length,
                plausibility,
                size,
                tags,
                run.path.name,
            )
        )
    print(aligned(table, left=len(table[0])))
    count = f"{counted(len(runs), 'run')}"
    print(f"{count}, {size_text(sum(run.size_bytes for run in runs))} in {library.folder}")
