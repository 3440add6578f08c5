"""Columns of the rows of this model, derived from a Scene (without compiled code)."""

from __future__ import annotations

from snakestudio.engines.chain_schema import chain_schema
from snakestudio.model.recording import Schema
from snakestudio.model.scene import Scene

ENERGY = (
    "kinetic",
    "potential",
    "work_actuator",
    "work_friction",
    "work_gravity",
    "work_obstacle",
    "work_stop",
    "work_external",
)
"""Columns of the energy ledger, J. The change of "kinetic" is the sum of all works, that of
"potential" is minus the work of gravity."""


def make_schema(scene: Scene) -> Schema:
    """Return the schema of `scene`."""
    return chain_schema(scene, ENERGY)
