"""Chains of any joints as plain arrays: random chains, their poses, runs of the spatial kernel and of MuJoCo."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import mujoco
import numpy as np
from scipy.spatial.transform import Rotation

from snakestudio._arrays import FloatArray
from snakestudio.engines.row_buffers import make_row_buffers
from snakestudio.engines.spatial_nonsmooth.joint_kinds import axis_names
from snakestudio.engines.spatial_nonsmooth.params import (
    AXIS_VALUES,
    CURRENT,
    DAMPING,
    HIGH,
    LAG,
    LOW,
    MOST,
    REST,
    ROTOR,
    STIFFNESS,
    Chain,
    Params,
    axis_rows,
    link_rows,
    params_of,
)
from snakestudio.engines.spatial_nonsmooth.schema import ENERGY
from snakestudio.engines.spatial_nonsmooth.state import State, make_state, make_work
from snakestudio.engines.spatial_nonsmooth.step import advance_steps
from snakestudio.kernels._jit import direct
from snakestudio.kernels.hermite import JointKnots
from snakestudio.kernels.spatial_problem import ACROSS, AXIAL, FRONT, MASS, REAR
from snakestudio.model.scene import Scene, Solver
from snakestudio.model.world import Ground
from tests.engines.spatial import KIND

AXES = {"yaw": (0.0, 0.0, 1.0), "pitch": (0.0, 1.0, 0.0), "roll": (1.0, 0.0, 0.0)}
STILL = Ground(gravity_m_s2=0.0)

Torque = Callable[[FloatArray], FloatArray]
"""Function from times (k,), s, to torques of all axes (k, m), N m."""
Reference = Callable[[FloatArray], tuple[FloatArray, FloatArray]]
"""Function from times (k,), s, to angles and rates of all axes, each (k, m), rad and rad/s."""

_advance = direct(advance_steps)


def limp_axes(count: int) -> FloatArray:
    """Return values of `count` axes without gains, stops, springs, rotors, friction and current limits."""
    values = np.zeros((count, AXIS_VALUES))
    values[:, [LOW, HIGH, MOST, LAG, CURRENT]] = -np.inf, np.inf, np.inf, 1.0, np.inf
    return values


def chain_of(
    links: FloatArray, kinds: Sequence[int], values: FloatArray, offsets: FloatArray | None = None
) -> Chain:
    """Return a chain of these links and joints; `values` as in `axis_rows`."""
    bits = np.array(kinds, dtype=np.int64)
    return Chain(
        links,
        bits,
        np.zeros(len(bits)) if offsets is None else offsets,
        axis_rows(links, bits, values),
    )


def n_axes(kinds: Sequence[int]) -> int:
    """Return the number of axes of joints of these kinds."""
    return sum(len(axis_names(kind)) for kind in kinds)


def random_links(rng: np.random.Generator, n: int) -> FloatArray:
    """Return unequal links with centres of mass anywhere between their joints."""
    mass = rng.uniform(0.5, 1.5, n)
    across = rng.uniform(1e-3, 3e-3, n)
    axial = rng.uniform(6e-4, 1.5e-3, n)
    rear, front = rng.uniform(0.03, 0.09, (2, n))
    contact = np.column_stack([-rear, front]) * rng.uniform(0.2, 0.9, (n, 1))
    radius = rng.uniform(0.04, 0.05, n)
    return link_rows(
        mass, across, axial, rear, front, contact, radius, np.full(n, 0.05), np.full((n, 3), 0.2)
    )


def pose_of(
    chain: Chain, angle: FloatArray, position: tuple[float, float, float] = (0.0, 0.0, 50.0)
) -> FloatArray:
    """Return poses (n, 7) with the first centre of mass at `position` and the first link along x."""
    turn = Rotation.identity()
    at = np.array(position)
    pose = []
    joints = chain.joints
    for k, link in enumerate(chain.links):
        x, y, z, w = turn.as_quat()
        pose.append([*at, w, x, y, z])
        if k == len(chain.links) - 1:
            break
        at = at + link[FRONT] * turn.apply([1.0, 0.0, 0.0])
        for j, name in zip(
            range(joints[k], joints[k + 1]), axis_names(int(chain.kinds[k])), strict=True
        ):
            turn = turn * Rotation.from_rotvec(angle[j] * np.array(AXES[name]))
            if name == "yaw":
                at = at + chain.offsets[k] * turn.apply([1.0, 0.0, 0.0])
        at = at + chain.links[k + 1, REAR] * turn.apply([1.0, 0.0, 0.0])
    return np.array(pose)


def params_with(chain: Chain, dt: float, ground: Ground = STILL) -> Params:
    """Return the constants of a chain on the ground without obstacles."""
    return params_of(chain, Scene(model=KIND, ground=ground, solver=Solver(step_s=dt)), None)


def run_chain(
    params: Params,
    state: State,
    seconds: float,
    torque: Torque | None = None,
    reference: Reference | None = None,
) -> State:
    """Run from `state` with torques, or with motors that follow a reference (or hold the angle 0).

    Returns `state`.
    """
    n = len(params.links)
    m = len(params.axes)
    dt = params.dt
    steps = round(seconds / dt)
    space = make_work(n, m, len(state.law))
    time = np.arange(steps + 1) * dt
    angle, rate = np.zeros((2, steps + 1, m)) if reference is None else reference(time)
    angle, rate = (np.ascontiguousarray(part[:, :, None]) for part in (angle, rate))
    command = (
        np.zeros((0, 0, 1)) if torque is None else np.ascontiguousarray(torque(time)[:, :, None])
    )
    rows = make_row_buffers(0, n, len(ENERGY), 0, m)
    nothing = np.zeros(0, np.int64)
    knots = JointKnots(time, angle, rate, np.zeros_like(angle), command)
    status = _advance(params, state, space, knots, steps, nothing, rows)
    assert status == 0
    return state


def resting(
    chain: Chain, angle: FloatArray, position: tuple[float, float, float] = (0.0, 0.0, 50.0)
) -> State:
    """Return the state of a chain at rest with these joint angles (m,)."""
    pose = pose_of(chain, angle, position)
    return make_state(pose, np.zeros((len(pose), 6)), angle)


def mujoco_model(chain: Chain, ground: Ground, dt: float) -> mujoco.MjModel:
    """Return the same chain in MuJoCo, with joints as hinges and MuJoCo's springs and dampers, without contacts."""
    gravity = " ".join(repr(float(g)) for g in ground.gravity)
    lines = [f'<mujoco><option timestep="{dt!r}" gravity="{gravity}" integrator="RK4"/><worldbody>']
    joints = chain.joints
    for k, link in enumerate(chain.links):
        mass, across, axial, rear = (float(value) for value in link[[MASS, ACROSS, AXIAL, REAR]])
        at = (
            -rear
            if k == 0
            else float(chain.links[k - 1, REAR] + chain.links[k - 1, FRONT] + chain.offsets[k - 1])
        )
        lines.append(f'<body pos="{at!r} 0 {50.0 if k == 0 else 0.0}">')
        if k == 0:
            lines.append("<freejoint/>")
        else:
            swing = float(chain.offsets[k - 1])
            for j, name in zip(
                range(joints[k - 1], joints[k]), axis_names(int(chain.kinds[k - 1])), strict=True
            ):
                stiffness, damping, rest, rotor = chain.axes[j, [STIFFNESS, DAMPING, REST, ROTOR]]
                position = f"{-swing!r} 0 0" if name == "yaw" else "0 0 0"
                lines.append(
                    f'<joint type="hinge" pos="{position}" axis="{AXES[name][0]} {AXES[name][1]} {AXES[name][2]}" '
                    f'stiffness="{float(stiffness)!r}" damping="{float(damping)!r}" '
                    f'springref="{math.degrees(rest)!r}" armature="{float(rotor)!r}"/>'
                )
        lines.append(
            f'<inertial pos="{rear!r} 0 0" mass="{mass!r}" diaginertia="{axial!r} {across!r} {across!r}"/>'
        )
    lines.append("</body>" * len(chain.links) + "</worldbody></mujoco>")
    return mujoco.MjModel.from_xml_string("\n".join(lines))


def mujoco_centres(
    chain: Chain,
    angle: FloatArray,
    seconds: float,
    ground: Ground = STILL,
    torque: Torque | None = None,
    dt: float = 1e-4,
) -> FloatArray:
    """Return centres of mass (n, 3), m, of a chain that starts at rest, after `seconds`, computed by MuJoCo."""
    model = mujoco_model(chain, ground, dt)
    data = mujoco.MjData(model)
    data.qpos[7:] = angle
    if torque is not None:

        def drive(_: mujoco.MjModel, data: mujoco.MjData) -> None:
            data.qfrc_applied[6:] = torque(np.array([data.time]))[0]

        mujoco.set_mjcb_control(drive)
    try:
        mujoco.mj_step(model, data, round(seconds / dt))
    finally:
        mujoco.set_mjcb_control(None)
    mujoco.mj_kinematics(model, data)
    centres: FloatArray = data.xipos[1:].copy()
    return centres
