"""The session: a worker thread that runs the tick at the chosen speed, steered by commands, watched by snapshots.

The window calls its methods from its own thread; each puts a command into a queue and returns at once. What the
worker has to show is published by swapping a reference (`status`, `latest`, `recording`), so that a reader never
waits and never locks. Events, rare by nature, are handed to a callback on the worker's thread.
"""

from __future__ import annotations

import logging
import queue
import threading
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from snakestudio.engines import registry as engines
from snakestudio.errors import Problem, SnakeStudioError
from snakestudio.model.recording import Recording, Schema
from snakestudio.model.scene import Scene
from snakestudio.model.snapshot import Snapshot
from snakestudio.model.teleop import TeleopCommand
from snakestudio.session.clock import Clock
from snakestudio.session.commands import Commands
from snakestudio.session.continuation import continue_run
from snakestudio.session.failing_problem import save_failing_problem
from snakestudio.session.preparation import Preparation
from snakestudio.session.preview import preview
from snakestudio.session.recording import SpooledRecording
from snakestudio.session.run_file import Origin
from snakestudio.session.runner import Runner
from snakestudio.session.scene_check import check
from snakestudio.session.status import (
    Continued,
    Event,
    NotContinued,
    RecordingStopped,
    RunFailed,
    RunFinished,
    Status,
    StatusChanged,
)  # fmt: skip

__all__ = ["Session"]

log = logging.getLogger(__name__)

_REST, _LEAST_REST = 3.0, 0.15
"""Pause after an edit among many: as a multiple of the time that it took, and at least, s (all plots begin anew)."""


