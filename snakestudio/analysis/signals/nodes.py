"""Nodes of expressions: numbers, columns and functions, each of which knows the rows that it needs.

A node is evaluated in two steps: first its reach is determined (a filter needs rows on both sides), then
its values, from columns that are read once for the whole expression. So a signal of hours is
evaluated in pieces, and the result is the same as that of the whole.
"""

from __future__ import annotations

import weakref
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable
from functools import cached_property

import numpy as np

from snakestudio._arrays import FloatArray
from snakestudio.errors import SignalError
from snakestudio.model.column_units import PLAIN, Unit, of_column
from snakestudio.model.columns import column_names, columns_between
from snakestudio.model.recording import Recording

_FIRST = 1000
"""Number of rows from which the interval between rows is determined: it does not change while a run
grows, and long runs take no extra time."""

ColumnKey = tuple[str, bool]
"""Name of a column, and whether it is a column of the other run."""


_even_until: dict[int, tuple[weakref.ref[Recording], int]] = {}
"""Number of rows of a recording that are known to be evenly spaced: rows do not change, so only new ones
are checked."""


def _remember(recording: Recording, count: int) -> None:
    key = id(recording)
    try:
        _even_until[key] = (weakref.ref(recording, lambda _: _even_until.pop(key, None)), count)
    except TypeError:  # objects without weak references are checked again
        return


def _median(values: FloatArray) -> float:
    """Return the median of finite numbers.

    NumPy's own function imports masked arrays on its first call, which blocks the window for tens of ms even if
    another thread calls it.
    """
    ordered = np.sort(values)
    middle = len(ordered) // 2
    return float(ordered[middle - 1 + len(ordered) % 2 : middle + 1].mean())


class Reading:
    """The recordings on which a signal is evaluated, with their current lengths.

    Attributes
    ----------
    times : (n,)
        Times of the recording that is evaluated, s.
    """

    def __init__(self, recording: Recording, other: Recording | None = None) -> None:
        self.recording = recording
        self.other = other
        self.times = recording.times

    def __len__(self) -> int:
        return len(self.times)

    @cached_property
    def interval(self) -> float:
        """Median time between successive rows at the start, s; NaN for fewer than two."""
        between = np.diff(self.times[:_FIRST])
        return _median(between) or float("nan") if len(between) else float("nan")

    @cached_property
    def even(self) -> bool:
        """Whether all rows are evenly spaced, to a tenth of the interval."""
        known = _even_until.get(id(self.recording))
        start = known[1] if known is not None and known[0]() is self.recording else 1
        gaps = np.diff(self.times[start - 1 :])
        if len(gaps) and not np.all(np.abs(gaps - self.interval) <= 0.1 * self.interval):
            return False
        if len(self.times) >= _FIRST:
            _remember(self.recording, len(self.times))
        return True

    def from_time(self, time: float) -> int:
        """Return the index of the last row that is not later than `time`, or the first one."""
        return max(int(np.searchsorted(self.times, time, "right")) - 1, 0)

    def to_time(self, time: float) -> int:
        """Return the index after the first row that is not earlier than `time`, or the number of rows."""
        return min(int(np.searchsorted(self.times, time, "left")) + 1, len(self.times))

    def check(self, columns: Iterable[ColumnKey]) -> None:
        """Check that the runs have the columns.

        Raises `SignalError` if one is missing.
        """
        own = set(column_names(self.recording.schema))
        theirs = set(column_names(self.other.schema)) if self.other is not None else set()
        for name, other in columns:
            if other and self.other is None:
                raise SignalError(
                    f"'other.{name}' needs a second run", "choose the run to compare with"
                )
            if name not in (theirs if other else own):
                which = "the other run" if other else "this run"
                raise SignalError(
                    f"{which} has no column '{name}'",
                    "use one that both runs have, or remove it",
                )

    def block(self, columns: frozenset[ColumnKey], start: int, stop: int) -> Block:
        """Return the columns of the rows `start` to `stop`."""
        values: dict[ColumnKey, FloatArray] = {}
        own = tuple(sorted(name for name, other in columns if not other))
        theirs = tuple(sorted(name for name, other in columns if other))
        if own:
            table = columns_between(self.recording, own, start, stop)
            values |= {
                (name, False): np.ascontiguousarray(table[:, k]) for k, name in enumerate(own)
            }
        if theirs:
            assert self.other is not None
            values |= self._of_other(self.other, theirs, self.times[start:stop])
        return Block(self, start, stop, values)

    def _of_other(
        self, other: Recording, names: tuple[str, ...], times: FloatArray
    ) -> dict[ColumnKey, FloatArray]:
        """Return the values of the other run, interpolated linearly between its rows; NaN where it was not recorded."""
        known = Reading(other)
        if not len(known) or not len(times):
            return {(name, True): np.full(len(times), np.nan) for name in names}
        first = known.from_time(times[0])
        last = known.to_time(times[-1])
        table = columns_between(other, names, first, last)
        other_times = known.times[first:last]
        # rows at the same time may differ in their last bits
        near = 1e-9 * max(1.0, abs(float(times[-1])))
        outside = (times < other_times[0] - near) | (times > other_times[-1] + near)
        columns_at: dict[ColumnKey, FloatArray] = {}
        for k, name in enumerate(names):
            values = np.interp(times, other_times, table[:, k])
            values[outside] = np.nan
            columns_at[name, True] = values
        return columns_at


