"""A simulation that a program steps: engine, controller and recording, without the clock and the end of a run."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from snakestudio._arrays import FloatArray
from snakestudio._version import __version__
from snakestudio.control import registry as controllers
from snakestudio.control.base import Controller
from snakestudio.engines import registry as engines
from snakestudio.engines.base import Checkpoint, StepReport
from snakestudio.engines.bound_steps import Steps, steps_of
from snakestudio.errors import PhysicsError, StateError
from snakestudio.model.pull import Pull, Vector
from snakestudio.model.reference import Reference
from snakestudio.model.scene import Scene
from snakestudio.runfile.mcap.about import Origin
from snakestudio.runfile.states import decode, encode
from snakestudio.session.progress import Progress
from snakestudio.session.reference_feed import ReferenceFeed, try_reference
from snakestudio.session.step_recording import StepRecording


@dataclass(frozen=True, slots=True)
class StepState:
    """Everything that decides how a simulation continues."""

    program: str
    """Version of the program that made it."""
    scene: Scene
    engine: Checkpoint
    controller: Any
    reference: Reference | None
    """What the scene's own controller has asked for, for the steps from `begin` to `end`."""
    begin: int
    end: int
    wrenches: tuple[tuple[int, Vector, Vector], ...] = ()
    """Links that a wrench acts on, with its force (N) and torque (N m)."""

    def __reduce__(self) -> tuple[Any, ...]:
        """As bytes of a run file's states: what is compiled of a strain law has no other form."""
        parts = self.engine, self.controller, self.reference, self.begin, self.end, self.wrenches
        return _unpickled, (self.program, self.scene, encode(parts, self.scene, self.engine.time))


def _unpickled(program: str, scene: Scene, data: bytes) -> StepState:
    return StepState(program, scene, *decode(data, scene))


