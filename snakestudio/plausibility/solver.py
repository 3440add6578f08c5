"""Detectors of results that depend on the numerics: unsolved contact problems, and the time step."""

from __future__ import annotations

import numpy as np

from snakestudio.model.step_estimate import StepEstimate
from snakestudio.plausibility.accumulators import Peak
from snakestudio.plausibility.block import Block, Drive, RunContext
from snakestudio.plausibility.detector import Exceedance
from snakestudio.text import number_text

MOST_UNSOLVED = 0.01
"""Largest plausible share of steps with a residual above 1e-8."""

MOST_RESIDUAL = 0.01
"""Largest plausible residual: an error of the impulses by a hundredth of a link's weight."""

MOST_CHANGE = 0.2
"""Largest plausible relative error of a quantity that a check of the time step estimates."""


class Unsolved:
    """Contact problems that were not solved."""

    def __init__(self, context: RunContext) -> None:
        self._residual = Peak()
        self._unsolved = 0
        self._steps = 0
        self._since = float("nan")

    def feed(self, block: Block) -> None:
        """See `Detector`."""
        moving = block.steps > 0
        self._residual.feed(block.time[moving], block.rows.solver_residual[moving])
        count = block.rows.solver_unconverged
        if not self._unsolved and count[-1]:
            self._since = float(block.time[np.flatnonzero(count)[0]])
        self._unsolved = int(count[-1])
        self._steps = int(block.rows.steps[-1])

    def exceedance(self, drive: Drive) -> Exceedance | None:
        """See `Detector`."""
        fraction = self._unsolved / max(self._steps, 1)
        if fraction > MOST_UNSOLVED:
            return Exceedance(
                fraction,
                MOST_UNSOLVED,
                self._since,
                f"the contact problems of {number_text(100.0 * fraction, 2)} % of the steps were not solved, first at "
                f"{number_text(self._since, 4)} s",
            )
        peak = self._residual
        if peak.value > MOST_RESIDUAL:
            return Exceedance(
                peak.value,
                MOST_RESIDUAL,
                peak.time,
                f"the contact problem at {number_text(peak.time, 4)} s was not solved: "
                f"its residual is {peak.value:.1e}",
            )
        return None


class StepDependence:
    """A check of the time step has shown that the result does not settle."""

    def __init__(self, context: RunContext) -> None:
        self._estimate = context.step_estimate
        self._time = 0.0

    def feed(self, block: Block) -> None:
        """See `Detector`."""
        self._time = float(block.time[-1])

    def exceedance(self, drive: Drive) -> Exceedance | None:
        """See `Detector`."""
        return step_exceedance(self._estimate(), self._time)


def step_exceedance(estimate: StepEstimate | None, time: float) -> Exceedance | None:
    """Return the exceedance at a time (s) by the result of a check of the time step; None if there is none."""
    if estimate is None:
        return None
    errors = {
        name: 0.01 * float(values["percent"])
        for name, values in estimate.values.items()
        if isinstance(values, dict)
        and isinstance(values.get("percent"), int | float)
        and name != "largest_force_n"
    }
    name, error = max(errors.items(), key=lambda entry: entry[1], default=("", 0.0))
    if error > MOST_CHANGE:
        text = f"the time step causes an error of {number_text(100.0 * error, 2)} % of {name}"
        return Exceedance(error, MOST_CHANGE, time, text)
    if not estimate.values.get("settled", True):
        text = "the result does not settle with shorter time steps"
        return Exceedance(2.0 * MOST_CHANGE, MOST_CHANGE, time, text)
    return None
