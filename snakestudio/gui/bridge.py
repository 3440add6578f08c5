"""Between the session's thread and the window: events become Qt signals, snapshots are pulled at display rate."""

from __future__ import annotations

from PySide6.QtCore import QObject, Qt, QTimer, Signal

from snakestudio.gui.document import Document
from snakestudio.model.recording import Recording
from snakestudio.model.scene import Scene
from snakestudio.model.snapshot import Snapshot
from snakestudio.session.preview import preview
from snakestudio.session.session import Event, RunFailed, RunFinished, Session, Status, StatusChanged

__all__ = ["SessionBridge"]

FRAME_MS = 16
"""Interval of the display timer: no display is fed faster than 60 times a second."""


class SessionBridge(QObject):
    """The window's end of a session. All of it lives in the GUI thread.

    Signals
    -------
    status_changed(status: Status)
    finished(time: float)
    failed(message: str, saved: Path | None)
    frame()
        At display rate while something moves, and once after every change: read `displayed`.
    cursor_changed()
        `cursor` is another one.
    recording_changed()
        `recording` is another one (a new run began).
    """

    status_changed = Signal(object)
    finished = Signal(float)
    failed = Signal(str, object)
    frame = Signal()
    cursor_changed = Signal()
    recording_changed = Signal()
    _event = Signal(object)

    def __init__(self, document: Document, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._document = document
        self._event.connect(self._on_event, Qt.ConnectionType.QueuedConnection)
        self.session = Session(self._event.emit)
        self.cursor: int | None = None
        self._shown: Snapshot | None = None
        self._recording: Recording | None = None
        document.scene_changed.connect(self._on_scene)
        document.opened.connect(self._on_opened)
        self._reopen = False
        self._awaited = 0
        self._timer = QTimer(self)
        self._timer.setTimerType(Qt.TimerType.PreciseTimer)
        self._timer.setInterval(FRAME_MS)
        self._timer.timeout.connect(self._pull)
        self._timer.start()

    @property
    def status(self) -> Status:
        """What the session is doing."""
        return self.session.status

    @property
    def recording(self) -> Recording | None:
        """The recording of the present run."""
        return self._recording

    @property
    def displayed(self) -> Snapshot | None:
        """What the viewport shows: the row under the cursor, or the newest there is."""
        return self._shown

    @property
    def live(self) -> bool:
        """Whether the newest state is shown, not one of the past."""
        return self.cursor is None

    def set_cursor(self, index: int | None) -> None:
        """Show row `index` of the recording; None for the newest."""
        recording = self._recording
        if index is not None and recording is not None and len(recording):
            index = max(0, min(index, len(recording) - 1))
        else:
            index = None
        if index == self.cursor:
            return
        self.cursor = index
        if index is not None and recording is not None:
            self._shown = recording.snapshot(index)
        else:
            self._shown = self.session.latest
        self.cursor_changed.emit()
        self.frame.emit()

    def play_or_pause(self) -> None:
        """The space bar: run if standing, stand if running. Playing leaves the past."""
        if self.status.state == "running":
            self.session.pause()
        else:
            self.set_cursor(None)
            self.session.play()

    def close(self) -> None:
        """End the session; call before the application quits."""
        self._timer.stop()
        self.session.close()

    def _on_opened(self) -> None:
        self._reopen = True
        self.set_cursor(None)

    def _on_scene(self, before: Scene | None, after: Scene) -> None:
        if self._reopen or before is None:
            self._reopen, self._awaited = False, 0
            self.session.open(after, self._document.base_dir)
        else:
            self.set_cursor(None)  # what is edited is the present, so that is what must be seen
            number = self.session.edit(after)
            if after.start != before.start and self.status.state in ("ready", "blocked", "preparing"):
                self._foresee(after, number)

    def _foresee(self, scene: Scene, edit: int) -> None:
        """Show another start at once: until the engine stands there, too, a robot that is dragged would lag behind."""
        shown = preview(scene, self._document.base_dir)
        if shown is not None:
            self._awaited, self._shown = edit, shown
            self.frame.emit()

    def _on_event(self, event: Event) -> None:
        if isinstance(event, StatusChanged):
            self.status_changed.emit(event.status)
        elif isinstance(event, RunFinished):
            self.finished.emit(event.time)
        elif isinstance(event, RunFailed):
            self.failed.emit(event.message, event.saved)
        self._pull()

    def _pull(self) -> None:
        recording = self.session.recording
        if recording is not self._recording:
            self._recording = recording
            self.cursor = None
            self.recording_changed.emit()
            self.cursor_changed.emit()
        if self.session.applied_edits < self._awaited:
            return  # what is shown is newer than what the session knows
        latest = self.session.latest
        if self.cursor is None and latest is not self._shown:
            self._shown = latest
            self.frame.emit()
