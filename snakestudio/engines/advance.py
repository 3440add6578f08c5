"""The loop over the time steps of a call, common to all formulations, and the functions that these supply.

`make_advance` makes a copy of `advance_steps` for each formulation, in which the names of the other
functions of this module are those of the formulation: the compiler sees one loop, as if it were
written out.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from snakestudio._arrays import IntArray
from snakestudio.engines.outcome import OK
from snakestudio.engines.row_buffers import RowBuffers
from snakestudio.kernels._jit import inlined, jit, specialised
from snakestudio.kernels.hermite import find_knot

STEP = 0
"""Entry of the counts in every state: steps since the start."""


class Instant(NamedTuple):
    """Position of the loop in a call, before a step or at a row."""

    knots: Any
    """Reference of the body."""

    knot: int
    """Index of the knot before the step, where the search for references begins."""

    capacity: int
    """Largest number of contacts in the row due after this step; -1 if no row is due."""

    begun: bool
    """Whether the previous step was taken in the same call, which means that the workspace is current."""


def perform_step(params: Any, state: Any, work: Any, instant: Instant) -> int:
    """Take one step and return an outcome; the state is unchanged unless that is OK."""
    raise NotImplementedError


def write_due_row(params: Any, state: Any, work: Any, instant: Instant, rows: RowBuffers) -> int:
    """Write the state after a step as the next row; return an outcome."""
    raise NotImplementedError


@inlined
def end_call(params: Any, state: Any, work: Any) -> None:
    """Do the work that is needed only at the end of a call."""


def advance_steps(
    params: Any,
    state: Any,
    work: Any,
    knots: Any,
    n_steps: int,
    row_steps: IntArray,
    rows: RowBuffers,
) -> int:
    """Take `n_steps` steps and write a row after each step count in `row_steps`; return the outcome of the call.

    Parameters
    ----------
    params, state, work
        Constants, state and workspace of the run.
    knots
        Reference of the body.
    row_steps : (r,) int
        Ascending step counts; those not reached in this call are skipped.
    rows : RowBuffers
        Filled from index `rows.filled` on.
    """
    counts = state.counts
    next_row = 0
    while next_row < len(row_steps) and row_steps[next_row] <= counts[STEP]:
        next_row += 1
    knot = int(OK)  # 0 as a variable: a literal would be compiled into another version
    status = int(OK)
    for i in range(n_steps):
        is_row = next_row < len(row_steps) and row_steps[next_row] == counts[STEP] + 1
        capacity = rows.contact_link.shape[0] - rows.filled[1] if is_row else -1
        knot = find_knot(knots, counts[STEP] * params.dt, knot)
        instant = Instant(knots, knot, capacity, i > 0)
        status = perform_step(params, state, work, instant)
        if status != OK:
            break
        if is_row:
            status = write_due_row(params, state, work, instant, rows)
            if status != OK:
                break
            next_row += 1
    end_call(params, state, work)
    return status


def make_advance(
    perform_step: Any, write_due_row: Any, *, find_knot: Any = find_knot, end_call: Any = end_call
) -> Any:
    """Return the compiled loop of a formulation.

    Parameters
    ----------
    perform_step, write_due_row, end_call : compiled functions
        The formulation's versions of the functions of this module.
    find_knot : compiled function
        Index of the knot at or before a time, searched from another index.

    Returns
    -------
    compiled function
        Its arguments are those of `advance_steps`, and it returns the outcome of the call. The
        counts of the state begin with the steps, and the constants have the time step `dt`.
    """
    loop = specialised(
        advance_steps,
        perform_step.__module__,
        perform_step=perform_step,
        write_due_row=write_due_row,
        find_knot=find_knot,
        end_call=end_call,
    )
    return jit(loop)
