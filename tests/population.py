"""Random scenes that `check` accepts for the two set-valued models: the population for the tests of contact.

3 to 60 links, friction from 0 to 5 and up to a hundred times as much across as along, walls,
corridors, corners, wedges, stairs, pegs that touch the robot at the start, joint limits, stiff and
soft motors of both kinds, large and small steps, slopes up to 80 degrees. The scene of a number
never changes: `scene(number)`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

import numpy as np

from snakestudio.engines import registry
from snakestudio.errors import SnakeStudioError
from snakestudio.model.scene import Scene
from snakestudio.model.scene_file import scene_from_dict
from snakestudio.session.runner import Runner

__all__ = [
    "Outcome",
    "any_robot_tree",
    "robot_tree",
    "run",
    "scene",
    "spatial_robot_tree",
    "table",
    "tree",
]

Rng = np.random.Generator

LINK = 0.122
RADIUS = 0.0525
"""Radius of the papers' robot, m."""


def _log(rng: Rng, low: float, high: float) -> float:
    return float(math.exp(rng.uniform(math.log(low), math.log(high))))


def _friction(rng: Rng) -> float:
    return float(rng.choice([0.0, 0.01, 0.2, 0.5, 1.0, 1.5, 3.0, 5.0]))


def _box(
    x: float, y: float, length: float, width: float, yaw: float, friction: float
) -> dict[str, Any]:
    return {
        "kind": "box",
        "x_m": x,
        "y_m": y,
        "length_m": length,
        "width_m": width,
        "height_m": 0.3,
        "yaw_deg": yaw,
        "friction": friction,
    }


def _walls(rng: Rng, reach: float, clearance: float, tilt: float = 0.0) -> list[dict[str, Any]]:
    """Return two walls along the robot; tilted towards each other they form a wedge."""
    mu = _friction(rng)
    half = RADIUS + clearance
    length = 2.0 * reach + 1.0
    turn = math.radians(tilt)
    # The inner edges are closest at the robot's front end.
    away = half + 0.1 / math.cos(turn) + reach * math.tan(turn)
    return [_box(0.0, side * away, length, 0.2, side * tilt, mu) for side in (1.0, -1.0)]


def _pegs(rng: Rng, reach: float, count: int) -> list[dict[str, Any]]:
    """Return posts on both sides of the robot, some just touching it, some slightly overlapping."""
    mu = _friction(rng)
    pegs = []
    for _ in range(count):
        radius = _log(rng, 0.01, 0.1)
        gap = float(rng.choice([0.0, -1e-4, 1e-3, 0.02, 0.1]))
        side = float(rng.choice([-1.0, 1.0]))
        pegs.append(
            {
                "kind": "cylinder",
                "x_m": float(rng.uniform(-reach, reach)),
                "y_m": side * (RADIUS + radius + gap),
                "radius_m": radius,
                "friction": mu,
                "height_m": 0.3,
            }
        )
    return pegs


def _obstacles(rng: Rng, kind: str, reach: float) -> list[dict[str, Any]]:
    clearance = float(rng.choice([0.0, 1e-3, 5e-3, 0.02, 0.05]))
    motif = str(rng.choice(["none", "walls", "wedge", "corner", "pegs", "many", "stairs"]))
    if motif == "walls":
        return _walls(rng, reach, clearance)
    if motif == "wedge":
        return _walls(rng, reach, clearance, float(rng.uniform(0.2, 4.0)))
    if motif == "corner":
        ahead = _box(
            -reach - RADIUS - clearance - 0.1,
            0.0,
            0.2,
            2.0,
            float(rng.choice([0.0, 45.0, 10.0])),
            _friction(rng),
        )
        return [ahead, *_walls(rng, reach, clearance)[: int(rng.integers(0, 3))]]
    if motif == "pegs":
        return _pegs(rng, reach, int(rng.integers(1, 8)))
    if motif == "many":
        return _pegs(rng, reach, int(rng.integers(8, 41)))
    if motif == "stairs" and kind == "spatial_nonsmooth":
        return [
            {
                "kind": "stairs",
                "x_m": -reach - 0.1,
                "y_m": 0.0,
                "steps": int(rng.integers(1, 6)),
                "rise_m": _log(rng, 0.01, 0.1),
                "heading_deg": 180.0,
                "friction": _friction(rng),
            }
        ]
    return []


