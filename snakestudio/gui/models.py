"""The formulations of the dynamics as the window names them, and which scene values each of them has no use for."""

from __future__ import annotations

from dataclasses import dataclass

from snakestudio.model.scene import Scene

__all__ = ["LAGRANGIAN_ONLY", "MODELS", "ModelInfo", "is_planar", "unused_reason"]


@dataclass(frozen=True, slots=True)
class ModelInfo:
    """How a formulation is shown.

    Attributes
    ----------
    title : str
    short : str
        For the bar at the top.
    help : str
        What it can do, in a sentence.
    planar : bool
        Whether its links stay flat on the ground.
    """

    title: str
    short: str
    help: str
    planar: bool


MODELS = {
    "planar_nonsmooth": ModelInfo(
        "Planar, non-smooth (P2)",
        "planar",
        "Links flat on the ground among vertical cylinders; the fastest.",
        planar=True,
    ),
    "spatial_nonsmooth": ModelInfo(
        "Spatial, non-smooth (P1)",
        "spatial",
        "Links in space, two axes in every joint: lifting, rolling, stairs and uneven ground.",
        planar=False,
    ),
    "planar_lagrangian": ModelInfo(
        "Planar, Lagrangian (P4)",
        "Lagrangian",
        "Links flat on open ground with viscous or smoothed Coulomb friction; joints that do exactly as they are told.",
        planar=True,
    ),
}
"""By `scene.model.kind`."""

_SPATIAL_ONLY = frozenset(
    {
        "robot.axial_inertia_kg_m2",
        "robot.axis_offset_m",
        "ground.mu_rolling",
        "ground.stribeck_rise",
        "ground.stribeck_velocity_m_s",
        "joint_controller.kp_pitch_nm_per_rad",
        "joint_controller.kd_pitch_nms_per_rad",
        "actuator.free_play_deg",
        "actuator.max_torque_nm",
        "actuator.time_constant_s",
        "solver.joints",
    }
)
"""Scene values that a planar formulation does not read."""

LAGRANGIAN_ONLY = frozenset(
    {
        "ground.viscous_along_ns_per_m",
        "ground.viscous_across_ns_per_m",
        "ground.coulomb_smoothing_m_s",
        "joint_controller.law",
        "joint_controller.linearization_kp_per_s2",
        "joint_controller.linearization_kd_per_s",
    }
)
"""Scene values that the Lagrangian formulation alone reads."""

_CONTACT_ONLY = frozenset(
    {"robot.contact_half_length_m", "robot.joint_limit_deg", "solver.tolerance", "solver.max_iterations"}
)
"""Scene values that a formulation without contacts does not read."""

_PD_GAINS = frozenset({"joint_controller.kp_nm_per_rad", "joint_controller.kd_nms_per_rad"})
_LINEARIZED_GAINS = frozenset({"joint_controller.linearization_kp_per_s2", "joint_controller.linearization_kd_per_s"})


def is_planar(scene: Scene) -> bool:
    """Whether the scene's formulation keeps the links flat on the ground."""
    return MODELS[scene.model.kind].planar


def unused_reason(scene: Scene, key: str) -> str:
    """Why the value at `key` has no effect in the scene as it stands, in a few words; "" if it has one."""
    if is_planar(scene) and (key in _SPATIAL_ONLY or key.startswith("gait.pitch_")):
        return "only in the spatial model"
    lagrangian = scene.model.kind == "planar_lagrangian"
    if key in LAGRANGIAN_ONLY and not lagrangian:
        return "only in the Lagrangian model"
    if key in _CONTACT_ONLY and lagrangian:
        return "not in the Lagrangian model"
    linearized = scene.joint_controller.law == "feedback_linearization"
    if lagrangian and key in _PD_GAINS and linearized:
        return "only under PD control"
    if key in _LINEARIZED_GAINS and not linearized:
        return "only under feedback linearization"
    return ""
