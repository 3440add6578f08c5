"""The robot of the window, and the one owner of its link.

`RobotController` opens and closes the link, the live source on it (`LiveRobot`) and an emulated
robot, sends the heartbeat of the window, and polls what the link knows 20 times a second. Every
other part of the window takes the controller: it reads `state`, `status` and `telemetry`, follows
the signals, and calls `stop`, `stream`, `disarm` and `reset`. `LiveRobot` has a separate thread,
where it checks everything that forbids arming or streaming, makes the references, follows the
scene, and records (`LiveRuns`). The `Link` has the bus, in a separate process, and decides last.
`RobotFeature` shows notices and dialogs, and owns nothing of the robot.

The heartbeat comes from the event loop of the window and from nothing else: a window that hangs
falls silent, and the link stops the robot. Stopping goes straight from the event to `Link.stop`,
with nothing in between that could wait.
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
"""Interval of the window's heartbeat; the link wants one at least every 50 ms."""

_POLL_BEATS = 2
"""Telemetry is read at every second beat: 20 times a second."""

_GAP_S = 10.0
"""The longest pause between two beats is that of the last 10 s."""

_START_S = 20.0
"""Time in which a link's process must be there, s: a busy computer takes several seconds to start
one."""

_MOVABLE = (LinkState.ARMED, LinkState.STREAMING)


