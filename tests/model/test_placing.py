"""Moves, turns and bends of the robot's start: the pose changes exactly accordingly."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

from snakestudio._arrays import FloatArray
from snakestudio.errors import SceneError
from snakestudio.model.edits import with_values
from snakestudio.model.edits.bending import bent_robot, joint_axis, turns_behind
from snakestudio.model.edits.pose import (
    as_joint_angles,
    as_state,
    frame_angles,
    gait_robot,
    moved_robot,
    placed_at,
    start_of_pose,
    straight_robot,
    turned_robot,
    with_start,
)
from snakestudio.model.robot.joint_axes import entries, entry_of
from snakestudio.model.robot.pose import initial_joint_angles, initial_state, planar_pose
from snakestudio.model.rotations import matrices, rotation
from snakestudio.model.scene import Scene
from snakestudio.model.scene_file import load_scene
from snakestudio.paths import scenes_dir

N = 6
_BENDS = [25.0, -40.0, 10.0, 60.0, -15.0]
_PITCHES = [5.0, -12.0, 20.0, 0.0, 8.0]

STARTS: dict[str, dict[str, Any]] = {
    "straight": {"kind": "straight", "link": 3, "x_m": 0.4, "y_m": -0.2, "heading_deg": 50.0},
    "gait": {"kind": "gait", "link": 2, "x_m": 0.1, "heading_deg": -70.0, "amplitude_deg": 30.0},
    "joint_angles": {
        "kind": "joint_angles",
        "link": 5,
        "x_m": -0.3,
        "y_m": 0.7,
        "heading_deg": 200.0,
        "joint_angles_deg": _BENDS,
        "vx_m_s": 0.2,
        "vy_m_s": -0.1,
        "omega_deg_s": 40.0,
    },
    "link_angles": {
        "kind": "link_angles",
        "link": 4,
        "y_m": 0.25,
        "link_angles_deg": (30.0 + np.cumsum([0.0, *_BENDS])).tolist(),
    },
}

SPATIAL_STARTS: dict[str, dict[str, Any]] = {
    **STARTS,
    "high": STARTS["joint_angles"]
    | {
        "z_m": 0.6,
        "pitch_deg": 20.0,
        "roll_deg": -35.0,
        "joint_pitch_deg": _PITCHES,
        "vz_m_s": 0.3,
    },
    "tilted_links": STARTS["link_angles"] | {"z_m": 0.5, "pitch_deg": -15.0, "roll_deg": 25.0},
    "tumbling": STARTS["gait"]
    | {"z_m": 0.4, "omega_x_deg_s": 100.0, "omega_y_deg_s": -30.0, "omega_deg_s": 55.0},
    "lying": STARTS["joint_angles"] | {"joint_pitch_deg": _PITCHES},
}


def scene_with(start: dict[str, Any], *, spatial: bool = False, head: str = "first") -> Scene:
    values: dict[str, Any] = {"robot.n_links": N, "robot.head": head, "start": start}
    if spatial:
        values |= {"model.kind": "spatial_nonsmooth", "robot.axis_offset_m": 0.022}
        values |= {"gait.kind": "two_waves", "gait.pitch_amplitude_deg": 15.0}
    return with_values(Scene(), values)


def all_cases() -> list[Any]:
    """Every kind of start, in 2D and 3D, and the resulting states."""
    cases = []
    for spatial, starts in ((False, STARTS), (True, SPATIAL_STARTS)):
        for name, start in starts.items():
            scene = scene_with(start, spatial=spatial)
            cases.append(pytest.param(scene, id=f"{name}-{'space' if spatial else 'plane'}"))
            if name in ("joint_angles", "high"):
                state = with_start(scene, as_state(scene))
                cases.append(pytest.param(state, id=f"state-{'space' if spatial else 'plane'}"))
    return cases


def frames(scene: Scene) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Centres (n, 3), orientations (n, 3, 3) and twists (n, 6) at the start."""
    pose, twist = initial_state(scene)
    return pose[:, :3], matrices(pose[:, 3:]), twist


@pytest.mark.parametrize("scene", all_cases())
def test_move_displaces_every_link(scene: Scene) -> None:
    shift = np.array([0.31, -0.82, 0.2 if scene.model.spatial else 0.0])
    before = frames(scene)
    after = frames(moved_robot(scene, shift))
    np.testing.assert_allclose(after[0], before[0] + shift, atol=2e-9)
    np.testing.assert_allclose(after[1], before[1], atol=1e-12)
    np.testing.assert_allclose(after[2], before[2], atol=1e-9)
    assert moved_robot(scene, shift).start.kind == scene.start.kind


