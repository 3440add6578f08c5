"""Tick shared by the window, the command line, studies and tests: reference, engine, recording, snapshot."""

from __future__ import annotations

import time
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from snakestudio._arrays import FloatArray
from snakestudio.control import registry as controllers
from snakestudio.control.base import Controller, Steerable
from snakestudio.engines.base import Engine, StepReport
from snakestudio.engines.saved_state import check_checkpoint, check_reference, demand
from snakestudio.errors import MistakeError, PluginRuntimeError, SceneError, StateError, UserError
from snakestudio.kinds.plugin_kinds import plugin_records, plugins_in_use
from snakestudio.model.edits import changed_keys, get_value, tree, with_values
from snakestudio.model.events import Change, RunEvent
from snakestudio.model.pull import Pull
from snakestudio.model.scene import PARTS_WITH_KINDS, Scene
from snakestudio.model.snapshot import Snapshot
from snakestudio.model.teleop import SteerCommand
from snakestudio.plugins.faults import fault_of
from snakestudio.plugins.guards import calling
from snakestudio.runfile.mcap.about import Origin
from snakestudio.runfile.recording import RunRecording
from snakestudio.runfile.states import decode
from snakestudio.session.control_loop import ControlLoop, Sink
from snakestudio.session.hand import Hand
from snakestudio.session.live_edit import live_scene
from snakestudio.session.progress import Progress, check_progress
from snakestudio.session.pulling import Grip
from snakestudio.session.reference_feed import try_reference
from snakestudio.session.run_log import RunLog
from snakestudio.session.state_schedule import StateSchedule


