"""Functions of signals: signature, description, and the node that each creates."""

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
    PointwiseFunction,
    Reading,
)
from snakestudio.analysis.signals.running import Integral, UnwrappedAngle, ValueAt
from snakestudio.errors import PluginRuntimeError, SignalError
from snakestudio.model.column_units import PLAIN, Unit, common, of_column, raised
from snakestudio.model.registry import first_line, titled
from snakestudio.plugins.declaration import Declaration, Table


@dataclass(frozen=True, slots=True)
class Function:
    """A function for expressions."""

    signature: str
    """Call signature: "lowpass(x, hz)"."""

    help: str
    """Short description."""

    make: Callable[..., Node]
    """Creates the node from signals and plain numbers."""

    signals: int = 1
    """Number of signals; 0: any number, also as patterns such as ``link_*_x_m``."""

    numbers: tuple[str, ...] = ()
    """Names of the plain numbers after the signals; those in `positive` must be above 0."""

    positive: frozenset[str] = frozenset()
    between: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    """Minimum and maximum of the limited numbers, by name."""

    around: tuple[str, str] | None = None
    """Menu label and template for applying it to an expression: "Low-Pass, 5 Hz", ``lowpass({}, 5)``."""


def signal_errors(name: str, plugin: str, function: Callable[..., Any]) -> Callable[..., Any]:
    """A guarded function of a plug-in whose faults, and arguments that it does not accept, are a `SignalError`."""

    def checked(*arguments: Any) -> Any:
        try:
            return function(*arguments)
        except PluginRuntimeError as error:
            raise SignalError(error.message.rstrip("."), f"or remove {name}") from error
        except (TypeError, ValueError) as error:  # called with invalid arguments
            raise SignalError(
                f"{name} of the plug-in {plugin} cannot be used: {error}", "fix the plug-in"
            ) from error

    return checked


def unit_after(unit: Callable[[Unit], Unit] | str | None, of: Unit) -> Unit:
    """Return the unit of the result for a signal with a given unit, as declared by the function."""
    if unit is None:
        return of
    if isinstance(unit, str):
        return of_column(f"a_{unit}") if unit else PLAIN
    return unit(of)


