"""Joint axes as a flat list: which of its entries are of a kind, and values by joint there and back."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from functools import lru_cache

import numpy as np

from snakestudio._arrays import FloatArray, IndexArray
from snakestudio.model.robot.robot import Axis


@lru_cache(maxsize=256)
def entries(axes: tuple[Axis, ...], kind: str) -> IndexArray:
    """Entries of the list that are axes of a kind, (p,), ascending; do not write."""
    return _fixed([entry for entry, axis in enumerate(axes) if axis.kind == kind])


@lru_cache(maxsize=256)
def joints(axes: tuple[Axis, ...], kind: str) -> IndexArray:
    """0-based joints that have an axis of a kind, (p,), ascending; do not write."""
    return _fixed([axis.joint for axis in axes if axis.kind == kind])


def _fixed(numbers: Sequence[int]) -> IndexArray:
    result = np.array(numbers, np.intp)
    result.flags.writeable = False
    return result


@lru_cache(maxsize=256)
def single_axes(axes: tuple[Axis, ...]) -> IndexArray:
    """Entries of the axes that are alone at their joints, ascending; do not write."""
    count = Counter(axis.joint for axis in axes)
    return _fixed([entry for entry, axis in enumerate(axes) if count[axis.joint] == 1])


def entry_of(axes: tuple[Axis, ...], joint: int, kind: str) -> int:
    """Entry of a joint's (0-based) axis of a kind.

    Raises `ValueError` if it has none.
    """
    return axes.index(Axis(joint, kind))


def kinds_of(axes: tuple[Axis, ...], joint: int) -> tuple[str, ...]:
    """Kinds of a joint's (0-based) axes."""
    return tuple(axis.kind for axis in axes if axis.joint == joint)


def by_joint(values: FloatArray, axes: tuple[Axis, ...], kind: str, n_joints: int) -> FloatArray:
    """Values (..., m) of all axes as those of one kind of every joint, (..., n_joints); 0 where a joint has none."""
    result = np.zeros((*values.shape[:-1], n_joints), values.dtype)
    result[..., joints(axes, kind)] = values[..., entries(axes, kind)]
    return result


def in_a_row(values: Mapping[str, FloatArray], axes: tuple[Axis, ...]) -> FloatArray:
    """Values of all axes, (..., m), from values (..., n_joints) by kind; 0 for kinds that are not given."""
    first = next(iter(values.values()))
    result = np.zeros((*first.shape[:-1], len(axes)), first.dtype)
    for kind, given in values.items():
        result[..., entries(axes, kind)] = given[..., joints(axes, kind)]
    return result


def yaw_axes(n_joints: int) -> tuple[Axis, ...]:
    """Joints that turn about yaw alone."""
    return tuple(Axis(joint, "yaw") for joint in range(n_joints))


def cardan_axes(n_joints: int) -> tuple[Axis, ...]:
    """Joints that turn about yaw and pitch."""
    return tuple(Axis(joint, kind) for joint in range(n_joints) for kind in ("yaw", "pitch"))


def from_pairs(values: FloatArray, axes: tuple[Axis, ...]) -> FloatArray:
    """Values (..., n_joints, 2), yaw and pitch of every joint as older files hold them, of all axes, (..., m)."""
    return in_a_row({"yaw": values[..., 0], "pitch": values[..., 1]}, axes)
