"""SE(3) of P5's appendix A against matrices and scipy's matrix exponential."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.linalg import expm
from scipy.spatial.transform import Rotation

from snakestudio._arrays import FloatArray
from snakestudio.kernels.frames import move_pose
from tests.kernels.compiled_beam import bracket, carry, frame_from_pose, move_frame


def hat(w: FloatArray) -> FloatArray:
    return np.array([[0, -w[2], w[1]], [w[2], 0, -w[0]], [-w[1], w[0], 0.0]])


def matrix(twist: FloatArray) -> FloatArray:
    """Twist (V, Omega) as an element of se(3)."""
    result = np.zeros((4, 4))
    result[:3, :3] = hat(twist[3:])
    result[:3, 3] = twist[:3]
    return result


def homogeneous(frame: FloatArray) -> FloatArray:
    result = np.eye(4)
    result[:3, :3] = frame[:9].reshape(3, 3)
    result[:3, 3] = frame[9:]
    return result


def random_frame(rng: np.random.Generator) -> FloatArray:
    return np.concatenate(
        [Rotation.random(random_state=rng).as_matrix().ravel(), rng.normal(size=3)]
    )


@pytest.mark.parametrize("size", [0.0, 1e-9, 1e-3, 0.2, 0.23, 1.0, 3.1, 20.0])
def test_exponentials_are_those_of_matrices(size: float) -> None:
    rng = np.random.default_rng(int(1000 * size) + 7)
    for _ in range(20):
        twist = rng.normal(size=6)
        frame = random_frame(rng)
        out = np.zeros(12)
        twist[3:] *= size / np.linalg.norm(twist[3:])
        move_frame(frame, twist, out)
        expected = homogeneous(frame) @ expm(matrix(twist))
        assert homogeneous(out) == pytest.approx(expected, abs=2e-14 * (1 + size))
        pose = np.zeros(7)
        moved = np.zeros(12)
        pose[:3] = frame[9:]
        pose[3:] = Rotation.from_matrix(frame[:9].reshape(3, 3)).as_quat()[[3, 0, 1, 2]]
        move_pose(pose, twist, pose)
        assert np.linalg.norm(pose[3:]) == pytest.approx(1.0, abs=1e-15)
        frame_from_pose(pose, moved)
        assert homogeneous(moved) == pytest.approx(expected, abs=1e-13 * (1 + size))


def test_twists_and_wrenches_transform_by_adjoint_maps() -> None:
    rng = np.random.default_rng(3)
    for _ in range(20):
        frame = random_frame(rng)
        what = rng.normal(size=6)
        out = np.zeros((4, 6))
        g = homogeneous(frame)
        carry(frame, what, out)
        # Ad_g is conjugation of twists; the power of a wrench does not depend on the frame.
        assert matrix(out[0]) == pytest.approx(g @ matrix(what) @ np.linalg.inv(g), abs=1e-13)
        assert matrix(out[1]) == pytest.approx(np.linalg.inv(g) @ matrix(what) @ g, abs=1e-13)
        twist = rng.normal(size=6)
        carried = np.zeros((4, 6))
        carry(frame, twist, carried)
        assert what @ twist == pytest.approx(out[2] @ carried[0], abs=1e-13)
        assert what @ twist == pytest.approx(out[3] @ carried[1], abs=1e-13)


def test_lie_bracket_is_the_commutator() -> None:
    rng = np.random.default_rng(4)
    a = rng.normal(size=6)
    b = rng.normal(size=6)
    out = np.zeros(6)
    bracket(a, b, out)
    assert matrix(out) == pytest.approx(matrix(a) @ matrix(b) - matrix(b) @ matrix(a), abs=1e-14)
