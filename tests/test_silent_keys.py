"""Every value of a scene changes the recorded run, or `check` reports it as ignored; never both."""

from __future__ import annotations

import typing
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from pydantic import BaseModel

import snakestudio as ss
from snakestudio.api.running import simulate_scene
from snakestudio.errors import Problem, SceneError
from snakestudio.kinds.formulation import FORMULATIONS
from snakestudio.kinds.reads import findings
from snakestudio.model.columns import table
from snakestudio.model.edits import get_value, with_values
from snakestudio.model.fields import field_doc
from snakestudio.model.scene import Scene
from snakestudio.model.scene_file import load_scene, scene_from_dict
from snakestudio.paths import scenes_dir
from snakestudio.session.scene_check import check

LINKS = ("planar_nonsmooth", "spatial_nonsmooth", "planar_lagrangian", "planar_nonholonomic")
UNSEEN = {
    "format": "there is one format",
    "title": "text",
    "description": "text",
    "source": "text",
    "robot.name": "text",
    "plugin": "which kinds there are, before anything is read",
    "obstacles.kind": "another shape has other values",
    "obstacles.name": "text",
    "obstacles.group": "picked together",
    "obstacles.locked": "for the mouse",
    "obstacles.hidden": "drawn or not; it is met all the same",
    "model.kind": "another model is another run: all of this file is about it",
    "control.period_s": "how much is computed at once, and how often a loop is closed: the gait alone is no loop",
}
"""Values that have no effect on a run and are not reported, with the reason."""

UNSEEN_BY = {
    "planar": {
        "obstacles.height_m": "how high a wall is, is drawn; that it is too low is said",
        "obstacles.z_m": "how high a wall begins, is drawn; that it is too high is said",
    },
    "planar_lagrangian": {
        "robot.contact_half_length_m": "the links' length as drawn: nothing is collided with"
    },
    "continuum_beam": {"robot.n_links": "links of the chain that `compare models` sets beside it"},
}
"""The same for some models."""

OTHER: dict[str, Any] = {
    "robot.joint_limit_deg": 38.0,
    "robot.axial_inertia_kg_m2": 2e-3,
    "ground.coulomb_smoothing_m_s": 0.02,
    "actuator.max_torque_nm": 0.05,
    "control.soft_start_deg": 2.0,
    "control.set_point_period_s": 0.01,
    "control.start_delay_s": 0.02,
    "control.period_s": 0.02,
    "solver.step_s": 0.0005,
    "solver.max_iterations": 1,
    "solver.tolerance": 1e-8,
    "solver.error_tolerance": 1e-9,
    "beam.group": "SE3",
    "gait.kind": "two_waves",
    "start.kind": "gait",
    "strain.kind": "peristalsis",
    "support.kind": "wave_anchors",
    "controller.kind": "heading",
    "start.link": 1,
    "path.waypoints_m": ((0.0, 0.0), (0.5, 0.7), (2.0, 1.0)),
    "path.closed": True,
    "support.weights": (1.0, 2.0, 3.0, 4.0, 5.0),
    "controller.program": ({"time_s": 0.0, "speed": -1.0},),
    "start.joint_pitch_deg": (1.0, 2.0, 3.0),
    "start.joint_roll_deg": (1.0, 2.0, 3.0),
    "start.position_m": tuple((0.1 + 0.14 * i, 0.0, 0.03) for i in range(4)),
    "start.orientation_wxyz": ((1.0, 0.0, 0.0, 5e-4),) * 4,
    "start.velocity_m_s": ((0.0, 0.3, 0.0),) * 4,
    "start.angular_velocity_rad_s": ((0.0, 0.0, 0.3),) * 4,
    "start.file": "other.csv",
    "start.time_s": 0.05,
    "controller.offset_limit_deg": 1.0,
    "controller.reference_limit_deg": 5.0,
    "controller.head_reach_m": 0.001,
    "controller.jam_angle_deg": 60.0,
    "controller.parameters": "offset_deg",
    "controller.largest_change_deg": 0.001,
    "controller.jam_time_s": 0.2,
    "controller.force_threshold_n": 1e3,
    "controller.program.gait": "lateral_undulation",
    "support.period_s": 0.04,
    "support.anchors.velocity_m_s": ("0.01", "0", "0"),
    "support.anchors.angular_velocity_rad_s": ("0", "0", "0.01"),
    "obstacles": (
        {"kind": "cylinder", "x_m": -0.05, "y_m": 0.19, "radius_m": 0.05, "height_m": 0.3},
    ),
    "obstacles.heights_m": ((0.0, 0.0), (0.0, 0.03)),
    "obstacles.picture": "other.pgm",
    "obstacles.landing_m": 0.02,
    "obstacles.blocks": 20,
    "robot.joints": "alternating",
    "robot.link": ({"index": "first", "mass_kg": 2.0},),
    "robot.joint": ({"index": "last", "kp_nm_per_rad": 5.0},),
    "ground.law": "unit_velocity",
    "ground.picture.file": "other.pgm",
    "ground.patch": (
        {"points_m": ((-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)), "mu_along": 0.5},
    ),
}
"""Other values where the declaration is not sufficient."""

