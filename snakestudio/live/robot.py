"""The live robot as a source: a thread that makes snapshots of what the link hears, and references for it to send.

It is to a link what a session is to an engine: commands go into a queue, what there is to show is published by swapping
references (`latest`, `recording`), and events go to a callback. The thread is never in the way of the link's safety: if
it hangs, references run dry and the link stops the robot; `stop` does not go through it at all.

**Runs.** Time 0 is the begin of streaming: every stream is a run of its own, with a file. Before, what is measured goes
to a run in memory that keeps the last ten minutes or so. When streaming ends the run goes on for `TAIL_S`, so that one
sees what stopping does, and stays what is shown until the robot is reset, armed again or given another scene.
"""

from __future__ import annotations

import logging
import math
import queue
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from snakestudio.errors import SceneError, SnakeStudioError
from snakestudio.link.base import Link
from snakestudio.link.messages import LinkEvent, LinkState, Severity, Telemetry
from snakestudio.live.body import Station, started_at, station_at
from snakestudio.live.measured import Measuring
from snakestudio.live.pose_source import PoseSource
from snakestudio.live.readiness import needs_of, scene_problems, unmet
from snakestudio.live.referencing import Referencing, block_of
from snakestudio.live.run import LiveRun
from snakestudio.live.twin import Loading, Twin
from snakestudio.model.edits import changed_keys, get_value, tree
from snakestudio.model.pose import initial_state
from snakestudio.model.recording import Recording
from snakestudio.model.reference import JointReference
from snakestudio.model.scene import Scene
from snakestudio.model.snapshot import Fields, Snapshot
from snakestudio.model.teleop import TeleopCommand
from snakestudio.session.recording import SpooledRecording
from snakestudio.session.run_file import Origin
from snakestudio.session.taken_over import taken_over

__all__ = ["LiveEvent", "LiveRobot"]

log = logging.getLogger(__name__)

LiveEvent = LinkEvent
"""Something rare that happened to the live source itself; what happened to the link is in `Link.events`."""

TICK_S = 0.01
"""How often there is a new snapshot, s."""

LEAD_S = 0.05
"""From the first references to time 0 of the run, when the link is told to follow them, s: it has them by then."""

BEGIN_S = 2.0
"""Time in which the link must begin to stream, s."""

TAIL_S = 5.0
"""How long a run goes on when streaming has ended, s."""


