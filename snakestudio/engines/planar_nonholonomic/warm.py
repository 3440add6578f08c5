"""Compiles all of this engine's code by running a tiny scene."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from snakestudio.engines.planar_nonholonomic.engine import PlanarNonholonomicEngine
from snakestudio.kernels._jit import reporting_compilation
from snakestudio.model.motion import StraightStart
from snakestudio.model.reference import JointReference
from snakestudio.model.robot import Robot
from snakestudio.model.scene import Scene

__all__ = ["warm_up"]

FUNCTIONS = 25
"""How many functions there are to compile, for the progress bar."""


def warm_up(progress: Callable[[float, str], None]) -> None:
    """Compile every entry point; `progress` is told how far it is."""
    with reporting_compilation(lambda count, name: progress(min(0.05 + 0.9 * count / FUNCTIONS, 0.95), name)):
        engine = PlanarNonholonomicEngine(Scene(robot=Robot(n_links=2), start=StraightStart(kind="straight")))
        engine.initial_rows()
        zeros = np.zeros((2, 1, 2))
        engine.advance(JointReference(np.array([0.0, 1.0]), zeros, zeros, zeros), 1, (1,))
        engine.snapshot()
