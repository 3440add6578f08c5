"""List the studies in a folder, with how far they are."""

from __future__ import annotations

import argparse
from pathlib import Path

from snakestudio.errors import StudyError, UsageError

__all__ = ["add_arguments", "execute"]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of `snakestudio study list`."""
    parser.add_argument("folder", metavar="FOLDER", nargs="?", default=".", help="the folder (where you are)")


def execute(options: argparse.Namespace) -> int:
    """Carry out `snakestudio study list`."""
    from snakestudio.export.comparison_tables import aligned
    from snakestudio.study.running import results_of
    from snakestudio.study.store import store_path
    from snakestudio.study.study_file import is_study, load_study

    folder = Path(options.folder)
    if not folder.is_dir():
        raise UsageError(f"{folder} is no folder; name the one that the studies are in.")
    rows = [("file", "search", "scene", "points", "finished", "failed", "title")]
    for path in sorted(folder.glob("*.toml")):
        if not is_study(path):
            continue
        try:
            study = load_study(path)
            finished, failed = "not begun", ""
            if store_path(path).is_file():
                table = results_of(path)
                finished = f"{int(table['runs'].sum())} of {table.study.n_runs} runs"
                failed = str(int(table["failed"].sum()) or "")
        except StudyError as error:
            rows.append((path.name, "", "", "", "unreadable", "", str(error).splitlines()[0]))
            continue
        rows.append((path.name, study.search.kind, study.scene, str(study.n_points), finished, failed, study.title))
    if len(rows) == 1:
        print(f"no studies in {folder}")
        return 0
    print(aligned(rows, left=len(rows[0])))
    return 0
