"""The simulation's run as what Start Together starts: a job that waits, plays, and notes in the run what happened."""

from __future__ import annotations

import threading

from PySide6.QtCore import QObject

from snakestudio.gui.core.session_controller import SessionController
from snakestudio.gui.robot.controller import RobotControl
from snakestudio.model.events import RunEvent
from snakestudio.runfile.recording import RunRecording
from snakestudio.session.session import Session
from snakestudio.session.status import Status
from snakestudio.sync import SynchronizedStart, Together
from snakestudio.viewmodel.job import Job, Progress
from snakestudio.viewmodel.start_target import EVERYWHERE

__all__ = ["RunTarget"]

_STANDING = ("ready", "paused", "finished")
_OVER = ("paused", "finished", "failed", "blocked", "empty")


class _RunStart:
    """One start of the session's run."""

    def __init__(self, session: Session, choices: Together, name: str) -> None:
        self._session = session
        self._runs, self._ended = threading.Event(), threading.Event()
        self.start = SynchronizedStart(choices, name, self._begin)
        self._job: Job[None] = Job("start together", self._work)

    @property
    def over(self) -> bool:
        return not self._job.running

    @property
    def trouble(self) -> str:
        return self._job.error

    def close(self) -> None:
        self.start.cancel()
        self._job.wait()

    def tell(self, status: Status) -> None:
        """What is told, not what is: a short run may be over before one looks."""
        if status.state == "running":
            self._runs.set()
            if self.start.started is None:
                self.start.start_now()  # Play was pressed: the others start, too
        elif self._runs.is_set() and status.state in _OVER:
            self._ended.set()

    def _begin(self) -> None:
        if not self._runs.is_set():  # Play was pressed otherwise, and a short run may be over: it must not go on
            self._session.play()

    def _work(self, progress: Progress) -> None:
        session = self._session
        with self.start as start:
            start.prepare()
            if not start.wait():
                return
            recording = session.recording
            since = _newest(recording)
            start.go()
            _note(recording, since, start.notes)
            noted = len(start.notes)
            start.accompany(self._ended.is_set, session.pause, lambda: session.recording)
            _note(recording, _newest(recording), start.notes[noted:])


class RunTarget(QObject):
    """The run of the simulation.

    Parameters
    ----------
    bridge : SessionController
    control : RobotControl
        Once a robot is connected, it is what is started.
    """

    key = "together"
    by_hand = "Play"
    usual_host = EVERYWHERE
    host_kept = True

    def __init__(self, bridge: SessionController, control: RobotControl, parent: QObject) -> None:
        super().__init__(parent)
        self._bridge, self._control = bridge, control
        self._way: _RunStart | None = None
        bridge.status_changed.connect(self._on_status)

    @property
    def possible(self) -> bool:
        """Whether the run stands."""
        return self._bridge.session.status.state in _STANDING

    def about(self) -> str:
        """See `Target`."""
        return (
            "Starts the run at the same moment as cameras, force plates or another computer. Times and clocks of both "
            "sides are noted in the run."
        )

    def standing(self) -> tuple[str, str]:
        """A run that can be chosen is ready."""
        return "", ""

    def refuses(self) -> str:
        """It can always be played."""
        return ""

    def caution(self, wait: str, host: str) -> tuple[str, str]:
        """A run hurts nobody."""
        return "", ""

    def begin(self, choices: Together, name: str) -> _RunStart:
        """See `Target`."""
        self._way = _RunStart(self._bridge.session, choices, name)
        return self._way

    def lost(self) -> str:
        """Whether a robot has come meanwhile."""
        waits = self._way is not None and self._way.start.started is None
        if waits and self._control.connected:
            return "Start Together was ended, as a robot is connected: it starts the robot from now on."
        return ""

    def _on_status(self, status: Status) -> None:
        if self._way is not None:
            self._way.tell(status)


def _newest(recording: RunRecording | None) -> float:
    return float(recording.times[-1]) if recording is not None and len(recording) else 0.0


def _note(recording: RunRecording | None, time_s: float, sentences: list[str]) -> None:
    """Keep what happened with the run."""
    if recording is not None:
        for sentence in sentences:
            recording.add_event(RunEvent(time_s, "note", sentence))
