"""Check of the time step: a scene is run with its step, half of it and a quarter of it.

The error of a value at the scene's step is estimated in one of two ways:

- *order*: where the values at three steps h, h/2, h/4 approach a limit like C h^p, p = log2(|v1 -
  v2| / |v2 - v3|), and the error of v1 is |v1 - v2| / (1 - 2^-p) (Richardson). A vector has one
  order for all its parts.
- *spread*: otherwise, the largest difference between any two of the values; for only two steps,
  twice their difference, which is the error of a first-order method.

A result converges if halving the step again reduces the difference by a factor of at least sqrt(2),
or if all differences are small. The positions of all links at the end are included: nearby runs
that diverge can agree in a single value by chance, but never in all positions.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Literal

import numpy as np

from snakestudio._arrays import FloatArray
from snakestudio.analysis.comparison.side_by_side import run_side_by_side
from snakestudio.engines import registry as engines
from snakestudio.kinds.formulation import FORMULATIONS
from snakestudio.kinds.reads import readers
from snakestudio.model.edits import with_values
from snakestudio.model.events import Change
from snakestudio.model.pull import Pull
from snakestudio.model.recording import Recording, Rows
from snakestudio.model.scene import Scene
from snakestudio.model.scene_file import scene_hash
from snakestudio.model.step_estimate import StepEstimate
from snakestudio.runfile.recording import RunRecording
from snakestudio.session.offline import run_offline

TARGET = 0.01
"""Relative error that the proposed step aims at."""

_ENOUGH = 0.002
"""Relative error, estimated from two runs, below which a third run is not needed."""

_LEAST_ORDER = 0.5
_MOST_ORDER = 5.5
_MOST_NONSMOOTH_ORDER = 2.5
"""Largest plausible orders: methods that solve contact problems are of order 1, the others up to
order 5. A higher apparent order means that the differences are small by chance."""

_SAME_DIRECTION = 0.5
"""Smallest cosine between two successive differences of a vector that converges."""

_ROUNDING = 1e-9
"""Relative difference below which no order is determined, because it may be rounding."""

_NEAR_ZERO = 0.01
"""Fraction of its scale below which a value counts as zero; its error is then relative to the scale."""

_ADAPTIVE = "solver.error_tolerance"
_FORCE = "largest_force_n"

Basis = Literal["order", "two steps", "spread", "unsettled", "none"]


@dataclass(frozen=True, slots=True, eq=False)
class StepRun:
    """The run with one time step."""

    scene: Scene
    recording: RunRecording | None
    """Its rows, until the run has been evaluated."""
    complete: bool = False
    """Whether it reached its end."""
    failure: str = ""
    """Reason why it ended early; empty if it did not."""
    stable: bool = True
    """Whether the explicit parts of the model are stable with the step."""
    engine_seconds: float = 0.0
    """Processor time of the engine, s."""

    @property
    def step(self) -> float:
        """Its time step, s."""
        return self.scene.solver.step_s


@dataclass(frozen=True, slots=True)
class QuantityCheck:
    """One quantity of all runs, and its error at the scene's step."""

    name: str
    """In the form of a column name, ending in the unit."""
    label: str
    unit: str
    values: tuple[float, ...]
    """Values of all runs, longest step first; NaN for a failed run."""
    error: float
    """Estimated absolute error at the scene's step; NaN if it does not converge or cannot be
    estimated."""
    reference: float
    """Reference of the relative error: the magnitude of the value or, if that is near zero, its
    scale."""
    relative_to: str
    """Description of the reference: "value", or the name of the scale."""
    basis: Basis
    order: float = math.nan
    """Observed order of convergence; NaN if it cannot be determined."""

    @property
    def relative(self) -> float:
        """Error as a fraction of the reference."""
        return self.error / self.reference if self.error else 0.0

    @property
    def settled(self) -> bool:
        """Whether the value converges with finer steps."""
        return self.basis not in ("unsettled", "none")