def tree(number: int) -> dict[str, Any]:
    """Return the scene of a number as plain values; `check` may refuse it."""
    rng = np.random.default_rng([20261123, number])
    kind = str(rng.choice(["planar_nonsmooth", "spatial_nonsmooth", "spatial_nonsmooth"]))
    n = int(rng.choice([3, 5, 7, 11, 20, 40, 60]))
    reach = 0.5 * n * LINK
    along = _friction(rng)
    across = (
        float(along * rng.choice([1.0, 3.0, 10.0, 100.0])) if rng.random() < 0.5 else _friction(rng)
    )
    implicit = kind == "spatial_nonsmooth" and rng.random() < 0.5
    values: dict[str, Any] = {
        "format": 1,
        "title": f"Population {number}",
        "model": {"kind": kind},
        "robot": {"n_links": n},
        "ground": {"mu_along": along, "mu_across": min(across, 5.0)},
        "gait": {
            "kind": "lateral_undulation",
            "amplitude_deg": float(rng.uniform(0, 60)),
            "frequency_deg_s": float(rng.uniform(-200, 200)),
            "phase_shift_deg": float(rng.uniform(-90, 90)),
            "offset_deg": float(rng.uniform(-10, 10)),
        },
        "joint_controller": {
            "kp_nm_per_rad": _log(rng, 1, 5000),
            "kd_nms_per_rad": _log(rng, 0.01, 5),
        },
        "start": {"kind": "straight", "heading_deg": 180.0},
        "solver": {
            "step_s": 1.0 / float(rng.choice([16000, 8000, 4000, 2000, 1000, 500, 250])),
            "joints": "implicit" if implicit else "explicit",
        },
        "control": {"period_s": 0.02},
        "run": {"duration_s": 1.0, "log_rate_hz": 50.0},
        "obstacles": _obstacles(rng, kind, reach),
    }
    if rng.random() < 0.3:
        limit = _log(rng, 2, 90)
        values["robot"]["joint_limit_deg"] = limit
        values["gait"] |= {"amplitude_deg": 0.95 * limit, "offset_deg": 0.0}
    if rng.random() < 0.3:
        values["ground"] |= {
            "slope_deg": float(rng.choice([5, 20, 45, 80])),
            "downhill_deg": float(rng.uniform(-180, 180)),
        }
    if kind == "spatial_nonsmooth":
        if rng.random() < 0.4:
            values["gait"] |= {
                "kind": "two_waves",
                "pitch_amplitude_deg": float(rng.uniform(0, 1))
                * min(values["gait"]["amplitude_deg"], 30.0),
                "pitch_frequency_deg_s": float(rng.uniform(-200, 200)),
            }
        if rng.random() < 0.3:
            values["ground"]["mu_rolling"] = _log(rng, 1e-3, 1)
        if rng.random() < 0.3:
            values["robot"]["axis_offset_m"] = 0.022
        if rng.random() < 0.2:
            values["actuator"] = {
                "free_play_deg": float(rng.uniform(0, 5)),
                "max_torque_nm": _log(rng, 0.5, 20),
            }
    else:
        if rng.random() < 0.5:
            values["solver"]["joints"] = "implicit"
        if rng.random() < 0.3:
            values["robot"]["axis_offset_m"] = 0.022
        if rng.random() < 0.2:
            values["actuator"] = {
                "free_play_deg": float(rng.uniform(0, 5)),
                "max_torque_nm": _log(rng, 0.5, 20),
            }
    if rng.random() < 0.2:
        values["ground"] |= {
            "stribeck_rise": float(rng.uniform(0, 1)),
            "stribeck_velocity_m_s": _log(rng, 1e-3, 0.1),
        }
    return values


