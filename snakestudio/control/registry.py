"""Which controller a scene asks for; a controller is imported only when one is made."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

from snakestudio.control.base import Controller
from snakestudio.errors import Problem, SceneError
from snakestudio.model.robot.pose import initial_joint_angles
from snakestudio.model.scene import Scene

__all__ = ["check", "create"]

_CLASSES = {
    "none": "set_points:SetPoints",
    "heading": "controllers.heading:HeadingController",
    "path_following": "controllers.path_following:PathFollower",
    "leader_follower": "controllers.leader_follower:LeaderFollower",
    "strain_follower": "controllers.strain_follower:StrainFollower",
    "teleoperation": "controllers.teleoperation:Teleoperation",
}
_CHECKS = {
    "heading": "steering_check:check",
    "path_following": "steering_check:check",
    "leader_follower": "controllers.leader_follower_check:check",
    "strain_follower": "controllers.strain_follower_check:check",
    "teleoperation": "controllers.teleoperation_check:check",
}

_TORQUES = "gaits.joint_torques:JointTorques"
_TORQUES_CHECK = "gaits.joint_torques:check"

_CONTINUUM = "strain_source:StrainSource"
_CONTINUUM_CHECK = "strain_check:check"


def _load(where: str) -> Any:
    module, _, name = where.partition(":")
    return getattr(import_module(f"snakestudio.control.{module}"), name)


def check(scene: Scene) -> list[Problem]:
    """What is wrong or doubtful in `scene` for its controller."""
    torques: list[Problem] = _load(_TORQUES_CHECK)(scene) if scene.gives_torques else []
    if any(problem.severity == "error" for problem in torques):
        return torques
    if scene.robot.n_links == 1 and not scene.model.continuum and scene.controller.kind != "none":
        message = f'a single link has no joints for "{scene.controller.kind}" to move'
        return [Problem("error", "controller.kind", message, 'make it "none", or give robot.n_links more')]
    where = _CONTINUUM_CHECK if scene.model.continuum else _CHECKS.get(scene.controller.kind)
    if where is None:
        return []
    examine: Callable[[Scene], list[Problem]] = _load(where)
    return examine(scene)


def create(scene: Scene, base_dir: Path | None = None, *, checked: bool = False) -> Controller:
    """The controller of `scene`, at the start of a run; relative paths in the scene are relative to `base_dir`.

    `checked` says that `check` has just found no error in it.

    Raises
    ------
    SceneError
        If the scene asks for what its controller cannot do, or the start depends on a file that cannot be used.
    """
    errors = [] if checked else [problem for problem in check(scene) if problem.severity == "error"]
    if errors:
        raise SceneError("\n".join(problem.sentence() for problem in errors), errors)
    if scene.model.continuum:  # it has no joints that a controller could lead
        source: Controller = _load(_CONTINUUM)(scene)
        return source
    where = _TORQUES if scene.gives_torques else _CLASSES[scene.controller.kind]
    controller: Controller = _load(where)(scene, initial_joint_angles(scene, base_dir))
    return controller
