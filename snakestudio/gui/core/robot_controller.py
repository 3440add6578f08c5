"""The robot of the window, and the one owner of its link.

`RobotController` opens and closes the link, the live source on it (`LiveRobot`) and an emulated
robot, sends the heartbeat of the window, and polls the telemetry of the link 20 times a second.
Every other part of the window uses the controller: it reads `state`, `status` and `telemetry`,
connects to the signals, and calls `stop`, `stream`, `disarm` and `reset`. `LiveRobot` has a separate
thread, in which it checks everything that forbids arming or streaming, generates the references,
follows the scene, and records (`LiveRuns`). The `Link` owns the bus, in a separate process, and makes
the final decision. `RobotFeature` shows notices and dialogs, and owns nothing of the robot.

The heartbeat is sent only from the event loop of the window: if the window hangs, the heartbeat stops,
and the link stops the robot. A stop goes directly from the event to `Link.stop`, with nothing in between
that could block.
"""

from __future__ import annotations

import time
from collections import deque
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Qt, QTimer, Signal

from snakestudio.errors import SnakeStudioError
from snakestudio.gui.core.document import Document
from snakestudio.gui.core.session_controller import SessionController
from snakestudio.link.emulator.fault import FAULTS, FaultKind
from snakestudio.link.messages import LinkEvent, LinkState, Severity, Telemetry
from snakestudio.viewmodel.robot.emulator import EmulatedRobot
from snakestudio.viewmodel.robot.robot_status import NOT_CONNECTED, RobotStatus, robot_status
from snakestudio.viewmodel.robot.services import LiveChoices, NewRun, Services
from snakestudio.viewmodel.robot.window_priority import WindowPriority
from snakestudio.viewmodel.sources import Robot

if TYPE_CHECKING:
    from snakestudio.link.base import Link
    from snakestudio.link.profile.loading import LoadedProfile
    from snakestudio.link.profile.schema import Bus, Profile
    from snakestudio.live.live_robot import LiveRobot
    from snakestudio.model.recording import Recording
    from snakestudio.model.scene import Scene
    from snakestudio.model.teleop import TeleopCommand

BEAT_MS = 25
"""Interval of the window's heartbeat, ms; the link requires one at least every 50 ms."""

_POLL_BEATS = 2
"""Telemetry is read at every second beat: 20 times a second."""

_GAP_S = 10.0
"""Period over which the longest gap between two beats is reported, s."""

_START_S = 20.0
"""Time limit for the start of a link's process, s: a busy computer takes several seconds."""

_MOVABLE = (LinkState.ARMED, LinkState.STREAMING)