def robot_tree(number: int) -> dict[str, Any]:
    """Return another, planar scene of a number: links and joints differ, friction depends on direction."""
    rng = np.random.default_rng([20261126, number])
    values = tree(number)
    if values["model"]["kind"] != "planar_nonsmooth":
        values["model"]["kind"] = "planar_nonsmooth"
        values["gait"] = {
            key: value for key, value in values["gait"].items() if not key.startswith("pitch_")
        }
        values["gait"]["kind"] = "lateral_undulation"
        values["ground"].pop("mu_rolling", None)
        values["obstacles"] = [
            obstacle for obstacle in values["obstacles"] if obstacle["kind"] != "stairs"
        ]
    robot = values["robot"]
    ground = values["ground"]
    n = values["robot"]["n_links"]
    robot["wheels"] = str(rng.choice(["none", "none", "passive", "ratchet"]))
    if rng.random() < 0.7:
        ground["mu_backward"] = min(ground["mu_along"] * _log(rng, 0.1, 10), 5.0)
    if rng.random() < 0.2:
        ground["law"] = "ellipse"
    if rng.random() < 0.3:
        ground["patch"] = [
            {
                "points_m": [[-0.2, -1.0], [0.3, -1.0], [0.3, 1.0], [-0.2, 1.0]],
                "mu_along": _friction(rng),
                "mu_across": _friction(rng),
            }
        ]
    if rng.random() < 0.2:
        ground["load_factor"] = "1 + cos(2*pi*(3*X - 0.5*t))"
    robot["link"] = _links_that_differ(rng, n)
    joints = []
    for index in rng.choice(n - 1, size=int(rng.integers(0, min(n - 1, 5))), replace=False) + 1:
        kind = rng.random()
        if kind < 0.3:
            joints.append({"index": int(index), "axes": "fixed"})
        elif kind < 0.6:
            joints.append({"index": int(index), **_spring(rng)})
        else:
            joints.append(
                {"index": int(index), "max_torque_nm": _log(rng, 0.5, 20), "upper_limit_deg": 25.0}
            )
    robot["joint"] = joints
    return values


def _links_that_differ(rng: Rng, n: int) -> list[dict[str, Any]]:
    links = (
        [{"index": "odd", "length_m": float(rng.uniform(0.8, 1.2)) * LINK}]
        if rng.random() < 0.6
        else []
    )
    for index in rng.choice(n, size=int(rng.integers(0, min(n, 8))), replace=False) + 1:
        links.append(
            {
                "index": int(index),
                "mass_kg": _log(rng, 0.1, 4.0),
                "length_m": float(rng.uniform(0.9, 1.5)) * LINK,
                "centre_of_mass_m": float(rng.uniform(-0.02, 0.02)),
                "radius_m": float(rng.uniform(0.02, 1.0)) * RADIUS,
            }
        )
        if rng.random() < 0.3:
            links[-1]["wheels"] = str(rng.choice(["none", "passive", "ratchet"]))
        if rng.random() < 0.3:
            links[-1]["mu_across"] = _friction(rng)
    return links


def _spring(rng: Rng) -> dict[str, Any]:
    """Return a passive joint."""
    return {
        "kp_nm_per_rad": 0.0,
        "kd_nms_per_rad": 0.0,
        "spring_nm_per_rad": _log(rng, 0.1, 100.0),
        "damper_nms_per_rad": _log(rng, 1e-3, 1.0),
    }


