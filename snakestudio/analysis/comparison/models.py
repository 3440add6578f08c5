"""One scene simulated with several formulations, and the differences between them."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from snakestudio.analysis.comparison.chains import as_chain
from snakestudio.analysis.comparison.side_by_side import run_side_by_side
from snakestudio.analysis.run_differences import (
    QUANTITIES,
    Difference,
    Samples,
    common_times,
    difference,
    sample,
)
from snakestudio.engines import registry as engines
from snakestudio.errors import Problem, SceneError, UsageError
from snakestudio.kinds.formulation import FORMULATIONS
from snakestudio.model.edits import with_value
from snakestudio.model.events import Change
from snakestudio.model.pull import Pull
from snakestudio.model.robot.discretise import CHAIN
from snakestudio.model.scene import Scene
from snakestudio.runfile.recording import RunRecording
from snakestudio.session.offline import run_offline
from snakestudio.session.runner import Runner


@dataclass(frozen=True, slots=True, eq=False)
class ModelRun:
    """Result of one formulation."""

    label: str
    """Its kind; numbered if the same kind is run more than once."""

    kind: str
    scene: Scene
    """The simulated scene: with this kind, and possibly a shorter time step."""

    recording: RunRecording | None = None
    """None if the formulation cannot run the scene."""

    refusals: tuple[str, ...] = ()
    """Reasons why it cannot."""

    failure: str = ""
    """Reason why the run stopped early; empty if it did not."""

    notes: tuple[str, ...] = ()
    """Remarks on the differences: another time step, parts of the scene that are ignored."""

    engine_seconds: float = 0.0
    """Processor time of the engine, s."""

    @property
    def end(self) -> float:
        """Simulated time it reached, s."""
        return 0.0 if self.recording is None else float(self.recording.times[-1])

    @property
    def real_time_factor(self) -> float:
        """Simulated time divided by processor time."""
        return self.end / self.engine_seconds if self.engine_seconds > 0 else math.inf


@dataclass(frozen=True, slots=True, eq=False)
class ModelComparison:
    """Comparison of runs of one scene."""

    scene: Scene
    """The scene as given."""

    runs: tuple[ModelRun, ...]
    """Runs in the requested order, including those that failed to start."""

    times: NDArray[np.float64] = field(default_factory=lambda: np.zeros(0))
    """Common times, s. Shape (k,)."""

    samples: dict[str, Samples] = field(default_factory=dict)
    """Samples of the completed runs, by label."""

    differences: dict[str, dict[str, Difference]] = field(default_factory=dict)
    """Differences from the reference, by label of the run and by name of the quantity."""

    @property
    def ran(self) -> tuple[ModelRun, ...]:
        """Runs that have a recording; the first is the reference."""
        return tuple(run for run in self.runs if run.recording is not None)

    @property
    def reference(self) -> ModelRun | None:
        """The run that the others are compared with; None if no model could run."""
        return next(iter(self.ran), None)


def chosen_kinds(scene: Scene, kinds: Sequence[str] = ()) -> tuple[str, ...]:
    """`kinds`, or if empty, all formulations of such a robot, the scene's own first.

    A body that is moved by friction is also run as a chain of `robot.n_links` links, see `fitted_to`.

    Raises `UsageError` if a kind does not exist; the message lists those that do.
    """
    own = scene.model.kind
    for kind in kinds:
        if kind not in FORMULATIONS:
            raise UsageError(
                f"There is no model {kind!r}. Choose some of {', '.join(FORMULATIONS)}."
            )
    if kinds:
        return tuple(kinds)
    if scene.body.strained:
        return (own, CHAIN) if scene.body.slides else (own,)
    return (
        own,
        *(
            kind
            for kind, each in FORMULATIONS.items()
            if kind != own and each.fields.body is scene.model.body
        ),
    )


def refusals(scene: Scene, kind: str, base_dir: Path | None = None) -> tuple[str, ...]:
    """Return the reasons why a formulation cannot run the scene; empty if it can."""
    try:
        fitted, _ = fitted_to(scene, kind, base_dir)
    except SceneError as error:
        return tuple(str(error).splitlines())
    return tuple(p.sentence() for p in engines.check(fitted, base_dir) if p.severity == "error")


def fitted_to(
    scene: Scene, kind: str, base_dir: Path | None = None
) -> tuple[Scene, tuple[str, ...]]:
    """Return the scene adapted to another formulation, with remarks.

    A time step that is too long for the formulation is replaced by its largest stable integer fraction,
    so that control periods remain integer multiples of the step. The scene's own formulation runs
    the scene unchanged, regardless of its warnings. A continuous body that is moved by friction becomes a chain
    of `robot.n_links` links in the Lagrangian model.

    Raises `SceneError` if the scene is not possible with that formulation.
    """
    own = kind == scene.model.kind
    if FORMULATIONS[kind].fields.body is not scene.model.body:
        return _other_body(scene, kind)
    fitted = scene if own else with_value(scene, "model.kind", kind)
    warnings = [
        problem for problem in engines.check(fitted, base_dir) if problem.severity == "warning"
    ]
    too_long = [problem for problem in warnings if problem.key == "solver.step_s" and not own]
    notes = [
        f"{problem.key}: {problem.message}." for problem in warnings if problem not in too_long
    ]
    if too_long:
        parts = math.ceil(scene.solver.step_s / engines.largest_stable_step(fitted) * (1 - 1e-9))
        if parts > 1:
            fitted = with_value(
                fitted, "solver.step_s", scene.control.period_s / (scene.steps_per_period * parts)
            )
            notes.insert(
                0, f"runs at 1/{parts} of the scene's time step, which is too long for it."
            )
    return fitted, tuple(notes)


def _other_body(scene: Scene, kind: str) -> tuple[Scene, tuple[str, ...]]:
    """A body as a chain of links. The reverse is refused: much of a chain's scene has no equivalent in a body."""
    if kind == CHAIN:
        n = scene.robot.n_links
        note = f"runs as a chain of {n} links (robot.n_links) whose joints follow the strain law."
        return as_chain(scene, n), (note,)
    if scene.body.jointed:
        message = "it has links but no strain law"
        remedy = "convert its gait to a continuous body: snakestudio fit-strain"
    else:
        message = "it is a continuous body"
        remedy = (
            f'compare it with "{CHAIN}" under friction, or with links: snakestudio compare chain'
        )
    problem = Problem("error", "model.kind", message, remedy)
    raise SceneError.of([problem])


