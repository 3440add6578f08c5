"""What the rows of a run of this model hold, as it follows from a Scene (nothing here is compiled)."""

from __future__ import annotations

from snakestudio.engines.chain_schema import chain_schema, has_springs
from snakestudio.model.recording import Schema
from snakestudio.model.scene import Scene

__all__ = ["ENERGY", "SPRING_ENERGY", "make_schema"]


ENERGY = (
    "kinetic",
    "potential",
    "work_actuator",
    "work_friction",
    "work_gravity",
    "work_obstacle",
    "work_joint",
    "work_stop",
    "work_external",
    "work_projection",
)
"""Columns of the energy ledger, J. The change of "kinetic" is the sum of all works but the last;
that of "potential" is minus "work_gravity" minus "work_projection", the work of gravity while
joints are closed by moving links (P2, VI-C), minus "work_spring"."""

SPRING_ENERGY = ("work_spring", "work_damper")
"""Columns of the ledger behind these for robots with springs or dampers in their joints, J. The
energy that the springs store is part of "potential"."""


def make_schema(scene: Scene) -> Schema:
    """The schema of `scene`."""
    return chain_schema(scene, (*ENERGY, *SPRING_ENERGY) if has_springs(scene) else ENERGY)