def spatial_robot_tree(number: int) -> dict[str, Any]:
    """Return another, spatial scene of a number: joints of all axes, differing links, friction, wheels and ratchets."""
    rng = np.random.default_rng([20261127, number])
    result = tree(number)
    if result["model"]["kind"] != "spatial_nonsmooth":
        result["model"]["kind"] = "spatial_nonsmooth"
        result["ground"]["mu_rolling"] = _log(rng, 1e-3, 1)
    robot = result["robot"]
    ground = result["ground"]
    gait = result["gait"]
    n = result["robot"]["n_links"]
    robot["joints"] = str(rng.choice(["alternating", "alternating", "cardan", "yaw", "pitch"]))
    if robot["joints"] != "cardan":
        robot.pop("axis_offset_m", None)
    robot["wheels"] = str(rng.choice(["none", "none", "passive", "ratchet"]))
    if gait["kind"] != "two_waves":
        gait |= {
            "kind": "two_waves",
            "pitch_amplitude_deg": float(rng.uniform(0, 1)) * min(gait["amplitude_deg"], 20.0),
            "pitch_frequency_deg_s": float(rng.uniform(-200, 200)),
        }
    if rng.random() < 0.7:
        ground["mu_backward"] = min(ground["mu_along"] * _log(rng, 0.1, 10), 5.0)
    if rng.random() < 0.3:
        ground["patch"] = [
            {
                "points_m": [[-0.2, -1.0], [0.3, -1.0], [0.3, 1.0], [-0.2, 1.0]],
                "mu_along": _friction(rng),
                "mu_backward": _friction(rng),
                "mu_across": _friction(rng),
            }
        ]
    if rng.random() < 0.2:
        ground["friction_factor"] = "1 + sin(2*pi*t*2)"
    robot["link"] = _links_that_differ(rng, n)
    robot["joint"] = []
    for index in rng.choice(n - 1, size=int(rng.integers(0, min(n - 1, 6))), replace=False) + 1:
        joint: dict[str, Any] = {"index": int(index)}
        if rng.random() < 0.7:
            joint["axes"] = str(
                rng.choice(
                    ["fixed", "roll", "yaw", "pitch", "cardan", "yaw+roll", "yaw+pitch+roll"]
                )
            )
        if joint.get("axes") != "fixed" and rng.random() < 0.4:
            joint |= _spring(rng)
        robot["joint"].append(joint)
    return result


def drive_train(rng: Rng) -> dict[str, Any]:
    """Return random values of rotors, gears and motors, each present with a probability of 0.6."""
    values = {
        "rotor_inertia_kg_m2": _log(rng, 1e-5, 1e-2),
        "dry_friction_nm": _log(rng, 1e-3, 2.0),
        "dry_friction_rise": float(rng.uniform(0.0, 1.0)),
        "dry_friction_speed_deg_s": _log(rng, 0.1, 50.0),
        "restitution": float(rng.uniform(0.0, 0.9)),
        "efficiency": float(rng.uniform(0.4, 1.0)),
        "back_emf_nms_per_rad": _log(rng, 1e-3, 2.0),
        "max_current_torque_nm": _log(rng, 0.5, 50.0),
    }
    return {name: value for name, value in values.items() if rng.random() < 0.6}


def with_drive_trains(number: int, result: dict[str, Any]) -> dict[str, Any]:
    """Add rotors, gears, real motors and joint limits that are reached to a scene."""
    rng = np.random.default_rng([20261129, number])
    actuator = result.setdefault("actuator", {})
    actuator |= drive_train(rng)
    for joint in result["robot"]["joint"]:
        if joint.get("axes") != "fixed" and rng.random() < 0.5:
            joint |= drive_train(rng)
    gait = result["gait"]
    reach = max(
        abs(gait.get(f"{axis}amplitude_deg", 0.0)) + abs(gait.get(f"{axis}offset_deg", 0.0))
        for axis in ("", "pitch_")
    )
    if rng.random() < 0.6 and reach < 170.0:
        result["robot"]["joint_limit_deg"] = reach + 0.01
    return result


def spatial_drive_tree(number: int) -> dict[str, Any]:
    """Return the scene of `spatial_robot_tree` with rotors, gears, motors and limits."""
    return with_drive_trains(number, spatial_robot_tree(number))


def any_robot_tree(number: int) -> dict[str, Any]:
    """Return scenes of `robot_tree` and `spatial_robot_tree` in turn, 2 to 4 s each."""
    result = robot_tree(number) if number % 2 == 0 else spatial_robot_tree(number)
    result["run"]["duration_s"] = 2.0 + float(number % 5) / 2.0
    return result


