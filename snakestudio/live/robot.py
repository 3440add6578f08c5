"""The live robot as a source: a thread that makes snapshots of what the link hears, and references for it to send.

It is to a link what a session is to an engine: commands go into a queue, what there is to show is published by swapping
references (`latest`, `recording`), and events go to a callback. The thread is never in the way of the link's safety: if
it hangs, references run dry and the link stops the robot; `stop` does not go through it at all.
What it does to the robot stands in `course`.
"""

from __future__ import annotations

import contextlib
import logging
import queue
import threading
import time
from collections.abc import Callable
from pathlib import Path

from snakestudio.errors import SnakeStudioError
from snakestudio.link.base import Link
from snakestudio.link.messages import LinkEvent, LinkState, Severity, Telemetry
from snakestudio.live.course import Course
from snakestudio.live.pose_source import PoseSource
from snakestudio.model.recording import Recording
from snakestudio.model.scene import Scene
from snakestudio.model.snapshot import Snapshot
from snakestudio.model.teleop import TeleopCommand
from snakestudio.runfile.recording import RunRecording

__all__ = ["LiveEvent", "LiveRobot"]

log = logging.getLogger(__name__)

_AGAIN_S = 0.5

LiveEvent = LinkEvent
"""Something rare that happened to the live source itself; what happened to the link is in `Link.events`."""


