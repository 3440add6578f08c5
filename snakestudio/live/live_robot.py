"""Live robot: a thread that makes snapshots of the link's telemetry, and references for the link to send.

A live robot is to a link what a session is to an engine: commands go into a queue (`CommandQueue`),
results are published by swapping references (`latest`, `recording`), and events go to a callback.
The link's safety does not depend on the thread: if the thread hangs, references run out and the
link stops the robot; `stop` does not go through the thread at all.

`LiveRobot` decides what the robot does: whether it can be armed, which references it follows, and
what a new scene changes. `LiveRuns` measures and records.
"""

from __future__ import annotations

import contextlib
import logging
import math
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

from snakestudio.errors import SnakeStudioError
from snakestudio.kinds.plugin_kinds import driving_plugins
from snakestudio.link.base import Link
from snakestudio.link.messages import LinkEvent, LinkState, Severity, Telemetry
from snakestudio.live.base_pose import with_start_at
from snakestudio.live.command_queue import CommandQueue
from snakestudio.live.live_runs import LiveRuns
from snakestudio.live.pending_torque import TORQUE, PendingTorque, TorqueRequest
from snakestudio.live.pose_source import PoseSource
from snakestudio.live.readiness import SceneReadiness
from snakestudio.live.reference_scheduler import ReferenceScheduler, block_of
from snakestudio.live.run import LiveRun
from snakestudio.model.edits import changed_keys, get_value, tree
from snakestudio.model.labels import label_of
from snakestudio.model.recording import Recording
from snakestudio.model.reference import JointReference
from snakestudio.model.scene import Scene
from snakestudio.model.snapshot import Fields, Snapshot
from snakestudio.model.teleop import SteerCommand
from snakestudio.plugins.faults import fault_of
from snakestudio.runfile.recording import RunRecording
from snakestudio.session.live_edit import live_scene

log = logging.getLogger(__name__)

TICK_S = 0.01
"""Interval of snapshots, s."""

LEAD_S = 0.05
"""Time from the first references to time 0 of the run, s: the link has received them when it must
follow them."""

BEGIN_S = 2.0
"""Time in which the link must begin to stream, s."""

_SILENT = "The link to the robot is not responding. Wait until it responds, or disconnect."

LiveEvent = LinkEvent
"""Rare event of the live robot itself; events of the link are in `Link.events`."""


