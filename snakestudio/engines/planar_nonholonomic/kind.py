"""Declaration of this formulation, without compiled code."""

from __future__ import annotations

from typing import Literal

from snakestudio.kinds.formulation import FormulationKind
from snakestudio.kinds.reads import LINKS
from snakestudio.model.fields import value
from snakestudio.model.formulations import ModelFields


class PlanarNonholonomic(ModelFields):
    """Values of `[model]` in a scene; this formulation has only the common ones."""

    kind: Literal["planar_nonholonomic"] = value(
        "planar_nonholonomic", label="Model", help="Formulation of the dynamics: paper P3"
    )


READS = LINKS | {
    "robot.link",
    "robot.joint",
    "robot.joints",
    "robot.wheels",
    "ground.law",
    "ground.mu_backward",
    "robot.joint_limit_deg",
    "robot.joint_limit_stiffness_nm_per_rad",
    "ground.viscous_along_ns_per_m",
    "ground.viscous_across_ns_per_m",
    "ground.coulomb_smoothing_m_s",
    "ground.coulomb_smoothing_rad_s",
    "ground.obstacle_damping_ns_per_m",
    "obstacles.*",
    "solver.error_tolerance",
}

KIND = FormulationKind(
    fields=PlanarNonholonomic,
    title="Planar, nonholonomic (P3)",
    help="Links flat on the ground that cannot move sideways into obstacles; suited to controller design.",
    short="nonholonomic",
    name="nonholonomic",
    place=3,
    reads=READS,
    folder=__package__,
    works_outside_balance=(),
    engine="engine:PlanarNonholonomicEngine",
    parts=62,
    friction_laws=("components",),
    alone=True,
    states={"planar_nonholonomic.state": "state:State"},
    formerly={"engines.planar_nonholonomic.state:State": "state:State"},
    from_format_1="state:from_format_1",
)
