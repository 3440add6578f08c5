"""Runs from start to end as fast as they go: the tick of the window, without its clock and its thread."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from snakestudio.errors import SceneError
from snakestudio.model.events import Change, RunEvent
from snakestudio.model.pull import Pull
from snakestudio.model.scene import Scene
from snakestudio.model.step_estimate import StepEstimate
from snakestudio.runfile.recording import RunRecording
from snakestudio.session.clock import TICK, Clock
from snakestudio.session.contact_problem_file import where_saved, write_contact_problem
from snakestudio.session.runner import Runner

_LOOK_S = 0.1
"""About how often `run_while` asks whether a run is still wanted."""


@dataclass(frozen=True, slots=True)
class OfflineRun:
    """What `run_offline` leaves."""

    recording: RunRecording
    ok: bool
    """False if the physics failed before the end; what was recorded until then is there. Where it
    could not be recorded to the end, `recording.trouble` says so."""

    message: str
    """Why, in a sentence."""

    cancelled: bool = False
    engine_seconds: float = 0.0
    """Processor time of the engine, s."""


def run_offline(
    scene: Scene,
    base_dir: Path | None = None,
    changes: tuple[Change | Pull, ...] = (),
    progress: Callable[[float], bool] | None = None,
    path: Path | None = None,
    scene_file: str = "",
    notes: tuple[str, ...] = (),
    ended: Callable[[RunRecording], None] | None = None,
    problem: Path | None = None,
    step_estimate: StepEstimate | None = None,
    *,
    began: Callable[[RunRecording], None] | None = None,
    speed: float = math.inf,
) -> OfflineRun:
    """Run a scene from start to end as fast as it goes.

    Raises `ExportError` if that cannot be written. Raises `SceneError` if the scene cannot be run
    as it stands, or a change cannot be made while a run goes.

    Parameters
    ----------
    base_dir : path, optional
        What relative paths in the scene are relative to.
    changes : tuple of Change and Pull
        What is done to scene and robot during the run, ascending in time, as a recording notes it.
    progress : callable, optional
        Gets the finished fraction every now and then; the run is cancelled when it returns False.
    path : path, optional
        Run file to record to while the run goes.
    scene_file : str
        Name of the scene's file, for the run file.
    notes : tuple of str
        What is to be known of its start, kept as events.
    ended : callable, optional
        Gets the recording when the run is over and its file is not: what is still to be noted is
        noted there.
    problem : path, optional
        Where the contact problem of the last step is written to, see `write_contact_problem`.
    step_estimate : StepEstimate, optional
        How far the result depends on the time step, for the run file.
    began : callable, optional
        Gets the recording, with its first row, before the run begins.
    speed : float
        Simulated over wall time, at most: 1 is real time.
    """
    runner = Runner(scene, base_dir, path=path, scene_file=scene_file)
    runner.recording.set_step_estimate(step_estimate)
    for note in notes:
        runner.recording.add_event(RunEvent(runner.time, "note", note))
    try:
        if began is not None:
            began(runner.recording)
        result = run_to_end(runner, changes, progress, problem, speed)
        if ended is not None:
            ended(runner.recording)
        return result
    finally:
        runner.recording.close()


def run_to_end(
    runner: Runner,
    changes: tuple[Change | Pull, ...] = (),
    progress: Callable[[float], bool] | None = None,
    problem: Path | None = None,
    speed: float = math.inf,
) -> OfflineRun:
    """Run on to the end, with changes on the way, or until it cannot be recorded any more; see `run_offline`."""
    result = _run_to_end(runner, changes, progress, speed)
    if problem is not None:
        write_contact_problem(problem, runner.engine)
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
                    f"{', '.join(refused)}: this cannot change while a run goes; set it before the run."
                )
        if runner.finished:
            return OfflineRun(runner.recording, True, "", engine_seconds=runner.engine_seconds)
        steps = block
        if pending:
            steps = min(block, max(1, round(pending[0].time / step) - runner.engine.step_count))
        report = runner.advance(steps)
        if not report.ok:
            message = f"{report.message}{where_saved(runner.engine)}"
            return OfflineRun(runner.recording, False, message, False, runner.engine_seconds)
        if runner.recording.path is not None and runner.recording.trouble:
            return OfflineRun(runner.recording, True, "", engine_seconds=runner.engine_seconds)
        if progress is not None and not progress(runner.engine.step_count / runner.end_step):
            return OfflineRun(
                runner.recording, False, "The run was cancelled.", True, runner.engine_seconds
            )
        if paced:
            time.sleep(clock.delay(runner.time, 0.0))


def run_while(runner: Runner, wanted: Callable[[], bool]) -> str | None:
    """Run on to the end, one of many runs: nothing is said of it, and nothing written if the physics fails.

    Parameters
    ----------
    wanted : callable
        Asked about ten times a second; where it returns False the run is given up.

    Returns
    -------
    str or None
        Why the physics failed, or "" if it did not; None if the run was given up.
    """
    steps = runner.scene.steps_per_period
    while not runner.finished:
        began = time.perf_counter()
        report = runner.advance(steps)
        if not report.ok:
            return report.message
        if not wanted():
            return None
        took = time.perf_counter() - began
        steps = max(1, min(round(steps * min(_LOOK_S / max(took, 1e-6), 4.0)), runner.end_step))
    return ""