@pytest.mark.parametrize("scene", all_cases())
def test_turn_equals_scipy_rotation(scene: Scene) -> None:
    pivot = np.array([0.2, -0.5, 0.1])
    axes = [(0.0, 0.0, 1.0)] + (
        [(1.0, 0.0, 0.0), (0.36, -0.48, 0.8)] if scene.model.spatial else []
    )
    for axis in axes:
        angle = 2.1
        turn = Rotation.from_rotvec(angle * np.array(axis)).as_matrix()
        turned = turned_robot(scene, axis, angle, pivot)
        before, after = frames(scene), frames(turned)
        np.testing.assert_allclose(after[0], pivot + (before[0] - pivot) @ turn.T, atol=1e-8)
        np.testing.assert_allclose(after[1], turn @ before[1], atol=1e-9)
        np.testing.assert_allclose(after[2][:, :3], before[2][:, :3] @ turn.T, atol=1e-8)
        np.testing.assert_allclose(after[2][:, 3:], before[2][:, 3:] @ turn.T, atol=1e-9)
        assert turned.start.kind == scene.start.kind


def test_heading_stays_in_range_after_many_turns() -> None:
    scene = scene_with(STARTS["straight"])
    for _ in range(30):
        scene = turned_robot(scene, (0, 0, 1), 3.0, (0, 0, 0))
    assert abs(scene.start.heading_deg) <= 180.0  # type: ignore[union-attr]
    np.testing.assert_allclose(
        planar_pose(scene)[0][0, 2] % math.tau, (math.radians(50) + 90.0) % math.tau, atol=1e-8
    )


def test_robot_stays_on_the_ground_until_lifted_or_tilted() -> None:
    lying = scene_with(STARTS["straight"], spatial=True)
    assert moved_robot(lying, (1, 1, 0)).start.z_m is None  # type: ignore[union-attr]
    assert turned_robot(lying, (0, 0, 1), 1.0, (0, 0, 0)).start.z_m is None  # type: ignore[union-attr]
    radius = lying.robot.radius_m
    assert moved_robot(lying, (0, 0, 0.5)).start.z_m == pytest.approx(radius + 0.5, abs=1e-5)  # type: ignore[union-attr]


@pytest.mark.parametrize("scene", all_cases())
def test_joint_angles_and_state_describe_the_same_pose(scene: Scene) -> None:
    before = frames(scene)
    for start in (as_joint_angles(scene), as_state(scene)):
        after = frames(with_start(scene, start))
        np.testing.assert_allclose(after[0], before[0], atol=1e-9)
        np.testing.assert_allclose(after[1], before[1], atol=1e-9)
        if scene.start.kind != "state" or start.kind == "state":
            np.testing.assert_allclose(after[2], before[2], atol=1e-9)


@pytest.mark.parametrize("scene", all_cases())
def test_start_from_a_shown_pose_is_that_pose(scene: Scene) -> None:
    pose, _ = initial_state(scene)
    again, twist = initial_state(with_start(scene, start_of_pose(scene, pose)))
    np.testing.assert_allclose(again[:, :3], pose[:, :3], atol=1e-8)
    np.testing.assert_allclose(matrices(again[:, 3:]), matrices(pose[:, 3:]), atol=1e-8)
    assert not twist.any()
    assert start_of_pose(scene, pose).kind == "joint_angles"
    apart = pose.copy()
    apart[2, 1] += 0.01  # links that form no chain: only a state can describe that
    torn = start_of_pose(scene, apart)
    np.testing.assert_array_equal(initial_state(with_start(scene, torn))[0][:, :3], apart[:, :3])
    with pytest.raises(SceneError, match="form a chain"):
        as_joint_angles(with_start(scene, torn))


@pytest.mark.parametrize("kind", ["joint_angles", "link_angles"])
@pytest.mark.parametrize("spatial", [False, True])
def test_any_link_may_be_the_placed_one(kind: str, spatial: bool) -> None:
    for name, start in (SPATIAL_STARTS if spatial else STARTS).items():
        if start["kind"] != kind:
            continue
        scene = scene_with(start, spatial=spatial)
        before = frames(scene)
        for link in range(N):
            other = placed_at(scene, scene.start, link)  # type: ignore[arg-type]
            after = frames(with_start(scene, other))
            for a, b in zip(before, after, strict=True):
                np.testing.assert_allclose(a, b, atol=1e-8, err_msg=f"{name}, link {link + 1}")


# ------------------------------------------------------------------------------------------ bending