@dataclass(frozen=True, slots=True)
class StepCheck:
    """Result of a check of the time step."""

    scene: Scene
    changes: tuple[Change | Pull, ...]
    runs: tuple[StepRun, ...]
    """From the scene's own step to the finest."""
    quantities: tuple[QuantityCheck, ...]
    """Net displacement, mean speed, largest force, work of the actuators and of friction."""
    motion_settled: bool
    """Whether the positions of the links at the end converge with finer steps."""
    apart: tuple[float, ...]
    """RMS distance of the links at the end between each complete run and the next finer one, m."""
    notes: tuple[str, ...]
    """Remarks on the runs."""
    proposal: dict[str, float] | None = None
    """Scene values with which errors are about 1 %; empty if the current ones are sufficient, None if
    none are proposed."""
    verdict: str = ""
    """Summary in one or two sentences."""

    @property
    def settled(self) -> bool:
        """Whether the motion and the works converge; the largest force need not."""
        return self.motion_settled and all(
            each.settled for each in self.quantities if each.name != _FORCE
        )

    @property
    def estimate(self) -> StepEstimate | None:
        """The part that is written to run files; None if too few runs reached their end."""
        own = self.runs[0]
        if not own.complete or sum(run.complete for run in self.runs) < 2:
            return None
        return StepEstimate.of(
            {
                "scene_sha256": scene_hash(self.scene),
                "changes": len(self.changes),
                "duration_s": self.scene.run.duration_s,
                "step_s": own.step,
                "finer_steps_s": [run.step for run in self.runs[1:] if run.complete],
                "settled": self.settled,
                **{
                    quantity.name: {
                        "value": _finite(quantity.values[0]),
                        "error": _finite(quantity.error),
                        "percent": _finite(float(f"{100 * quantity.relative:.3g}")),
                        "percent_of": quantity.relative_to,
                        "from": f"order {quantity.order:.2f}"
                        if quantity.basis == "order"
                        else quantity.basis,
                    }
                    for quantity in self.quantities
                },
            }
        )


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None


def check_step_size(
    scene: Scene,
    base_dir: Path | None = None,
    changes: tuple[Change | Pull, ...] = (),
    progress: Callable[[float], bool] | None = None,
    *,
    gently: bool = False,
) -> StepCheck | None:
    """Run a scene with its time step and half of it in parallel, then with a quarter if needed.

    Raises `SceneError` if the scene cannot be run.

    Parameters
    ----------
    base_dir : Path, optional
        Folder to which relative paths in the scene are relative.
    changes : tuple of Change
        Changes of the scene during the run, as for `run_offline`.
    progress : callable, optional
        Called with the finished fraction, from several threads but never concurrently; the check is
        cancelled when it returns False.
    gently : bool
        Whether to run at a lower priority.

    Returns
    -------
    StepCheck or None
        None if it was cancelled.
    """
    coarse_work = 3.0 / 7.0  # fraction of the work: 1 + 2 of 1 + 2 + 4

    def first(fraction: float) -> bool:
        return progress is None or progress(coarse_work * fraction)

    def second(fraction: float) -> bool:
        return progress is None or progress(coarse_work + (1.0 - coarse_work) * fraction)

    works = [partial(_run, refined(scene, parts), base_dir, changes) for parts in (1, 2)]
    runs = run_side_by_side(works, first, weights=(1.0, 2.0), gently=gently)
    if runs is None:
        return None
    if not _two_suffice(runs):
        works = [partial(_run, refined(scene, 4), base_dir, changes)]
        finest = run_side_by_side(works, second, gently=gently)
        if finest is None:
            return None
        runs += finest
    check = judge(scene, changes, runs)
    # Recordings hold files and memory, and are no longer needed.
    return replace(check, runs=tuple(replace(run, recording=None) for run in runs))


