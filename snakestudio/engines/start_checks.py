"""Whether a start that gives the state of every link is one that a robot can have, in plain numpy."""

from __future__ import annotations

import numpy as np

from snakestudio._arrays import FloatArray
from snakestudio.errors import Problem
from snakestudio.model.scene import Scene

APART = 0.01
TWIST = 0.1
"""Velocities up to which the ends in a joint may differ, m/s, and turn against its axes, rad/s:
what digits leave."""

SHARE = 0.02
"""And so much of the fastest that there is: a step ends a little beside where its velocities
hold."""


def unit_quaternions(scene: Scene, pose: FloatArray) -> list[Problem]:
    """Whether the links (poses (n, 7)) have directions."""
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
            "give unit quaternions w, x, y, z",
            links=tuple(int(k) for k in wrong),
        )
    ]


def torn_velocities(
    scene: Scene,
    twist: FloatArray,
    front: FloatArray,
    rear: FloatArray,
    axes: FloatArray,
    sweep: FloatArray,
) -> list[Problem]:
    """Whether given velocities tear a joint apart, or turn it about what is none of its axes.

    Parameters
    ----------
    twist : (n, 6)
        Velocities of the centres of gravity, m/s, and angular velocities, rad/s, world frame.
    front, rear : (n - 1, 3)
        From the centres to every joint: of the link before it to its first axis' end, and of the
        link behind it, m.
    axes : (n - 1, a, 3)
        Unit vectors of the joints' axes, one or two each.
    sweep : (n - 1, 3)
        Velocity of the rear end for a unit rate about the first axis, m.
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
                f"the velocities tear joint {worst + 1} apart with {apart[worst]:.3g} m/s",
                "give those of a robot whose joints hold, or leave velocities out to begin at rest",
                links=(worst, worst + 1),
            )
        ]
    if twisted.max() > 0.0:
        worst = int(twisted.argmax())
        return [
            Problem(
                "error",
                "start.angular_velocity_rad_s",
                f"the angular velocities turn joint {worst + 1} with {against[worst]:.3g} rad/s about none of its axes",
                "let links turn against each other about their joint's axes only, or leave velocities out",
                links=(worst, worst + 1),
            )
        ]
    return []
