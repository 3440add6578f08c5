"""Head, forward, heading, left and right: one convention for every body, whichever end is the head.

The frame of a link or cross-section has x along the body to the next one, z up if it lies flat, and
y to the left of x. *Forward* is from the tail to the head: along x if the head is the last link,
against x if it is the first link or the first cross-section of a continuous body. *Left* is the left
of forward, seen from above. The *heading* is the angle of a direction about z from the world's x
axis, seen from above, positive to the left, in (-pi, pi].

The functions take poses (..., n, 7) as in `Snapshot.link_pose`: of one state, of all worlds of a
batch, or of the rows of a recording. Directions are averaged as vectors, so the mean is also right
where angles jump by a full turn.
"""

from __future__ import annotations

import math

import numpy as np

from snakestudio._arrays import FloatArray


def ahead(head_last: bool) -> float:
    """Return the sign of a link's x axis that points forward: 1 if the head is the last link, -1 otherwise.

    It is also the sign of a positive yaw angle of a joint: 1 if such an angle bends the part of the
    body in front of the joint to the left, -1 if it bends it to the right.
    """
    return 1.0 if head_last else -1.0


def link_axes(link_pose: FloatArray, head_last: bool) -> FloatArray:
    """Return the forward direction of each link, world frame, (..., n, 3) unit vectors."""
    w, x, y, z = (link_pose[..., k] for k in range(3, 7))
    axes = np.stack(
        [1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y + w * z), 2.0 * (x * z - w * y)], axis=-1
    )
    return axes if head_last else -axes


def forward(link_pose: FloatArray, head_last: bool) -> FloatArray:
    """Return the forward direction of the body: mean of those of its links, world frame, (..., 3) unit vectors.

    NaN if the mean is 0, as for links that form a closed ring.
    """
    mean = link_axes(link_pose, head_last).mean(axis=-2)
    length = np.sqrt((mean * mean).sum(axis=-1, keepdims=True))
    undefined = np.full_like(mean, np.nan)
    direction: FloatArray = np.divide(mean, length, out=undefined, where=length > 0.0)
    return direction


def heading(direction: FloatArray) -> FloatArray:
    """Return the heading of directions (..., 3), (...), rad in (-pi, pi]; 0 for a vertical one."""
    angle: FloatArray = np.arctan2(direction[..., 1], direction[..., 0])
    return np.where(angle == -math.pi, math.pi, angle) + 0.0  # avoid -0


def link_yaw(link_pose: FloatArray) -> FloatArray:
    """Return the heading of each link's x axis, which points to the next link, (..., n), rad in (-pi, pi]."""
    return heading(link_axes(link_pose, head_last=True))


def link_heading(link_pose: FloatArray, head_last: bool) -> FloatArray:
    """Return the heading of each link's forward direction, (..., n), rad in (-pi, pi]."""
    return heading(link_axes(link_pose, head_last))


def in_link_frames(vectors: FloatArray, link_pose: FloatArray, head_last: bool) -> FloatArray:
    """Return the components of a vector per link along it (forward), across it (to its left) and up, (..., n, 3).

    Up is the link's z axis.

    Parameters
    ----------
    vectors : (..., n, 3) array
        World frame.
    """
    w, x, y, z = (link_pose[..., k] for k in range(3, 7))
    a, b, c = (vectors[..., k] for k in range(3))
    sign = ahead(head_last)
    along = (1.0 - 2.0 * (y * y + z * z)) * a + 2.0 * (x * y + w * z) * b
    along += 2.0 * (x * z - w * y) * c
    across = 2.0 * (x * y - w * z) * a + (1.0 - 2.0 * (x * x + z * z)) * b
    across += 2.0 * (y * z + w * x) * c
    up = 2.0 * (x * z + w * y) * a + 2.0 * (y * z - w * x) * b
    up += (1.0 - 2.0 * (x * x + y * y)) * c
    return np.stack([sign * along, sign * across, up], axis=-1)