ROBOT = {
    "n_links": 4,
    "link_length_m": 0.14,
    "radius_m": 0.03,
    "contact_half_length_m": 0.04,
    "mass_kg": 1.0,
    "inertia_kg_m2": 1.6e-3,
}
GROUND = {"mu_along": 0.1, "mu_across": 0.4, "slope_deg": 10.0, "downhill_deg": 30.0}
GAIT = {
    "kind": "lateral_undulation",
    "amplitude_deg": 30.0,
    "frequency_deg_s": 300.0,
    "phase_shift_deg": -60.0,
    "offset_deg": 5.0,
}
PLACED = {"link": 2, "x_m": 0.1, "y_m": 0.1, "vx_m_s": 0.3, "vy_m_s": 0.4, "omega_deg_s": 30.0}
STRAIGHT = {"kind": "straight", "heading_deg": 2.0, **PLACED}
POST = {
    "kind": "cylinder",
    "x_m": -0.05,
    "y_m": 0.19,
    "radius_m": 0.05,
    "height_m": 0.3,
    "friction": 0.2,
}
WALL = {
    "kind": "box",
    "x_m": 0.35,
    "y_m": 0.19,
    "length_m": 0.12,
    "width_m": 0.08,
    "height_m": 0.3,
    "yaw_deg": 5.0,
    "friction": 0.3,
}
END = {
    "kind": "cylinder",
    "x_m": 0.62,
    "y_m": 0.05,
    "radius_m": 0.05,
    "height_m": 0.3,
    "friction": 0.2,
}
PATH = {"waypoints_m": [[0.0, 0.0], [1.0, 0.5], [2.0, 0.0]], "shape": "spline"}
PLAIN: dict[str, Any] = {
    "format": 1,
    "robot": ROBOT,
    "ground": GROUND,
    "gait": GAIT,
    "start": STRAIGHT,
    "joint_controller": {"kp_nm_per_rad": 20.0, "kd_nms_per_rad": 0.2},
    "control": {"period_s": 0.01},
    "solver": {"step_s": 0.001},
    "run": {"duration_s": 0.08, "log_rate_hz": 100.0},
}
LIMP = {
    "robot": {**ROBOT, "joint_limit_deg": 40.0},
    "joint_controller": {"kp_nm_per_rad": 0.5, "kd_nms_per_rad": 0.0},
    "start": {
        "kind": "joint_angles",
        "joint_angles_deg": [40.0, 40.0, -40.0],
        **PLACED,
        "vx_m_s": 2.0,
        "heading_deg": 0.0,
    },
    "obstacles": [{**END, "x_m": 0.45, "y_m": 0.42, "radius_m": 0.1}],
}
AMONG = {"obstacles": [POST, WALL, END]}


def _state() -> dict[str, Any]:
    turn = [1.0, 0.0, 0.0, 0.0]
    return {
        "kind": "state",
        "position_m": [[0.14 * i, 0.0, 0.03] for i in range(4)],
        "orientation_wxyz": [turn] * 4,
        "velocity_m_s": [[0.3, 0.1, 0.0]] * 4,
    }


