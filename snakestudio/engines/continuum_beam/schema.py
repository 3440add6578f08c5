"""Columns of the rows of this model, derived from a Scene (without compiled code)."""

from __future__ import annotations

from snakestudio.model.recording import Schema
from snakestudio.model.robot.attachments import Attachments
from snakestudio.model.robot.strain_law import StrainLaw
from snakestudio.model.scene import Scene
from snakestudio.model.snapshot import Fields

ENERGY = (
    "kinetic",
    "potential",
    "work_actuator",
    "work_friction",
    "work_gravity",
    "work_support",
    "work_external",
)
"""Columns of the energy ledger, J. The change of "kinetic" is the sum of all works, that of
"potential" is minus the work of gravity. Supports and anchors at rest do no work."""

CHANNELS = (
    "resultant_fx_n",
    "resultant_fy_n",
    "resultant_fz_n",
    "resultant_mx_nm",
    "resultant_my_nm",
    "resultant_mz_nm",
    "axial_speed_mps",
    "slip_mps",
    "mismatch_n",
)
"""Additional columns of the model: F_c of P5 (35), in the head's frame; V_X of the head; speed of
cross-sections against their supports; part of F_c that the supports cannot carry (couples divided
by the body's length)."""

VALID = Fields.ALL & ~(Fields.JOINTS | Fields.REFERENCE)
"""A continuous body has no joints; its torques are internal couples."""


def make_schema(scene: Scene, n_holds: int | None = None) -> Schema:
    """Return the schema of `scene`; `n_holds` is the number of its anchors or supports, counted if omitted."""
    if n_holds is None:
        n_holds = Attachments(scene, StrainLaw(scene.strain, scene.beam)).count
    return Schema(
        n_links=scene.beam.sections,
        axes=(),
        energy=ENERGY,
        extra=CHANNELS,
        valid=VALID,
        sections=scene.beam.abscissas,
        n_holds=n_holds,
    )
