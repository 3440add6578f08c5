"""Start of simulation or robot together with other instruments, with a notice over the viewport."""

from __future__ import annotations

import math
import threading
import time
from dataclasses import replace
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QSettings, Qt, QTimer, Signal
from PySide6.QtWidgets import QWidget

from snakestudio.errors import Problem
from snakestudio.gui.core.document import Document
from snakestudio.gui.core.robot_controller import RobotController
from snakestudio.gui.core.session_controller import SessionController
from snakestudio.gui.core.settings import StoredOptions, Text
from snakestudio.gui.core.task import Task
from snakestudio.gui.forms.banner import Banner, Button
from snakestudio.link.messages import LinkState
from snakestudio.model.events import RunEvent
from snakestudio.runfile.recording import RunRecording
from snakestudio.session.session import Session
from snakestudio.session.status import Status
from snakestudio.sync import StartSettings, SynchronizedStart
from snakestudio.viewmodel.start_target import EVERYWHERE, HERE, Target, UnderWay
from snakestudio.viewmodel.work import Progress

if TYPE_CHECKING:
    from snakestudio.live.live_robot import LiveRobot
    from snakestudio.live.robot_start_target import RobotStartTarget


_TEXTS = {
    "fire": Text("Send Start", "Whether START and STOP are sent to another instrument"),
    "host": Text("Send To", "Computer of the other instrument"),
    "port": Text("Send Port", "UDP port of the other instrument", 1, 65535),
    "wait": Text("Wait For", "What starts the run", choices=("", "port", "lsl")),
    "wait_port": Text("Wait Port", "UDP port on which START is awaited", 1, 65535),
    "wait_host": Text("Wait Address", "Address to listen on; empty for all addresses"),
    "wait_stream": Text("Wait Stream", "Name of the LSL stream whose marker starts the run"),
    "limit_s": Text("Wait Limit", "Time limit, s; 0 for none", 0.0),
    "outlet": Text("LSL Outlet", "Whether markers and the pose are sent as LSL streams"),
}
_SETTINGS = {
    key: StoredOptions(key, StartSettings(), _TEXTS) for key in ("together", "together_robot")
}


