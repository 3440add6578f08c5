"""Two export formats from a separate file outside the package: a run as numbers, and a scene as a list."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from snakestudio.plugin import ExportKind


@dataclass(frozen=True)
class Steps:
    """Options."""

    every: int = 10
    """Number of rows per line."""

    def __post_init__(self) -> None:
        """Check the number."""
        if self.every < 1:
            raise ValueError("every must be positive")


def write(run: Any, path: Path, progress: Callable[[float], bool], options: Steps) -> bool:
    """Write the position of the centre of mass at some rows, one line each."""
    rows = np.column_stack([run["time_s"], run["com_x_m"]])[:: options.every]
    with path.open("w", encoding="utf-8") as file:
        for number, (time, x) in enumerate(rows.tolist()):
            file.write(f"{time:.3f} {x:.17g}\n")
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