class LiveRobot:
    """A robot on a link, driven by a scene's gait or controller. `link` stays its owner's; so do its events.

    Parameters
    ----------
    link : Link
        Connected or not.
    scene : Scene
    base_dir : path, optional
        What relative paths in the scene are relative to.
    new_run : callable
        Says for every stream that begins which run file it shall be recorded to; None if it is not kept. Called on the
        worker's thread.
    on_event : callable
        Gets every event of this source, on one of its threads.
    pose : PoseSource, optional
        Who sees the robot; it is begun and closed here.
    twin : bool
        Whether the simulation runs alongside.
    clock : callable
        The machine's monotonic clock, s.
    threaded : bool
        False: nothing happens but by `tick`, for tests.

    Raises
    ------
    LinkError
        If the pose source cannot be listened to.
    """

    def __init__(
        self,
        link: Link,
        scene: Scene,
        base_dir: Path | None = None,
        *,
        new_run: Callable[[Scene], Path | None] = lambda scene: None,
        on_event: Callable[[LiveEvent], None] = lambda event: None,
        pose: PoseSource | None = None,
        twin: bool = True,
        clock: Callable[[], float] = time.monotonic,
        threaded: bool = True,
    ) -> None:
        self._link, self._clock = link, clock
        self._commands: queue.SimpleQueue[Callable[[], None]] = queue.SimpleQueue()
        self._closing = False
        self._course = Course(link, scene, base_dir, new_run, on_event, pose, twin, clock)
        self._thread: threading.Thread | None = None
        if threaded:
            self._thread = threading.Thread(target=self._work, name="snakestudio-live", daemon=True)
            self._thread.start()

    # --- what there is to see (any thread)

    @property
    def recording(self) -> RunRecording | None:
        """Of the present run."""
        return self._course.recording

    @property
    def latest(self) -> Snapshot | None:
        """Newest state: another object whenever there is a newer one."""
        return self._course.latest

    @property
    def telemetry(self) -> Telemetry:
        """What the link knows now."""
        return self._link.telemetry()

    @property
    def twin(self) -> Recording | None:
        """Of the simulation alongside; None if there is none."""
        return self._course.twin

    @property
    def streaming(self) -> bool:
        """Whether the robot follows references of this source."""
        return self._course.streaming

    @property
    def deviation(self) -> float:
        """Root mean square of the joint angles against the twin over the present run, rad; NaN if there is none."""
        return self._course.deviation

    @property
    def not_ready(self) -> tuple[str, ...]:
        """What keeps the robot from being armed, a sentence each; () if nothing does."""
        return self._course.not_ready

    @property
    def refuses_start(self) -> str:
        """Why somebody else may not start the robot now; "" if it may: it was armed by hand, here, and stands."""
        state = self._link.telemetry().state if self._link.alive else LinkState.DISCONNECTED
        if state == LinkState.STREAMING:
            return "the robot moves already"
        if state != LinkState.ARMED:
            return "the robot is not armed; it is armed by hand, where it is, and by nobody else"
        reasons = " ".join(self._course.refusals).rstrip(".")
        return reasons[:1].lower() + reasons[1:]

    # --- commands (any thread)

    def set_scene(self, scene: Scene) -> None:
        """Drive by another scene: while it streams, what can change in a run does so from the next period on."""
        self._commands.put(lambda: self._course.set_scene(scene))

    def steer(self, command: TeleopCommand) -> None:
        """A command of somebody at the controls; holds from the next period on."""
        self._commands.put(lambda: self._course.steer(command))

    def _begin(self, act: Callable[[int], None]) -> None:
        """Have something carried out that is void once a stop was asked for after now."""
        stops = self._link.stop_count
        self._commands.put(lambda: act(stops))

    def arm(self) -> None:
        """Ask for torque, if nothing keeps the robot from it."""
        self._begin(self._course.arm)

    def stream(self) -> None:
        """Have the armed robot follow the scene's gait or controller: a new run begins."""
        self._begin(self._course.stream)

    def hold(self) -> None:
        """Have a streaming robot come to rest, armed; ends a run."""
        self._begin(self._course.hold)

    def stop(self, reason: str = "Stopped by the operator.") -> None:
        """Stop the robot: the link is told in this call, whatever else this source is doing."""
        self._course.stopped_by = reason
        self._link.stop(reason)

    def disarm(self) -> None:
        """Ask for torque off, in order; ends a run."""
        self._commands.put(self._course.disarm)

    def reset(self) -> None:
        """Have the link leave FAULT."""
        self._begin(self._course.reset)

    def note(self, text: str, severity: Severity = "info") -> None:
        """Have a remark in the recording of the present run."""
        self._commands.put(lambda: self._course.tell(text, severity, record_only=True))

    def close(self) -> None:
        """End the run and the thread; a robot that moves is stopped before. The link stays open."""
        if self._link.telemetry().state >= LinkState.ARMED and self._link.telemetry().state != LinkState.FAULT:
            self.stop("Stopped, as the program closes.")
        self._closing = True
        self._commands.put(lambda: None)
        if self._thread is not None:
            self._thread.join()
        self._course.close()

    def settle(self, timeout: float = 10.0) -> None:
        """Wait until all commands given so far were carried out (for scripts and tests).

        Raises
        ------
        TimeoutError
        """
        self._commands.put((done := threading.Event()).set)
        if not done.wait(timeout):
            raise TimeoutError("the live robot did not answer")

    # --- the worker

    def _work(self) -> None:
        while not self._closing:
            try:
                due = self.tick()
            except Exception:
                self._failed()
                due = self._clock() + _AGAIN_S
            try:
                command = self._commands.get(timeout=max(0.0005, due - self._clock()))
            except queue.Empty:
                continue
            try:
                self._carry_out(command)
            except Exception:
                self._failed()

    def _failed(self) -> None:
        """A defect must neither leave a robot following the last references of a dead thread nor end the thread."""
        log.exception("the live source failed")
        self._link.stop("Stopped, as the program failed by a defect; please report this.")
        with contextlib.suppress(Exception):
            self._course.tell("The live source failed by a defect of the program; please report this.", "error")

    def _carry_out(self, command: Callable[[], None]) -> None:
        try:
            command()
        except SnakeStudioError as error:
            self._course.tell(str(error), "error", "refused")

    def tick(self) -> float:
        """Carry out what waits and look at the robot once; gives when it wants to be called again, s, monotonic."""
        while not self._commands.empty():
            self._carry_out(self._commands.get())
        return self._course.tick()
