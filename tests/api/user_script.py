"""Script as users write it: the type checker must accept all of it but the marked lines."""

from __future__ import annotations

from typing import Any

import numpy as np

import snakestudio as ss
import snakestudio.plugin as interface
from snakestudio.plugin import (
    AngleController,
    ControllerFields,
    OscillatorController,
    Snapshot,
    StateController,
)


class Cpg(StateController):
    """Derives from a documented base class."""

    def first_state(self) -> Any:
        """Return zeros."""
        return np.zeros(self.n_axes)


class Chain(OscillatorController):
    """Derives from another one."""


class Wrong(AngleController):
    """Has another signature than its base class."""

    def angles(self, time: Any) -> Any:  # type: ignore[override]
        """Return zeros."""
        return 0.0 * time


def main() -> None:
    """Use the API."""
    run = ss.simulate("sidewinding", duration=1.0)
    ss.simulate_all("sidewinding")  # type: ignore[attr-defined]
    x: float = float(run["com_x_m"][-1])
    with ss.open_simulation("sidewinding") as simulation:
        simulation.step(n=10)
        simulation.step_all()  # type: ignore[attr-defined]
    try:
        study = ss.Study("sidewinding", {"gait.amplitude_deg": (10, 60)}, search="cma_es", points=9)
        ss.Study("sidewinding", search="cma")  # type: ignore[arg-type]
    except (ss.StudyError, ss.SignalError, ss.PluginRuntimeError) as error:
        print(x, error)
        return
    best = study.best
    if best is not None:
        row: int = best.row
        study.simulate(row)
        best.rows  # type: ignore[attr-defined]  # noqa: B018
    fields: type[ControllerFields] = ControllerFields
    print(fields, Snapshot, Cpg, Chain, Wrong)
    interface.integrate_all()  # type: ignore[attr-defined]
