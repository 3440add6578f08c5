"""Solids as walls of planar models: posts and upright blocks, decided by their geometry."""

from __future__ import annotations

import numpy as np

from snakestudio.model.obstacles.solids import Block, Post, Prism, Solid

UPRIGHT = 1e-9
"""Tolerance of the cosine of a box's tilt about 1."""


def vertical_axis(block: Block) -> int:
    """Return the index of the vertical axis of `block`, -1 if no axis is vertical."""
    axis = int(np.argmax(np.abs(block.rotation[2])))
    return axis if abs(block.rotation[2, axis]) >= 1.0 - UPRIGHT else -1


def as_wall(solid: Solid) -> Post | Block | None:
    """Return a solid as a post or an upright block; None if it is neither.

    That is decided by its geometry: a prism with a vertical axis and a rectangular profile is a block.
    """
    if isinstance(solid, Post):
        return solid
    block = _block_of(solid) if isinstance(solid, Prism) else solid
    return block if isinstance(block, Block) and vertical_axis(block) >= 0 else None


def _block_of(prism: Prism) -> Block | None:
    """Return a prism with a rectangular profile as a block; None for other profiles."""
    profile = prism.profile
    if len(profile) != 4:
        return None
    one, other = profile[1] - profile[0], profile[2] - profile[1]
    size = float(np.abs(profile).max(initial=0.0)) + 1.0
    parallel = np.abs(profile[0] + profile[2] - profile[1] - profile[3]).max() <= UPRIGHT * size
    lengths = float(np.linalg.norm(one)), float(np.linalg.norm(other))
    if not parallel or abs(float(one @ other)) > UPRIGHT * size * size or min(lengths) == 0.0:
        return None
    x, z = prism.rotation[:, 0], prism.rotation[:, 2]
    middle = profile.mean(axis=0)
    first = (one[0] * x + one[1] * z) / lengths[0]
    second = (other[0] * x + other[1] * z) / lengths[1]
    return Block(
        prism.origin + middle[0] * x + middle[1] * z,
        np.column_stack([first, prism.rotation[:, 1], second]),
        0.5 * np.array([lengths[0], 2.0 * prism.half_width, lengths[1]]),
    )
