"""Joint axes as a flat list: entries of a kind, and conversion of values to and from values by joint."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from functools import lru_cache

import numpy as np

from snakestudio._arrays import FloatArray, IndexArray
from snakestudio.model.robot.robot import Axis


@lru_cache(maxsize=256)
def entries(axes: tuple[Axis, ...], kind: str) -> IndexArray:
    """Return the entries of the list that are axes of `kind`, (p,), ascending; read-only."""
    return _fixed([entry for entry, axis in enumerate(axes) if axis.kind == kind])


@lru_cache(maxsize=256)
def joints(axes: tuple[Axis, ...], kind: str) -> IndexArray:
    """Return the 0-based joints that have an axis of `kind`, (p,), ascending; read-only."""
    return _fixed([axis.joint for axis in axes if axis.kind == kind])


def _fixed(numbers: Sequence[int]) -> IndexArray:
    result = np.array(numbers, np.intp)
    result.flags.writeable = False
    return result


@lru_cache(maxsize=256)
def single_axes(axes: tuple[Axis, ...]) -> IndexArray:
    """Return the entries of the axes that are the only ones of their joints, ascending; read-only."""
    count = Counter(axis.joint for axis in axes)
    return _fixed([entry for entry, axis in enumerate(axes) if count[axis.joint] == 1])


def entry_of(axes: tuple[Axis, ...], joint: int, kind: str) -> int:
    """Return the entry of the axis of `kind` of a joint (0-based).

    Raises `ValueError` if it does not exist.
    """
    return axes.index(Axis(joint, kind))


def kinds_of(axes: tuple[Axis, ...], joint: int) -> tuple[str, ...]:
    """Return the kinds of the axes of a joint (0-based)."""
    return tuple(axis.kind for axis in axes if axis.joint == joint)


def by_joint(values: FloatArray, axes: tuple[Axis, ...], kind: str, n_joints: int) -> FloatArray:
    """Return values (..., m) of all axes as values of one kind by joint, (..., n_joints); 0 for joints without it."""
    result = np.zeros((*values.shape[:-1], n_joints), values.dtype)
    result[..., joints(axes, kind)] = values[..., entries(axes, kind)]
    return result


def in_a_row(values: Mapping[str, FloatArray], axes: tuple[Axis, ...]) -> FloatArray:
    """Return the values of all axes, (..., m), from values (..., n_joints) by kind; 0 for missing kinds."""
    first = next(iter(values.values()))
    result = np.zeros((*first.shape[:-1], len(axes)), first.dtype)
    for kind, known in values.items():
        result[..., entries(axes, kind)] = known[..., joints(axes, kind)]
    return result


def yaw_axes(n_joints: int) -> tuple[Axis, ...]:
    """Return the axes of joints that only turn about yaw."""
    return tuple(Axis(joint, "yaw") for joint in range(n_joints))


def cardan_axes(n_joints: int) -> tuple[Axis, ...]:
    """Return the axes of joints that turn about yaw and pitch."""
    return tuple(Axis(joint, kind) for joint in range(n_joints) for kind in ("yaw", "pitch"))


def from_pairs(values: FloatArray, axes: tuple[Axis, ...]) -> FloatArray:
    """Return values (..., m) of all axes from pairs of yaw and pitch, (..., n_joints, 2), as older files store them."""
    return in_a_row({"yaw": values[..., 0], "pitch": values[..., 1]}, axes)
