"""The nonholonomic engine: speed, growth with the number of links, and a jittered ensemble of P3's case."""

from __future__ import annotations

import math
import multiprocessing
import time
from concurrent.futures import ProcessPoolExecutor

import numpy as np

from snakestudio.control.controllers.leader_follower import RESOLVING
from snakestudio.engines.planar_nonholonomic.engine import PlanarNonholonomicEngine
from snakestudio.model.motion import StraightStart
from snakestudio.model.recording import Rows
from snakestudio.model.scene import Scene
from snakestudio.session.runner import Runner
from tests.benchmarks.bench_engine import measure
from tests.engines.common import gait_reference
from tests.engines.lagrangian import changed
from tests.engines.nonholonomic import jam

Row = tuple[str, object, str, str, bool]

STARTS = 16
JITTER = 1e-3
"""Standard deviation of the link angles' jitter, rad."""


def gliding(n: int) -> Scene:
    """A gait on open ground with the friction of P3 across and a third of it along."""
    gait = {
        "gait__amplitude_deg": 30.0,
        "gait__frequency_deg_s": 70.0,
        "gait__phase_shift_deg": 40.0,
    }
    start = StraightStart(kind="straight")
    return jam(obstacles=(), start=start, robot__n_links=n, ground__mu_along=0.1, **gait)


def _among_pins() -> float:
    """Real-time factor of an open-loop gait of n = 10 stuck among the pins: contacts open and close all the time."""
    scene = jam(gait__amplitude_deg=30.0, gait__frequency_deg_s=70.0, gait__phase_shift_deg=40.0)
    return scene.solver.step_s / measure(scene, 5000)[0]


def _closed() -> float:
    """Real-time factor of the whole period with the controller in the loop."""
    runner = Runner(jam("jam_resolution", run__duration_s=10.0))
    started = time.process_time()
    runner.advance(runner.end_step)
    return runner.time / (time.process_time() - started)


def _one(seed: int) -> tuple[float, float, int, float, bool]:
    """Distance along x (m), mean speed (m/s), jams, time of the first (s), whether 5 cm/s followed each within 2 s."""
    scene = jam("jam_resolution")
    angles = np.array(scene.start.link_angles_deg)  # type: ignore[union-attr]
    jitter = (
        np.degrees(JITTER) * np.random.default_rng(seed).standard_normal(len(angles))
        if seed
        else 0.0
    )
    start = scene.start.model_copy(update={"link_angles_deg": tuple((angles + jitter).tolist())})
    runner = Runner(changed(scene, start=start))
    runner.advance(runner.end_step)
    rows = Rows.concatenate(list(runner.recording.chunks()))
    names = runner.recording.schema.extra
    speed = np.hypot(*rows.link_twist[:, :, :2].mean(axis=1).T)
    resolving = rows.extra[:, names.index("controller_state")] == RESOLVING
    begins = rows.time[1:][resolving[1:] & ~resolving[:-1]]
    ends = rows.time[1:][~resolving[1:] & resolving[:-1]]
    freed = all(
        speed[(rows.time >= end) & (rows.time <= end + 2.0)].max() > 0.05
        for end in ends
        if end <= rows.time[-1] - 2.0
    )
    x = rows.link_pose[:, :, 0].mean(axis=1)
    first = float(begins[0]) if len(begins) else math.nan
    return float(x[-1] - x[0]), float(speed.mean()), len(begins), first, freed


def run() -> list[Row]:
    """All rows: name, value, unit, bar, whether it is met."""
    open_ground = gliding(10)
    few = measure(open_ground, 10000)[0]
    factor = open_ground.solver.step_s / few
    many = measure(gliding(60), 1000, 1)[0]
    pins = _among_pins()
    closed = _closed()
    result: list[Row] = [
        ("open ground, n = 10: real-time factor", factor, "x", ">= 50", factor >= 50),
        ("stuck among pins, n = 10: real-time factor", pins, "x", ">= 60", pins >= 60),
        ("controller in the loop among pins: real-time factor", closed, "x", ">= 10", closed >= 10),
        ("n = 60, open ground: CPU time of a step of 1 ms", 1e6 * many, "us", "", True),
        ("growth exponent from n = 10 to 60", math.log(many / few) / math.log(6.0), "", "", True),
    ]
    engine = PlanarNonholonomicEngine(open_ground)
    engine.advance(gait_reference(open_ground, 10000), 10000, ())
    evaluations = engine.snapshot().solver.iterations / open_ground.solver.step_s
    result.append(("evaluations a simulated second, open ground", evaluations, "1/s", "", True))
    with ProcessPoolExecutor(mp_context=multiprocessing.get_context("spawn")) as pool:
        ways, speeds, jams, firsts, freed = zip(*pool.map(_one, range(STARTS)), strict=True)
    # PHYSICS.md: median 2.43 m, best 2.66 m, 9.3 cm/s, first jam at 2.38 s, about a dozen, each
    # followed by > 5 cm/s.
    median = float(np.median(ways))
    speed = float(np.median(speeds))
    first = float(np.median(firsts))
    return [
        *result,
        (
            f"jam resolution, {STARTS} starts: median distance in 30 s",
            median,
            "m",
            "2.43 +- 0.4",
            abs(median - 2.43) < 0.4,
        ),
        ("best distance", max(ways), "m", ">= 2.5", max(ways) >= 2.5),
        ("median speed", 100 * speed, "cm/s", "9.3 +- 1", abs(speed - 0.093) < 0.01),
        ("median of jams", float(np.median(jams)), "", "about 12", True),
        ("first jam", first, "s", "2.38 +- 0.06", abs(first - 2.38) < 0.06),
        (
            "starts with all jams resolved",
            f"{sum(freed)}/{STARTS}",
            "",
            "all",
            all(freed),
        ),
    ]
