"""Poses of a live robot's links, from joint angles and tracked links, or at an assumed base if no link is tracked.

**With tracked links** the chain has the measured joint angles (P1's joint conventions,
`model.chain`) and is fitted to the tracked links by least squares. With c_i, A_i the position and
orientation of link i in the chain, and p_i, Q_i those of the tracked link, the rotation R and the
translation t minimise

    sum_i |R c_i + t - p_i|^2 + L^2 / 4 sum_i |R A_i - Q_i|^2

An orientation error of a small angle a counts as a position error of L a / sqrt(2), with the link
length L. This is Wahba's problem, solved by one singular value decomposition (Markley 1988). One
tracked link with its orientation is sufficient.

**Without tracked links** the robot is drawn at the start of the scene, with its heading, and level
on average. The mean position of its links is fixed rather than one link, because a robot that
undulates about its first link looks like a whip.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from snakestudio._arrays import FloatArray, IndexArray
from snakestudio.model.motion import JointAnglesStart
from snakestudio.model.robot.chain import chain, height_of_lowest
from snakestudio.model.robot.pose import joint_lists
from snakestudio.model.robot.robot import Axis, Robot
from snakestudio.model.rotations import matrices, quaternions, roll_pitch_yaw, rotation
from snakestudio.model.scene import Scene


@dataclass(frozen=True, slots=True)
class ChainFit:
    """A chain fitted to tracked links."""

    pose: FloatArray
    """Poses of all links, as in `Snapshot`. Shape (n, 7)."""

    misfit: float
    """Root mean square distance of the tracked links from those of the chain, m."""


@dataclass(frozen=True, slots=True)
class BasePose:
    """Assumed base of a robot whose links are not tracked."""

    centre: FloatArray
    """Mean position of the links on the ground, m. Shape (2,)."""

    heading: float
    """Mean direction of the links, rad."""

    flat: bool
    """Whether the scene is planar, so that pitch is not drawn."""

    def pose(self, robot: Robot, angles: FloatArray, axes: tuple[Axis, ...]) -> FloatArray:
        """Return poses (n, 7) of the links for angles (m,), rad, of joint axes; NaN counts as straight."""
        if self.flat:
            angles = np.where([axis.kind == "yaw" for axis in axes], angles, 0.0)
        positions, orientations = chain(np.eye(3), np.nan_to_num(angles), robot, axes)
        along = orientations[:, :, 0].mean(axis=0)
        left = orientations[:, :, 1].mean(axis=0)
        # The mean direction of a closed ring is zero; any heading is right for it.
        level = rotation(0.0, -math.atan2(-along[2], math.hypot(along[0], along[1])))
        level = level @ rotation(-math.atan2(along[1], along[0]))
        left = level @ left
        turn = rotation(self.heading) @ rotation(0.0, 0.0, -math.atan2(left[2], left[1])) @ level
        positions = positions @ turn.T
        orientations = turn @ orientations
        positions[:, :2] += self.centre - positions[:, :2].mean(axis=0)
        positions[:, 2] += height_of_lowest(positions, orientations, robot)
        return np.column_stack([positions, quaternions(orientations)])


def base_pose_at(pose: FloatArray, flat: bool) -> BasePose:
    """Return the base of a robot with last known link poses (n, 7); `flat`: whether the scene is planar."""
    along = matrices(pose[:, 3:])[:, :, 0].mean(axis=0)
    return BasePose(pose[:, :2].mean(axis=0), math.atan2(along[1], along[0]), flat)


def fit_chain(
    robot: Robot, angles: FloatArray, axes: tuple[Axis, ...], links: IndexArray, tracked: FloatArray
) -> ChainFit:
    """Fit the chain of a robot to its tracked links.

    Parameters
    ----------
    angles : (m,) array
        Measured angles of the joint axes, rad, all finite.
    links : (k,) int array
        Indices of the tracked links, k >= 1.
    tracked : (k, 7) array
        Their poses, as in `Snapshot`.
    """
    positions, orientations = chain(np.eye(3), angles, robot, axes)
    in_chain = positions[links]
    measured = tracked[:, :3]
    centre = in_chain.mean(axis=0)
    measured_centre = measured.mean(axis=0)
    weight = 0.25 * robot.link_length_m**2
    covariance = (measured - measured_centre).T @ (in_chain - centre)
    covariance += weight * np.einsum("kij,klj->il", matrices(tracked[:, 3:]), orientations[links])
    u, _, vt = np.linalg.svd(covariance)
    turn = u @ np.diag([1.0, 1.0, np.linalg.det(u) * np.linalg.det(vt)]) @ vt
    positions = (positions - centre) @ turn.T + measured_centre
    misfit = float(np.sqrt(np.square(positions[links] - measured).sum(axis=1).mean()))
    return ChainFit(np.column_stack([positions, quaternions(turn @ orientations)]), misfit)


def with_start_at(scene: Scene, angles: FloatArray, pose: FloatArray, measured: bool) -> Scene:
    """Return `scene` with the state of a live robot as its start.

    Parameters
    ----------
    scene : Scene
        A scene with links.
    angles : (m,) array
        Angles of the scene's joint axes, rad; NaN counts as straight.
    pose : (n, 7) array
        Poses of the links.
    measured : bool
        Whether the poses are measured. Even then a spatial model places the robot on the ground,
        because a tracked link a millimetre below the ground would throw it up.
    """
    bends = joint_lists(scene, np.nan_to_num(angles))
    roll, pitch, yaw = np.degrees(roll_pitch_yaw(pose[0, 3:])).tolist()
    start = JointAnglesStart(x_m=float(pose[0, 0]), y_m=float(pose[0, 1]), heading_deg=yaw, **bends)
    if scene.model.spatial:
        start = start.model_copy(update={"pitch_deg": pitch, "roll_deg": roll})
        high = measured and float(pose[:, 2].min()) > 2.0 * (
            scene.robot.radius_m + scene.robot.link_length_m
        )
        if high:  # the robot is carried, or is on top of something
            start = start.model_copy(update={"z_m": float(pose[0, 2])})
    return scene.model_copy(update={"start": start})
