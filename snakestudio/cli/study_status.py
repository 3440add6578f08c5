"""Show the progress of a study and its best points so far."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

from snakestudio.cli.results import add_json_argument, print_json
from snakestudio.cli.study_options import include_implausible, study_file

if TYPE_CHECKING:
    from snakestudio.study.results import Table

_SHOWN = 10


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of `snakestudio study status`."""
    study_file(parser)
    include_implausible(parser)
    add_json_argument(parser)


def execute(options: argparse.Namespace) -> int:
    """Run `snakestudio study status`; return the exit code."""
    if options.json:
        print_json(options, summary_values(Path(options.study), options.include_implausible))
    else:
        print(summary(Path(options.study), options.include_implausible))
    return 0


def summary_values(path: Path, implausible: bool = False) -> dict[str, Any]:
    """Return progress and best points (the best first) of the study in a file, for scripts.

    With `implausible`, runs that are not plausible count, even if the study leaves them out.

    Raises
    ------
    StudyError
    """
    from snakestudio.study.running import results_of

    table = results_of(path, include_implausible=implausible)
    study = table.study
    names = [vary.name for vary in study.vary] + [part.called for part in study.measured]
    finished = int(table["runs"].sum())
    failed = int(table["failed"].sum())
    ranked = table.ranked if study.goals and finished + failed else ()
    return {
        "file": path,
        "runs": study.n_runs,
        "finished": finished,
        "failed": failed,
        "implausible": table.implausible_runs,
        "points": table.n_points,
        "best": [
            {"row": int(row), "values": {name: table[name][row] for name in names}}
            for row in ranked[:_SHOWN]
        ],
        "messages": [{"count": count, "message": sentence} for sentence, count in _messages(table)],
    }


def _messages(table: Table) -> list[tuple[str, int]]:
    """Return the messages of runs with their counts, the most frequent first."""
    counts: dict[str, int] = {}
    for repeats in table.rows:
        for _, outcome in repeats:
            if outcome is not None and outcome.sentence:
                counts[outcome.sentence] = counts.get(outcome.sentence, 0) + 1
    return sorted(counts.items(), key=lambda item: -item[1])


def summary(path: Path, implausible: bool = False) -> str:
    """Progress, best points and failures of the study in a file, as text; see `summary_values`.

    Raises
    ------
    StudyError
    """
    from snakestudio.export.tables import aligned
    from snakestudio.study.running import results_of

    table = results_of(path, include_implausible=implausible)
    study = table.study
    runs = int(table["runs"].sum())
    failed = int(table["failed"].sum())
    lines = [
        f"{path.name}: {runs} of {study.n_runs} runs, {table.n_points} points"
        + f", {failed} failed" * (failed > 0)
    ]
    if table.plausibility_note:
        lines.append(table.plausibility_note)
    if study.goals and runs + failed:
        several = len(study.goals) > 1
        order = table.ranked
        if len(order):
            names = [vary.name for vary in study.vary] + [part.called for part in study.measured]
            rows = [tuple(_cell(table[name][row]) for name in names) for row in order[:_SHOWN]]
            lines.append("")
            lines.append(
                f"{len(order)} Pareto-optimal points (no other is better in all goals):"
                if several
                else "Best points:"
            )
            lines.append(aligned([tuple(names), *rows], left=0))
            if len(order) > _SHOWN:
                lines.append(
                    f"... and {len(order) - _SHOWN} more; use 'snakestudio study export' for all."
                )
        else:
            lines.append(
                "There is no valid point so far: all failed, violate a constraint or are not plausible."
            )
    most = _messages(table)
    if most:
        lines.append("")
        lines += [f"{count} x {sentence}" for sentence, count in most[:5]]
        if len(most) > 5:
            lines.append(f"... and {len(most) - 5} more reasons")
    return "\n".join(lines)


def _cell(value: object) -> str:
    return f"{value:.5g}" if isinstance(value, float) else str(value)
