"""Result of a fit as a table, and distances between run and measurement as text."""

from __future__ import annotations

import math

import numpy as np

from snakestudio.analysis.fitting import FitResult, TrialOutcome, preset_of, value_doc
from snakestudio.export.tables import Cell, Column, Row, Table, number, number_cell, text_cells

_STRONG = 0.95
"""Smallest correlation of two estimates that is reported."""


def length(metres: float) -> str:
    """Return a distance for people."""
    return f"{number(1000.0 * metres, 3)} mm" if metres < 1.0 else f"{number(metres, 3)} m"


def fit_table(result: FitResult) -> Table:
    """Return one row per parameter: label, scene key, fitted value, interval, previous value."""
    scene = result.trials[0].trial.scene
    rows = []
    for parameter in result.parameters:
        doc = value_doc(scene, parameter)
        low, high = result.intervals[parameter.name]
        interval = Cell("unknown")
        if math.isfinite(low):
            interval = Cell(f"{number(low)} to {number(high)}", (low, high), "dim")
        start = result.start[parameter.name]
        before = Cell("none", role="dim") if start is None else number_cell(start, role="dim")
        label = preset_of(parameter) or doc.label
        cells = (
            *text_cells(parameter.name, label),
            number_cell(result.values[parameter.name]),
            interval,
            before,
        )
        rows.append(Row(cells, doc.unit, parameter.name))
    columns = (
        Column("value", is_text=True, name="key"),
        Column("", is_text=True, name="label"),
        Column("fitted", is_main=True),
        Column(
            "95 % interval",
            parts=("low", "high"),
            name="interval",
            tip="Contains the value with a probability of 95 %",
        ),
        Column("before", tip="Value of the scene"),
    )
    return Table("Fitted values", columns, tuple(rows), may_have_units=True)


def correlation_lines(result: FitResult) -> list[str]:
    """Return the pairs of strongly correlated estimates, one line each, strongest first."""
    rows, columns = np.triu_indices(len(result.parameters), 1)
    strengths = result.correlation[rows, columns]
    strong = np.flatnonzero(np.abs(strengths) >= _STRONG)  # not NaN
    lines = []
    for pair in strong[np.argsort(-np.abs(strengths[strong]), kind="stable")].tolist():
        one, other = result.parameters[rows[pair]].name, result.parameters[columns[pair]].name
        lines.append(
            f"{one} and {other} are strongly correlated ({strengths[pair]:.3f}): the data determine a "
            "combination of them better than each value."
        )
    return lines


def trial_line(outcome: TrialOutcome) -> str:
    """Return the result for a trial, in one line."""
    misfit = outcome.misfit_after
    parts = [f"{length(misfit.cost)} (before {length(outcome.misfit_before.cost)})"]
    low, high = outcome.trial.offset_bounds_s
    if low < high:
        parts.append(f"time offset {round(1000.0 * misfit.offset_s):+d} ms")
    if outcome.trial.align:
        parts.append(f"turned by {math.degrees(misfit.heading_rad):.1f}°")
    return f"{outcome.trial.name}: {', '.join(parts)}"
