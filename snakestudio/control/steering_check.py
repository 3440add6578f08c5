"""What is wrong or doubtful in a scene whose robot is steered by an offset of its gait."""

from __future__ import annotations

from snakestudio.control.steering import SteeringFields
from snakestudio.errors import Problem
from snakestudio.model.motion import LateralUndulation
from snakestudio.model.scene import Scene

__all__ = ["check"]


def _doubt(key: str, message: str, remedy: str) -> Problem:
    return Problem("warning", key, message, remedy)


def _gait(scene: Scene) -> list[Problem]:
    """Whether the gait moves the robot at all."""
    gait = scene.gait
    reasons = {
        "amplitude_deg": "the gait has no amplitude",
        "frequency_deg_s": "the gait stands still",
        "phase_shift_deg": "the wave does not travel along the body",
    }
    return [
        _doubt(f"gait.{name}", f"{reason}, so the robot cannot be steered", "give another value than 0")
        for name, reason in reasons.items()
        if getattr(gait, name, None) == 0.0
    ]


def _offset(scene: Scene, law: SteeringFields) -> list[Problem]:
    """Whether the offset can do something, and does not do too much."""
    problems = [
        _doubt(f"controller.{name}", "the offset stays 0, so the robot is not steered", "give more than 0")
        for name in ("gain", "offset_limit_deg")
        if getattr(law, name) == 0.0
    ]
    limit, gait = scene.robot.joint_limit_deg, scene.gait
    if not isinstance(gait, LateralUndulation):
        return problems
    reach = abs(gait.amplitude_deg) + abs(gait.offset_deg)
    if limit is not None and reach <= limit < reach + law.offset_limit_deg - 1e-9:
        message = (
            f"the gait reaches {reach:g}° and the offset adds up to {law.offset_limit_deg:g}°, "
            f"but the joints stop at {limit:g}°"
        )
        problems.append(_doubt("controller.offset_limit_deg", message, f"give at most {limit - reach:g}"))
    return problems


def check(scene: Scene) -> list[Problem]:
    """What is wrong or doubtful in `scene`, whose controller steers a gait."""
    law = scene.controller
    assert isinstance(law, SteeringFields)
    return _gait(scene) + _offset(scene, law)
