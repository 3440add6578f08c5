"""Kinematics of a chain in space: link poses from joint angles, the pose of a gait, and joint angles from poses."""

from __future__ import annotations

import math

import numpy as np

from snakestudio._arrays import FloatArray
from snakestudio.model.motion import BodyWaves, Wave
from snakestudio.model.robot.joint_axes import by_joint, in_a_row, joints
from snakestudio.model.robot.robot import Axis, Robot
from snakestudio.model.rotations import matrices, rotation


def wave_directions(wave: Wave, n_links: int, axis: float = 0.0) -> FloatArray:
    """Return the directions of all links in the plane, (n,), rad, for the wave's joint angles at t = 0.

    The axis of the wave has the direction `axis`: theta_i = axis - A / (2 sin(delta/2)) cos((i - 3/2)
    delta + phase), and an offset psi bends the robot evenly about its middle. If the wave is so long
    that links would turn by more than half a turn from the axis, the robot shows no axis; then the mean
    direction is `axis`.
    """
    amplitude, _, delta, phase, offset = wave
    n = n_links
    bend = offset * (np.arange(n) - 0.5 * (n - 1))
    half_sine = 2.0 * math.sin(0.5 * delta)
    if abs(amplitude) <= math.pi * abs(half_sine):
        angle = (np.arange(n) - 0.5) * delta + phase
        turned = -amplitude / half_sine * np.cos(angle) if amplitude else np.zeros(n)
    else:
        turned = np.concatenate(
            [[0.0], np.cumsum(amplitude * np.sin(np.arange(n - 1) * delta + phase))]
        )
        turned -= turned.mean()
    directions: FloatArray = axis + turned + bend
    return directions


def _directions(
    waves: BodyWaves, wave: Wave, kind: str, axes: tuple[Axis, ...], n_links: int
) -> FloatArray:
    """Return the directions as in `wave_directions` if only joints with an axis of `kind` take part in the wave.

    If some joints do not, the mean direction is 0.
    """
    if len(joints(axes, kind)) == n_links - 1 and not waves.envelope:
        return wave_directions(wave, n_links)
    angles = by_joint(_wave_angles(waves, wave, kind, axes, n_links), axes, kind, n_links - 1)
    turned = np.concatenate([[0.0], np.cumsum(angles)])
    directions: FloatArray = turned - turned.mean()
    return directions


def _wave_angles(
    waves: BodyWaves, wave: Wave, kind: str, axes: tuple[Axis, ...], n_links: int
) -> FloatArray:
    return in_a_row({kind: waves.angles(wave, np.arange(n_links - 1.0), wave.phase)}, axes)


def gait_joint_angles(waves: BodyWaves, axes: tuple[Axis, ...], n_links: int) -> FloatArray:
    """Return the angles of all joint axes at t = 0, (m,), rad (P1 (70), (71))."""
    yaw, pitch = (_wave_angles(waves, wave, kind, axes, n_links) for kind, wave in waves.of_kinds)
    angles: FloatArray = yaw + pitch
    return angles


def chain(
    first: FloatArray, angles: FloatArray, robot: Robot, axes: tuple[Axis, ...]
) -> tuple[FloatArray, FloatArray]:
    """Centres of gravity (n, 3), m, and orientations (n, 3, 3) of a closed chain whose first link is at the origin.

    R_{k+1} = R_k R_z(yaw) R_y(pitch) R_x(roll). In a joint with yaw and pitch, the pitch axis is the
    axis offset d behind the yaw axis; the yaw axis of joint k is H - d/2 before the middle of link k
    (H is half the link length), and the middle of link k + 1 equally far behind the pitch axis, so a
    straight robot is as long as its links.

    Parameters
    ----------
    first : (3, 3)
        Orientation of the first link.
    angles : (m,)
        Angles of the axes, rad.
    robot : Robot
        Robot that supplies link values and axis offsets.
    axes : tuple of Axis
        Axes of the angles: `robot.axes` or a subset; the other axes are at 0.
    """
    n = robot.n_links
    turns = np.empty((n, 3, 3))
    turns[0] = first
    between = np.empty((n - 1, 3))  # direction from the yaw axis to the pitch axis
    yaw, pitch, roll = (
        by_joint(angles, axes, kind, n - 1).tolist() for kind in ("yaw", "pitch", "roll")
    )
    rolls = len(joints(axes, "roll")) > 0
    for k in range(n - 1):
        middle = turns[k] @ rotation(yaw[k])
        between[k] = middle[:, 0]
        turns[k + 1] = middle @ rotation(0.0, pitch[k], roll[k] if rolls else 0.0)
    length, centred = (
        np.array([getattr(link, name) for link in robot.links])
        for name in ("length", "centre_of_mass")
    )
    offset = np.array([joint.axis_offset for joint in robot.joint_list])
    before = 0.5 * (length[:-1] - offset) - centred[:-1]
    behind = 0.5 * (length[1:] - offset) + centred[1:]
    along = turns[:-1, :, 0]
    ahead = turns[1:, :, 0]
    # If both arms are equal, so are the results, to the bit.
    mean = 0.5 * (before + behind)[:, None]
    apart = 0.5 * (before - behind)[:, None]
    step = mean * (along + ahead) + apart * (along - ahead) + offset[:, None] * between
    centre = np.zeros((n, 3))
    centre[1:] = np.cumsum(step, axis=0)
    return centre, turns


