"""What expressions are made of: numbers, columns and functions, each of which knows the rows it has to look at.

A node is asked twice: first how far it reaches (a filter needs rows on both sides), then for its values, out of columns
that were read once for the whole expression. So a signal of hours is evaluated piece by piece, and the pieces are
those of the whole.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable

import numpy as np

from snakestudio._arrays import FloatArray
from snakestudio.analysis.signals.reading import Block, ColumnKey, Reading
from snakestudio.model.column_units import PLAIN, Unit, of_column

__all__ = ["Column", "Node", "Number", "Pointwise", "Time", "evaluate"]


class Node(ABC):
    """A part of an expression.

    Parameters
    ----------
    unit : tuple or None
        See `units.Unit`.
    parts : tuple of Node
        What it is made of.
    """

    def __init__(self, unit: Unit, parts: tuple[Node, ...] = ()) -> None:
        self.unit, self.parts = unit, parts

    @property
    def columns(self) -> frozenset[ColumnKey]:
        """Columns that have to be read over the rows it reaches to."""
        return frozenset[ColumnKey]().union(*(part.columns for part in self.parts))

    @property
    def all_columns(self) -> frozenset[ColumnKey]:
        """Columns it depends on in any way."""
        return self.columns.union(*(part.all_columns for part in self.parts))

    def reach(self, reading: Reading, start: int, stop: int) -> tuple[int, int]:
        """First row, and one beyond the last, that are looked at for the rows `start` to `stop`."""
        reaches = [part.reach(reading, start, stop) for part in self.parts]
        return min((start, *(a for a, _ in reaches))), max((stop, *(b for _, b in reaches)))

    def settled(self, reading: Reading, start: int, stop: int) -> bool:
        """Whether further rows at the end of the recording would leave the rows `start` to `stop` as they are."""
        return all(part.settled(reading, start, stop) for part in self.parts)

    @abstractmethod
    def values(self, block: Block, start: int, stop: int) -> FloatArray:
        """Its values at the rows `start` to `stop`; the block holds the columns of all it reaches to."""


def evaluate(node: Node, reading: Reading, start: int, stop: int) -> FloatArray:
    """Values of a node at the rows `start` to `stop`, from columns read for that."""
    first, last = node.reach(reading, start, stop)
    return node.values(reading.block(node.columns, first, last), start, stop)


class Number(Node):
    """A number that was typed, or worked out from some."""

    def __init__(self, value: float, unit: Unit = PLAIN) -> None:
        super().__init__(unit)
        self.value = value

    def values(self, block: Block, start: int, stop: int) -> FloatArray:
        """The same number for every row."""
        return np.full(stop - start, self.value)


class Time(Node):
    """The time of every row."""

    def __init__(self) -> None:
        super().__init__(of_column("time_s"))

    def values(self, block: Block, start: int, stop: int) -> FloatArray:
        """Times, s."""
        return np.array(block.times(start, stop))


class Column(Node):
    """A column of the run, or of the other one at the times of this one."""

    def __init__(self, name: str, other: bool) -> None:
        super().__init__(of_column(name))
        self._key: ColumnKey = (name, other)

    @property
    def columns(self) -> frozenset[ColumnKey]:
        """Itself."""
        return frozenset((self._key,))

    def settled(self, reading: Reading, start: int, stop: int) -> bool:
        """Rows do not change; but the other run may still be recorded."""
        if not self._key[1] or reading.other is None:
            return True
        theirs = reading.other.times
        return len(theirs) > 0 and bool(theirs[-1] >= reading.times[stop - 1])

    def values(self, block: Block, start: int, stop: int) -> FloatArray:
        """As recorded."""
        return block.column(self._key, start, stop)


class Pointwise(Node):
    """A function of values at the same moment."""

    def __init__(self, function: Callable[..., FloatArray], parts: tuple[Node, ...], unit: Unit) -> None:
        super().__init__(unit, parts)
        self._function = function

    def values(self, block: Block, start: int, stop: int) -> FloatArray:
        """NaN where the function has no value."""
        return self.applied([part.values(block, start, stop) for part in self.parts])

    def constant(self) -> float:
        """Its value where all its parts are numbers."""
        return float(self.applied([np.array([part.value]) for part in self.parts if isinstance(part, Number)])[0])

    def applied(self, values: list[FloatArray]) -> FloatArray:
        """The function of values of its parts."""
        with np.errstate(all="ignore"):
            return np.asarray(self._function(*values), np.float64)
