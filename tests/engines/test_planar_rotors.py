"""Rotor inertia in the planar models, compared with the spatial model, which is compared with MuJoCo."""

from __future__ import annotations

import numpy as np
import pytest

from snakestudio._arrays import FloatArray
from snakestudio.engines import registry
from snakestudio.model.edits import with_values
from snakestudio.model.recording import Rows
from snakestudio.model.scene import Scene
from tests.engines.common import gait_reference
from tests.session.test_run_schema import recorded

SECONDS = 0.25
KINDS = ("planar_nonsmooth", "planar_lagrangian")


def free_robot(kind: str, step: float, rotor: float = 2e-3) -> Scene:
    """Return five links without friction, that undulate on soft joints, with different rotors."""
    height = {"start.z_m": 1.0} if kind == "spatial_nonsmooth" else {}
    return with_values(
        Scene(),
        {
            "model.kind": kind,
            "robot.n_links": 5,
            "robot.joint": ({"index": 2, "rotor_inertia_kg_m2": 3.0 * rotor},),
            "actuator.rotor_inertia_kg_m2": rotor,
            "ground.mu_along": 0.0,
            "ground.mu_across": 0.0,
            "ground.gravity_m_s2": 0.0,
            "gait.amplitude_deg": 30.0,
            "gait.frequency_deg_s": 300.0,
            "joint_controller.kp_nm_per_rad": 2.0,
            "joint_controller.kd_nms_per_rad": 0.05,
            "start.kind": "straight",
            "solver.step_s": step,
            **height,
        },
    )


def run(scene: Scene) -> Rows:
    """Return the last row of a run."""
    steps = round(SECONDS / scene.solver.step_s)
    engine = registry.create(scene)
    report = engine.advance(gait_reference(scene, steps), steps, (steps,))
    assert report.ok, report.message
    return report.rows


def centres(kind: str, rotor: float = 2e-3) -> FloatArray:
    """Return the centres of mass at the end, extrapolated to a step of 0, (5, 2), m."""
    long, short = (run(free_robot(kind, step, rotor)).link_pose[-1, :, :2] for step in (1e-4, 5e-5))
    return np.asarray(2.0 * short - long)


@pytest.mark.parametrize("kind", KINDS)
def test_rotors_move_planar_chains_as_in_space(kind: str) -> None:
    expected = centres("spatial_nonsmooth")
    np.testing.assert_allclose(centres(kind), expected, rtol=0.0, atol=1e-6)
    assert np.abs(centres(kind, 0.0) - expected).max() > 1e-3


@pytest.mark.parametrize("kind", KINDS)
def test_kinetic_energy_of_rotors_is_the_work_of_the_motors(kind: str) -> None:
    scene = free_robot(kind, 1e-4)
    energy = run(scene).energy[-1]
    names = recorded(scene).energy
    kinetic, work = (energy[names.index(name)] for name in ("kinetic", "work_actuator"))
    joint = energy[names.index("work_joint")] if "work_joint" in names else 0.0
    assert work > 0.01
    assert kinetic == pytest.approx(work + joint, rel=1e-9 if kind == KINDS[0] else 1e-4)


@pytest.mark.parametrize("kind", KINDS)
def test_rotors_do_not_change_during_a_run(kind: str) -> None:
    engine = registry.create(free_robot(kind, 1e-4))
    assert not engine.apply(free_robot(kind, 1e-4, 1e-3))


def test_feedback_linearization_includes_the_rotors() -> None:
    """The joints of P4 follow their commands exactly, with any rotors."""
    scene = with_values(
        Scene(),
        {
            "model.kind": "planar_lagrangian",
            "joint_controller.law": "feedback_linearization",
            "actuator.rotor_inertia_kg_m2": 5e-3,
            "ground.viscous_along_ns_per_m": 1.0,
            "ground.viscous_across_ns_per_m": 3.0,
        },
    )
    rows = run(scene)
    error = rows.joint_angle - rows.joint_angle_ref
    plain = run(with_values(scene, {"actuator.rotor_inertia_kg_m2": 0.0}))
    assert (
        np.abs(error).max() < 1.5 * np.abs(plain.joint_angle - plain.joint_angle_ref).max() + 1e-9
    )