class LiveRobot:
    """A robot on a link, driven by a scene's gait or controller.

    Raises `LinkError` if the pose source cannot be opened.

    Parameters
    ----------
    link : Link
        Connected or not; the caller closes it and reads its events.
    base_dir : path, optional
        Folder that paths in the scene are relative to.
    new_run : callable
        Returns the run file of each new stream, None if it is not saved. Called on the worker's
        thread.
    on_event : callable
        Called with every event of the live robot, on one of its threads.
    pose : PoseSource, optional
        Source of tracked poses; the live robot starts and closes it.
    twin : bool
        Whether the simulation runs alongside.
    clock : callable
        The machine's monotonic clock, s.
    threaded : bool
        False for tests: only `tick` advances the live robot.
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
        self._link = link
        self._base_dir = base_dir
        self._new_run = new_run
        self._on_event = on_event
        self._pose = pose
        self._clock = clock
        self._commands = CommandQueue(self._poll, self._refused, self._failed, clock)
        self._pending_torque = PendingTorque(link, clock)
        self._state: LinkState | None = None
        self._needed_pose_lost = False
        self._readiness = SceneReadiness(link.profile, base_dir, pose, with_twin=twin)
        self._stop_reason = ""  # reason of the last `stop` since the robot began to move
        self._pending_keys: tuple[str, ...] = ()  # changed keys that the stream does not apply
        self._live_runs = LiveRuns(
            link.profile,
            base_dir,
            pose,
            with_twin=twin,
            warn=lambda message: self._report(message, "warning", "twin"),
            clock=clock,
        )
        self._live_runs.listen(scene.robot.n_links)
        self._scene = scene
        self._adopt(scene)
        if threaded:
            self._commands.start()

    # --- state (any thread)

    @property
    def telemetry(self) -> Telemetry:
        """Current telemetry of the link."""
        return self._link.telemetry()

    @property
    def recording(self) -> RunRecording | None:
        """Recording of the current run."""
        return self._live_runs.recording

    @property
    def latest(self) -> Snapshot | None:
        """Newest snapshot; each one is a new object."""
        return self._live_runs.latest

    @property
    def twin(self) -> Recording | None:
        """Recording of the simulated twin; None if there is no twin."""
        return self._live_runs.twin

    @property
    def streaming(self) -> bool:
        """Whether the robot follows the references of this live robot."""
        run = self._live_runs.run
        return run is not None and run.followed and run.ended is None

    @property
    def deviation(self) -> float:
        """Root mean square deviation of the joints from the twin over the current run, rad; NaN without a twin."""
        run = self._live_runs.run
        return math.nan if run is None else run.deviation

    @property
    def not_ready(self) -> tuple[str, ...]:
        """Messages why the robot cannot be armed; () if it can.

        They are the reasons of the link, from its telemetry, and those of scene, controller and
        twin.
        """
        link_reasons = self._link.telemetry().not_ready or (() if self._link.alive else (_SILENT,))
        return tuple(dict.fromkeys((*link_reasons, *self._readiness.not_ready)))

    @property
    def arming(self) -> bool:
        """Whether torque was requested and may be coming on; see `PendingTorque.pending`."""
        return self._pending_torque.pending

    @property
    def refuses_start(self) -> str:
        """Why others cannot start the robot now; "" if they can: it was armed by hand, here, and is at rest."""
        state = self._link.telemetry().state if self._link.alive else LinkState.DISCONNECTED
        if state == LinkState.STREAMING:
            return "the robot is already moving"
        if state != LinkState.ARMED:
            return "the robot is not armed; it can be armed only by hand, at the robot"
        reasons = " ".join(self._refusals()).rstrip(".")
        return reasons[:1].lower() + reasons[1:]

    def _refusals(self) -> tuple[str, ...]:
        """Return messages why streaming cannot start now; () if it can."""
        telemetry = self._link.telemetry()
        reasons = list(self._readiness.reasons)
        if telemetry.state != LinkState.ARMED:
            reasons.insert(
                0, f"The robot is not armed ({_STATES[telemetry.state].lower()}). Arm it first."
            )
        if self.latest is None:
            reasons.append("There are no measurements yet. Wait for feedback from the robot.")
        return tuple(reasons)

    # --- commands (any thread)

    def set_scene(self, scene: Scene) -> None:
        """Change the scene; while the robot streams, values that can change in a run do so from the next period on."""
        self._commands.put(lambda: self._set_scene(scene))

    def steer(self, command: SteerCommand) -> None:
        """Apply a command of the operator at the controls, from the next period on."""
        self._commands.put(lambda: self._steer(command))

    def _put_unless_stopped(self, act: Callable[[int], None]) -> None:
        """Queue an action that is void if a stop is requested from now on."""
        stops = self._link.stop_count
        self._commands.put(lambda: act(stops))

    def arm(self) -> None:
        """Request torque, unless a reason in `not_ready` prevents it."""
        request = self._pending_torque.request()
        self._put_unless_stopped(lambda stops: self._arm(stops, request))

    def stream(self) -> None:
        """Make the armed robot follow the scene's gait or controller, in a new run."""
        self._put_unless_stopped(self._stream)

    def hold(self) -> None:
        """Bring a streaming robot to rest, armed; this ends the run."""
        self._put_unless_stopped(self._hold)

    def stop(self, reason: str = "Stopped by the operator.") -> None:
        """Stop the robot: the link gets the stop in this call, independently of the thread."""
        self._stop_reason = reason
        self._link.stop(reason)

    def disarm(self) -> None:
        """Request torque off in sequence; this ends the run."""
        self._commands.put(self._disarm)

    def reset(self) -> None:
        """Request the link to leave FAULT."""
        self._put_unless_stopped(self._reset)

    def note(self, text: str, severity: Severity = "info") -> None:
        """Add a note to the recording of the current run."""
        self._commands.put(lambda: self._report(text, severity, record_only=True))

    def close(self) -> None:
        """Stop a moving robot, and end the run and the thread. The link stays open."""
        if self.arming or self._link.telemetry().state in TORQUE:
            self.stop("Stopped because the program is closing.")
        self._commands.close()
        # The reason why the run ended belongs to its recording, and may be in the last telemetry.
        self._follow(self._link.telemetry(), self._clock())
        self._live_runs.close()
        if self._pose is not None:
            self._pose.close()
        self._readiness.close()

    def settle(self, timeout: float = 10.0) -> None:
        """Wait until all commands queued so far have been executed (for scripts and tests).

        Raises `TimeoutError` after `timeout` (s).
        """
        self._commands.settle(timeout)

    def tick(self) -> float:
        """Execute waiting commands and poll the robot once; return when the next call is due, s, monotonic."""
        return self._commands.tick()

    def try_tick(self) -> float:
        """Call `tick`; an error stops the robot instead of being raised."""
        return self._commands.try_tick()

    # --- the thread

    def _failed(self, error: BaseException) -> None:
        # The robot must not follow the last references of a dead thread, and the thread must not end.
        if (fault := fault_of(error)) is not None:
            self._link.stop(f"Stopped: {fault.message}")
            with contextlib.suppress(Exception):
                self._report(fault.message, "error")
            return
        log.exception("the live robot failed")
        self._link.stop("Stopped because of an internal error. Please report it.")
        with contextlib.suppress(Exception):
            self._report(
                "The live robot failed because of an internal error. Please report it.", "error"
            )

    def _refused(self, error: SnakeStudioError) -> None:
        self._report(str(error), "error", "refused")

    def _poll(self) -> float:
        """Poll the robot once and do what is due; return when the next call is due, s, monotonic."""
        now = self._clock()
        telemetry = self._link.telemetry()
        run = self._live_runs.run
        snapshot = self._live_runs.measure(telemetry, now)
        self._follow(telemetry, now)
        if run is None or snapshot is None:  # a scene without links
            return now + TICK_S
        self._check_needs(snapshot.valid)
        due = self._send_due(run, snapshot, now)
        if self._live_runs.run is not run:  # another run has begun meanwhile
            return now
        self._live_runs.record(telemetry, snapshot)
        return min(due, now + TICK_S)

    def _send_due(self, run: LiveRun, snapshot: Snapshot, now: float) -> float:
        """Send references if they are due; return when the next ones are, s, monotonic."""
        scheduler = run.reference_scheduler
        if scheduler is None or run.ended is not None:
            return math.inf
        if snapshot.time < 0.0:
            return run.begin
        if snapshot.valid & scheduler.controller.needs == scheduler.controller.needs:
            reference = scheduler.references(snapshot.time, snapshot)
            if reference is not None:
                self._send(run, reference)
        # Only after the references: those of a delayed thread may be in the past.
        if not run.stream_requested:
            run.stream_requested = True
            self._link.command("stream", stops=run.stops, plugins=_driving(self._scene))
        return run.begin + scheduler.next

    def _send(self, run: LiveRun, reference: JointReference) -> None:
        self._link.send(block_of(reference, run.begin, run.snapshot_builder.axis_map))
        if run.twin is not None:
            run.twin.follow(reference)

    # --- state of the link

    def _follow(self, telemetry: Telemetry, now: float) -> None:
        """React to the state of the link."""
        state = telemetry.state if self._link.alive else LinkState.DISCONNECTED
        before = self._state
        self._state = state
        self._pending_torque.follow(before, state)
        run = self._live_runs.run
        if run is None:
            return
        if self._live_runs.scheduler is not None:
            if state == LinkState.STREAMING:
                if not run.followed:
                    run.followed = True
                    run.note("Streaming started", "note", now)
            elif run.followed:
                self._end(run, state, telemetry, now)
            elif state != LinkState.ARMED or now - run.begin > BEGIN_S:
                why = telemetry.reason or "The link did not respond in time. Try again."
                self._end(run, state, telemetry, now)
                self._report(f"Streaming did not start: {why}", "error", "refused")
        elif before is not None and before != state:
            run.note(_STATES[state], "fault" if state == LinkState.FAULT else "note", now)
        self._live_runs.end_tail(now)

    def _end(self, run: LiveRun, state: LinkState, telemetry: Telemetry, now: float) -> None:
        """Record the end of streaming and its reason."""
        run.ended = now
        if state == LinkState.FAULT:
            reason = telemetry.reason or self._stop_reason or "Stopped."
            requested = bool(self._stop_reason) and reason == self._stop_reason
            run.note(reason, "note" if requested else "fault", now)
        elif not self._link.alive:
            run.note(
                "The link to the robot was lost because its process has ended or hangs.",
                "fault",
                now,
            )
        else:
            run.note(_STATES[state], "note", now)
        if run.twin is not None:
            run.twin.cease()

    def _check_needs(self, valid: Fields) -> None:
        """Update the reasons, and stop the robot if its controller no longer gets the fields that it needs."""
        missing = self._readiness.missing(self._scene, valid)
        if self._live_runs.scheduler is None:
            self._needed_pose_lost = False
        elif missing and not self._needed_pose_lost:
            self._needed_pose_lost = True
            self._stop_reason = ""
            self._link.stop(f"Stopped: {missing[0][:1].lower()}{missing[0][1:]}")

    def _report(
        self, text: str, severity: Severity, kind: str = "live", record_only: bool = False
    ) -> None:
        """Add an event to the recording of the current run, and pass it to `on_event`."""
        self._live_runs.note(text, "fault" if severity == "error" else "note")
        if not record_only:
            self._on_event(LinkEvent(self._clock(), severity, text, kind))

    # --- commands (`stops`: number of stops requested before the command)

    def _adopt(self, scene: Scene) -> None:
        """Adopt a scene, and start a new run that watches the robot."""
        self._scene = scene
        self._live_runs.close()
        self._readiness.judge(scene)
        self._live_runs.use(scene)

    def _set_scene(self, scene: Scene) -> None:
        before = self._scene
        run = self._live_runs.run
        scheduler = self._live_runs.scheduler
        now = self._clock()
        if scene == before:
            return
        if run is None or scheduler is None:
            if run is None or not self._live_runs.measures(scene):
                self._adopt(scene)
                return
            if not run.watched:
                self._scene = scene
                self._readiness.judge(self._scene)
                self._live_runs.watch(scene)
                return
            self._note_change(run, before, scene, now)
        else:
            # The start is the state of the robot when streaming began: it cannot change any more.
            current = scheduler.scene
            live, refused = live_scene(current, scene.model_copy(update={"start": current.start}))
            self._report_pending(scene, tuple(refused))
            if live != current:
                since = scheduler.apply(live, run.time(now))
                self._note_change(run, run.scene, live, run.begin + since)
                if run.twin is not None:
                    run.twin.apply(live)
        self._scene = scene
        self._readiness.judge(self._scene)

    def _report_pending(self, scene: Scene, keys: tuple[str, ...]) -> None:
        """Report once which values of a scene the stream does not apply, and when all are applied again."""
        before = self._pending_keys
        self._pending_keys = keys
        if keys and keys != before:
            labels = ", ".join(label_of(scene, key) for key in keys)
            self._report(
                f"{labels} cannot change while the robot streams. The change takes effect when streaming starts again.",
                "warning",
                "waiting",
            )
        elif before and not keys:
            self._report("The stream matches the scene again.", "info", "waiting")

    def _note_change(self, run: LiveRun, before: Scene, after: Scene, now: float) -> None:
        values = {key: tree(get_value(after, key)) for key in changed_keys(before, after)}
        run.recording.add_change(max(0.0, run.time(now)), values, after)
        run.scene = after

    def _steer(self, command: SteerCommand) -> None:
        run = self._live_runs.run
        scheduler = self._live_runs.scheduler
        if run is None or scheduler is None:
            return  # a robot at rest is not steered; every stream gets its first command when it starts
        now = self._clock()
        if scheduler.steer(command, run.time(now)) and not run.steered:
            run.steered = True
            run.note(command.note, "note", now)

    def _arm(self, stops: int, request: TorqueRequest) -> None:
        reasons = self.not_ready
        if reasons:
            self._report(f"The robot cannot be armed: {' '.join(reasons)}", "error", "refused")
            return
        self._readiness.judge(self._scene)
        self._live_runs.resume_watching(self._scene)
        self._pending_torque.pass_on(request)
        self._link.command("arm", stops=stops, plugins=_driving(self._scene))

    def _hold(self, stops: int) -> None:
        if self._link.telemetry().state == LinkState.STREAMING:
            self._stop_reason = ""
            # The command that arms a robot at rest holds a moving robot.
            self._link.command("arm", stops=stops)

    def _disarm(self) -> None:
        self._stop_reason = ""
        self._link.command("disarm")

    def _reset(self, stops: int) -> None:
        self._live_runs.resume_watching(self._scene)
        self._link.command("reset", stops=stops)

    def _stream(self, stops: int) -> None:
        latest = self.latest
        scene = self._scene
        if reasons := self._refusals():
            self._report(f"Streaming cannot start: {' '.join(reasons)}", "error", "refused")
            return
        assert latest is not None
        angles = np.where(np.isfinite(latest.joint_angle), latest.joint_angle, 0.0)
        start = with_start_at(scene, angles, latest.link_pose, Fields.POSE in latest.valid)
        scheduler = ReferenceScheduler(start, self._base_dir, self._link.profile.timing)
        self._stop_reason = ""
        self._pending_keys = ()
        path = self._new_run(start)
        run = self._live_runs.stream(start, self._clock() + LEAD_S, scheduler, path, stops)
        first = scheduler.references(0.0, latest)
        assert first is not None, "the first references are due immediately"
        self._send(run, first)


_STATES = {
    LinkState.DISCONNECTED: "Disconnected",
    LinkState.LISTENING: "Listening only",
    LinkState.IDLE: "Connected, torque off",
    LinkState.ARMED: "Armed: the joints hold their position",
    LinkState.STREAMING: "Streaming",
    LinkState.FAULT: "Stopped",
}


def _driving(scene: Scene) -> str:
    """Return the names of the plug-ins that command the joints, separated by commas."""
    return ",".join(plugin.name for plugin in driving_plugins(scene))