class Stepper:
    """An engine that is advanced under given references, or those of its scene's controller; not thread-safe.

    Raises `SceneError` if the scene cannot be run; lists every mistake.

    Parameters
    ----------
    base_dir : Path or None
        Folder that file names in the scene are relative to.
    """

    def __init__(self, scene: Scene, base_dir: Path | None = None) -> None:
        self.base_dir = base_dir
        self.recording: StepRecording | None = None
        self._build(scene)

    def _build(self, scene: Scene) -> None:
        # The controller first: it checks the strain law and contacts of a body, and the engine
        # builds on them.
        controller = controllers.create(scene, self.base_dir)
        self.engine = engines.create(scene, self.base_dir)
        self._feed = ReferenceFeed(controller, scene, steered=False)
        self.steps: Steps = steps_of(self.engine)
        self.scene = scene
        self._driven_to = 0
        """Step up to which the scene's own controller led."""
        self._wrenches: dict[int, tuple[Vector, Vector]] = {}
        self._start = self.save()

    @property
    def controller(self) -> Controller:
        """The scene's own controller."""
        return self._feed.controller

    @property
    def time(self) -> float:
        """Time reached, s."""
        return self.engine.time

    @property
    def step_count(self) -> int:
        """Steps taken since the start."""
        return self.engine.step_count

    # ---------------------------------------------------------------------------------------- steps

    def hold(self, angle: FloatArray, rate: FloatArray | None, n_steps: int) -> None:
        """Take steps while the references are held; see `Steps.hold`.

        Raises `PhysicsError` if a step fails; the state is that before it.
        """
        rows = () if self.recording is None else self._rows_due(n_steps, driven=True)
        report = self.steps.hold(angle, rate, n_steps, rows)
        if report is not None:
            self._finish(report, driven=True)

    def give(self, torque: FloatArray, n_steps: int) -> None:
        """Take steps while the motors are given torques; see `Steps.give`. Raises as `hold`."""
        rows = () if self.recording is None else self._rows_due(n_steps, driven=True)
        report = self.steps.give(torque, n_steps, rows)
        if report is not None:
            self._finish(report, driven=True)

    def drive(self, n_steps: int) -> None:
        """Take steps under the references of the scene's own controller, as a run does. Raises as `hold`."""
        feed = self._feed
        while n_steps > 0:
            now = self.step_count
            reference = feed.reference
            if reference is None or now != self._driven_to or now >= feed.end:
                reference = feed.request(now, n_steps, self.engine.look)
            count = min(n_steps, feed.end - now)
            # A controller is shown the mean contact forces of a whole period, however it was cut
            # up.
            go_on = feed.closed_loop and feed.begin < now
            report = self.steps.follow(reference, count, go_on, self._rows_due(count))
            self._driven_to = self.step_count
            if report is not None:
                self._finish(report)
            n_steps -= count

    def _rows_due(self, n_steps: int, driven: bool = False) -> tuple[int, ...]:
        recording = self.recording
        if recording is None:
            return ()
        if driven:
            recording.note_driven(self.time)
        return recording.due(self.step_count + n_steps)

    def _finish(self, report: StepReport, driven: bool = False) -> None:
        """Record the rows of a report, and raise what it reports."""
        recording = self.recording
        if recording is not None:
            values = self.controller.values()
            recording.add(report.rows, np.full_like(values, np.nan) if driven else values)
            if not report.ok:
                recording.note_fault(self.time, report.message)
        if not report.ok:
            raise PhysicsError(report.message)

    def apply_wrench(self, link: int, force: Vector, torque: Vector) -> None:
        """Let a wrench act on a link from now on; see `Engine.apply_wrench`."""
        self.engine.apply_wrench(link, (*force, *torque))
        self._wrenches.pop(link, None)
        if any((*force, *torque)):
            self._wrenches[link] = (force, torque)
        if self.recording is not None:
            self.recording.note_pull(Pull(self.time, link, (0.0, 0.0, 0.0), force, torque))

    # --------------------------------------------------------------------------------------- states

    def save(self) -> StepState:
        """The full state; `restore` continues from it bit for bit."""
        self.steps.settle()
        wrenches = tuple((link, *wrench) for link, wrench in self._wrenches.items())
        engine = self.engine.checkpoint()
        controller = self.controller.checkpoint()
        return StepState(__version__, self.scene, engine, controller, *self._under_way(), wrenches)

    def _under_way(self) -> tuple[Reference | None, int, int]:
        """What the scene's controller has asked for, and from which step to which; None if it has to be asked again."""
        if self._driven_to != self.step_count:
            return None, 0, 0
        return self._feed.reference, self._feed.begin, self._feed.end

    def restore(self, state: StepState) -> None:
        """Go back to a state that was saved, perhaps with other values of the scene. A recording ends.

        Raises `StateError` if another version of the program saved it.
        """
        if state.program != __version__:
            raise StateError(
                f"The state was saved by SnakeStudio {state.program}, and this is {__version__}. Save it again."
            )
        self.stop_recording()
        if state.scene is not self.scene and state.scene != self.scene:
            self._build(state.scene)
        self.engine.restore(state.engine)
        self.controller.restore(state.controller)
        self._feed.set(state.reference, state.begin, state.end)
        self._driven_to = self.step_count
        self._wrenches = {link: (force, torque) for link, force, torque in state.wrenches}
        self.steps.bind()

    def restart(self, scene: Scene) -> None:
        """Go back to the start, of another scene perhaps. A recording ends; raises as a new `Stepper`."""
        if scene is self.scene:
            self.restore(self._start)
        else:
            self.stop_recording()
            self._build(scene)

    # ------------------------------------------------------------------------------------ recording

    def record(self, path: Path | None, scene_file: str) -> StepRecording:
        """Begin to record, with the present state, to a run file or (None) a temporary one."""
        self.steps.settle()
        schema = self.engine.schema
        schema = replace(schema, extra=schema.extra + self.controller.channels)
        recording = StepRecording(
            self.scene, schema, path, Origin(scene_file, self.base_dir), self.step_count
        )
        recording.add(self.engine.initial_rows(), self._present_values())
        recording.note_start(self.time, self._run_state(recording.next_row))
        for link, (force, torque) in self._wrenches.items():
            recording.note_pull(Pull(self.time, link, (0.0, 0.0, 0.0), force, torque))
        self.recording = recording
        return recording

    def _present_values(self) -> FloatArray:
        """Columns of the controller in a row of the present state, (channels,)."""
        controller = self.controller
        if self.step_count:
            values = controller.values()
            return values if self._driven_to == self.step_count else np.full_like(values, np.nan)
        if self._feed.closed_loop:  # what it makes of the start belongs to the first row
            return try_reference(controller, self.scene, 0, self.engine.snapshot)[1]
        return controller.values()

    def _run_state(self, next_row: int) -> bytes:
        """The present state as run files have it; see `Runner.checkpoint`."""
        now = self.step_count
        end = self.scene.n_steps if now <= self.scene.n_steps else now + self.scene.n_steps
        progress = Progress(*self._under_way(), next_row, now, end)
        state = self.engine.checkpoint(), self.controller.checkpoint(), progress
        return encode(state, self.scene, self.time)

    def stop_recording(self) -> None:
        """End the recording, if there is one, with a row of the present state."""
        recording = self.recording
        self.recording = None
        if recording is None:
            return
        if not recording.ends_at(self.step_count):
            self.steps.settle()
            recording.add(self.engine.initial_rows(), self._present_values())
        recording.close()