class Block:
    """Columns of consecutive rows."""

    def __init__(
        self, reading: Reading, start: int, stop: int, columns: dict[ColumnKey, FloatArray]
    ) -> None:
        self.reading = reading
        self.start = start
        self.stop = stop
        self._columns = columns

    def column(self, key: ColumnKey, start: int, stop: int) -> FloatArray:
        """Return a column for the rows `start` to `stop` of the recording, which must be in the block."""
        return self._columns[key][start - self.start : stop - self.start]

    def times(self, start: int, stop: int) -> FloatArray:
        """Return the times of the rows, s."""
        return self.reading.times[start:stop]


class Node(ABC):
    """A part of an expression.

    Parameters
    ----------
    unit : tuple or None
        See `units.Unit`.
    parts : tuple of Node
        Parts of which it consists.
    """

    def __init__(self, unit: Unit, parts: tuple[Node, ...] = ()) -> None:
        self.unit = unit
        self.parts = parts

    @property
    def columns(self) -> frozenset[ColumnKey]:
        """Columns that must be read over the reach of the node."""
        return frozenset[ColumnKey]().union(*(part.columns for part in self.parts))

    @property
    def all_columns(self) -> frozenset[ColumnKey]:
        """Columns on which it depends in any way."""
        return self.columns.union(*(part.all_columns for part in self.parts))

    def reach(self, reading: Reading, start: int, stop: int) -> tuple[int, int]:
        """Return the first row, and last row (exclusive), that are needed for the rows `start` to `stop`."""
        reaches = [part.reach(reading, start, stop) for part in self.parts]
        return min((start, *(a for a, _ in reaches))), max((stop, *(b for _, b in reaches)))

    def settled(self, reading: Reading, start: int, stop: int) -> bool:
        """Return whether the values at the rows `start` to `stop` no longer change when rows are appended."""
        return all(part.settled(reading, start, stop) for part in self.parts)

    @abstractmethod
    def values(self, block: Block, start: int, stop: int) -> FloatArray:
        """Return the values at the rows `start` to `stop`; the block contains the columns over the reach."""


def evaluate(node: Node, reading: Reading, start: int, stop: int) -> FloatArray:
    """Return the values of a node at the rows `start` to `stop`, from columns that are read for this."""
    first, last = node.reach(reading, start, stop)
    return node.values(reading.block(node.columns, first, last), start, stop)


class Number(Node):
    """A constant, entered or computed from constants."""

    def __init__(self, value: float, unit: Unit = PLAIN) -> None:
        super().__init__(unit)
        self.value = value

    def values(self, block: Block, start: int, stop: int) -> FloatArray:
        """Return the same number for each row."""
        return np.full(stop - start, self.value)


class Time(Node):
    """Time of each row."""

    def __init__(self) -> None:
        super().__init__(of_column("time_s"))

    def values(self, block: Block, start: int, stop: int) -> FloatArray:
        """Return times, s."""
        return np.array(block.times(start, stop))


class Column(Node):
    """A column of the run, or of the other run at the times of this one."""

    def __init__(self, name: str, other: bool) -> None:
        super().__init__(of_column(name))
        self._key: ColumnKey = (name, other)

    @property
    def columns(self) -> frozenset[ColumnKey]:
        """The column itself."""
        return frozenset((self._key,))

    def settled(self, reading: Reading, start: int, stop: int) -> bool:
        """Rows do not change, but the other run may still be recorded."""
        if not self._key[1] or reading.other is None:
            return True
        theirs = reading.other.times
        return len(theirs) > 0 and bool(theirs[-1] >= reading.times[stop - 1])

    def values(self, block: Block, start: int, stop: int) -> FloatArray:
        """Return recorded values."""
        return block.column(self._key, start, stop)


class PointwiseFunction(Node):
    """A function of values at the same time."""

    def __init__(
        self, function: Callable[..., FloatArray], parts: tuple[Node, ...], unit: Unit
    ) -> None:
        super().__init__(unit, parts)
        self._function = function

    def values(self, block: Block, start: int, stop: int) -> FloatArray:
        """NaN where the function is undefined."""
        return self.applied([part.values(block, start, stop) for part in self.parts])

    def constant(self) -> float:
        """Return its value if all parts are numbers."""
        return float(
            self.applied(
                [np.array([part.value]) for part in self.parts if isinstance(part, Number)]
            )[0]
        )

    def applied(self, values: list[FloatArray]) -> FloatArray:
        """Apply the function to values of its parts."""
        with np.errstate(all="ignore"):
            return np.asarray(self._function(*values), np.float64)
