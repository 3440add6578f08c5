"""What of this engine is compiled ahead: all that a tiny scene needs is all that any scene needs."""

from __future__ import annotations

from snakestudio.engines.continuum_beam.engine import ContinuumBeamEngine, start_reference
from snakestudio.model.scene import Model, Scene

__all__ = ["PARTS", "run"]

PARTS = 94
"""How many functions that is, for the progress of it."""


def run() -> None:
    """Call every entry point once."""
    scene = Scene(model=Model(kind="continuum_beam"))
    engine = ContinuumBeamEngine(scene)
    engine.snapshot()
    step = scene.solver.step_s
    engine.advance(start_reference(scene, (0.0, 0.5 * step, step)), 1, (1,))
