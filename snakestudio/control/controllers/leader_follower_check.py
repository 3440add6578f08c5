"""What is wrong or doubtful in a scene whose robot is led by its head."""

from __future__ import annotations

from snakestudio.errors import Problem
from snakestudio.model.controllers import LeaderFollower
from snakestudio.model.scene import Scene

__all__ = ["check"]


def check(scene: Scene) -> list[Problem]:
    """What is wrong or doubtful in `scene`, whose controller is a LeaderFollower."""
    settings, robot = scene.controller, scene.robot
    assert isinstance(settings, LeaderFollower)
    problems: list[Problem] = []

    def doubt(key: str, message: str, remedy: str) -> None:
        problems.append(Problem("warning", key, message, remedy))

    if robot.n_links < 3:
        doubt("robot.n_links", "no joint follows the head of a robot with two links", "give it more links")
    limit = robot.joint_limit_deg
    if limit is not None:
        for name, what in (("reference_limit_deg", "references go"), ("head_angle_deg", "the head shall turn")):
            asked = getattr(settings, name)
            if asked > limit:
                message = f"{what} to {asked:g}° but the joints stop at {limit:g}°"
                doubt(f"controller.{name}", message, f"give at most {limit:g}, or raise robot.joint_limit_deg")
    per_joint = robot.link_length_m / settings.speed_m_s
    delay = (robot.n_links - 2) * per_joint
    if delay > scene.run.duration_s:
        doubt(
            "controller.speed_m_s",
            f"a bend takes {delay:.3g} s from the head to the last joint, longer than the run of "
            f"{scene.run.duration_s:g} s: the rear joints only repeat the start pose",
            "raise it, or run.duration_s",
        )
    if scene.control.period_s > per_joint:
        doubt(
            "control.period_s",
            f"{scene.control.period_s:g} s is longer than the {per_joint:.3g} s a bend takes from joint to joint",
            "reduce it, or controller.speed_m_s",
        )
    if settings.head_reach_m > 0.5 * robot.length:
        doubt(
            "controller.head_reach_m",
            f"the head can hardly get {settings.head_reach_m:g} m away from the centre of mass of a robot of "
            f"{robot.length:.3g} m, so it will not turn to the other side",
            f"give at most {0.25 * robot.length:.2g}",
        )
    return problems
