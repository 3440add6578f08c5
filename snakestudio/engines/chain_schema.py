"""Columns of the rows of a chain of links, derived from a Scene (without compiled code)."""

from __future__ import annotations

from snakestudio.model.recording import Schema
from snakestudio.model.scene import Scene
from snakestudio.model.snapshot import Fields

CONTACT_ENERGY = (
    "kinetic",
    "potential",
    "work_actuator",
    "work_friction",
    "work_gravity",
    "work_obstacle",
    "work_joint",
    "work_stop",
    "work_external",
)
"""First columns of the energy ledgers of both non-smooth models, J."""

SPRING_ENERGY = ("work_spring", "work_damper")
"""Columns of these ledgers after those of the model for robots with springs or dampers in their joints, J. The
energy stored in the springs is part of "potential"."""

DRY_ENERGY = ("work_dry_friction",)
"""Last column of these ledgers for robots with dry friction or losses in their joints, J."""


def chain_schema(scene: Scene, energy: tuple[str, ...], valid: Fields = Fields.ALL) -> Schema:
    """Return the schema of a chain with the energy columns `energy`; the model fills the fields `valid`."""
    if scene.gives_torques:  # the gait has no reference angles
        valid &= ~Fields.REFERENCE
    return Schema(
        n_links=scene.robot.n_links,
        axes=scene.body.axes,
        energy=energy,
        valid=valid,
        head=scene.robot.head_index,
        head_last=scene.body.head_last,
        link_shares=scene.body.mass_shares,
    )


def spring_energy(scene: Scene) -> tuple[str, ...]:
    """Return the columns that springs and dampers add to the ledger of a non-smooth model."""
    values = scene.axis_values
    return SPRING_ENERGY if values.spring.any() or values.damper.any() else ()


def dry_energy(scene: Scene) -> tuple[str, ...]:
    """Return the columns that dry friction and losses of joints add to the ledger of a model that has them."""
    values = scene.axis_values
    return DRY_ENERGY if values.dry.any() or (values.efficiency < 1.0).any() else ()