def compare_models(
    scene: Scene,
    kinds: Sequence[str] = (),
    base_dir: Path | None = None,
    changes: tuple[Change | Pull, ...] = (),
    progress: Callable[[float], bool] | None = None,
    *,
    gently: bool = False,
) -> ModelComparison | None:
    """Run a scene with several formulations and compare them with the first that can run it.

    Raises `UsageError` if there is no such formulation.

    Parameters
    ----------
    kinds : sequence of str
        Formulations, the reference first; if omitted, all of them, the scene's own first.
    base_dir : Path, optional
        Folder to which relative paths in the scene are relative.
    changes : tuple of Change and Pull
        Changes of the scene and pulls on the robot during the runs, as for `run_offline`.
    progress : callable, optional
        Called with the finished fraction, from several threads but never concurrently; the comparison
        is cancelled when it returns False.
    gently : bool
        Whether to run at a lower priority, so that a window stays responsive.

    Returns
    -------
    ModelComparison or None
        None if it was cancelled.
    """
    chosen = chosen_kinds(scene, kinds)

    def run(index: int, tell: Callable[[float], bool]) -> ModelRun:
        kind = chosen[index]
        before = chosen[:index].count(chosen[index])
        label = f"{kind}_{before + 1}" if before else kind
        return _run(scene, kind, label, base_dir, changes, tell)

    works = [partial(run, index) for index in range(len(chosen))]
    runs = run_side_by_side(works, progress, gently=gently)
    return None if runs is None else _compared(scene, runs)


def _run(
    scene: Scene,
    kind: str,
    label: str,
    base_dir: Path | None,
    changes: tuple[Change | Pull, ...],
    tell: Callable[[float], bool],
) -> ModelRun:
    fitted = scene
    done = None
    why: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    if tell(0.0):
        try:
            fitted, notes = fitted_to(scene, kind, base_dir)
            # loads the compiled code, so that its time does not count as the engine's
            Runner(fitted, base_dir).advance(1)
            done = run_offline(fitted, base_dir, changes, tell)
        except SceneError as error:
            why = tuple(str(error).splitlines())
    tell(1.0)
    if done is None:
        return ModelRun(label, kind, fitted, refusals=why)
    failure = "" if done.ok else done.message
    return ModelRun(label, kind, fitted, done.recording, (), failure, notes, done.engine_seconds)


LAW_NAMES = {
    "ellipse": "the ellipse law",
    "components": "the law by components",
    "unit_velocity": "the unit-velocity law",
}
"""Names of the values of `ground.law` within a sentence."""


def friction_law(scene: Scene) -> str:
    """Return the Coulomb friction law of a scene, as in `ground.law`; "" if no such friction acts."""
    ground = scene.ground
    coefficients = (ground.mu_along, ground.mu_across, ground.mu_backward or 0.0)
    slippery = (
        max(*coefficients, *(max(each.mu_along, each.mu_across) for each in ground.patch)) == 0.0
    )
    if slippery or not scene.body.slides:
        return ""
    return FORMULATIONS[scene.model.kind].friction_law(ground.law)


def _with_laws(runs: tuple[ModelRun, ...]) -> tuple[ModelRun, ...]:
    """Return the runs, with a note on each whose friction law differs from that of the reference."""
    reference = next((run for run in runs if run.recording is not None), None)
    law = "" if reference is None else friction_law(reference.scene)

    def with_note(run: ModelRun) -> ModelRun:
        own = friction_law(run.scene)
        if reference is None or run.recording is None or not law or not own or own == law:
            return run
        name = FORMULATIONS[reference.kind].name
        note = f"friction follows {LAW_NAMES[own]}, but {LAW_NAMES[law]} in the {name} model."
        return replace(run, notes=(*run.notes, note))

    return tuple(with_note(run) for run in runs)


def _compared(scene: Scene, runs: tuple[ModelRun, ...]) -> ModelComparison:
    runs = _with_laws(runs)
    recordings = {run.label: run.recording for run in runs if run.recording is not None}
    if not recordings:
        return ModelComparison(scene, runs)
    times = common_times(list(recordings.values()))
    samples = {label: sample(recording, times) for label, recording in recordings.items()}
    reference, *others = recordings
    differences = {
        label: {q.name: difference(q, samples[label], samples[reference]) for q in QUANTITIES}
        for label in others
    }
    return ModelComparison(scene, runs, times, samples, differences)