@pytest.mark.parametrize("head", ["first", "last"])
@pytest.mark.parametrize("scene", all_cases())
def test_bend_turns_one_end_about_the_axis_of_the_joint(scene: Scene, head: str) -> None:
    scene = with_values(scene, {"robot.head": head})
    pose, _ = initial_state(scene)
    lies = scene.model.spatial and getattr(scene.start, "z_m", 0.0) is None
    for joint in range(N - 1):
        for axis in ("yaw", "pitch") if scene.model.spatial else ("yaw",):
            entry = entry_of(scene.body.axes, joint, axis)
            target = float(initial_joint_angles(scene)[entry]) + 0.4
            bent = bent_robot(scene, joint, target, axis)  # type: ignore[arg-type]
            angles = initial_joint_angles(bent)
            expected = initial_joint_angles(scene)
            expected[entry] += 0.4
            np.testing.assert_allclose(angles, expected, atol=1e-8)
            # The expected pose, from the pose alone: a rigid rotation of one end, and the other end
            # unchanged.
            point, about = joint_axis(pose, scene.robot, joint, axis)  # type: ignore[arg-type]
            behind = turns_behind(scene.robot, joint)
            turn = Rotation.from_rotvec((0.4 if behind else -0.4) * about).as_matrix()
            centre = pose[:, :3].copy()
            frame = matrices(pose[:, 3:])
            part = slice(joint + 1, None) if behind else slice(0, joint + 1)
            centre[part] = point + (centre[part] - point) @ turn.T
            frame[part] = turn @ frame[part]
            result = frames(bent)
            if lies:  # on the ground, at its new height
                lifted = result[0][:, 2] - centre[:, 2]
                np.testing.assert_allclose(lifted, lifted[0], atol=1e-8)
                centre[:, 2] += lifted[0]
            np.testing.assert_allclose(result[0], centre, atol=1e-8)
            np.testing.assert_allclose(result[1], frame, atol=1e-8)
            if scene.start.kind in ("state", "link_angles") and axis == "yaw":
                assert bent.start.kind == scene.start.kind


def test_shorter_end_turns_and_at_the_middle_the_tail() -> None:
    robot = scene_with(STARTS["straight"]).robot
    assert [turns_behind(robot, joint) for joint in range(5)] == [False, False, True, True, True]
    last = robot.model_copy(update={"head": "last"})
    assert [turns_behind(last, joint) for joint in range(5)] == [False, False, False, True, True]


def test_bend_preserves_relative_motion() -> None:
    # The rates of the bent joint and of all others, about their own axes.
    scene = scene_with(SPATIAL_STARTS["high"], spatial=True)
    random = np.random.default_rng(4)
    state = as_state(scene)
    spin = [(1.0, 2.0, 3.0)]
    pose, _ = initial_state(scene)
    rates = random.uniform(-2, 2, N - 1)
    for joint in range(N - 1):
        spin.append(
            tuple(
                np.array(spin[-1]) + rates[joint] * joint_axis(pose, scene.robot, joint, "yaw")[1]
            )
        )
    velocity = [np.array([0.3, -0.1, 0.2])]
    for joint in range(N - 1):
        for_pitch = joint_axis(pose, scene.robot, joint, "pitch")[0]
        point = joint_axis(pose, scene.robot, joint, "yaw")[0]
        between = velocity[-1] + np.cross(spin[joint], point - pose[joint, :3])
        velocity.append(
            between
            + np.cross(spin[joint + 1], for_pitch - point)
            + np.cross(spin[joint + 1], pose[joint + 1, :3] - for_pitch)
        )
    moving = with_start(
        scene,
        state.model_copy(
            update={
                "velocity_m_s": tuple(map(tuple, np.array(velocity).tolist())),
                "angular_velocity_rad_s": tuple(map(tuple, np.array(spin).tolist())),
            }
        ),
    )
    for joint in range(N - 1):
        bent = bent_robot(moving, joint, 0.7)
        after, twist = initial_state(bent)
        for k in range(N - 1):
            point, about = joint_axis(after, scene.robot, k, "yaw")
            relative = twist[k + 1, 3:] - twist[k, 3:]
            np.testing.assert_allclose(relative, rates[k] * about, atol=1e-9)
            here = [twist[i, :3] + np.cross(twist[i, 3:], point - after[i, :3]) for i in (k, k + 1)]
            np.testing.assert_allclose(here[0], here[1], atol=1e-9)


def test_bend_stops_at_the_limit_of_the_joint() -> None:
    scene = with_values(scene_with(STARTS["straight"]), {"robot.joint_limit_deg": 50.0})
    assert initial_joint_angles(bent_robot(scene, 2, 2.0))[2] == pytest.approx(math.radians(50.0))
    assert initial_joint_angles(bent_robot(scene, 2, -2.0))[2] == pytest.approx(-math.radians(50.0))
    free = scene_with(STARTS["straight"])
    assert initial_joint_angles(bent_robot(free, 2, 9.0))[2] == pytest.approx(math.pi)


