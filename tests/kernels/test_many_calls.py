"""Tables of calls: every row is called once with its own arguments, with any number of threads."""

from __future__ import annotations

from collections.abc import Callable
from threading import Thread
from typing import Any, NamedTuple

import numpy as np
import pytest

from snakestudio._arrays import FloatArray, IntArray
from snakestudio.kernels._jit import jit
from snakestudio.kernels.many_calls import CallTable


class Body(NamedTuple):
    """Arguments of several types, nested."""

    values: FloatArray
    scale: float
    chosen: IntArray
    negated: bool


@jit
def gather(body: Body, offset: int, out: FloatArray) -> int:
    """Sum of selected values times the scale; also counts its calls."""
    total = 0.0
    for i in range(body.chosen.shape[0]):
        total += body.values[body.chosen[i], 1]
    out[0] += -body.scale * total if body.negated else body.scale * total
    out[1] += 1.0
    return int(body.chosen.shape[0] + offset)


@jit
def clear(out: FloatArray) -> None:
    """Return nothing."""
    for i in range(out.shape[0]):
        out[i] = 0.0


def alone(call: Callable[..., Any], args: tuple[Any, ...], finished: Callable[[], bool]) -> None:
    call(*args)
    assert finished()


def four_threads(
    call: Callable[..., Any], args: tuple[Any, ...], finished: Callable[[], bool]
) -> None:
    threads = [Thread(target=call, args=args) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert finished()


def body_of(k: int) -> Body:
    values = np.arange(40.0).reshape(4, 10)[:, k % 8 :][:, :3].copy() + k
    return Body(values, 0.5 + k, np.arange(k % 4, dtype=np.int64), k % 2 == 1)


@pytest.mark.parametrize("share", [alone, four_threads])
def test_every_row_is_called_once_with_its_own_arguments(share: Any) -> None:
    n = 300
    bodies = [body_of(k) for k in range(n)]
    out = np.zeros((n, 2))
    table = CallTable(gather, [(body, k, out[k]) for k, body in enumerate(bodies)])
    rows = np.arange(0, n, 3)
    status = table.call(rows, share)
    for k in range(n):
        body = bodies[k]
        total = (
            sum(body.values[i, 1] for i in body.chosen)
            * body.scale
            * (-1.0 if body.negated else 1.0)
        )
        assert out[k].tolist() == pytest.approx(
            [total, 1.0] if k % 3 == 0 else [0.0, 0.0], rel=1e-14
        )
        assert status[k] == (len(body.chosen) + k if k % 3 == 0 else 0)


def test_rows_accept_other_arguments() -> None:
    out = np.zeros((2, 2))
    table = CallTable(gather, [(body_of(3), 0, out[k]) for k in range(2)])
    larger = Body(np.ones((50, 2)), 2.0, np.arange(50, dtype=np.int64), False)
    table.bind(1, (larger, 7))
    table.bind(0, (5,), first=1)
    assert table.call(np.arange(2), alone).tolist() == [8, 57]
    assert out[1].tolist() == [100.0, 1.0]
    table.fill(-2, 1)
    assert table.call(np.arange(2), alone).tolist() == [4, 51]


def test_function_without_result_gives_zeros() -> None:
    out = np.ones((3, 4))
    table = CallTable(clear, [(row,) for row in out])
    assert table.call(np.array([0, 2]), alone).tolist() == [0, 0, 0]
    assert out.sum(axis=1).tolist() == [0.0, 4.0, 0.0]


@jit
def shift(offset: int, out: FloatArray, by: float) -> int:
    """Function with other arguments than `gather`."""
    for i in range(out.shape[0]):
        out[i] += by
    return int(offset)


def test_tables_of_other_functions_are_called_by_their_own_code() -> None:
    out = np.zeros(3)
    first = CallTable(gather, [(body_of(3), 0, np.zeros(2))])
    second = CallTable(shift, [(7, out, 0.5)])
    assert first.call(np.array([0]), alone).tolist() == [3]
    assert second.call(np.array([0]), alone).tolist() == [7]
    assert out.tolist() == [0.5, 0.5, 0.5]


def test_single_row_is_called_alone() -> None:
    out = np.zeros((2, 3))
    table = CallTable(shift, [(k, out[k], 1.0) for k in range(2)])
    call = table.single(1)
    assert [call(), call()] == [1, 1]
    table.fill(0, 9)
    assert call() == 9
    assert out.tolist() == [[0.0] * 3, [3.0] * 3]
