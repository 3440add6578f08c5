"""The controllers as the window names them, and which scene values each of them has no use for."""

from __future__ import annotations

from dataclasses import dataclass

from snakestudio.model.controllers import LeaderFollower, PathFollowing
from snakestudio.model.scene import Scene

__all__ = ["CONTROLLERS", "ControllerInfo", "unused_by_controller"]


@dataclass(frozen=True, slots=True)
class ControllerInfo:
    """How a controller is shown.

    Attributes
    ----------
    title : str
    help : str
        What it does, in a sentence.
    """

    title: str
    help: str


CONTROLLERS = {
    "none": ControllerInfo("None: the gait alone", "The joints follow the gait, whatever happens."),
    "heading": ControllerInfo("Heading", "A small offset of all joints turns the robot to a heading and holds it."),
    "path_following": ControllerInfo(
        "Path following",
        "The robot heads for a point of the path ahead, comes onto the path and stays on it.",
    ),
    "leader_follower": ControllerInfo(
        "Leader and followers (P3)",
        "The head winds from side to side and every joint repeats what the head did; jams are resolved.",
    ),
    "strain_follower": ControllerInfo(
        "Strain law (P5)",
        "The joints follow the scene's strain law, as if the links were pieces of its continuous body.",
    ),
    "teleoperation": ControllerInfo(
        "Teleoperation",
        "Keys or a gamepad say how fast the gait runs and how it bends, or which one it is; without them, a program.",
    ),
}
"""By `scene.controller.kind`."""

_JAMS_ONLY = frozenset(
    f"controller.{name}"
    for name in (
        "jam_time_s", "resolution_time_s", "jam_gain_rad_per_n", "force_noise_n", "force_threshold_n", "noise_seed",
    )
)  # fmt: skip
"""Values of the leader-follower controller that matter only for resolving jams."""

_START_SHAPE = frozenset({"gait.amplitude_deg", "gait.phase_shift_deg"})
"""Values of the gait that a start in its pose takes from it."""

_SET_POINTS = frozenset({"control.soft_start_deg", "control.set_point_period_s", "control.start_delay_s"})


def unused_by_controller(scene: Scene, key: str) -> str:
    """Why the value at `key` has no effect under the scene's controller, in a few words; "" if it has one."""
    law = scene.controller
    if not law.uses_gait and (key.startswith("gait.") or key in _SET_POINTS):
        return "" if key in _START_SHAPE and scene.start.kind == "gait" else "not under this controller"
    if isinstance(law, LeaderFollower) and key in _JAMS_ONLY and not law.jam_resolution:
        return "only with jam resolution"
    if isinstance(law, PathFollowing) and key == "controller.curve_gain" and scene.path.shape == "straight":
        return "only on smooth paths"
    return ""
