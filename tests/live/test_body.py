from __future__ import annotations

import math

import numpy as np
import pytest

from snakestudio.live.base_pose import base_pose_at, fit_chain, with_start_at
from snakestudio.model.edits import with_values
from snakestudio.model.robot.chain import chain, joint_angles
from snakestudio.model.robot.pose import initial_joint_angles, initial_state
from snakestudio.model.robot.robot import Robot
from snakestudio.model.rotations import quaternions, rotation
from snakestudio.model.scene import Scene

ROBOT = Robot(n_links=6, axis_offset_m=0.022)
SPATIAL = with_values(Scene(), {"model.kind": "spatial_nonsmooth", "robot.n_links": 6})


def bent(seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).uniform(-0.6, 0.6, 10)


def somewhere(angles: np.ndarray, robot: Robot = ROBOT) -> np.ndarray:
    """Return the chain at an arbitrary pose: rotated by 40, 10 and -20 degrees, and shifted."""
    turn = rotation(math.radians(40), math.radians(10), math.radians(-20))
    position, turns = chain(np.eye(3), angles, robot, robot.axes)
    return np.column_stack([position @ turn.T + [1.0, -2.0, 0.3], quaternions(turn @ turns)])


def same(pose: np.ndarray, other: np.ndarray, places: float = 1e-9) -> None:
    np.testing.assert_allclose(pose[:, :3], other[:, :3], atol=places)
    np.testing.assert_allclose(np.abs((pose[:, 3:] * other[:, 3:]).sum(axis=1)), 1.0, atol=places)


@pytest.mark.parametrize("links", [(0,), (3,), (5,), (0, 5), (1, 2, 4), tuple(range(6))])
def test_any_tracked_links_locate_the_robot(links: tuple[int, ...]) -> None:
    angles = bent()
    truth = somewhere(angles)
    fit = fit_chain(ROBOT, angles, ROBOT.axes, np.array(links), truth[list(links)])
    same(fit.pose, truth)
    assert fit.misfit < 1e-9


def test_noise_of_many_links_averages_out() -> None:
    """Independent errors of n positions: the error of their mean is smaller by the root of n."""
    angles = bent()
    random = np.random.default_rng(1)
    truth = somewhere(angles)
    errors = []
    for _ in range(200):
        seen = truth.copy()
        seen[:, :3] += random.normal(0.0, 0.003, (6, 3))
        errors.append(
            fit_chain(ROBOT, angles, ROBOT.axes, np.arange(6), seen).pose[:, :3].mean(axis=0)
            - truth[:, :3].mean(axis=0)
        )
    spread = np.std(errors, axis=0)
    np.testing.assert_allclose(spread, 0.003 / math.sqrt(6), rtol=0.2)


def test_tracked_links_with_wrong_numbers_do_not_fit() -> None:
    """Swapped ends: their distance is right, but each is turned about."""
    angles = bent()
    truth = somewhere(angles)
    assert fit_chain(ROBOT, angles, ROBOT.axes, np.array([0, 3]), truth[[3, 1]]).misfit > 0.02


def test_untracked_robot_is_level_and_does_not_drift() -> None:
    scene = with_values(
        SPATIAL, {"start.kind": "straight", "start.x_m": 1.0, "start.heading_deg": 90.0}
    )
    start = initial_state(scene)[0]
    base = base_pose_at(start, flat=False)
    for seed in range(3):
        pose = base.pose(scene.robot, bent(seed), scene.robot.axes)
        np.testing.assert_allclose(pose[:, :2].mean(axis=0), start[:, :2].mean(axis=0), atol=1e-12)
        np.testing.assert_allclose(joint_angles(pose, scene.robot.axes), bent(seed), atol=1e-9)
        along = np.array([rotation(0) @ (pose[k + 1, :3] - pose[k, :3]) for k in range(5)]).sum(
            axis=0
        )
        assert along[1] > 0.0  # it has the heading of the scene's start
        assert pose[:, 2].min() > 0.0
    # FLAT_DEPTH below the ground
    same(base.pose(scene.robot, np.zeros(10), scene.robot.axes), start, 2e-6)


def test_unreported_joints_are_straight_and_flat_in_the_plane() -> None:
    scene = with_values(Scene(), {"robot.n_links": 6})
    angles = bent()
    angles[4:6] = np.nan
    pose = base_pose_at(initial_state(scene)[0], flat=True).pose(
        scene.robot, angles, scene.robot.axes
    )
    assert np.isfinite(pose).all()
    np.testing.assert_allclose(pose[:, 2], scene.robot.radius_m)
    np.testing.assert_allclose(joint_angles(pose, scene.robot.axes)[4:6], 0.0, atol=1e-12)


@pytest.mark.parametrize("kind", ["planar_nonsmooth", "spatial_nonsmooth"])
def test_scene_starts_at_the_robots_pose(kind: str) -> None:
    scene = with_values(Scene(), {"model.kind": kind, "robot.n_links": 6})
    angles = bent() if scene.model.spatial else bent()[::2]
    pose = base_pose_at(initial_state(scene)[0], not scene.model.spatial).pose(
        scene.robot, angles, scene.body.axes
    )
    started = with_start_at(scene, angles, pose, measured=False)
    np.testing.assert_allclose(initial_joint_angles(started), angles, atol=1e-12)
    same(initial_state(started)[0], pose, 2e-6)
