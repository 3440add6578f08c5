"""Scenes and small helpers of the tests of the spatial engine."""

from __future__ import annotations

from typing import Any

import numpy as np

from snakestudio._arrays import FloatArray
from snakestudio.engines import registry
from snakestudio.engines.base import Engine
from snakestudio.kinds.formulation import FORMULATIONS
from snakestudio.model.motion import (
    GaitStart,
    LateralUndulation,
    StateStart,
    StraightStart,
    TwoWaves,
)
from snakestudio.model.recording import Rows
from snakestudio.model.robot.robot import JointController, Robot
from snakestudio.model.scene import Control, Scene, Solver
from snakestudio.model.snapshot import Snapshot
from snakestudio.model.world import Ground
from tests.engines.common import run_engine
from tests.reference_data import CASES

SPATIAL = tuple(name for name, case in CASES.items() if "I3" in case["parameters"])
KIND = FORMULATIONS["spatial_nonsmooth"].fields()
LIMP = JointController(kp_nm_per_rad=0.0, kd_nms_per_rad=0.0)
NO_GRAVITY = Ground(gravity_m_s2=0.0)
ALL_OFF = LateralUndulation(kind="lateral_undulation", amplitude_deg=0.0)


def times(a: FloatArray, b: FloatArray) -> FloatArray:
    """Return the product of quaternions w x y z, (..., 4)."""
    w = a[..., :1] * b[..., :1] - (a[..., 1:] * b[..., 1:]).sum(-1, keepdims=True)
    v = a[..., :1] * b[..., 1:] + b[..., :1] * a[..., 1:] + np.cross(a[..., 1:], b[..., 1:])
    return np.concatenate([w, v], -1)


