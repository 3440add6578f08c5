"""The loop over all steps of a call."""

from __future__ import annotations

from typing import Any

from snakestudio.engines.advance import Instant, make_advance
from snakestudio.engines.continuum_beam.knots import find_knot
from snakestudio.engines.continuum_beam.params import Params
from snakestudio.engines.continuum_beam.rows import write_row
from snakestudio.engines.continuum_beam.state import State, Work
from snakestudio.engines.continuum_beam.step import perform_step
from snakestudio.engines.outcome import NOT_SOLVED, OK
from snakestudio.kernels._jit import inlined


@inlined
def _perform_step(params: Params, state: State, work: Work, instant: Instant) -> int:
    return perform_step(params, instant.knots, state, work, instant.knot)


@inlined
def _write_due_row(params: Params, state: State, work: Work, instant: Instant, rows: Any) -> int:
    written = write_row(params, instant.knots, state, work, instant.knot, rows)
    return OK if written != 0 else NOT_SOLVED


advance_steps = make_advance(_perform_step, _write_due_row, find_knot=find_knot)
