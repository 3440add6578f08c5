"""Scenes, references and small helpers of the tests of the planar engine."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from snakestudio.engines.planar_nonsmooth.engine import PlanarNonsmoothEngine
from snakestudio.model.motion import LateralUndulation, StateStart, StraightStart
from snakestudio.model.recording import Rows
from snakestudio.model.reference import JointReference
from snakestudio.model.robot import JointController, Robot
from snakestudio.model.scene import Control, Scene, Solver
from snakestudio.model.world import Cylinder, Ground

REFERENCES = Path(__file__).resolve().parent.parent / "references"
CASES: dict[str, Any] = json.loads((REFERENCES / "cases.json").read_text())
PLANAR = tuple(CASES)


def circle(x: float, y: float, radius: float) -> Cylinder:
    return Cylinder(kind="cylinder", x_m=x, y_m=y, radius_m=radius)


def gait_reference(scene: Scene, n_steps: int, begin: int = 0) -> JointReference:
    """The scene's gait with a knot at every step."""
    gait, n, dt = scene.gait, scene.robot.n_links, scene.solver.step_s
    time = np.arange(begin, begin + n_steps + 1) * dt
    phase = gait.omega * time[:, None] + np.arange(n - 1) * gait.phase_shift
    zero = np.zeros_like(phase)
    angle = gait.amplitude * np.sin(phase) + gait.offset
    rate = gait.amplitude * gait.omega * np.cos(phase)
    acceleration = -gait.amplitude * gait.omega**2 * np.sin(phase)
    return JointReference(
        time, np.stack([angle, zero], -1), np.stack([rate, zero], -1), np.stack([acceleration, zero], -1)
    )


def still(scene: Scene, angle: NDArray[np.float64] | float = 0.0, span: float = 1e6) -> JointReference:
    """Joints that shall keep their angles."""
    n = scene.robot.n_links
    yaw = np.broadcast_to(np.asarray(angle, dtype=float), (2, n - 1))
    zero = np.zeros((2, n - 1, 2))
    return JointReference(np.array([0.0, span]), np.stack([yaw, np.zeros_like(yaw)], -1), zero, zero)


def case_scene(name: str, **update: Any) -> Scene:
    """A scene from the parameters of a reference case, begun at the case's own state."""
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


def single(friction: tuple[float, float] = (0.2, 0.2), **update: Any) -> Scene:
    """Two links in line along x, joints held: nearly one long body."""
    scene = Scene(
        robot=Robot(n_links=2),
        ground=Ground(mu_along=friction[0], mu_across=friction[1]),
        gait=LateralUndulation(kind="lateral_undulation", amplitude_deg=0.0),
        start=StraightStart(kind="straight"),
        control=Control(period_s=0.01),
    )
    return scene.model_copy(update=update)


def run(scene: Scene, steps: int, every: int = 1, gait: bool = True) -> tuple[PlanarNonsmoothEngine, Rows]:
    """Run a scene from its start; rows every so many steps."""
    engine = PlanarNonsmoothEngine(scene)
    reference = gait_reference(scene, steps) if gait else still(scene)
    report = engine.advance(reference, steps, np.arange(every, steps + 1, every))
    assert report.ok, report.message
    assert report.unconverged == 0
    assert report.residual <= 1e-8
    return engine, report.rows
