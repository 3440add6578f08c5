"""Functions of signals that depend on other rows: integral, unwrapped angle, and the value at a fixed time.

Integral and unwrapped angle continue from block to block, and their state is stored for each block, so
that a signal of hours that is read row by row is not recomputed from the start each time. A block
always begins at the same row, so pieces equal the whole.
"""

from __future__ import annotations

import threading
import weakref
from abc import abstractmethod
from typing import NamedTuple

import numpy as np

from snakestudio._arrays import FloatArray
from snakestudio.analysis.signals.nodes import (
    Block,
    ColumnKey,
    Node,
    Reading,
    evaluate,
)
from snakestudio.model.column_units import combined, of_column
from snakestudio.model.recording import Recording

BLOCK = 2048
"""Number of rows between stored states."""


class _State(NamedTuple):
    """State of a running function: last value and its time (NaN before the first), and the sum so far."""

    time: float = np.nan
    value: float = np.nan
    total: float = 0.0


class _StateCache:
    """States at the start of each block, for each pair of recordings during their lifetime."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._states: dict[
            tuple[int, int], tuple[list[weakref.ref[Recording]], tuple[_State, ...]]
        ] = {}

    def get(self, reading: Reading) -> tuple[_State, ...]:
        """Return the stored states."""
        with self._lock:
            entry = self._states.get(_key(reading))
        if entry is not None and [alive() for alive in entry[0]] == _recordings(reading):
            return entry[1]
        return (_State(),)

    def put(self, reading: Reading, states: tuple[_State, ...]) -> None:
        """Store states that will not change any more."""
        try:
            alive = [weakref.ref(recording) for recording in _recordings(reading)]
        except TypeError:  # objects without weak references are recomputed
            return
        with self._lock:
            self._states = {
                key: entry
                for key, entry in self._states.items()
                if all(ref() is not None for ref in entry[0])
            }
            self._states[_key(reading)] = (alive, states)


def _recordings(reading: Reading) -> list[Recording]:
    return [reading.recording, *([reading.other] if reading.other is not None else [])]


def _key(reading: Reading) -> tuple[int, int]:
    return id(reading.recording), id(reading.other)


class _Running(Node):
    """A function of a part and of all its previous values."""

    def __init__(self, part: Node) -> None:
        super().__init__(part.unit, (part,))
        self._state_cache = _StateCache()

    @property
    def part(self) -> Node:
        return self.parts[0]

    @abstractmethod
    def run(
        self, times: FloatArray, values: FloatArray, state: _State
    ) -> tuple[FloatArray, _State]:
        """Continue over some rows: returns the values there, and the state after them."""

    def reach(self, reading: Reading, start: int, stop: int) -> tuple[int, int]:
        """From the start of the block."""
        return self.part.reach(reading, start // BLOCK * BLOCK, stop)

    def values(self, block: Block, start: int, stop: int) -> FloatArray:
        """Return the values from row `start` on; gaps remain gaps, and the function continues after a gap."""
        reading = block.reading
        number = start // BLOCK
        state = self._state(reading, number)
        first = number * BLOCK
        values = self.part.values(block, first, stop)
        times = block.times(first, stop)
        pieces = []
        for a in range(0, stop - first, BLOCK):
            piece, state = self.run(times[a : a + BLOCK], values[a : a + BLOCK], state)
            pieces.append(piece)
            if len(piece) == BLOCK:
                self._store(reading, (first + a) // BLOCK + 1, state)
        return np.concatenate(pieces)[start - first :]

    def _state(self, reading: Reading, number: int) -> _State:
        """Return the state at the start of a block."""
        states = self._state_cache.get(reading)
        if number < len(states):
            return states[number]
        state = states[-1]
        for k in range(len(states) - 1, number):
            a = k * BLOCK
            b = (k + 1) * BLOCK
            state = self.run(reading.times[a:b], evaluate(self.part, reading, a, b), state)[1]
            self._store(reading, k + 1, state)
        return state

    def _store(self, reading: Reading, number: int, state: _State) -> None:
        """Store the state at the start of the next block, if it will not change any more."""
        states = self._state_cache.get(reading)
        if len(states) == number and self.part.settled(
            reading, (number - 1) * BLOCK, number * BLOCK
        ):
            self._state_cache.put(reading, (*states, state))


class Integral(_Running):
    """Integral over time since the first row, by the trapezoidal rule."""

    def __init__(self, part: Node) -> None:
        super().__init__(part)
        self.unit = combined(part.unit, of_column("time_s"))

    def run(
        self, times: FloatArray, values: FloatArray, state: _State
    ) -> tuple[FloatArray, _State]:
        """NaN where values are missing."""
        valid = np.isfinite(values)
        integrals = np.full(len(values), np.nan)
        if not valid.any():
            return integrals, state
        t, x = times[valid], values[valid]
        before = (t[0], x[0]) if np.isnan(state.time) else (state.time, state.value)
        areas = 0.5 * np.diff(t, prepend=before[0]) * (x + np.concatenate([[before[1]], x[:-1]]))
        areas[0] += state.total
        sums = np.cumsum(areas)
        integrals[valid] = sums
        return integrals, _State(float(t[-1]), float(x[-1]), float(sums[-1]))


class UnwrappedAngle(_Running):
    """An angle without jumps by full turns."""

    def __init__(self, part: Node) -> None:
        super().__init__(part)
        degrees = part.unit is not None and part.unit[4] == 1.0
        self._turn = 360.0 if degrees else 2.0 * np.pi

    def run(
        self, times: FloatArray, values: FloatArray, state: _State
    ) -> tuple[FloatArray, _State]:
        """Return the full turns are added so that a row is within half a turn of the previous one."""
        valid = np.isfinite(values)
        angles = np.full(len(values), np.nan)
        if not valid.any():
            return angles, state
        x = values[valid]
        before = x[0] if np.isnan(state.value) else state.value
        turns = state.total - np.cumsum(np.round(np.diff(x, prepend=before) / self._turn))
        angles[valid] = x + self._turn * turns
        return angles, _State(float(times[valid][-1]), float(x[-1]), float(turns[-1]))


class ValueAt(Node):
    """Value at a fixed time, for each row; interpolated linearly between rows."""

    def __init__(self, part: Node, time: float) -> None:
        super().__init__(part.unit, (part,))
        self._time = time

    @property
    def columns(self) -> frozenset[ColumnKey]:
        """None: it reads its rows itself, because they may be anywhere."""
        return frozenset()

    def reach(self, reading: Reading, start: int, stop: int) -> tuple[int, int]:
        """Return the rows themselves."""
        return start, stop

    def settled(self, reading: Reading, start: int, stop: int) -> bool:
        """Return True once the recording has reached the time."""
        first, last = self._rows(reading)
        return bool(self._time <= reading.times[-1]) and self.parts[0].settled(reading, first, last)

    def _rows(self, reading: Reading) -> tuple[int, int]:
        first = reading.from_time(self._time)
        return first, max(reading.to_time(self._time), first + 1)

    def values(self, block: Block, start: int, stop: int) -> FloatArray:
        """NaN if the recording has not reached the time."""
        reading = block.reading
        first, last = self._rows(reading)
        times = reading.times[first:last]
        near = 1e-9 * max(1.0, abs(self._time))
        if not times[0] - near <= self._time <= times[-1] + near:
            return np.full(stop - start, np.nan)
        values = evaluate(self.parts[0], reading, first, last)
        return np.full(stop - start, np.interp(self._time, times, values))
