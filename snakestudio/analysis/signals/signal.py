"""A signal: an expression over the columns of a run, evaluated for any of its rows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from snakestudio._arrays import FloatArray
from snakestudio.analysis.signals.nodes import Node, Reading, Time, evaluate
from snakestudio.analysis.signals.reader import read
from snakestudio.errors import SignalError
from snakestudio.model.column_units import ending_of
from snakestudio.model.recording import Recording

__all__ = ["PIECE", "Signal", "compile_signal"]

PIECE = 16384
"""Rows that are worked on at a time; more where a filter looks far. Whole blocks of what is carried on (`running`)."""


class Signal:
    """An expression that was read.

    Attributes
    ----------
    text : str
        As it was typed.
    columns : tuple of str
        Columns of the run that it reads.
    other_columns : tuple of str
        Columns that it reads of the other run.
    unit : str
        As the ending of a column's name ("mps", "nm"); "" for a plain number or what is not known. For people see
        `model.column_units.unit_text`.
    """

    def __init__(self, text: str, node: Node) -> None:
        self.text = text
        self._node = node
        columns = node.all_columns
        self.columns = tuple(sorted(name for name, other in columns if not other))
        self.other_columns = tuple(sorted(name for name, other in columns if other))
        self.unit = ending_of(node.unit)

    def __repr__(self) -> str:
        return f"<Signal {self.text!r}>"

    def values(
        self, recording: Recording, start: int = 0, stop: int | None = None, other: Recording | None = None
    ) -> FloatArray:
        """Its values at the rows `start` to `stop`; NaN where it has none.

        Filters look at rows on both sides and integrals at all before, so the values of a piece are those of the whole
        to rounding. Rows are read some at a time, so memory does not grow with the length of the run.

        Parameters
        ----------
        recording : Recording
            The run; it may still grow.
        start, stop : int
            Rows, within those there are now; all of them if left out.
        other : Recording, optional
            What ``other.`` means, at the times of this run (linearly between its rows, NaN beyond its ends).

        Returns
        -------
        (stop - start,) array

        Raises
        ------
        SignalError
            If a run lacks a column, or has too few rows a second for a filter.
        IndexError
            If the recording has no such rows.
        """
        stop = len(recording) if stop is None else stop
        parts = [values for _, values in self.pieces(recording, start, stop, other)]
        return np.concatenate(parts) if parts else np.empty(0)

    def pieces(
        self, recording: Recording, start: int, stop: int, other: Recording | None = None
    ) -> Iterator[tuple[int, FloatArray]]:
        """The same piece by piece: the first row and the values of each, in order.

        The recording counts as it is when the first piece is asked for.
        """
        reading = Reading(recording, other)
        reading.check(self._node.all_columns)
        if not 0 <= start <= stop <= len(reading):
            raise IndexError(f"rows {start} to {stop} of {len(reading)}")
        first = start
        while first < stop:
            last = min((first // PIECE + 1) * PIECE, stop)
            a, b = self._node.reach(reading, first, last)
            last = min(max(last, first + 2 * (b - a - PIECE)), stop)
            yield first, evaluate(self._node, reading, first, last)
            first = last

    def settled_until(self, recording: Recording, start: int, stop: int, other: Recording | None = None) -> int:
        """How far the values from row `start` on stay as they are whatever rows the recording still gets.

        Parameters
        ----------
        recording : Recording
            The run, still growing.
        start, stop : int
            Rows, within those there are now.
        other : Recording, optional
            What ``other.`` means.

        Returns
        -------
        int
            `start` where not even that row is settled, at most `stop`.
        """
        reading = Reading(recording, other)
        settled, open_ = start, stop + 1
        while open_ - settled > 1:
            middle = (settled + open_) // 2
            if self._node.settled(reading, start, middle):
                settled = middle
            else:
                open_ = middle
        return settled


def compile_signal(text: str, names: Sequence[str], other_names: Sequence[str] = ()) -> Signal:
    """Read an expression over columns.

    Parameters
    ----------
    text : str
        For example ``norm(link_6_v?_mps)``, ``lowpass(derivative(com_x_m), 5)`` or ``link_6_x_m - other.link_6_x_m``;
        the functions are in `FUNCTIONS`.
    names : sequence of str
        Columns there are: `column_names(recording.schema)`.
    other_names : sequence of str
        Those of a second run.

    Raises
    ------
    SignalError
        If it cannot be used, with the place in the text and what to do.
    """
    node = read(text, names, other_names)
    if not node.all_columns and not _uses_time(node):
        raise SignalError(f"'{text.strip()[:40]}' is the same at every moment", "name a column of the run in it")
    return Signal(text, node)


def _uses_time(node: Node) -> bool:
    return isinstance(node, Time) or any(_uses_time(part) for part in node.parts)
