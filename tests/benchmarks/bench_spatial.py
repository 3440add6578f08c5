"""The spatial engine on one core: speed, convergence of steps, growth with the links, and comparison with MuJoCo."""

from __future__ import annotations

import math
import time
from dataclasses import dataclass

import numpy as np

from snakestudio._arrays import IntArray
from snakestudio.engines import registry
from snakestudio.model.edits import with_values
from snakestudio.model.motion import GaitStart, StraightStart, TwoWaves
from snakestudio.model.obstacles.shapes.cylinder import Cylinder
from snakestudio.model.recording import Rows
from snakestudio.model.reference import JointReference
from snakestudio.model.robot.robot import Robot
from snakestudio.model.scene import Run, Scene
from snakestudio.session.offline import run_offline
from tests.engines import planar
from tests.engines.common import circle, gait_reference
from tests.engines.spatial import case_scene, in_space
from tests.peers import mujoco_robot

Row = tuple[str, object, str, str, bool]

CLOCK = time.process_time
SECONDS = 15.0
RECORD = Run(duration_s=SECONDS, log_rate_hz=100.0)


@dataclass(frozen=True, slots=True)
class Case:
    """A measured run and its bars: us a step, share of converged steps, time relative to MuJoCo (None: no bar)."""

    name: str
    scene: Scene
    step_us: float
    converged: float
    ratio: float | None


def cases() -> tuple[Case, ...]:
    """The three runs of paper P1 and the spatial one of P2, 15 s each, 100 rows a second."""
    sidewinding, flat, orthotropic = (
        case_scene(name, run=RECORD)
        for name in (
            "sidewinding",
            "spatial_lateral_undulation_isotropic",
            "spatial_lateral_undulation",
        )
    )
    between = in_space(planar.case_scene("obstacle_aided"), run=RECORD)
    return (
        Case("sidewinding", sidewinding, 6.0, 0.9999, 0.35),
        Case("flat, isotropic", flat, 8.0, 0.9999, 0.12),
        Case("flat, orthotropic", orthotropic, 8.0, 0.9999, None),
        Case("between cylinders", between, 12.0, 0.999, 0.16),
    )


def rows_of(scene: Scene) -> tuple[Rows, float]:
    """Recorded rows of a whole run as on the command line, and its CPU time per step, s."""
    begin = CLOCK()
    result = run_offline(scene)
    spent = CLOCK() - begin
    assert result.ok, result.message
    recording = result.recording
    return recording.rows(0, len(recording)), spent / scene.n_steps


def iterations(scene: Scene) -> IntArray:
    """Newton iterations of each step of a run."""
    engine = registry.create(scene)
    reference = gait_reference(scene, scene.n_steps)
    sums: list[IntArray] = [np.zeros(1, np.int64)]
    for begin in range(0, scene.n_steps, 2000):
        end = min(begin + 2000, scene.n_steps)
        report = engine.advance(reference, end - begin, range(begin + 1, end + 1))
        assert report.ok, report.message
        sums.append(report.rows.solver_iterations)
    return np.diff(np.concatenate(sums))