SITUATIONS: dict[str, dict[str, Any]] = {
    "walls": AMONG,
    "limp": LIMP,
    "gait_start": {"start": {"kind": "gait", "heading_deg": 10.0, **PLACED}},
    "link_angles": {
        "start": {"kind": "link_angles", "link_angles_deg": [0.0, 10.0, 20.0, 10.0], **PLACED}
    },
    "state": {"start": _state()},
    "recording": {"start": {"kind": "recording", "file": "run.csv", "time_s": 0.02}},
    "heading": {
        "controller": {"kind": "heading", "heading_deg": 5.0},
        "robot": {**ROBOT, "head": "last"},
    },
    "path": {
        "controller": {
            "kind": "path_following",
            "integral_gain_m_s": 0.1,
            "offset_limit_deg": 60.0,
        },
        "path": PATH,
        "robot": {**ROBOT, "head": "last"},
    },
    "leader": {
        "controller": {
            "kind": "leader_follower",
            "direction_deg": 180.0,
            "speed_m_s": 5.0,
            "head_angle_deg": 30.0,
            "head_reach_m": 0.05,
            "jam_angle_deg": 1.0,
            "jam_time_s": 0.01,
            "resolution_time_s": 0.02,
            "force_noise_n": 1.0,
            "force_threshold_n": 0.01,
            "jam_gain_rad_per_n": 0.05,
        },
        "gait": {"kind": "lateral_undulation"},
        **AMONG,
        "run": {"duration_s": 0.3, "log_rate_hz": 100.0},
    },
    "led_from_gait": {
        "controller": {"kind": "leader_follower", "direction_deg": 180.0},
        "gait": {"kind": "lateral_undulation"},
        "start": {"kind": "gait", **PLACED},
    },
    "strain": {
        "gait": {"kind": "lateral_undulation"},
        "controller": {"kind": "strain_follower"},
        "beam": {"length_m": 0.56},
        "strain": {"kind": "serpentine", "turn_per_m": 1.0, "turn_start_s": 0.0},
    },
    "targets": {
        "gait": {"kind": "lateral_undulation"},
        "controller": {
            "kind": "joint_targets",
            "targets_deg": [5.0, -4.0, 6.0],
            "max_rate_deg_s": 200.0,
            "max_acceleration_deg_s2": 20000.0,
        },
        "robot": {**ROBOT, "joints": "yaw"},
    },
    "teleoperation": {
        "gait": {**GAIT, "frequency_deg_s": 80.0},
        "controller": {
            "kind": "teleoperation",
            "max_frequency_deg_s": 300.0,
            "program": [
                {"time_s": 0.0, "speed": 1.0, "turn": 0.5, "amplitude": 0.5},
                {"time_s": 0.04, "gait": "lateral_undulation"},
            ],
        },
    },
}
SINGLE: dict[str, Any] = {
    "robot": {**ROBOT, "n_links": 1},
    "joint_controller": {},
    "gait": {"kind": "lateral_undulation"},
}
PICTURE = {"file": "run.pgm", "x_m": 0.1, "y_m": 0.1, "width_m": 0.9, "yaw_deg": 20.0}
SITUATIONS["single"] = {**SINGLE, "start": {**STRAIGHT, "link": 1}}
for _kind in ("phase_oscillators", "hopf_oscillators", "matsuoka_oscillators"):
    SITUATIONS[_kind] = {"gait": {"kind": "lateral_undulation"}, "controller": {"kind": _kind}}
