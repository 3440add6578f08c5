"""Contact problems that could not be solved, kept as files for a closer look."""

from __future__ import annotations

import time
from pathlib import Path

import numpy as np

from snakestudio.engines.base import Engine
from snakestudio.paths import cache_dir

__all__ = ["save_failing_problem"]


def save_failing_problem(engine: Engine) -> Path | None:
    """Save the contact problem that an engine failed at, for a closer look; None if there is none or no room."""
    problem = engine.failing_problem()
    if not problem:
        return None
    try:
        folder = cache_dir() / "failed-contact-problems"
        folder.mkdir(exist_ok=True)
        path = folder / time.strftime("%Y%m%d-%H%M%S.npz")
        np.savez(path, **problem)
    except OSError:
        return None
    return path