class StartTogether(QObject):
    """Start Together: starts the robot while one is connected, and the simulation's run otherwise.

    Parameters
    ----------
    banner : Banner
        Shows the progress.
    settings : QSettings
        Stores the choices.

    Signals
    -------
    changed()
        Waiting started, or the start happened or ended.
    """

    changed = Signal()

    def __init__(
        self,
        document: Document,
        session_controller: SessionController,
        robot_controller: RobotController,
        banner: Banner,
        settings: QSettings,
        window: QWidget,
    ) -> None:
        super().__init__(window)
        self._document = document
        self._robot_controller = robot_controller
        self._banner = banner
        self._settings = settings
        self._window = window
        self._run, self._robot = (
            RunTarget(session_controller, robot_controller, self),
            RobotTarget(robot_controller, document, self),
        )
        self._begun_target: Target = self._run
        self._under_way: UnderWay | None = None
        self._lost = ""
        self._since = 0.0
        self._told_started = False
        self._timer = QTimer(self)
        self._timer.setInterval(60)
        self._timer.timeout.connect(self._watch)
        document.opened.connect(self.cancel)
        robot_controller.changed.connect(self._watch)

    @property
    def target(self) -> Target:
        """Target to start."""
        return self._robot if self._robot_controller.connected else self._run

    @property
    def choices(self) -> StartSettings:
        """Choices used last for the current target."""
        return _SETTINGS[self.target.key].load(self._settings)

    @property
    def busy(self) -> bool:
        """Whether a start is pending, or a run started this way is still running."""
        return self._under_way is not None

    @property
    def waiting(self) -> bool:
        """Whether a start is pending."""
        return self._under_way is not None and self._under_way.start.started is None

    @property
    def port(self) -> int | None:
        """Port on which the start is awaited; None if there is no such port."""
        return None if self._under_way is None else self._under_way.start.port

    @property
    def possible(self) -> bool:
        """Whether the target can be started."""
        return not self.busy and self.target.possible

    def ask(self) -> None:
        """Ask for the choices and wait for the start; cancel if already waiting."""
        from snakestudio.gui.robot.together.dialog import TogetherDialog

        if self.waiting:
            self.cancel()
        if self.busy:
            return
        target = self.target
        dialog = TogetherDialog(self.choices, target, self._window)
        accepted = dialog.exec()
        choices = dialog.choices()
        dialog.deleteLater()
        if accepted and choices is not None and target is self.target:
            stored = choices if target.host_kept else replace(choices, wait_host="")
            _SETTINGS[target.key].store(self._settings, stored)
            self.wait(choices)

    def wait(self, choices: StartSettings) -> None:
        """Connect and listen; the start is triggered by another instrument or by hand."""
        if not self.possible:
            return
        path = self._document.origin
        self._begun_target = self.target
        self._lost = ""
        self._told_started = False
        self._under_way = self._begun_target.begin(
            choices, path.stem if path is not None else self._document.name
        )
        self._since = time.monotonic()
        self._timer.start()
        self._watch()
        self.changed.emit()

    def start_now(self) -> None:
        """Start without waiting for the trigger."""
        if self._under_way is not None:
            self._under_way.start.start_now()

    def cancel(self) -> None:
        """Cancel the start; a running run continues."""
        if self._under_way is not None:
            self._under_way.start.cancel()

    def close(self) -> None:
        """Cancel the start and wait for its end; called before the program quits."""
        self._timer.stop()
        if self._under_way is not None:
            self._under_way.close()
            self._under_way = None

    def _watch(self) -> None:
        pending = self._under_way
        if pending is None:
            return
        if not self._lost and (lost := self._begun_target.lost()):
            self._lost = lost
            pending.start.cancel()
        if not pending.over:
            self._show_progress(pending.start)
            return
        self._timer.stop()
        self._under_way = None
        if self._lost:
            self._banner.show_notice("info", self._lost, passing=True)
        elif pending.trouble:
            self._banner.show_notice("warning", pending.trouble, [("Start Together...", self.ask)])
        elif pending.start.started is None:
            self._banner.show_notice("info", "Start Together was cancelled.", passing=True)
        elif pending.start.trouble:
            self._banner.show_notice("warning", pending.start.trouble)
        elif not self._told_started:
            self._show_progress(pending.start)
        self.changed.emit()

    def _show_progress(self, start: SynchronizedStart) -> None:
        if start.started is None:
            if not start.doing:
                return
            waited = time.monotonic() - self._since
            limit = start.choices.limit_s
            clock = f"{_clock(waited)} of {_clock(limit)}" if limit else _clock(waited)
            refusal = self._begun_target.refuses()
            refused = f"\nSTART would be refused now: {refusal}." if refusal else ""
            now: list[Button] = [] if refusal else [("Start Now", self.start_now)]
            self._banner.show_notice(
                "info",
                f"{start.doing}  {clock}{refused}",
                [*now, ("Cancel", self.cancel)],
                progress=waited / limit if limit else None,
                closable=False,
            )
        elif not self._told_started:
            self._told_started = True
            self.changed.emit()
            if start.trouble:
                self._banner.show_notice("warning", start.trouble)
                return
            by = f" by {start.trigger.peer}" if start.trigger is not None else ""
            fired = (
                f" START was sent to {start.choices.host}:{start.choices.port}."
                if start.choices.fire
                else ""
            )
            self._banner.show_notice(
                "info", f"Started{by}.{fired} Times and clocks are stored in the run.", passing=True
            )


def _clock(seconds: float) -> str:
    total = math.floor(seconds)
    return f"{total // 60}:{total % 60:02d}"


# The live robot as a target of Start Together: only a robot that was armed manually in this
# window starts to stream.
#
# The link is not reached through the window's thread: START and STOP reach the robot while a dialog
# blocks the thread, too.