def refined(scene: Scene, parts: int) -> Scene:
    """Return the scene with its step divided by `parts`.

    For formulations that adapt their steps to an error tolerance, the tolerance is divided by the square
    of `parts`: in the least accurate method, of order 1, the error of a step grows with its square.
    """
    if parts == 1:
        return scene
    values = {"solver.step_s": scene.solver.step_s / parts}
    if _adaptive(scene):
        values[_ADAPTIVE] = scene.solver.error_tolerance / parts**2
    return with_values(scene, values)


def _adaptive(scene: Scene) -> bool:
    return scene.model.kind in readers(_ADAPTIVE)


def _run(
    scene: Scene,
    base_dir: Path | None,
    changes: tuple[Change | Pull, ...],
    report: Callable[[float], bool],
) -> StepRun:
    warnings = engines.check(scene, base_dir)
    stable = not any(
        problem.key == "solver.step_s" and problem.severity == "warning" for problem in warnings
    )
    if not report(0.0):
        return StepRun(scene, None)
    done = run_offline(scene, base_dir, changes, report)
    report(1.0)
    failure = "" if done.ok else done.message
    return StepRun(scene, done.recording, done.ok, failure, stable, done.engine_seconds)


# --- measurement of a run --------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Measures:
    """Compared values of one run. Vectors are in m; `links` are the link centres at the end, (n, 3)."""

    displacement: FloatArray
    path: float
    """Length of the path of the centre of mass, m."""
    links_path: float
    """Mean length of the paths of the links, m."""
    duration: float
    force: float
    actuator_work: float
    friction_work: float
    turnover: float
    links: FloatArray


def _measure(recording: Recording) -> _Measures:
    """Return the measures of a complete run."""
    energy = recording.schema.energy
    actuator = energy.index("work_actuator")
    friction = energy.index("work_friction")
    start: FloatArray | None = None
    centre = np.zeros(3)
    path = links_path = force = actuator_turnover = friction_turnover = 0.0
    before: Rows | None = None
    for piece in recording.chunks():
        rows = piece if before is None else Rows.concatenate([before, piece])
        centres = rows.link_pose[:, :, :3]
        track = np.einsum("n,kna->ka", recording.schema.mass_shares, centres)
        start = track[0] if start is None else start
        centre = track[-1]
        path += float(np.linalg.norm(np.diff(track, axis=0), axis=1).sum())
        links_path += float(np.linalg.norm(np.diff(centres, axis=0), axis=2).mean(axis=1).sum())
        force = max(force, _largest_force(rows))
        actuator_turnover += float(np.abs(np.diff(rows.energy[:, actuator])).sum())
        friction_turnover += float(np.abs(np.diff(rows.energy[:, friction])).sum())
        before = rows.slice(len(rows) - 1, len(rows))
    assert before is not None
    assert start is not None
    return _Measures(
        displacement=centre - start,
        path=path,
        links_path=links_path,
        duration=float(before.time[0]),
        force=force,
        actuator_work=float(before.energy[0, actuator]),
        friction_work=float(before.energy[0, friction]),
        turnover=max(actuator_turnover, friction_turnover),
        links=before.link_pose[0, :, :3],
    )


def _largest_force(rows: Rows) -> float:
    """Return the largest contact force on a link, as the mean between two rows, or force of an anchor or support, N."""
    span = np.diff(rows.time)
    impulses = np.diff(rows.impulse_obstacle + rows.impulse_ground, axis=0)
    sizes = np.linalg.norm(impulses, axis=2).max(axis=1, initial=0.0)
    mean = np.divide(sizes, span, out=np.zeros_like(span), where=span > 0)
    held = np.linalg.norm(rows.hold[:, :, 8:11], axis=2).max(initial=0.0)
    return max(float(mean.max(initial=0.0)), float(held))


