"""Checks of a scene shared by several formulations, in numpy only (without compiled code)."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable

import numpy as np

from snakestudio._arrays import FloatArray
from snakestudio.errors import Fix, Problem, SceneError
from snakestudio.kinds.formulation import FORMULATIONS
from snakestudio.model.robot.axis_values import with_rotors
from snakestudio.model.robot.joint_axes import entries, joints
from snakestudio.model.robot.overrides import selected
from snakestudio.model.robot.robot import Axis, Robot
from snakestudio.model.scene import Scene
from snakestudio.model.world import STANDARD_GRAVITY

TOLERATED = 1e-3
"""Overlap with an obstacle, or gap in a joint, up to which a start is accepted, m."""


_GRAVITY = Fix(
    "Gravity 9.81 m/s² on level ground",
    (("ground.gravity_m_s2", STANDARD_GRAVITY), ("ground.slope_deg", 0.0)),
)

MAX_FIXED_OBSTACLES = 4
"""Largest number of obstacles around the robot for which fixes are searched, because each search is slow."""

SPATIAL = Fix(
    "Use the spatial model",
    (
        (
            "model.kind",
            next(kind for kind, declared in FORMULATIONS.items() if declared.fields.spatial),
        ),
    ),
)
"""Fix for scenes that no planar model supports."""


def unusable_file(error: SceneError) -> Problem:
    """Return the problem of a start that depends on an unusable file."""
    key, _, message = str(error).partition(": ")
    what, _, remedy = message.rpartition("; ")
    return Problem("error", key, what or message.rstrip("."), remedy.rstrip(".") if what else "")


def joint_gaps(front: FloatArray, rear: FloatArray) -> list[Problem]:
    """Return the problem of open joints in an explicit start pose.

    Parameters
    ----------
    front, rear : (n-1, 2 or 3)
        Positions of each joint relative to the links before and behind it, m.
    """
    gap = np.linalg.norm(rear - front, axis=1)
    if not len(gap) or not gap.max() > TOLERATED:
        return []
    worst = int(gap.argmax())
    return [
        Problem(
            "error",
            "start",
            f"joint {worst + 1} has a gap of {1e3 * gap[worst]:.3g} mm",
            "set positions that match robot.link_length_m, or start from link angles",
            links=(worst, worst + 1),
        )
    ]


def inside_obstacle(
    scene: Scene,
    obstacle: int,
    links: Iterable[int],
    depth: float,
    clear: Callable[[FloatArray], bool] | None,
) -> Problem:
    """Return the problem of links that start inside an obstacle.

    Parameters
    ----------
    obstacle : int
        0-based index.
    links : iterable of int
        0-based indices, the deepest link first.
    depth : float
        Penetration of the deepest link, m.
    clear : callable or None
        Returns whether all links are outside if the obstacle moves by (dx, dy), m; None to
        suggest no fix.

    """
    deepest, *others = links
    name = scene.obstacles[obstacle].name
    called = f" ({name})" if name else ""
    return Problem(
        "error",
        f"obstacles[{obstacle + 1}]",
        f"link {deepest + 1} starts {1e3 * depth:.3g} mm deep inside obstacle {obstacle + 1}{called}",
        "move the obstacle or the start",
        obstacles=(obstacle,),
        links=(deepest, *others),
        fixes=_moved_out(scene, obstacle, clear) if clear is not None else (),
    )


def _moved_out(scene: Scene, obstacle: int, clear: Callable[[FloatArray], bool]) -> tuple[Fix, ...]:
    """Return the shortest move in eight directions and whole millimetres that separates obstacle and robot."""
    o = scene.obstacles[obstacle]
    if o.locked:
        return ()
    angles = np.arange(8) * (math.pi / 4.0)
    best: tuple[float, FloatArray] | None = None
    for direction in np.column_stack([np.cos(angles), np.sin(angles)]):
        step = 0.004
        while step < 1.0 and not clear(step * direction):
            step *= 2.0
        low = 0.5 * step
        if step >= 1.0 or (best is not None and low >= best[0]):
            continue
        for _ in range(5):
            middle = 0.5 * (low + step)
            low, step = (low, middle) if clear(middle * direction) else (middle, step)
        if best is None or step < best[0]:
            best = (step, (step + 0.002) * direction)
    if best is None:
        return ()
    x, y = round(o.x_m + float(best[1][0]), 3), round(o.y_m + float(best[1][1]), 3)
    key = f"obstacles[{obstacle + 1}]"
    away = math.hypot(x - o.x_m, y - o.y_m)
    return (Fix(f"Move it {1e3 * away:.0f} mm away", ((f"{key}.x_m", x), (f"{key}.y_m", y))),)


def joint_limits(scene: Scene, angles: FloatArray) -> list[Problem]:
    """Return problems of joint limits that gait or start exceed; `angles` (m,) are those of the start, rad."""
    axes = scene.body.axes
    values = scene.axis_values
    if not len(angles):
        return []
    problems = []
    lower, upper = np.degrees(values.lower), np.degrees(values.upper)
    waves = scene.waves
    factors = np.abs(np.array(waves.envelope or (1.0,) * scene.robot.n_joints))
    for (kind, wave), (amplitude, offset) in zip(waves.of_kinds, scene.gait.wave_keys, strict=True):
        here = entries(axes, kind)
        if not scene.controller.uses_gait or not len(here):
            continue
        swing = math.degrees(abs(wave.amplitude)) * factors[joints(axes, kind)]
        middle = math.degrees(wave.offset)
        beyond = _beyond(middle + swing, upper[here], middle - swing, lower[here])
        if beyond is None:
            continue
        worst, limit = beyond
        reach = float(swing[worst]) + abs(middle)
        who, remedy = _limit_of(scene, axes[int(here[worst])])
        problems.append(
            Problem(
                "error",
                amplitude,
                f"amplitude and offset reach {reach:g}° but {who} {_displayed(who, limit):g}°",
                f"reduce {amplitude} or {offset}, or {remedy}",
                fixes=_limit_fixes(scene, amplitude, reach, float(swing[worst]), limit),
            )
        )
    degrees = np.degrees(angles)
    beyond = _beyond(degrees, upper, degrees, lower)
    if beyond is not None:
        worst, limit = beyond
        axis = axes[worst]
        key = (
            "start.joint_angles_deg"
            if "joint_angles_deg" in type(scene.start).model_fields
            else "start"
        )
        who, remedy = _limit_of(scene, axis)
        own = who != _COMMON_LIMIT
        stops = "its limit is" if own else who
        starts = f"{degrees[worst]:.4g}°" if own else f"{abs(degrees[worst]):.4g}°"
        problems.append(
            Problem(
                "error",
                key,
                f"joint {axis.joint + 1} starts at {starts} but {stops} {_displayed(who, limit):g}°",
                f"start with {'another angle' if own else 'smaller joint angles'}, or {remedy}",
                links=(axis.joint, axis.joint + 1),
            )
        )
    return problems


_COMMON_LIMIT = "the joint limit is"


def _displayed(who: str, limit: float) -> float:
    """Return a limit as displayed: a common limit of all joints applies to both sides."""
    return abs(limit) if who == _COMMON_LIMIT else limit


def _beyond(
    high: FloatArray, upper: FloatArray, low: FloatArray, lower: FloatArray
) -> tuple[int, float] | None:
    """Return the axis that exceeds a limit most, and the limit in degrees; None if no axis does."""
    over = high - upper
    under = lower - low
    farthest = np.maximum(over, under)
    worst = int(farthest.argmax())
    if not farthest[worst] > 1e-9:
        return None
    above = over[worst] >= under[worst]
    return worst, float(upper[worst] if above else lower[worst])


def _limit_of(scene: Scene, axis: Axis) -> tuple[str, str]:
    """Return the limit of an axis, as text before its value, and the remedy."""
    for number, override in reversed(list(enumerate(scene.robot.joint, start=1))):
        limits = override.lower_limit_deg is not None or override.upper_limit_deg is not None
        if limits and axis.joint in selected(override.index, scene.robot.n_joints):
            return (
                f"the limit of joint {axis.joint + 1} is",
                f"change the limits of robot.joint[{number}]",
            )
    return _COMMON_LIMIT, "increase robot.joint_limit_deg"


def _limit_fixes(
    scene: Scene, amplitude: str, reach: float, swing: float, limit: float
) -> tuple[Fix, ...]:
    """Return fixes: a smaller amplitude, if the offset allows one, or wider limits; degrees."""
    limit = abs(limit)
    gait = scene.gait
    present = float(getattr(gait, amplitude.partition(".")[2], 0.0))
    fitting = math.floor(10.0 * (limit - (reach - swing))) / 10.0
    farther = Fix(
        f"Increase the limit to {math.ceil(reach):g}°",
        (("robot.joint_limit_deg", float(math.ceil(reach))),),
    )
    others = () if scene.robot.joint else (farther,)
    if fitting <= 0.0:
        return others
    if amplitude.endswith("_rad"):
        smaller = math.copysign(
            math.floor(1000.0 * abs(present) * (limit - (reach - swing)) / swing) / 1000.0, present
        )
        return Fix(f"Reduce the amplitude to {smaller:g} rad", ((amplitude, smaller),)), *others
    smaller = math.copysign(fitting, present)
    return Fix(f"Reduce the amplitude to {smaller:g}°", ((amplitude, smaller),)), *others


def largest_stable_step(
    responses: Iterable[FloatArray], kp: FloatArray, kd: FloatArray, rotor: FloatArray | None = None
) -> float:
    """Return the step up to which explicit joint controllers are stable on a free chain, s.

    Linearized, the joints obey phi'' = -Q (K_P phi + K_D phi'), with the controllers evaluated at
    (q_M, u_A). In the midpoint scheme, a mode becomes unstable by reversing its rate in every step
    once the largest eigenvalue of S^1/2 Q S^1/2 with S = K_P dt^2 + 2 K_D dt exceeds 4.

    Parameters
    ----------
    responses : (m, m) arrays
        Q, joint accelerations due to unit joint torques without rotors, in several poses, 1/(kg m^2).
    kp, kd : (m,)
        Gains of each joint axis, N m/rad and N m s/rad.
    rotor : (m,), optional
        Rotor inertia of each axis, kg m^2, which is added to Q^-1.
    """
    stable = math.inf
    if not (kp.any() or kd.any()):
        return stable
    for free in responses:
        response = free if rotor is None else with_rotors(free, rotor)
        mode = float(np.linalg.eigvalsh(response)[-1])
        # An initial estimate with the largest gains on the stiffest mode is never too long.
        p, d = mode * kp.max(), mode * kd.max()
        step = 4.0 / (math.sqrt(d * d + 4.0 * p) + d)
        for _ in range(60):
            root = np.sqrt(kp * step * step + 2.0 * kd * step)
            largest = float(np.linalg.eigvalsh(root[:, None] * response * root)[-1])
            if largest > 4.0 * (1.0 - 1e-6) or step > stable:
                break
            # The eigenvalue grows at most with the square of the step: the estimate never becomes
            # too long.
            step *= math.sqrt(4.0 / largest)
        stable = min(stable, step)
    return stable


def long_step(scene: Scene, stable: float) -> list[Problem]:
    """Return the problem of a time step that is too long for the joint controllers."""
    if scene.solver.step_s <= stable:
        return []
    return [
        Problem(
            "warning",
            "solver.step_s",
            f"{scene.solver.step_s:g} s is too long for the joint controllers' gains: the joints will oscillate",
            f"set it to at most {stable:.3g} s, or reduce the gains",
            fixes=shorter_step(scene, stable),
        )
    ]


def shorter_step(scene: Scene, stable: float) -> tuple[Fix, ...]:
    """Return a fix with a shorter step that has some margin and divides the control period."""
    parts = math.ceil(scene.control.period_s / (0.9 * stable))
    if not 0 < parts < 1_000_000:
        return ()
    step = scene.control.period_s / parts
    return (Fix(f"Set the time step to {1e3 * step:.3g} ms", (("solver.step_s", step),)),)


def missing_friction(scene: Scene) -> list[Problem]:
    """Return problems of missing friction."""
    ground = scene.ground
    if ground.mu_along == 0.0 and ground.mu_across == 0.0:
        return [
            Problem(
                "hint",
                "ground.mu_along",
                "the ground has no friction at all",
                "increase it if this is not intended",
                fixes=(
                    Fix(
                        "Set friction to 0.2", (("ground.mu_along", 0.2), ("ground.mu_across", 0.2))
                    ),
                ),
            )
        ]
    if ground.gravity[2] == 0.0:
        return [
            Problem(
                "hint",
                "ground.gravity_m_s2",
                "no force presses the links on the ground, so there is no friction",
                "increase gravity or reduce the slope if this is not intended",
                fixes=(_GRAVITY,),
            )
        ]
    return []


def endless_soft_start(scene: Scene) -> list[Problem]:
    """Return the problem of joints that wait forever for a reference near 0."""
    limit = scene.control.soft_start_deg
    waves = scene.waves
    named = zip(
        (offset for _, offset in scene.gait.wave_keys), (waves.yaw, waves.pitch), strict=True
    )
    return [
        Problem(
            "warning",
            key,
            f"the wave never falls below the soft start of {limit:g}°, so these joints will not move",
            "reduce the offset, or increase control.soft_start_deg",
            fixes=(Fix("Disable the soft start", (("control.soft_start_deg", 0.0),)),),
        )
        for key, wave in list(named)[: 2 if scene.model.spatial else 1]
        if scene.controller.uses_gait
        and limit > 0.0
        and math.degrees(abs(wave.offset) - abs(wave.amplitude)) > limit
    ]


def joint_shape(robot: Robot) -> list[Problem]:
    """Return problems of joints that do not fit into their links."""
    for k, joint in enumerate(robot.joint_list):
        shorter = min(link.length for link in robot.links[k : k + 2])
        if (robot.link or robot.joint) and joint.axis_offset >= shorter:
            return [
                Problem(
                    "error",
                    "robot.joint" if robot.joint else "robot.axis_offset_m",
                    f"the axis offset of joint {k + 1}, {joint.axis_offset:g} m, is not less than the length of its"
                    f" shorter link, {shorter:g} m",
                    "reduce the offset or lengthen the link",
                    links=(k, k + 1),
                )
            ]
    if (
        robot.axis_offset_m < robot.link_length_m
        or robot.link
        or robot.joint
        or robot.joints != "cardan"
    ):
        return []
    return [
        Problem(
            "error",
            "robot.axis_offset_m",
            f"{robot.axis_offset_m:g} m is not less than robot.link_length_m = {robot.link_length_m:g} m",
            "reduce the offset or lengthen the links",
        )
    ]


def joint_control(scene: Scene, stable_step: Callable[[Scene], float]) -> list[Problem]:
    """Return problems of joint controllers with the time step (`stable_step`: the longest), and of motors."""
    if scene.solver.joints == "explicit" and not scene.gives_torques:
        return long_step(scene, stable_step(scene))
    lag = scene.actuator.time_constant_s
    if 0.0 < lag < scene.solver.step_s:
        return [
            Problem(
                "hint",
                "actuator.time_constant_s",
                f"{lag:g} s is shorter than the time step of {scene.solver.step_s:g} s, so the lag is not resolved",
                "reduce solver.step_s if the lag matters",
            )
        ]
    return []
