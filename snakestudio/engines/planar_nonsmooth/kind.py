"""Declaration of this formulation, without compiled code."""

from __future__ import annotations

from snakestudio.kinds.formulation import FormulationKind
from snakestudio.kinds.reads import LINKS
from snakestudio.model.formulations import PlanarNonsmooth

READS = LINKS | {
    "robot.link",
    "robot.joint",
    "robot.joints",
    "robot.wheels",
    "ground.law",
    "ground.mu_backward",
    "ground.load_factor",
    "ground.friction_factor",
    "ground.patch",
    "ground.picture",
    "robot.joint_limit_deg",
    "robot.axis_offset_m",
    "ground.stribeck_rise",
    "ground.stribeck_velocity_m_s",
    "obstacles.*",
    "actuator.free_play_deg",
    "actuator.max_torque_nm",
    "actuator.time_constant_s",
    "actuator.rotor_inertia_kg_m2",
    "solver.joints",
    "solver.tolerance",
    "solver.max_iterations",
}

KIND = FormulationKind(
    fields=PlanarNonsmooth,
    title="Planar, non-smooth (P2)",
    help="Links flat on the ground among vertical cylinders and boxes; the fastest model.",
    short="planar",
    name="planar non-smooth",
    place=0,
    reads=READS,
    folder=__package__,
    works_outside_balance=("work_projection",),
    numerical_works=("work_projection",),
    engine="engine:PlanarNonsmoothEngine",
    parts=89,
    friction_laws=("ellipse", "components", "unit_velocity"),
    contact_problems=True,
    friction_arrows=True,
    states={"planar_nonsmooth.state": "state:State"},
    formerly={"engines.planar_nonsmooth.state:State": "state:State"},
)
