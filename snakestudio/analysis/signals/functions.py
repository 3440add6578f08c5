"""The functions of signals: what each is called with, what it does, and which node it makes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import reduce
from typing import Any, ClassVar

import numpy as np

from snakestudio._arrays import FloatArray
from snakestudio.analysis.signals.filters import (
    Butterworth,
    Delay,
    Derivative,
    MovingMean,
    RunningMedian,
)
from snakestudio.analysis.signals.nodes import (
    Block,
    Node,
    Number,
    Pointwise,
    Reading,
)
from snakestudio.analysis.signals.running import Integral, Unwrapped, ValueAt
from snakestudio.errors import PluginRuntimeError, SignalError
from snakestudio.model.column_units import PLAIN, Unit, common, of_column, raised
from snakestudio.model.registry import first_line, titled
from snakestudio.plugins.declaration import Declaration, Table
from snakestudio.plugins.faults import calling


@dataclass(frozen=True, slots=True)
class Function:
    """A function that can be typed."""

    signature: str
    """As it is called: "lowpass(x, hz)"."""

    help: str
    """What it does, in a few words."""

    make: Callable[..., Node]
    """Makes the node of its signals, and of its plain numbers."""

    signals: int = 1
    """How many signals it takes; 0: any number of them, also by patterns such as ``link_*_x_m``."""

    numbers: tuple[str, ...] = ()
    """Plain numbers after those, by name; those in `positive` must be above 0."""

    positive: frozenset[str] = frozenset()
    between: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    """Least and greatest of those numbers that have such limits."""

    around: tuple[str, str] | None = None
    """How it is offered to be put around an expression: "Low-Pass, 5 Hz", ``lowpass({}, 5)``."""


def guarded(name: str, plugin: str, function: Callable[..., Any]) -> Callable[..., Any]:
    """A function of a plug-in; what it raises, and no number where one has to be, is a `SignalError`."""

    def checked(*arguments: Any) -> Any:
        try:
            with calling():
                return function(*arguments)
        except PluginRuntimeError as error:
            raise SignalError(error.message.rstrip("."), f"or leave out {name}") from error
        except (TypeError, ValueError) as error:  # called with what it does not take
            raise SignalError(
                f"{name} of the plug-in {plugin} cannot be used: {error}", "fix the plug-in"
            ) from error

    return checked


def unit_after(unit: Callable[[Unit], Unit] | str | None, of: Unit) -> Unit:
    """The unit of what a function makes of a signal with a unit, as its declaration says."""
    if unit is None:
        return of
    if isinstance(unit, str):
        return of_column(f"a_{unit}") if unit else PLAIN
    return unit(of)


class Custom(Node):
    """What a plug-in's filter makes of a signal.

    Parameters
    ----------
    function : callable
        Makes the values (k,) of times (k,), s, and values (k,), NaN in gaps.
    reach_s : float or None
        How far it looks to either side, s; None: at the whole run.
    name : str
        For messages.
    """

    def __init__(
        self,
        part: Node,
        function: Callable[..., FloatArray],
        unit: Unit,
        reach_s: float | None,
        name: str,
    ) -> None:
        super().__init__(unit, (part,))
        self._function = function
        self._reach_s = reach_s
        self._name = name

    def _window(self, reading: Reading, start: int, stop: int) -> tuple[int, int]:
        if self._reach_s is None or not len(reading):
            return 0, len(reading)
        last = max(min(stop, len(reading)) - 1, 0)
        return (
            min(reading.from_time(reading.times[min(start, last)] - self._reach_s), start),
            max(reading.to_time(reading.times[last] + self._reach_s), stop),
        )

    def reach(self, reading: Reading, start: int, stop: int) -> tuple[int, int]:
        """As far as its part reaches from its window."""
        return self.parts[0].reach(reading, *self._window(reading, start, stop))

    def settled(self, reading: Reading, start: int, stop: int) -> bool:
        """Not where it looks beyond the end of the recording."""
        first, last = self._window(reading, start, stop)
        return last < len(reading) and self.parts[0].settled(reading, first, last)

    def values(self, block: Block, start: int, stop: int) -> FloatArray:
        """Its values at the rows `start` to `stop`."""
        first, last = self._window(block.reading, start, stop)
        values = self.parts[0].values(block, first, last)
        made = np.asarray(self._function(block.times(first, last), values))
        if made.shape != values.shape or made.dtype.kind not in "fiub":
            form = " x ".join(map(str, made.shape)) or "one"
            raise SignalError(
                f"{self._name} gives {form} {made.dtype} values for {len(values)} rows",
                "give one number for each row",
            )
        result: FloatArray = made[start - first : stop - first].astype(np.float64)
        return result


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
    name: str,
    number: str,
    text: str,
    make: Callable[[Node, float], Node],
    around: tuple[str, str] | None = None,
    positive: bool = True,
) -> tuple[str, Function]:
    needed = frozenset((number,)) if positive else frozenset[str]()
    return name, Function(f"{name}(x, {number})", text, make, 1, (number,), needed, around=around)


FUNCTIONS: Table[Function] = Table(
    (
        (
            "derivative",
            Function(
                "derivative(x)",
                "Rate of change over time",
                Derivative,
                around=("Derivative", "derivative({})"),
            ),
        ),
        (
            "integral",
            Function(
                "integral(x)",
                "Integral over time since the start of the run",
                Integral,
                around=("Integral", "integral({})"),
            ),
        ),
        _windowed(
            "lowpass",
            "hz",
            "Butterworth low-pass of order 2, forwards and backwards; half the power passes at hz",
            lambda x, hz: Butterworth("lowpass", x, hz),
            ("Low-Pass, 5 Hz", "lowpass({}, 5)"),
        ),
        _windowed(
            "highpass",
            "hz",
            "Butterworth high-pass of order 2, forwards and backwards; half the power passes at hz",
            lambda x, hz: Butterworth("highpass", x, hz),
            ("High-Pass, 0.5 Hz", "highpass({}, 0.5)"),
        ),
        _windowed(
            "moving_mean",
            "s",
            "Mean over s seconds around every moment",
            MovingMean,
            ("Moving Mean, 0.5 s", "moving_mean({}, 0.5)"),
        ),
        _windowed(
            "median",
            "s",
            "Median over s seconds around every moment: takes out spikes",
            RunningMedian,
            ("Median, 0.2 s", "median({}, 0.2)"),
        ),
        _windowed("delay", "s", "The value s seconds before", Delay, positive=False),
        _windowed(
            "at",
            "t",
            "The value at the time t, for every moment: x - at(x, 0) is a displacement",
            ValueAt,
            positive=False,
        ),
        ("unwrap", Function("unwrap(x)", "An angle without jumps by whole turns", Unwrapped)),
        _many("norm", "Square root of the sum of squares", _norm, ("Norm", "norm({})")),
        _many("sum", "Sum", _added),
        _many(
            "mean",
            "Mean of several signals at every moment",
            lambda *values: _added(*values) / len(values),
        ),
        _many(
            "max",
            "Largest of several signals at every moment",
            lambda *values: reduce(np.maximum, values),
        ),
        _many(
            "min",
            "Smallest of several signals at every moment",
            lambda *values: reduce(np.minimum, values),
        ),
        _many("hypot", "Square root of the sum of squares", _norm),
        (
            "atan2",
            Function(
                "atan2(y, x)",
                "Angle of the direction (x, y)",
                lambda y, x: Pointwise(np.arctan2, (y, x), _RAD),
                2,
            ),
        ),
        (
            "where",
            Function(
                "where(condition, x, y)",
                "x where the condition holds, y elsewhere",
                lambda c, x, y: Pointwise(_choose, (c, x, y), _shared((x, y))),
                3,
            ),
        ),
        _one("abs", "Size without sign", np.abs, _same),
        _one("sign", "-1, 0 or 1", np.sign),
        _one("plain", "Its number without the unit", np.positive),
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
    )
)
"""By name, in the order in which they are offered."""


@dataclass(frozen=True, kw_only=True, eq=False)
class SignalFunctionKind(Declaration):
    """What plug-ins declare of a function of one signal and of plain numbers."""

    name: str
    """As it is typed."""

    of: Callable[..., Any]
    """Computes it from times (k,), s, values (k,), and the plain numbers."""

    help: str = ""
    """What it does, in a few words."""

    unit: Callable[[Unit], Unit] | str | None = None
    """Makes the unit of the result from that of the signal, which it is if left out; or the unit as
    columns end in it ("mps"), "" for none."""

    numbers: tuple[str, ...] = ()
    """Names of the plain numbers that it takes after the signal."""

    positive: tuple[str, ...] = ()
    """Those of them that must be above 0."""

    between: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    """Least and greatest of them."""

    @property
    def kind_name(self) -> str:
        """As it is typed."""
        return self.name

    def function(self, of: Callable[..., Any]) -> Function:
        """What expressions use of it, with `of` in place of its own."""
        signature = f"{self.name}({', '.join(('x', *self.numbers))})"
        help_ = self.help or first_line(self.of).rstrip(".") or titled(self.name)
        return Function(
            signature,
            help_,
            lambda x, *numbers: self.node(of, x, numbers),
            1,
            self.numbers,
            frozenset(self.positive),
            self.between,
            self.around,
        )

    @property
    def around(self) -> tuple[str, str] | None:
        """How it is offered to be put around an expression; None: it is not."""
        return None

    def node(self, of: Callable[..., Any], x: Node, numbers: tuple[float, ...]) -> Node:
        """The node of a signal and of plain numbers."""
        raise NotImplementedError

    def register(self, source: str) -> None:
        """Take it up; what its code raises becomes a message about the expression."""
        self.registry.add(self.name, self.function(guarded(self.name, source, self.of)), source)


@dataclass(frozen=True, kw_only=True, eq=False)
class FilterKind(SignalFunctionKind):
    """A filter: a function of one signal that gives a value for every row."""

    role: ClassVar[str] = "filter"
    registry: ClassVar[Table[Function]] = FUNCTIONS

    of: Callable[..., FloatArray]
    """Makes the values (k,) of the times (k,), s, and the values (k,), NaN in gaps, and of the
    plain numbers."""

    reach_s: float | Callable[..., float] | None = None
    """How far it looks to either side, s, or what makes that of the plain numbers; 0: only at the
    row itself; None: at the whole run, which takes longer while a run goes."""

    @property
    def around(self) -> tuple[str, str] | None:
        """By its name, if it takes no plain numbers."""
        return None if self.numbers else (titled(self.name), f"{self.name}({{}})")

    def node(self, of: Callable[..., Any], x: Node, numbers: tuple[float, ...]) -> Node:
        """The filtered signal."""
        reach = self.reach_s(*numbers) if callable(self.reach_s) else self.reach_s
        unit = unit_after(self.unit, x.unit)
        return Custom(x, lambda t, values: of(t, values, *numbers), unit, reach, self.name)
