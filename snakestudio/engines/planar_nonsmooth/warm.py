"""What of this engine is compiled ahead: all that a tiny scene needs is all that any scene needs."""

from __future__ import annotations

from snakestudio.engines.planar_nonsmooth.engine import PlanarNonsmoothEngine
from snakestudio.engines.time_stepping import run_a_step, tiny_scene

__all__ = ["PARTS", "run"]

PARTS = 86
"""How many functions that is, for the progress of it."""


def run() -> None:
    """Call every entry point once."""
    run_a_step(PlanarNonsmoothEngine(tiny_scene("planar_nonsmooth")))