_OPEN = (
    "Any computer on {where} can start and stop the armed robot without a password. Stay next to the robot "
    "with one hand at its motor power switch."
)


class RobotTarget(QObject):
    """Connected robot as a target.

    Parameters
    ----------
    document : Document
        Document whose scene the robot follows.
    """

    _event = Signal(str)

    key = "together_robot"
    by_hand = "Start Streaming"
    usual_host = HERE
    host_kept = False
    """Opening the robot to a network is confirmed each time."""

    def __init__(
        self, robot_controller: RobotController, document: Document, parent: QObject
    ) -> None:
        super().__init__(parent)
        self._robot_controller = robot_controller
        self._document = document
        self._live: LiveRobot | None = None
        self._start_target: RobotStartTarget | None = None
        robot_controller.changed.connect(self._poll)
        self._event.connect(
            lambda sentence: robot_controller.add_event("info", sentence),
            Qt.ConnectionType.QueuedConnection,
        )

    @property
    def possible(self) -> bool:
        """Whether a robot is connected and does not move yet; it may be armed later."""
        return (
            self._robot_controller.live is not None
            and self._robot_controller.state is not LinkState.STREAMING
        )

    def about(self) -> str:
        """See `Target`."""
        robot_controller = self._robot_controller
        scene = self._document.scene
        name = "The robot" if robot_controller.profile is None else robot_controller.profile.name
        follows = "gait" if scene.controller.uses_gait else "controller"
        others = (
            "the simulated twin and a new run start"
            if robot_controller.choices.twin
            else "a new run starts"
        )
        return (
            f"{name} starts to follow the {follows} of “{self._document.name}” at the same time as cameras, force "
            f"plates or another computer; {others} with it. Times and clocks of both sides are stored in the run."
        )

    def state_text(self) -> tuple[str, str]:
        """See `Target`."""
        refusal = self.refuses()
        if not refusal:
            return "The robot is armed and moves as soon as it is started.", "warning"
        robot_controller = self._robot_controller
        reasons = robot_controller.not_ready
        if robot_controller.live is not None and not robot_controller.status.contact:
            reasons = (robot_controller.status.sentence,)
        if reasons and robot_controller.state is not LinkState.ARMED:
            more = f" ({len(reasons) - 1} more: see the Robot panel)" if len(reasons) > 1 else ""
            return (
                f"START would be refused: the robot is neither armed nor ready to be armed. {reasons[0]}{more}",
                "dim",
            )
        return f"START would be refused: {refusal}.", "dim"

    def refuses(self) -> str:
        """See `Target`."""
        live = self._robot_controller.live
        contact = self._robot_controller.status.contact
        if live is None or not contact:
            return "there is no contact with the robot"
        return live.refuses_start

    def caution(self, wait: str, host: str) -> tuple[str, str]:
        """See `Target`."""
        if wait == "lsl":
            return (
                "A marker can start the robot but not stop it. STOP is accepted only on the TCP port.",
                "warning",
            )
        if wait != "port":
            return "", ""
        if host == HERE:
            return "Only programs on this computer can start and stop the armed robot.", "dim"
        return _OPEN.format(
            where="any network of this computer" if host == EVERYWHERE else "that network"
        ), "warning"

    def begin(self, choices: StartSettings, name: str) -> RobotStartTarget:
        """See `Target`."""
        from snakestudio.live.robot_start_target import RobotStartTarget

        live = self._robot_controller.live
        assert live is not None, "started only when possible"
        self._live = live
        self._start_target = RobotStartTarget(live, choices, name, self._event.emit)
        return self._start_target

    def lost(self) -> str:
        """Reason why the start ended: the robot was disconnected, or it or its monitoring changed; empty otherwise."""
        if self._robot_controller.live is self._live:
            return ""
        reason = (
            "was disconnected"
            if self._robot_controller.live is None
            else "or its monitoring has changed"
        )
        return f"Start Together ended because the robot {reason}."

    def _poll(self) -> None:
        """Start the others, too, when streaming was started by hand."""
        start = self._start_target
        if (
            start is not None
            and start.start.started is None
            and self._robot_controller.state is LinkState.STREAMING
        ):
            start.on_started_here()


