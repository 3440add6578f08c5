"""Start poses of spatial robots: the papers' starts, MuJoCo's kinematics, and poses on the ground."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

from snakestudio.model.edits import with_values
from snakestudio.model.robot.chain import gait_joint_angles, joint_angles
from snakestudio.model.robot.pose import initial_joint_angles, initial_state
from snakestudio.model.rotations import matrices, quaternions, rotation
from snakestudio.model.scene import Scene
from snakestudio.model.scene_file import load_scene
from snakestudio.paths import scenes_dir
from tests.engines.spatial import SPATIAL, from_p1
from tests.peers.mujoco_robot import build
from tests.reference_data import CASES

SPACE = {"model.kind": "spatial_nonsmooth"}


def space(**values: Any) -> Scene:
    return with_values(
        Scene(), SPACE | {key.replace("__", "."): value for key, value in values.items()}
    )


@pytest.mark.parametrize("name", SPATIAL)
def test_reference_scenes_start_at_the_reference_tracks(name: str) -> None:
    # q0 of the independent implementation, with spheres 1e-6 m deep in the ground.
    pose, twist = initial_state(load_scene(scenes_dir() / f"{name}.toml"))
    expected = from_p1(np.array(CASES[name]["q0"]).reshape(-1, 7))
    np.testing.assert_allclose(pose[:, :3], expected[:, :3], atol=1e-9)
    np.testing.assert_allclose(matrices(pose[:, 3:]), matrices(expected[:, 3:]), atol=1e-9)
    assert not twist.any()


angles = st.lists(st.floats(-80, 80), min_size=4, max_size=4)


@settings(max_examples=20)
@given(
    angles, angles, st.floats(0, 0.05), st.integers(1, 5), st.floats(-180, 180), st.floats(-60, 60)
)
def test_chain_of_cardan_joints_agrees_with_mujoco(
    yaw: list[float], pitch: list[float], offset: float, link: int, heading: float, tilt: float
) -> None:
    # MuJoCo gets the pose of link 1 and the joint angles; its kinematics computes the others.
    scene = space(
        robot__n_links=5,
        robot__axis_offset_m=offset,
        start__kind="joint_angles",
        start__joint_angles_deg=yaw,
        start__joint_pitch_deg=pitch,
        start__link=link,
        start__heading_deg=heading,
        start__pitch_deg=tilt,
        start__roll_deg=33.0,
        start__z_m=1.0,
        start__x_m=0.3,
    )
    angles = np.column_stack([yaw, pitch]).ravel()
    pose, _ = initial_state(scene)
    data = build(scene)[1]
    np.testing.assert_allclose(pose[:, :3], data.xpos[1:], atol=1e-12)
    np.testing.assert_allclose(matrices(pose[:, 3:]).reshape(-1, 9), data.xmat[1:], atol=1e-12)
    np.testing.assert_allclose(pose[link - 1, :3], [0.3, 0.0, 1.0], atol=1e-12)
    np.testing.assert_allclose(np.degrees(joint_angles(pose, scene.body.axes)), angles, atol=1e-9)
    np.testing.assert_allclose(np.degrees(initial_joint_angles(scene)), angles, atol=1e-12)


def test_placed_link_has_the_heading_of_the_start() -> None:
    # A positive pitch points downwards, a positive roll rotates about the link's own axis.
    scene = space(
        start__kind="straight",
        start__link=6,
        start__heading_deg=90.0,
        start__pitch_deg=30.0,
        start__z_m=2.0,
    )
    pose, _ = initial_state(scene)
    axis = matrices(pose[:, 3:])[5, :, 0]
    np.testing.assert_allclose(axis, [0.0, np.cos(np.pi / 6), -0.5], atol=1e-12)
    rolled = initial_state(with_values(scene, {"start.roll_deg": 90.0}))[0]
    np.testing.assert_allclose(matrices(rolled[:, 3:])[5, :, 0], axis, atol=1e-12)
    np.testing.assert_allclose(matrices(rolled[:, 3:])[5, 2, 2], 0.0, atol=1e-12)


@given(
    st.floats(-45, 45),
    st.floats(-45, 45),
    st.floats(-120, 120),
    st.floats(-180, 180),
    st.floats(-180, 180),
)
def test_robot_in_gait_pose_is_level(
    yaw: float, pitch: float, shift: float, phase: float, heading: float
) -> None:
    scene = space(
        gait__kind="two_waves",
        gait__amplitude_deg=yaw,
        gait__phase_shift_deg=shift,
        gait__pitch_amplitude_deg=pitch,
        gait__pitch_phase_shift_deg=shift,
        gait__pitch_phase_deg=phase,
        start__kind="gait",
        start__heading_deg=heading,
    )
    pose, _ = initial_state(scene)
    turns = matrices(pose[:, 3:])
    np.testing.assert_allclose(
        joint_angles(pose, scene.body.axes),
        gait_joint_angles(scene.waves, scene.body.axes, 11),
        atol=1e-9,
    )
    lowest = (pose[:, 2] - 0.0393 * np.abs(turns[:, 2, 0]) - 0.0525).min()
    assert lowest == pytest.approx(-1e-6, abs=1e-12)
    mean = turns.mean(axis=0)
    assert mean[2, 0] == pytest.approx(0.0, abs=1e-9)  # not tilted
    assert mean[2, 1] == pytest.approx(0.0, abs=1e-9)  # not rolled
    flat, _ = initial_state(with_values(scene, {"gait.pitch_amplitude_deg": 0.0}))
    assert (flat[:, 2] == 0.0525 - 1e-6).all()
    along = matrices(flat[:, 3:])[:, :2, 0].mean(axis=0)
    if np.hypot(*along) > 1e-3 and np.hypot(*mean[:2, 0]) > 1e-3:
        aside = along[0] * mean[1, 0] - along[1] * mean[0, 0]
        assert aside == pytest.approx(0.0, abs=1e-9)  # the heading is that of the yaw wave alone


def test_start_at_a_height_moves_as_one_body() -> None:
    scene = space(
        start__kind="joint_angles",
        start__joint_angles_deg=[20.0] * 10,
        start__joint_pitch_deg=[5.0] * 10,
        start__z_m=0.7,
        start__vz_m_s=-1.0,
        start__vx_m_s=0.5,
        start__omega_deg_s=90.0,
        start__link=4,
    )
    pose, twist = initial_state(scene)
    assert pose[3, 2] == pytest.approx(0.7)
    np.testing.assert_allclose(twist[3], [0.5, 0.0, -1.0, 0.0, 0.0, np.pi / 2])
    apart = np.diff(pose[:, :3], axis=0)
    rate = np.diff(twist[:, :3], axis=0)
    np.testing.assert_allclose((apart * rate).sum(axis=1), 0.0, atol=1e-12)
    np.testing.assert_allclose(rate, np.cross([0.0, 0.0, np.pi / 2], apart), atol=1e-12)


def test_start_turns_about_any_axis_as_one_body() -> None:
    # scipy's rotation by exp(omega t) about the placed link, differentiated over time.
    scene = space(
        start__kind="joint_angles",
        start__joint_angles_deg=[20.0] * 10,
        start__joint_pitch_deg=[5.0] * 10,
        start__z_m=0.7,
        start__vz_m_s=-1.0,
        start__link=4,
        start__omega_deg_s=90.0,
        start__omega_x_deg_s=-200.0,
        start__omega_y_deg_s=35.0,
    )
    pose, twist = initial_state(scene)
    omega = np.radians([-200.0, 35.0, 90.0])
    h = 1e-6
    ahead, back = (Rotation.from_rotvec(sign * h * omega).as_matrix() for sign in (1.0, -1.0))
    arm = pose[:, :3] - pose[3, :3]
    np.testing.assert_allclose(
        twist[:, :3], arm @ ((ahead - back) / (2 * h)).T + [0, 0, -1.0], atol=1e-9
    )
    np.testing.assert_allclose(twist[:, 3:], np.tile(omega, (11, 1)), atol=1e-14)


def test_offset_axes_do_not_lengthen_the_robot() -> None:
    pose, _ = initial_state(space(robot__axis_offset_m=0.022))
    np.testing.assert_allclose(np.diff(pose[:, 0]), 0.122, atol=1e-15)


def test_planar_models_ignore_spatial_values() -> None:
    plain = with_values(Scene(), {"start.kind": "gait"})
    odd = with_values(
        plain,
        {
            "gait.kind": "two_waves",
            "start.z_m": 1.0,
            "start.pitch_deg": 20.0,
            "start.roll_deg": 20.0,
            "start.vz_m_s": 1.0,
            "start.omega_x_deg_s": 40.0,
            "start.omega_y_deg_s": 40.0,
        },
    )
    for one, other in zip(initial_state(plain), initial_state(odd), strict=True):
        np.testing.assert_array_equal(one, other)
    assert initial_joint_angles(odd).shape == (10,)


def test_axis_offset_belongs_to_the_link_behind() -> None:
    # The yaw axis is at the end of the link before; the pitch axis, at rest in the plane, is 0.02 m
    # further along the link behind.
    scene = with_values(Scene(), {"start.kind": "gait", "robot.axis_offset_m": 0.02})
    length = scene.robot.link_length_m
    ends = []
    pose, _ = initial_state(scene)
    for sign, arm in ((1.0, 0.5 * (length - 0.02)), (-1.0, 0.5 * (length + 0.02))):
        ends.append(pose[:, :3] + sign * arm * matrices(pose[:, 3:])[:, :, 0])
    np.testing.assert_allclose(ends[0][:-1], ends[1][1:], atol=1e-14)
    smooth, _ = initial_state(with_values(scene, {"model.kind": "planar_lagrangian"}))
    plain, _ = initial_state(
        with_values(scene, {"robot.axis_offset_m": 0.0, "model.kind": "planar_lagrangian"})
    )
    np.testing.assert_array_equal(smooth, plain)


@given(st.floats(-4, 4), st.floats(-4, 4), st.floats(-4, 4))
def test_quaternion_equals_its_matrix(yaw: float, pitch: float, roll: float) -> None:
    turn = rotation(yaw, pitch, roll)[None]
    quaternion = quaternions(turn)
    assert np.linalg.norm(quaternion) == pytest.approx(1.0)
    np.testing.assert_allclose(matrices(quaternion), turn, atol=1e-14)
