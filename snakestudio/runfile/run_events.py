"""Detection of events in the rows of a run: impacts and unsolved steps.

An **impact** is detected if the impulse of obstacles on a link between two rows rises, from one row to
the next, by more than a threshold. The threshold is the larger of two values: the impulse that stops
the link at 5 cm/s, and twice the largest impulse on a link per row, averaged over the last half second.
So regular pushing against obstacles is not an impact, but a light touch on open ground is. Each link
has at most one impact per 0.2 s.

**Unsolved** steps within 0.25 s are one event, at the worst of them. Others, such as **jams**, are
detected by the controller of the scene.

Rows are processed in batches for speed; `flush` processes the rest.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from snakestudio._arrays import FloatArray
from snakestudio.kinds.controller import CONTROLLERS
from snakestudio.model.events import RunEvent
from snakestudio.model.recording import ContactRows, Recording, Rows, Schema
from snakestudio.model.scene import Scene
from snakestudio.model.snapshot import CONVERGED

FEWEST_ROWS = 100
FEWEST_PARTS = 10
MOST_ROWS = 1000
"""Batch limits, in rows and in parts: about one second of a run in real time. A run with large parts
is fast and can wait for more rows, up to the latter limit."""

STOPPED_SPEED = 0.05
"""Smallest speed of a link that an impact stops, m/s."""

HABIT_S = 0.5
"""Averaging time of regular pushing, s."""

HABIT = 2.0
"""Ratio of an impact to regular pushing."""

REFRACTORY_S = 0.2
"""Time after an impact without another impact on the same link, s."""

CLUSTER_S = 0.25
LONGEST_CLUSTER_S = 2.0
"""Largest gap between unsolved rows of one event, and longest duration of such an event,
s."""


class EventDetector:
    """Detector of the events of one run, fed with its rows in order.

    Parameters
    ----------
    schema : Schema
        Schema of the rows.
    scene : Scene
        Scene at the start of the run.
    """

    def __init__(self, schema: Schema, scene: Scene) -> None:
        self._waiting: list[Rows] = []
        self._count = 0
        self._finders: list[Callable[[_Piece], list[RunEvent]]] = []
        if not schema.sections:
            self._finders.append(_Impacts(scene).detect)
        kind = CONTROLLERS[scene.controller.kind]
        if kind.events is not None and set(kind.channels) <= set(schema.extra):
            find = kind.events(schema, scene.controller)
            columns = [schema.extra.index(name) for name in kind.channels]

            def of_controller(piece: _Piece) -> list[RunEvent]:
                times, extra = piece.of_controller(columns)
                return find(times, extra) if len(times) else []

            self._finders.append(of_controller)
        self._unsolved = _UnsolvedRows()
        self._finders.append(self._unsolved.detect)

    def feed(self, rows: Rows) -> list[RunEvent]:
        """Add rows; return the events in the batch that was processed, if any."""
        if len(rows):
            self._waiting.append(rows)
            self._count += len(rows)
        enough = self._count >= MOST_ROWS or len(self._waiting) >= FEWEST_PARTS
        return self._detect() if self._count >= FEWEST_ROWS and enough else []

    def flush(self) -> list[RunEvent]:
        """Process all pending rows, and end open events."""
        return [*self._detect(), *self._unsolved.close()]

    def _detect(self) -> list[RunEvent]:
        if not self._waiting:
            return []
        piece = _Piece(self._waiting)
        self._waiting = []
        self._count = 0
        events = [event for find in self._finders for event in find(piece)]
        return sorted(events, key=lambda event: event.time)


def find_events(
    recording: Recording, progress: Callable[[float], bool] | None = None
) -> tuple[RunEvent, ...]:
    """Detect the events of a recording, in the order of their times.

    Parameters
    ----------
    progress : callable, optional
        Called with the finished fraction; returning False ends the search with the events so far.
    """
    detector = EventDetector(recording.schema, recording.scene)
    done = 0
    events: list[RunEvent] = []
    for rows in recording.chunks():
        events += detector.feed(rows)
        done += len(rows)
        if progress is not None and not progress(done / len(recording)):
            break
    return tuple(sorted([*events, *detector.flush()], key=lambda event: event.time))


class _Piece:
    """Consecutive rows with only the required columns joined, because joining all would take longer than the search.

    Attributes
    ----------
    time, residual : (k,)
    impulse : (k, n, 3)
    extra : (k, x)
    """

    def __init__(self, parts: list[Rows]) -> None:
        self._parts = parts
        self.time = np.concatenate([part.time for part in parts])
        self.residual = np.concatenate([part.solver_residual for part in parts])
        self.impulse = np.concatenate([part.impulse_obstacle for part in parts])
        self.extra = np.concatenate([part.extra for part in parts])

    def of_controller(self, columns: list[int]) -> tuple[FloatArray, FloatArray]:
        """Return the times and added columns of the rows under a controller, which has values in some of `columns`."""
        if not columns:
            return self.time, self.extra
        known = np.isfinite(self.extra[:, columns]).any(axis=1)
        return (self.time, self.extra) if known.all() else (self.time[known], self.extra[known])

    def contacts(self, row: int) -> ContactRows:
        """Return the contacts of one row."""
        for part in self._parts:
            if row < len(part):
                return part.contacts.slice(row, row + 1)
            row -= len(part)
        raise IndexError("there is no such row")


class _Impacts:
    """Detector of sudden rises of the impulse of obstacles on a link."""

    def __init__(self, scene: Scene) -> None:
        self._floor = STOPPED_SPEED * scene.robot.mass_kg
        self._names = tuple(
            obstacle.name or f"{obstacle.kind.replace('_', ' ')} {index}"
            for index, obstacle in enumerate(scene.obstacles, start=1)
        )
        self._habit = max(1, round(HABIT_S * scene.run.log_rate_hz))
        self._past = np.zeros(self._habit)  # largest push in each of the previous rows
        self._before: FloatArray | None = None  # sums at the last row, (n, 3)
        self._last: FloatArray | None = None  # impulse of the last row, (n,)
        self._hit = np.zeros(0)  # time of the last impact of each link

    def detect(self, rows: _Piece) -> list[RunEvent]:
        sums = rows.impulse
        if self._before is None or self._last is None:
            self._before = sums[0]
            self._last = np.zeros(sums.shape[1])
            self._hit = np.full(sums.shape[1], -np.inf)
        change = sums.copy()
        change[1:] -= sums[:-1]
        change[0] -= self._before
        impulse = np.sqrt(np.einsum("kna,kna->kn", change, change))
        hardest = np.concatenate([self._past, impulse.max(axis=1)])
        total = np.concatenate([[0.0], np.cumsum(hardest)])
        habit = (total[self._habit : -1] - total[: -self._habit - 1]) / self._habit
        rise = impulse - np.concatenate([self._last[None], impulse[:-1]])
        over = rise > np.maximum(self._floor, HABIT * habit)[:, None]
        self._before, self._last, self._past = (
            sums[-1].copy(),
            impulse[-1].copy(),
            hardest[-self._habit :].copy(),
        )
        if not over.any():
            return []
        events = []
        for row, link in np.argwhere(over):
            time = float(rows.time[row])
            if time - self._hit[link] >= REFRACTORY_S:
                self._hit[link] = time
                amount = float(impulse[row, link])
                text = (
                    f"Link {link + 1} hits {self._met(rows, int(row), int(link))}: {amount:.2g} N s"
                )
                events.append(RunEvent(time, "impact", text, amount))
        return events

    def _met(self, rows: _Piece, row: int, link: int) -> str:
        """Return the name of the obstacle that pushes `link` hardest."""
        part = rows.contacts(row)
        own = np.flatnonzero((part.link == link) & (part.other >= 0))
        if not len(own):
            return "an obstacle"
        other = int(part.other[own[np.linalg.norm(part.impulse_normal[own], axis=1).argmax()]])
        return self._names[other] if other < len(self._names) else f"obstacle {other + 1}"


class _UnsolvedRows:
    """Detector of rows with a residual above the tolerance."""

    def __init__(self) -> None:
        self._first = np.inf
        self._last = -np.inf
        self._worst = 0.0
        self._at = 0.0

    def detect(self, rows: _Piece) -> list[RunEvent]:
        events: list[RunEvent] = []
        for row in np.flatnonzero(rows.residual > CONVERGED).tolist():
            time = float(rows.time[row])
            residual = float(rows.residual[row])
            if time - self._last > CLUSTER_S or time - self._first > LONGEST_CLUSTER_S:
                events += self.close()
                self._first = time
            self._last = time
            if residual > self._worst:
                self._worst = residual
                self._at = time
        if float(rows.time[-1]) - self._last > CLUSTER_S:
            events += self.close()
        return events

    def close(self) -> list[RunEvent]:
        """End the open event, and return it."""
        if not self._worst:
            return []
        event = RunEvent(
            self._at, "unsolved", f"Residual {self._worst:.1e}, above 1e-8", self._worst
        )
        self._first = np.inf
        self._last = -np.inf
        self._worst = 0.0
        return [event]
