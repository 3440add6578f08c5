"""Report of a check of the time step: values at each step, their errors, and the proposed step."""

from __future__ import annotations

import math

from snakestudio.analysis.comparison.step_size import TARGET, QuantityCheck, StepCheck
from snakestudio.export.report import Report, scene_title
from snakestudio.export.tables import MISSING, Cell, Column, Row, Table, number, text_cells


def step_report(check: StepCheck, scene_file: str | None = None) -> Report:
    """Return the report of a check of the time step."""
    values = " ".join(f"--set {key}={value!r}" for key, value in (check.proposal or {}).items())
    return Report(
        subject="step_size",
        title=f"{scene_title(check.scene)}: step size",
        lead="",
        tables=(step_table(check),) if check.quantities else (),
        scene=check.scene,
        scene_file=scene_file,
        notes=check.notes,
        conclusion="\n\n".join(part for part in (check.verdict, values) if part),
    )


def step_table(check: StepCheck) -> Table:
    """Return the quantities at each step, the error at the first step, and its basis."""
    steps = [step_text(run.step) for run in check.runs]
    columns = (
        Column("", is_text=True, name="quantity"),
        *(Column(step) for step in steps),
        Column(f"error at {steps[0]}", parts=("value", "percent"), name="error"),
        Column("estimated from"),
    )
    rows = []
    for quantity in check.quantities:
        values = (Cell(_value_text(quantity, value), (value,)) for value in quantity.values)
        cells = (
            *text_cells(quantity.label),
            *values,
            _error_cell(quantity),
            Cell(_basis_text(quantity), role="dim"),
        )
        rows.append(Row(cells, quantity.unit))
    return Table("Errors by time step", columns, tuple(rows))


def step_text(step: float) -> str:
    """Return a time step (s) in ms."""
    return f"{1000 * step:.4g} ms"


def _value_text(quantity: QuantityCheck, value: float) -> str:
    """Return a value with as many digits as its error justifies."""
    if math.isnan(value):
        return "failed"
    # Less than a millionth of the reference is rounding.
    return number(0.0 if abs(value) < 1e-6 * quantity.reference else value, 5)


def _error_cell(quantity: QuantityCheck) -> Cell:
    """Return the error, absolute and relative."""
    if not quantity.settled:
        return Cell("does not converge", role="warning")
    relative = 100 * quantity.relative
    percent = (
        "< 0.01 %" if relative < 0.01 else f"{relative:.2g} %" if relative < 100 else "> 100 %"
    )
    if quantity.relative_to != "value":
        percent += f" of {quantity.relative_to}"
    error = 0.0 if quantity.error < 1e-9 * quantity.reference else quantity.error
    text = f"{number(error, 2 if error < 100 else 3)} {quantity.unit} ({percent})"
    return Cell(
        text, (quantity.error, relative), "good" if quantity.relative <= TARGET else "warning"
    )


def _basis_text(quantity: QuantityCheck) -> str:
    """Return the basis of the error estimate."""
    if quantity.basis == "order":
        return f"order {quantity.order:.2f}"
    return {"two steps": "two steps, order 1", "spread": "spread"}.get(quantity.basis, MISSING)
