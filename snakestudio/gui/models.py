"""The formulations of the dynamics as the window names them, and which scene values each of them has no use for."""

from __future__ import annotations

from dataclasses import dataclass

from snakestudio.gui.controllers import unused_by_controller
from snakestudio.model.scene import Scene
from snakestudio.session.preparation_words import ENGINE_NAMES

__all__ = ["MODELS", "ModelInfo", "belongs_elsewhere", "is_planar", "unused_reason"]


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
        ENGINE_NAMES["planar_nonsmooth"],
        "Links flat on the ground among vertical cylinders; the fastest.",
        planar=True,
    ),
    "spatial_nonsmooth": ModelInfo(
        "Spatial, non-smooth (P1)",
        ENGINE_NAMES["spatial_nonsmooth"],
        "Links in space, two axes in every joint: lifting, rolling, stairs and uneven ground.",
        planar=False,
    ),
    "planar_lagrangian": ModelInfo(
        "Planar, Lagrangian (P4)",
        ENGINE_NAMES["planar_lagrangian"],
        "Links flat on open ground with viscous or smoothed Coulomb friction; joints that do exactly as they are told.",
        planar=True,
    ),
    "planar_nonholonomic": ModelInfo(
        "Planar, nonholonomic (P3)",
        ENGINE_NAMES["planar_nonholonomic"],
        "Links flat on the ground that cannot move sideways into what they touch: made for designing controllers.",
        planar=True,
    ),
    "continuum_beam": ModelInfo(
        "Continuum (P5)",
        ENGINE_NAMES["continuum_beam"],
        "A body without joints that is told its strains: worm, inchworm, snake, with forces and torques inside.",
        planar=False,
    ),
}
"""By `scene.model.kind`."""

_SPATIAL, _LAGRANGIAN, _NONHOLONOMIC = "spatial_nonsmooth", "planar_lagrangian", "planar_nonholonomic"
_CONTINUUM = "continuum_beam"
_SMOOTH = (_LAGRANGIAN, _NONHOLONOMIC)
_NONSMOOTH = ("planar_nonsmooth", _SPATIAL)

_READ_BY = {
    **dict.fromkeys(
        (
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
        ),
        (_SPATIAL,),
    ),
    **dict.fromkeys(
        ("ground.viscous_along_ns_per_m", "ground.viscous_across_ns_per_m", "ground.coulomb_smoothing_m_s"), _SMOOTH
    ),
    **dict.fromkeys(
        (
            "joint_controller.law",
            "joint_controller.linearization_kp_per_s2",
            "joint_controller.linearization_kd_per_s",
        ),
        (_LAGRANGIAN,),
    ),
    **dict.fromkeys(
        (
            "ground.coulomb_smoothing_rad_s",
            "ground.obstacle_damping_ns_per_m",
            "robot.joint_limit_stiffness_nm_per_rad",
            "solver.error_tolerance",
        ),
        (_NONHOLONOMIC,),
    ),
    **dict.fromkeys(("robot.contact_half_length_m", "robot.joint_limit_deg"), (*_NONSMOOTH, _NONHOLONOMIC)),
    **dict.fromkeys(("solver.tolerance", "solver.max_iterations"), _NONSMOOTH),
}
"""Formulations that read a scene value; what is not here is read by all."""

_WHERE = {
    (_SPATIAL,): "only in the spatial model",
    (_LAGRANGIAN,): "only in the Lagrangian model",
    (_NONHOLONOMIC,): "only in the nonholonomic model",
    _SMOOTH: "only in models with smooth friction",
    _NONSMOOTH: "only in non-smooth models",
    (*_NONSMOOTH, _NONHOLONOMIC): "not in the Lagrangian model",
}

_OF_CONTINUUM = ("beam", "strain", "support")
"""Parts of the scene that say something of a continuous body only."""

_READ_BY_CONTINUUM = frozenset(
    {
        "ground.gravity_m_s2",
        "ground.slope_deg",
        "ground.downhill_deg",
        "solver.step_s",
        "solver.error_tolerance",
        "control.period_s",
    }
)
_CONTINUUM_FRICTION = frozenset({"ground.mu_along", "ground.mu_across", "ground.coulomb_smoothing_m_s"})
_OF_LINKS = ("robot", "gait", "joint_controller", "actuator", "controller", "obstacles", "path")
_OF_BOTH = ("ground", "solver", "control")
"""Parts of which a continuous body reads only some values; the rest (run, start, texts) holds for every model."""

_PD_GAINS = frozenset({"joint_controller.kp_nm_per_rad", "joint_controller.kd_nms_per_rad"})
_LINEARIZED_GAINS = frozenset({"joint_controller.linearization_kp_per_s2", "joint_controller.linearization_kd_per_s"})


def is_planar(scene: Scene) -> bool:
    """Whether the scene's formulation keeps the links flat on the ground."""
    return MODELS[scene.model.kind].planar


def belongs_elsewhere(scene: Scene, key: str) -> bool:
    """Whether the value at `key` has no place beside the scene's model.

    That is a speciality of a smooth formulation that is not the scene's, and whatever a continuous body does not read.
    """
    if scene.model.continuum:
        return bool(unused_reason(scene, key))
    readers = _READ_BY.get(key, ())
    return bool(readers) and set(readers) <= set(_SMOOTH) and scene.model.kind not in readers


def unused_reason(scene: Scene, key: str) -> str:
    """Why the value at `key` has no effect in the scene as it stands, in a few words; "" if it has one."""
    part = key.partition(".")[0].partition("[")[0]
    if scene.model.continuum:
        return _unused_by_continuum(scene, key, part)
    if part in _OF_CONTINUUM and not (
        scene.controller.kind == "strain_follower" and (part == "strain" or key == "beam.length_m")
    ):
        return "only in the continuum model"
    readers = _READ_BY.get(key)
    if readers is not None and scene.model.kind not in readers:
        return _WHERE[readers]
    if is_planar(scene) and key.startswith("gait.pitch_"):
        return _WHERE[(_SPATIAL,)]
    linearized = scene.joint_controller.law == "feedback_linearization"
    if scene.model.kind == _LAGRANGIAN and key in _PD_GAINS and linearized:
        return "only under PD control"
    if key in _LINEARIZED_GAINS and not linearized:
        return "only under feedback linearization"
    return unused_by_controller(scene, key)


def _unused_by_continuum(scene: Scene, key: str, part: str) -> str:
    if key in _CONTINUUM_FRICTION:
        return "" if scene.support.kind == "friction" else "only where friction moves the body"
    read = key in _READ_BY_CONTINUUM or part not in (*_OF_LINKS, *_OF_BOTH)
    return "" if read else "not in the continuum model"
