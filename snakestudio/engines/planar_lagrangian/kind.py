"""Declaration of this formulation, without compiled code."""

from __future__ import annotations

from typing import Literal

from snakestudio.kinds.formulation import FormulationKind
from snakestudio.kinds.reads import LINKS
from snakestudio.model.fields import value
from snakestudio.model.formulations import ModelFields


class PlanarLagrangian(ModelFields):
    """Values of `[model]` in a scene; this formulation has only the common ones."""

    kind: Literal["planar_lagrangian"] = value(
        "planar_lagrangian", label="Model", help="Formulation of the dynamics: paper P4"
    )


READS = LINKS | {
    "ground.viscous_along_ns_per_m",
    "ground.viscous_across_ns_per_m",
    "ground.coulomb_smoothing_m_s",
    "ground.coulomb_law",
    "ground.law",
    "ground.mu_backward",
    "ground.load_factor",
    "ground.friction_factor",
    "ground.patch",
    "ground.picture",
    "actuator.rotor_inertia_kg_m2",
    "robot.link",
    "robot.joint",
    "robot.joints",
    "robot.wheels",
    "robot.joint_limit_stiffness_nm_per_rad",
    "joint_controller.law",
    "joint_controller.linearization_kp_per_s2",
    "joint_controller.linearization_kd_per_s",
}

KIND = FormulationKind(
    fields=PlanarLagrangian,
    title="Planar, Lagrangian (P4)",
    help="Links flat on open ground with viscous or smoothed Coulomb friction; joints can follow commands exactly.",
    short="Lagrangian",
    name="Lagrangian",
    place=2,
    reads=READS,
    folder=__package__,
    works_outside_balance=("work_friction_viscous", "work_friction_coulomb"),
    engine="engine:PlanarLagrangianEngine",
    parts=46,
    friction_laws=("components", "ellipse", "unit_velocity"),
    alone=True,
    states={"planar_lagrangian.state": "state:State"},
    formerly={"engines.planar_lagrangian.state:State": "state:State"},
)
