"""Common helpers of the engine tests: reference cases, joint references independent of the controllers, one run."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from snakestudio._arrays import FloatArray
from snakestudio.engines.base import Engine
from snakestudio.model.motion import TwoWaves
from snakestudio.model.obstacles.shapes.cylinder import Cylinder
from snakestudio.model.recording import Rows
from snakestudio.model.reference import JointReference
from snakestudio.model.scene import Scene


def circle(x: float, y: float, radius: float) -> Cylinder:
    return Cylinder(kind="cylinder", x_m=x, y_m=y, radius_m=radius)


def _wave(amplitude: float, omega: float, phase: FloatArray, offset: float) -> FloatArray:
    """Return angle, rate and acceleration of a wave with these phases, (3, ...)."""
    sine = np.sin(phase)
    cosine = np.cos(phase)
    return np.stack(
        [amplitude * sine + offset, amplitude * omega * cosine, -amplitude * omega**2 * sine]
    )


def _waves(scene: Scene, time: FloatArray) -> FloatArray:
    """Return angle, rate and acceleration of all joint axes in the scene's gait, (3, k, m)."""
    gait = scene.gait
    joints = np.arange(scene.robot.n_links - 1)
    phase = gait.omega * time[:, None] + joints * gait.phase_shift
    yaw = _wave(gait.amplitude, gait.omega, phase, gait.offset)
    if not isinstance(gait, TwoWaves):
        return _of_axes(scene, yaw, np.zeros_like(yaw))
    p = gait.pitch
    phase = p.omega * time[:, None] + joints * p.phase_shift + p.phase
    return _of_axes(scene, yaw, _wave(p.amplitude, p.omega, phase, p.offset))


def _of_axes(scene: Scene, yaw: FloatArray, pitch: FloatArray) -> FloatArray:
    """Return values (..., m) of cardan joints, or of yaw axes alone in the plane."""
    return np.stack([yaw, pitch], -1).reshape(*yaw.shape[:-1], -1) if scene.model.spatial else yaw


def yaw_of(values: FloatArray, n_joints: int) -> FloatArray:
    """Return the values (..., n-1) of the yaw axes among those of all axes of joints with equal numbers of axes."""
    return values.reshape(*values.shape[:-1], n_joints, -1)[..., 0]


def gait_reference(scene: Scene, n_steps: int, begin: int = 0) -> JointReference:
    """Return the scene's gait with a knot at every step, soft start included, without a ramp."""
    dt = scene.solver.step_s
    end = begin + n_steps
    at = np.arange(begin, end + 1)
    time = np.arange(begin, end + 1) * dt
    if scene.control.soft_start_deg <= 0.0:
        return JointReference(time, *_waves(scene, time))
    # P1, VIII-E: a joint axis holds 0 until its reference is within the limit for the first time
    # (checked in the middle of a step, like everything in P1). Two knots at nearly the same time
    # make the jump at the step's beginning.
    near = np.abs(_waves(scene, (np.arange(end) + 0.5) * dt)[0]) <= np.radians(
        scene.control.soft_start_deg
    )
    follows = np.logical_or.accumulate(near, axis=0)
    before = follows[np.maximum(at - 1, 0)]
    after = follows[np.minimum(at, end - 1)]
    jumps = (before != after).any(axis=1)
    twice = np.repeat(np.arange(len(at)), 1 + jumps)
    second = np.concatenate([[False], np.diff(twice) == 0])
    time = np.where(second, np.nextafter(time[twice], np.inf), time[twice])
    mask = np.where((second | ~jumps[twice])[:, None], after[twice], before[twice])
    return JointReference(time, *(_waves(scene, time) * mask))


def still(
    scene: Scene, angle: FloatArray | float = 0.0, pitch: FloatArray | float = 0.0
) -> JointReference:
    """Return a reference with constant joint angles (yaw and pitch)."""
    n = scene.robot.n_links
    angles = _of_axes(
        scene, *(np.broadcast_to(np.asarray(a, dtype=float), (2, n - 1)) for a in (angle, pitch))
    )
    zero = np.zeros_like(angles)
    return JointReference(np.array([0.0, 1e6]), angles, zero, zero)


def run_engine(engine: Engine, steps: int, every: int = 1, gait: bool = True) -> Rows:
    """Run an engine from its start, with all steps converged and a row every `every` steps."""
    reference = gait_reference(engine.scene, steps) if gait else still(engine.scene)
    report = engine.advance(reference, steps, np.arange(every, steps + 1, every))
    assert report.ok, report.message
    assert report.unconverged == 0
    assert report.residual <= 1e-8
    return report.rows


def state_of(engine: Engine) -> Any:
    """Return a copy of the state of a time-stepping engine, a named tuple of arrays."""
    return engine.checkpoint().state[0]


def set_state(engine: Engine, **arrays: FloatArray) -> None:
    """Replace arrays of the state of a time-stepping engine."""
    saved = engine.checkpoint()
    state, scene, reference = saved.state
    engine.restore(replace(saved, state=(state._replace(**arrays), scene, reference)))


def same_rows(one: Rows, other: Rows) -> bool:
    """Return whether two sequences of rows are equal bit for bit."""
    names = [name for name in Rows.__dataclass_fields__ if name != "contacts"]
    pairs = [(getattr(one, name), getattr(other, name)) for name in names]
    contacts = one.contacts.__dataclass_fields__
    pairs += [(getattr(one.contacts, name), getattr(other.contacts, name)) for name in contacts]
    return all(np.array_equal(a, b) for a, b in pairs)