SITUATIONS["compliance"] = {"controller": {"kind": "compliance"}}
SITUATIONS["single_gait"] = {**SINGLE, "start": {"kind": "gait", **PLACED, "link": 1}}
TORQUES: dict[str, Any] = {
    "gait": {"kind": "joint_torque", "torque_nm": "2*cos(9*t + 0.7*i)"},
    "joint_controller": {},
}
SITUATIONS["torques"] = {**TORQUES, "robot": {**ROBOT, "joint_limit_deg": 40.0}}
DROPPED = {**STRAIGHT, "z_m": 0.15, "vz_m_s": -2.5}
SPATIAL: dict[str, dict[str, Any]] = {
    "aloft": {
        "gait": {**GAIT, "kind": "two_waves", "pitch_offset_deg": 3.0},
        "start": {**STRAIGHT, "z_m": 0.1, "pitch_deg": 5.0, "roll_deg": 10.0, "vz_m_s": -1.0},
        "ground": {**GROUND, "stribeck_rise": 0.5},
    },
    "bent": {
        "start": {
            "kind": "joint_angles",
            "joint_angles_deg": [1.0, 2.0, 3.0],
            "joint_pitch_deg": [1.0, -2.0, 1.0],
        }
    },
    "rolled": {
        "robot": {**ROBOT, "joint": [{"index": "all", "axes": "yaw+pitch+roll"}]},
        "start": {"kind": "joint_angles", "joint_angles_deg": [1.0, 2.0, 3.0]},
    },
    "stairs": {
        "obstacles": [
            {
                "kind": "stairs",
                "x_m": 0.0,
                "y_m": 0.1,
                "steps": 3,
                "rise_m": 0.02,
                "run_m": 0.1,
                "width_m": 0.06,
                "landing_m": 0.1,
            }
        ],
        "start": DROPPED,
    },
    "ramp": {
        "obstacles": [
            {
                "kind": "ramp",
                "x_m": 0.0,
                "y_m": 0.1,
                "length_m": 0.2,
                "rise_m": 0.03,
                "landing_m": 0.1,
                "width_m": 0.06,
            }
        ],
        "start": DROPPED,
    },
    "heights": {
        "obstacles": [
            {
                "kind": "height_field",
                "x_m": 0.2,
                "y_m": 0.1,
                "heights_m": [[0.01, 0.0], [0.0, 0.02]],
                "z_m": 0.01,
            }
        ],
        "start": DROPPED,
    },
    "picture": {
        "obstacles": [
            {"kind": "height_field", "x_m": 0.2, "y_m": 0.1, "picture": "run.pgm", "relief_m": 0.05}
        ],
        "start": DROPPED,
    },
    "rubble": {
        "obstacles": [
            {
                "kind": "rubble",
                "x_m": 0.2,
                "y_m": 0.1,
                "blocks": 60,
                "length_m": 1.0,
                "width_m": 1.0,
            }
        ],
        "start": DROPPED,
    },
}
ANCHORED: dict[str, Any] = {
    "format": 1,
    "strain": {"kind": "formulas", "k_z_per_m": "sin(3*t)*(1 + X)"},
    "start": {"kind": "straight"},
    "support": {
        "kind": "anchors",
        "anchors": [{"at_m": "0.1"}, {"at_m": "0.8", "from_s": 0.02, "until_s": 0.06}],
    },
    "solver": {"step_s": 0.01},
    "run": {"duration_s": 0.1, "log_rate_hz": 50.0},
}
SPATIAL["led_from_waves"] = {**SITUATIONS["led_from_gait"], "gait": {"kind": "two_waves"}}
LAGRANGIAN: dict[str, dict[str, Any]] = {
    "linearized": {"joint_controller": {"law": "feedback_linearization"}},
}


def plain(key: str) -> str:
    return "".join("" if part[:1].isdigit() else part for part in key.replace("]", "[").split("["))


def keys_of(scene: Scene) -> Iterator[str]:
    """Return all keys of a scene with a single value; tables of links and joints count as wholes."""

    def walk(part: BaseModel, prefix: str) -> Iterator[str]:
        for name in type(part).model_fields:
            value = getattr(part, name)
            if isinstance(value, BaseModel):
                yield from walk(value, f"{prefix}{name}.")
            elif (
                isinstance(value, tuple)
                and value
                and isinstance(value[0], BaseModel)
                and prefix != "robot."
            ):
                for i, each in enumerate(value):
                    yield from walk(each, f"{prefix}{name}[{i + 1}].")
            else:
                yield f"{prefix}{name}"

    return walk(scene, "")


