"""Declaration of this formulation, without compiled code."""

from __future__ import annotations

from typing import Literal

from snakestudio.engines.continuum_beam.schema import CHANNELS
from snakestudio.kinds.formulation import FormulationKind
from snakestudio.kinds.reads import EVERY_MODEL
from snakestudio.model.body import ContinuousBody
from snakestudio.model.fields import value
from snakestudio.model.formulations import ModelFields


class ContinuumBeam(ModelFields):
    """Values of `[model]` in a scene; this formulation has only the common ones."""

    body = ContinuousBody

    kind: Literal["continuum_beam"] = value(
        "continuum_beam", label="Model", help="Formulation of the dynamics: paper P5"
    )


READS = EVERY_MODEL | {
    "beam.*",
    "strain.*",
    "support.*",
    "robot.n_links",
    "ground.mu_along",
    "ground.mu_across",
    "ground.coulomb_smoothing_m_s",
    "ground.law",
    "ground.mu_backward",
    "ground.load_factor",
    "ground.friction_factor",
    "ground.patch",
    "ground.picture",
    "ground.gravity_m_s2",
    "ground.slope_deg",
    "ground.downhill_deg",
    "solver.error_tolerance",
    *(
        f"start.{name}"
        for name in (
            "kind",
            "link",
            "x_m",
            "y_m",
            "z_m",
            "heading_deg",
            "pitch_deg",
            "roll_deg",
            "vx_m_s",
            "vy_m_s",
            "vz_m_s",
            "omega_deg_s",
        )
    ),
}

KIND = FormulationKind(
    fields=ContinuumBeam,
    title="Continuum (P5)",
    help="A continuous body with prescribed strains (worm, inchworm, snake), with its internal forces and torques.",
    short="continuum",
    name="continuum",
    place=4,
    reads=READS,
    folder=__package__,
    works_outside_balance=(),
    engine="engine:ContinuumBeamEngine",
    parts=103,
    friction_laws=("components", "ellipse", "unit_velocity"),
    friction_arrows=True,
    channels=CHANNELS,
    states={"continuum_beam.state": "state:State"},
    formerly={"engines.continuum_beam.state:State": "state:State"},
)
