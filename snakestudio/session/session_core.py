"""Session without a thread: prepares, runs, edits and continues its scene.

One thread calls it; any thread can read the published values.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from snakestudio.errors import (
    ExportError,
    MistakeError,
    PluginRuntimeError,
    PreparationError,
    Problem,
    SnakeStudioError,
    UserError,
)
from snakestudio.kinds.formulation import FORMULATIONS
from snakestudio.kinds.plugin_kinds import is_complete, plugin_records, plugins_in_use
from snakestudio.model.edits import changed_keys
from snakestudio.model.recording import Recording, Schema
from snakestudio.model.scene import Scene
from snakestudio.model.snapshot import Snapshot
from snakestudio.model.teleop import SteerCommand
from snakestudio.runfile.mcap import Origin
from snakestudio.runfile.recording import RunRecording
from snakestudio.session.clock import Clock
from snakestudio.session.contact_problem_file import save_failing_problem, write_contact_problem
from snakestudio.session.continuation import continue_run
from snakestudio.session.engine_compiler import (
    EngineCompiler,
    Preparation,
    Stage,
    compile_here,
    is_prepared,
)
from snakestudio.session.preview import preview
from snakestudio.session.pulling import Grip
from snakestudio.session.runner import Runner
from snakestudio.session.scene_check import check
from snakestudio.session.status import (
    Event,
    PluginFailed,
    RecordingStopped,
    RunContinued,
    RunFailed,
    RunFinished,
    RunNotContinued,
    State,
    Status,
    StatusChanged,
)


class SessionCore:
    """One scene at a time; its parameters are those of `Session`.

    Attributes
    ----------
    stop_continuing : threading.Event
        Event that cancels continuing from a recorded time.
    """

    def __init__(
        self,
        on_event: Callable[[Event], None],
        new_run: Callable[[Scene], Path | None],
        preparations: EngineCompiler,
    ) -> None:
        self._on_event = on_event
        self._new_run = new_run
        self._preparations = preparations
        self.clock = Clock()
        self._runner: Runner | None = None
        self._scene: Scene | None = None
        self._base_dir: Path | None = None
        self._scene_file = ""
        self._told_trouble = ""
        self._preparation: Preparation | None = None
        self._unwanted: dict[
            str, str
        ] = {}  # reasons of failed preparations by engine; "" if cancelled
        self._play_when_ready = False
        self._continuation: Callable[[], None] | None = None
        self.stop_continuing = threading.Event()
        self.status = Status()
        self.latest: Snapshot | None = None
        self.recording: RunRecording | None = None

    @property
    def preparing(self) -> bool:
        """Whether an engine is being compiled."""
        return self._preparation is not None

    @property
    def time(self) -> float:
        """Time of the run, s."""
        return self._runner.time if self._runner is not None else 0.0

    def tick(self) -> float:
        """Take the steps of one tick, or poll the preparation; return the time to wait before the next tick, s."""
        if self._preparation is not None:
            self._watch_preparation()
            return 0.0
        runner = self._runner
        if self.status.state != "running" or runner is None:
            return 0.0
        started = time.perf_counter()
        engine = runner.engine_seconds
        scene = runner.scene
        steps = self.clock.steps_of_a_tick(
            scene.solver.step_s, scene.steps_per_period, runner.engine.step_count
        )
        begin = runner.engine.step_count
        report = runner.advance(steps)
        wall = time.perf_counter() - started
        busy = runner.engine_seconds - engine
        if report.steps:
            self.clock.took(wall / (runner.engine.step_count - begin))
        self.latest = runner.latest
        if runner.recording.trouble != self._told_trouble:
            self._told_trouble = runner.recording.trouble
            if self._told_trouble:
                self._on_event(RecordingStopped(self._told_trouble))
        if not report.ok:
            self._report_failed_step(runner, report.message)
            return 0.0
        if runner.finished:
            self._publish(
                replace(self.status, state="finished", message="The run reached its duration.")
            )
            self._on_event(RunFinished(runner.time))
            return 0.0
        return self.clock.delay(runner.time, busy)

    def interrupt(self) -> None:
        """End a tick in progress at the next period border (any thread)."""
        runner = self._runner
        if runner is not None and self.status.state == "running":
            runner.interrupt()

    def _publish(self, status: Status) -> None:
        if status != self.status:
            self.status = status
            self._on_event(StatusChanged(status))

    def fail(self, message: str, saved: Path | None) -> None:
        """Publish that the run cannot continue."""
        self._publish(replace(self.status, state="failed", message=message))
        self._on_event(RunFailed(message, saved))

    def _report_failed_step(self, runner: Runner, message: str) -> None:
        """Publish that a step failed because of the simulation or a plug-in."""
        if runner.error is not None:
            self.plugin_failed(runner.error)
        else:
            self.fail(message, save_failing_problem(runner.engine))

    def plugin_failed(self, error: PluginRuntimeError) -> None:
        """Pause, or remain without a run, because code of a plug-in failed."""
        state: State = "blocked" if self._runner is None else "paused"
        self._publish(replace(self.status, state=state, message=error.message))
        self._on_event(PluginFailed(error))

    def reload_plugins(self, scene: Scene) -> None:
        """See `Session.reload_plugins`."""
        runner = self._runner
        if runner is None or runner.engine.step_count == 0:
            self._scene = scene
            self._rebuild()
            return
        if not is_complete(scene):
            self._scene = scene
            self._rebuild()
            return
        try:
            pending = tuple(runner.reload_plugins(scene))
        except PluginRuntimeError as error:
            self.plugin_failed(error)
            return
        except SnakeStudioError as error:
            names = ", ".join(plugin.name for plugin in plugins_in_use(scene))
            self.plugin_failed(PluginRuntimeError(names, str(error)))
            return
        self._scene = scene
        self._publish(
            replace(self.status, pending=pending, problems=tuple(check(scene, self._base_dir)))
        )

    # --- carrying out commands

    def open(self, scene: Scene, base_dir: Path | None, scene_file: str) -> None:
        """See `Session.open`."""
        self._scene = scene
        self._base_dir = base_dir
        self._scene_file = scene_file
        self._play_when_ready = False
        self._continuation = None
        self._unwanted.clear()
        self._rebuild()

    def _rebuild(self) -> None:
        """Return to t = 0 of the current scene."""
        scene = self._scene
        assert scene is not None
        self._end_run()
        problems = tuple(check(scene, self._base_dir))
        self.recording = None
        self.latest = preview(scene, self._base_dir)
        if any(problem.severity == "error" for problem in problems):
            self._play_when_ready = False
            if self._preparation is not None and self._preparation.kind != scene.model.kind:
                self._stop_preparation()  # the preparation of this model continues
            first = next(problem for problem in problems if problem.severity == "error")
            self._publish(Status("blocked", first.sentence(), problems=problems))
            return
        self._start_or_prepare(problems, checked=True)

    def _start_or_prepare(self, problems: tuple[Problem, ...], *, checked: bool = False) -> None:
        """Create the engine at t = 0, or prepare it first; `checked` means that the problems are current."""
        assert self._scene is not None
        kind = self._scene.model.kind
        try:
            if is_prepared(kind):
                self._stop_preparation()
                self._start(problems, checked=checked)
                return
            if kind in self._unwanted:
                self._unprepared(self._unwanted[kind], problems)
                return
            # An edit during the preparation does not restart it.
            if self._preparation is None or self._preparation.kind != kind:
                self._stop_preparation()
                self._preparation = self._preparations.need(kind)
        except OSError as error:
            self._unprepared(
                f"The {FORMULATIONS[kind].short} engine cannot be prepared, because no process can "
                f"be started: {error}.",
                problems,
            )
        except PreparationError as error:
            self._unprepared(str(error), problems)
        else:
            self._publish_stage(self._preparation.poll(), problems)

    def _unprepared(self, why: str, problems: tuple[Problem, ...]) -> None:
        """Continue without an engine until it is requested again; `why` is empty after a cancellation."""
        assert self._scene is not None
        kind = self._scene.model.kind
        self._stop_preparation()
        self._unwanted[kind] = why
        self._play_when_ready = False
        self._continuation = None
        message = (
            why
            or f"The {FORMULATIONS[kind].short} engine is not prepared, because preparing was cancelled."
        )
        self._publish(
            Status("unprepared", message, engine=kind, cancelled=not why, problems=problems)
        )

    def _publish_stage(self, stage: Stage, problems: tuple[Problem, ...]) -> None:
        """Publish the progress of the preparation in visible steps."""
        assert self._scene is not None
        kind = self._scene.model.kind
        left = None if stage.seconds_left is None else float(round(stage.seconds_left))
        self._publish(
            Status(
                "preparing",
                f"Preparing the {FORMULATIONS[kind].short} engine.",
                progress=int(200 * stage.fraction) / 200,
                seconds_left=left,
                engine=kind,
                queued=self._play_when_ready,
                problems=problems,
            )
        )

    def _start(self, problems: tuple[Problem, ...], *, checked: bool = False) -> None:
        assert self._scene is not None
        path = self._new_run(self._scene)
        try:
            self._runner = Runner(
                self._scene, self._base_dir, path=path, scene_file=self._scene_file, checked=checked
            )
        except SnakeStudioError as error:
            self._publish(Status("blocked", str(error), problems=problems))
            return
        self.recording = self._runner.recording
        self.latest = self._runner.latest
        self._publish(Status("ready", problems=problems))
        if self._continuation is not None:
            pending = self._continuation
            self._continuation = None
            pending()
        elif self._play_when_ready:
            self.play()

    def _watch_preparation(self) -> None:
        preparation = self._preparation
        assert preparation is not None
        stage = preparation.poll()
        problems = self.status.problems
        if self.status.state != "preparing":  # the scene cannot run yet, but its engine is prepared
            if stage.ended:
                self._stop_preparation()
        elif not stage.ended:
            self._publish_stage(stage, problems)
        elif stage.error:
            self._unprepared(stage.error, problems)
        else:
            try:
                if not is_prepared(preparation.kind):
                    # The compiled code is not in the cache; compiling here blocks the window, but
                    # works.
                    compile_here(
                        preparation.kind,
                        lambda done, _: self._publish_stage(Stage(done, None), problems),
                    )
            except PreparationError as error:
                self._unprepared(str(error), problems)
                return
            self._stop_preparation()
            self._start(problems)

    def _stop_preparation(self) -> None:
        if self._preparation is not None:
            self._preparations.release(self._preparation)
            self._preparation = None

    def edit(self, scene: Scene) -> None:
        """See `Session.edit`."""
        if scene == self._scene:
            return
        self._scene = scene
        runner = self._runner
        if runner is None or runner.engine.step_count == 0:
            self._rebuild()
            return
        problems = self.status.problems
        try:
            pending = tuple(runner.apply(scene))
            if self.status.state != "running":  # a check takes too long for a tick
                problems = tuple(check(scene, self._base_dir))
        except (UserError, MistakeError):
            problems = tuple(check(scene, self._base_dir))
            if not any(problem.severity == "error" for problem in problems):
                raise
            pending = tuple(changed_keys(runner.scene, scene))
        self.latest = runner.latest
        self._publish(replace(self.status, pending=pending, problems=problems))

    def play(self) -> None:
        """See `Session.play`."""
        if self.status.state in ("preparing", "unprepared"):
            self._play_when_ready = True
            self._publish(replace(self.status, queued=self.status.state == "preparing"))
            self.prepare()
            return
        runner = self._runner
        if runner is None or self.status.state not in ("ready", "paused", "finished"):
            return
        if runner.finished:
            runner.extend()
        self._play_when_ready = False
        self.clock.start(runner.time)
        self._publish(replace(self.status, state="running", message=""))

    def prepare(self) -> None:
        """See `Session.prepare`."""
        if self.status.state == "unprepared":
            self._unwanted.clear()
            self._start_or_prepare(self.status.problems)

    def cancel_preparing(self) -> None:
        """See `Session.cancel_preparing`."""
        if self.status.state == "preparing":
            self._unprepared("", self.status.problems)

    def pause(self) -> None:
        """See `Session.pause`."""
        self._play_when_ready = False
        if self.status.queued:
            self._publish(replace(self.status, queued=False))
        if self.status.state == "running":
            if self._runner is not None:
                self._runner.record_events()
            self._publish(replace(self.status, state="paused", message=""))

    def step(self, n_steps: int | None) -> None:
        """See `Session.step`."""
        runner = self._runner
        if runner is None or self.status.state not in ("ready", "running", "paused", "finished"):
            return
        if runner.finished:
            runner.extend()
        report = runner.advance(n_steps or runner.scene.steps_per_period)
        self.latest = runner.latest
        if report.ok:
            self._publish(replace(self.status, state="paused", message=""))
        else:
            self._report_failed_step(runner, report.message)

    def reset(self) -> None:
        """See `Session.reset`."""
        if self._scene is not None:
            self._play_when_ready = False
            self._rebuild()

    def pull(self, grip: Grip | None) -> None:
        """See `Session.pull`."""
        if self._runner is not None:
            self._runner.pull(grip)

    def steer(self, command: SteerCommand) -> None:
        """See `Session.steer`."""
        if self._runner is not None:
            self._runner.steer(command)

    def write_contact_problem(self, path: Path) -> None:
        """See `Session.write_contact_problem`."""
        if self._runner is None:
            raise ExportError("There is no run with a contact problem. Start a run.")
        write_contact_problem(path, self._runner.engine)

    def continue_from(
        self, recording: Recording, time: float, base_dir: Path | None, name: str
    ) -> None:
        """See `Session.continue_from`."""
        if self.status.state in ("preparing", "unprepared"):  # the engine is not ready yet
            self._continuation = lambda: self.continue_from(recording, time, base_dir, name)
            self.prepare()
            return
        before = (
            replace(self.status, state="paused") if self.status.state == "running" else self.status
        )
        self._publish(Status("continuing", f"Returning to {time:.3f} s..."))

        def report(fraction: float) -> bool:
            self._publish(replace(self.status, progress=fraction))
            return not self.stop_continuing.is_set()

        def make(scene: Scene, schema: Schema) -> RunRecording:
            origin = Origin(self._scene_file, base_dir, plugins=plugin_records(scene))
            return RunRecording(scene, schema, self._new_run(scene), origin=origin)

        try:
            continuation = continue_run(recording, time, base_dir, name, make, report)
        except SnakeStudioError as error:
            continuation = None
            self._on_event(RunNotContinued(str(error)))
        if continuation is None:
            self._publish(before)
            return
        self._end_run()
        self._runner = continuation.runner
        self._scene = continuation.runner.scene
        self._base_dir = base_dir
        self.recording = continuation.runner.recording
        self.latest = continuation.runner.latest
        self._play_when_ready = False
        self._publish(Status("paused", problems=before.problems))
        self._on_event(RunContinued(continuation.time, continuation.notes))

    def _end_run(self) -> None:
        """Complete the file of the run; the recording remains readable."""
        if self._runner is not None:
            self._runner.recording.close()
            self._runner = None

    def close(self) -> None:
        """End the run and all running work."""
        self._stop_preparation()
        self._preparations.close()
        self._end_run()
