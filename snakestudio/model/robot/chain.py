"""Where the links of a chain in space are: cardan joints, the pose a gait asks for, and joint angles of given poses."""

from __future__ import annotations

import math

import numpy as np

from snakestudio._arrays import FloatArray
from snakestudio.model.motion import GaitFields, Wave
from snakestudio.model.rotations import matrices, rotation

__all__ = ["chain", "gait_joint_angles", "joint_angles", "level_gait_frame", "wave_directions"]


def wave_directions(wave: Wave, n_links: int, axis: float = 0.0) -> FloatArray:
    """Directions of all links in the plane, (n,), rad, whose joints have the wave's angles at t = 0.

    The wave has its axis in direction `axis`: theta_i = axis - A / (2 sin(delta/2)) cos((i - 3/2) delta + phase), and
    an offset psi bends the robot evenly about its middle. Where the wave is so long that its links would turn by more
    than half a turn from the axis, no axis shows within the robot; then the mean direction is `axis`.
    """
    amplitude, _, delta, phase, offset = wave
    n = n_links
    bend = offset * (np.arange(n) - 0.5 * (n - 1))
    half_sine = 2.0 * math.sin(0.5 * delta)
    if abs(amplitude) <= math.pi * abs(half_sine):
        angle = (np.arange(n) - 0.5) * delta + phase
        turned = -amplitude / half_sine * np.cos(angle) if amplitude else np.zeros(n)
    else:
        turned = np.concatenate([[0.0], np.cumsum(amplitude * np.sin(np.arange(n - 1) * delta + phase))])
        turned -= turned.mean()
    directions: FloatArray = axis + turned + bend
    return directions


def gait_joint_angles(gait: GaitFields, n_links: int) -> FloatArray:
    """Yaw and pitch of all joints at t = 0, (n-1, 2), rad (P1 (70), (71))."""
    i = np.arange(n_links - 1)
    return np.column_stack(
        [w.amplitude * np.sin(i * w.phase_shift + w.phase) + w.offset for w in (gait.yaw, gait.pitch)]
    )


def chain(
    first: FloatArray, angles: FloatArray, link_length: float, axis_offset: float = 0.0
) -> tuple[FloatArray, FloatArray]:
    """Centres of gravity (n, 3), m, and orientations (n, 3, 3) of a closed chain whose first link lies in the origin.

    R_{k+1} = R_k R_z(yaw) R_y(pitch). The yaw axis lies H - d/2 before the centre of gravity of link k (H half the link
    length), the pitch axis the axis offset d further on, and link k + 1 begins there: a straight robot is n links long.

    Parameters
    ----------
    first : (3, 3)
        Orientation of the first link.
    angles : (n-1, 2)
        Yaw and pitch of every joint, rad.
    link_length, axis_offset : float
        m.
    """
    n = len(angles) + 1
    turns = np.empty((n, 3, 3))
    turns[0] = first
    between = np.empty((n - 1, 3))  # direction from the yaw axis to the pitch axis
    for k in range(n - 1):
        yaw, pitch = float(angles[k, 0]), float(angles[k, 1])
        middle = turns[k] @ rotation(yaw)
        between[k] = middle[:, 0]
        turns[k + 1] = middle @ rotation(0.0, pitch)
    arm = 0.5 * (link_length - axis_offset)
    step = arm * (turns[:-1, :, 0] + turns[1:, :, 0]) + axis_offset * between
    centre = np.zeros((n, 3))
    centre[1:] = np.cumsum(step, axis=0)
    return centre, turns


def level_gait_frame(gait: GaitFields, n_links: int) -> FloatArray:
    """Orientation (3, 3) of link 1 for which the robot in the gait's pose at t = 0 lies level along x.

    The yaw wave's axis is x (see `wave_directions`). With a pitch wave, link 1 gets that wave's own direction too; as
    turns in space do not add up, the robot is then turned as a whole until the mean of its links is level, neither
    tilted nor rolled, and heads as the yaw wave alone does.
    """
    heading = wave_directions(gait.yaw, n_links)
    if gait.pitch.amplitude == 0.0 and gait.pitch.offset == 0.0:
        return rotation(float(heading[0]))
    first = rotation(float(heading[0]), float(wave_directions(gait.pitch, n_links)[0]))
    turns = chain(first, gait_joint_angles(gait, n_links), 1.0)[1]
    along, left = turns[:, :, 0].mean(axis=0), turns[:, :, 1].mean(axis=0)
    tilt = math.atan2(-along[2], math.hypot(along[0], along[1]))
    unheaded = rotation(0.0, -tilt) @ rotation(-math.atan2(along[1], along[0]))
    left = unheaded @ left
    wanted = math.atan2(np.sin(heading).sum(), np.cos(heading).sum())
    level: FloatArray = rotation(wanted) @ rotation(0.0, 0.0, -math.atan2(left[2], left[1])) @ unheaded @ first
    return level


def joint_angles(pose: FloatArray) -> FloatArray:
    """Yaw and pitch of all joints of a robot in space, (n-1, 2), rad, between -pi and pi.

    P1 (65), (66) in the program's axes, R_k^T R_{k+1} = R_z(yaw) R_y(pitch), by atan2 so that they hold for any angle.

    Parameters
    ----------
    pose : (n, 7)
        As in `Snapshot`.
    """
    turns = matrices(pose[:, 3:])
    relative = np.einsum("nji,njk->nik", turns[:-1], turns[1:])
    return np.column_stack(
        [np.arctan2(-relative[:, 0, 1], relative[:, 1, 1]), np.arctan2(-relative[:, 2, 0], relative[:, 2, 2])]
    )
