"""Checks of a start with full link states, in numpy only."""

from __future__ import annotations

import numpy as np

from snakestudio._arrays import FloatArray
from snakestudio.errors import Problem
from snakestudio.model.scene import Scene

APART = 0.01
TWIST = 0.1
"""Largest velocity difference of the ends in a joint, m/s, and largest relative rate about
directions other than its axes, rad/s, that rounded digits can cause."""

SHARE = 0.02
"""Additional tolerance relative to the largest velocity, because positions and velocities of a step
do not match exactly."""


def unit_quaternions(scene: Scene, pose: FloatArray) -> list[Problem]:
    """Return the problem of link poses (n, 7) without a unit quaternion."""
    turns = np.array(getattr(scene.start, "orientation_wxyz", pose[:, 3:]))
    length = np.linalg.norm(turns, axis=1)
    wrong = np.flatnonzero(~(np.abs(length - 1.0) < 1e-3))
    if not len(wrong):
        return []
    return [
        Problem(
            "error",
            "start.orientation_wxyz" if scene.start.gives_state else "start",
            f"the quaternion of link {wrong[0] + 1} has length {length[wrong[0]]:.4g}",
            "set unit quaternions w, x, y, z",
            links=tuple(int(k) for k in wrong),
        )
    ]


def separating_velocities(
    scene: Scene,
    twist: FloatArray,
    front: FloatArray,
    rear: FloatArray,
    axes: FloatArray,
    sweep: FloatArray,
) -> list[Problem]:
    """Return problems of velocities that separate a joint, or turn it about other than its axes.

    Parameters
    ----------
    twist : (n, 6)
        Velocities of the centres of gravity, m/s, and angular velocities, rad/s, world frame.
    front, rear : (n - 1, 3)
        Vectors from the centres to each joint, m: from the link before it to the end of its
        first axis, and from the link behind it.
    axes : (n - 1, a, 3)
        Unit vectors of the joints' axes, one or two each.
    sweep : (n - 1, 3)
        Velocity of the rear end per unit rate about the first axis, m.
    """
    if not scene.start.gives_state or len(twist) < 2:
        return []
    v = twist[:, :3]
    omega = twist[:, 3:]
    turning = omega[1:] - omega[:-1]
    rates = np.stack(
        [
            np.linalg.lstsq(own.T, turn, rcond=None)[0]
            for own, turn in zip(axes, turning, strict=True)
        ]
    )
    against = np.linalg.norm(turning - np.einsum("ka,kai->ki", rates, axes), axis=1)
    ends = v[:-1] + np.cross(omega[:-1], front) + rates[:, :1] * sweep
    apart = np.linalg.norm(v[1:] + np.cross(omega[1:], rear) - ends, axis=1)
    fastest = np.linalg.norm(v, axis=1).max()
    turn = np.linalg.norm(omega, axis=1).max()
    reach = np.linalg.norm(rear, axis=1).max()
    torn = apart - (APART + SHARE * (fastest + turn * reach))
    twisted = against - (TWIST + SHARE * turn)
    if torn.max() > 0.0:
        worst = int(torn.argmax())
        return [
            Problem(
                "error",
                "start.velocity_m_s",
                f"the velocities separate joint {worst + 1} at {apart[worst]:.3g} m/s",
                "set velocities that keep joints closed, or remove velocities to start at rest",
                links=(worst, worst + 1),
            )
        ]
    if twisted.max() > 0.0:
        worst = int(twisted.argmax())
        return [
            Problem(
                "error",
                "start.angular_velocity_rad_s",
                f"the angular velocities turn joint {worst + 1} at {against[worst]:.3g} rad/s, but not about its axes",
                "set relative rates only about the joint's axes, or remove velocities",
                links=(worst, worst + 1),
            )
        ]
    return []
