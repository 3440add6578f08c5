"""A recording with derived columns from expressions over its own columns, for export like any other column."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from snakestudio._arrays import FloatArray
from snakestudio.errors import SignalError
from snakestudio.model.columns import column_names
from snakestudio.model.events import Change, RunEvent
from snakestudio.model.pull import Pull
from snakestudio.model.recording import Recording, Rows, Schema
from snakestudio.model.scene import Scene
from snakestudio.model.snapshot import Snapshot

if TYPE_CHECKING:
    from snakestudio.analysis.signals import Signal

_PIECE = 4096


class WithDerived:
    """The current rows of a recording with derived columns appended; these are evaluated when first read.

    Parameters
    ----------
    texts : mapping of str to str
        Expressions over the columns of a run, by name of the derived column.
    other : Recording, optional
        Recording to which `other.` refers in expressions.

    Attributes
    ----------
    derived : dict of str to Signal
        Expressions that can be evaluated for this run.
    refused : dict of str to str
        Reason why each of the others has no column.
    """

    def __init__(
        self, recording: Recording, texts: Mapping[str, str], other: Recording | None = None
    ) -> None:
        self._recording = recording
        self._other = other
        self._length = len(recording)
        self.derived: dict[str, Signal] = {}
        self.refused: dict[str, str] = {}
        names = column_names(recording.schema)
        others = () if other is None else column_names(other.schema)
        if texts:  # filters are slow to import, and few runs need them
            from snakestudio.analysis.signals import compile_signal
        for name, text in texts.items():
            if name in names:
                self.refused[name] = f"{name} is a column of the run itself."
                continue
            try:
                signal = compile_signal(text, names, others)
                # there may be too few rows for a filter
                signal.values(recording, 0, min(1, self._length), other)
            except SignalError as error:
                self.refused[name] = str(error)
            else:
                self.derived[name] = signal
        self._schema = replace(recording.schema, extra=(*recording.schema.extra, *self.derived))

    @property
    def scene(self) -> Scene:
        """The scene at the start of the run."""
        return self._recording.scene

    @property
    def schema(self) -> Schema:
        """Content of the rows."""
        return self._schema

    @property
    def recording(self) -> Recording:
        """The recording without its derived columns."""
        return self._recording

    @property
    def times(self) -> FloatArray:
        """Times of the rows, s."""
        return self._recording.times[: self._length]

    @property
    def changes(self) -> tuple[Change, ...]:
        """Changes made during the run."""
        return self._recording.changes

    @property
    def pulls(self) -> Sequence[Pull]:
        """Wrenches applied to the robot by hand."""
        return self._recording.pulls

    @property
    def events(self) -> tuple[RunEvent, ...]:
        """Noted moments of the run."""
        return self._recording.events

    def scene_at(self, time: float) -> Scene:
        """Return the scene at `time`."""
        return self._recording.scene_at(time)

    def __len__(self) -> int:
        return self._length

    @cached_property
    def _values(self) -> FloatArray:
        values = [
            signal.values(self._recording, 0, self._length, self._other)
            for signal in self.derived.values()
        ]
        return np.stack(values, axis=1) if values else np.empty((self._length, 0))

    def rows(self, start: int, stop: int) -> Rows:
        """Return the rows start to stop."""
        rows = self._recording.rows(start, min(stop, self._length))
        if not self.derived:
            return rows
        return replace(
            rows,
            extra=np.concatenate((rows.extra, self._values[start : start + len(rows)]), axis=1),
        )

    def chunks(self) -> Iterator[Rows]:
        """Yield all rows in order, in chunks that fit in memory."""
        for start in range(0, self._length, _PIECE):
            yield self.rows(start, start + _PIECE)

    def snapshot(self, index: int) -> Snapshot:
        """Return the row at `index` as a Snapshot, without derived columns."""
        return self._recording.snapshot(index)

    def index_at(self, time: float) -> int:
        """Return the index of the row nearest to `time`."""
        return min(self._recording.index_at(time), self._length - 1)
