"""Reductions: what makes one number of a signal over a run, and arithmetic with such numbers, typed as signals are."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np

from snakestudio._arrays import FloatArray
from snakestudio.analysis.signals.functions import Function
from snakestudio.analysis.signals.nodes import Block, Node, Number, Pointwise
from snakestudio.analysis.signals.reader import read
from snakestudio.analysis.signals.signal import Signal, known
from snakestudio.errors import SignalError
from snakestudio.model.column_units import Unit, combined, ending_of, of_column
from snakestudio.model.recording import Recording

__all__ = ["REDUCTIONS", "Figure", "Reduction", "compile_reduction"]

_SECOND = of_column("time_s")


class Reduction(Node):
    """One number of all values that a signal has.

    Parameters
    ----------
    part : Node
    of : callable
        Makes it of the times (k,), s, and values (k,), at least one, of the rows that have one.
    unit : tuple or None
    """

    def __init__(self, part: Node, of: Callable[[FloatArray, FloatArray], float], unit: Unit) -> None:
        super().__init__(unit, (part,))
        self.of = of

    def values(self, block: Block, start: int, stop: int) -> FloatArray:
        """That of the rows `start` to `stop`, at each of them."""
        t, x = known(block.times(start, stop), self.parts[0].values(block, start, stop))
        return np.full(stop - start, self.of(t, x) if len(x) else math.nan)


def _same(unit: Unit) -> Unit:
    return unit


def _one(
    name: str, text: str, of: Callable[[FloatArray, FloatArray], float], unit: Callable[[Unit], Unit] = _same
) -> tuple[str, Function]:
    return name, Function(f"{name}(x)", text, lambda x: Reduction(x, of, unit(x.unit)))


def _percentile(x: Node, p: float) -> Reduction:
    return Reduction(x, lambda t, values: float(np.percentile(values, p)), x.unit)


REDUCTIONS: dict[str, Function] = dict((
    _one("first", "First value of the run", lambda t, x: float(x[0])),
    _one("last", "Last value of the run", lambda t, x: float(x[-1])),
    _one("mean", "Mean over all rows", lambda t, x: float(x.mean())),
    _one("median", "Median over all rows", lambda t, x: float(np.median(x))),
    _one("max", "Largest value", lambda t, x: float(x.max())),
    _one("min", "Smallest value", lambda t, x: float(x.min())),
    _one("rms", "Root of the mean square over all rows", lambda t, x: float(np.sqrt(np.mean(x * x)))),
    _one("std", "Standard deviation over all rows", lambda t, x: float(x.std())),
    _one("peak_to_peak", "Largest less smallest value", lambda t, x: float(x.max()) - float(x.min())),
    _one("integral", "Integral over time, by trapezoids", lambda t, x: float(np.trapezoid(x, t)),
         lambda unit: combined(unit, _SECOND)),
    ("percentile", Function("percentile(x, p)", "What p percent of the rows do not exceed", _percentile, 1, ("p",),
                            between={"p": (0.0, 100.0)})),
))  # fmt: skip
"""By name, in the order in which they are offered."""


class Figure:
    """A number of a run, that was read: reductions of signals, and arithmetic with them.

    Attributes
    ----------
    text : str
        As it was typed.
    columns, other_columns : tuple of str
        Columns that it reads of the run, and of the other run.
    unit : str
        As the ending of a column's name ("mps"); "" for a plain number and for what is not known.
    """

    def __init__(self, text: str, node: Node) -> None:
        self.text = text
        self._node = node
        self.columns = tuple(sorted(name for name, other in node.all_columns if not other))
        self.other_columns = tuple(sorted(name for name, other in node.all_columns if other))
        self.unit = ending_of(node.unit)

    def value(
        self, recording: Recording, start: int = 0, stop: int | None = None, other: Recording | None = None
    ) -> float:
        """Its value over the rows `start` to `stop`; all of them if left out.

        Parameters
        ----------
        recording : Recording
        start, stop : int
        other : Recording, optional
            What ``other.`` means, as of `Signal.values`.

        Raises
        ------
        SignalError
            If the run lacks a column, or it has no value there.
        IndexError
            If the recording has no such rows.
        """
        stop = len(recording) if stop is None else stop

        def worked_out(node: Node) -> FloatArray:
            if isinstance(node, Number):
                return np.array([node.value])
            if isinstance(node, Pointwise):
                return node.applied([worked_out(part) for part in node.parts])
            assert isinstance(node, Reduction)
            values = Signal(self.text, node.parts[0]).values(recording, start, stop, other)
            t, x = known(recording.times[start:stop], values)
            return np.array([node.of(t, x) if len(x) else math.nan])

        value = float(worked_out(self._node)[0])
        if not math.isfinite(value):
            what = self.text.strip()[:40]
            raise SignalError(f"'{what}' has no value in this run", "plot what is within it, to see what is known")
        return value


def compile_reduction(text: str, names: Sequence[str], other_names: Sequence[str] = ()) -> Figure:
    """Read what makes a number of a run.

    Parameters
    ----------
    text : str
        For example ``max(norm(link_6_v?_mps))``, ``last(com_x_m) - first(com_x_m)`` or ``percentile(residual, 95)``:
        what stands within a reduction is a signal, and the reductions are in `REDUCTIONS`.
    names, other_names : sequence of str
        Columns there are, as of `compile_signal`.

    Raises
    ------
    SignalError
        If it cannot be used, with the place in the text and what to do.
    """
    node = read(text, names, other_names, REDUCTIONS)
    if isinstance(node, Number):
        raise SignalError(f"'{text.strip()[:40]}' is the same for every run", "name a column of the run in it")
    return Figure(text, node)
