"""Two export formats from a separate file outside the package: a run as numbers, and a scene as a list."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np

from snakestudio.plugin import ExportKind, export_option


@dataclass(frozen=True)
class Steps:
    """Options."""

    every: int = export_option(10, "Rows per line", "Number of rows per line", minimum=1)
    start_s: float = 0.0
    """Time of the first row."""

    end_s: float = float("inf")
    """Time of the last row."""

    marks: Literal["none", "stars"] = "none"
    """Prefix of each line."""

    def __post_init__(self) -> None:
        """Check the times."""
        if self.start_s >= self.end_s:
            raise ValueError("start_s is not before end_s")


def write(run: Any, path: Path, progress: Callable[[float], bool], options: Steps) -> bool:
    """Write the position of the centre of mass at some rows, one line each."""
    rows = np.column_stack([run["time_s"], run["com_x_m"]])[:: options.every]
    rows = rows[(rows[:, 0] >= options.start_s) & (rows[:, 0] <= options.end_s)]
    mark = "* " if options.marks == "stars" else ""
    with path.open("w", encoding="utf-8") as file:
        for number, (time, x) in enumerate(rows.tolist()):
            file.write(f"{mark}{time:.3f} {x:.17g}\n")
            if not progress((number + 1) / len(rows)):
                return False
    return True


def write_list(source: Any, path: Path) -> None:
    """Write the kinds of the obstacles, one line each."""
    path.write_text("".join(f"{each.kind}\n" for each in source.scene.obstacles), encoding="utf-8")


KINDS = (
    ExportKind(
        name="milestones",
        ending=".miles",
        write=write,
        reports_progress=True,
        options=Steps,
    ),
    ExportKind(
        name="obstacle_list",
        ending=".list",
        subject="scene",
        write=write_list,
        possible=lambda scene: len(scene.obstacles) > 0,
    ),
)
