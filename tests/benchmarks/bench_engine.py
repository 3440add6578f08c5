"""Speed of the planar engine on one core, recording at 100 Hz, and its growth with the number of links."""

from __future__ import annotations

import math
import time

from snakestudio.engines import registry
from snakestudio.model.motion import GaitStart
from snakestudio.model.obstacles.shapes.cylinder import Cylinder
from snakestudio.model.robot.robot import Robot
from snakestudio.model.scene import Scene
from tests.engines.planar import case_scene, gait_reference

Row = tuple[str, object, str, str, bool]


def posts(n: int) -> tuple[Cylinder, ...]:
    """Obstacles along the path of n links, as dense as in the paper's scene: seven for eleven links."""
    return tuple(
        Cylinder(
            kind="cylinder",
            x_m=0.0507 + 0.368 * k,
            y_m=0.1761 if k % 2 == 0 else 0.003,
            radius_m=0.02,
        )
        for k in range(7 * n // 11)
    )


def measure(scene: Scene, steps: int, repeats: int = 3) -> tuple[float, float, float]:
    """Least CPU time of a step (s), worst residual and mean iterations of a run with 100 rows a second."""
    every = round(0.01 / scene.solver.step_s)
    reference = gait_reference(scene, steps)
    best = math.inf
    for _ in range(repeats):
        engine = registry.create(scene)
        engine.advance(reference, 1, ())
        begin = time.process_time()
        report = engine.advance(reference, steps - 1, range(every, steps + 1, every))
        best = min(best, (time.process_time() - begin) / report.steps)
        assert report.ok, report.message
    return best, report.residual, report.iterations / report.steps


def lane(n: int) -> Scene:
    """A robot of n links between posts."""
    scene = Scene(
        robot=Robot(n_links=n),
        obstacles=posts(n),
        start=GaitStart(kind="gait", heading_deg=0.0, y_m=0.09),
    )
    hit = {j for problem in registry.check(scene) for j in problem.obstacles}
    return scene.model_copy(
        update={"obstacles": tuple(o for j, o in enumerate(scene.obstacles) if j not in hit)}
    )


def run() -> list[Row]:
    """All rows: name, value, unit, bar, whether it is met."""
    main = case_scene("obstacle_aided")
    step, residual, iterations = measure(main, 48000)
    factor = main.solver.step_s / step
    few = math.inf
    many = math.inf
    for _ in range(5):  # in turns, so that other load affects all of them
        few = min(few, measure(lane(11), 8000, 1)[0])
        many = min(many, measure(lane(88), 8000, 1)[0])
    growth = math.log(many / few) / math.log(8.0)
    return [
        (
            "CPU time of a step, n = 11, seven obstacles",
            1e6 * step,
            "us",
            "<= 6.25",
            step <= 6.25e-6,
        ),
        ("real-time factor at dt = 1/4000", factor, "x", ">= 40", factor >= 40),
        ("Newton iterations a step", iterations, "", "", True),
        ("worst residual", residual, "", "<= 1e-8", residual <= 1e-8),
        ("CPU time of a step, n = 88", 1e6 * many, "us", "", True),
        ("growth exponent from n = 11 to 88", growth, "", "<= 1.1", growth <= 1.1),
    ]
