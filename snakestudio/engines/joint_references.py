"""Joint references in a step and in rows, from the reference of a call of the loop."""

from __future__ import annotations

from typing import Any, Protocol

from snakestudio._arrays import FloatArray
from snakestudio.engines.advance import STEP, Instant
from snakestudio.engines.outcome import OK
from snakestudio.engines.row_buffers import RowBuffers
from snakestudio.kernels._jit import inlined, specialised
from snakestudio.kernels.hermite import JointKnots, evaluate_linear, evaluate_reference


class _Params(Protocol):
    @property
    def dt(self) -> float: ...

    @property
    def implicit(self) -> bool: ...


@inlined
def show_references(instant: Instant, time: float, reference: FloatArray) -> None:
    """Fill the reference angles and rates (m, 2) of the joints at the `time` of a row, s."""
    knots: JointKnots = instant.knots
    evaluate_reference(knots.time, knots.angle, knots.rate, 1, time, instant.knot, reference)


def write_row(params: Any, state: Any, work: Any, rows: RowBuffers) -> None:
    """Write the present state, with the references in `work`, as the next row; reset the sums for the row after it."""
    raise NotImplementedError


def _write_due_row(params: Any, state: Any, work: Any, instant: Instant, rows: RowBuffers) -> int:
    show_references(instant, state.counts[STEP] * params.dt, work.reference)
    write_row(params, state, work, rows)
    return OK


def make_row_writer(write_row: Any) -> Any:
    """Return the row writer for `make_advance`, from a compiled function like `write_row` of this module."""
    return inlined(specialised(_write_due_row, write_row.__module__, write_row=write_row))


@inlined
def fill_references(
    params: _Params, instant: Instant, step: int, reference: FloatArray, command: FloatArray
) -> bool:
    """Fill the references of the non-smooth models' motors for the step after `step` steps.

    Explicit controllers compare with the reference at t_M, implicit ones at t_E; a torque command
    is that at t_M.

    Parameters
    ----------
    reference, command : (m, 2), (m, 1)
        Filled with angles and rates, and with torque commands, N m.

    Returns
    -------
    bool
        Whether the motors follow torque commands instead of angles.
    """
    knots: JointKnots = instant.knots
    commanded: bool = knots.torque.shape[0] > 0
    ahead = 1.0 if params.implicit and not commanded else 0.5
    time = (step + ahead) * params.dt
    knot = evaluate_reference(knots.time, knots.angle, knots.rate, 1, time, instant.knot, reference)
    if commanded:
        evaluate_linear(knots.time, knots.torque, 1, time, knot, command)
    return commanded