@dataclass(frozen=True, slots=True)
class _Standing:
    """What keeps the robot from being armed, as found last."""

    of_scene: tuple[str, ...] = ()
    of_controller: tuple[str, ...] = ()
    needs: Fields = Fields.NONE


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

    Attributes
    ----------
    recording : SpooledRecording or None
        Of the present run.
    latest : Snapshot or None
        Newest state: another object whenever there is a newer one.

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
        self._link, self._profile = link, link.profile
        self._base_dir = base_dir
        self._new_run, self._on_event = new_run, on_event
        self._pose, self._wants_twin, self._clock = pose, twin, clock
        self._commands: queue.SimpleQueue[Callable[[], None]] = queue.SimpleQueue()
        self._closing = False
        self._stopped_by = ""
        self._state: LinkState | None = None
        self._needed_pose_lost = False
        self._run: LiveRun | None = None
        self._standing = _Standing()
        self._loading: Loading | None = None
        self._loaded_kind = ""
        self.recording: SpooledRecording | None = None
        self.latest: Snapshot | None = None
        self._twin_recording: Callable[[], Recording | None] = lambda: None
        if pose is not None:
            pose.begin(scene.robot.n_links)
        self._scene = scene
        self._measuring: Measuring | None = None
        self._use(scene)
        self._thread: threading.Thread | None = None
        if threaded:
            self._thread = threading.Thread(target=self._work, name="snakestudio-live", daemon=True)
            self._thread.start()

    # --- what there is to see (any thread)

    @property
    def telemetry(self) -> Telemetry:
        """What the link knows now."""
        return self._link.telemetry()

    @property
    def twin(self) -> Recording | None:
        """Of the simulation alongside; None if there is none."""
        return self._twin_recording()

    @property
    def streaming(self) -> bool:
        """Whether the robot follows references of this source."""
        run = self._run
        return run is not None and run.followed and run.ended is None

    @property
    def deviation(self) -> float:
        """Root mean square of the joint angles against the twin over the present run, rad; NaN if there is none."""
        run = self._run
        return math.nan if run is None else run.deviation

    @property
    def not_ready(self) -> tuple[str, ...]:
        """What keeps the robot from being armed, a sentence each; () if nothing does."""
        standing = self._standing
        own = (*standing.of_scene, *standing.of_controller)
        if self._loading is not None and self._loading.going_on:
            own += ("The engine of the simulation alongside is being loaded: wait a moment.",)
        return (*self._link.telemetry().not_ready, *own)

    # --- commands (any thread)

    def set_scene(self, scene: Scene) -> None:
        """Drive by another scene: while it streams, what can change in a run does so from the next period on."""
        self._commands.put(lambda: self._do_set_scene(scene))

    def steer(self, command: TeleopCommand) -> None:
        """A command of somebody at the controls; holds from the next period on."""
        self._commands.put(lambda: self._do_steer(command))

    def arm(self) -> None:
        """Ask for torque, if nothing keeps the robot from it."""
        self._commands.put(self._do_arm)

    def stream(self) -> None:
        """Have the armed robot follow the scene's gait or controller: a new run begins."""
        self._commands.put(self._do_stream)

    def hold(self) -> None:
        """Have a streaming robot come to rest, armed; ends a run."""
        self._commands.put(self._do_hold)

    def stop(self, reason: str = "Stopped by the operator.") -> None:
        """Stop the robot: the link is told in this call, whatever else this source is doing."""
        self._stopped_by = reason
        self._link.stop(reason)

    def disarm(self) -> None:
        """Ask for torque off, in order; ends a run."""
        self._commands.put(self._do_disarm)

    def reset(self) -> None:
        """Have the link leave FAULT."""
        self._commands.put(self._do_reset)

    def note(self, text: str, severity: Severity = "info") -> None:
        """Have a remark in the recording of the present run."""
        self._commands.put(lambda: self._tell(text, severity, record_only=True))

    def close(self) -> None:
        """End the run and the thread; a robot that moves is stopped before. The link stays open."""
        if self._link.telemetry().state >= LinkState.ARMED and self._link.telemetry().state != LinkState.FAULT:
            self.stop("Stopped, as the program closes.")
        self._closing = True
        self._commands.put(lambda: None)
        if self._thread is not None:
            self._thread.join()
        if self._run is not None:
            self._run.close()
        if self._pose is not None:
            self._pose.close()
        if self._loading is not None:
            self._loading.close()

    @property
    def refuses_start(self) -> str:
        """Why somebody else may not start the robot now; "" if it may: it was armed by hand, here, and stands."""
        telemetry = self._link.telemetry()
        if not self._link.alive or telemetry.state != LinkState.ARMED:
            return "the robot is not armed; it is armed by hand, where it is, and by nobody else"
        return ""

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
                # A defect must not leave a robot following the last references of a dead thread.
                log.exception("the live source failed")
                self._link.stop("Stopped, as the program failed by a defect; please report this.")
                self._tell("The live source failed by a defect of the program; please report this.", "error")
                due = self._clock() + 0.5
            try:
                command = self._commands.get(timeout=max(0.0005, due - self._clock()))
                self._carry_out(command)
            except queue.Empty:
                continue

    def _carry_out(self, command: Callable[[], None]) -> None:
        try:
            command()
        except SnakeStudioError as error:
            self._tell(str(error), "error", "refused")

    def tick(self) -> float:
        """Carry out what waits and look at the robot once; gives when it wants to be called again, s, monotonic."""
        while not self._commands.empty():
            self._carry_out(self._commands.get())
        now = self._clock()
        telemetry = self._link.telemetry()
        run, measuring = self._run, self._measuring
        if run is None or measuring is None:  # a scene without links
            self._follow(telemetry, now)
            return now + TICK_S
        tracked = None if self._pose is None else self._pose.latest
        snapshot = measuring.snapshot(telemetry, tracked, run.time(now), now)
        self._follow(telemetry, now)
        self._see_to_needs(snapshot.valid)
        due = self._refer(run, snapshot, now)
        if self._run is not run:  # another one has begun meanwhile
            return now
        age = math.nan if tracked is None else now - tracked.time
        self.latest = run.take(telemetry, snapshot, age)
        if run.full:
            self._run = run.renewed()
            self.recording = self._run.recording
        return min(due, now + TICK_S)

    def _refer(self, run: LiveRun, snapshot: Snapshot, now: float) -> float:
        """Send what is due; gives when that is again, s, monotonic."""
        referencing = run.referencing
        if referencing is None or run.ended is not None:
            return math.inf
        if snapshot.time < 0.0:
            return run.begin
        if not run.asked:
            run.asked = True
            self._link.command("stream")
        if snapshot.valid & referencing.controller.needs == referencing.controller.needs:
            reference = referencing.references(snapshot.time, snapshot)
            if reference is not None:
                self._send(run, reference)
        return run.begin + referencing.next

    def _send(self, run: LiveRun, reference: JointReference) -> None:
        self._link.send(block_of(reference, run.begin, run.measuring.axes))
        if run.twin is not None:
            run.twin.follow(reference)

    # --- what happens to the robot

    def _follow(self, telemetry: Telemetry, now: float) -> None:
        """Notice in which state the link is."""
        state = telemetry.state if self._link.alive else LinkState.DISCONNECTED
        before, self._state = self._state, state
        run = self._run
        if run is None:
            return
        if run.referencing is not None and run.ended is None:
            if state == LinkState.STREAMING:
                if not run.followed:
                    run.followed = True
                    run.note("Streaming begins", "note", now)
            elif run.followed:
                self._end(run, state, telemetry, now)
            elif state != LinkState.ARMED or now - run.begin > BEGIN_S:
                why = telemetry.reason or "the link did not begin to stream; see its events"
                self._end(run, state, telemetry, now)
                self._tell(f"Streaming did not begin: {why}", "error", "refused")
        elif before is not None and before != state:
            run.note(_STATES[state], "fault" if state == LinkState.FAULT else "note", now)
        if run.ended is not None and now - run.ended > TAIL_S:
            run.close()

    def _end(self, run: LiveRun, state: LinkState, telemetry: Telemetry, now: float) -> None:
        """Streaming has ended: say why."""
        run.ended = now
        if state == LinkState.FAULT:
            reason = telemetry.reason or self._stopped_by or "Stopped."
            wanted = bool(self._stopped_by) and reason == self._stopped_by
            run.note(reason, "note" if wanted else "fault", now)
        elif not self._link.alive:
            run.note("The link to the robot is gone: its process has ended or hangs.", "fault", now)
        else:
            run.note(_STATES[state], "note", now)
        if run.twin is not None:
            run.twin.cease()

    def _see_to_needs(self, valid: Fields) -> None:
        """Keep the reasons up to date, and stop a controller that does not get any more what it needs."""
        standing, run = self._standing, self._run
        missing = unmet(self._scene, standing.needs, valid, self._pose)
        if missing != standing.of_controller:
            self._standing = _Standing(standing.of_scene, missing, standing.needs)
        if run is None or run.referencing is None or run.ended is not None:
            self._needed_pose_lost = False
        elif missing and not self._needed_pose_lost:
            self._needed_pose_lost = True
            self._stopped_by = ""
            self._link.stop(f"Stopped: {missing[0][:1].lower()}{missing[0][1:]}")

    def _tell(self, text: str, severity: Severity, kind: str = "live", record_only: bool = False) -> None:
        now = self._clock()
        run = self._run
        if run is not None:
            run.note(text, "fault" if severity == "error" else "note", now)
        if not record_only:
            self._on_event(LiveEvent(now, severity, text, kind))

    # --- carrying out commands

    def _use(self, scene: Scene) -> None:
        """Turn to a scene, and begin to watch the robot anew."""
        before, self._scene = self._scene, scene
        if self._run is not None:
            self._run.close()
        self._judge()
        if scene.model.continuum:
            self._run = self._measuring = self.recording = self.latest = None
            return
        if self._pose is not None and before.robot.n_links != scene.robot.n_links:
            self._pose.begin(scene.robot.n_links)
        station = self._station(scene)
        self._measuring = Measuring(self._profile, scene, station, self._profile.timing.lost_s)
        self._watch()

    def _station(self, scene: Scene) -> Station:
        """Where the robot is drawn as long as nobody sees it."""
        try:
            return station_at(initial_state(scene, self._base_dir)[0], not scene.model.spatial)
        except SceneError:  # it is among the reasons why the robot cannot be armed
            return Station(np.zeros(2), 0.0, not scene.model.spatial)

    def _judge(self) -> None:
        """Find what of the scene keeps the robot from being armed."""
        scene = self._scene
        problems = scene_problems(self._profile, scene, self._base_dir, self._wants_twin)
        try:
            needs = Fields.NONE if scene.model.continuum else needs_of(scene, self._base_dir)
        except SnakeStudioError:
            needs = Fields.NONE  # it is among the problems
        self._standing = _Standing(problems, self._standing.of_controller, needs)
        if self._wants_twin and not problems and self._loaded_kind != scene.model.kind:
            if self._loading is not None:
                self._loading.close()
            self._loaded_kind, self._loading = scene.model.kind, Loading(scene, self._base_dir)

    def _watch(self) -> None:
        """Begin a run in memory of what is measured."""
        assert self._measuring is not None
        if self._run is not None:
            self._run.close()
        self._twin_recording = lambda: None
        self._run = LiveRun(self._profile, self._scene, self._clock(), self._measuring, self._pose is not None)
        self.recording = self._run.recording

    def _do_set_scene(self, scene: Scene) -> None:
        before, run, now = self._scene, self._run, self._clock()
        if scene == before:
            return
        moving = run is not None and run.referencing is not None and run.ended is None
        if not moving or run is None or run.referencing is None:
            if scene.robot != before.robot or scene.model != before.model or scene.run != before.run or run is None:
                self._use(scene)
                return
            if not run.watched:
                self._scene = scene
                self._judge()
                self._watch()
                return
            self._note_change(run, before, scene, now)
        else:
            going = run.referencing.scene  # its start is how the robot lay, and concerns nobody any more
            live, refused = taken_over(going, scene.model_copy(update={"start": going.start}))
            if refused:
                self._tell(
                    f"{', '.join(refused)}: this cannot change while the robot streams; it holds from the next stream "
                    "on.", "warning",
                )  # fmt: skip
            if live != going:
                since = run.referencing.apply(live, run.time(now))
                self._note_change(run, run.scene, live, run.begin + since)
                if run.twin is not None:
                    run.twin.apply(live)
        self._scene = scene
        self._judge()

    def _note_change(self, run: LiveRun, before: Scene, after: Scene, now: float) -> None:
        values = {key: tree(get_value(after, key)) for key in changed_keys(before, after)}
        run.recording.add_change(max(0.0, run.time(now)), values, after)
        run.scene = after

    def _do_steer(self, command: TeleopCommand) -> None:
        run = self._run
        if run is None or run.referencing is None or run.ended is not None:
            return  # nobody is at the controls of a robot that stands; the first command of a stream comes with it
        now = self._clock()
        if run.referencing.steer(command, run.time(now)) and not run.steered:
            run.steered = True
            run.note("The robot is steered by hand", "note", now)

    def _do_arm(self) -> None:
        reasons = self.not_ready
        if reasons:
            self._tell(f"The robot cannot be armed: {' '.join(reasons)}", "error", "refused")
            return
        self._judge()
        if self._run is not None and not self._run.watched:
            self._watch()
        self._link.command("arm")

    def _do_hold(self) -> None:
        if self._link.telemetry().state == LinkState.STREAMING:
            self._stopped_by = ""
            self._link.command("arm")  # what arms a robot that stands holds one that moves

    def _do_disarm(self) -> None:
        self._stopped_by = ""
        self._link.command("disarm")

    def _do_reset(self) -> None:
        if self._run is not None and not self._run.watched:
            self._watch()
        self._link.command("reset")

    def _do_stream(self) -> None:
        telemetry, latest, scene = self._link.telemetry(), self.latest, self._scene
        reasons = [*self._standing.of_scene, *self._standing.of_controller]
        if telemetry.state != LinkState.ARMED:
            reasons.insert(0, f"The robot is not armed ({_STATES[telemetry.state].lower()}): arm it first.")
        if latest is None or self._measuring is None:
            reasons.append("Nothing was measured yet.")
        if reasons:
            self._tell(f"Streaming cannot begin: {' '.join(reasons)}", "error", "refused")
            return
        assert latest is not None
        assert self._measuring is not None
        angles = np.where(np.isfinite(latest.joint_angle), latest.joint_angle, 0.0)
        start = started_at(scene, angles, latest.link_pose, Fields.POSE in latest.valid)
        referencing = Referencing(start, self._base_dir, self._profile.timing)
        self._stopped_by = ""
        path = self._new_run(start)
        begin = self._clock() + LEAD_S
        twin = self._new_twin(start, begin)
        if self._run is not None:
            self._run.close()
        self._run = run = LiveRun(
            self._profile, start, begin, self._measuring, self._pose is not None, path, Origin(base_dir=self._base_dir),
            referencing, twin,
        )  # fmt: skip
        self.recording = run.recording
        first = referencing.references(0.0, latest)
        assert first is not None, "the first references are due at once"
        self._send(run, first)

    def _new_twin(self, scene: Scene, begin: float) -> Twin | None:
        if not self._wants_twin:
            self._twin_recording = lambda: None
            return None
        twin = Twin(
            scene,
            self._base_dir,
            lambda: self._clock() - begin,
            lambda sentence: self._tell(sentence, "warning", "twin"),
        )
        self._twin_recording = lambda: twin.recording
        return twin


_STATES = {
    LinkState.DISCONNECTED: "Disconnected",
    LinkState.LISTENING: "Listening only",
    LinkState.IDLE: "Connected, torque off",
    LinkState.ARMED: "Armed: the joints hold where they stand",
    LinkState.STREAMING: "Streaming",
    LinkState.FAULT: "Stopped",
}
