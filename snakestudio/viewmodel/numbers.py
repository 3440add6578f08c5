"""Changes of numbers as they are typed, and round steps."""

from __future__ import annotations

import math
import re
from typing import NamedTuple

from snakestudio.model.formula.quantity import NumberTextError, parse_number
from snakestudio.model.ticks import step_above
from snakestudio.text import MINUS


class Change(NamedTuple):
    """By how much a number is to change: `operator` is one of ``+ - * /``."""

    operator: str
    amount: float

    def of(self, value: float) -> float:
        """What `value` becomes, without the digits that only rounding made."""
        changed = {
            "+": value + self.amount,
            "-": value - self.amount,
            "*": value * self.amount,
            "/": value / self.amount if self.amount else math.inf,
        }[self.operator]
        return float(f"{changed:.12g}")


_CHANGE = re.compile(r"\s*(?:([+*/×·])=?|(-)=)\s*(?=\S)")


def parse_change(text: str, unit: str = "") -> Change | None:
    """What ``+0.1``, ``*2``, ``/3`` or ``-=0.1`` changes; None for a plain number, as ``-0.1`` is.

    Raises `NumberTextError` if no number follows, or it divides by zero.
    """
    match = _CHANGE.match(text.replace(MINUS, "-"))
    if match is None:
        return None
    operator = {"×": "*", "·": "*"}.get(match[1] or match[2], match[1] or match[2])
    amount = parse_number(text[match.end() :], unit if operator in "+-" else "")
    if operator == "/" and amount == 0:
        raise NumberTextError("That divides by zero.")
    return Change(operator, amount)


def nice_step(span: float) -> float:
    """About a two-hundredth of `span`, rounded up; 1 where it is not a positive number."""
    return step_above(span / 200)