def measure(case: Case) -> list[Row]:
    """Speed and convergence of a case, in turns with MuJoCo on the same task."""
    scene = case.scene
    steps = case.scene.n_steps
    reference = gait_reference(scene, steps)
    ours = math.inf
    default = math.inf
    elliptic = math.inf
    exported = math.inf
    for turn in range(3):  # in turns, so that other load affects all of them
        rows, spent = rows_of(scene)
        ours = min(ours, spent)
        if case.ratio is not None:
            peer = mujoco_robot.roll_out(scene, reference, steps, cone="pyramidal", lean=True)
            default = min(default, peer.cpu_s / steps)
            if turn == 0:
                elliptic = mujoco_robot.roll_out(scene, reference, steps, lean=True).cpu_s / steps
                exported = mujoco_robot.roll_out(scene, reference, steps).cpu_s / steps
    fraction = 1.0 - int(rows.solver_unconverged[-1]) / steps
    each = iterations(scene)
    result: list[Row] = [
        (
            f"{case.name}: CPU time of a step",
            1e6 * ours,
            "us",
            f"<= {case.step_us:g}",
            1e6 * ours <= case.step_us,
        ),
        (
            f"{case.name}: steps with residual <= 1e-8",
            100 * fraction,
            "%",
            f">= {100 * case.converged:g}",
            fraction >= case.converged,
        ),
        (f"{case.name}: Newton iterations a step", float(each.mean()), "", "", True),
        (
            f"{case.name}: Newton iterations, 99 % of steps",
            int(np.percentile(each, 99)),
            "",
            "",
            True,
        ),
    ]
    if case.ratio is not None:
        ratio = ours / default
        result += [
            (f"{case.name}: MuJoCo, default", 1e6 * default, "us", "", True),
            (f"{case.name}: MuJoCo, elliptic cones", 1e6 * elliptic, "us", "", True),
            (f"{case.name}: MuJoCo, exported model as it is", 1e6 * exported, "us", "", True),
            (
                f"{case.name}: ours / MuJoCo default",
                ratio,
                "",
                f"<= {case.ratio:g}",
                ratio <= case.ratio,
            ),
            (f"{case.name}: ours / MuJoCo elliptic", ours / elliptic, "", "", True),
        ]
    return result


# ------------------------------------------------------------------------------------------- growth


def row_of_posts(n: int) -> tuple[Cylinder, ...]:
    """The paper's seven pipes continued at their spacing, so that all n links are between pipes."""
    first = -math.ceil(max(n - 11, 0) * 0.122 / 0.368) - 1
    return tuple(
        circle(0.0507 + 0.368 * k, 0.1761 if k % 2 == 0 else 0.0029, 0.125) for k in range(first, 9)
    )


def longer(n: int) -> dict[str, Scene]:
    """The runs whose growth is measured, with n links."""

    def with_links(scene: Scene, start: GaitStart | StraightStart) -> Scene:
        robot = scene.robot.model_copy(update={"n_links": n})
        return scene.model_copy(update={"robot": robot, "start": start})

    wave = GaitStart(kind="gait", link=6, x_m=0.515, y_m=0.157, heading_deg=180.0)
    between = in_space(planar.case_scene("obstacle_aided")).model_copy(
        update={"obstacles": row_of_posts(n)}
    )
    # The case's sudden start of 3 degrees is an impact of 24 N m, which 88 straight links cannot
    # withstand.
    sidewinding = with_values(case_scene("sidewinding"), {"control.soft_start_deg": 90.0})
    return {
        "sidewinding": with_links(sidewinding, StraightStart(kind="straight", heading_deg=180.0)),
        "flat, isotropic": with_links(case_scene("spatial_lateral_undulation_isotropic"), wave),
        "between cylinders": with_links(between, wave),
    }


def timed(
    scene: Scene, steps: int, reference: JointReference | None = None
) -> tuple[float, float, float]:
    """CPU time of a step (s), share of converged steps, mean iterations; directly on the engine, 100 rows a second.

    Steps after the failure of a run count as not converged.
    """
    every = round(0.01 / scene.solver.step_s)
    engine = registry.create(scene)
    reference = reference or gait_reference(scene, steps)
    begin = CLOCK()
    report = engine.advance(reference, steps, range(every, steps + 1, every))
    spent = CLOCK() - begin
    taken = max(report.steps, 1)
    return spent / taken, (report.steps - report.unconverged) / steps, report.iterations / taken


MOST_GROWTH = {"between cylinders": 1.35}
"""Bars of the growth exponents other than 1.1."""

MOST_ITERATIONS = {"between cylinders": 10.0}
"""Bars of the iterations and linear solves of a step with 88 links, which do not depend on the machine."""


