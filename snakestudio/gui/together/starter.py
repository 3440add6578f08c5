"""Starts runs together with others: arms in a thread, says above the viewport what goes on, notes it in the run."""

from __future__ import annotations

import math
import threading
import time

from PySide6.QtCore import QObject, QSettings, QTimer, Signal
from PySide6.QtWidgets import QWidget

from snakestudio.gui.banner import Banner
from snakestudio.gui.bridge import SessionBridge
from snakestudio.gui.document import Document
from snakestudio.gui.job import Job, Progress
from snakestudio.gui.stored import recall, store
from snakestudio.model.events import RunEvent
from snakestudio.session.recording import SpooledRecording
from snakestudio.session.status import Status
from snakestudio.session.trigger import StartTogether, Together

__all__ = ["Starter"]

_STANDING = ("ready", "paused", "finished")
_OVER = ("paused", "finished", "failed", "blocked", "empty")


class Starter(QObject):
    """What Start Together does.

    Parameters
    ----------
    document : Document
    bridge : SessionBridge
    banner : Banner
        Where it says what goes on.
    settings : QSettings
        Keeps with whom.
    window : QWidget

    Signals
    -------
    changed()
        It was armed, started, or is over.
    """

    changed = Signal()

    def __init__(
        self, document: Document, bridge: SessionBridge, banner: Banner, settings: QSettings, window: QWidget
    ) -> None:
        super().__init__(window)
        self._document, self._bridge, self._banner = document, bridge, banner
        self._settings, self._window = settings, window
        self._job: Job[StartTogether] | None = None
        self._start: StartTogether | None = None
        self._since = 0.0
        self._told_started = False
        self._runs, self._over = threading.Event(), threading.Event()
        self._timer = QTimer(self)
        self._timer.setInterval(60)
        self._timer.timeout.connect(self._watch)
        bridge.status_changed.connect(self._on_status)
        document.opened.connect(self.cancel)

    @property
    def choices(self) -> Together:
        """With whom, as chosen last."""
        return recall(self._settings, "together", Together())

    @property
    def busy(self) -> bool:
        """Whether it is armed, or a run that was started so still goes."""
        return self._job is not None

    @property
    def armed(self) -> bool:
        """Whether it waits to start."""
        return self._start is not None and self._start.started is None

    @property
    def possible(self) -> bool:
        """Whether there is a run that could be started."""
        return not self.busy and self._bridge.session.status.state in _STANDING

    def ask(self) -> None:
        """Ask with whom to start, and arm; while it is armed, give that up."""
        from snakestudio.gui.together.dialog import TogetherDialog

        if self.armed:
            self.cancel()
        if self.busy:
            return
        dialog = TogetherDialog(self.choices, self._window)
        accepted = dialog.exec()
        choices = dialog.choices()
        dialog.deleteLater()
        if accepted and choices is not None:
            store(self._settings, "together", choices)
            self.arm(choices)

    def arm(self, choices: Together) -> None:
        """Connect and listen; the run starts when the trigger comes, or at Play."""
        if not self.possible:
            return
        session = self._bridge.session
        runs, over = threading.Event(), threading.Event()

        def begin() -> None:
            if not runs.is_set():  # Play was pressed otherwise, and a short run may be over: it must not go on
                session.play()

        start = StartTogether(choices, self._run_name(), begin)

        def work(progress: Progress) -> StartTogether | None:
            with start:
                start.arm()
                if not start.wait():
                    return None
                recording = session.recording
                since = _newest(recording)
                start.go()
                _note(recording, since, start.notes)
                noted = len(start.notes)
                start.accompany(over.is_set, session.pause, lambda: session.recording)
                _note(recording, _newest(recording), start.notes[noted:])
                return start

        self._start, self._told_started = start, False
        self._runs, self._over = runs, over
        self._since = time.monotonic()
        self._job = Job("start together", work)
        self._timer.start()
        self._watch()
        self.changed.emit()

    def _run_name(self) -> str:
        path = self._document.path
        return path.stem if path is not None else self._document.name

    def start_now(self) -> None:
        """Do not wait for the trigger any longer."""
        if self._start is not None:
            self._start.start_now()

    def cancel(self) -> None:
        """Give it up; a run that goes already goes on."""
        if self._start is not None:
            self._start.cancel()

    def close(self) -> None:
        """Give it up and wait for its end; call before the program quits."""
        self.cancel()
        self._timer.stop()
        if self._job is not None:
            self._job.wait()
            self._job = self._start = None

    def _on_status(self, status: Status) -> None:
        # What is told, not what is: a short run may be over before one looks.
        if status.state == "running":
            self._runs.set()
            if self.armed:
                self.start_now()  # Play was pressed: the others start, too
        elif self._runs.is_set() and status.state in _OVER:
            self._over.set()

    def _watch(self) -> None:
        job, start = self._job, self._start
        if job is None or start is None:
            return
        if job.running:
            self._say(start)
            return
        self._timer.stop()
        self._job = self._start = None
        if job.error:
            self._banner.say("warning", job.error, [("Start Together ...", self.ask)])
        elif start.started is None:
            self._banner.say("info", "Start Together was cancelled.", passing=True)
        elif start.trouble:
            self._banner.say("warning", start.trouble)
        elif not self._told_started:
            self._say(start)
        self.changed.emit()

    def _say(self, start: StartTogether) -> None:
        if start.started is None:
            if not start.doing:
                return
            waited = time.monotonic() - self._since
            limit = start.choices.limit_s
            clock = f"{_clock(waited)} of {_clock(limit)}" if limit else _clock(waited)
            buttons = [("Start Now", self.start_now), ("Cancel", self.cancel)]
            self._banner.say(
                "info", f"{start.doing}  {clock}", buttons, progress=waited / limit if limit else None, closable=False
            )
        elif not self._told_started:
            self._told_started = True
            self.changed.emit()
            if start.trouble:
                self._banner.say("warning", start.trouble)
                return
            by = f" by {start.trigger.peer}" if start.trigger is not None else ""
            fired = f" START was sent to {start.choices.host}:{start.choices.port}." if start.choices.fire else ""
            self._banner.say("info", f"Started{by}.{fired} Times and clocks are noted in the run.", passing=True)


def _clock(seconds: float) -> str:
    whole = math.floor(seconds)
    return f"{whole // 60}:{whole % 60:02d}"


def _newest(recording: SpooledRecording | None) -> float:
    return float(recording.times[-1]) if recording is not None and len(recording) else 0.0


def _note(recording: SpooledRecording | None, time_s: float, sentences: list[str]) -> None:
    """Keep what happened with the run."""
    if recording is not None:
        for sentence in sentences:
            recording.add_event(RunEvent(time_s, "note", sentence))