# ------------------------------------------------------------------------------------- other shapes


@pytest.mark.parametrize("scene", all_cases())
@pytest.mark.parametrize("lay", [straight_robot, gait_robot])
def test_reset_pose_keeps_the_position(scene: Scene, lay: Any) -> None:
    laid = lay(scene)
    before, after = frames(scene), frames(laid)
    np.testing.assert_allclose(
        after[0][:, :2].mean(axis=0), before[0][:, :2].mean(axis=0), atol=2e-6
    )
    along = [frame[:, :2, 0].sum(axis=0) for frame in (before[1], after[1])]
    across = along[0][0] * along[1][1] - along[0][1] * along[1][0]
    assert across == pytest.approx(0.0, abs=1e-5)
    assert along[0] @ along[1] > 0
    again = frames(lay(laid))
    np.testing.assert_allclose(again[0], after[0], atol=5e-6)
    if lay is straight_robot:
        assert not initial_joint_angles(laid).any()
        return
    i = np.arange(N - 1)
    for kind, wave in (("yaw", scene.gait.yaw), ("pitch", scene.gait.pitch)):
        wave_angles = wave.amplitude * np.sin(i * wave.phase_shift + wave.phase) + wave.offset
        moved_axes = entries(laid.body.axes, kind)
        np.testing.assert_allclose(
            initial_joint_angles(laid)[moved_axes], wave_angles[: len(moved_axes)], atol=1e-9
        )


# ---------------------------------------------------------------------------------- what is refused


def test_moved_start_from_a_recording_becomes_a_state(tmp_path: Path) -> None:
    scene = scene_with({"kind": "recording", "file": "run.csv"})
    pose, _ = initial_state(scene_with(STARTS["joint_angles"]))
    names = [
        f"link_{i}_{name}"
        for i in range(1, N + 1)
        for name in ("x_m", "y_m", "z_m", "qw", "qx", "qy", "qz")
    ]
    row = ",".join(repr(float(value)) for value in pose.ravel())
    (tmp_path / "run.csv").write_text(f"time_s,{','.join(names)}\n0,{row}\n", encoding="utf-8")
    moved = moved_robot(scene, (1, 2, 0), tmp_path)
    assert moved.start.kind == "state"
    np.testing.assert_allclose(initial_state(moved)[0][:, :2], pose[:, :2] + (1, 2), atol=1e-12)
    bent = bent_robot(scene, 3, 0.25, base_dir=tmp_path)
    assert initial_joint_angles(bent)[3] == pytest.approx(0.25)
    with pytest.raises(SceneError, match=r"missing\.csv"):
        moved_robot(with_values(scene, {"start.file": "missing.csv"}), (1, 0, 0), tmp_path)


def test_impossible_edits_are_reported() -> None:
    flat = scene_with(STARTS["straight"])
    with pytest.raises(SceneError, match=r"start\.x_m.*10000"):
        moved_robot(flat, (2e4, 0, 0))
    with pytest.raises(SceneError, match=r"Turn.*about"):
        turned_robot(flat, (1, 0, 0), 0.5, (0, 0, 0))
    body = load_scene(scenes_dir() / "continuum_snake_2d.toml")
    for lay in (straight_robot, gait_robot):
        with pytest.raises(SceneError, match="strain law"):
            lay(body)
    with pytest.raises(SceneError, match="start straight"):
        moved_robot(body.model_copy(update={"start": as_state(flat)}), (1, 0, 0))


def test_continuous_body_is_moved_and_turned_as_a_whole() -> None:
    body = load_scene(scenes_dir() / "continuum_snake_2d.toml")
    before = frames(body)
    after = frames(
        turned_robot(moved_robot(body, (0.5, -0.25, 0.0)), (0, 0, 1), 0.8, (0.1, 0.2, 0.0))
    )
    turn = rotation(0.8)
    pivot = np.array([0.1, 0.2, 0.0])
    np.testing.assert_allclose(
        after[0], pivot + (before[0] + (0.5, -0.25, 0.0) - pivot) @ turn.T, atol=1e-8
    )
    np.testing.assert_allclose(after[1], turn @ before[1], atol=1e-9)


angles = st.floats(-179, 179)


@settings(max_examples=60)
@given(angles, st.floats(-90, 90), angles)
def test_heading_pitch_and_roll_describe_upright_orientations(
    heading: float, pitch: float, roll: float
) -> None:
    for tilt in (pitch, 90.0, -90.0):
        turn = rotation(*np.radians((heading, tilt, roll)))
        np.testing.assert_allclose(rotation(*np.radians(frame_angles(turn))), turn, atol=1e-7)
