"""Texts about studies: titles, size and progress."""

from __future__ import annotations

import math

from snakestudio.model.column_units import unit_text
from snakestudio.session.time_left import time_left
from snakestudio.study.description import StudyFields
from snakestudio.study.driver import Progress
from snakestudio.text import counted

SEARCHES: dict[str, tuple[str, str]] = {
    "grid": ("Grid", "Every combination of the values, each with its steps or a list."),
    "random": ("Random", "Points anywhere in the ranges, with equal probability."),
    "latin_hypercube": ("Latin hypercube", "Random points that cover every part of each range."),
    "sobol": (
        "Sobol",
        "A sequence that fills the ranges evenly; best with 2, 4, 8, 16 ... points.",
    ),
    "cma_es": (
        "CMA-ES",
        "Optimises one goal: each generation is drawn near the best points of the previous one.",
    ),
    "nsga2": (
        "NSGA-II",
        "Searches for the Pareto front of two or three goals by crossing the best points of each generation.",
    ),
    "tpe": (
        "TPE",
        "Optimises one to three goals with a model of where good points are; for few and slow runs.",
    ),
}
"""Title and explanation of each search, in display order."""


def unit_shown(ending: str) -> str:
    """Return a unit for display."""
    return unit_text(ending) or ending


def amount(study: StudyFields, seconds: float, workers: int, computed: int = 0) -> str:
    """Return the number of runs of a study, and the time for the missing ones, if it is known.

    Parameters
    ----------
    seconds : float
        Duration of a run, s; NaN if unknown.
    workers : int
        Number of workers; 0 if unknown.
    computed : int
        Number of finished runs.
    """
    points = study.n_points
    runs = study.n_runs
    text = counted(points, "point")
    if runs != points:
        text += f", {counted(runs, 'run')}"
    if math.isfinite(seconds) and workers and computed < runs:
        left = time_left((runs - computed) * seconds / workers).removesuffix(" left")
        text += f", about {left} with {counted(workers, 'worker')}"
    return text


def how_far(progress: Progress | None, doing: str) -> str:
    """Return the progress of a study as a short text."""
    if doing:
        return doing
    if progress is None:
        return "Starting..."
    if (
        progress.state in ("starting", "running")
        and not progress.workers
        and progress.finished < progress.runs
    ):
        return "Starting workers..."
    text = f"{progress.finished:,} of {counted(progress.runs, 'run')}"
    if progress.failed:
        text += f", {progress.failed:,} failed"
    if progress.state == "paused":
        return f"{text}, paused"
    if progress.state == "running" and math.isfinite(progress.left_s):
        text += f", {time_left(progress.left_s)}"
    return text