class Runner:
    """Run that is advanced by whole time steps; not thread-safe.

    Raises `SceneError` with all reasons if the scene cannot run.

    Parameters
    ----------
    base_dir : path, optional
        Folder of the relative paths in the scene.
    sinks : callables
        Functions that receive each block of references, such as the CAN link.
    path : path, optional
        Run file that is written during the run; see `RunRecording`.
    scene_file : str
        Name of the scene file, for the run file.
    checked : bool
        Whether `scene_check.check` has just passed without errors.
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
        self._interrupted = False
        self.error: PluginRuntimeError | None = None
        """Fault of a plug-in in the last call of `advance`."""
        self._loop = ControlLoop(scene, base_dir, sinks, checked=checked, timed=True)
        self.engine: Engine = self._loop.engine
        self._feed = self._loop.feed
        origin = Origin(scene_file, base_dir, plugins=plugin_records(scene))
        schema = self._loop.schema
        self.scene = scene
        self.end_step = scene.n_steps
        self._log = RunLog(RunRecording(scene, schema, path, origin=origin), scene, base_dir)
        self._loop.log = self._log
        self._hand = Hand(scene, self.engine, self._log)
        self._states = StateSchedule(scene)
        self._steered = False
        values = self._loop.record_present()
        self._log.flush()
        self._show(values)

    @property
    def controller(self) -> Controller:
        """Controller that provides the references."""
        return self._feed.controller

    @property
    def recording(self) -> RunRecording:
        """Recording of the run so far."""
        return self._log.recording

    @property
    def time(self) -> float:
        """Simulated time, s."""
        return self.engine.time

    @property
    def engine_seconds(self) -> float:
        """Processor time used by the engine so far, s."""
        return self._loop.engine_seconds

    @property
    def finished(self) -> bool:
        """Whether the run has reached its duration."""
        return self.engine.step_count >= self.end_step

    def extend(self) -> None:
        """Extend a finished run by another duration."""
        self.end_step = self.engine.step_count + self.scene.n_steps

    def advance(self, n_steps: int) -> StepReport:
        """Take up to `n_steps` steps, and stop at the end of the run or at a failure.

        If code of a plug-in fails, the run stops at the last reached border of a control
        period, and can be continued after the plug-in is fixed; `error` is its error.

        Returns
        -------
        StepReport
            Report of the last call of the engine, whose rows are already in the recording.
        """
        self.error = None
        self._interrupted = False
        try:
            return self._advance(n_steps)
        except Exception as error:
            fault = fault_of(error)
            if fault is None:
                raise
            return self._stopped_by(fault)

    def interrupt(self) -> None:
        """Let `advance` return at the end of the control period in progress (any thread)."""
        self._interrupted = True

    def _stopped_by(self, error: PluginRuntimeError) -> StepReport:
        """Return the stop at the failure of a plug-in, with all rows up to it."""
        self.error = error
        with suppress(Exception):  # a controller that failed may have no values
            self._log.add(self.controller.values)
        self._log.record_fault(self.time, error.message)
        self._log.record_events()
        with suppress(Exception):
            self._show()
        nothing = self.recording.rows(0, 1).slice(0, 0)
        return StepReport(False, error.message, 0, 0.0, 0, 0, nothing)

    def _advance(self, n_steps: int) -> StepReport:
        loop = self._loop
        remaining = min(n_steps, self.end_step - self.engine.step_count)
        report: StepReport | None = None
        if self._states.requested:
            self._save_state()
        while report is None or (report.ok and remaining > 0):
            now = self.engine.step_count
            loop.begin_call()
            known = self._latest_step == now
            steps = loop.request(remaining, (lambda: self.latest) if known else None)
            if self._interrupted:  # after the request, because a plug-in can be slow
                remaining = steps
            if self._hand.active:
                steps = min(steps, self._hand.update(now))
            report = loop.advance(steps, last=now + steps == self.end_step)
            remaining -= steps
            if report.ok and self._states.due(self.engine.step_count, self.engine_seconds):
                self._save_state()
        self._log.flush()
        if self.finished or not report.ok:
            self._log.record_events()
        self._show()
        return report

    def record_events(self) -> None:
        """Record the events of the newest rows, too: events are otherwise detected some rows at a time."""
        self._log.record_events()

    def record_to(self, recording: RunRecording) -> None:
        """Use another recording from now on, whose rows end at the current time."""
        self._log.recording = recording

    def _show(self, values: FloatArray | None = None) -> None:
        """Publish the current state, with the values of the controller unless others are given."""
        self.latest: Snapshot = self._snapshot(
            self.controller.values() if values is None else values
        )
        self._latest_step = self.engine.step_count

    def _snapshot(self, values: FloatArray) -> Snapshot:
        """Return the current state with the values of the controller's channels."""
        control = dict(zip(self.controller.channels, values.tolist(), strict=True))
        snapshot = self.engine.snapshot()
        return replace(snapshot, control=snapshot.control | control)

    def pull(self, grip: Grip | None) -> None:
        """Pull a link from the next evaluation of forces; None releases it."""
        self._hand.hold(grip)

    def repeat(self, edit: Change | Pull) -> list[str]:
        """Repeat an edit of a recorded run at the current time.

        Raises `SceneError` if the robot lacks the link.

        Returns
        -------
        list of str
            Dotted keys that cannot change during a run.
        """
        if isinstance(edit, Change):
            return self.apply(with_values(self.scene, edit.values))
        if edit.link >= self.recording.schema.n_links:
            body = self.scene.body
            raise SceneError(
                f"{body.part_name} {edit.link + 1} was pulled in the run, but this robot has {body.n_parts}. "
                "Run it with the robot of the run."
            )
        if self._states.requested:
            self._save_state()  # the state at the start of a pull does not include it
        self._hand.apply(replace(edit, time=self.time))
        return []

    def restore_pull(self, pull: Pull | None) -> None:
        """Continue with the wrench of a restored state, so that it can be released."""
        self._hand.restore(pull)

    def steer(self, command: SteerCommand) -> bool:
        """Follow an operator's command from the next control period; return False if the run cannot be steered."""
        controller = self.controller
        if not isinstance(controller, Steerable):
            return False
        if controller.steer(command):
            self._states.request()  # steering by hand cannot be repeated
            if not self._steered:
                self.recording.add_event(RunEvent(self.time, "note", command.note))
            self._steered = True
        return True

    def checkpoint(self) -> bytes:
        """Return the full state of the run; see `restore`."""
        grid = self._log.grid
        with calling(next((each.name for each in plugins_in_use(self.scene)), ""), "checkpoint"):
            return self._loop.encoded(self.scene, grid.next_row, grid.last_step, self.end_step)

    def restore(self, checkpoint: bytes, scene: Scene, time: float) -> None:
        """Restore the state in which a run of the same scene created `checkpoint`; the recording does not change.

        Raises `StateError` if it cannot be read or is from another version of the program.

        Parameters
        ----------
        scene : Scene
            Scene at that time.
        time : float
            Time of the state, s.
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
            # A file can contain anything, which can also break a controller, so the previous state
            # is restored.
            self.engine.restore(before[0])
            self.controller.restore(before[1])
            if isinstance(error, StateError | PluginRuntimeError):
                raise
            raise StateError("The saved state of this run is damaged.") from error
        self.scene = scene
        self._loop.restore_progress(
            progress.reference, progress.reference_begin, progress.reference_end
        )
        self._log.grid.next_row = progress.next_row
        self._log.grid.last_step = progress.last_row_step
        self.end_step = progress.end_step
        self._show()
        self._states.on_restored(self.engine.step_count)

    def _check(self, progress: Progress, scene: Scene) -> None:
        """Check that a saved progress matches the states of engine and controller, and that these can continue."""
        step = self.engine.step_count
        check_progress(progress, scene, step)
        if progress.reference is not None:
            check_reference(progress.reference, self.engine)
        snapshot = self._snapshot(self.controller.values())
        reference, values = try_reference(self.controller, scene, step, lambda: snapshot)
        check_reference(reference, self.engine)
        demand(values.shape == (len(self.controller.channels),))

    def _save_state(self) -> None:
        """Record the current state, so that the run can be continued from it."""
        self._log.flush()
        started = time.thread_time()
        self.recording.add_checkpoint(self.time, self.checkpoint())
        seconds = time.thread_time() - started
        self._states.on_saved(self.engine.step_count, self.engine_seconds, seconds)

    def apply(self, scene: Scene) -> list[str]:
        """Adopt those values of `scene` that can change during the run, from the next control period.

        Raises `UserError`, `MistakeError` or `PluginRuntimeError` if engine or controller cannot use a value; the run
        continues unchanged then.

        Returns
        -------
        list of str
            Dotted keys that differ but need a reset.
        """
        self._finish_period()
        live, _ = live_scene(self.scene, scene)
        if live != self.scene and self._adopt(live):
            self._feed.use(self.controller)
            self._states.request()
            if live.run.duration_s != self.scene.run.duration_s:
                self.end_step = max(self.engine.step_count, live.n_steps)
            values = {key: tree(get_value(live, key)) for key in changed_keys(self.scene, live)}
            self.recording.add_change(self.time, values, live)
            self.scene = live
        return changed_keys(self.scene, scene)

    def _adopt(self, live: Scene) -> bool:
        """Apply a scene to engine and controller, or to neither of them."""
        try:
            if not self.engine.apply(live):
                return False
            self.controller.apply(live, self.time)
        except (UserError, MistakeError, PluginRuntimeError):
            self.engine.apply(self.scene)
            raise
        return True

    def reload_plugins(self, scene: Scene) -> list[str]:
        """Continue with `scene`, which has the same values in kinds of reloaded plug-ins.

        The new controller adopts the state of the previous one if its code accepts it, and
        otherwise starts again; the recording has an event with the result.

        Raises `SceneError` or `PluginRuntimeError` if the new code cannot be used; the run
        is unchanged then.

        Returns
        -------
        list of str
            Keys of kinds that need a reset: a formulation, and a controller that
            records other channels.
        """
        self._finish_period()
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
            try_reference(controller, live, self.engine.step_count, self.engine.snapshot)
        except Exception:
            controller = controllers.create(live, self._base_dir)
            handed_over = "from its beginning"
        if not self.engine.apply(live):
            return [*pending, *changed_keys(self.scene, live)]
        self._feed.use(controller)
        self.scene = live
        self._states.request()
        names = ", ".join(
            f"{plugin.name} ({plugin.digest[:12]})" for plugin in plugins_in_use(live)
        )
        self.recording.add_event(
            RunEvent(self.time, "note", f"Plug-in {names} was reloaded, {handed_over}")
        )
        return pending

    def _finish_period(self) -> None:
        """Advance to the next border of a control period, from which changes apply."""
        missing = (-self.engine.step_count) % self.scene.steps_per_period
        if missing and not self.finished:
            self.advance(missing)