def growth() -> list[Row]:
    """Growth of the cost of a step from 11 to 88 links."""
    result: list[Row] = []
    few = longer(11)
    many = longer(88)
    for name in few:
        best = [math.inf, math.inf]
        work = [0.0, 0.0]
        fraction = 1.0
        for _ in range(3):
            for which, scene in enumerate((few[name], many[name])):
                spent, converged, work[which] = timed(scene, 16000)
                best[which] = min(best[which], spent)
                fraction = min(fraction, converged)
        exponent = math.log(best[1] / best[0]) / math.log(8.0)
        most = MOST_ITERATIONS.get(name, math.inf)
        steepest = MOST_GROWTH.get(name, 1.1)
        bar = f"<= {most:g}" if math.isfinite(most) else ""
        result += [
            (f"{name}, n = 88: CPU time of a step", 1e6 * best[1], "us", "", True),
            (f"{name}: iterations a step, n = 11", work[0], "", "", True),
            (f"{name}: iterations a step, n = 88", work[1], "", bar, work[1] <= most),
            (
                f"{name}: steps with residual <= 1e-8, worst",
                100 * fraction,
                "%",
                ">= 99.9",
                fraction >= 0.999,
            ),
            (
                f"{name}: growth exponent from n = 11 to 88",
                exponent,
                "",
                f"<= {steepest:g}",
                exponent <= steepest,
            ),
        ]
    return result


# -------------------------------------------------------------------------------------- other tasks


def implicit() -> list[Row]:
    """Sidewinding with implicit joints at 1/500 s: real-time factor and accuracy."""
    scene = case_scene("sidewinding", run=RECORD)
    coarse = with_values(scene, {"solver.step_s": 0.002, "solver.joints": "implicit"})
    fine = with_values(scene, {"solver.step_s": 1 / 16000})
    rows_of(coarse)
    factor = 0.0
    for _ in range(3):
        rows, spent = rows_of(coarse)
        factor = max(factor, coarse.solver.step_s / spent)
    truth = rows_of(fine)[0].link_pose[:, 5, :3]
    track = rows.link_pose[:, 5, :3]
    path = float(np.linalg.norm(np.diff(truth, axis=0), axis=1).sum())
    off = float(np.linalg.norm(track - truth, axis=1).max()) / path
    return [
        ("implicit joints at 1/500 s: real-time factor", factor, "x", ">= 200", factor >= 200),
        (
            "implicit joints at 1/500 s: deviation from 1/16000 s",
            100 * off,
            "% of it",
            "<= 1.5",
            off <= 0.015,
        ),
    ]


def stress() -> list[Row]:
    """Hard contact problems: a start that is not the gait's, sliding down a slope, landing."""
    flat = case_scene("spatial_lateral_undulation")
    odd = flat.model_copy(
        update={
            "robot": flat.robot.model_copy(update={"n_links": 88}),
            "start": GaitStart(kind="gait", heading_deg=180.0, amplitude_deg=40.0),
        }
    )
    isotropic = case_scene("spatial_lateral_undulation_isotropic")
    tilted = with_values(isotropic, {"ground.slope_deg": 12.0, "ground.downhill_deg": 30.0})
    start = GaitStart(kind="gait", heading_deg=180.0, z_m=0.5, pitch_deg=10.0, roll_deg=20.0)
    waves = TwoWaves(kind="two_waves", amplitude_deg=30.0, pitch_amplitude_deg=10.0)
    landing = case_scene("sidewinding", start=start, gait=waves)
    landing = with_values(landing, {"control.soft_start_deg": 0.0})
    many = Scene(
        model=landing.model,
        robot=Robot(n_links=22),
        start=start.model_copy(update={"z_m": 1.0}),
        gait=waves,
    )
    result: list[Row] = []
    for name, scene, steps in (
        ("40 deg pose under a 30 deg gait, n = 88", odd, 8000),
        ("12 deg of tilt", tilted, 40000),
        ("landing from a drop", landing, 8000),
        ("landing from a metre, n = 22", many, 8000),
    ):
        spent, fraction, mean = timed(scene, steps)
        result += [
            (
                f"{name}: steps with residual <= 1e-8",
                100 * fraction,
                "%",
                ">= 99.9",
                fraction >= 0.999,
            ),
            (f"{name}: CPU time of a step", 1e6 * spent, "us", "", True),
            (f"{name}: Newton iterations a step", mean, "", "", True),
        ]
    return result


def run() -> list[Row]:
    """All rows: name, value, unit, bar, whether it is met."""
    for scene in (
        case.scene for case in cases()
    ):  # load compiled code and touch pages before timing
        timed(scene, 400)
    return [*(row for case in cases() for row in measure(case)), *growth(), *implicit(), *stress()]