# --- evaluation -------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Series:
    """A quantity of the evaluated runs, with the scale of its error where it is near zero."""

    name: str
    label: str
    unit: str
    values: tuple[FloatArray, ...]
    scale: float
    scale_name: str
    distance_scale: float = 1.0
    """Factor of distances between values: 1 / sqrt(n) gives the RMS over n links."""
    absolute: bool = False
    """Whether errors are always relative to the scale, because the magnitude of the value has no
    meaning."""

    def distance(self, one: int, other: int) -> float:
        """Return the distance between two values."""
        return self.distance_scale * float(np.linalg.norm(self.values[one] - self.values[other]))

    def reference(self, limit: FloatArray | None = None) -> tuple[float, str]:
        """Return the reference of the errors and its name; `limit` is the value for a vanishing step, if known."""
        size = self.distance_scale * float(
            np.linalg.norm(self.values[-1] if limit is None else limit)
        )
        near_zero = self.absolute or size < _NEAR_ZERO * self.scale
        return (self.scale, self.scale_name) if near_zero else (size, "value")


@dataclass(frozen=True, slots=True)
class _Judgement:
    """The error of the first value of a series."""

    error: float
    basis: Basis
    order: float = math.nan
    limit: FloatArray | None = None
    """Value for a vanishing step; None if the order cannot be determined."""


def _series(scene: Scene, measures: Sequence[_Measures]) -> tuple[_Series, ...]:
    """Return the reported quantities and, last, the positions of the links, which are not reported."""
    body = scene.body
    last = measures[-1]
    length = max(last.links_path, 1e-6 * body.length)
    weight = 9.81 * body.mass / body.n_parts
    energy = max(last.turnover, 1e-9)

    def scalars(name: str, scale: float = 1.0) -> tuple[FloatArray, ...]:
        return tuple(np.array([getattr(each, name) * scale]) for each in measures)

    speeds = tuple(np.array([each.path / each.duration]) for each in measures)
    return (
        _Series(
            "net_displacement_m",
            "Net displacement",
            "m",
            tuple(each.displacement for each in measures),
            length,
            "path of a link",
        ),
        _Series(
            "mean_speed_mps", "Mean speed", "m/s", speeds, length / last.duration, "speed of a link"
        ),
        _Series(_FORCE, "Largest force", "N", scalars("force"), weight, "weight of a link"),
        _Series(
            "work_actuator_j",
            "Actuator work",
            "J",
            scalars("actuator_work"),
            energy,
            "energy converted",
        ),
        _Series(
            "work_friction_j",
            "Friction work",
            "J",
            scalars("friction_work"),
            energy,
            "energy converted",
        ),
        _Series(
            "links",
            "Links at the end",
            "m",
            tuple(each.links for each in measures),
            length,
            "path of a link",
            1.0 / math.sqrt(len(last.links)),
            absolute=True,
        ),
    )


def _judge_series(series: _Series, most_order: float) -> _Judgement:
    """Return the error of the first value. Orders up to `most_order` are plausible; 0: no order can be determined."""
    reference, _ = series.reference()
    visible = most_order > 0.0
    count = len(series.values)
    if count < 2:
        return _Judgement(math.nan, "none")
    first = series.distance(0, 1)
    if count == 2:
        if visible:
            return _Judgement(2.0 * first, "two steps")
        return _spread(first, settled=first <= TARGET * reference)
    second = series.distance(1, 2)
    spread = max(first, second, series.distance(0, 2))
    if visible and min(first, second) > _ROUNDING * reference:
        order = math.log2(first / second)
        along = float(
            np.vdot(series.values[0] - series.values[1], series.values[1] - series.values[2])
        )
        cosine = along * series.distance_scale**2 / (first * second)
        if _LEAST_ORDER <= order <= most_order and cosine >= _SAME_DIRECTION:
            limit = series.values[2] + (series.values[2] - series.values[1]) / (2.0**order - 1.0)
            return _Judgement(first / (1.0 - 2.0**-order), "order", order, limit)
    shrinks = second <= first * 2.0**-_LEAST_ORDER
    settled = shrinks if visible else second <= TARGET * reference
    return _spread(spread, settled=settled or spread <= TARGET * reference)