class Session:
    """One scene at a time, simulated in a background thread.

    Parameters
    ----------
    on_event : callable, optional
        Gets every event, on the worker's thread.
    new_run : callable, optional
        Says for every run that begins which run file it shall be recorded to; None if it is not kept. Called on the
        worker's thread, also for runs that never take a step: those leave no file.
    """

    def __init__(
        self,
        on_event: Callable[[Event], None] | None = None,
        new_run: Callable[[Scene], Path | None] | None = None,
    ) -> None:
        self._on_event = on_event or (lambda event: None)
        self._new_run = new_run or (lambda scene: None)
        self._commands = Commands()
        self._clock = Clock()
        self._runner: Runner | None = None
        self._scene: Scene | None = None
        self._base_dir: Path | None = None
        self._scene_file = ""
        self._told_trouble = ""
        self._preparation: Preparation | None = None
        self._play_when_ready = False
        self._closing = False
        self._continuation: Callable[[], None] | None = None
        self._stop_continuing = threading.Event()
        self.applied_edits = 0
        self.status = Status()
        self.latest: Snapshot | None = None
        self.recording: SpooledRecording | None = None
        self._thread = threading.Thread(target=self._work, name="snakestudio-session", daemon=True)
        self._thread.start()

    # --- commands (any thread)

    def open(self, scene: Scene, base_dir: Path | None = None, scene_file: str = "") -> None:
        """Replace the scene, with the name of its file for the recording; the new run stands at t = 0."""
        self._commands.put(lambda: self._do_open(scene, base_dir, scene_file))

    def edit(self, scene: Scene) -> int:
        """The scene was edited: at t = 0 the run starts anew, later what can change does so from the next period on.

        Returns
        -------
        int
            Its number: once `applied_edits` is as large, `latest` and `status` know of it. Of edits that wait with
            nothing between them only the last is carried out, for it is all of them.
        """
        return self._commands.put_edit(lambda number: self._carry_out(number, scene))

    def play(self) -> None:
        """Run (on); a finished run goes on for another duration."""
        self._commands.put(self._do_play)

    def pause(self) -> None:
        """Stand still at the next period border."""
        self._commands.put(self._do_pause)

    def step(self, n_steps: int | None = None) -> None:
        """Take some time steps (a control period if not said how many) and pause."""
        self._commands.put(lambda: self._do_step(n_steps))

    def reset(self) -> None:
        """Back to t = 0 with all edits applied."""
        self._commands.put(self._do_reset)

    def set_speed(self, speed: float) -> None:
        """Simulated over wall time: 1 is real time, infinite is as fast as possible."""
        self._commands.put(lambda: self._clock.set_speed(speed, self._runner.time if self._runner else 0.0))

    def pull(self, link: int, force: tuple[float, float, float]) -> None:
        """Pull with a force (N, world frame) on the centre of gravity of a link until told otherwise."""
        self._commands.put(lambda: self._do_pull(link, force))

    def steer(self, command: TeleopCommand) -> None:
        """What somebody at the controls wants, from the next control period on; without effect on other controllers."""
        self._commands.put(lambda: self._do_steer(command))

    def continue_from(self, recording: Recording, time: float, base_dir: Path | None = None, name: str = "") -> None:
        """Begin a new run with the rows of one called `name` up to `time` (s), and stand there (see `continue_run`)."""
        self._stop_continuing.clear()
        self._commands.put(lambda: self._do_continue(recording, time, base_dir, name))

    def cancel_continuing(self) -> None:
        """Stop going back to a recorded moment: everything stays as it was."""
        self._stop_continuing.set()

    def close(self) -> None:
        """End the worker thread; returns when it has ended."""
        self._stop_continuing.set()
        self._commands.put(self._do_close)
        self._thread.join()

    def settle(self, timeout: float = 60.0) -> None:
        """Wait until all commands given so far were carried out (for scripts and tests)."""
        self._commands.put((done := threading.Event()).set)
        if not done.wait(timeout):
            raise TimeoutError("the session did not answer")

    @property
    def speed(self) -> float:
        """Chosen speed."""
        return self._clock.speed

    @property
    def real_time_factor(self) -> float:
        """Measured simulated over wall time."""
        return self._clock.real_time_factor

    @property
    def possible_factor(self) -> float:
        """Simulated time over the processor time of the engine: what it could do with nothing beside it."""
        return self._clock.possible_factor

    # --- the worker

    def _work(self) -> None:
        delay = 0.0
        while not self._closing:
            try:
                self._drain(delay)
                delay = self._tick()
            except Exception as error:
                # A defect of the program must not leave a dead thread behind a window that looks alive.
                log.exception("the session's worker failed")
                self._fail(f"Internal error: {error!r}. What was recorded is kept; please report this.", None)
                delay = 0.0

    def _drain(self, delay: float) -> None:
        """Carry out the commands that wait; while standing still, wait for one."""
        idle = self.status.state != "running"
        deadline = time.perf_counter() + (0.05 if idle and self._preparation else delay)
        while not self._closing:
            wait = deadline - time.perf_counter()
            try:
                waits = idle and self._preparation is None
                command = self._commands.get(None if waits else wait)
                idle = idle and not waits
            except queue.Empty:
                return
            command()

    def _tick(self) -> float:
        if self._preparation is not None:
            self._watch_preparation()
            return 0.0
        runner = self._runner
        if self.status.state != "running" or runner is None:
            return 0.0
        started, engine = time.perf_counter(), runner.engine_seconds
        scene = runner.scene
        steps = self._clock.steps_of_a_tick(scene.solver.step_s, scene.steps_per_period, runner.engine.step_count)
        report = runner.advance(steps)
        wall, busy = time.perf_counter() - started, runner.engine_seconds - engine
        if report.steps:
            self._clock.took(wall / steps)
        self.latest = runner.latest
        if runner.recording.trouble != self._told_trouble:
            self._told_trouble = runner.recording.trouble
            if self._told_trouble:
                self._on_event(RecordingStopped(self._told_trouble))
        if not report.ok:
            self._fail(report.message, save_failing_problem(runner.engine))
            return 0.0
        if runner.finished:
            self._publish(replace(self.status, state="finished", message="The run reached its duration."))
            self._on_event(RunFinished(runner.time))
            return 0.0
        return self._clock.delay(runner.time, busy)

    def _publish(self, status: Status) -> None:
        if status != self.status:
            self.status = status
            self._on_event(StatusChanged(status))

    def _fail(self, message: str, saved: Path | None) -> None:
        self._publish(replace(self.status, state="failed", message=message))
        self._on_event(RunFailed(message, saved))

    # --- carrying out commands

    def _do_open(self, scene: Scene, base_dir: Path | None, scene_file: str) -> None:
        self._scene, self._base_dir, self._scene_file = scene, base_dir, scene_file
        self._play_when_ready, self._continuation = False, None
        self._rebuild()

    def _rebuild(self) -> None:
        """Back to t = 0 of the present scene."""
        scene = self._scene
        assert scene is not None
        self._end_run()
        problems = tuple(check(scene, self._base_dir))
        self.recording = None
        self.latest = preview(scene, self._base_dir)
        if any(problem.severity == "error" for problem in problems):
            self._play_when_ready = False
            self._stop_preparation()
            first = next(problem for problem in problems if problem.severity == "error")
            self._publish(Status("blocked", first.sentence(), problems=problems))
            return
        if not engines.is_warm(scene.model.kind):
            # An edit while the engine compiles does not begin the compilation again.
            if self._preparation is None or self._preparation.kind != scene.model.kind:
                self._stop_preparation()
                self._preparation = Preparation(scene.model.kind)
            self._publish(Status("preparing", "Compiling the simulation engine (only once) ...", problems=problems))
            return
        self._stop_preparation()
        self._start(problems)

    def _start(self, problems: tuple[Problem, ...]) -> None:
        assert self._scene is not None
        path = self._new_run(self._scene)
        try:
            self._runner = Runner(self._scene, self._base_dir, path=path, scene_file=self._scene_file)
        except SnakeStudioError as error:
            self._publish(Status("blocked", str(error), problems=problems))
            return
        self.recording = self._runner.recording
        self.latest = self._runner.latest
        self._publish(Status("ready", problems=problems))
        if self._continuation is not None:
            wanted, self._continuation = self._continuation, None
            wanted()
        elif self._play_when_ready:
            self._do_play()

    def _watch_preparation(self) -> None:
        preparation = self._preparation
        assert preparation is not None
        fraction, text, ended = preparation.poll()
        if ended:
            self._stop_preparation()
            self._start(self.status.problems)
        else:
            self._publish(replace(self.status, progress=fraction, message=text or self.status.message))

    def _stop_preparation(self) -> None:
        if self._preparation is not None:
            self._preparation.stop()
            self._preparation = None

    def _carry_out(self, number: int, scene: Scene) -> None:
        began = time.perf_counter()
        try:
            self._do_edit(scene)
        finally:
            self.applied_edits = number
        if self.status.state != "running":
            # While something is dragged, edits come faster than they can be carried out: most of the time is left to
            # those who draw it.
            self._commands.rest(max(_REST * (time.perf_counter() - began), _LEAST_REST))

    def _do_edit(self, scene: Scene) -> None:
        if scene == self._scene:
            return
        self._scene = scene
        runner = self._runner
        if runner is None or runner.engine.step_count == 0:
            self._rebuild()
            return
        pending = tuple(runner.apply(scene))
        self.latest = runner.latest
        problems = self.status.problems
        if self.status.state != "running":  # a check takes longer than a tick may
            problems = tuple(check(scene, self._base_dir))
        self._publish(replace(self.status, pending=pending, problems=problems))

    def _do_play(self) -> None:
        if self.status.state == "preparing":
            self._play_when_ready = True
            return
        runner = self._runner
        if runner is None or self.status.state not in ("ready", "paused", "finished"):
            return
        if runner.finished:
            runner.extend()
        self._play_when_ready = False
        self._clock.start(runner.time)
        self._publish(replace(self.status, state="running", message=""))

    def _do_pause(self) -> None:
        self._play_when_ready = False
        if self.status.state == "running":
            if self._runner is not None:
                self._runner.note_events()
            self._publish(replace(self.status, state="paused", message=""))

    def _do_step(self, n_steps: int | None) -> None:
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
            self._fail(report.message, save_failing_problem(runner.engine))

    def _do_reset(self) -> None:
        if self._scene is not None:
            self._play_when_ready = False
            self._rebuild()

    def _do_pull(self, link: int, force: tuple[float, float, float]) -> None:
        if self._runner is not None:
            self._runner.pull(link, force)

    def _do_steer(self, command: TeleopCommand) -> None:
        if self._runner is not None:
            self._runner.steer(command)

    def _do_continue(self, recording: Recording, time: float, base_dir: Path | None, name: str) -> None:
        if self.status.state == "preparing":  # the engine is not there yet
            self._continuation = lambda: self._do_continue(recording, time, base_dir, name)
            return
        before = replace(self.status, state="paused") if self.status.state == "running" else self.status
        self._publish(Status("continuing", f"Going back to {time:.3f} s ..."))

        def tell(fraction: float) -> bool:
            self._publish(replace(self.status, progress=fraction))
            return not self._stop_continuing.is_set()

        def make(scene: Scene, schema: Schema) -> SpooledRecording:
            return SpooledRecording(scene, schema, self._new_run(scene), origin=Origin(self._scene_file, base_dir))

        try:
            found = continue_run(recording, time, base_dir, name, make, tell)
        except SnakeStudioError as error:
            found = None
            self._on_event(NotContinued(str(error)))
        if found is None:
            self._publish(before)
            return
        self._end_run()
        self._runner, self._scene, self._base_dir = found.runner, found.runner.scene, base_dir
        self.recording, self.latest, self._play_when_ready = found.runner.recording, found.runner.latest, False
        self._publish(Status("paused", problems=before.problems))
        self._on_event(Continued(found.time, found.notes))

    def _end_run(self) -> None:
        """Give the file of the run its end; whoever has the recording can still read it."""
        if self._runner is not None:
            self._runner.recording.close()
            self._runner = None

    def _do_close(self) -> None:
        self._stop_preparation()
        self._end_run()
        self._closing = True