def scene(number: int, make: Callable[[int], dict[str, Any]] = tree) -> Scene | None:
    """Return the scene of a number with a stable time step; None if `check` refuses it."""
    plain = make(number)
    try:
        result = scene_from_dict(plain)
        stable = registry.largest_stable_step(result)
        period = plain["control"]["period_s"]
        if result.solver.step_s > stable:
            plain["solver"]["step_s"] = period / math.ceil(period / (0.9 * stable))
            result = scene_from_dict(plain)
        if any(problem.severity == "error" for problem in registry.check(result)):
            return None
    except SnakeStudioError:
        return None
    return result


class Outcome(NamedTuple):
    """Result of a run.

    Attributes
    ----------
    number, kind, n_links
        Of the scene.
    friction : float
        Largest coefficient of the scene.
    contacts : int
        Most contacts in a recorded row.
    steps, unsolved : int
        Steps, and those with a residual above 1e-8.
    worst : float
        Largest residual.
    unexplained : float
        Imbalance of energy (kinetic energy against all works) relative to the energy that was
        exchanged.
    message : str
        Why the run stopped early, or "".
    """

    number: int
    kind: str
    n_links: int
    friction: float
    contacts: int
    steps: int
    unsolved: int
    worst: float
    unexplained: float
    message: str


def run(number: int, make: Callable[[int], dict[str, Any]] = tree) -> Outcome | None:
    """Run the scene of a number to its end; None if `check` refuses it."""
    result = scene(number, make)
    if result is None:
        return None
    runner = Runner(result, None)
    try:
        report = runner.advance(runner.end_step)
        rows = runner.recording.rows(0, len(runner.recording))
        term = dict(zip(runner.engine.schema.energy, rows.energy.T, strict=True))
    finally:
        runner.recording.close()
    works = {
        name: term[name] for name in term if name.startswith("work_") and name != "work_projection"
    }
    turned_over = (
        np.abs(term["kinetic"]).max() + sum(np.abs(work).max() for work in works.values()) + 1e-6
    )
    ground = result.ground
    return Outcome(
        number,
        result.model.kind,
        result.robot.n_links,
        max(ground.mu_along, ground.mu_across, *(o.friction for o in result.obstacles), 0.0),
        int(rows.contacts.count.max()),
        int(rows.steps[-1]),
        int(rows.solver_unconverged[-1]),
        float(rows.solver_residual.max()),
        float(
            np.abs(term["kinetic"] - term["kinetic"][0] - sum(works.values())).max() / turned_over
        ),
        "" if report.ok else report.message,
    )


def table(outcomes: Iterable[Outcome]) -> str:
    """Return a table of steps with a residual above 1e-8 by what makes contact hard: friction, contacts, model."""
    causes: dict[str, Callable[[Outcome], bool]] = {
        "planar": lambda o: o.kind == "planar_nonsmooth",
        "in space": lambda o: o.kind == "spatial_nonsmooth",
        "friction to 0.2": lambda o: o.friction <= 0.2,
        "friction to 1": lambda o: 0.2 < o.friction <= 1.0,
        "friction to 5": lambda o: o.friction > 1.0,
        "to 20 contacts": lambda o: o.contacts <= 20,
        "to 80 contacts": lambda o: 20 < o.contacts <= 80,
        "more contacts": lambda o: o.contacts > 80,
        "all": lambda _: True,
    }
    outcomes = list(outcomes)
    lines = [
        "| scenes | runs | stopped | with steps above 1e-8 | steps | above 1e-8 | worst |",
        "|---|---|---|---|---|---|---|",
    ]
    for name, belongs in causes.items():
        own = [o for o in outcomes if belongs(o)]
        steps = sum(o.steps for o in own)
        unsolved = sum(o.unsolved for o in own)
        lines.append(
            f"| {name} | {len(own)} | {sum(bool(o.message) for o in own)} | {sum(o.unsolved > 0 for o in own)} | "
            f"{steps} | {unsolved} ({unsolved / max(steps, 1):.3%}) | {max((o.worst for o in own), default=0.0):.1e} |"
        )
    return "\n".join(lines)
