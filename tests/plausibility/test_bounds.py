"""Needed torques and speeds of a gait, compared with closed forms and with MuJoCo."""

from __future__ import annotations

from typing import Any

import mujoco
import numpy as np
import pytest

import snakestudio as ss
from snakestudio.model.robot.robot import Axis
from snakestudio.model.scene_file import scene_from_dict
from snakestudio.plausibility.bounds import (
    shape_speed,
    shorter_side_moment,
    static_torque,
    swing_inertia,
    weight_of,
)


def scene_of(**tables: dict[str, Any]) -> ss.Scene:
    return scene_from_dict({"format": 1, **tables})


def test_static_torque_of_equal_links_equals_closed_form() -> None:
    scene = scene_of(
        robot={"n_links": 20, "link_length_m": 0.1, "mass_kg": 0.5},
        ground={"mu_along": 0.3, "mu_across": 1.0},
    )
    assert static_torque(scene) == pytest.approx(10.0 * 9.81 * 2.0 / 8.0, rel=1e-12)
    assert weight_of(scene) == pytest.approx(98.1)


def test_static_torque_agrees_with_inverse_dynamics_of_mujoco() -> None:
    n, length, mass = 5, 0.122, 0.68
    link = '<body pos="{x} 0 0"><joint type="hinge" axis="0 1 0"/><inertial pos="{half} 0 0" mass="{mass}" {i}/>'
    inertia = 'diaginertia="1e-3 1e-3 1e-3"'
    bodies = "".join(
        link.format(x=0.0 if k == 0 else length, half=0.5 * length, mass=mass, i=inertia)
        for k in range(n)
    )
    model = mujoco.MjModel.from_xml_string(
        f"<mujoco><worldbody>{bodies}{'</body>' * n}</worldbody></mujoco>"
    )
    data = mujoco.MjData(model)
    mujoco.mj_inverse(model, data)
    scene = scene_of(
        robot={"n_links": 2 * n, "link_length_m": length, "mass_kg": mass},
        ground={"mu_along": 0.0, "mu_across": 0.0},
    )
    assert static_torque(scene) == pytest.approx(abs(float(data.qfrc_inverse[0])), rel=1e-9)


def test_friction_above_1_needs_more_torque_than_weight() -> None:
    robot = {"n_links": 4, "link_length_m": 0.2, "mass_kg": 1.0}
    light = static_torque(scene_of(robot=robot, ground={"mu_along": 1.0, "mu_across": 0.2}))
    heavy = static_torque(scene_of(robot=robot, ground={"mu_along": 0.1, "mu_across": 3.0}))
    assert heavy == pytest.approx(3.0 * light)


def test_weak_gravity_does_not_weaken_motors() -> None:
    robot = {"n_links": 4, "link_length_m": 0.2, "mass_kg": 1.0}
    earth = static_torque(scene_of(robot=robot))
    assert static_torque(scene_of(robot=robot, ground={"gravity_m_s2": 0.0})) == earth


def test_moment_is_that_of_the_shorter_side_of_the_worst_joint() -> None:
    # Two joints at 1 m and 1.5 m: left of them 2 kg at 0.5 m and 1 m, plus 3 kg at 0.25 m; right
    # of them 3 kg at 0.25 m plus 1 kg at 1 m, and 1 kg at 0.5 m.
    mass = np.array([2.0, 3.0, 1.0])
    length = np.array([1.0, 0.5, 1.0])
    first = min(2.0 * 0.5, 3.0 * 0.25 + 1.0 * 1.0)
    second = min(2.0 * 1.0 + 3.0 * 0.25, 1.0 * 0.5)
    assert shorter_side_moment(mass, length, 1) == pytest.approx(max(first, second))
    assert shorter_side_moment(mass[:1], length[:1], 1) == 0.0


def test_swing_inertia_of_equal_links_is_the_sum_of_squares() -> None:
    scene = scene_of(robot={"n_links": 6, "link_length_m": 0.1, "mass_kg": 2.0})
    expected = sum(2.0 * (0.1 * (k + 0.5)) ** 2 for k in range(3))
    assert swing_inertia(scene) == pytest.approx(expected, rel=1e-12)


def test_shape_speed_of_one_joint_is_that_of_two_folding_halves() -> None:
    # Both halves turn with half the rate, so a half of 1 m turns at 1 rad/s and its end moves at 1 m/s.
    speed = shape_speed(np.array([[2.0], [0.0]]), (Axis(0, "yaw"),), np.array([1.0, 1.0]))
    assert speed == pytest.approx([1.0, 0.0])


def test_floating_links_are_within_the_shape_speed() -> None:
    # Without friction nothing moves the centre of mass, so that all speeds are those of the shape.
    run = ss.simulate(
        "lateral_undulation_isotropic",
        duration=6.0,
        values={"ground.mu_along": 0.0, "ground.mu_across": 0.0},
    )
    rows = run.recording.rows(0, len(run.recording))
    lengths = np.array([link.length for link in run.scene.robot.links])
    bound = shape_speed(rows.joint_rate, run.recording.schema.axes, lengths)
    speed = np.linalg.norm(rows.link_twist[:, :, :2], axis=2).max(axis=1)
    moving = rows.time > 1.0
    assert (speed[moving] <= bound[moving]).all()
    assert (speed[moving] > 0.1 * bound[moving]).all()