class RobotController(QObject):
    """One robot at a time. All of it lives in the window's thread.

    Parameters
    ----------
    document : Document
        Its scene drives the robot.
    session_controller : SessionController
        Shows the robot in place of the simulation.
    new_run : callable
        Says for every stretch of streaming which run file it is recorded to; None if it is not
        kept.
    services : Services, optional
        Where robots come from.

    Signals
    -------
    connection_opened()
        The operator connected to a robot.
    changed()
        A robot came or went, or its state, what it says or what keeps it from being armed is
        another one.
    polled()
        There is newer telemetry: 20 times a second while a robot is connected.
    happened(event: LinkEvent)
        In words.
    traffic(frames: list of Traffic)
        What went over the bus since the last time.
    """

    connection_opened = Signal()
    changed = Signal()
    polled = Signal()
    happened = Signal(object)
    traffic = Signal(object)
    _told = Signal(object)

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
        self._shown: tuple[object, ...] = ()
        self._told.connect(self.happened, Qt.ConnectionType.QueuedConnection)
        self._timer = QTimer(self)
        self._timer.setTimerType(Qt.TimerType.PreciseTimer)
        self._timer.setInterval(BEAT_MS)
        self._timer.timeout.connect(self._beat)
        self._another = False
        document.opened.connect(self._on_opened)
        document.scene_changed.connect(self._on_scene)

    # --- what there is ----------------------------------------------------------------------------

    @property
    def connected(self) -> bool:
        """Whether there is a robot that Stop and the space bar stop, in any state."""
        return self.link is not None

    @property
    def profile(self) -> Profile | None:
        """Of the robot, with the bus that was chosen."""
        return None if self.link is None else self.link.profile

    @property
    def state(self) -> LinkState:
        """The link's state; DISCONNECTED where there is no contact."""
        if self.telemetry is None or not self.status.contact:
            return LinkState.DISCONNECTED
        return self.telemetry.state

    @property
    def movable(self) -> bool:
        """Whether torque may be on: the link's word and the robot's, and where nobody knows, the last that was said."""
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
        """What keeps the robot from being armed, a sentence each: the live source's list."""
        return () if self.live is None else self.live.not_ready

    @property
    def twin(self) -> Recording | None:
        """The simulation that runs alongside."""
        return None if self.live is None else self.live.twin

    @property
    def longest_gap(self) -> float:
        """Longest pause of the window's heartbeat in the last 10 s, s; NaN if none was long enough to count."""
        return max((gap for _, gap in self._gaps), default=float("nan"))

    # --- coming and going -------------------------------------------------------------------------

    def connect_to(self, loaded: LoadedProfile, bus: Bus, choices: LiveChoices) -> None:
        """Open a robot's bus and listen: nothing is sent yet.

        Raises `LinkError` if it cannot be opened, or if there can be no live poses from where they
        are wanted.
        """
        self.disconnect_robot()
        self._open(loaded, bus, choices)
        self.connection_opened.emit()

    def connect_emulated(
        self, loaded: LoadedProfile, choices: LiveChoices, *, on_ground: bool
    ) -> None:
        """Start an emulated robot, and connect to it.

        Raises `LinkError` if that is not possible, and `UsageError` with `on_ground` if the robot
        of the open scene is not that of the profile.
        """
        document = self._document
        scene = document.scene if on_ground else None
        assert loaded.path is not None, "an emulated robot reads its profile from a file"
        if scene is not None:
            from snakestudio.live.engine_plant import EnginePlant

            # said here, before a process is started that would end by it
            EnginePlant.scene_of(scene, loaded)
        self.disconnect_robot()
        emulated_robot = EmulatedRobot(loaded.path, scene, document.base_dir)
        self._emulated_robot = emulated_robot
        choices = replace(choices, pose=emulated_robot.pose)
        self._open(loaded, emulated_robot.bus(loaded.profile.bus), choices, emulated=True)
        self.connection_opened.emit()

    def reconnect(self, loaded: LoadedProfile) -> None:
        """Connect to the same robot again, with another profile.

        Raises `LinkError` as `connect_to`; then no robot is connected.
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
            # Threads have the priority of who starts them. Those of the live source shall have it,
            # too: one that waits for a processor behind programs that compute gives no references,
            # and holds up all with the interpreter's lock.
            self.priority.ask()
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
            self._told.emit,
            self.choices,
        )
        self.live = live
        self._session_controller.set_robot(Robot(live, self.link.profile.name))

    def watch_traffic(self, watcher: QObject, watch: bool) -> None:
        """Begin or end decoding of the traffic for a watcher: without one, it would cost time for nothing."""
        (self._watchers.add if watch else self._watchers.discard)(watcher)

    def watch(self, choices: LiveChoices) -> None:
        """Take live poses from elsewhere, or let the simulation run alongside or not; not while it streams.

        Raises `LinkError` or `UsageError` if there can be no poses from there; all stays as it was.
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
        self.priority.give_back()
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

    # --- what the operator wants ------------------------------------------------------------------

    def stop(self, reason: str = "Stopped by the operator.") -> None:
        """Stop the robot, now."""
        if self.link is not None:
            # the live source learns of it from the link, as of every other reason
            self.link.stop(reason)

    def steer(self, command: TeleopCommand) -> None:
        """Pass on a command of teleoperation; without effect unless the scene is driven by hand."""
        if self.live is not None:
            self.live.steer(command)

    def stream(self) -> None:
        """Let the robot follow the scene's gait or controller."""
        if self.live is not None:
            self.live.stream()

    def disarm(self) -> None:
        """Torque off, in order."""
        if self.live is not None:
            self.live.disarm()

    def reset(self) -> None:
        """Out of a fault."""
        if self.live is not None:
            self.live.reset()

    def begin_log(self, path: Path) -> None:
        """Write all frames to a file, its kind by its ending."""
        if self.link is not None:
            self.link.begin_log(path)
            self.log = path
            self.changed.emit()

    def end_log(self) -> None:
        """Write no more frames to the file."""
        if self.link is not None:
            self.link.command("log", path="")
        self.log = None
        self.changed.emit()

    def inject_fault(self, kind: FaultKind, node: int | None) -> None:
        """Let something go wrong with the emulated robot, at a node or at all of them."""
        if self._emulated_robot is not None:
            self._emulated_robot.tell(f"fault {kind}" if node is None else f"fault {kind} {node}")
            where = "all nodes" if node is None else f"node {node}"
            self.add_event("info", f"Fault of the emulated robot, {where}: {FAULTS[kind]}.")

    def mend_faults(self) -> None:
        """Let the emulated robot be sound again."""
        if self._emulated_robot is not None:
            self._emulated_robot.tell("clear")
            self.add_event("info", "All faults of the emulated robot were cleared.")

    def add_event(self, severity: Severity, text: str) -> None:
        """Add something to what happened, in words."""
        self.happened.emit(LinkEvent(time.monotonic(), severity, text, "robot"))

    # --- the clock of it --------------------------------------------------------------------------

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
        # One that ended before it was ever there says why, and nobody has to wait for it.
        self._seen |= alive or any(each.kind == "process" for each in happened)
        if link is not None and (self._seen or now > self._since + _START_S):
            self.telemetry = link.telemetry()
        self.status = robot_status(self.telemetry, alive, self.profile, now)
        for event in happened:
            self.happened.emit(event)
        if link is not None and self._watchers and (frames := link.traffic()):
            self.traffic.emit(frames)
        said = self.status
        shown = (
            link,
            self.live,
            said.title,
            said.sentence,
            said.role,
            said.contact,
            self.not_ready,
            self.state,
        )
        if shown != self._shown:
            self._shown = shown
            self.changed.emit()
        if self._emulated_robot is not None and (why := self._emulated_robot.ended):
            self._end_emulated()
            self.add_event("error", why)
        self.polled.emit()

    def _on_opened(self) -> None:
        """Another scene is not what the robot was armed for."""
        self._another = True
        if self.movable:
            self.stop("Stopped because another scene was opened.")

    def _on_scene(self, before: Scene | None, after: Scene) -> None:
        another = self._another or before is None
        self._another = False
        if self.live is None:
            return
        if another:
            self._end_live()
            self._make_live()
            self.poll()
        else:
            self.live.set_scene(after)
