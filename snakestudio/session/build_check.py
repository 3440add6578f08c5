"""Warnings about a scene that do not depend on its controller: obstacles and paths without effect."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np

from snakestudio._arrays import FloatArray
from snakestudio.errors import Fix, Problem, SnakeStudioError
from snakestudio.kinds.reads import unused_reason
from snakestudio.model.obstacles.outlines import PlanBoxes, gap, plan_boxes, solid_outline
from snakestudio.model.obstacles.shape import obstacle_solids, shape_of
from snakestudio.model.robot.pose import initial_state
from snakestudio.model.scene import Scene
from snakestudio.text import counted

_MAX_TORQUE = "actuator.max_torque_nm"


def check(scene: Scene, base_dir: Path | None = None) -> list[Problem]:
    """Return warnings about obstacles and path; relative paths in the scene are relative to `base_dir`."""
    if not scene.body.meets_obstacles:
        return []
    if not scene.obstacles:
        return _unfollowed(scene)
    try:
        pose, twist = initial_state(scene, base_dir)
    except SnakeStudioError:
        return []  # the check of the formulation reports it
    boxes = plan_boxes(scene.obstacles)
    away = _distance(scene, boxes, pose)
    return [
        *_unfollowed(scene),
        *_hidden(scene),
        *_too_far(scene, away, twist),
        *_within_play(scene, away, pose),
    ]


def hints(scene: Scene, base_dir: Path | None = None) -> list[Problem]:
    """Return hints about values that runs do not need but comparisons with a real robot do."""
    if not scene.body.meets_obstacles or not scene.obstacles:
        return []
    unlimited = ~np.isfinite(scene.axis_values.max_torque)
    if not unlimited.any() or unused_reason(scene, _MAX_TORQUE):
        return []
    try:
        pose, twist = initial_state(scene, base_dir)
    except SnakeStudioError:
        return []  # the check of the formulation reports it
    reach = math.inf if np.any(twist != 0.0) else greatest_way(scene)
    near = np.flatnonzero(_distance(scene, plan_boxes(scene.obstacles), pose) <= reach)
    if not len(near):
        return []
    motors = (
        "the motors"
        if unlimited.all()
        else f"{unlimited.sum()} of {counted(len(unlimited), 'motor')}"
    )
    what = f"obstacle {near[0] + 1}" if len(near) == 1 else f"{len(near)} obstacles"
    return [
        Problem(
            "hint",
            _MAX_TORQUE,
            f"is not set, so {motors} can push with any torque against {what}",
            "set it to the limit of the motors",
        )
    ]


def _unfollowed(scene: Scene) -> list[Problem]:
    """Return the warning about a path that no controller follows; for operators it is a visible guide."""
    if not scene.path or "path" in scene.controller.uses:
        return []
    return [
        Problem(
            "warning",
            "path",
            "no controller follows the path, so it has no effect on the robot",
            'set controller.kind to "path_following", or remove it',
        )
    ]


def _distance(scene: Scene, boxes: PlanBoxes, pose: FloatArray) -> FloatArray:
    """Return the distances of the boxes of obstacles from the box around the robot, (n,), m; 0 for overlap."""
    reach = scene.body.reach
    low = pose[:, :2].min(axis=0) - reach
    high = pose[:, :2].max(axis=0) + reach
    gaps = np.maximum(np.maximum(boxes.low - high, low - boxes.high), 0.0)
    return np.asarray(np.hypot(gaps[:, 0], gaps[:, 1]))


def greatest_way(scene: Scene) -> float:
    """Return the largest possible distance of a robot in a run, m; infinite if unknown.

    A body that follows its wave without sliding moves at the speed of the wave along the body; a
    sliding body is slower. An initial velocity or a slope can add to it.
    """
    gait = scene.gait
    ground = scene.ground
    if not (scene.controller.uses_gait and gait.of_waves) or ground.slope_deg != 0.0:
        return math.inf
    speed = 0.0
    waves = scene.waves
    for wave in (waves.yaw, waves.pitch):
        if wave.amplitude == 0.0 or wave.omega == 0.0:
            continue
        if wave.phase_shift == 0.0:
            return math.inf  # all joints are in phase, so there is no wave speed
        speed = max(speed, abs(wave.omega / wave.phase_shift) * scene.robot.link_length_m)
    return speed * scene.run.duration_s


def _too_far(scene: Scene, away: FloatArray, twist: FloatArray) -> list[Problem]:
    """Return the warning about obstacles that the robot cannot reach during the run."""
    if np.any(twist != 0.0):
        return []
    reach = greatest_way(scene)
    far = np.flatnonzero(away > reach)
    if not len(far) or not math.isfinite(reach):
        return []
    what = f"obstacle {far[0] + 1} is" if len(far) == 1 else f"{len(far)} obstacles are"
    message = (
        f"{what} {away[far].min():.3g} m or more from the robot, which can move at most {reach:.2g} m in "
        f"{scene.run.duration_s:g} s"
    )
    seconds = math.ceil(float(away[far].min()) / reach * scene.run.duration_s) if reach > 0.0 else 0
    fixes = (
        (Fix(f"Run for {seconds} s", (("run.duration_s", float(seconds)),)),)
        if 0 < seconds <= 3600
        else ()
    )
    return [
        Problem(
            "hint",
            f"obstacles[{far[0] + 1}]",
            message,
            "move it closer, or increase the duration",
            obstacles=tuple(far.tolist()),
            fixes=fixes,
        )
    ]


def _within_play(scene: Scene, away: FloatArray, pose: FloatArray) -> list[Problem]:
    """Return the warnings about obstacles that are closer to a link than its end can move by backlash."""
    play = math.radians(scene.actuator.free_play_deg)
    if play == 0.0 or not scene.model.spatial:
        return []
    slack = play * max(link.length for link in scene.robot.links)
    links = scene.body.outlines(pose)
    touching = []
    for j in np.flatnonzero(away <= slack).tolist():
        if not shape_of(scene.obstacles[j]).terrain:  # a robot rests on terrain
            outlines = [solid_outline(solid) for solid in obstacle_solids(scene.obstacles[j])]
            gaps = [gap(link, outline).distance for link in links for outline in outlines]
            nearest = int(np.argmin(gaps))
            if 0.0 < gaps[nearest] < slack:
                touching.append((gaps[nearest], j, nearest // len(outlines)))
    if not touching:
        return []
    least, j, link = min(touching)
    return [
        Problem(
            "hint",
            f"obstacles[{j + 1}]",
            f"obstacle {j + 1} is {1e3 * least:.2g} mm from link {link + 1}, and the play of the joints "
            f"({scene.actuator.free_play_deg:g}°) lets its end move by {1e3 * slack:.2g} mm",
            "the robot can touch it before it moves; increase the distance if that is not intended",
            obstacles=tuple(sorted(i for _, i, _ in touching)),
            links=(link,),
        )
    ]


def _hidden(scene: Scene) -> list[Problem]:
    """Return the warning about hidden obstacles, which still collide."""
    hidden = [j for j, obstacle in enumerate(scene.obstacles) if obstacle.hidden]
    if not hidden:
        return []
    what = f"obstacle {hidden[0] + 1} is" if len(hidden) == 1 else f"{len(hidden)} obstacles are"
    label = "Show them" if len(hidden) > 1 else "Show it"
    show = Fix(label, tuple((f"obstacles[{j + 1}].hidden", False) for j in hidden))
    return [
        Problem(
            "hint",
            f"obstacles[{hidden[0] + 1}].hidden",
            f"{what} hidden, but still collides",
            "show or delete hidden obstacles that are not intended",
            obstacles=tuple(hidden),
            fixes=(show,),
        )
    ]
