"""The loop over all steps of a call."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from snakestudio.engines.continuum_beam.knots import find_knot
from snakestudio.engines.continuum_beam.params import Params
from snakestudio.engines.continuum_beam.rows import BodyBuffers, write_row
from snakestudio.engines.continuum_beam.state import STEP, Knots, State, Work
from snakestudio.engines.continuum_beam.step import take_step
from snakestudio.engines.outcome import NOT_SOLVED, OK
from snakestudio.engines.row_buffers import RowBuffers
from snakestudio.kernels._jit import jit

__all__ = ["advance_steps"]


@jit
def advance_steps(
    params: Params,
    knots: Knots,
    state: State,
    work: Work,
    n_steps: int,
    row_steps: NDArray[np.int64],
    rows: RowBuffers,
    body: BodyBuffers,
) -> int:
    """Take `n_steps` steps and write a row after each step count in `row_steps`; returns what the call ended with.

    Parameters
    ----------
    params, knots, state, work
        The run.
    row_steps : (r,) int
        Ascending step counts; those not reached in this call are left out.
    rows, body
        Filled from `rows.filled` on.
    """
    counts = state.counts
    next_row = 0
    while next_row < len(row_steps) and row_steps[next_row] <= counts[STEP]:
        next_row += 1
    knot = int(OK)  # 0, but no literal, of which the compiler would make a version of its own
    for _ in range(n_steps):
        knot = find_knot(knots, counts[STEP] * params.dt, knot)
        outcome = take_step(params, knots, state, work, knot)
        if outcome != OK:
            return outcome
        if next_row < len(row_steps) and row_steps[next_row] == counts[STEP]:
            if write_row(params, knots, state, work, knot, rows, body) == 0:
                return NOT_SOLVED
            next_row += 1
    return OK