_STANDING = ("ready", "paused", "finished")
_OVER = ("paused", "finished", "failed", "blocked", "empty")


class _RunStart:
    """Start of the session's run."""

    def __init__(self, session: Session, choices: StartSettings, name: str, owner: QObject) -> None:
        self._session = session
        self._runs, self._ended = threading.Event(), threading.Event()
        self.start = SynchronizedStart(choices, name, self._begin)
        self.trouble = ""
        self._task: Task[None] = Task("start together", self._work, owner)
        self._task.failed.connect(self._on_failed)

    @property
    def over(self) -> bool:
        return not self._task.running

    def _on_failed(self, problem: Problem) -> None:
        self.trouble = problem.sentence()

    def close(self) -> None:
        self.start.cancel()
        self._task.discard()
        self._task.wait()

    def handle_status(self, status: Status) -> None:
        """Handle a reported status; polling could miss a short run."""
        if status.state == "running":
            self._runs.set()
            if self.start.started is None:
                self.start.start_now()  # Play was pressed: start the others, too
        elif self._runs.is_set() and status.state in _OVER:
            self._ended.set()

    def _begin(self) -> None:
        if (
            not self._runs.is_set()
        ):  # the run was started otherwise, and a short run may be over: it must not continue
            self._session.play()

    def _work(self, progress: Progress) -> None:
        session = self._session
        with self.start as start:
            start.prepare()
            if not start.wait():
                return
            recording = session.recording
            since = _newest(recording)
            start.start_run()
            _note(recording, since, start.notes)
            noted = len(start.notes)
            start.accompany(self._ended.is_set, session.pause, lambda: session.recording)
            _note(recording, _newest(recording), start.notes[noted:])


class RunTarget(QObject):
    """Run of the simulation as a target.

    Parameters
    ----------
    robot_controller : RobotController
        A connected robot is started instead of the run.
    """

    key = "together"
    by_hand = "Play"
    usual_host = EVERYWHERE
    host_kept = True

    def __init__(
        self,
        session_controller: SessionController,
        robot_controller: RobotController,
        parent: QObject,
    ) -> None:
        super().__init__(parent)
        self._session_controller = session_controller
        self._robot_controller = robot_controller
        self._run_start: _RunStart | None = None
        session_controller.status_changed.connect(self._on_status)

    @property
    def possible(self) -> bool:
        """Whether the run is paused."""
        return self._session_controller.session.status.state in _STANDING

    def about(self) -> str:
        """See `Target`."""
        return (
            "Starts the run at the same time as cameras, force plates or another computer. Times and clocks of both "
            "sides are stored in the run."
        )

    def state_text(self) -> tuple[str, str]:
        """Return no message: a run that can be chosen is ready."""
        return "", ""

    def refuses(self) -> str:
        """Return no refusal: a run can always be played."""
        return ""

    def caution(self, wait: str, host: str) -> tuple[str, str]:
        """Return no caution: a simulated run is harmless."""
        return "", ""

    def begin(self, choices: StartSettings, name: str) -> _RunStart:
        """See `Target`."""
        self._run_start = _RunStart(self._session_controller.session, choices, name, self)
        return self._run_start

    def lost(self) -> str:
        """Return the reason why the start ended: a robot was connected; empty otherwise."""
        waits = self._run_start is not None and self._run_start.start.started is None
        if waits and self._robot_controller.connected:
            return "Start Together ended because a robot was connected. From now on it starts the robot."
        return ""

    def _on_status(self, status: Status) -> None:
        if self._run_start is not None:
            self._run_start.handle_status(status)


def _newest(recording: RunRecording | None) -> float:
    return float(recording.times[-1]) if recording is not None and len(recording) else 0.0


def _note(recording: RunRecording | None, time_s: float, sentences: list[str]) -> None:
    """Store the messages in the recording."""
    if recording is not None:
        for sentence in sentences:
            recording.add_event(RunEvent(time_s, "note", sentence))
