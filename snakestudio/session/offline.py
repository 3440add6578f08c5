"""Runs from start to end at full speed: the tick of the window without its clock and thread."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from snakestudio.engines.base import Engine
from snakestudio.errors import PluginRuntimeError, SceneError
from snakestudio.model.events import Change, RunEvent
from snakestudio.model.pull import Pull
from snakestudio.model.scene import Scene
from snakestudio.model.step_estimate import StepEstimate
from snakestudio.runfile.recording import RunRecording
from snakestudio.session.clock import TICK, Clock
from snakestudio.session.contact_problem_file import where_saved
from snakestudio.session.runner import Runner

_LOOK_S = 0.1
"""Approximate interval at which `run_while` checks whether to continue, s."""


@dataclass(frozen=True, slots=True)
class OfflineRun:
    """Result of `run_offline`."""

    recording: RunRecording
    ok: bool
    """False if the simulation failed before the end; the recording has the rows up to the failure. If it
    could not be recorded completely, `recording.trouble` has the reason."""

    message: str
    """Reason of the failure, as a sentence."""

    cancelled: bool = False
    engine_seconds: float = 0.0
    """Processor time of the engine, s."""

    fault: PluginRuntimeError | None = None
    """Failure of a plug-in that stopped the run."""


def run_offline(
    scene: Scene,
    base_dir: Path | None = None,
    changes: tuple[Change | Pull, ...] = (),
    progress: Callable[[float], bool] | None = None,
    path: Path | None = None,
    scene_file: str = "",
    notes: tuple[str, ...] = (),
    ended: Callable[[RunRecording], None] | None = None,
    at_end: Callable[[Engine], object] | None = None,
    step_estimate: StepEstimate | None = None,
    *,
    began: Callable[[RunRecording], None] | None = None,
    speed: float = math.inf,
) -> OfflineRun:
    """Run a scene from start to end at full speed.

    Raises `ExportError` if a file cannot be written. Raises `SceneError` if the scene cannot run,
    or a change is not possible during a run.

    Parameters
    ----------
    base_dir : path, optional
        What relative paths in the scene are relative to.
    changes : tuple of Change and Pull
        Changes of the scene and pulls on the robot during the run, ascending in time, as in
        a recording.
    progress : callable, optional
        Receives the finished fraction repeatedly; returns False to cancel.
    path : path, optional
        Run file that is written during the run.
    scene_file : str
        Name of the scene file, for the run file.
    notes : tuple of str
        Notes about the start, recorded as events.
    ended : callable, optional
        Receives the recording after the last step, before the file is closed, and can add events.
    at_end : callable, optional
        Receives the engine after the last step, for its contact problem.
    step_estimate : StepEstimate, optional
        Dependence of the result on the time step, for the run file.
    began : callable, optional
        Receives the recording with its first row before the first step.
    speed : float
        Largest ratio of simulated time to wall time; 1 is real time.
    """
    runner = Runner(scene, base_dir, path=path, scene_file=scene_file)
    runner.recording.set_step_estimate(step_estimate)
    for note in notes:
        runner.recording.add_event(RunEvent(runner.time, "note", note))
    try:
        if began is not None:
            began(runner.recording)
        result = run_to_end(runner, changes, progress, at_end, speed)
        if ended is not None:
            ended(runner.recording)
        return result
    finally:
        runner.recording.close()


def run_to_end(
    runner: Runner,
    changes: tuple[Change | Pull, ...] = (),
    progress: Callable[[float], bool] | None = None,
    at_end: Callable[[Engine], object] | None = None,
    speed: float = math.inf,
) -> OfflineRun:
    """Continue a run with changes to the end, or until it can no longer be recorded; see `run_offline`."""
    result = _run_to_end(runner, changes, progress, speed)
    if at_end is not None:
        at_end(runner.engine)
    return result


def _run_to_end(
    runner: Runner,
    changes: tuple[Change | Pull, ...],
    progress: Callable[[float], bool] | None,
    speed: float,
) -> OfflineRun:
    scene = runner.scene
    step = scene.solver.step_s
    paced = math.isfinite(speed)
    block = (
        max(1, round((TICK * speed if paced else 0.5) / scene.control.period_s))
        * scene.steps_per_period
    )
    clock = Clock(speed)
    clock.start(runner.time)
    pending = list(changes)
    while True:
        while pending and pending[0].time <= runner.time + 0.5 * step:
            if refused := runner.repeat(pending.pop(0)):
                raise SceneError(
                    f"{', '.join(refused)} cannot change during a run. Set it before the run."
                )
        if runner.finished:
            return OfflineRun(runner.recording, True, "", engine_seconds=runner.engine_seconds)
        steps = block
        if pending:
            steps = min(block, max(1, round(pending[0].time / step) - runner.engine.step_count))
        report = runner.advance(steps)
        if not report.ok:
            message = f"{report.message}{where_saved(runner.engine)}"
            return OfflineRun(
                runner.recording, False, message, False, runner.engine_seconds, runner.error
            )
        if runner.recording.path is not None and runner.recording.trouble:
            return OfflineRun(runner.recording, True, "", engine_seconds=runner.engine_seconds)
        if progress is not None and not progress(runner.engine.step_count / runner.end_step):
            return OfflineRun(
                runner.recording, False, "The run was cancelled.", True, runner.engine_seconds
            )
        if paced:
            time.sleep(clock.delay(runner.time, 0.0))


def run_while(runner: Runner, go_ahead: Callable[[], bool]) -> str | None:
    """Continue one of many runs to the end, without messages and without a saved contact problem on failure.

    Parameters
    ----------
    go_ahead : callable
        Called about ten times a second; the run is cancelled if it returns False.

    Returns
    -------
    str or None
        Reason of a failure of the simulation, "" if there is none; None if the run was cancelled.
    """
    steps = runner.scene.steps_per_period
    while not runner.finished:
        began = time.perf_counter()
        report = runner.advance(steps)
        if not report.ok:
            return report.message
        if not go_ahead():
            return None
        took = time.perf_counter() - began
        steps = max(1, min(round(steps * min(_LOOK_S / max(took, 1e-6), 4.0)), runner.end_step))
    return ""