def other(scene: Scene, key: str) -> Any:
    """Return another valid value from the declaration."""
    value = get_value(scene, key)
    if key == "start.joint_roll_deg" and not any(
        "roll" in joint.axes for joint in scene.robot.joint_list
    ):
        return (0.0, 0.0, 0.0)  # others are refused
    if plain(key) in OTHER and OTHER[plain(key)] != value:
        return OTHER[plain(key)]
    holder, _, name = key.rpartition(".")
    part = get_value(scene, holder) if holder else scene
    annotation = type(part).model_fields[name].annotation
    doc = field_doc(type(part), name)
    if typing.get_origin(annotation) is typing.Literal:
        return next((choice for choice in typing.get_args(annotation) if choice != value), value)
    if isinstance(value, bool):
        return not value
    if isinstance(value, str):
        return f"({value or 1})*0.9+0.01*t" if value or name == "speed_m_s" else "0.01*t"
    if isinstance(value, tuple):
        return tuple(np.array(value) + 1.0) if value and isinstance(value[0], float) else value
    low, high = doc.slider or (doc.minimum or 0.0, doc.maximum or 1.0)
    if value is None:
        return low + 0.3 * (high - low)
    if isinstance(value, int):
        return value + 1
    changed = 1.07 * value if value else low + 0.6 * (high - low) or 0.6 * high
    if doc.maximum is not None and changed > doc.maximum:
        changed = 0.9 * value
    return changed


def outcome(scene: Scene, base_dir: Path) -> tuple[bytes, ...]:
    try:
        run = simulate_scene(scene, base_dir)
    except SceneError as error:  # refused with a message
        return (str(error).encode(),)
    return (
        *(name.encode() for name in run.columns),
        np.concatenate(list(table(run.recording))).tobytes(),
    )


def unused(problems: list[Problem]) -> list[Problem]:
    """Return the problems that report a value without effect."""
    return [
        p
        for p in problems
        if "ignored by" in p.message
        or "left out" in p.message
        or "no effect" in p.message
        or "taken for" in p.message
    ]


def about(problem: Problem, key: str) -> bool:
    part = key.rpartition(".")[0]
    return (
        key == problem.key
        or key.startswith((f"{problem.key}.", f"{problem.key}["))
        or (key.endswith(".kind") and problem.key.startswith(f"{part}."))
        or (key.startswith("gait.pitch_") and problem.key.startswith("gait.pitch_"))
    )


def scene_of(kind: str, situation: dict[str, Any]) -> Scene:
    situation = dict(situation)
    if kind == "planar_lagrangian":
        situation.pop("obstacles", None)
        if "robot" in situation:
            situation["robot"] = {
                key: each for key, each in situation["robot"].items() if key != "joint_limit_deg"
            }
    return scene_from_dict({**PLAIN, "model": {"kind": kind}, **situation})


def situations(kind: str, folder: Path) -> dict[str, Scene]:
    if kind == "continuum_beam":
        picture = {**PICTURE, "width_m": 2.0}
        short = {
            "run.duration_s": 0.1,
            "run.log_rate_hz": 50.0,
            "ground.picture": picture,
            "ground.law": "ellipse",
        }
        scenes = {
            "on_a_picture": with_values(load_scene(scenes_dir() / "continuum_friction.toml"), short)
        }
        for name in ("continuum_undulation", "continuum_snake_2d", "worm", "inchworm"):
            scene = load_scene(scenes_dir() / f"{name}.toml")
            scenes[name] = with_values(scene, {"run.duration_s": 0.1, "run.log_rate_hz": 50.0})
        scenes["continuum_snake_2d"] = with_values(
            scenes["continuum_snake_2d"], {"strain.turn_start_s": 0.0}
        )
        return {**scenes, "anchors": scene_from_dict({**ANCHORED, "model": {"kind": kind}})}
    # Values of this file come first: when the file is missing, they are refused, which does not
    # prove an effect.
    pictured = {"on_a_picture": {"ground": {**GROUND, "picture": PICTURE}}}
    if "ground.picture" not in FORMULATIONS[kind].reads:
        pictured = {}
    more = {"spatial_nonsmooth": SPATIAL, "planar_lagrangian": LAGRANGIAN}.get(kind, {})
    return {name: scene_of(kind, each) for name, each in {**pictured, **SITUATIONS, **more}.items()}


