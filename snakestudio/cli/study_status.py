"""Tell how far a study is, and what is best so far."""

from __future__ import annotations

import argparse
from pathlib import Path

from snakestudio.cli.study_options import study_file

__all__ = ["add_arguments", "execute", "summary"]

_SHOWN = 10


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of `snakestudio study status`."""
    study_file(parser)


def execute(options: argparse.Namespace) -> int:
    """Carry out `snakestudio study status`."""
    print(summary(Path(options.study)))
    return 0


def summary(path: Path) -> str:
    """How far the study in a file is, its best points, and what failed, as text.

    Raises
    ------
    StudyError
    """
    from snakestudio.export.comparison_tables import aligned
    from snakestudio.study.running import results_of

    table = results_of(path)
    study = table.study
    runs, failed = int(table["runs"].sum()), int(table["failed"].sum())
    lines = [
        f"{path.name}: {runs} of {study.n_runs} runs, {table.n_points} points" + f", {failed} failed" * (failed > 0)
    ]
    if study.goals and runs + failed:
        several = len(study.goals) > 1
        order = table.ranked
        if len(order):
            names = [vary.name for vary in study.vary] + [part.called for part in study.measured]
            rows = [tuple(_cell(table[name][row]) for name in names) for row in order[:_SHOWN]]
            lines.append("")
            lines.append(f"{len(order)} points that no other is better than in all goals:" if several else "The best:")
            lines.append(aligned([tuple(names), *rows], left=0))
            if len(order) > _SHOWN:
                lines.append(f"... and {len(order) - _SHOWN} more; 'snakestudio study export' writes all.")
        else:
            lines.append("No point counts so far: they failed, or are beyond the limits.")
    sentences: dict[str, int] = {}
    for repeats in table.rows:
        for _, outcome in repeats:
            if outcome is not None and outcome.sentence:
                sentences[outcome.sentence] = sentences.get(outcome.sentence, 0) + 1
    if sentences:
        lines.append("")
        most = sorted(sentences.items(), key=lambda item: -item[1])
        lines += [f"{count} x {sentence}" for sentence, count in most[:5]]
        if len(most) > 5:
            lines.append(f"... and {len(most) - 5} more reasons")
    return "\n".join(lines)


def _cell(value: object) -> str:
    return f"{value:.5g}" if isinstance(value, float) else str(value)
