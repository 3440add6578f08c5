"""Numbers as people read them: steps that are round and figures that do not dance."""

from __future__ import annotations

import math
import re
from typing import NamedTuple

from snakestudio.model.formula.quantity import MINUS, NumberTextError, parse_number
from snakestudio.model.ticks import decimals_of, step_above

__all__ = ["Change", "format_number", "nice_step", "parse_change"]


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

    Raises
    ------
    NumberTextError
        If no number follows, or it divides by zero.
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


def format_number(value: float, step: float = 0.0) -> str:
    """Text of `value` that loses nothing somebody typed, with the decimals of `step` if they suffice."""
    decimals = decimals_of(step) if step > 0 else 0
    text = f"{value:.{decimals}f}" if decimals <= 6 else ""
    if not text or not math.isclose(float(text), value, rel_tol=1e-12, abs_tol=1e-15):
        text = f"{value:.12g}"
    text = re.sub(r"e([+-])0*(\d)", r"e\1\2", text).replace("e+", "e")
    if text.startswith("-"):
        text = MINUS + text[1:] if float(text) != 0 else text[1:]
    return text
