"""What a study is called and how much it is, in words."""

from __future__ import annotations

import math

from snakestudio.model.column_units import unit_text
from snakestudio.session.time_left import time_left
from snakestudio.study.description import StudyFields
from snakestudio.study.driver import Progress
from snakestudio.text import counted

SEARCHES: dict[str, tuple[str, str]] = {
    "grid": ("Grid", "Every combination of the values; each has its steps, or a list."),
    "random": ("Random", "Points anywhere in the ranges, one as likely as another."),
    "latin_hypercube": ("Latin hypercube", "Random points that leave no part of any range out."),
    "sobol": (
        "Sobol",
        "A sequence that fills the ranges evenly; best with 2, 4, 8, 16 ... points.",
    ),
    "cma_es": (
        "CMA-ES",
        "Optimises one goal: each generation is drawn where the one before was best.",
    ),
    "nsga2": (
        "NSGA-II",
        "Looks for the front between two or three goals, by crossing the best of each generation.",
    ),
    "tpe": (
        "TPE",
        "Optimises one to three goals by a model of where good points lie; for few and costly runs.",
    ),
}
"""Title and explanation of every search, in the order in which they are offered."""


def unit_shown(ending: str) -> str:
    """A unit for people."""
    return unit_text(ending) or ending


def amount(study: StudyFields, seconds: float, workers: int, there: int = 0) -> str:
    """How many runs a study is, and how long those take that are not there, if that is known.

    Parameters
    ----------
    seconds : float
        That a run takes, s; NaN if that is not known.
    workers : int
        That compute at once; 0 if that is not known.
    there : int
        Runs of it that are finished.
    """
    points = study.n_points
    runs = study.n_runs
    text = counted(points, "point")
    if runs != points:
        text += f", {counted(runs, 'run')}"
    if math.isfinite(seconds) and workers and there < runs:
        left = time_left((runs - there) * seconds / workers).removesuffix(" left")
        text += f", about {left} with {counted(workers, 'worker')}"
    return text


def how_far(progress: Progress | None, doing: str) -> str:
    """How far a study is, in few words."""
    if doing:
        return doing
    if progress is None:
        return "Starting ..."
    if (
        progress.state in ("starting", "running")
        and not progress.workers
        and progress.finished < progress.runs
    ):
        return "Starting workers ..."
    text = f"{progress.finished:,} of {counted(progress.runs, 'run')}"
    if progress.failed:
        text += f", {progress.failed:,} failed"
    if progress.state == "paused":
        return f"{text}, paused"
    if progress.state == "running" and math.isfinite(progress.left_s):
        text += f", {time_left(progress.left_s)}"
    return text
