"""Columns of the rows of this model, derived from a Scene (without compiled code)."""

from __future__ import annotations

from snakestudio.engines.chain_schema import chain_schema
from snakestudio.engines.smooth_joints import has_passive_joints, make_joints
from snakestudio.model.recording import Schema
from snakestudio.model.scene import Scene
from snakestudio.model.snapshot import Fields

ENERGY = (
    "kinetic",
    "potential",
    "work_actuator",
    "work_friction",
    "work_gravity",
    "work_external",
    "work_friction_viscous",
    "work_friction_coulomb",
)
"""Columns of the energy ledger, J. The change of "kinetic" is the sum of the works of actuators,
friction, gravity, external forces and `PASSIVE`, that of "potential" is minus the work of gravity;
the last two columns are the parts of "work_friction"."""

PASSIVE = "work_stop"
"""Additional column for robots with joint springs, dampers or stops: their work."""

VALID = Fields.ALL & ~Fields.SOLVER
"""There is no contact problem, so the solver fields are not valid."""


def make_schema(scene: Scene) -> Schema:
    """Return the schema of `scene`."""
    passive = has_passive_joints(make_joints(scene, stops=False))
    return chain_schema(scene, (*ENERGY, PASSIVE) if passive else ENERGY, VALID)
