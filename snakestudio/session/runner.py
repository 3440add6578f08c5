"""The one tick that the window, the command line, sweeps and tests all run: reference, engine, recording, snapshot."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from snakestudio.control import registry as controllers
from snakestudio.control.base import Controller, OnePeriod, Steerable
from snakestudio.engines import registry as engines
from snakestudio.engines.base import Engine, StepReport
from snakestudio.engines.saved_state import check_checkpoint, check_reference, demand
from snakestudio.errors import MistakeError, PluginRuntimeError, SceneError, StateError
from snakestudio.kinds.formulation import FORMULATIONS
from snakestudio.kinds.plugin_kinds import plugin_records, plugins_in_use
from snakestudio.model.edits import changed_keys, get_value, tree, with_values
from snakestudio.model.events import Change, RunEvent
from snakestudio.model.pull import MOST_PULLS, Pull
from snakestudio.model.recording import Rows
from snakestudio.model.reference import Reference
from snakestudio.model.scene import PARTS_WITH_KINDS, Scene
from snakestudio.model.snapshot import Fields, Snapshot
from snakestudio.model.teleop import SteerCommand
from snakestudio.plugins.faults import calling
from snakestudio.plugins.watch import MemoryWatch
from snakestudio.plugins.watch import begin as begin_watching
from snakestudio.runfile.mcap.about import Origin
from snakestudio.runfile.recording import RunRecording
from snakestudio.runfile.run_events import EventDetector
from snakestudio.runfile.states import decode, encode
from snakestudio.session.live_edit import taken_over
from snakestudio.session.pulling import Grip, Spring, hold_steps
from snakestudio.session.run_schema import with_channels
from snakestudio.text import sentences

__all__ = ["Runner"]

MAX_PERIODS = 100
"""Control periods that are handed to an engine at once: enough to make the call's cost vanish,
little to hold."""

MAX_WAITING = 100
"""Rows that wait, at most, until they are handed to the recording together."""

KEEP_S = 1.0
"""Simulated time after which the full state is kept again, s; it also is where somebody reached
into the run."""

KEEP_SHARE = 0.005
"""Share of the engine's time that keeping states may take: where that is little, they lie further
apart than `KEEP_S`, and to compute again what lies between two of them still takes no longer than a
blink."""

Sink = Callable[[Reference], None]


class Runner:
    """A run that is advanced by whole time steps; not thread-safe.

    Raises `SceneError` if the scene cannot be run as it stands; every reason is listed.

    Parameters
    ----------
    base_dir : path, optional
        What relative paths in the scene are relative to.
    sinks : callables
        Each gets every block of references as it is made (the CAN link, for one).
    path : path, optional
        Run file to record to while the run goes; see `RunRecording`.
    scene_file : str
        Name of the scene's file, for the run file.
    checked : bool
        Whether `scene_check.check` has just found no error in it.
    """

    def __init__(
        self,
        scene: Scene,
        base_dir: Path | None = None,
        sinks: tuple[Sink, ...] = (),
        path: Path | None = None,
        scene_file: str = "",
        *,
        checked: bool = False,
    ) -> None:
        self._base_dir = base_dir
        self._plugins = plugins_in_use(scene)
        self._memory = MemoryWatch() if self._plugins else None
        if self._plugins:
            begin_watching()  # the standard output may be another one since they were loaded
        self.fault: PluginRuntimeError | None = None
        """What went wrong in a plug-in in the last call of `advance`."""
        # The controller first: a body's strain law and contacts are looked at there, and the engine
        # builds on them.
        self.controller = controllers.create(scene, base_dir, checked=checked)
        self.engine: Engine = engines.create(scene, base_dir, checked=checked)
        schema = with_channels(self.engine.schema, self.controller)
        self.recording = RunRecording(
            scene, schema, path, origin=Origin(scene_file, base_dir, plugins=plugin_records(scene))
        )
        self.scene = scene
        self.end_step = scene.n_steps
        self._closed_loop = self.controller.needs is not Fields.NONE
        """Whether the controller reads the robot's state."""
        self._step_s = scene.solver.step_s
        self._steps_per_row = 1.0 / (scene.run.log_rate_hz * scene.solver.step_s)
        self._waiting: list[Rows] = []
        self._said: list[NDArray[np.float64]] = []  # by the controller
        self._said_for: list[int] = []  # so many rows; the engine may have kept the last `_owed`
        self._waiting_rows = self._owed = 0
        begun = self.controller.checkpoint()
        if self._closed_loop:  # what it makes of the start belongs to the first row
            first = np.arange(scene.steps_per_period + 1, dtype=np.float64) * scene.solver.step_s
            self.controller.reference(first, self.engine.snapshot())
        self._watch = EventDetector(self.recording.schema, scene)
        self._record(self.engine.initial_rows())
        self._hand_on()
        self.latest: Snapshot = self._snapshot()
        self._latest_step = 0
        self.controller.restore(begun)
        self.engine_seconds = 0.0
        """Processor time the engine has taken so far, s."""
        self._sinks = sinks
        self._steps_per_period = scene.steps_per_period
        self._reference: Reference | None = None
        self._reference_end = 0
        self._reference_begin = 0
        self._next_row = 1
        self._last_row_step = 0
        self._keep_state = True  # a state of the very beginning, too
        self._kept_step = 0
        self._keep_after = 0.0  # the engine's time from which the next state is due
        self._keep_steps = max(1, round(KEEP_S / scene.solver.step_s))
        self._spring, self._hold_steps = Spring(scene), hold_steps(scene)
        self._grip: Grip | None = None
        self._pulling = False  # whether a hand has to be asked, also to let go
        self._pull: Pull | None = None  # what acts now
        self._steerable = self.controller if isinstance(self.controller, Steerable) else None
        self._steered = False

    @property
    def time(self) -> float:
        """Simulated time, s."""
        return self.engine.time

    @property
    def finished(self) -> bool:
        """Whether the run has reached its duration."""
        return self.engine.step_count >= self.end_step

    def extend(self) -> None:
        """Let a finished run go on for another duration."""
        self.end_step = self.engine.step_count + self.scene.n_steps

    def advance(self, n_steps: int) -> StepReport:
        """Take up to `n_steps` steps, stopping at the end of the run or at a failure.

        Where code of a plug-in fails, the run stands at the last border of a control period that it
        reached, and can be continued once the plug-in is fixed; `fault` says what happened.

        Returns
        -------
        StepReport
            Of the last call into the engine; its rows are in the recording already.
        """
        self.fault = None
        try:
            with calling():
                return self._advance(n_steps)
        except PluginRuntimeError as fault:
            return self._stopped_by(fault)
        except MistakeError as error:
            name = FORMULATIONS.source(self.scene.model.kind)
            if not name:
                raise
            text = sentences(f"the plug-in {name} failed: {error.message}", error.remedy)
            return self._stopped_by(PluginRuntimeError(name, text))

    def _stopped_by(self, fault: PluginRuntimeError) -> StepReport:
        """Stand still where code of a plug-in failed, with all rows until then."""
        self.fault = fault
        if self._owed and self._reference is not None:
            with suppress(Exception):  # an engine that failed itself has none to hand over
                self._record(self.engine.advance(self._reference, 0, (), True).rows)
        self._hand_on()
        self.recording.add_event(RunEvent(self.time, "fault", fault.message))
        self.note_events()
        with suppress(Exception):
            self.latest = self._snapshot()
            self._latest_step = self.engine.step_count
        nothing = self.recording.rows(0, 1).slice(0, 0)
        return StepReport(False, fault.message, 0, 0.0, 0, 0, nothing)

    def _advance(self, n_steps: int) -> StepReport:
        remaining = min(n_steps, self.end_step - self.engine.step_count)
        report: StepReport | None = None
        if self._keep_state:
            self._keep()
        while report is None or (report.ok and remaining > 0):
            now = self.engine.step_count
            if self._memory is not None:
                self._memory.look()
            if self._reference is None or now >= self._reference_end:
                self._make_reference(now, remaining)
            assert self._reference is not None
            steps = min(remaining, self._reference_end - now)
            if self._pulling:
                steps = min(steps, self._renew_pull(now))
            rows = self._rows_until(now + steps)
            started = time.thread_time()
            # A controller is shown the mean contact forces of a whole period, however it was cut up
            # for the display.
            go_on = self._closed_loop and self._underway(now)
            remaining -= steps
            later = remaining > 0 and self._waiting_rows + len(rows) < MAX_WAITING
            report = self.engine.advance(self._reference, steps, rows, go_on, later)
            self.engine_seconds += time.thread_time() - started
            self._record(report.rows, len(rows) if later and report.ok else 0)
            if report.ok and rows:
                self._last_row_step = rows[-1]
            elif len(report.rows):
                self._last_row_step = int(report.rows.steps[-1])
            since = self.engine.step_count - self._kept_step
            if report.ok and since >= self._keep_steps and self.engine_seconds >= self._keep_after:
                self._keep()
        self._hand_on()
        if not report.ok:
            self.recording.add_event(RunEvent(self.time, "fault", report.message))
        if self.finished or not report.ok:
            self.note_events()
        self.latest = self._snapshot()
        self._latest_step = self.engine.step_count
        return report

    def _underway(self, step: int) -> bool:
        """Whether `step` lies within what the present reference is for."""
        return self._reference_begin < step < self._reference_end

    def _record(self, rows: Rows, due: int = 0) -> None:
        """Take rows of the engine (it may keep those `due`) with what the controller says since it was last asked."""
        new = len(rows) - self._owed if len(rows) else due
        if not len(rows):
            self._owed += due
        else:
            self._owed = 0
            self._waiting.append(rows)
        if not new:
            return
        self._said.append(self.controller.values())
        self._said_for.append(new)
        self._waiting_rows += new
        if self._waiting_rows >= MAX_WAITING:
            self._hand_on()

    def _hand_on(self) -> None:
        """Append to the recording what waits: every row by itself would take longer than its period does."""
        if not self._waiting:
            return
        rows = Rows.concatenate(self._waiting)
        if len(self.controller.channels):
            own = np.repeat(np.array(self._said), self._said_for, axis=0)
            rows = replace(rows, extra=np.hstack([rows.extra, own]))
        self._waiting = []
        self._said = []
        self._said_for = []
        self._waiting_rows = 0
        self.recording.append(rows)
        for event in self._watch.feed(rows):
            self.recording.add_event(event)

    def note_events(self) -> None:
        """Look at the newest rows, too: events are otherwise found some rows at a time."""
        for event in self._watch.flush():
            self.recording.add_event(event)

    def _snapshot(self) -> Snapshot:
        """The present state, with what the controller has to say."""
        control = dict(
            zip(self.controller.channels, self.controller.values().tolist(), strict=True)
        )
        snapshot = self.engine.snapshot()
        return replace(snapshot, control=snapshot.control | control)

    def _make_reference(self, now: int, wanted: int) -> None:
        # An open-loop gait may be asked far ahead; a controller sees a fresh snapshot every period,
        # or what hands do.
        periods = 1
        if not (self._closed_loop or self._steerable or isinstance(self.controller, OnePeriod)):
            periods = min(max(1, math.ceil(wanted / self._steps_per_period)), MAX_PERIODS)
        steps = periods * self._steps_per_period
        knots = np.arange(now, now + steps + 1, dtype=np.float64) * self._step_s
        snapshot = None
        if self._closed_loop:
            known = self._latest_step == now
            snapshot = self.latest if known else self.engine.look()
        self._reference = self.controller.reference(knots, snapshot)
        self._reference_begin = now
        self._reference_end = now + steps
        for sink in self._sinks:
            sink(self._reference)

    def _rows_until(self, stop: int) -> tuple[int, ...]:
        """Step counts up to `stop` after which a row is due: the nearest to every multiple of the log interval."""
        due = []
        while (step := round(self._next_row * self._steps_per_row)) <= stop:
            due.append(step)
            self._next_row += 1
        if stop == self.end_step and (due[-1] if due else self._last_row_step) != stop:
            due.append(stop)
        return tuple(due)

    def pull(self, grip: Grip | None) -> None:
        """Hold a link there from the next border on at which forces are renewed; None lets go."""
        there = grip is not None and 0 <= grip.link < self.recording.schema.n_links
        self._grip = grip if there else None
        self._pulling = True

    def repeat(self, edit: Change | Pull) -> list[str]:
        """Make an edit of an earlier run again, at the present time.

        Raises `SceneError` if the robot has no such link.

        Returns
        -------
        list of str
            Dotted keys that cannot change while a run goes.
        """
        if isinstance(edit, Change):
            return self.apply(with_values(self.scene, edit.values))
        if edit.link >= self.recording.schema.n_links:
            body = self.scene.body
            raise SceneError(
                f"{body.part_name} {edit.link + 1} was pulled in the run, but this robot has {body.n_parts}. "
                "Run it with the robot of the run."
            )
        if self._keep_state:
            self._keep()  # no state holds the pull from its own time on
        self._apply_pull(replace(edit, time=self.time))
        return []

    def restore_pull(self, pull: Pull | None) -> None:
        """Know what acts in a restored state, to let go of it."""
        self._pull = pull

    def _renew_pull(self, now: int) -> int:
        """Evaluate the spring if that is due at step `now`; gives the steps until it is due again."""
        past = now % self._hold_steps
        if not past:
            if len(self.recording.pulls) >= MOST_PULLS - 1:
                self._grip = None
            grip = self._grip
            if self._pull is not None and (grip is None or grip.link != self._pull.link):
                nothing = (0.0, 0.0, 0.0)
                self._apply_pull(replace(self._pull, time=self.time, force=nothing, torque=nothing))
            if grip is not None:
                self._apply_pull(self._spring.pull(grip, self.engine.snapshot(contacts=False)))
            self._pulling = grip is not None
        return self._hold_steps - past

    def _apply_pull(self, pull: Pull) -> None:
        """Let a wrench act from now on."""
        self.engine.apply_wrench(pull.link, (*pull.force, *pull.torque))
        self.recording.add_pull(pull)
        if not pull.released and (self._pull is None or self._pull.link != pull.link):
            title = self.scene.body.part_title(pull.link)
            self.recording.add_event(RunEvent(self.time, "note", f"{title} is pulled by hand"))
        self._pull = None if pull.released else pull

    def steer(self, command: SteerCommand) -> bool:
        """What somebody at the controls wants, from the next control period on; False if nobody can steer this run."""
        if self._steerable is None:
            return False
        if self._steerable.steer(command):
            self._keep_state = True  # nobody can repeat what a hand did
            if not self._steered:
                self.recording.add_event(RunEvent(self.time, "note", command.note))
            self._steered = True
        return True

    def checkpoint(self) -> bytes:
        """Everything that decides how the run goes on; see `restore`."""
        begin, end = self._reference_begin, self._reference_end
        progress = Progress(
            self._reference, begin, end, self._next_row, self._last_row_step, self.end_step
        )
        state = (self.engine.checkpoint(), self.controller.checkpoint(), progress)
        return encode(state, self.scene, self.time)

    def restore(self, checkpoint: bytes, scene: Scene, time: float) -> None:
        """Stand where a run of the same scene stood when it made `checkpoint`; the recording stays as it is.

        Raises `StateError` if it cannot be read, or was made by another version of the program.

        Parameters
        ----------
        scene : Scene
            What the scene had become by then.
        time : float
            When that was, s.
        """
        before = self.engine.checkpoint(), self.controller.checkpoint()
        try:
            engine, controller, progress = decode(checkpoint, scene)
            check_checkpoint(engine, self.engine, scene)
            self.engine.restore(engine)
            self.controller.restore(controller)
            demand(abs(self.time - time) < 0.5 * scene.solver.step_s)
            self._check(progress, scene)
        except Exception as error:
            # What a file says may be anything, and what a controller then stumbles over, too: it
            # stands where it stood.
            self.engine.restore(before[0])
            self.controller.restore(before[1])
            if isinstance(error, StateError):
                raise
            raise StateError("The saved state of this run is damaged.") from error
        self.scene = scene
        self._closed_loop = self.controller.needs is not Fields.NONE
        self._reference = progress.reference
        self._reference_begin = progress.reference_begin
        self._reference_end = progress.reference_end
        self._next_row = progress.next_row
        self._last_row_step = progress.last_row_step
        self.end_step = progress.end_step
        self.latest = self._snapshot()
        self._latest_step = self.engine.step_count
        self._kept_step = self.engine.step_count

    def _check(self, progress: Any, scene: Scene) -> None:
        """See that a saved progress is one of the state that engine and controller stand in, and that these go on."""
        step = self.engine.step_count
        per_row = 1.0 / (scene.run.log_rate_hz * scene.solver.step_s)
        demand(isinstance(progress, Progress))
        begin, end = progress.reference_begin, progress.reference_end
        ahead = max(scene.n_steps, MAX_PERIODS * scene.steps_per_period) + 1
        for number in (begin, end, progress.next_row, progress.last_row_step, progress.end_step):
            demand(type(number) is int and 0 <= number <= step + ahead)
        demand(abs(progress.next_row * per_row - step) <= per_row + 1.0)
        demand(progress.last_row_step <= step <= progress.end_step)
        if progress.reference is not None:
            check_reference(progress.reference, self.engine)
            demand(begin <= step <= end)
        snapshot = self._snapshot()
        states = self.controller.checkpoint()
        knots = (
            np.arange(step, step + scene.steps_per_period + 1, dtype=np.float64)
            * scene.solver.step_s
        )
        closed = self.controller.needs is not Fields.NONE
        check_reference(self.controller.reference(knots, snapshot if closed else None), self.engine)
        demand(self.controller.values().shape == (len(self.controller.channels),))
        self.controller.restore(states)

    def _keep(self) -> None:
        """Have the recording keep the present state, to go on from there one day."""
        self._hand_on()
        started = time.thread_time()
        self.recording.add_checkpoint(self.time, self.checkpoint())
        self._keep_after = self.engine_seconds + (time.thread_time() - started) / KEEP_SHARE
        self._kept_step = self.engine.step_count
        self._keep_state = False

    def apply(self, scene: Scene) -> list[str]:
        """Take over from `scene` what can change while the run goes; it holds from the next control period on.

        Returns
        -------
        list of str
            Dotted keys that differ but need a reset.
        """
        border = (-self.engine.step_count) % self._steps_per_period
        if border and not self.finished:
            self.advance(border)
        live, _ = taken_over(self.scene, scene)
        if live != self.scene and self.engine.apply(live):
            self.controller.apply(live, self.time)
            self._closed_loop = self.controller.needs is not Fields.NONE
            self._reference = None
            self._keep_state = True
            if live.run.duration_s != self.scene.run.duration_s:
                self.end_step = max(self.engine.step_count, live.n_steps)
            values = {key: tree(get_value(live, key)) for key in changed_keys(self.scene, live)}
            self.recording.add_change(self.time, values, live)
            self.scene = live
        return changed_keys(self.scene, scene)

    def reload_plugins(self, scene: Scene) -> list[str]:
        """Go on with `scene`, which has the same values as the run's in kinds of plug-ins that were loaded again.

        The controller of before hands its state over where the new code takes it, and starts afresh
        where it does not; the recording notes which.

        Raises `SceneError` or `PluginRuntimeError` if the new code cannot be used; the run stays as
        it was.

        Returns
        -------
        list of str
            Keys whose kinds need a reset: a formulation, and a controller that records other
            channels.
        """
        border = (-self.engine.step_count) % self._steps_per_period
        if border and not self.finished:
            self.advance(border)
        changed = [
            name
            for name in PARTS_WITH_KINDS
            if type(getattr(self.scene, name)) is not type(getattr(scene, name))
        ]
        live = scene.model_copy(update={"model": self.scene.model}) if "model" in changed else scene
        pending = ["model"] if "model" in changed else []
        controller = controllers.create(live, self._base_dir)
        if controller.channels != self.controller.channels:
            return [*pending, "controller"]
        handed_over = "with its state"
        try:
            controller.restore(self.controller.checkpoint())
            controller.apply(live, self.time)
            self._try_out(controller, live)
        except Exception:
            controller = controllers.create(live, self._base_dir)
            handed_over = "from its beginning"
        if not self.engine.apply(live):
            return [*pending, *changed_keys(self.scene, live)]
        self.controller = controller
        self._needs = controller.needs
        self.scene = live
        self._steerable = controller if isinstance(controller, Steerable) else None
        self._plugins = plugins_in_use(live)
        self._reference = None
        self._keep_state = True
        names = ", ".join(f"{plugin.name} ({plugin.digest[:12]})" for plugin in self._plugins)
        self.recording.add_event(
            RunEvent(self.time, "note", f"Plug-in {names} was reloaded, {handed_over}")
        )
        return pending

    def _try_out(self, controller: Controller, scene: Scene) -> None:
        """See that a controller gives references from now on; its state stays."""
        state = controller.checkpoint()
        step = self.engine.step_count
        knots = (
            np.arange(step, step + scene.steps_per_period + 1, dtype=np.float64)
            * scene.solver.step_s
        )
        controller.reference(
            knots, self.engine.snapshot() if controller.needs is not Fields.NONE else None
        )
        controller.restore(state)


@dataclass(frozen=True, slots=True)
class Progress:
    """References that are under way, and which row comes next."""

    reference: Reference | None
    reference_begin: int
    reference_end: int
    """`reference_begin` and `reference_end`: steps that it is for."""

    next_row: int
    """Number of the next row on the grid of the log."""

    last_row_step: int
    end_step: int
    """`last_row_step` and `end_step`: step of the last row, and at which the run ends."""
