"""Events and changes of the shown run as marked on the track; searched for if the run stores none."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

from PySide6.QtCore import QObject, Signal, Slot

from snakestudio.gui.core.session_controller import SessionController
from snakestudio.gui.core.task import Task, close_tasks
from snakestudio.model.events import Change, EventKind, RunEvent
from snakestudio.model.labels import label_of
from snakestudio.model.plausibility import Plausibility
from snakestudio.model.recording import Recording
from snakestudio.model.run_time import run_time
from snakestudio.model.scene import Scene
from snakestudio.model.snapshot import Fields
from snakestudio.runfile.mcap.block_recording import BlockRecording
from snakestudio.viewmodel.work import Progress

Kind = EventKind | Literal["change", "implausible"]

KINDS: dict[Kind, tuple[str, str]] = {
    "fault": ("warning", "faults"),
    "implausible": ("warning", "implausible moments"),
    "jam": ("friction", "jams"),
    "unsolved": ("warning", "unsolved steps"),
    "impact": ("warning", "impacts"),
    "continued": ("accent", "continuations"),
    "change": ("text", "changes"),
    "freed": ("good", "jams freed"),
    "note": ("dim", "notes"),
}
"""Colour and name of each kind, in descending priority for clusters."""

_RANK = {kind: rank for rank, kind in enumerate(KINDS)}


@dataclass(frozen=True, slots=True)
class Moment:
    """Event or change at a time of a run."""

    time: float
    """Time, s."""

    kind: Kind
    text: str
    """Short description."""


@dataclass(frozen=True, slots=True)
class MomentCluster:
    """Moments too close to each other for separate marks, in ascending time."""

    x: float
    """Position of the mark, px."""

    moments: tuple[Moment, ...]
    kind: Kind
    """Kind with the highest priority."""

    @property
    def first(self) -> Moment:
        """First moment of that kind, which a click shows."""
        return next(moment for moment in self.moments if moment.kind == self.kind)

    def lines(self, most: int = 4) -> list[str]:
        """Return descriptions, one per line; counts per kind if there are more than `most`."""
        if len(self.moments) <= most:
            return [f"{run_time(moment.time)}: {moment.text}" for moment in self.moments]
        counts = {kind: sum(moment.kind == kind for moment in self.moments) for kind in KINDS}
        span = f"{run_time(self.moments[0].time)} to {run_time(self.moments[-1].time)}"
        listed = ", ".join(f"{count} {KINDS[kind][1]}" for kind, count in counts.items() if count)
        return [span, listed]


def clustered(
    moments: Sequence[Moment], x_of: Callable[[float], float], gap: float
) -> list[MomentCluster]:
    """Group moments (ascending in time) whose positions are at most `gap` px from the first of their group."""
    clusters: list[MomentCluster] = []
    group: list[Moment] = []
    begin = 0.0
    for moment in moments:
        x = x_of(moment.time)
        if group and x - begin > gap:
            clusters.append(_cluster(group, x_of))
            group = []
        if not group:
            begin = x
        group.append(moment)
    if group:
        clusters.append(_cluster(group, x_of))
    return clusters


def _cluster(group: list[Moment], x_of: Callable[[float], float]) -> MomentCluster:
    kind = min((moment.kind for moment in group), key=_RANK.__getitem__)
    return MomentCluster(0.5 * (x_of(group[0].time) + x_of(group[-1].time)), tuple(group), kind)


class Moments(QObject):
    """Events and changes of the shown run.

    Signals
    -------
    changed()
    """

    changed = Signal()

    def __init__(
        self, session_controller: SessionController, parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._session_controller = session_controller
        self._known: tuple[Recording | None, int, int, Plausibility | None] = (None, 0, 0, None)
        self._moments: tuple[Moment, ...] = ()
        self._any = False
        self._search_task: Task[tuple[RunEvent, ...]] | None = None
        self._events: tuple[RunEvent, ...] = ()
        session_controller.recording_changed.connect(self._on_recording)

    @property
    def all(self) -> tuple[Moment, ...]:
        """Moments, ascending in time."""
        recording = self._session_controller.recording
        if recording is None:
            return ()
        events = recording.events or self._events
        plausibility: Plausibility | None = getattr(recording, "plausibility", None)
        known = (recording, len(events), len(recording.changes), plausibility)
        if known != self._known:
            self._known = known
            moments = [Moment(event.time, event.kind, event.text) for event in events]
            scene = recording.scene
            moments += [
                Moment(change.time, "change", _change_text(scene, change))
                for change in recording.changes
            ]
            moments += [
                Moment(violation.time, "implausible", violation.text)
                for violation in (plausibility.violations if plausibility is not None else ())
            ]
            self._moments = tuple(sorted(moments, key=lambda moment: moment.time))
        return self._moments

    def announce(self) -> None:
        """Emit `changed` when the run gets its first moment, because recording does not announce moments."""
        if bool(self.all) != self._any:
            self._any = not self._any
            self.changed.emit()

    @property
    def searching(self) -> bool:
        """Whether a run without stored events is being searched."""
        return self._search_task is not None

    def neighbour(self, time: float, direction: int) -> Moment | None:
        """Return the next moment after `time` (s), or the last one before it if `direction` is -1."""
        if direction > 0:
            return next((moment for moment in self.all if moment.time > time + 1e-6), None)
        return next((moment for moment in reversed(self.all) if moment.time < time - 1e-6), None)

    def close(self) -> None:
        """Stop the search."""
        close_tasks(self)
        self._search_task = None

    def _on_recording(self) -> None:
        self.close()
        self._events = ()
        recording = self._session_controller.recording
        if (
            self._session_controller.source == "replay"
            and recording is not None
            and len(recording)
            and (not recording.events or _unchecked(recording))
        ):
            self._search_task = Task(
                "search for events", lambda progress: _searched(recording, progress), self
            )
            self._search_task.finished.connect(self._on_searched)
            self._search_task.failed.connect(lambda problem: self._on_searched(()))

    @Slot(object)
    def _on_searched(self, events: tuple[RunEvent, ...]) -> None:
        self._search_task = None
        self._events = events
        self.changed.emit()


def _unchecked(recording: Recording) -> bool:
    """Return whether a simulated run was not checked for plausibility when it was recorded."""
    return (
        isinstance(recording, BlockRecording)
        and recording.plausibility is None
        and Fields.ENERGY in recording.schema.valid
    )


def _searched(recording: Recording, progress: Progress) -> tuple[RunEvent, ...]:
    """Return the events of a recording without any; a recording that was not checked for plausibility is checked."""
    from snakestudio.plausibility.monitor import check_plausibility
    from snakestudio.runfile.run_events import find_events

    events = () if recording.events else find_events(recording, progress)
    if isinstance(recording, BlockRecording) and _unchecked(recording) and progress(0.99):
        recording.set_plausibility(
            check_plausibility(recording, getattr(recording, "base_dir", None))
        )
    return events


def _change_text(scene: Scene, change: Change) -> str:
    return ", ".join(
        f"{label_of(scene, key)} {_short(value)}" for key, value in change.values.items()
    )


def _short(value: object) -> str:
    return f"{value:g}" if isinstance(value, int | float) else "changed"
