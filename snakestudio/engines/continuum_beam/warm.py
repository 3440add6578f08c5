"""Compiles all of this engine's code by running tiny scenes."""

from __future__ import annotations

from collections.abc import Callable

from snakestudio.engines.continuum_beam.engine import ContinuumBeamEngine, start_reference
from snakestudio.kernels._jit import reporting_compilation
from snakestudio.model.scene import Model, Scene

__all__ = ["warm_up"]

FUNCTIONS = 18
"""How many functions there are to compile, for the progress bar."""


def warm_up(progress: Callable[[float, str], None]) -> None:
    """Compile every entry point; `progress` is told how far it is."""
    with reporting_compilation(lambda count, name: progress(min(0.05 + 0.9 * count / FUNCTIONS, 0.95), name)):
        scene = Scene(model=Model(kind="continuum_beam"))
        engine = ContinuumBeamEngine(scene)
        engine.snapshot()
        step = scene.solver.step_s
        engine.advance(start_reference(scene, (0.0, 0.5 * step, step)), 1, (1,))
