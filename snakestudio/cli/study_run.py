"""Run a study on all processors of this computer or on a cluster; existing results are reused."""

from __future__ import annotations

import argparse
import math
from pathlib import Path
from typing import TYPE_CHECKING

from snakestudio.cli.ending import Ending
from snakestudio.cli.results import add_json_argument, add_quiet_argument, print_json
from snakestudio.cli.shared import ProgressLine, warm_up
from snakestudio.cli.study_options import add_cluster_arguments, study_file, workers_of
from snakestudio.cli.study_status import summary, summary_values
from snakestudio.cli.terminal import print_warning
from snakestudio.session.time_left import time_left
from snakestudio.text import counted

if TYPE_CHECKING:
    from snakestudio.study.driver import Progress


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of `snakestudio study run`."""
    study_file(parser)
    add_cluster_arguments(parser)
    parser.add_argument(
        "--retry", action="store_true", help="repeat runs that crashed their workers"
    )
    add_json_argument(parser)
    add_quiet_argument(parser)
    parser.add_argument(
        "--watched",
        action="store_true",
        help="for other programs: print progress as lines of JSON, and read the commands pause, resume and cancel"
        " from the standard input, whose end cancels",
    )


def execute(options: argparse.Namespace) -> int:
    """Run `snakestudio study run`; return the exit code."""
    return carry_out(options, Path(options.study))


def carry_out(options: argparse.Namespace, path: Path) -> int:
    """Run the study in a file according to the options; return the exit code."""
    workers = workers_of(options)

    from snakestudio.study import running

    if options.watched:
        from snakestudio.cli import study_watched

        return study_watched.carry_out(path, workers)
    plan = running.open_plan(path)
    for sentence in running.warnings_of(plan):
        print_warning(sentence)
    line = ProgressLine(options)
    ending = Ending()
    warm_up(running.formulations_of(plan), line)
    units = running.check_measures(plan)
    printed: set[str] = set()

    def report(progress: Progress) -> None:
        for note in progress.notes:
            if note not in printed:
                printed.add(note)
                line.clear()
                print_warning(note)
        line.show(_progress_text(progress))
        if ending.number:
            driver.cancel()

    with (
        running.driver_of(path, plan, units, workers, report, options.retry) as driver,
        ending.deferring_signals(),
    ):
        progress = driver.run()
    line.clear()
    if options.json:
        print_json(options, summary_values(path))
    else:
        print(summary(path))
    if ending.number:
        print_warning(f"stopped by {ending.by}; 'snakestudio study resume {path}' continues it.")
        return ending.code
    return 0 if progress.state == "done" else 130


def _progress_text(progress: Progress) -> str:
    if progress.state == "starting" or not (progress.workers or progress.finished):
        return "starting workers"
    left = "" if math.isnan(progress.left_s) else f", {time_left(progress.left_s)}"
    failed = f", {progress.failed} failed" if progress.failed else ""
    workers = f", {counted(len(progress.workers), 'worker')}"
    return f"{progress.finished} of {progress.runs} runs{failed}{workers}{left}"