class RobotController(QObject):
    """Controller of one robot at a time. It lives in the window's thread.

    Parameters
    ----------
    document : Document
        Its scene drives the robot.
    session_controller : SessionController
        Shows the robot in place of the simulation.
    new_run : callable
        Returns the run file for each period of streaming; None if it is not recorded.
    services : Services, optional
        Opens links and emulated robots.

    Signals
    -------
    connection_opened()
        The operator connected to a robot.
    changed()
        A robot was connected or disconnected, or its state, its messages or the reasons that prevent
        arming changed.
    polled()
        Newer telemetry is available: 20 times a second while a robot is connected.
    happened(event: LinkEvent)
        An event, with a message.
    traffic(frames: list of Traffic)
        Frames on the bus since the last emission.
    """

    connection_opened = Signal()
    changed = Signal()
    polled = Signal()
    happened = Signal(object)
    traffic = Signal(object)
    _event_reported = Signal(object)

    def __init__(
        self,
        document: Document,
        session_controller: SessionController,
        new_run: NewRun,
        services: Services | None = None,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self.services = services or Services()
        self._document = document
        self._session_controller = session_controller
        self._new_run = new_run
        self.link: Link | None = None
        """None while no robot is connected."""
        self.live: LiveRobot | None = None
        self.loaded: LoadedProfile | None = None
        self.telemetry: Telemetry | None = None
        self.status: RobotStatus = NOT_CONNECTED
        self.emulated = False
        """Whether the robot is an emulated one that this window started."""
        self._emulated_robot: EmulatedRobot | None = None
        self.choices = LiveChoices()
        self.log: Path | None = None
        """The file that frames are written to."""
        self.priority = WindowPriority()
        self._beats = 0
        self._beaten = self._since = 0.0
        self._seen = False  # whether the link was ever alive
        self._watchers: set[QObject] = set()
        self._gaps: deque[tuple[float, float]] = deque()
        self._published_state: tuple[object, ...] = ()
        self._event_reported.connect(self.happened, Qt.ConnectionType.QueuedConnection)
        self._timer = QTimer(self)
        self._timer.setTimerType(Qt.TimerType.PreciseTimer)
        self._timer.setInterval(BEAT_MS)
        self._timer.timeout.connect(self._beat)
        self._another = False
        document.opened.connect(self._on_opened)
        document.scene_changed.connect(self._on_scene)

    # --- state ------------------------------------------------------------------------------------

    @property
    def connected(self) -> bool:
        """Whether a robot is connected, in any state, which Stop and the space bar stop."""
        return self.link is not None

    @property
    def profile(self) -> Profile | None:
        """Profile of the robot, with the chosen bus."""
        return None if self.link is None else self.link.profile

    @property
    def state(self) -> LinkState:
        """State of the link; DISCONNECTED without contact."""
        if self.telemetry is None or not self.status.contact:
            return LinkState.DISCONNECTED
        return self.telemetry.state

    @property
    def movable(self) -> bool:
        """Whether torque may be on, by link and robot; if unknown, by their last report."""
        last = self.telemetry
        return (
            self.connected
            and last is not None
            and (self.arming or last.state in _MOVABLE or last.confirmed)
        )

    @property
    def arming(self) -> bool:
        """Whether torque was requested and may still come on."""
        return self.live is not None and self.live.arming

    @property
    def not_ready(self) -> tuple[str, ...]:
        """Reasons that prevent arming, a message each, from the live source."""
        return () if self.live is None else self.live.not_ready

    @property
    def twin(self) -> Recording | None:
        """Recording of the simulated twin."""
        return None if self.live is None else self.live.twin

    @property
    def longest_gap(self) -> float:
        """Longest gap of the window's heartbeat in the last 10 s, s; NaN if no gap was long enough to count."""
        return max((gap for _, gap in self._gaps), default=float("nan"))

    # --- connecting -------------------------------------------------------------------------------

    def connect_to(self, loaded: LoadedProfile, bus: Bus, choices: LiveChoices) -> None:
        """Open a robot's bus in listen-only mode: nothing is sent yet.

        Raises `LinkError` if it cannot be opened, or if the requested source of live poses is not
        available.
        """
        self.disconnect_robot()
        self._open(loaded, bus, choices)
        self.connection_opened.emit()

    def connect_emulated(
        self, loaded: LoadedProfile, choices: LiveChoices, *, on_ground: bool
    ) -> None:
        """Start an emulated robot, and connect to it.

        Raises `LinkError` if that is not possible, and with `on_ground` `UsageError` if the robot of
        the open scene does not match the profile.
        """
        document = self._document
        scene = document.scene if on_ground else None
        assert loaded.path is not None, "an emulated robot reads its profile from a file"
        if scene is not None:
            from snakestudio.live.engine_plant import EnginePlant

            # checked here, before a process is started that would end because of it
            EnginePlant.scene_of(scene, loaded)
        self.disconnect_robot()
        emulated_robot = EmulatedRobot(loaded.path, scene, document.base_dir)
        self._emulated_robot = emulated_robot
        choices = replace(choices, pose=emulated_robot.pose)
        self._open(loaded, emulated_robot.bus(loaded.profile.bus), choices, emulated=True)
        self.connection_opened.emit()

    def reconnect(self, loaded: LoadedProfile) -> None:
        """Connect to the same robot again, with another profile.

        Raises `LinkError` like `connect_to`; no robot is connected then.
        """
        link = self.link
        if link is None:
            return
        emulated = self.emulated
        self._close_link()
        self._open(loaded, link.profile.bus, self.choices, emulated=emulated)

    def _open(
        self, loaded: LoadedProfile, bus: Bus, choices: LiveChoices, *, emulated: bool = False
    ) -> None:
        try:
            self.link = link = self.services.open_link(loaded, bus)
            self.loaded = loaded
            self.choices = choices
            self.emulated = emulated
            self.telemetry = None
            self._beats = 0
            self._beaten = time.monotonic()
            self._since = time.monotonic()
            self._seen = False
            self._gaps.clear()
            link.beat()
            self._timer.start()
            # Threads inherit the priority of their creator. The threads of the live source need it,
            # too: one that waits for a processor behind other programs generates no references, and
            # blocks all others by holding the interpreter's lock.
            self.priority.raise_()
            self._make_live()
        except Exception:
            self.disconnect_robot()
            raise
        link.command("connect")
        self.poll()
        self._session_controller.show_robot()

    def _make_live(self) -> None:
        assert self.link is not None
        live = self.services.open_live(
            self.link,
            self._document.scene,
            self._document.base_dir,
            self._new_run,
            self._event_reported.emit,
            self.choices,
        )
        self.live = live
        self._session_controller.set_robot(Robot(live, self.link.profile.name))

    def watch_traffic(self, watcher: QObject, watch: bool) -> None:
        """Start or stop decoding traffic for a watcher; without a watcher, nothing is decoded to save time."""
        (self._watchers.add if watch else self._watchers.discard)(watcher)

    def watch(self, choices: LiveChoices) -> None:
        """Change the source of live poses, or switch the simulated twin on or off; not while streaming.

        Raises `LinkError` or `UsageError` if the source is not available; nothing changes then.
        """
        if self.link is None or choices == self.choices:
            return
        before = self.choices
        self.choices = choices
        self._end_live()
        try:
            self._make_live()
        except SnakeStudioError:
            self.choices = before
            self._make_live()
            raise
        finally:
            self.poll()

    def _end_live(self) -> None:
        live = self.live
        self.live = None
        if live is not None:
            live.close()

    def disconnect_robot(self) -> None:
        """Stop the robot if it could move, and disconnect it."""
        self._close_link()
        self._end_emulated()

    def _close_link(self) -> None:
        link = self.link
        self.link = None
        if link is None:
            return
        self._timer.stop()
        if self.telemetry is not None and (self.telemetry.state in _MOVABLE or self.arming):
            link.stop("The robot was disconnected.")
        self._end_live()
        self.priority.restore()
        self._session_controller.set_robot(None)
        link.close()
        for event in link.events():
            self.happened.emit(event)
        self.loaded = None
        self.telemetry = None
        self.log = None
        self.emulated = False
        self.poll()

    def _end_emulated(self) -> None:
        emulated_robot = self._emulated_robot
        self._emulated_robot = None
        if emulated_robot is not None:
            emulated_robot.close()

    def close(self) -> None:
        """Disconnect the robot, because the window closes."""
        self.disconnect_robot()

    # --- commands of the operator -----------------------------------------------------------------

    def stop(self, reason: str = "Stopped by the operator.") -> None:
        """Stop the robot immediately."""
        if self.link is not None:
            # the link reports the stop to the live source, as for every other reason
            self.link.stop(reason)

    def steer(self, command: TeleopCommand) -> None:
        """Pass on a command of teleoperation; without effect unless the scene is driven by hand."""
        if self.live is not None:
            self.live.steer(command)

    def stream(self) -> None:
        """Start streaming the references of the scene's gait or controller."""
        if self.live is not None:
            self.live.stream()

    def disarm(self) -> None:
        """Disarm the robot: switch the torque off in order."""
        if self.live is not None:
            self.live.disarm()

    def reset(self) -> None:
        """Reset a fault."""
        if self.live is not None:
            self.live.reset()

    def begin_log(self, path: Path) -> None:
        """Start writing all frames to a file, in the format given by its suffix."""
        if self.link is not None:
            self.link.begin_log(path)
            self.log = path
            self.changed.emit()

    def end_log(self) -> None:
        """Stop writing frames to the file."""
        if self.link is not None:
            self.link.command("log", path="")
        self.log = None
        self.changed.emit()

    def inject_fault(self, kind: FaultKind, node: int | None) -> None:
        """Inject a fault into the emulated robot, at a node or, if None, at all nodes."""
        if self._emulated_robot is not None:
            self._emulated_robot.send(f"fault {kind}" if node is None else f"fault {kind} {node}")
            where = "all nodes" if node is None else f"node {node}"
            self.add_event("info", f"Fault of the emulated robot, {where}: {FAULTS[kind]}.")

    def clear_faults(self) -> None:
        """Clear all injected faults of the emulated robot."""
        if self._emulated_robot is not None:
            self._emulated_robot.send("clear")
            self.add_event("info", "All faults of the emulated robot were cleared.")

    def add_event(self, severity: Severity, text: str) -> None:
        """Add an event with a message."""
        self.happened.emit(LinkEvent(time.monotonic(), severity, text, "robot"))

    # --- timer ------------------------------------------------------------------------------------

    def _beat(self) -> None:
        link = self.link
        if link is None:
            return
        link.beat()
        now = time.monotonic()
        self._gaps.append((now, now - self._beaten))
        self._beaten = now
        while self._gaps[0][0] < now - _GAP_S:
            self._gaps.popleft()
        self._beats += 1
        if self._beats % _POLL_BEATS == 0:
            self.poll()

    def poll(self) -> None:
        """Read the state of the link, and emit what has changed."""
        link = self.link
        now = time.monotonic()
        alive = link is not None and link.alive
        happened = [] if link is None else link.events()
        # A process that ended before it was alive reports why, so it need not be waited for.
        self._seen |= alive or any(each.kind == "process" for each in happened)
        if link is not None and (self._seen or now > self._since + _START_S):
            self.telemetry = link.telemetry()
        self.status = robot_status(self.telemetry, alive, self.profile, now)
        for event in happened:
            self.happened.emit(event)
        if link is not None and self._watchers and (frames := link.traffic()):
            self.traffic.emit(frames)
        status = self.status
        present = (
            link,
            self.live,
            status.title,
            status.sentence,
            status.role,
            status.contact,
            self.not_ready,
            self.state,
        )
        if present != self._published_state:
            self._published_state = present
            self.changed.emit()
        if self._emulated_robot is not None and (why := self._emulated_robot.ended):
            self._end_emulated()
            self.add_event("error", why)
        self.polled.emit()

    def _on_opened(self) -> None:
        """Stop the robot: it was armed for the previous scene."""
        self._another = True
        if self.movable:
            self.stop("Stopped because another scene was opened.")

    def _on_scene(self, before: Scene, after: Scene) -> None:
        another = self._another
        self._another = False
        if self.live is None:
            return
        if another:
            self._end_live()
            self._make_live()
            self.poll()
        else:
            self.live.set_scene(after)
