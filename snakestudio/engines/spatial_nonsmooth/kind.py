"""Declaration of this formulation, without compiled code."""

from __future__ import annotations

from typing import Literal

from snakestudio.kinds.formulation import FormulationKind
from snakestudio.kinds.reads import LINKS
from snakestudio.model.fields import value
from snakestudio.model.formulations import ModelFields


class SpatialNonsmooth(ModelFields):
    """Values of `[model]` in a scene; this formulation has only the common ones."""

    spatial = True

    kind: Literal["spatial_nonsmooth"] = value(
        "spatial_nonsmooth", label="Model", help="Formulation of the dynamics: paper P1"
    )


READS = LINKS | {
    "robot.joint_limit_deg",
    "robot.axial_inertia_kg_m2",
    "robot.axis_offset_m",
    "robot.joints",
    "robot.wheels",
    "robot.link",
    "robot.joint",
    "ground.law",
    "ground.mu_backward",
    "ground.mu_rolling",
    "ground.friction_factor",
    "ground.patch",
    "ground.picture",
    "ground.stribeck_rise",
    "ground.stribeck_velocity_m_s",
    "obstacles.*",
    "gait.*",
    "joint_controller.kp_pitch_nm_per_rad",
    "joint_controller.kd_pitch_nms_per_rad",
    "actuator.*",
    "start.*",
    "solver.joints",
    "solver.tolerance",
    "solver.max_iterations",
}

KIND = FormulationKind(
    fields=SpatialNonsmooth,
    title="Spatial, non-smooth (P1)",
    help="Links in space, any axes in the joints: lifting, rolling, stairs and uneven ground.",
    short="spatial",
    name="spatial",
    place=1,
    reads=READS,
    folder=__package__,
    works_outside_balance=("work_projection",),
    numerical_works=("work_gyroscopic", "work_projection"),
    engine="engine:SpatialNonsmoothEngine",
    parts=144,
    friction_laws=("ellipse",),
    contact_problems=True,
    states={"spatial_nonsmooth.state": "state:State"},
    formerly={"engines.spatial_nonsmooth.state:State": "state:State"},
)
