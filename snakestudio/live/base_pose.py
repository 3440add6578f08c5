"""Where the links of a live robot are: from joint angles and tracked links, or at a base that nobody measured.

**With tracked links** the chain is bent as the measured joints are (P1's joint conventions,
`model.chain`) and laid over the tracked links by least squares. With c_i, A_i place and orientation
of link i in the chain, and p_i, Q_i those that were tracked, the turn R and the shift t make

    sum_i |R c_i + t - p_i|^2 + L^2 / 4 sum_i |R A_i - Q_i|^2

least: an orientation that is off by a small angle a counts as a place that is off by L a / sqrt(2),
L the link length. It is Wahba's problem, solved by one singular value decomposition (Markley 1988).
One link and its orientation do.

**Without** the robot is drawn where the scene starts, headed as there, and level as a whole: the
mean of its links stands still, not one link, for a robot that undulates about its first link looks
like a whip.
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
class Placed:
    """A chain laid over tracked links."""

    pose: FloatArray
    """Of all links, as in `Snapshot`. Shape (n, 7)."""

    misfit: float
    """Root mean square distance of the tracked links from where the chain has them, m."""


@dataclass(frozen=True, slots=True)
class BasePose:
    """Where a robot that nobody sees is drawn."""

    centre: FloatArray
    """Mean of its links' places on the ground, m. Shape (2,)."""

    heading: float
    """Mean direction of its links, rad."""

    flat: bool
    """Whether the scene is one in the plane: then pitch is not drawn."""

    def pose(self, robot: Robot, angles: FloatArray, axes: tuple[Axis, ...]) -> FloatArray:
        """Poses (n, 7) of the links for angles (m,), rad, of joint axes; what is NaN counts as straight."""
        if self.flat:
            angles = np.where([axis.kind == "yaw" for axis in axes], angles, 0.0)
        place, turns = chain(np.eye(3), np.nan_to_num(angles), robot, axes)
        along = turns[:, :, 0].mean(axis=0)
        left = turns[:, :, 1].mean(axis=0)
        # A robot that is rolled into a ring heads nowhere; any direction will do then.
        level = rotation(0.0, -math.atan2(-along[2], math.hypot(along[0], along[1])))
        level = level @ rotation(-math.atan2(along[1], along[0]))
        left = level @ left
        whole = rotation(self.heading) @ rotation(0.0, 0.0, -math.atan2(left[2], left[1])) @ level
        place = place @ whole.T
        turns = whole @ turns
        place[:, :2] += self.centre - place[:, :2].mean(axis=0)
        place[:, 2] += height_of_lowest(place, turns, robot)
        return np.column_stack([place, quaternions(turns)])


def station_at(pose: FloatArray, flat: bool) -> BasePose:
    """Where the robot is drawn whose links were last known at `pose`, (n, 7); `flat`: in a scene in the plane."""
    along = matrices(pose[:, 3:])[:, :, 0].mean(axis=0)
    return BasePose(pose[:, :2].mean(axis=0), math.atan2(along[1], along[0]), flat)


def placed_by(
    robot: Robot, angles: FloatArray, axes: tuple[Axis, ...], links: IndexArray, tracked: FloatArray
) -> Placed:
    """Lay the chain of a robot over the links that are tracked.

    Parameters
    ----------
    angles : (m,) array
        Measured angles of the joint axes, rad, all finite.
    links : (k,) int array
        Which links are tracked, 0-based, k >= 1.
    tracked : (k, 7) array
        Their poses, as in `Snapshot`.
    """
    place, turns = chain(np.eye(3), angles, robot, axes)
    own = place[links]
    seen = tracked[:, :3]
    middle = own.mean(axis=0)
    seen_middle = seen.mean(axis=0)
    weight = 0.25 * robot.link_length_m**2
    both = (seen - seen_middle).T @ (own - middle)
    both += weight * np.einsum("kij,klj->il", matrices(tracked[:, 3:]), turns[links])
    u, _, vt = np.linalg.svd(both)
    turn = u @ np.diag([1.0, 1.0, np.linalg.det(u) * np.linalg.det(vt)]) @ vt
    place = (place - middle) @ turn.T + seen_middle
    misfit = float(np.sqrt(np.square(place[links] - seen).sum(axis=1).mean()))
    return Placed(np.column_stack([place, quaternions(turn @ turns)]), misfit)


def started_at(scene: Scene, angles: FloatArray, pose: FloatArray, measured: bool) -> Scene:
    """`scene` with a start in which its robot lies as a live one does.

    Parameters
    ----------
    scene : Scene
        With links.
    angles : (m,) array
        Of the scene's joint axes, rad; NaN counts as straight.
    pose : (n, 7) array
        Of the links.
    measured : bool
        Whether somebody measured where they are. Even then the robot is laid on the ground in a
        model in space: that a tracked link is a millimetre in the ground would throw it up.
    """
    bends = joint_lists(scene, np.nan_to_num(angles))
    roll, pitch, yaw = np.degrees(roll_pitch_yaw(pose[0, 3:])).tolist()
    start = JointAnglesStart(x_m=float(pose[0, 0]), y_m=float(pose[0, 1]), heading_deg=yaw, **bends)
    if scene.model.spatial:
        start = start.model_copy(update={"pitch_deg": pitch, "roll_deg": roll})
        high = measured and float(pose[:, 2].min()) > 2.0 * (
            scene.robot.radius_m + scene.robot.link_length_m
        )
        if high:  # it is carried, or stands on something
            start = start.model_copy(update={"z_m": float(pose[0, 2])})
    return scene.model_copy(update={"start": start})
