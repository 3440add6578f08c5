"""Scenes of 2,000 and of nine obstacles in the real window: picking, dragging, undoing."""

from __future__ import annotations

import json
import subprocess
import sys

from tests.benchmarks.bench_window import Row, screen

SECONDS = 5.0


def measured(count: int) -> dict[str, float]:
    """Results of `tests.benchmarks.editor_probe` with so many obstacles."""
    with screen() as environment:
        command = [
            sys.executable,
            "-m",
            "tests.benchmarks.editor_probe",
            str(SECONDS),
            "1600x1000",
            str(count),
        ]
        done = subprocess.run(
            command, env=environment, stdout=subprocess.PIPE, text=True, timeout=300, check=True
        )
    figures: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    return figures


def run() -> list[Row]:
    """All rows."""
    few = measured(9)
    figures = measured(2000)
    fraction = figures["fps"] / few["fps"]
    return [
        ("pick among 2,000 obstacles", figures["pick"], "ms", "< 5", figures["pick"] < 5.0),
        (
            "frames a second while one of nine is dragged",
            few["fps"],
            "/s",
            ">= 30",
            few["fps"] >= 30.0,
        ),
        (
            "frames a second while one of 2,000 is dragged",
            figures["fps"],
            "/s",
            ">= 30",
            figures["fps"] >= 30.0,
        ),
        ("ratio of 2,000 to nine", fraction, "x", ">= 0.8", fraction >= 0.8),
        ("handling a mouse move (median)", figures["move"], "ms", "", True),
        ("undo (median)", figures["undo"], "ms", "< 20", figures["undo"] < 20.0),
        ("undo (longest of 20)", figures["undo_max"], "ms", "", True),
    ]
