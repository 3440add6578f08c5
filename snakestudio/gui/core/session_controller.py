"""Interface between the session's thread and the window: events become Qt signals, snapshots are polled."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Protocol

from PySide6.QtCore import QObject, Qt, QTimer, Signal, SignalInstance

from snakestudio import heap
from snakestudio.model.recording import Recording
from snakestudio.model.run_time import run_time
from snakestudio.model.scene import Scene
from snakestudio.model.snapshot import Snapshot
from snakestudio.runfile.replay import Replay
from snakestudio.session.preview import preview
from snakestudio.session.session import Session
from snakestudio.session.status import (
    Event,
    PluginFailed,
    RecordingStopped,
    RunContinued,
    RunFailed,
    RunFinished,
    RunNotContinued,
    Status,
    StatusChanged,
)
from snakestudio.viewmodel.sources import LoadedRun, Robot, Simulation, Source, SourceKind

FRAME_MS = 16
"""Interval of the display timer, ms: at most 60 updates a second."""

_IDLE_MS = 100
"""Interval of the display timer while nothing moves and no edit waits, ms: it saves processor time."""

_PLACED_BY = ("start", "robot", "beam", "model", "gait")
"""Parts of the scene that determine the poses of the robot at its start."""

_RELEASE_MS = 1000
"""Time after a change of recording until all views of the old one have freed their memory, ms."""
_RELEASE_AGAIN_MS = 30_000
"""Interval at which freed memory is returned to the system, ms: a long run frees much and keeps
little."""


class RunDocument(Protocol):
    """Members of `Document` that the session controller needs."""

    scene: Scene
    origin: Path | None

    @property
    def base_dir(self) -> Path | None:
        """Folder of relative paths in the scene."""

    @property
    def name(self) -> str:
        """Name of the file, or a suggested one."""

    @property
    def opened(self) -> SignalInstance:
        """Another scene was opened."""

    @property
    def scene_changed(self) -> SignalInstance:
        """The scene changed."""

    def new(self, scene: Scene) -> None:
        """Open a scene that has no file."""

    def refresh_kinds(self) -> None:
        """Update the scene to the kinds that are loaded now."""

    def edit(self, scene: Scene, text: str) -> None:
        """Replace the scene as one step of undo."""


class SessionController(QObject):
    """The window's side of a session. It lives in the GUI thread.

    Signals
    -------
    status_changed(status: Status)
    finished(time: float)
    failed(message: str, saved: Path | None)
    plugin_failed(error: PluginRuntimeError)
        The code of a plug-in failed; the run is paused.
    frame()
        At display rate while something moves, and once after every change: read `displayed`.
    cursor_changed()
        `cursor` changed.
    recording_changed()
        `recording` changed: a new run began, or another source is shown.
    source_changed()
        The window shows another source.
    replay_changed()
        Playback of recorded rows began or ended, or its speed, loop or span changed.
    continued(notes: tuple of str)
        The simulation continues from a recorded time; the notes inform about restrictions.
    refused(message: str)
        The simulation could not continue from a recorded time.
    recording_stopped(message: str)
        The run can no longer be written to its file; the run itself continues.
    """

    status_changed = Signal(object)
    finished = Signal(float)
    failed = Signal(str, object)
    plugin_failed = Signal(object)
    frame = Signal()
    cursor_changed = Signal()
    recording_changed = Signal()
    source_changed = Signal()
    replay_changed = Signal()
    continued = Signal(object)
    refused = Signal(str)
    recording_stopped = Signal(str)
    _event = Signal(object)

    def __init__(
        self,
        document: RunDocument,
        parent: QObject | None = None,
        new_run: Callable[[Scene], Path | None] | None = None,
    ) -> None:
        super().__init__(parent)
        self._document = document
        self._event.connect(self._on_event, Qt.ConnectionType.QueuedConnection)
        self.session = Session(self._event.emit, new_run)
        self.cursor: int | None = None
        self.replay: Replay | None = None
        """Plays the rows of `recording`; None without a recording."""
        self._simulation = Simulation(self.session)
        self._robot: Robot | None = None
        self._source: Source = self._simulation
        self._displayed_snapshot: Snapshot | None = None
        self._recording: Recording | None = None
        document.scene_changed.connect(self._on_scene)
        document.opened.connect(self._on_opened)
        self._reopen = self._refreshing_kinds = False
        self._awaited_edit = self._last_edit = 0
        self._timer = QTimer(self)
        self._timer.setObjectName("display_timer")
        self._timer.setTimerType(Qt.TimerType.PreciseTimer)
        self._timer.setInterval(FRAME_MS)
        self._timer.timeout.connect(self._pull)
        self._timer.start()
        self._release = QTimer(self)
        self._release.timeout.connect(self._release_heap)

    @property
    def status(self) -> Status:
        """Status of the session."""
        return self.session.status

    @property
    def recording(self) -> Recording | None:
        """The recording that is shown: the present run, or one that was opened."""
        return self._recording

    @property
    def source(self) -> SourceKind:
        """Kind of the source that is shown."""
        return self._source.kind

    @property
    def source_name(self) -> str:
        """Name of the opened run or the robot; empty for the simulation."""
        return self._source.name

    @property
    def base_dir(self) -> Path | None:
        """Folder of relative paths in the scene that is shown."""
        return self._source.base_dir if self._source.kind == "replay" else self._document.base_dir

    @property
    def running(self) -> bool:
        """Whether the shown source produces new rows; False for an opened run."""
        return self._source.kind == "robot" or (
            self._source is self._simulation and self.status.state == "running"
        )

    @property
    def moving(self) -> bool:
        """Whether the simulation runs or recorded rows are played."""
        return self.running if self._source is self._simulation else self.playing

    @property
    def waits(self) -> bool:
        """Whether the simulation is shown but cannot run before its engine is prepared."""
        return self._source is self._simulation and self.status.state in ("preparing", "unprepared")

    @property
    def loops(self) -> bool:
        """Whether playback restarts at its end."""
        return self.replay is not None and self.replay.loop

    @property
    def playing(self) -> bool:
        """Whether recorded rows are being played."""
        return self.replay is not None and self.replay.playing

    @property
    def displayed(self) -> Snapshot | None:
        """The snapshot in the viewport: the row under the cursor, or the newest one."""
        return self._displayed_snapshot

    @property
    def live(self) -> bool:
        """Whether the newest state is shown instead of a past one."""
        return self.cursor is None

    # --- another source ---------------------------------------------------------------------------

    def open_run(self, recording: Recording, name: str) -> None:
        """Show a recorded run from its beginning; the simulation is paused meanwhile.

        Parameters
        ----------
        recording : Recording
            Recording with at least one row.
        """
        self.session.pause()
        self._show_source(LoadedRun(recording, name))
        self.set_cursor(0)

    def close_run(self) -> None:
        """Return to the simulation."""
        if self._source is not self._simulation:
            self._show_source(self._simulation)

    def set_robot(self, robot: Robot | None) -> None:
        """Set or remove the robot that can be shown; the simulation is not affected."""
        robot_shown = self._source is self._robot
        self._robot = robot
        if robot_shown:
            self._show_source(robot or self._simulation)

    def show_robot(self) -> None:
        """Show the robot that is connected."""
        if self._robot is not None and self._source is not self._robot:
            self._show_source(self._robot)

    def _show_source(self, source: Source) -> None:
        self._source = source
        self._awaited_edit = 0
        self._pull()
        self.source_changed.emit()
        self.frame.emit()

    def continue_here(self) -> None:
        """Continue the simulation from the time that is shown, as a new run."""
        recording = self._recording
        snapshot = self._displayed_snapshot
        if recording is None or snapshot is None or not len(recording):
            return
        time = float(recording.times[recording.index_at(snapshot.time)])
        scene = recording.scene_at(time)
        name = self.source_name
        folder = self.base_dir
        self.pause_recorded()
        if self._source.kind == "replay":
            self._document.new(scene)  # this also returns to the simulation
        elif scene != self._document.scene:
            self._document.edit(scene, f"Continue from {run_time(time)}")
        self.close_run()
        self.session.continue_from(recording, time, folder, name)

    # --- cursor and playback ----------------------------------------------------------------------

    def set_cursor(self, index: int | None) -> None:
        """Show row `index` of the recording; None for the newest. A running playback continues from there."""
        if self.replay is not None:
            if index is None:
                self.pause_recorded()
            elif len(self.replay.recording):
                self.replay.seek(
                    float(
                        self.replay.recording.times[
                            min(max(index, 0), len(self.replay.recording) - 1)
                        ]
                    )
                )
        self._show_row(index)

    def _show_row(self, index: int | None) -> None:
        recording = self._recording
        if index is not None and recording is not None and len(recording):
            index = max(0, min(index, len(recording) - 1))
        else:
            index = None
        if index == self.cursor:
            return
        self.cursor = index
        if index is not None and recording is not None:
            self._displayed_snapshot = recording.snapshot(index)
        else:
            self._displayed_snapshot = self._source.latest
        self.cursor_changed.emit()
        self.frame.emit()

    def play_or_pause(self) -> None:
        """Run or pause the simulation; play or pause a recorded run or the recording of a robot.

        While the engine is being prepared, the simulation is scheduled to run once it is ready; the
        next call cancels that.
        """
        if self._source is not self._simulation:
            self.play_or_pause_recorded()
        elif self.status.state == "running" or self.status.queued:
            self.session.pause()
        else:
            self.set_cursor(None)
            self.session.play()

    def play_or_pause_recorded(self) -> None:
        """Play recorded rows from the time that is shown, or stop it; the simulation is not affected."""
        replay = self.replay
        displayed = self._displayed_snapshot
        if replay is None or not len(replay.recording):
            return
        if replay.playing:
            self.pause_recorded()
            return
        if displayed is not None:
            replay.seek(displayed.time)
        replay.play()
        self.replay_changed.emit()

    def pause_recorded(self) -> None:
        """Stop playing recorded rows."""
        if self.replay is not None and self.replay.playing:
            self.replay.pause()
            self.replay_changed.emit()

    def reset(self) -> None:
        """Return to the start of the run."""
        if self._source.kind == "replay":
            self.pause_recorded()
            self.set_cursor(0)
            return
        self.set_cursor(None)
        self.session.reset()

    def set_speed(self, speed: float) -> None:
        """Set simulated or recorded time per wall time of the shown source; infinite is as fast as possible."""
        if self._source.kind == "replay":
            self.set_playing_speed(speed)
        else:
            self.session.set_speed(speed)

    def set_loop(self, loop: bool) -> None:
        """Set whether playback restarts at its end."""
        if self.replay is not None:
            self.replay.set_loop(loop)
            self.replay_changed.emit()

    def mark_span(self, *, begin: bool) -> None:
        """Let playback begin (or end) at the time that is shown."""
        if self.replay is not None and self._displayed_snapshot is not None:
            if begin:
                self.replay.set_span(begin=self._displayed_snapshot.time)
            else:
                self.replay.set_span(end=self._displayed_snapshot.time)
            self.replay_changed.emit()

    def clear_span(self) -> None:
        """Play the whole recording again."""
        if self.replay is not None:
            self.replay.clear_span()
            self.replay_changed.emit()

    def set_playing_speed(self, speed: float) -> None:
        """Set recorded time per wall time of the playback."""
        if self.replay is not None and speed != self.replay.speed:
            self.replay.set_speed(speed)
            self.replay_changed.emit()

    def refresh_kinds(self) -> None:
        """Update scene and run to the present kinds of plug-ins that were loaded, reloaded or unloaded.

        Raises `SceneError` if values of the scene are not valid for them; nothing changes then.
        """
        self._refreshing_kinds = True
        try:
            self._document.refresh_kinds()
        finally:
            self._refreshing_kinds = False

    def close(self) -> None:
        """End the session; call before the application quits."""
        self._timer.stop()
        self._release.stop()
        self.session.close()

    def _on_opened(self) -> None:
        self._reopen = True
        if self._source.kind == "replay":  # a robot stays in view when another scene is opened
            self.close_run()
        self.set_cursor(None)

    def _on_scene(self, before: Scene, after: Scene) -> None:
        if self._reopen:
            self._reopen = False
            self._awaited_edit = 0
            self.session.open(
                after, self._document.base_dir, self._document.name if self._document.origin else ""
            )
        elif self._refreshing_kinds:
            self.session.reload_plugins(after)
        else:
            if self._source.kind == "replay":
                self.close_run()
            self.set_cursor(None)  # an edit changes the present, so the present must be shown
            number = self._last_edit = self.session.edit(after)
            self._timer.setInterval(FRAME_MS)
            standing = self.status.state in ("ready", "blocked", "preparing", "unprepared")
            moved = any(getattr(after, part) != getattr(before, part) for part in _PLACED_BY)
            if moved and standing and self._source is self._simulation:
                self._show_expected(after, number)

    def _show_expected(self, scene: Scene, edit: int) -> None:
        """Show a new start immediately: the robot would otherwise lag behind until the engine is reset."""
        snapshot = preview(scene, self._document.base_dir)
        if snapshot is not None:
            self._awaited_edit = edit
            self._displayed_snapshot = snapshot
            self.frame.emit()

    def _on_event(self, event: Event) -> None:
        if isinstance(event, StatusChanged):
            self.status_changed.emit(event.status)
        elif isinstance(event, RunFinished):
            self.finished.emit(event.time)
        elif isinstance(event, RunFailed):
            self.failed.emit(event.message, event.saved)
        elif isinstance(event, PluginFailed):
            self.plugin_failed.emit(event.error)
        elif isinstance(event, RunContinued):
            self.continued.emit(event.notes)
        elif isinstance(event, RunNotContinued):
            self.refused.emit(event.message)
        elif isinstance(event, RecordingStopped):
            self.recording_stopped.emit(event.message)
        self._pull()

    def _pull(self) -> None:
        moves = self.running or self.playing
        idle = not moves and self.session.applied_edits >= self._last_edit
        interval = _IDLE_MS if idle else FRAME_MS
        if interval != self._timer.interval():
            self._timer.setInterval(interval)
        recording = self._source.recording
        if recording is not self._recording:
            self._recording = recording
            self.cursor = None
            self._new_replay(recording)
            self.recording_changed.emit()
            self.cursor_changed.emit()
            self._release.start(_RELEASE_MS)
        if self.session.applied_edits < self._awaited_edit:
            return  # the shown state is newer than that of the session
        if self.replay is not None and self.replay.playing:
            self._play_on(self.replay)
        latest = self._source.latest
        if self.cursor is None and latest is not self._displayed_snapshot:
            self._displayed_snapshot = latest
            self.frame.emit()

    def _release_heap(self) -> None:
        heap.release()
        self._release.setInterval(_RELEASE_AGAIN_MS)

    def _new_replay(self, recording: Recording | None) -> None:
        before = self.replay
        self.replay = None
        if recording is not None:
            self.replay = Replay(recording, self._source.name)
            if before is not None:
                self.replay.set_speed(before.speed)
                self.replay.set_loop(before.loop)
        self.replay_changed.emit()

    def _play_on(self, replay: Replay) -> None:
        """Show the row that is due; at the end of playback, the newest state if that is the last row."""
        row = replay.advance()
        ended = not replay.playing
        self._show_row(None if ended and row == len(replay.recording) - 1 else row)
        if ended:
            self.replay_changed.emit()