class Custom(Node):
    """Result of a plug-in's filter for a signal.

    Parameters
    ----------
    function : callable
        Computes the values (k,) from times (k,), s, and values (k,), NaN in gaps.
    reach_s : float or None
        Width of its window on each side, s; None: the whole run.
    name : str
        Name for messages.
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
        """Return the reach of its part, extended by the window."""
        return self.parts[0].reach(reading, *self._window(reading, start, stop))

    def settled(self, reading: Reading, start: int, stop: int) -> bool:
        """False where its window extends beyond the end of the recording."""
        first, last = self._window(reading, start, stop)
        return last < len(reading) and self.parts[0].settled(reading, first, last)

    def values(self, block: Block, start: int, stop: int) -> FloatArray:
        """Return the values at the rows `start` to `stop`."""
        first, last = self._window(block.reading, start, stop)
        values = self.parts[0].values(block, first, last)
        returned = np.asarray(self._function(block.times(first, last), values))
        if returned.shape != values.shape or returned.dtype.kind not in "fiub":
            form = " x ".join(map(str, returned.shape)) or "one"
            raise SignalError(
                f"{self._name} gives {form} {returned.dtype} values for {len(values)} rows",
                "give one number for each row",
            )
        result: FloatArray = returned[start - first : stop - first].astype(np.float64)
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
    """Return the common unit of several nodes; plain numbers take the unit of the others."""
    return common([part.unit for part in parts if not isinstance(part, Number)])


def _one(
    name: str, text: str, function: Callable[..., FloatArray], unit: Callable[[Unit], Unit] = _plain
) -> tuple[str, Function]:
    return name, Function(
        f"{name}(x)", text, lambda x: PointwiseFunction(function, (x,), unit(x.unit))
    )


def _many(
    name: str, text: str, function: Callable[..., FloatArray], around: tuple[str, str] | None = None
) -> tuple[str, Function]:
    def make(*parts: Node) -> Node:
        return PointwiseFunction(function, parts, _shared(parts))

    return name, Function(f"{name}(x, y, ...)", text, make, 0, around=around)


def _sum_of(*values: FloatArray) -> FloatArray:
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
            "Mean over s seconds around each time",
            MovingMean,
            ("Moving Mean, 0.5 s", "moving_mean({}, 0.5)"),
        ),
        _windowed(
            "median",
            "s",
            "Median over s seconds around each time; removes spikes",
            RunningMedian,
            ("Median, 0.2 s", "median({}, 0.2)"),
        ),
        _windowed("delay", "s", "Value s seconds earlier", Delay, positive=False),
        _windowed(
            "at",
            "t",
            "Value at the time t, for all times: x - at(x, 0) is a displacement",
            ValueAt,
            positive=False,
        ),
        ("unwrap", Function("unwrap(x)", "Angle without jumps by full turns", UnwrappedAngle)),
        _many("norm", "Square root of the sum of squares", _norm, ("Norm", "norm({})")),
        _many("sum", "Sum", _sum_of),
        _many(
            "mean",
            "Mean of several signals at each time",
            lambda *values: _sum_of(*values) / len(values),
        ),
        _many(
            "max",
            "Largest of several signals at each time",
            lambda *values: reduce(np.maximum, values),
        ),
        _many(
            "min",
            "Smallest of several signals at each time",
            lambda *values: reduce(np.minimum, values),
        ),
        _many("hypot", "Square root of the sum of squares", _norm),
        (
            "atan2",
            Function(
                "atan2(y, x)",
                "Angle of the direction (x, y)",
                lambda y, x: PointwiseFunction(np.arctan2, (y, x), _RAD),
                2,
            ),
        ),
        (
            "where",
            Function(
                "where(condition, x, y)",
                "x where the condition holds, y elsewhere",
                lambda c, x, y: PointwiseFunction(_choose, (c, x, y), _shared((x, y))),
                3,
            ),
        ),
        _one("abs", "Absolute value", np.abs, _same),
        _one("sign", "-1, 0 or 1", np.sign),
        _one("plain", "Value without its unit", np.positive),
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
        _one("deg", "Radians to degrees", np.rad2deg, _in_degrees),
        _one("rad", "Degrees to radians", np.deg2rad, _in_radians),
    )
)
"""By name, in the order in which they are listed."""


@dataclass(frozen=True, kw_only=True, eq=False)
class SignalFunctionKind(Declaration):
    """Declaration of a plug-in's function of one signal and plain numbers."""

    calls: ClassVar[Mapping[str, str]] = {"of": "times, values", "unit": "unit"}

    name: str
    """Name in expressions."""

    of: Callable[..., Any]
    """Computes it from times (k,), s, values (k,), and the plain numbers."""

    help: str = ""
    """Short description."""

    unit: Callable[[Unit], Unit] | str | None = None
    """Computes the unit of the result from that of the signal (the same if omitted); or the unit in the form used
    at the end of column names ("mps"), "" for none."""

    numbers: tuple[str, ...] = ()
    """Names of the plain numbers after the signal."""

    positive: tuple[str, ...] = ()
    """Names of those that must be above 0."""

    between: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    """Minimum and maximum of these numbers, by name."""

    @property
    def kind_name(self) -> str:
        """Name in expressions."""
        return self.name

    def function(self, of: Callable[..., Any]) -> Function:
        """Return the function for expressions, with `of` as its implementation."""
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
        """Menu label and template for applying it to an expression; None if it is not in the menu."""
        return None

    def node(self, of: Callable[..., Any], x: Node, numbers: tuple[float, ...]) -> Node:
        """Return the node for a signal and plain numbers."""
        raise NotImplementedError

    def arguments(self, name: str) -> tuple[str, ...]:
        """Return the arguments that the function in a field gets."""
        if name == "unit":
            return ("unit",)
        return (*(("times", "values") if name == "of" else ()), *self.numbers)

    def register(self, source: str) -> None:
        """Register the function; exceptions in its code become messages about the expression."""
        self.registry.add(
            self.name, self.function(signal_errors(self.name, source, self.of)), source
        )


@dataclass(frozen=True, kw_only=True, eq=False)
class FilterKind(SignalFunctionKind):
    """A filter: a function of one signal that returns a value for each row."""

    role: ClassVar[str] = "filter"
    registry: ClassVar[Table[Function]] = FUNCTIONS

    of: Callable[..., FloatArray]
    """Computes the values (k,) from the times (k,), s, the values (k,), NaN in gaps, and the plain
    numbers."""

    calls: ClassVar[Mapping[str, str]] = {**SignalFunctionKind.calls, "reach_s": "numbers"}

    reach_s: float | Callable[..., float] | None = None
    """Width of its window on each side, s, or a function that computes it from the plain numbers; 0: only the
    row itself; None: the whole run, which is slower during a run."""

    @property
    def around(self) -> tuple[str, str] | None:
        """Its title, if it needs no plain numbers."""
        return None if self.numbers else (titled(self.name), f"{self.name}({{}})")

    def node(self, of: Callable[..., Any], x: Node, numbers: tuple[float, ...]) -> Node:
        """Return the filtered signal."""
        reach = self.reach_s(*numbers) if callable(self.reach_s) else self.reach_s
        unit = unit_after(self.unit, x.unit)
        return Custom(x, lambda t, values: of(t, values, *numbers), unit, reach, self.name)
