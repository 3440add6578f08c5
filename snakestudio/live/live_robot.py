"""The live robot as a source: a thread that makes snapshots of what the link hears, and references for it to send.

It is to a link what a session is to an engine: commands go into a queue (`CommandQueue`), what
there is to show is published by swapping references (`latest`, `recording`), and events go to a
callback. The thread is never in the way of the link's safety: if it hangs, references run dry and
the link stops the robot; `stop` does not go through it at all.

`LiveRobot` decides what the robot is told: whether it may be armed, which references it follows,
what a new scene changes. What is measured and recorded meanwhile is the part of `LiveRuns`.
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
from snakestudio.live.base_pose import started_at
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
"""How often there is a new snapshot, s."""

LEAD_S = 0.05
"""From the first references to time 0 of the run, when the link is told to follow them, s: it has
them by then."""

BEGIN_S = 2.0
"""Time in which the link must begin to stream, s."""

_SILENT = "The link to the robot gives no sign of life. Wait until it responds, or disconnect."

LiveEvent = LinkEvent
"""Something rare that happened to the live source itself; what happened to the link is in
`Link.events`."""


class LiveRobot:
    """A robot on a link, driven by a scene's gait or controller. `link` stays its owner's; so do its events.

    Raises `LinkError` if the pose source cannot be listened to.

    Parameters
    ----------
    link : Link
        Connected or not.
    base_dir : path, optional
        What relative paths in the scene are relative to.
    new_run : callable
        Says for every stream that begins which run file it shall be recorded to; None if it is not
        kept. Called on the worker's thread.
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
        self._commands = CommandQueue(self._look, self._refused, self._failed, clock)
        self._pending_torque = PendingTorque(link, clock)
        self._state: LinkState | None = None
        self._needed_pose_lost = False
        self._readiness = SceneReadiness(link.profile, base_dir, pose, with_twin=twin)
        self._stopped_by = ""  # why somebody here had the robot stopped since it last moved
        self._waiting: tuple[str, ...] = ()  # keys that the stream does not take over
        self._live_runs = LiveRuns(
            link.profile,
            base_dir,
            pose,
            with_twin=twin,
            warn=lambda sentence: self._tell(sentence, "warning", "twin"),
            clock=clock,
        )
        self._live_runs.listen(scene.robot.n_links)
        self._scene = scene
        self._use(scene)
        if threaded:
            self._commands.start()

    # --- what there is to see (any thread)

    @property
    def telemetry(self) -> Telemetry:
        """What the link knows now."""
        return self._link.telemetry()

    @property
    def recording(self) -> RunRecording | None:
        """Of the present run."""
        return self._live_runs.recording

    @property
    def latest(self) -> Snapshot | None:
        """Newest state: another object whenever there is a newer one."""
        return self._live_runs.latest

    @property
    def twin(self) -> Recording | None:
        """Of the simulated twin; None if there is none."""
        return self._live_runs.twin

    @property
    def streaming(self) -> bool:
        """Whether the robot follows references of this source."""
        run = self._live_runs.run
        return run is not None and run.followed and run.ended is None

    @property
    def deviation(self) -> float:
        """Root mean square of the joint angles against the twin over the present run, rad; NaN if there is none."""
        run = self._live_runs.run
        return math.nan if run is None else run.deviation

    @property
    def not_ready(self) -> tuple[str, ...]:
        """What keeps the robot from being armed, a sentence each; () if nothing does.

        All there is: what the link has against it, by its telemetry, and what scene, controller and
        twin have.
        """
        told = self._link.telemetry().not_ready or (() if self._link.alive else (_SILENT,))
        return tuple(dict.fromkeys((*told, *self._readiness.not_ready)))

    @property
    def arming(self) -> bool:
        """Whether torque may be coming on, for it was asked for; see `PendingTorque.pending`."""
        return self._pending_torque.pending

    @property
    def refuses_start(self) -> str:
        """Why somebody else may not start the robot now; "" if it may: it was armed by hand, here, and stands."""
        state = self._link.telemetry().state if self._link.alive else LinkState.DISCONNECTED
        if state == LinkState.STREAMING:
            return "the robot is already moving"
        if state != LinkState.ARMED:
            return "the robot is not armed; it can be armed only by hand, at the robot"
        reasons = " ".join(self._refusals()).rstrip(".")
        return reasons[:1].lower() + reasons[1:]

    def _refusals(self) -> tuple[str, ...]:
        """Why streaming cannot begin now, a sentence each; () if it can."""
        telemetry = self._link.telemetry()
        reasons = list(self._readiness.reasons)
        if telemetry.state != LinkState.ARMED:
            reasons.insert(
                0, f"The robot is not armed ({_STATES[telemetry.state].lower()}). Arm it first."
            )
        if self.latest is None:
            reasons.append("There are no measurements yet. Wait for feedback of the robot.")
        return tuple(reasons)

    # --- commands (any thread)

    def set_scene(self, scene: Scene) -> None:
        """Drive by another scene: while it streams, what can change in a run does so from the next period on."""
        self._commands.put(lambda: self._set_scene(scene))

    def steer(self, command: SteerCommand) -> None:
        """A command of somebody at the controls; holds from the next period on."""
        self._commands.put(lambda: self._steer(command))

    def _begin(self, act: Callable[[int], None]) -> None:
        """Have something carried out that is void once a stop was asked for after now."""
        stops = self._link.stop_count
        self._commands.put(lambda: act(stops))

    def arm(self) -> None:
        """Ask for torque, if nothing keeps the robot from it."""
        request = self._pending_torque.request()
        self._begin(lambda stops: self._arm(stops, request))

    def stream(self) -> None:
        """Have the armed robot follow the scene's gait or controller: a new run begins."""
        self._begin(self._stream)

    def hold(self) -> None:
        """Have a streaming robot come to rest, armed; ends a run."""
        self._begin(self._hold)

    def stop(self, reason: str = "Stopped by the operator.") -> None:
        """Stop the robot: the link is told in this call, whatever else this source is doing."""
        self._stopped_by = reason
        self._link.stop(reason)

    def disarm(self) -> None:
        """Ask for torque off, in order; ends a run."""
        self._commands.put(self._disarm)

    def reset(self) -> None:
        """Have the link leave FAULT."""
        self._begin(self._reset)

    def note(self, text: str, severity: Severity = "info") -> None:
        """Have a remark in the recording of the present run."""
        self._commands.put(lambda: self._tell(text, severity, record_only=True))

    def close(self) -> None:
        """End the run and the thread; a robot that moves is stopped before. The link stays open."""
        if self.arming or self._link.telemetry().state in TORQUE:
            self.stop("Stopped because the program closes.")
        self._commands.close()
        # Why the run ended belongs to it, and what the link said last may be news.
        self._follow(self._link.telemetry(), self._clock())
        self._live_runs.close()
        if self._pose is not None:
            self._pose.close()
        self._readiness.close()

    def settle(self, timeout: float = 10.0) -> None:
        """Wait until all commands given so far were carried out (for scripts and tests).

        Raises `TimeoutError` if they were not in time (s).
        """
        self._commands.settle(timeout)

    def tick(self) -> float:
        """Carry out what waits and look at the robot once; gives when it wants to be called again, s, monotonic."""
        return self._commands.tick()

    def turn(self) -> float:
        """Like `tick`, but an error stops the robot and is not raised."""
        return self._commands.turn()

    # --- the thread

    def _failed(self, error: BaseException) -> None:
        """A defect must neither leave a robot following the last references of a dead thread nor end the thread."""
        if (fault := fault_of(error)) is not None:
            self._link.stop(f"Stopped: {fault.message}")
            with contextlib.suppress(Exception):
                self._tell(fault.message, "error")
            return
        log.exception("the live source failed")
        self._link.stop("Stopped because of an internal error. Please report it.")
        with contextlib.suppress(Exception):
            self._tell(
                "The live robot failed because of an internal error. Please report it.", "error"
            )

    def _refused(self, error: SnakeStudioError) -> None:
        self._tell(str(error), "error", "refused")

    def _look(self) -> float:
        """Look at the robot once, and do what is due; gives when it wants to be called again, s, monotonic."""
        now = self._clock()
        telemetry = self._link.telemetry()
        run = self._live_runs.run
        snapshot = self._live_runs.measure(telemetry, now)
        self._follow(telemetry, now)
        if run is None or snapshot is None:  # a scene without links
            return now + TICK_S
        self._see_to_needs(snapshot.valid)
        due = self._refer(run, snapshot, now)
        if self._live_runs.run is not run:  # another one has begun meanwhile
            return now
        self._live_runs.record(telemetry, snapshot)
        return min(due, now + TICK_S)

    def _refer(self, run: LiveRun, snapshot: Snapshot, now: float) -> float:
        """Send what is due; gives when that is again, s, monotonic."""
        scheduler = run.reference_scheduler
        if scheduler is None or run.ended is not None:
            return math.inf
        if snapshot.time < 0.0:
            return run.begin
        if snapshot.valid & scheduler.controller.needs == scheduler.controller.needs:
            reference = scheduler.references(snapshot.time, snapshot)
            if reference is not None:
                self._send(run, reference)
        if (
            not run.asked
        ):  # after the references: a thread that was held up has none before them that are not over
            run.asked = True
            self._link.command("stream", stops=run.stops, plugins=_driving(self._scene))
        return run.begin + scheduler.next

    def _send(self, run: LiveRun, reference: JointReference) -> None:
        self._link.send(block_of(reference, run.begin, run.snapshot_builder.axis_map))
        if run.twin is not None:
            run.twin.follow(reference)

    # --- what happens to the robot

    def _follow(self, telemetry: Telemetry, now: float) -> None:
        """Notice in which state the link is."""
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
                    run.note("Streaming begins", "note", now)
            elif run.followed:
                self._end(run, state, telemetry, now)
            elif state != LinkState.ARMED or now - run.begin > BEGIN_S:
                why = telemetry.reason or "The link did not carry it out in time. Try again."
                self._end(run, state, telemetry, now)
                self._tell(f"Streaming did not begin: {why}", "error", "refused")
        elif before is not None and before != state:
            run.note(_STATES[state], "fault" if state == LinkState.FAULT else "note", now)
        self._live_runs.end_tail(now)

    def _end(self, run: LiveRun, state: LinkState, telemetry: Telemetry, now: float) -> None:
        """Streaming has ended: say why."""
        run.ended = now
        if state == LinkState.FAULT:
            reason = telemetry.reason or self._stopped_by or "Stopped."
            wanted = bool(self._stopped_by) and reason == self._stopped_by
            run.note(reason, "note" if wanted else "fault", now)
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

    def _see_to_needs(self, valid: Fields) -> None:
        """Keep the reasons up to date, and stop a controller that does not get any more what it needs."""
        missing = self._readiness.missing(self._scene, valid)
        if self._live_runs.scheduler is None:
            self._needed_pose_lost = False
        elif missing and not self._needed_pose_lost:
            self._needed_pose_lost = True
            self._stopped_by = ""
            self._link.stop(f"Stopped: {missing[0][:1].lower()}{missing[0][1:]}")

    def _tell(
        self, text: str, severity: Severity, kind: str = "live", record_only: bool = False
    ) -> None:
        """Say something, in the recording of the present run and to whoever listens."""
        self._live_runs.note(text, "fault" if severity == "error" else "note")
        if not record_only:
            self._on_event(LinkEvent(self._clock(), severity, text, kind))

    # --- carrying out commands (`stops`: how many there had been when it was asked for)

    def _use(self, scene: Scene) -> None:
        """Turn to a scene, and begin to watch the robot anew."""
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
                self._use(scene)
                return
            if not run.watched:
                self._scene = scene
                self._readiness.judge(self._scene)
                self._live_runs.watch(scene)
                return
            self._note_change(run, before, scene, now)
        else:
            # its start is how the robot lay, and concerns nobody any more
            going = scheduler.scene
            live, refused = live_scene(going, scene.model_copy(update={"start": going.start}))
            self._tell_waiting(scene, tuple(refused))
            if live != going:
                since = scheduler.apply(live, run.time(now))
                self._note_change(run, run.scene, live, run.begin + since)
                if run.twin is not None:
                    run.twin.apply(live)
        self._scene = scene
        self._readiness.judge(self._scene)

    def _tell_waiting(self, scene: Scene, keys: tuple[str, ...]) -> None:
        """Say once which values of a scene the stream does not take over, and when there are none any more."""
        before = self._waiting
        self._waiting = keys
        if keys and keys != before:
            called = ", ".join(label_of(scene, key) for key in keys)
            self._tell(
                f"{called} cannot change while the robot streams. The change takes effect with the next stream.",
                "warning",
                "waiting",
            )
        elif before and not keys:
            self._tell("The stream matches the scene again.", "info", "waiting")

    def _note_change(self, run: LiveRun, before: Scene, after: Scene, now: float) -> None:
        values = {key: tree(get_value(after, key)) for key in changed_keys(before, after)}
        run.recording.add_change(max(0.0, run.time(now)), values, after)
        run.scene = after

    def _steer(self, command: SteerCommand) -> None:
        run = self._live_runs.run
        scheduler = self._live_runs.scheduler
        if run is None or scheduler is None:
            return  # nobody is at the controls of a robot that stands; the first command of a stream comes with it
        now = self._clock()
        if scheduler.steer(command, run.time(now)) and not run.steered:
            run.steered = True
            run.note(command.note, "note", now)

    def _arm(self, stops: int, request: TorqueRequest) -> None:
        reasons = self.not_ready
        if reasons:
            self._tell(f"The robot cannot be armed: {' '.join(reasons)}", "error", "refused")
            return
        self._readiness.judge(self._scene)
        self._live_runs.watch_again(self._scene)
        self._pending_torque.pass_on(request)
        self._link.command("arm", stops=stops, plugins=_driving(self._scene))

    def _hold(self, stops: int) -> None:
        if self._link.telemetry().state == LinkState.STREAMING:
            self._stopped_by = ""
            # what arms a robot that stands holds one that moves
            self._link.command("arm", stops=stops)

    def _disarm(self) -> None:
        self._stopped_by = ""
        self._link.command("disarm")

    def _reset(self, stops: int) -> None:
        self._live_runs.watch_again(self._scene)
        self._link.command("reset", stops=stops)

    def _stream(self, stops: int) -> None:
        latest = self.latest
        scene = self._scene
        if reasons := self._refusals():
            self._tell(f"Streaming cannot begin: {' '.join(reasons)}", "error", "refused")
            return
        assert latest is not None
        angles = np.where(np.isfinite(latest.joint_angle), latest.joint_angle, 0.0)
        start = started_at(scene, angles, latest.link_pose, Fields.POSE in latest.valid)
        scheduler = ReferenceScheduler(start, self._base_dir, self._link.profile.timing)
        self._stopped_by = ""
        self._waiting = ()
        path = self._new_run(start)
        run = self._live_runs.stream(start, self._clock() + LEAD_S, scheduler, path, stops)
        first = scheduler.references(0.0, latest)
        assert first is not None, "the first references are due at once"
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
    """Names of the plug-ins that say what the joints do, with commas between."""
    return ",".join(plugin.name for plugin in driving_plugins(scene))
