"""Speed of the scenes of P5 with all their outputs recorded at 100 Hz, and of drawing a body."""

from __future__ import annotations

import time

from snakestudio.api import simulate_scene
from snakestudio.model.robot.beam_shape import slices
from snakestudio.model.scene import Scene
from snakestudio.session.offline import run_offline
from tests.engines.beam import body, shipped

Row = tuple[str, object, str, str, bool]

SCENES = ("worm", "worm_accelerating", "inchworm", "continuum_snake_2d", "continuum_snake_3d")


def _factor(scene: Scene, rounds: int = 3) -> float:
    """Simulated time per processor time of a run without a window, except writing files."""
    run_offline(scene)  # parses formulas and loads code
    best = min(_seconds(scene) for _ in range(rounds))
    return scene.run.duration_s / best


def _seconds(scene: Scene) -> float:
    begin = time.process_time()
    run_offline(scene)
    return time.process_time() - begin


def run() -> list[Row]:
    """All rows: name, value, unit, bar, whether it is met."""
    result: list[Row] = []
    for name in SCENES:
        scene = shipped(name, solver__error_tolerance=1e-4)
        factor = _factor(scene)
        result.append(
            (
                f"{name} to 1e-4, {slices(scene)} slices: real-time factor",
                factor,
                "x",
                ">= 20",
                factor >= 20,
            )
        )
    scene = shipped("continuum_snake_2d", solver__error_tolerance=1e-6)
    result.append(
        (f"the same to 1e-6, {slices(scene)} slices (as shipped)", _factor(scene), "x", "", True)
    )
    friction = body(
        {"kind": "formulas", "k_z_per_m": "8*sin(9*X + 3*t)"},
        {"kind": "friction", "viscous_along_ns_per_m2": 2.0, "viscous_across_ns_per_m2": 20.0},
        solver={"step_s": 0.01, "error_tolerance": 1e-4},
        run={"duration_s": 10.0},
    )
    result.append(("a body moved by friction: real-time factor", _factor(friction), "x", "", True))
    worst = max(float(simulate_scene(shipped(name))["solver_residual"].max()) for name in SCENES)
    result.append(("worst |Lambda(l) - F_+| of all rows", worst, "N", "<= 1e-8", worst <= 1e-8))
    return result
