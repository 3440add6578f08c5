"""Columns of the rows of this model, derived from a Scene (without compiled code)."""

from __future__ import annotations

from snakestudio.engines.chain_schema import (
    CONTACT_ENERGY,
    chain_schema,
    spring_energy,
)
from snakestudio.model.recording import Schema
from snakestudio.model.scene import Scene

ENERGY = (
    *CONTACT_ENERGY,
    "work_projection",
)
"""Columns of the energy ledger, J. The change of "kinetic" is the sum of all works but the last;
that of "potential" is minus "work_gravity" minus "work_projection", the work of gravity while
joints are closed by moving links (P2, VI-C), minus "work_spring"."""


def make_schema(scene: Scene) -> Schema:
    """Return the schema of `scene`."""
    return chain_schema(scene, (*ENERGY, *spring_energy(scene)))