def middles(centre: FloatArray, turns: FloatArray, robot: Robot) -> FloatArray:
    """Middles of the links, (n, 3), m, halfway between their joints; the centre of gravity may lie elsewhere."""
    if robot.equal_links:
        return centre
    shift = np.array([link.centre_of_mass for link in robot.links])
    result: FloatArray = centre - shift[:, None] * turns[:, :, 0]
    return result


def height_of_lowest(centre: FloatArray, turns: FloatArray, robot: Robot) -> float:
    """Return the height by which to raise the robot so that its lowest link touches the ground, m."""
    radius, half = (
        np.array([getattr(link, name) for link in robot.links])
        for name in ("radius", "contact_half_length")
    )
    height = (
        middles(centre, turns, robot)[:, 2] - half * np.abs(turns[:, 2, 0]) - (radius - radius[0])
    )
    return float(radius[0]) - float(height.min())


def level_gait_frame(waves: BodyWaves, robot: Robot, axes: tuple[Axis, ...]) -> FloatArray:
    """Return the orientation (3, 3) of link 1 for which the robot in the gait's pose at t = 0 is level along x.

    The axis of the yaw wave is x (see `wave_directions`). With a pitch wave, link 1 also has the
    direction of that wave; because rotations in space do not add, the whole robot is then rotated until
    the mean of its links is level, neither tilted nor rolled, with the heading of the yaw wave alone.
    """
    heading = _directions(waves, waves.yaw, "yaw", axes, robot.n_links)
    if waves.vertical != "pitch" or (waves.pitch.amplitude == 0.0 and waves.pitch.offset == 0.0):
        return rotation(float(heading[0]))
    first = rotation(
        float(heading[0]), float(_directions(waves, waves.pitch, "pitch", axes, robot.n_links)[0])
    )
    angles = gait_joint_angles(waves, axes, robot.n_links)
    target = math.atan2(np.sin(heading).sum(), np.cos(heading).sum())
    return level_frame(angles, robot, axes, first, target)


def level_frame(
    angles: FloatArray,
    robot: Robot,
    axes: tuple[Axis, ...],
    first: FloatArray | None = None,
    heading: float = 0.0,
) -> FloatArray:
    """Return the orientation (3, 3) of link 1 for which the mean of the links is level and has a heading, rad.

    Parameters
    ----------
    angles : (m,)
        Angles of the axes, rad.
    first : (3, 3), optional
        Orientation of link 1 before the rotation, which is as small as possible.
    heading : float
        Heading, rad.
    """
    first = np.eye(3) if first is None else first
    turns = chain(first, angles, robot, axes)[1]
    along = turns[:, :, 0].mean(axis=0)
    left = turns[:, :, 1].mean(axis=0)
    tilt = math.atan2(-along[2], math.hypot(along[0], along[1]))
    unheaded = rotation(0.0, -tilt) @ rotation(-math.atan2(along[1], along[0]))
    left = unheaded @ left
    level: FloatArray = (
        rotation(heading) @ rotation(0.0, 0.0, -math.atan2(left[2], left[1])) @ unheaded @ first
    )
    return level


def joint_angles(pose: FloatArray, axes: tuple[Axis, ...]) -> FloatArray:
    """Return the angles of all joint axes of a robot in space, (m,), rad, between -pi and pi.

    P1 (65), (66) in the program's axes, R_k^T R_{k+1} = R_z(yaw) R_y(pitch) R_x(roll), by atan2, valid
    for any angle. For joints with three axes the pitch is between -pi/2 and pi/2.


    Parameters
    ----------
    pose : (n, 7)
        As in `Snapshot`.
    """
    turns = matrices(pose[:, 3:])
    relative = np.einsum("nji,njk->ikn", turns[:-1], turns[1:])
    kinds = [tuple(axis.kind for axis in axes if axis.joint == k) for k in range(len(pose) - 1)]
    result = np.empty(len(axes))
    for here in set(kinds):
        those = np.array([k for k, own in enumerate(kinds) if own == here], np.intp)
        for kind, angle in zip(here, _angles_of(here, relative[:, :, those]), strict=True):
            places = [
                entry
                for entry, axis in enumerate(axes)
                if axis.kind == kind and kinds[axis.joint] == here
            ]
            result[places] = angle
    return result


def _angles_of(kinds: tuple[str, ...], r: FloatArray) -> tuple[FloatArray, ...]:
    """Return angles (j,) of joints with these axes, from rotations (3, 3, j)."""
    match kinds:
        case ("yaw",):
            return (np.arctan2(r[1, 0] - r[0, 1], r[0, 0] + r[1, 1]),)
        case ("pitch",):
            return (np.arctan2(r[0, 2] - r[2, 0], r[0, 0] + r[2, 2]),)
        case ("roll",):
            return (np.arctan2(r[2, 1] - r[1, 2], r[1, 1] + r[2, 2]),)
        case ("yaw", "pitch"):
            return np.arctan2(-r[0, 1], r[1, 1]), np.arctan2(-r[2, 0], r[2, 2])
        case ("yaw", "roll"):
            return np.arctan2(r[1, 0], r[0, 0]), np.arctan2(r[2, 1], r[2, 2])
        case ("pitch", "roll"):
            return np.arctan2(-r[2, 0], r[0, 0]), np.arctan2(-r[1, 2], r[1, 1])
        case ("yaw", "pitch", "roll"):
            pitch = np.arctan2(-r[2, 0], np.hypot(r[0, 0], r[1, 0]))
            return np.arctan2(r[1, 0], r[0, 0]), pitch, np.arctan2(r[2, 1], r[2, 2])
    return ()