def _spread(spread: float, *, settled: bool) -> _Judgement:
    return _Judgement(spread, "spread") if settled else _Judgement(math.nan, "unsettled")


def _two_suffice(runs: Sequence[StepRun]) -> bool:
    """Return whether a third run is unnecessary: two agree well enough, or the first failed."""
    if not runs[0].complete:
        return True
    if not (runs[1].complete and runs[0].stable):
        return False
    measures = [_measure(run.recording) for run in runs if run.recording is not None]
    return all(
        2.0 * series.distance(0, 1) <= _ENOUGH * series.reference()[0]
        for series in _series(runs[0].scene, measures)
    )


def judge(scene: Scene, changes: tuple[Change | Pull, ...], runs: tuple[StepRun, ...]) -> StepCheck:
    """Evaluate finished runs with ever finer steps."""
    complete = [run for run in runs if run.complete]
    notes = _notes(scene, runs)
    if len(complete) < 2:
        proposal, verdict = _proposal_after_failures(scene, runs, complete)
        return StepCheck(scene, changes, runs, (), False, (), notes, proposal, verdict)
    measures = [_measure(run.recording) for run in complete if run.recording is not None]
    # If a step oscillates or a run is missing, only the spread between the runs can be
    # determined.
    most_order = 0.0
    if runs[0].stable and len(complete) == len(runs):
        most_order = (
            _MOST_NONSMOOTH_ORDER
            if FORMULATIONS[scene.model.kind].contact_problems
            else _MOST_ORDER
        )
    *reported, links = _series(scene, measures)
    quantities = []
    for series in reported:
        judged = _judge_series(series, most_order)
        reference, relative_to = series.reference(judged.limit)
        sizes = iter(float(np.linalg.norm(v)) if len(v) > 1 else float(v[0]) for v in series.values)
        values = tuple(next(sizes) if run.complete else math.nan for run in runs)
        quantities.append(
            QuantityCheck(
                series.name,
                series.label,
                series.unit,
                values,
                judged.error,
                reference,
                relative_to,
                judged.basis,
                judged.order,
            )
        )
    motion_settled = _judge_series(links, most_order).basis != "unsettled"
    apart = tuple(links.distance(index, index + 1) for index in range(len(complete) - 1))
    check = StepCheck(scene, changes, runs, tuple(quantities), motion_settled, apart, notes)
    proposal, verdict = _proposal(check, complete)
    return replace(check, proposal=proposal, verdict=verdict)


def _notes(scene: Scene, runs: Sequence[StepRun]) -> tuple[str, ...]:
    notes = [
        f"The run at {_ms(run.step)} ended at {float(run.recording.times[-1]):g} s: {run.failure}"
        for run in runs
        if run.recording is not None and run.failure
    ]
    if _adaptive(scene):
        tolerances = ", ".join(f"{run.scene.solver.error_tolerance:.3g}" for run in runs)
        notes.append(
            f"This model divides its steps to keep {_ADAPTIVE}. The finer runs have smaller tolerances: {tolerances}."
        )
    return tuple(notes)


def _proposal_after_failures(
    scene: Scene, runs: Sequence[StepRun], complete: Sequence[StepRun]
) -> tuple[dict[str, float] | None, str]:
    """Return the proposal if fewer than two runs reached their end."""
    if not runs[0].stable:
        return _stable_proposal(scene)
    if complete and not runs[0].complete:
        values = _values(scene, complete[0].step / runs[0].step)
        return (
            values,
            f"The run reaches its end with {_values_text(values)}. Use that, then check again.",
        )
    return None, "The time step cannot be judged, because too few runs reached their end."


def _stable_proposal(scene: Scene) -> tuple[dict[str, float], str]:
    step = scene.solver.step_s
    stable = engines.largest_stable_step(scene)
    values = _values(scene, 0.9 * stable / step)
    return values, (
        f"{_ms(step)} exceeds the largest stable step, {_ms(stable)}. Use {_values_text(values)}, then check again."
    )