@pytest.mark.parametrize("kind", FORMULATIONS)
def test_every_value_has_an_effect_or_is_reported(kind: str, tmp_path: Path) -> None:
    for name, amplitude in (("run", 30.0), ("other", 20.0)):
        if kind in LINKS:
            run = ss.simulate(scene_of(kind, {}), **{"gait.amplitude_deg": amplitude})
            run.to_csv(tmp_path / f"{name}.csv")
        (tmp_path / f"{name}.pgm").write_bytes(b"P5 2 2 255 " + bytes([0, 200, int(amplitude), 90]))
    effective = set()
    named = set()
    silent = {}
    wrong: list[str] = []
    for where, scene in situations(kind, tmp_path).items():
        before = check(scene, tmp_path)
        assert not unused(before), (where, unused(before))
        assert not [p for p in before if p.severity == "error"], (where, before)
        reference = outcome(scene, tmp_path)
        left_out: dict[str, Any] = {}
        for key in keys_of(scene):
            declared = plain(key)
            if declared in UNSEEN or declared in effective:
                continue
            value = other(scene, key)
            try:
                changed = with_values(scene, {key: value})
            except SceneError as error:
                wrong.append(f"{where}: {key} = {value}: {error}")
                continue
            if changed == scene:
                silent.setdefault(declared, where)
                continue
            if any(about(p, key) for p in findings(changed)):
                named.add(declared)
                if key.endswith(".kind"):
                    if outcome(changed, tmp_path) != reference:
                        wrong.append(f"{where}: {key} has an effect and is named")
                else:
                    left_out[key] = value
            elif outcome(changed, tmp_path) != reference:
                effective.add(declared)
            elif any(about(p, key) for p in check(changed, tmp_path) if p not in before):
                named.add(declared)
            else:
                silent.setdefault(declared, f"{where} ({value})")
        if left_out and outcome(with_values(scene, left_out), tmp_path) != reference:
            wrong += [
                f"{where}: {key} has an effect and is named"
                for key, value in left_out.items()
                if outcome(with_values(scene, {key: value}), tmp_path) != reference
            ] or [f"{where}: {list(left_out)} together have an effect and are named"]
    allowed = {
        **UNSEEN_BY.get(kind, {}),
        **(UNSEEN_BY["planar"] if kind.startswith("planar") else {}),
    }
    wrong += [
        f"{key} is silent, in {where}"
        for key, where in silent.items()
        if key not in effective and key not in named and key not in allowed
    ]
    assert not wrong, "\n".join(wrong)


LENGTHS = {
    "robot.link_length_m": "where its joints would be",
    "robot.axis_offset_m": "the same, to the last digits",
    "robot.contact_half_length_m": "matters where it meets something",
}


@pytest.mark.parametrize("name", ["single", "single_gait", "single_torques"])
@pytest.mark.parametrize("kind", LINKS)
def test_joint_values_have_no_effect_on_a_single_link(kind: str, name: str, tmp_path: Path) -> None:
    torques = {**SITUATIONS["single"], "gait": {"kind": "joint_torque"}}
    scene = scene_of(kind, torques if name == "single_torques" else SITUATIONS[name])
    reference = outcome(scene, tmp_path)
    wrong = []
    for key in keys_of(scene):
        if key.partition(".")[0] not in (
            "gait",
            "joint_controller",
            "actuator",
            "control",
            "robot",
        ):
            continue
        if key in UNSEEN or key in UNSEEN_BY.get(kind, {}) or key in LENGTHS or key == "gait.kind":
            continue
        changed = with_values(scene, {key: other(scene, key)})
        named = any(about(p, key) for p in findings(changed))
        if named == (outcome(changed, tmp_path) != reference):
            wrong.append(f"{key} {'has an effect and is named' if named else 'is silent'}")
    assert not wrong, "\n".join(wrong)
