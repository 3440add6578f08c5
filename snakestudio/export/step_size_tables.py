"""A check of the step size as a table of text, printed and copied."""

from __future__ import annotations

import math

from snakestudio.analysis.comparison.step_size import QuantityCheck, StepCheck
from snakestudio.export.comparison_tables import aligned, number

__all__ = ["basis_text", "error_text", "heads", "report", "step_text", "value_text"]


def report(check: StepCheck) -> str:
    """The whole check as lines of text."""
    parts = []
    if check.quantities:
        rows = [("", "", *heads(check))]
        for quantity in check.quantities:
            values = tuple(value_text(quantity, value) for value in quantity.values)
            rows.append((quantity.label, quantity.unit, *values, error_text(quantity), basis_text(quantity)))
        parts.append(aligned(rows, left=2))
    parts += ["\n".join(check.notes)] if check.notes else []
    parts.append(check.verdict)
    if check.proposal:
        parts.append(" ".join(f"--set {key}={value!r}" for key, value in check.proposal.items()))
    return "\n\n".join(parts)


def heads(check: StepCheck) -> tuple[str, ...]:
    """Titles of the columns: each step, the error of the first, what it is estimated from."""
    steps = tuple(step_text(run.step) for run in check.runs)
    return (*steps, f"error at {steps[0]}", "estimated from")


def step_text(step: float) -> str:
    """A time step (s) in ms."""
    return f"{1000 * step:.4g} ms"


def value_text(quantity: QuantityCheck, value: float) -> str:
    """A value with about as many digits as its error leaves."""
    if math.isnan(value):
        return "failed"
    # Less than a millionth of what it is related to is rounding.
    return number(0.0 if abs(value) < 1e-6 * quantity.reference else value, 5)


def error_text(quantity: QuantityCheck) -> str:
    """The error, absolute and relative."""
    if not quantity.settled:
        return "does not settle"
    relative = 100 * quantity.relative
    percent = "< 0.01 %" if relative < 0.01 else f"{relative:.2g} %" if relative < 100 else "> 100 %"
    if quantity.relative_to != "value":
        percent += f" of {quantity.relative_to}"
    error = 0.0 if quantity.error < 1e-9 * quantity.reference else quantity.error
    return f"{number(error, 2 if error < 100 else 3)} {quantity.unit} ({percent})"


def basis_text(quantity: QuantityCheck) -> str:
    """What the error is estimated from."""
    if quantity.basis == "order":
        return f"order {quantity.order:.2f}"
    return {"two steps": "two steps, order 1", "spread": "spread"}.get(quantity.basis, "-")
