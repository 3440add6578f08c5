"""MuJoCo as a peer: exported model, start and joint law of a scene; runs with the loop in C and in Python."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Literal, NamedTuple

import mujoco
import mujoco.rollout
import numpy as np

from snakestudio._arrays import FloatArray
from snakestudio.model.reference import JointReference
from snakestudio.model.scene import Scene
from snakestudio.robot_files.from_scene import StartState, scene_model, start_state
from snakestudio.robot_files.write_mjcf import mjcf_text
from tests.engines.common import gait_reference

_CONES = {"pyramidal": mujoco.mjtCone.mjCONE_PYRAMIDAL, "elliptic": mujoco.mjtCone.mjCONE_ELLIPTIC}
_INTEGRATORS = {"Euler": mujoco.mjtIntegrator.mjINT_EULER, "RK4": mujoco.mjtIntegrator.mjINT_RK4}


class Loop(NamedTuple):
    """A run of MuJoCo's own loop."""

    model: mujoco.MjModel
    states: FloatArray
    """After every step, (steps, ...), as `mj_getState` gives them."""

    cpu_s: float


def exported(
    scene: Scene,
    cone: Literal["pyramidal", "elliptic"] = "elliptic",
    integrator: Literal["Euler", "RK4"] = "Euler",
    contacts: bool = True,
    lean: bool = False,
    base_dir: Path | None = None,
) -> mujoco.MjModel:
    """Return the MJCF exported from the scene; `lean` trades accuracy for MuJoCo's speed.

    A lean model has no rolling friction and represents posts by capsules that are longer than the
    posts, because MuJoCo collides pairs of capsules quickly. The fastest friction cone is
    MuJoCo's default, the pyramidal one.
    """
    spec = mujoco.MjSpec.from_string(mjcf_text(scene_model(scene, base_dir)))
    spec.option.cone = _CONES[cone]
    spec.option.integrator = _INTEGRATORS[integrator]
    if not contacts:
        spec.option.disableflags |= mujoco.mjtDisableBit.mjDSBL_CONTACT
    if lean:
        for geom in spec.geoms:
            if geom.type == mujoco.mjtGeom.mjGEOM_CYLINDER:
                geom.type = mujoco.mjtGeom.mjGEOM_CAPSULE
        for part in (*spec.geoms, *spec.pairs):
            part.condim = min(part.condim, 3)
    return spec.compile()


def build(scene: Scene, **options: object) -> tuple[mujoco.MjModel, mujoco.MjData]:
    """Return model and data at the start of `scene`; `options` are those of `exported`."""
    model = exported(scene, **options)  # type: ignore[arg-type]
    data = mujoco.MjData(model)
    mujoco.mj_resetDataKeyframe(model, data, model.key("start").id)
    mujoco.mj_forward(model, data)
    return model, data


def set_state(scene: Scene, data: mujoco.MjData, pose: FloatArray, twist: FloatArray) -> None:
    """Set poses (n, 7) and twists (n, 6) of links whose joints are closed, as in `Snapshot`."""
    _set_start(data, start_state(scene, pose, twist))


def _set_start(data: mujoco.MjData, start: StartState) -> None:
    data.qpos[:3] = start.base.position
    mujoco.mju_mat2Quat(data.qpos[3:7], np.ascontiguousarray(start.base.rotation).reshape(9))
    data.qpos[7:] = start.angles
    data.qvel[:3] = start.velocity
    data.qvel[3:6] = start.angular_velocity
    data.qvel[6:] = start.rates


class _Law(NamedTuple):
    """PD law of the scene in terms of the actuators."""

    axes: list[int]
    """Axis of the robot for each actuator."""

    sign: FloatArray
    zero: FloatArray
    lead: FloatArray
    """K_D / K_P: lead of the reference rates over the reference angles, s."""


def _law(scene: Scene) -> _Law:
    values = scene.axis_values
    axes = [j for j in range(len(values.kp)) if values.kp[j] > 0.0]
    assert not any(values.kd[j] for j in range(len(values.kp)) if j not in axes), (
        "velocity actuators have another law"
    )
    return _Law(axes, values.sign[axes], values.zero[axes], values.kd[axes] / values.kp[axes])


def commands(scene: Scene, reference: JointReference, steps: int) -> FloatArray:
    """Return the commands of the actuators at the beginning of each step, (steps, m)."""
    law = _law(scene)
    begin = (np.arange(steps) + 1e-6) * scene.solver.step_s
    knot = np.searchsorted(reference.time, begin, side="right") - 1
    angle = reference.angle[knot].reshape(steps, -1)[:, law.axes]
    rate = reference.rate[knot].reshape(steps, -1)[:, law.axes]
    result: FloatArray = law.sign * (angle - law.zero + law.lead * rate)
    return result


def exact_law(
    scene: Scene, reference: Callable[[float], tuple[FloatArray, FloatArray]]
) -> Callable[[mujoco.MjModel, mujoco.MjData], None]:
    """Return a control callback for cardan joints: the PD law with omega_h = alpha_h' cos(alpha_v) (P1 (67)).

    `reference` returns angle and rate. The model already contains the law of the actuators, so that
    the commands contain only the difference.
    """
    law = _law(scene)

    def control(model: mujoco.MjModel, data: mujoco.MjData) -> None:
        if not law.axes:
            return
        angle, angle_rate = (values.reshape(-1) for values in reference(data.time))
        rate = data.qvel[6:]
        omega = rate.copy()
        omega[::2] *= np.cos(data.qpos[8::2])
        data.ctrl[:] = angle + law.lead * (angle_rate - omega + rate)

    return control


def centres(model: mujoco.MjModel, data: mujoco.MjData) -> FloatArray:
    """Return the centres of mass of the links in the present state, (n, 3), m."""
    mujoco.mj_kinematics(model, data)
    mujoco.mj_comPos(model, data)
    return data.xipos[1:].copy()


def roll_out(scene: Scene, reference: JointReference, steps: int, **options: object) -> Loop:
    """Advance `steps` steps with the loop in C.

    `reference` has a knot at every step; `options` are those of `exported`.
    """
    model, data = build(scene, **options)
    spec = mujoco.mjtState.mjSTATE_FULLPHYSICS
    first = np.zeros(mujoco.mj_stateSize(model, spec))
    mujoco.mj_getState(model, data, first, spec)
    states = np.zeros((1, steps, len(first)))
    control = commands(scene, reference, steps)[None]
    begin = time.process_time()
    mujoco.rollout.rollout(model, data, first[None], control, state=states, skip_checks=False)
    return Loop(model, states[0], time.process_time() - begin)


def mujoco_loop(
    scene: Scene, seconds: float, reference: JointReference | None = None, **options: object
) -> Loop:
    """Run the scene's gait, or a reference with a knot at every step, in MuJoCo's own loop.

    `options` are those of `exported`; ``cone="pyramidal", lean=True`` is the fastest.
    """
    steps = round(seconds / scene.solver.step_s)
    return roll_out(scene, reference or gait_reference(scene, steps), steps, **options)


def link_track(model: mujoco.MjModel, states: FloatArray, link: int) -> FloatArray:
    """Return the centre of mass of a 0-based link in each given state of a `Loop`, (k, 3), m."""
    data = mujoco.MjData(model)
    track = np.zeros((len(states), 3))
    for row, state in zip(track, states, strict=True):
        mujoco.mj_setState(model, data, state, mujoco.mjtState.mjSTATE_FULLPHYSICS)
        row[:] = centres(model, data)[link]
    return track
