"""Simulation that a program steps: engine, controller and recording, without clock and duration of a run."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from snakestudio._version import __version__
from snakestudio.control.base import Controller
from snakestudio.engines.base import Checkpoint, SetPoints
from snakestudio.errors import PhysicsError, StateError
from snakestudio.model.events import RunEvent
from snakestudio.model.pull import Pull, Vector
from snakestudio.model.reference import Reference
from snakestudio.model.scene import Scene
from snakestudio.model.snapshot import Snapshot
from snakestudio.runfile.mcap.about import Origin
from snakestudio.runfile.recording import RunRecording
from snakestudio.runfile.states import decode, encode
from snakestudio.session.control_loop import ControlLoop
from snakestudio.session.run_log import RowLog, RunLog


@dataclass(frozen=True, slots=True)
class StepState:
    """Full state of a simulation."""

    program: str
    """Version of the program that created it."""
    scene: Scene
    engine: Checkpoint
    controller: Any
    reference: Reference | None
    """References of the controller of the scene for the steps from `begin` to `end`."""
    begin: int
    end: int
    wrenches: tuple[tuple[int, Vector, Vector], ...] = ()
    """Links under a wrench, with its force (N) and torque (N m)."""

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle as the state bytes of a run file, because a compiled strain law has no other form."""
        parts = self.engine, self.controller, self.reference, self.begin, self.end, self.wrenches
        return _unpickled, (self.program, self.scene, encode(parts, self.scene, self.engine.time))


def _unpickled(program: str, scene: Scene, data: bytes) -> StepState:
    return StepState(program, scene, *decode(data, scene))


class Stepper:
    """Engine that is advanced under given references, or those of the controller of its scene; not thread-safe.

    Raises `SceneError` with all errors if the scene cannot run.

    Parameters
    ----------
    base_dir : Path or None
        Folder of the relative file names in the scene.
    """

    def __init__(self, scene: Scene, base_dir: Path | None = None) -> None:
        self.base_dir = base_dir
        self._build(scene)

    def _build(self, scene: Scene) -> None:
        self._loop = ControlLoop(scene, self.base_dir, steered=False)
        self.engine = self._loop.engine
        self._view: Snapshot | None = None
        self.scene = scene
        self._wrenches: dict[int, tuple[Vector, Vector]] = {}
        self._start = self.save()

    @property
    def controller(self) -> Controller:
        """Controller of the scene."""
        return self._loop.controller

    @property
    def time(self) -> float:
        """Simulated time, s."""
        return self.engine.time

    @property
    def step_count(self) -> int:
        """Number of steps since the start."""
        return self.engine.step_count

    # ---------------------------------------------------------------------------------------- steps

    def hold(self, n_steps: int, angle: SetPoints, rate: SetPoints, torque: SetPoints) -> None:
        """Take steps under constant set-points; see `Engine.hold`.

        Raises `PhysicsError` if a step fails; the state is that before the failed step.
        """
        self._view = None
        message = self._loop.hold(n_steps, angle, rate, torque)
        if message:
            raise PhysicsError(message)

    def drive(self, n_steps: int) -> None:
        """Take steps under the references of the controller of the scene, as in a run. Raises like `hold`."""
        loop = self._loop
        loop.begin_call()
        while n_steps > 0:
            count = loop.request(n_steps)
            self._view = None
            report = loop.advance(count)
            if report.message:
                raise PhysicsError(report.message)
            n_steps -= count

    def present(self) -> Snapshot:
        """Return the current state; its arrays are refilled when a value is first read after another step."""
        if self._view is None:
            self._view = self.engine.view()
        return self._view

    def apply_wrench(self, link: int, force: Vector, torque: Vector) -> None:
        """Apply a wrench to a link from now on; see `Engine.apply_wrench`."""
        self.engine.apply_wrench(link, (*force, *torque))
        self._wrenches.pop(link, None)
        if any((*force, *torque)):
            self._wrenches[link] = (force, torque)
        if self.recording is not None:
            self.recording.recording.add_pull(Pull(self.time, link, (0.0, 0.0, 0.0), force, torque))

    # --------------------------------------------------------------------------------------- states

    def save(self) -> StepState:
        """Return the full state, from which `restore` continues bit for bit."""
        wrenches = tuple((link, *wrench) for link, wrench in self._wrenches.items())
        engine = self.engine.checkpoint()
        controller = self.controller.checkpoint()
        progress = self._loop.progress()
        return StepState(__version__, self.scene, engine, controller, *progress, wrenches)

    def restore(self, state: StepState) -> None:
        """Restore a saved state, possibly with other values of the scene; this ends a recording.

        Raises `StateError` if it is from another version of the program.
        """
        if state.program != __version__:
            raise StateError(
                f"SnakeStudio {state.program} saved this state, but this is version {__version__}. Save it again."
            )
        self.stop_recording()
        if state.scene is not self.scene and state.scene != self.scene:
            self._build(state.scene)
        self.engine.restore(state.engine)
        self.controller.restore(state.controller)
        self._loop.restore_progress(state.reference, state.begin, state.end)
        self._wrenches = {link: (force, torque) for link, force, torque in state.wrenches}
        self._view = None

    def restart(self, scene: Scene) -> None:
        """Return to the start, possibly of another scene; this ends a recording. Raises like a new `Stepper`."""
        if scene is self.scene:
            self.restore(self._start)
        else:
            self.stop_recording()
            self._build(scene)

    # ------------------------------------------------------------------------------------ recording

    @property
    def recording(self) -> RowLog | None:
        """Log of the recording in progress, if there is one."""
        return self._loop.log

    def record(self, path: Path | None, scene_file: str) -> None:
        """Start recording from the current state, to a run file or (None) a temporary one."""
        loop = self._loop
        recording = RunRecording(
            self.scene, loop.schema, path, origin=Origin(scene_file, self.base_dir)
        )
        loop.log = RunLog(recording, self.scene, self.base_dir, self.step_count)
        loop.record_present()
        loop.log.flush()
        recording.add_checkpoint(self.time, self._run_state(loop.log.grid.next_row))
        if self.time > 0.0:
            recording.add_event(RunEvent(self.time, "note", f"Recorded from {self.time:g} s"))
        for link, (force, torque) in self._wrenches.items():
            recording.add_pull(Pull(self.time, link, (0.0, 0.0, 0.0), force, torque))

    def _run_state(self, next_row: int) -> bytes:
        """Return the current state as in run files; see `Runner.checkpoint`."""
        now = self.step_count
        end = self.scene.n_steps if now <= self.scene.n_steps else now + self.scene.n_steps
        return self._loop.encoded(self.scene, next_row, now, end)

    def stop_recording(self) -> None:
        """End the recording, if there is one, with a row of the current state."""
        loop = self._loop
        log = loop.log
        if log is None:
            return
        try:
            if log.grid.last_step != self.step_count:
                loop.record_present()
        finally:
            loop.log = None
        log.close()
