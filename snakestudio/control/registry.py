"""Creates the controller of a scene; modules of controllers are imported on demand."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

from snakestudio.control.base import Controller, Steerable
from snakestudio.control.checked import checked_controller
from snakestudio.control.speed_limit import SpeedLimited, SteerableSpeedLimited
from snakestudio.control.speed_limit import check as check_speed
from snakestudio.errors import Problem, SceneError
from snakestudio.inputs import local_path
from snakestudio.kinds import plugin_kinds
from snakestudio.kinds.controller import CONTROLLERS
from snakestudio.kinds.gait import GAIT_KINDS
from snakestudio.model.robot.pose import initial_joint_angles
from snakestudio.model.scene import Scene
from snakestudio.plugins.guards import guarded

_STRAIN_SOURCE = "strain_source:StrainSource"
_STRAIN_CHECK = "strain_check:check"


def _load(where: str) -> Any:
    module, _, name = where.partition(":")
    return getattr(import_module(f"snakestudio.control.{module}"), name)


def _located(scene: Scene, base_dir: Path | None) -> Scene:
    """Return `scene` with absolute paths of the gait's files, because controllers know no base folder."""
    gait = scene.gait
    named = {name: getattr(gait, name) for name in gait.files if getattr(gait, name)}
    if not named:
        return scene
    paths = {name: str(local_path(file, base_dir).absolute()) for name, file in named.items()}
    return scene.model_copy(update={"gait": gait.model_copy(update=paths)})


def check(scene: Scene, base_dir: Path | None = None) -> list[Problem]:
    """Return the errors and warnings of `scene` for its controller; relative paths in it are relative to `base_dir`."""
    if not plugin_kinds.is_complete(scene):
        return plugin_kinds.problems(scene, base_dir)
    return _check(_located(scene, base_dir))


def _check(scene: Scene) -> list[Problem]:
    jointed = scene.body.jointed
    acts = scene.gives_torques or (scene.controller.uses_gait and jointed)
    problems = GAIT_KINDS[scene.gait.kind].check(scene) if acts else []
    if any(problem.severity == "error" for problem in problems):
        return problems
    if jointed and not scene.body.n_joints and scene.controller.acts:
        message = f'a robot with a single link has no joints for "{scene.controller.kind}" to move'
        return [
            Problem(
                "error", "controller.kind", message, 'set it to "none", or increase robot.n_links'
            )
        ]
    examine: Callable[[Scene], list[Problem]] = CONTROLLERS[scene.controller.kind].check
    if scene.body.strained:
        return [*problems, *_load(_STRAIN_CHECK)(scene)]
    return [*problems, *examine(scene), *check_speed(scene)]


def create(scene: Scene, base_dir: Path | None = None, *, checked: bool = False) -> Controller:
    """Create the controller of `scene` for the start of a run; relative paths are relative to `base_dir`.

    With `checked`, the caller has just run `check` without an error.

    Raises `SceneError` if the controller cannot do what the scene requires, or the start depends on a
    file that cannot be used.
    """
    errors = (
        []
        if checked
        else [problem for problem in check(scene, base_dir) if problem.severity == "error"]
    )
    if errors:
        raise SceneError.of(errors)
    if scene.body.strained:  # the strain law determines everything
        source: Controller = _load(_STRAIN_SOURCE)(scene)
        return source
    plugins = plugin_kinds.driving_plugins(scene)
    if not plugins:
        return _create_for_chain(scene, base_dir)
    # Values of a plug-in can also cause exceptions in code of the program.
    create_guarded = guarded(_create_for_chain, plugins[0].name, scene.controller.kind)
    return checked_controller(create_guarded(scene, base_dir), scene, plugins[0].name)


def _create_for_chain(scene: Scene, base_dir: Path | None) -> Controller:
    """Create the controller of a chain of links."""
    start = initial_joint_angles(scene, base_dir)
    give_torques = GAIT_KINDS[scene.gait.kind].torques
    if give_torques is not None:
        torques: Controller = give_torques(scene, start)
        return torques
    controller: Controller = CONTROLLERS[scene.controller.kind].make(
        _located(scene, base_dir), start
    )
    # Controllers that follow no gait do not use `SetPoints`, which limits speeds itself.
    limited = not scene.controller.uses_gait and bool(
        np.isfinite(scene.axis_values.max_speed).any()
    )
    if not limited:
        return controller
    return (SteerableSpeedLimited if isinstance(controller, Steerable) else SpeedLimited)(
        controller, scene
    )
