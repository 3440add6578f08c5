"""List the studies in a folder and their progress."""

from __future__ import annotations

import argparse
import os
from pathlib import Path
from typing import Any

from snakestudio.cli.results import add_json_argument, print_json
from snakestudio.errors import StudyError, UsageError


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of `snakestudio study list`."""
    parser.add_argument(
        "folder",
        metavar="FOLDER",
        nargs="?",
        default=".",
        help="folder of the studies (the current folder)",
    )
    add_json_argument(parser)


def execute(options: argparse.Namespace) -> int:
    """Run `snakestudio study list`; return the exit code."""
    from snakestudio.export.tables import aligned
    from snakestudio.study.running import results_of
    from snakestudio.study.store import store_path
    from snakestudio.study.study_file import is_study, load_study

    folder = Path(options.folder)
    if not os.path.isdir(folder):
        raise UsageError(f"{folder} is not a folder. Give the folder of the studies.")
    listed: list[dict[str, Any]] = []
    for path in sorted(folder.glob("*.toml")):
        if not is_study(path):
            continue
        values: dict[str, Any] = {"file": path, "problem": None}
        try:
            study = load_study(path)
            values |= {
                "title": study.title,
                "search": study.search.kind,
                "scene": study.scene,
                "points": study.n_points,
                "runs": study.n_runs,
                "finished": None,
                "failed": None,
            }
            if os.path.isfile(store_path(path)):
                table = results_of(path)
                values["finished"], values["failed"] = (
                    int(table["runs"].sum()),
                    int(table["failed"].sum()),
                )
        except StudyError as error:
            values["problem"] = str(error).splitlines()[0]
        listed.append(values)
    if options.json:
        print_json(options, {"folder": folder, "studies": listed})
    elif not listed:
        print(f"no studies in {folder}")
    else:
        rows = [("file", "search", "scene", "points", "finished", "failed", "title")]
        print(aligned(rows + [_row(values) for values in listed], left=len(rows[0])))
    return 0


def _row(values: dict[str, Any]) -> tuple[str, ...]:
    """Return a study as cells of the table."""
    name = values["file"].name
    if values["problem"]:
        return (name, "", "", "", "unreadable", "", values["problem"])
    finished = (
        "not started"
        if values["finished"] is None
        else f"{values['finished']} of {values['runs']} runs"
    )
    failed = str(values["failed"] or "")
    return (
        name,
        values["search"],
        values["scene"],
        str(values["points"]),
        finished,
        failed,
        values["title"],
    )
