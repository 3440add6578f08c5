"""Recordings whose columns are formulas of time, fast even for an hour, on which signals are evaluated."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from snakestudio._arrays import FloatArray
from snakestudio.model.events import Change, RunEvent
from snakestudio.model.recording import Rows, Schema
from snakestudio.model.robot.joint_axes import yaw_axes
from snakestudio.model.scene import Scene
from snakestudio.model.snapshot import Snapshot
from tests.blank_rows import blank_rows

ENERGIES = ("kinetic", "potential", "work_actuator", "work_friction")
EXTRA = ("a_m", "b_m", "angle_rad", "force_n")
SCHEMA = Schema(2, yaw_axes(1), ENERGIES, EXTRA)
NAMES = ("time_s", *EXTRA)


class MadeRecording:
    """A `Recording` of two links whose extra columns are given as functions of time; it counts the rows it returns.

    Parameters
    ----------
    times : (n,)
        s.
    columns : callables
        By name in `EXTRA`; 0 if omitted.
    """

    def __init__(self, times: FloatArray, **columns: Callable[[FloatArray], FloatArray]) -> None:
        self.times = times
        self.scene = Scene()
        self.schema = SCHEMA
        self.changes: tuple[Change, ...] = ()
        self.events: tuple[RunEvent, ...] = ()
        self._columns = columns
        self.most_rows = self.rows_read = 0

    def __len__(self) -> int:
        return len(self.times)

    def rows(self, start: int, stop: int) -> Rows:
        if not 0 <= start < stop <= len(self):
            raise IndexError(f"rows {start} to {stop} of {len(self)}")
        t = self.times[start:stop]
        k = stop - start
        self.most_rows = max(self.most_rows, k)
        self.rows_read = self.rows_read + k
        extra = np.stack(
            [self._columns[n](t) if n in self._columns else 0 * t for n in EXTRA], axis=1
        )
        return blank_rows(SCHEMA, t, extra=extra)

    def chunks(self) -> Iterator[Rows]:
        for start in range(0, len(self), 1024):
            yield self.rows(start, min(start + 1024, len(self)))

    def scene_at(self, time: float) -> Scene:
        return self.scene

    def snapshot(self, index: int) -> Snapshot:
        raise AssertionError("signals read rows")

    def index_at(self, time: float) -> int:
        return int(np.argmin(np.abs(self.times - time)))


def even(seconds: float, rate: float = 100.0) -> FloatArray:
    """Times of a run, s."""
    return np.arange(round(seconds * rate) + 1) / rate
