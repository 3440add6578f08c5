"""Vectors in rows of arrays: compiled code loads, stores and computes the same as numpy."""

from __future__ import annotations

import os
import subprocess
import sys

import numpy as np

from snakestudio._arrays import FloatArray
from snakestudio.kernels._jit import jit
from snakestudio.kernels.vec3 import (
    dot,
    minus,
    plus,
    times,
    vec3,
    vec3_add_at,
    vec3_at,
    vec3_put,
    vec3_put_at,
)

RX = 3


@jit
def _all(a: FloatArray, b: FloatArray, k: int) -> float:
    one = vec3(a, k)
    other = vec3_at(b, k, RX)
    vec3_put(a, k + 1, minus(one, other))
    vec3_put_at(b, k, 1, plus(one, times(2.0, other)))
    vec3_add_at(b, k + 1, RX, one)
    return dot(one, other)


def test_vectors_are_at_their_offsets() -> None:
    random = np.random.default_rng(1)
    a, b = random.normal(size=(4, 3)), random.normal(size=(4, 7))
    before_a, before_b = a.copy(), b.copy()
    one = before_a[1]
    other = before_b[1, 3:6]
    product = _all(a, b, 1)
    assert np.isclose(product, one @ other, rtol=1e-15)
    expected_a, expected_b = before_a.copy(), before_b.copy()
    expected_a[2] = one - other
    expected_b[1, 1:4] = one + 2.0 * other
    expected_b[2, 3:6] += one
    # Neighbouring entries are unchanged; a product that is added may be rounded once instead of
    # twice.
    np.testing.assert_allclose(a, expected_a, rtol=0.0, atol=1e-15)
    np.testing.assert_allclose(b, expected_b, rtol=0.0, atol=1e-15)
    assert np.array_equal(a[[0, 1, 3]], before_a[[0, 1, 3]])
    assert np.array_equal(b[[0, 3]], before_b[[0, 3]])


def test_uncompiled_vectors_are_identical() -> None:
    text = (
        "import numpy as np; from tests.kernels.test_vec3 import _all;"
        "r = np.random.default_rng(1); a, b = r.normal(size=(4, 3)), r.normal(size=(4, 7)); p = float(_all(a, b, 1));"
        "print(p, *a.ravel(), *b.ravel())"
    )
    result = [
        subprocess.run(
            [sys.executable, "-c", text],
            env={**os.environ, "NUMBA_DISABLE_JIT": off},
            capture_output=True,
            check=True,
        )
        for off in ("0", "1")
    ]
    compiled, plain = (np.array(run.stdout.split(), float) for run in result)
    assert len(compiled) == 1 + 12 + 28
    np.testing.assert_allclose(compiled, plain, rtol=0.0, atol=1e-15)
