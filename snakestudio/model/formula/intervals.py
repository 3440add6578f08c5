"""Interval arithmetic with arrays: bounds of formulas over boxes of time and position, including poles.

Evaluation with intervals gives bounds of all values, not the tightest ones: two occurrences of a name
count as independent. Where the formula can have a pole or no real value, the bounds are infinite.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from snakestudio.model.formula import Formula
from snakestudio.model.robot.smooth_steps import bump, rise

_ROOT = 5.0**-0.5
_BUMP_TURNS = (0.7598356856515927, 0.6105438726348051, 0.8951320796167694)
"""Zeros of the second and third derivatives of `bump` between 0 and 1."""


@dataclass(frozen=True, slots=True, eq=False)
class Interval:
    """All numbers from `low` to `high`, broadcastable arrays."""

    low: Any
    high: Any

    __array_ufunc__ = None  # numpy scalars defer to the operators below

    def __add__(self, other: Any) -> Interval:
        other = _interval(other)
        return _sound(self.low + other.low, self.high + other.high)

    def __neg__(self) -> Interval:
        return Interval(-self.high, -self.low)

    def __sub__(self, other: Any) -> Interval:
        return self + -_interval(other)

    def __rsub__(self, other: Any) -> Interval:
        return _interval(other) + -self

    def __mul__(self, other: Any) -> Interval:
        if not isinstance(other, Interval):
            a, b = self.low * other, self.high * other
            return _sound(np.minimum(a, b), np.maximum(a, b))
        ends = [a * b for a in (self.low, self.high) for b in (other.low, other.high)]
        return _sound(
            np.minimum.reduce(np.broadcast_arrays(*ends)),
            np.maximum.reduce(np.broadcast_arrays(*ends)),
        )

    def _over(self) -> Interval:
        pole = (self.low <= 0.0) & (self.high >= 0.0)
        return _limited(~pole, 1.0 / self.high, 1.0 / self.low)

    def __truediv__(self, other: Any) -> Interval:
        return self * _interval(other)._over()

    def __rtruediv__(self, other: Any) -> Interval:
        return _interval(other) * self._over()

    def __abs__(self) -> Interval:
        a, b = np.abs(self.low), np.abs(self.high)
        inside = (self.low <= 0.0) & (self.high >= 0.0)
        return Interval(np.where(inside, 0.0, np.minimum(a, b)), np.maximum(a, b))

    def __pow__(self, power: Any) -> Interval:
        if isinstance(power, Interval):
            return _exp(_log(self) * power)
        if power == int(power):
            base = abs(self) if int(power) % 2 == 0 else self
            positive = Interval(base.low ** abs(int(power)), base.high ** abs(int(power)))
            return positive._over() if power < 0 else _sound(positive.low, positive.high)
        root = _limited(
            self.low >= 0.0, np.maximum(self.low, 0.0) ** abs(power), self.high ** abs(power)
        )
        return root._over() if power < 0.0 else root

    def __rpow__(self, base: Any) -> Interval:
        return (
            _exp(self * np.log(base))
            if base > 0.0
            else _limited(np.isnan(self.low), self.low, self.high)
        )

    __radd__ = __add__
    __rmul__ = __mul__


def _interval(value: Any) -> Interval:
    return value if isinstance(value, Interval) else Interval(value, value)


def _sound(low: Any, high: Any) -> Interval:
    """Return the interval with infinite bounds where rounding or infinities left NaN."""
    return Interval(np.where(np.isnan(low), -np.inf, low), np.where(np.isnan(high), np.inf, high))


def _limited(where: Any, low: Any, high: Any) -> Interval:
    """Return the bounds where the formula has a value for certain, infinite elsewhere."""
    return _sound(np.where(where, low, -np.inf), np.where(where, high, np.inf))


def _rising(
    function: Callable[[Any], Any], least: float = -np.inf, most: float = np.inf
) -> Callable[[Any], Interval]:
    """Return the interval version of a function that increases on its domain from `least` to `most`."""

    def over(value: Any) -> Interval:
        x = _interval(value)
        return _limited((x.low >= least) & (x.high <= most), function(x.low), function(x.high))

    return over


def _turning(function: Callable[[Any], Any], *turns: float) -> Callable[[Any], Interval]:
    """Return the interval version of a function that is monotonic between turning points."""

    def over(value: Any) -> Interval:
        x = _interval(value)
        ends = [function(x.low), function(x.high)]
        ends += [
            np.where((x.low <= at) & (at <= x.high), function(np.float64(at)), ends[0])
            for at in turns
        ]
        return _sound(np.minimum.reduce(ends), np.maximum.reduce(ends))

    return over


def _cos(value: Any) -> Interval:
    x = _interval(value)
    ends = np.cos(x.low), np.cos(x.high)
    turn = 2.0 * np.pi
    top = np.floor(x.high / turn) >= np.ceil(x.low / turn)
    bottom = np.floor(x.high / turn - 0.5) >= np.ceil(x.low / turn - 0.5)
    return Interval(
        np.where(bottom | ~np.isfinite(ends[0] + ends[1]), -1.0, np.minimum(*ends)),
        np.where(top | ~np.isfinite(ends[0] + ends[1]), 1.0, np.maximum(*ends)),
    )


def _tan(value: Any) -> Interval:
    x = _interval(value)
    one_branch = np.floor(x.high / np.pi - 0.5) == np.floor(x.low / np.pi - 0.5)
    return _limited(one_branch & (x.high - x.low < np.pi), np.tan(x.low), np.tan(x.high))


_exp = _rising(np.exp)
_log = _rising(np.log, least=5e-324)

_FUNCTIONS: dict[str, Any] = {
    "exp": _exp,
    "log": _log,
    "sqrt": lambda x: _interval(x) ** 0.5,
    "tan": _tan,
    "cos": _cos,
    "sin": lambda x: _cos(_interval(x) - 0.5 * np.pi),
    "sinh": _rising(np.sinh),
    "tanh": _rising(np.tanh),
    "atan": _rising(np.arctan),
    "sign_of": _rising(np.sign),
    "cosh": _turning(np.cosh, 0.0),
    "asin": _rising(np.arcsin, -1.0, 1.0),
    "acos": lambda x: 0.5 * np.pi - _FUNCTIONS["asin"](x),
    "bump_0": _turning(bump, 0.0),
    "bump_1": _turning(lambda v: bump(v, 1), _BUMP_TURNS[0], -_BUMP_TURNS[0]),
    "bump_2": _turning(lambda v: bump(v, 2), 0.0, *_BUMP_TURNS[1:], *(-v for v in _BUMP_TURNS[1:])),
    "rise_0": _rising(rise),
    "rise_1": _turning(lambda v: rise(v, 1), 0.5),
    "rise_2": _turning(lambda v: rise(v, 2), 0.5 - 0.5 * _ROOT, 0.5 + 0.5 * _ROOT),
}


@lru_cache(maxsize=256)
def _compiled(formula: Formula) -> Callable[..., Any]:
    import sympy

    class Named(sympy.Function):  # type: ignore[misc]
        """Function that Python's code printer would turn into a condition."""

    Named.__name__ = "sign_of"
    parts = [sympy.sympify(part).replace(sympy.sign, Named) for part in formula.parts]
    symbols = [sympy.Symbol(name, real=True) for name in formula.order]
    function: Callable[..., Any] = sympy.lambdify(
        symbols, parts, modules=[_FUNCTIONS], cse=True, docstring_limit=0
    )
    return function


def bounds(formula: Formula, values: Mapping[str, Any]) -> tuple[Interval, ...]:
    """Return the bounds of value, total time derivatives, and slope along X, as in `Formula.at`.

    Parameters
    ----------
    values : mapping
        Numbers or intervals for each name in `formula.order`.
    """
    with np.errstate(all="ignore"):
        return tuple(
            _interval(part)
            for part in _compiled(formula)(*(values[name] for name in formula.order))
        )
