"""The shape of a gait: its phase in the cycle, its position, and the links on the ground."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog
from scipy.spatial import Delaunay
from scipy.spatial.transform import Rotation

from snakestudio.control import registry as controllers
from snakestudio.kinds.formulation import FORMULATIONS
from snakestudio.model.edits import with_values
from snakestudio.model.motion import TwoWaves
from snakestudio.model.robot.robot import Robot
from snakestudio.model.scene import Scene
from snakestudio.viewmodel.scene.gait_shape import (
    chain_of_angles,
    chain_of_snapshot,
    fitted,
    gait_angles,
    levelled,
    period,
    resting,
)
from tests.gui.fake import make_recording

ROBOT = Robot()
SIDEWINDING = TwoWaves(
    amplitude_deg=30,
    frequency_deg_s=80,
    phase_shift_deg=-50,
    pitch_amplitude_deg=10,
    pitch_frequency_deg_s=80,
    pitch_phase_shift_deg=-50,
    pitch_phase_deg=90,
)


def spatial(gait: TwoWaves) -> Scene:
    return Scene(model=FORMULATIONS["spatial_nonsmooth"].fields(), gait=gait)


def test_planar_chain_is_a_sum_of_headings() -> None:
    angles = np.zeros(20)
    angles[::2] = np.linspace(-0.4, 0.6, 10)
    heading = np.concatenate([[0.0], np.cumsum(angles[::2])])
    ends = np.cumsum(
        ROBOT.link_length_m * np.column_stack([np.cos(heading), np.sin(heading)]), axis=0
    )
    joints = chain_of_angles(angles, ROBOT, ROBOT.axes).joints
    assert np.allclose(joints[1:, :2] - joints[0, :2], ends, atol=1e-12)
    assert np.allclose(joints[:, 2], 0.0)


def test_positive_pitch_lowers_the_following_links() -> None:
    angles = np.zeros(20)
    angles[9] = 0.3
    joints = chain_of_angles(angles, ROBOT, ROBOT.axes).joints
    assert np.allclose(joints[:6, 2], 0.0)
    # Six links behind the joint, all pointing 0.3 rad downwards.
    assert joints[-1, 2] == pytest.approx(-6 * ROBOT.link_length_m * math.sin(0.3))


@pytest.mark.parametrize(
    "changes", [{}, {"amplitude_deg": -30.0, "phase_deg": 40.0}, {"pitch_amplitude_deg": -10.0}]
)
def test_gait_is_shown_at_the_phase_of_its_references(changes: dict[str, float]) -> None:
    scene = spatial(SIDEWINDING.model_copy(update=changes))
    snapshot = make_recording(scene, 140).snapshot(123)
    assert np.allclose(gait_angles(scene, snapshot), snapshot.joint_angle_ref, atol=1e-9)


def test_later_shape_equals_later_references() -> None:
    scene = spatial(SIDEWINDING)
    controller = controllers.create(scene)
    time = 0.7
    told = controller.reference(np.array([3.0, 3.0 + time]), None).angle
    early = gait_angles(scene, None, 3.0)
    assert np.allclose(early, told[0], atol=1e-9)
    assert np.allclose(gait_angles(scene, None, 3.0 + time), told[1], atol=1e-9)
    assert period(scene) == pytest.approx(360 / 80)


def test_wave_without_amplitude_keeps_its_phase() -> None:
    flat = SIDEWINDING.model_copy(update={"pitch_amplitude_deg": 0.0})
    snapshot = make_recording(spatial(flat), 140).snapshot(123)
    full = make_recording(spatial(SIDEWINDING), 140).snapshot(123)
    # The amplitude is increased during motion: the vertical wave appears at the phase that it would
    # have had.
    assert np.allclose(gait_angles(spatial(SIDEWINDING), snapshot), full.joint_angle_ref, atol=1e-9)


def _random_angles(seed: int) -> np.ndarray:
    rng = np.random.default_rng(seed)
    joints = np.arange(10)
    yaw = rng.uniform(0.1, 0.9) * np.sin(rng.uniform(0, 6) + joints * rng.uniform(-1.2, 1.2))
    pitch = rng.uniform(0.02, 0.5) * np.sin(rng.uniform(0, 6) + joints * rng.uniform(-1.2, 1.2))
    return np.column_stack([yaw, pitch]).ravel()


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 2**32 - 1))
def test_shape_at_rest_is_balanced(seed: int) -> None:
    chain = chain_of_angles(_random_angles(seed), ROBOT, ROBOT.axes)
    rest = resting(chain, ROBOT.radius_m)
    # It is the same shape, only moved.
    for a, b in ((0, 5), (3, 11), (0, 11)):
        assert np.linalg.norm(rest.joints[a] - rest.joints[b]) == pytest.approx(
            np.linalg.norm(chain.joints[a] - chain.joints[b]), abs=1e-9
        )
    feet = rest.feet.reshape(-1, 3)
    assert feet[:, 2].min() == pytest.approx(ROBOT.radius_m, abs=1e-12)
    # Balance: the centre is above the polygon of the feet on the ground, whose pads are 0.2 radii
    # to either side.
    pad = 0.2 * ROBOT.radius_m
    down = feet[feet[:, 2] < ROBOT.radius_m + pad][:, :2]
    corners = np.concatenate([down + np.array([x, y]) for x in (-pad, pad) for y in (-pad, pad)])
    assert Delaunay(corners).find_simplex(rest.joints[:, :2].mean(axis=0)) >= 0


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 2**32 - 1))
def test_no_lower_plane_supports_a_shape_at_rest(seed: int) -> None:
    rest = resting(chain_of_angles(_random_angles(seed), ROBOT, ROBOT.axes), ROBOT.radius_m)
    feet = rest.feet.reshape(-1, 3)
    middle = rest.joints.mean(axis=0)
    # scipy's answer: how high, below the centre, can a plane be with no foot under it?
    rows = np.column_stack([np.ones(len(feet)), feet[:, :2] - middle[:2]])
    best = linprog([-1, 0, 0], A_ub=rows, b_ub=feet[:, 2], bounds=[(None, None), (-3, 3), (-3, 3)])
    assert best.status == 0
    assert best.fun is not None
    # Planes through feet without pads may be steeper, and therefore slightly higher.
    assert ROBOT.radius_m - 1e-9 <= -best.fun <= ROBOT.radius_m + 0.2 * ROBOT.radius_m


def test_links_on_the_ground_are_found() -> None:
    straight = resting(chain_of_angles(np.zeros(20), ROBOT, ROBOT.axes), ROBOT.radius_m)
    assert not straight.lifted(ROBOT.radius_m).any()
    flat = chain_of_angles(gait_angles(Scene(), None), ROBOT, Scene().body.axes)
    assert not resting(flat, ROBOT.radius_m).lifted(ROBOT.radius_m).any()
    # In sidewinding 2.4 of 22 contacts are closed on average (an independent simulation of P1,
    # VIII-E).
    scene = spatial(SIDEWINDING)
    standing = []
    for time in np.linspace(0.0, period(scene), 24, endpoint=False):
        chain = resting(
            chain_of_angles(gait_angles(scene, None, time), ROBOT, scene.body.axes), ROBOT.radius_m
        )
        standing.append(int((~chain.lifted(ROBOT.radius_m)).sum()))
    assert 2.0 <= float(np.mean(standing)) <= 3.0


def test_shape_has_the_pose_of_the_robot() -> None:
    shape = chain_of_angles(_random_angles(5), ROBOT, ROBOT.axes)
    turn = Rotation.from_euler("ZYX", [1.1, 0.4, 2.5]).as_matrix()
    lying = shape.moved(turn, np.array([0.3, -0.2, 0.7]))
    again = fitted(shape, lying)
    assert np.allclose(again.joints, lying.joints - lying.joints.mean(axis=0), atol=1e-12)


@pytest.mark.parametrize("head_right", [True, False])
def test_previews_are_horizontal_with_the_head_right(head_right: bool) -> None:
    scene = Scene()
    chain = levelled(
        chain_of_snapshot(make_recording(scene, 30).snapshot(20), scene.robot), head_right
    )
    first = chain.joints[0]
    last = chain.joints[-1]
    assert first[1] == pytest.approx(last[1])
    assert (first[0] > last[0]) == head_right


def test_shape_without_gait_is_that_of_the_references() -> None:
    scene = with_values(Scene(), {"controller.kind": "leader_follower"})
    recording = make_recording(scene, 50)
    shot = recording.snapshot(40)
    assert np.array_equal(gait_angles(scene, shot), shot.joint_angle_ref)
    assert not np.array_equal(gait_angles(Scene(), shot), shot.joint_angle_ref)
