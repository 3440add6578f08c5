"""Scenes, references and small helpers of the tests of the planar engine."""

from __future__ import annotations

from typing import Any

import numpy as np

from snakestudio.engines.planar_nonsmooth.engine import PlanarNonsmoothEngine
from snakestudio.model.motion import LateralUndulation, StateStart, StraightStart
from snakestudio.model.obstacles.shape import Obstacle
from snakestudio.model.obstacles.shapes.box import Box
from snakestudio.model.recording import Rows
from snakestudio.model.robot.robot import JointController, Robot
from snakestudio.model.scene import Control, Scene, Solver
from snakestudio.model.world import Ground
from tests.engines.common import circle, gait_reference, run_engine, still
from tests.reference_data import CASES

__all__ = [
    "PLANAR",
    "case_scene",
    "circle",
    "gait_reference",
    "mixed_scene",
    "run",
    "single",
    "still",
]

PLANAR = tuple(name for name, case in CASES.items() if "obst" in case["parameters"])


def case_scene(name: str, **update: Any) -> Scene:
    """Return a scene with the parameters of a reference case, which starts in the case's own state."""
    case = CASES[name]
    p = case["parameters"]
    q = np.array(case["q0"]).reshape(-1, 3)
    half = 0.5 * q[:, 2]
    scene = Scene(
        robot=Robot(
            n_links=p["n"],
            link_length_m=p["L"],
            radius_m=p["LSC"],
            contact_half_length_m=p["LGS"],
            mass_kg=p["m"],
            inertia_kg_m2=p["J"],
        ),
        joint_controller=JointController(kp_nm_per_rad=p["KP"], kd_nms_per_rad=p["KD"]),
        ground=Ground(mu_along=p["mux"], mu_across=p["muy"], gravity_m_s2=p["gn"]),
        gait=LateralUndulation(
            kind="lateral_undulation",
            amplitude_deg=np.degrees(p["A"]).item(),
            frequency_deg_s=np.degrees(p["w"]).item(),
            phase_shift_deg=np.degrees(p["d"]).item(),
        ),
        obstacles=tuple(circle(*o) for o in p["obst"]),
        solver=Solver(step_s=p["dt"]),
        start=StateStart(
            kind="state",
            position_m=tuple((x, y, p["LSC"]) for x, y, _ in q.tolist()),
            orientation_wxyz=tuple((np.cos(h).item(), 0.0, 0.0, np.sin(h).item()) for h in half),
        ),
    )
    return scene.model_copy(update=update)


def mixed_scene() -> Scene:
    """Return the seven obstacles of the paper, smooth and rough, round and square, and joints with stops."""
    scene = case_scene("obstacle_aided", robot=Robot(joint_limit_deg=35.0))
    mixed: list[Obstacle] = [
        o.model_copy(update={"friction": 0.3 * (j % 2)}) for j, o in enumerate(scene.obstacles)
    ]
    for j in (0, 3):
        o = scene.obstacles[j]
        mixed[j] = Box(
            x_m=o.x_m, y_m=o.y_m, length_m=0.2, width_m=0.15, yaw_deg=20.0 * j + 15.0, friction=0.2
        )
    return scene.model_copy(update={"obstacles": tuple(mixed)})


def single(friction: tuple[float, float] = (0.2, 0.2), **update: Any) -> Scene:
    """Return two links in line along x with held joints: nearly one long body."""
    scene = Scene(
        robot=Robot(n_links=2),
        ground=Ground(mu_along=friction[0], mu_across=friction[1]),
        gait=LateralUndulation(kind="lateral_undulation", amplitude_deg=0.0),
        start=StraightStart(kind="straight"),
        control=Control(period_s=0.01),
    )
    return scene.model_copy(update=update)


def run(
    scene: Scene, steps: int, every: int = 1, gait: bool = True
) -> tuple[PlanarNonsmoothEngine, Rows]:
    """Run a scene from its start, with a row every `every` steps."""
    engine = PlanarNonsmoothEngine(scene)
    return engine, run_engine(engine, steps, every, gait)
