"""What the rows of a run of this model hold, as it follows from a Scene (nothing here is compiled)."""

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
"potential" minus the work of gravity. Supports and anchors that stand still do no work."""

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
"""What the model adds to a recording: F_c of P5 (35), in the head's frame; V_X of the head; how
fast a cross-section moves against what holds it; how much of F_c the supports cannot carry (couples
by the body's length)."""

VALID = Fields.ALL & ~(Fields.JOINTS | Fields.REFERENCE)
"""A continuous body has no joints; its torques are those inside it."""


def make_schema(scene: Scene, n_holds: int | None = None) -> Schema:
    """The schema of `scene`; `n_holds` is the number of its anchors or supports, counted if left out."""
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
