"""Typed changes of numbers, and round step sizes."""

from __future__ import annotations

import math
import re
from typing import NamedTuple

from snakestudio.model.formula.quantity import NumberTextError, parse_number
from snakestudio.model.ticks import step_above
from snakestudio.text import MINUS


class Change(NamedTuple):
    """Change of a number; `operator` is one of ``+ - * /``."""

    operator: str
    amount: float

    def of(self, value: float) -> float:
        """Return the changed value, without digits from rounding errors."""
        changed = {
            "+": value + self.amount,
            "-": value - self.amount,
            "*": value * self.amount,
            "/": value / self.amount if self.amount else math.inf,
        }[self.operator]
        return float(f"{changed:.12g}")


_CHANGE = re.compile(r"\s*(?:([+*/×·])=?|(-)=)\s*(?=\S)")


def parse_change(text: str, unit: str = "") -> Change | None:
    """Parse ``+0.1``, ``*2``, ``/3`` or ``-=0.1``; None for a plain number such as ``-0.1``.

    Raises `NumberTextError` if no number follows, or it divides by zero.
    """
    match = _CHANGE.match(text.replace(MINUS, "-"))
    if match is None:
        return None
    operator = {"×": "*", "·": "*"}.get(match[1] or match[2], match[1] or match[2])
    amount = parse_number(text[match.end() :], unit if operator in "+-" else "")
    if operator == "/" and amount == 0:
        raise NumberTextError("The divisor is zero. Enter another number.")
    return Change(operator, amount)


def nice_step(span: float) -> float:
    """Return about 1/200 of `span`, rounded up; 1 if it is not a positive number."""
    return step_above(span / 200)
