"""The functions of signals: what each is called with, what it does, and which node it makes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import reduce

import numpy as np

from snakestudio._arrays import FloatArray
from snakestudio.analysis.signals.filters import Butterworth, Delay, Derivative, MovingMean, RunningMedian
from snakestudio.analysis.signals.nodes import Node, Number, Pointwise
from snakestudio.analysis.signals.running import Integral, Unwrapped, ValueAt
from snakestudio.model.column_units import PLAIN, Unit, common, of_column, raised

__all__ = ["FUNCTIONS", "Function"]


@dataclass(frozen=True, slots=True)
class Function:
    """A function that can be typed.

    Attributes
    ----------
    signature : str
        As it is called: "lowpass(x, hz)".
    help : str
        What it does, in a few words.
    make : callable
        Makes the node of its signals, and of its plain numbers.
    signals : int
        How many signals it takes; 0: any number of them, also by patterns such as ``link_*_x_m``.
    numbers : tuple of str
        Plain numbers after those, by name; those in `positive` must be above 0.
    positive : frozenset of str
    between : dict of str to (float, float)
        Least and greatest of those numbers that have such limits.
    around : (str, str) or None
        How it is offered to be put around an expression: "Low-Pass, 5 Hz", ``lowpass({}, 5)``.
    """

    signature: str
    help: str
    make: Callable[..., Node]
    signals: int = 1
    numbers: tuple[str, ...] = ()
    positive: frozenset[str] = frozenset()
    between: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    around: tuple[str, str] | None = None


_RAD = of_column("a_rad")


def _same(unit: Unit) -> Unit:
    return unit


def _plain(unit: Unit) -> Unit:
    return PLAIN


def _in_degrees(unit: Unit) -> Unit:
    return (*unit[:3], 0.0, 1.0) if unit is not None and unit[3:] == (1.0, 0.0) else None


def _in_radians(unit: Unit) -> Unit:
    if unit == PLAIN:
        return _RAD
    return (*unit[:3], 1.0, 0.0) if unit is not None and unit[3:] == (0.0, 1.0) else None


def _shared(parts: tuple[Node, ...]) -> Unit:
    """The unit of several: plain numbers take that of the others."""
    return common([part.unit for part in parts if not isinstance(part, Number)])


def _one(
    name: str, text: str, function: Callable[..., FloatArray], unit: Callable[[Unit], Unit] = _plain
) -> tuple[str, Function]:
    return name, Function(f"{name}(x)", text, lambda x: Pointwise(function, (x,), unit(x.unit)))


def _many(
    name: str, text: str, function: Callable[..., FloatArray], around: tuple[str, str] | None = None
) -> tuple[str, Function]:
    def make(*parts: Node) -> Node:
        return Pointwise(function, parts, _shared(parts))

    return name, Function(f"{name}(x, y, ...)", text, make, 0, around=around)


def _added(*values: FloatArray) -> FloatArray:
    return reduce(np.add, values)


def _norm(*values: FloatArray) -> FloatArray:
    return reduce(np.hypot, values[1:], np.abs(values[0]))


def _choose(condition: FloatArray, yes: FloatArray, no: FloatArray) -> FloatArray:
    chosen: FloatArray = np.where(condition != 0.0, yes, no)
    return np.where(np.isnan(condition), np.nan, chosen)


def _windowed(
    name: str, number: str, text: str, make: Callable[[Node, float], Node], around: tuple[str, str] | None = None,
    positive: bool = True,
) -> tuple[str, Function]:  # fmt: skip
    needed = frozenset((number,)) if positive else frozenset[str]()
    return name, Function(f"{name}(x, {number})", text, make, 1, (number,), needed, around=around)


FUNCTIONS: dict[str, Function] = dict((
    ("derivative", Function("derivative(x)", "Rate of change over time", Derivative,
                            around=("Derivative", "derivative({})"))),
    ("integral", Function("integral(x)", "Integral over time since the start of the run", Integral,
                          around=("Integral", "integral({})"))),
    _windowed("lowpass", "hz", "Butterworth low-pass of order 2, forwards and backwards; half the power passes at hz",
              lambda x, hz: Butterworth("lowpass", x, hz), ("Low-Pass, 5 Hz", "lowpass({}, 5)")),
    _windowed("highpass", "hz", "Butterworth high-pass of order 2, forwards and backwards; half the power passes at hz",
              lambda x, hz: Butterworth("highpass", x, hz), ("High-Pass, 0.5 Hz", "highpass({}, 0.5)")),
    _windowed("moving_mean", "s", "Mean over s seconds around every moment", MovingMean,
              ("Moving Mean, 0.5 s", "moving_mean({}, 0.5)")),
    _windowed("median", "s", "Median over s seconds around every moment: takes out spikes", RunningMedian,
              ("Median, 0.2 s", "median({}, 0.2)")),
    _windowed("delay", "s", "The value s seconds before", Delay, positive=False),
    _windowed("at", "t", "The value at the time t, for every moment: x - at(x, 0) is a displacement", ValueAt,
              positive=False),
    ("unwrap", Function("unwrap(x)", "An angle without jumps by whole turns", Unwrapped)),
    _many("norm", "Square root of the sum of squares", _norm, ("Norm", "norm({})")),
    _many("sum", "Sum", _added),
    _many("mean", "Mean of several signals at every moment", lambda *values: _added(*values) / len(values)),
    _many("max", "Largest of several signals at every moment", lambda *values: reduce(np.maximum, values)),
    _many("min", "Smallest of several signals at every moment", lambda *values: reduce(np.minimum, values)),
    _many("hypot", "Square root of the sum of squares", _norm),
    ("atan2", Function("atan2(y, x)", "Angle of the direction (x, y)",
                       lambda y, x: Pointwise(np.arctan2, (y, x), _RAD), 2)),
    ("where", Function("where(condition, x, y)", "x where the condition holds, y elsewhere",
                       lambda c, x, y: Pointwise(_choose, (c, x, y), _shared((x, y))), 3)),
    _one("abs", "Size without sign", np.abs, _same),
    _one("sign", "-1, 0 or 1", np.sign),
    _one("sqrt", "Square root", np.sqrt, lambda unit: raised(unit, 0.5)),
    _one("exp", "Exponential", np.exp),
    _one("log", "Natural logarithm", np.log),
    _one("log10", "Logarithm to the base 10", np.log10),
    _one("sin", "Sine of an angle in radians", np.sin),
    _one("cos", "Cosine of an angle in radians", np.cos),
    _one("tan", "Tangent of an angle in radians", np.tan),
    _one("asin", "Angle of a sine", np.arcsin, lambda _: _RAD),
    _one("acos", "Angle of a cosine", np.arccos, lambda _: _RAD),
    _one("atan", "Angle of a tangent", np.arctan, lambda _: _RAD),
    _one("sinh", "Hyperbolic sine", np.sinh),
    _one("cosh", "Hyperbolic cosine", np.cosh),
    _one("tanh", "Hyperbolic tangent", np.tanh),
    _one("deg", "Radians as degrees", np.rad2deg, _in_degrees),
    _one("rad", "Degrees as radians", np.deg2rad, _in_radians),
))  # fmt: skip
"""By name, in the order in which they are offered."""
