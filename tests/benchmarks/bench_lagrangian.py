"""Speed of the Lagrangian engine on one core, recording at 100 Hz, and its growth with the number of links."""

from __future__ import annotations

import math

from snakestudio.model.scene import Scene
from tests.benchmarks.bench_engine import measure
from tests.engines.lagrangian import changed, undulation

Row = tuple[str, object, str, str, bool]


def links(n: int, law: str) -> Scene:
    """The shipped scene with n links; the gains of PD control are stable with the scene's step."""
    gains = {"joint_controller__kp_nm_per_rad": 20.0, "joint_controller__kd_nms_per_rad": 0.3}
    return changed(undulation(**gains), robot__n_links=n, joint_controller__law=law)


def run() -> list[Row]:
    """All rows: name, value, unit, bar, whether it is met."""
    result: list[Row] = []
    for law in ("feedback_linearization", "pd"):
        scene = links(10, law)
        step = measure(scene, 20000)[0]
        factor = scene.solver.step_s / step
        result += [
            (f"{law}, n = 10: CPU time of a step", 1e6 * step, "us", "", True),
            (
                f"{law}, n = 10: real-time factor at {scene.solver.step_s:g} s",
                factor,
                "x",
                ">= 50",
                factor >= 50,
            ),
        ]
    few = math.inf
    many = math.inf
    for _ in range(3):  # in turns, so that other load affects all of them
        few = min(few, measure(links(10, "feedback_linearization"), 4000, 1)[0])
        many = min(many, measure(links(60, "feedback_linearization"), 2000, 1)[0])
    return [
        *result,
        ("n = 60: CPU time of a step", 1e6 * many, "us", "", True),
        ("growth exponent from n = 10 to 60", math.log(many / few) / math.log(6.0), "", "", True),
    ]
