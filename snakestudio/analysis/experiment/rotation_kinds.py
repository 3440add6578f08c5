"""Conversion of all representations of rotations in files to rotation matrices."""

from __future__ import annotations

import numpy as np

from snakestudio._arrays import FloatArray
from snakestudio.analysis.experiment.layout import RotationKind
from snakestudio.model.rotations import matrices


def rotation_matrices(kind: RotationKind, values: FloatArray) -> FloatArray:
    """Return rotation matrices (k, 3, 3) of rows (k, c) of finite numbers; angles in rad, quaternions not zero."""
    k = len(values)
    if kind == "quaternion":
        return matrices(values / np.linalg.norm(values, axis=1, keepdims=True))
    if kind == "matrix":
        return values.reshape(k, 3, 3)
    if kind == "vertical":
        return _about("z", values[:, 0])
    if kind == "vector":
        return _of_vectors(values)
    order = "zyx" if kind == "euler" else kind.removeprefix("euler_")
    result: FloatArray = np.broadcast_to(np.eye(3), (k, 3, 3))
    for axis in order:
        result = result @ _about(axis, values[:, "xyz".index(axis)])
    return result


def _about(axis: str, angle: FloatArray) -> FloatArray:
    """Return rotations (k, 3, 3) about one axis."""
    i = "xyz".index(axis)
    j, k = (i + 1) % 3, (i + 2) % 3
    result = np.zeros((len(angle), 3, 3))
    result[:, i, i] = 1.0
    result[:, j, j] = result[:, k, k] = np.cos(angle)
    result[:, k, j] = np.sin(angle)
    result[:, j, k] = -np.sin(angle)
    return result


def _of_vectors(vector: FloatArray) -> FloatArray:
    """Return the rotations for vectors axis times angle (k, 3)."""
    half = 0.5 * np.linalg.norm(vector, axis=1, keepdims=True)
    # sin(x) / x; numpy's definition has a factor of pi.
    axis = 0.5 * vector * np.sinc(half / np.pi)
    return matrices(np.concatenate([np.cos(half), axis], axis=1))
