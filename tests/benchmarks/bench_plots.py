"""Plots of an hour at 100 rows a second: speed of drawing while zooming, and delay of a new channel."""

from __future__ import annotations

import json
import subprocess
import sys

from tests.benchmarks.bench_window import screen

Row = tuple[str, object, str, str, bool]


def run() -> list[Row]:
    """All rows: name, value, unit, bar, whether it is met."""
    with screen() as environment:
        command = [sys.executable, "-m", "tests.benchmarks.plots_probe"]
        done = subprocess.run(
            command, env=environment, stdout=subprocess.PIPE, text=True, timeout=600, check=True
        )
    got: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    return [
        (
            "redraws a second while zooming an hour, four plots",
            got["zoom"],
            "1/s",
            ">= 30",
            got["zoom"] >= 30,
        ),
        (
            "processor time of a redraw of all four",
            got["zoom_cost"],
            "ms",
            "<= 33",
            got["zoom_cost"] <= 33,
        ),
        ("redraws a second of tracks, two links of that hour", got["tracks"], "1/s", "", True),
        ("delay of a new column of that hour", got["column"], "s", "", True),
        (
            "longest stall of the window meanwhile",
            got["stall"],
            "ms",
            "<= 50",
            got["stall"] <= 50,
        ),
        ("delay of a filtered derived channel", got["derived"], "s", "", True),
        (
            "longest stall of the window meanwhile",
            got["derived_stall"],
            "ms",
            "<= 50",
            got["derived_stall"] <= 50,
        ),
        (
            "memory of the plots for each column of that hour",
            got["memory"],
            "MB",
            "<= 4",
            got["memory"] <= 4,
        ),
    ]


if __name__ == "__main__":
    for what, value, unit, bar, ok in run():
        print(f"{'ok  ' if ok else 'MISS'} {what:<56} {value:9.3g} {unit:<5} {bar}")
