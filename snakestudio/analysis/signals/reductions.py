"""Reductions of a signal to one number over a run, and arithmetic with such numbers."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from snakestudio._arrays import FloatArray
from snakestudio.analysis.signals.functions import Function, SignalFunctionKind, unit_after
from snakestudio.analysis.signals.nodes import Block, Node, Number, PointwiseFunction
from snakestudio.analysis.signals.reader import read
from snakestudio.analysis.signals.signal import Signal, known
from snakestudio.errors import SignalError
from snakestudio.model.column_units import Unit, combined, ending_of, of_column
from snakestudio.model.recording import Recording
from snakestudio.plugins.declaration import Table
from snakestudio.plugins.result_types import described

_SECOND = of_column("time_s")


class Reduction(Node):
    """One number computed from all values of a signal.

    Parameters
    ----------
    of : callable
        Computes it from the times (k,), s, and values (k,) of the rows that have a value; at least one.
    """

    def __init__(
        self, part: Node, of: Callable[[FloatArray, FloatArray], float], unit: Unit
    ) -> None:
        super().__init__(unit, (part,))
        self.of = of

    def values(self, block: Block, start: int, stop: int) -> FloatArray:
        """Return the number for the rows `start` to `stop`, repeated at each of them."""
        t, x = known(block.times(start, stop), self.parts[0].values(block, start, stop))
        return np.full(stop - start, self.of(t, x) if len(x) else math.nan)


REDUCTIONS: Table[Function] = Table()
"""All reductions by name, in the order of menus."""


@dataclass(frozen=True, kw_only=True, eq=False)
class ReductionKind(SignalFunctionKind):
    """A reduction of a signal to a number."""

    role: ClassVar[str] = "reduction"
    registry: ClassVar[Table[Function]] = REDUCTIONS

    of: Callable[..., Any]
    """Computes the number from the times (k,), s, and values (k,) of the rows that have a value (at least
    one), and from the plain numbers."""

    def node(self, of: Callable[..., Any], x: Node, numbers: tuple[float, ...]) -> Reduction:
        """Return the reduction of a signal."""
        unit = unit_after(self.unit, x.unit)
        return Reduction(x, lambda t, values: self._number(of(t, values, *numbers)), unit)

    def _number(self, value: Any) -> float:
        """Return the result as a number.

        Raises
        ------
        SignalError
        """
        try:
            return float(value)
        except Exception:
            what = f"{self.name} returns {described(value)}, which is not a number"
            raise SignalError(what, "return one number") from None


def _own(name: str, help: str, of: Callable[..., Any], **more: Any) -> ReductionKind:
    return ReductionKind(name=name, help=help, of=of, **more)


_OWN = (
    _own("first", "First value of the run", lambda t, x: x[0]),
    _own("last", "Last value of the run", lambda t, x: x[-1]),
    _own("mean", "Mean over all rows", lambda t, x: x.mean()),
    _own("median", "Median over all rows", lambda t, x: np.median(x)),
    _own("max", "Largest value", lambda t, x: x.max()),
    _own("min", "Smallest value", lambda t, x: x.min()),
    _own("rms", "Root of the mean square over all rows", lambda t, x: np.sqrt(np.mean(x * x))),
    _own("std", "Standard deviation over all rows", lambda t, x: x.std()),
    _own(
        "peak_to_peak", "Largest minus smallest value", lambda t, x: float(x.max()) - float(x.min())
    ),
    _own(
        "integral",
        "Integral over time, by trapezoids",
        lambda t, x: np.trapezoid(x, t),
        unit=lambda unit: combined(unit, _SECOND),
    ),
    _own(
        "percentile",
        "Value that p percent of the rows do not exceed",
        lambda t, x, p: np.percentile(x, p),
        numbers=("p",),
        between={"p": (0.0, 100.0)},
    ),
)

REDUCTIONS.update({kind.name: kind.function(kind.of) for kind in _OWN})


class Figure:
    """A parsed number of a run: reductions of signals, and arithmetic with them.

    Attributes
    ----------
    text : str
        The text as entered.
    columns, other_columns : tuple of str
        Columns of the run and of the other run that it reads.
    unit : str
        In the form used at the end of column names ("mps"); "" for a plain number and for unknown units.
    """

    def __init__(self, text: str, node: Node) -> None:
        self.text = text
        self._node = node
        self.columns = tuple(sorted(name for name, other in node.all_columns if not other))
        self.other_columns = tuple(sorted(name for name, other in node.all_columns if other))
        self.unit = ending_of(node.unit)

    def value(
        self,
        recording: Recording,
        start: int = 0,
        stop: int | None = None,
        other: Recording | None = None,
    ) -> float:
        """Return the value over the rows `start` to `stop`; all of them if omitted.

        Raises `SignalError` if the run lacks a column, or the number is undefined there. Raises
        `IndexError` if the recording has no such rows.

        Parameters
        ----------
        other : Recording, optional
            Run to which ``other.`` refers, as in `Signal.values`.
        """
        stop = len(recording) if stop is None else stop

        def worked_out(node: Node) -> FloatArray:
            if isinstance(node, Number):
                return np.array([node.value])
            if isinstance(node, PointwiseFunction):
                return node.applied([worked_out(part) for part in node.parts])
            assert isinstance(node, Reduction)
            values = Signal(self.text, node.parts[0]).values(recording, start, stop, other)
            t, x = known(recording.times[start:stop], values)
            return np.array([node.of(t, x) if len(x) else math.nan])

        value = float(worked_out(self._node)[0])
        if not math.isfinite(value):
            what = self.text.strip()[:40]
            raise SignalError(
                f"'{what}' has no value in this run",
                "plot its signals to see where they have values",
            )
        return value


def compile_reduction(text: str, names: Sequence[str], other_names: Sequence[str] = ()) -> Figure:
    """Parse an expression for a number of a run.

    Raises `SignalError` if it is invalid, with the position in the text and a remedy.

    Parameters
    ----------
    text : str
        For example ``max(norm(link_6_v?_mps))``, ``last(com_x_m) - first(com_x_m)`` or
        ``percentile(residual, 95)``: the argument of a reduction is a signal, and the reductions
        are in `REDUCTIONS`.
    names, other_names : sequence of str
        Available columns, as in `compile_signal`.
    """
    node = read(text, names, other_names, REDUCTIONS)
    if isinstance(node, Number):
        raise SignalError(
            f"'{text.strip()[:40]}' is the same for every run", "use a column of the run in it"
        )
    return Figure(text, node)
