"""Ten thousand finished runs of a study in a window of 1600 x 900: frame rates of sorting, brushing and hovering."""

from __future__ import annotations

import json
import subprocess
import sys

from tests.benchmarks.bench_window import screen

Row = tuple[str, object, str, str, bool]


def run() -> list[Row]:
    """All rows: name, value, unit, bar, whether it is met."""
    with screen() as environment:
        command = [sys.executable, "-m", "tests.benchmarks.study_results_probe"]
        done = subprocess.run(
            command, env=environment, stdout=subprocess.PIPE, text=True, timeout=600, check=True
        )
    got: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    rows: list[Row] = [
        (
            "charts next to each other, above the table",
            int(got["charts"]),
            "",
            "3",
            got["charts"] == 3,
        ),
        ("reading the results of 10,000 runs", got["read"], "ms", "", True),
        ("update after a finished run", got["landed"], "ms", "", True),
    ]
    for what, name in (
        ("sorting", "sort"),
        ("typing a condition", "sift"),
        ("brushing a quarter", "brush"),
        ("brushing all", "brush_all"),
        ("hovering, with its card", "hover"),
    ):
        rate = got[name]
        cost = got[f"{name}_cost"]
        rows.append((f"frames a second while {what}", rate, "1/s", ">= 20", rate >= 20))
        rows.append(("processor time of such a frame", cost, "ms", "<= 50", cost <= 50))
    return [
        *rows,
        (
            "longest stall while a brush is drawn in full",
            got["settled"],
            "ms",
            "",
            True,
        ),
        ("longest stall while all lines are drawn", got["all_settled"], "ms", "", True),
        (
            "memory growth after 1000 brushes, resident",
            got["resident"],
            "MB",
            "<= 8",
            got["resident"] <= 8,
        ),
        (
            "memory growth after 1000 brushes, of Python objects",
            got["held"],
            "MB",
            "<= 1",
            got["held"] <= 1,
        ),
    ]


if __name__ == "__main__":
    for what, value, unit, bar, ok in run():
        print(f"{'ok  ' if ok else 'MISS'} {what:<56} {value:9.3g} {unit:<5} {bar}")
