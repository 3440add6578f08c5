"""Compiled entry points shared by the callers of one function."""

from __future__ import annotations

import numpy as np

from snakestudio.kernels._jit import jit
from snakestudio.kernels.many_calls import CallTable


@jit
def _whole(number: int) -> int:
    return number + 1


@jit
def _halved(number: float) -> int:
    return int(number / 2.0)


def test_arguments_of_another_numba_type_get_separate_code() -> None:
    def results(function: object, argument: float) -> list[int]:
        table = CallTable(function, [(argument,)])
        return table.call(np.zeros(1, np.int64), lambda job, args, done: job(*args)).tolist()

    assert results(_whole, 41) == [42]
    assert results(_halved, 84.0) == [42]
    assert results(_whole, 6) == [7]
