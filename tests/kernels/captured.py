"""Contact problems that runs could not solve, or not to 1e-8, before the rescue existed.

They contain walls, pegs, corners, stairs and joint limits, with friction up to 5. The engines
saved them in their initial state; each must be solved from there and from zero.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["planar", "spatial"]

_FILE = Path(__file__).with_name("captured_problems.npz")


@cache
def _all() -> dict[str, dict[str, NDArray[Any]]]:
    problems: dict[str, dict[str, NDArray[Any]]] = {}
    with np.load(_FILE) as arrays:
        for key in arrays.files:
            name, _, entry = key.partition("/")
            problems.setdefault(name, {})[entry] = arrays[key]
    return problems


def spatial() -> dict[str, dict[str, NDArray[Any]]]:
    """Problems of the spatial model, by name."""
    return {name: arrays for name, arrays in _all().items() if "axis" in arrays}


def planar() -> dict[str, dict[str, NDArray[Any]]]:
    """Problems of the planar model, by name."""
    return {name: arrays for name, arrays in _all().items() if "axis" not in arrays}