def matrices(pose: FloatArray) -> FloatArray:
    """Return the rotation matrices (..., 3, 3) of poses (..., 7); the columns are the body axes in the world."""
    w, x, y, z = np.moveaxis(pose[..., 3:], -1, 0)
    rows = [
        [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
        [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
        [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
    ]
    return np.stack([np.stack(row, -1) for row in rows], -2)


def from_p1(q: FloatArray) -> FloatArray:
    """Convert poses (..., 7) with z along the link (P1) to the program's frame: its x, y, z are P1's e_z, e_x, e_y."""
    turned = times(q[..., 3:], np.broadcast_to(np.array([0.5, -0.5, -0.5, -0.5]), q[..., 3:].shape))
    return np.concatenate([q[..., :3], turned], -1)


def case_scene(name: str, **update: Any) -> Scene:
    """Return a scene with the parameters of a reference case, which starts in the case's own state."""
    p = CASES[name]["parameters"]
    pose = from_p1(np.array(CASES[name]["q0"]).reshape(-1, 7))
    degrees = {
        key: np.degrees(p[key]).item()
        for key in ("Ah", "wh", "dh", "psih", "Av", "wv", "dv", "d0", "psiv")
    }
    scene = Scene(
        model=KIND,
        robot=Robot(
            n_links=p["n"],
            link_length_m=p["L"],
            radius_m=p["LSC"],
            contact_half_length_m=p["LGS"],
            mass_kg=p["m"],
            inertia_kg_m2=p["I1"],
            axial_inertia_kg_m2=p["I3"],
        ),
        joint_controller=JointController(
            kp_nm_per_rad=p["Khp"],
            kd_nms_per_rad=p["Khd"],
            kp_pitch_nm_per_rad=p["Kvp"],
            kd_pitch_nms_per_rad=p["Kvd"],
        ),
        ground=Ground(
            mu_along=p["mux"], mu_across=p["muy"], mu_rolling=p["muv"], gravity_m_s2=-p["grav"][2]
        ),
        gait=TwoWaves(
            kind="two_waves",
            amplitude_deg=degrees["Ah"],
            frequency_deg_s=degrees["wh"],
            phase_shift_deg=degrees["dh"],
            offset_deg=degrees["psih"],
            pitch_amplitude_deg=degrees["Av"],
            pitch_frequency_deg_s=degrees["wv"],
            pitch_phase_shift_deg=degrees["dv"],
            pitch_phase_deg=degrees["d0"],
            pitch_offset_deg=degrees["psiv"],
        ),
        solver=Solver(step_s=p["dt"]),
        control=Control(soft_start_deg=np.degrees(p["soft"]).item()),
        start=StateStart(
            kind="state",
            position_m=tuple(map(tuple, pose[:, :3].tolist())),
            orientation_wxyz=tuple(map(tuple, pose[:, 3:].tolist())),
        ),
    )
    return scene.model_copy(update=update)


def in_space(scene: Scene, **update: Any) -> Scene:
    """Return the same scene for the spatial engine, 1e-6 m deep in the ground so that all spheres are surely active."""
    start = scene.start
    lowered = tuple((x, y, z - 1e-6) for x, y, z in start.position_m)  # type: ignore[union-attr]
    return scene.model_copy(
        update={"model": KIND, "start": start.model_copy(update={"position_m": lowered}), **update}
    )


def pair(ground: Ground | None = None, **update: Any) -> Scene:
    """Return two links in line along x, on the ground, with the joint held: nearly one long body."""
    scene = Scene(
        model=KIND,
        robot=Robot(n_links=2),
        ground=ground or Ground(),
        gait=ALL_OFF,
        start=StraightStart(kind="straight"),
    )
    return scene.model_copy(update=update)


def moving(scene: Scene, twist: FloatArray, pose: FloatArray | None = None) -> Scene:
    """Return `scene` with these initial twists (n, 6), and poses (n, 7); the scene's own poses if omitted."""
    if pose is None:
        pose = registry.create(scene).snapshot().link_pose
    start = StateStart(
        kind="state",
        position_m=tuple(map(tuple, pose[:, :3].tolist())),
        orientation_wxyz=tuple(map(tuple, pose[:, 3:].tolist())),
        velocity_m_s=tuple(map(tuple, twist[:, :3].tolist())),
        angular_velocity_rad_s=tuple(map(tuple, twist[:, 3:].tolist())),
    )
    return scene.model_copy(update={"start": start})


def in_the_air(n: int = 6, dt: float = 2.5e-4, **update: Any) -> Scene:
    """Return a bent chain without gravity, far above the ground."""
    scene = Scene(
        model=KIND,
        robot=Robot(n_links=n, inertia_kg_m2=9.63e-4, axial_inertia_kg_m2=2.35e-4),
        ground=NO_GRAVITY,
        joint_controller=LIMP,
        gait=TwoWaves(kind="two_waves", amplitude_deg=30.0, pitch_amplitude_deg=10.0),
        start=GaitStart(kind="gait", z_m=9.0),
        solver=Solver(step_s=dt),
    )
    return scene.model_copy(update=update)


def run(scene: Scene, steps: int, every: int = 1, gait: bool = True) -> tuple[Engine, Rows]:
    """Run a scene from its start, with a row every `every` steps."""
    engine = registry.create(scene)
    return engine, run_engine(engine, steps, every, gait)


def momentum(scene: Scene, pose: FloatArray, twist: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return linear (3,) and angular momentum about the origin (3,) of links with poses (n, 7) and twists (n, 6)."""
    robot = scene.robot
    turn = matrices(pose)
    v = twist[:, :3]
    omega = twist[:, 3:]
    body = np.array([robot.axial_inertia_kg_m2, robot.inertia_kg_m2, robot.inertia_kg_m2])
    spin = np.einsum("kij,j,klj,kl->ki", turn, body, turn, omega)
    return robot.mass_kg * v.sum(0), (robot.mass_kg * np.cross(pose[:, :3], v) + spin).sum(0)


def energy(rows: Rows, engine: Engine) -> dict[str, FloatArray]:
    """Return the columns of the energy ledger by name."""
    return dict(zip(engine.schema.energy, rows.energy.T, strict=True))


def twists(
    scene: Scene, pose: FloatArray, first: FloatArray, joint_rate: FloatArray | None = None
) -> FloatArray:
    """Return twists (n, 6) of all links from that of the first (6,) and joint rates (n-1, 2); yaw about z of link k."""
    n = len(pose)
    offset = scene.robot.axis_offset_m
    half = 0.5 * (scene.robot.link_length_m - offset)
    turn = matrices(pose)
    rate = np.zeros((n - 1, 2)) if joint_rate is None else joint_rate
    twist = np.zeros((n, 6))
    twist[0] = first
    for k in range(n - 1):
        # of the part between yaw and pitch axis
        between = twist[k, 3:] + rate[k, 0] * turn[k, :, 2]
        omega = between + rate[k, 1] * turn[k + 1, :, 1]
        velocity = twist[k, :3] + np.cross(twist[k, 3:], half * turn[k, :, 0])
        velocity += np.cross(between, offset * np.cross(turn[k + 1, :, 1], turn[k, :, 2]))
        twist[k + 1] = np.concatenate([velocity + np.cross(omega, half * turn[k + 1, :, 0]), omega])
    return twist


def midpoint(pose: FloatArray, twist: FloatArray, dt: float) -> FloatArray:
    """Return poses after half a step (P1 (72)): p_M = (p_A + a Omega p_A) / (1 + a^2 w^2) with a = dt/4."""
    omega = np.concatenate([np.zeros((len(pose), 1)), twist[:, 3:]], -1)
    a = 0.25 * dt
    turned = pose[:, 3:] + a * times(omega, pose[:, 3:])
    turned /= np.linalg.norm(turned, axis=1, keepdims=True)
    return np.concatenate([pose[:, :3] + 0.5 * dt * twist[:, :3], turned], -1)


def step_end(before: Snapshot, after: Snapshot, dt: float) -> tuple[FloatArray, FloatArray]:
    """Return midpoint poses (n, 7) of a step, and twists (n, 6) at its end with angular velocity in the midpoint frame.

    A step solves for the angular velocity in the body's frame (P1 (5)), and its laws hold in the
    midpoint's frame; closing the joints afterwards (P1, VII-C) rotates the links by a small angle.
    """
    middle = midpoint(before.link_pose, before.link_twist, dt)
    own = np.einsum("kji,kj->ki", matrices(after.link_pose), after.link_twist[:, 3:])
    return middle, np.concatenate(
        [after.link_twist[:, :3], np.einsum("kij,kj->ki", matrices(middle), own)], -1
    )