def _proposal(check: StepCheck, complete: Sequence[StepRun]) -> tuple[dict[str, float] | None, str]:
    """Return the values for `TARGET`, and the summary."""
    scene = check.scene
    own = check.runs[0]
    if not own.stable:
        return _stable_proposal(scene)
    if not check.motion_settled:
        return None, (
            f"The motion does not converge with finer steps: at the end the links are {_apart(check, complete)}. It is "
            "chaotic or discontinuous, so no step is proposed. Compare statistics of several runs instead of one run."
        )
    if not check.settled:
        label = next(
            each.label for each in check.quantities if not each.settled and each.name != _FORCE
        )
        return (
            None,
            f"The motion converges with finer steps, but not the {label.lower()}, so no step is proposed.",
        )
    peak = next(each for each in check.quantities if each.name == _FORCE)
    # The peak of a force may depend on the step without any order: then no step would be fine
    # enough for it.
    counted = [each for each in check.quantities if each is not peak or peak.basis == "order"]
    worst = min(counted, key=_factor)
    besides = (
        ""
        if peak in counted or peak.relative <= TARGET
        else " Only the largest force is less certain."
    )
    if worst.relative <= TARGET:
        return (
            {},
            f"The errors are within 1 % at {_ms(own.step)}: the time step is short enough.{besides}",
        )
    values = _values(scene, _factor(worst))
    step = values["solver.step_s"]
    beyond = ""
    if step < 0.5 * complete[-1].step:
        beyond = " It is far below the simulated steps, so repeat the check with it."
    now = f"The error of the {worst.label.lower()} is {100 * worst.relative:.2g} % at {_ms(own.step)}."
    return values, f"{now} For 1 %, use {_values_text(values)}.{beyond}{besides}"


def _apart(check: StepCheck, complete: Sequence[StepRun]) -> str:
    """Return the distances between the links of each run and those of the next finer one."""
    parts = [
        f"{_mm(distance)} apart between {_ms(longer.step)} and {_ms(shorter.step)}"
        for distance, longer, shorter in zip(check.apart, complete, complete[1:], strict=False)
    ]
    return f"{' and '.join(parts)} (RMS)"


def _factor(quantity: QuantityCheck) -> float:
    """Return the factor of the step for a relative error of `TARGET`; 1 if the error is already smaller."""
    if quantity.relative <= TARGET:
        return 1.0
    order = quantity.order if quantity.basis == "order" else 1.0
    return math.pow(TARGET / quantity.relative, 1.0 / order)


def _values(scene: Scene, factor: float) -> dict[str, float]:
    """The step times `factor`, rounded down to an integer fraction of the control period, if possible a round one."""
    period = scene.control.period_s
    target = factor * scene.solver.step_s
    least = math.ceil(period / target * (1.0 - 1e-9))
    counts = range(least, least + max(1, least // 3) + 1)
    round_ones = (
        count
        for count in counts
        if float(f"{period / count:.2g}") == float(f"{period / count:.12g}")
    )
    step = float(f"{period / next(round_ones, least):.15g}")
    values = {"solver.step_s": step}
    if _adaptive(scene):
        tolerance = scene.solver.error_tolerance * (step / scene.solver.step_s) ** 2
        values[_ADAPTIVE] = float(f"{tolerance:.2g}")
    return values


def _values_text(values: dict[str, float]) -> str:
    parts = [f"a step of {_ms(values['solver.step_s'])}"]
    parts += [
        f"an error tolerance of {values[_ADAPTIVE]:.2g}" for key in values if key == _ADAPTIVE
    ]
    return " and ".join(parts)


def _ms(step: float) -> str:
    return f"{1000 * step:.4g} ms"


def _mm(distance: float) -> str:
    return f"{1000 * distance:.2g} mm" if distance < 0.1 else f"{distance:.2g} m"
