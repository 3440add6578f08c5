"""The loop over the time steps of a call, the same for every formulation, and what a formulation supplies to it.

`make_advance` makes a copy of `advance_steps` for every formulation, in which the names of the other
functions here are the formulation's own: the compiler sees one loop as if it were written out.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from snakestudio._arrays import IntArray
from snakestudio.engines.outcome import OK
from snakestudio.engines.row_buffers import RowBuffers
from snakestudio.kernels._jit import inlined, jit, specialised
from snakestudio.kernels.hermite import find_knot

STEP = 0
"""Entry of the counts of every state: steps since the start."""


class Instant(NamedTuple):
    """Where a call of the loop is, before a step or at a row."""

    knots: Any
    """Reference of the body."""

    knot: int
    """Of these the one before the step, where the search for references begins."""

    room: int
    """How many contacts the row that is due after this step may have; -1 if none is due."""

    begun: bool
    """Whether the step before this one was taken in the same call: the workspace is as it left it."""


def take_step(params: Any, state: Any, work: Any, instant: Instant) -> int:
    """Take one step; returns an outcome, and leaves no trace in the state unless that is OK."""
    raise NotImplementedError


def write_due_row(params: Any, state: Any, work: Any, instant: Instant, rows: RowBuffers) -> int:
    """Write the state after a step as the next row; returns an outcome."""
    raise NotImplementedError


@inlined
def end_call(params: Any, state: Any, work: Any) -> None:
    """Finish what only the end of a call needs."""


def advance_steps(
    params: Any,
    state: Any,
    work: Any,
    knots: Any,
    n_steps: int,
    row_steps: IntArray,
    rows: RowBuffers,
) -> int:
    """Take `n_steps` steps and write a row after each step count in `row_steps`; returns what the call ended with.

    Parameters
    ----------
    params, state, work
        The run.
    knots
        Reference of the body.
    row_steps : (r,) int
        Ascending step counts; those not reached in this call are left out.
    rows : RowBuffers
        Filled from `rows.filled` on.
    """
    counts = state.counts
    next_row = 0
    while next_row < len(row_steps) and row_steps[next_row] <= counts[STEP]:
        next_row += 1
    knot = int(OK)  # 0, but no literal, of which the compiler would make a version of its own
    status = int(OK)
    for i in range(n_steps):
        is_row = next_row < len(row_steps) and row_steps[next_row] == counts[STEP] + 1
        room = rows.contact_link.shape[0] - rows.filled[1] if is_row else -1
        knot = find_knot(knots, counts[STEP] * params.dt, knot)
        instant = Instant(knots, knot, room, i > 0)
        status = take_step(params, state, work, instant)
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
    take_step: Any, write_due_row: Any, *, find_knot: Any = find_knot, end_call: Any = end_call
) -> Any:
    """The compiled loop of a formulation, from what it supplies.

    Parameters
    ----------
    take_step, write_due_row, end_call : compiled functions
        As those of this module.
    find_knot : compiled function
        Index of the knot at or before a time, searched from another one on.

    Returns
    -------
    compiled function
        From constants, state and workspace of a run, the knots of its reference, the number of
        steps, the step counts of rows, and their buffers, to what the call ended with. The counts
        of the state begin with the steps, and the constants have the time step `dt`.
    """
    loop = specialised(
        advance_steps,
        take_step.__module__,
        take_step=take_step,
        write_due_row=write_due_row,
        find_knot=find_knot,
        end_call=end_call,
    )
    return jit(loop)
