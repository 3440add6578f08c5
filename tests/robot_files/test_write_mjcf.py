"""Exported MJCF in MuJoCo: masses, kinematics, motors, friction and world equal those of the scene."""

from __future__ import annotations

import math
from typing import Any

import mujoco
import numpy as np
import pytest

from snakestudio._arrays import FloatArray
from snakestudio.errors import ExportError
from snakestudio.model.edits import with_values
from snakestudio.model.obstacles.shape import obstacle_solids
from snakestudio.model.obstacles.solids import Relief
from snakestudio.model.robot.robot import Robot
from snakestudio.model.rotations import quaternions
from snakestudio.model.scene import Scene
from snakestudio.model.scene_file import load_scene
from snakestudio.paths import scenes_dir
from snakestudio.robot_files.from_scene import scene_model
from snakestudio.robot_files.write_mjcf import MOST_LINKS, mjcf_notes, mjcf_text
from tests.robot_files.chains import about, centres, file_angles, placed, random_scene

SPACE = with_values(Scene(), {"model.kind": "spatial_nonsmooth"})


def model_of(scene: Scene) -> tuple[mujoco.MjModel, mujoco.MjData]:
    model = mujoco.MjModel.from_xml_string(mjcf_text(scene_model(scene, scenes_dir())))
    return model, mujoco.MjData(model)


def bent(scene: Scene, data: mujoco.MjData, angles: FloatArray) -> None:
    """Bend the robot; its first link stays at the origin with its axes along the world's."""
    data.qpos[:7] = 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0
    data.qpos[7:] = file_angles(scene, angles)


@pytest.mark.parametrize("seed", range(4))
def test_masses_and_kinematics_equal_the_scene(seed: int) -> None:
    scene = random_scene(seed)
    model, data = model_of(scene)
    robot = scene.robot
    assert model.body_mass[1:].sum() == pytest.approx(robot.mass, rel=1e-15)
    angles = np.random.default_rng(seed).uniform(-1.5, 1.5, len(scene.body.axes))
    bent(scene, data, angles)
    mujoco.mj_forward(model, data)
    chain = placed(scene, angles, np.zeros(3), np.eye(3))
    np.testing.assert_allclose(data.xpos[1:], chain.middle, atol=1e-13)
    np.testing.assert_allclose(data.xmat[1:].reshape(-1, 3, 3), chain.turn, atol=1e-13)
    np.testing.assert_allclose(data.xipos[1:], centres(scene, chain), atol=1e-13)
    np.testing.assert_allclose(
        data.xaxis[1:], scene.axis_values.sign[:, None] * chain.axis, atol=1e-13
    )
    offset = data.xanchor[1:] - chain.anchor
    np.testing.assert_allclose(np.cross(offset, chain.axis), 0.0, atol=1e-13)  # the same line
    for k, link in enumerate(robot.links):
        assert model.body_mass[k + 1] == link.mass
        own = data.ximat[k + 1].reshape(3, 3)
        inertia = own @ np.diag(model.body_inertia[k + 1]) @ own.T
        moments = np.diag([link.axial_inertia, link.inertia, link.inertia])
        np.testing.assert_allclose(inertia, chain.turn[k] @ moments @ chain.turn[k].T, atol=1e-15)


@pytest.mark.parametrize("seed", range(2))
def test_motors_springs_and_limits_equal_the_scene(seed: int) -> None:
    scene = random_scene(seed)
    model, data = model_of(scene)
    values = scene.axis_values
    rng = np.random.default_rng(seed)
    saturated = 0
    for _ in range(5):
        angle, goal = rng.uniform(-0.3, 0.3, (2, len(values.kp)))
        rate, goal_rate = rng.uniform(-1.0, 1.0, (2, len(values.kp)))
        bent(scene, data, angle)
        data.qvel[6:] = values.sign * rate
        data.ctrl[:] = file_angles(scene, goal) + values.kd / values.kp * values.sign * goal_rate
        mujoco.mj_forward(model, data)
        torque = values.kp * (goal - angle) + values.kd * (goal_rate - rate)
        saturated += int((abs(torque) > values.max_torque).sum())
        torque = np.clip(torque, -values.max_torque, values.max_torque)
        np.testing.assert_allclose(data.qfrc_actuator[6:], values.sign * torque, atol=1e-11)
        passive = -values.spring * (angle - values.rest) - values.damper * rate
        np.testing.assert_allclose(data.qfrc_passive[6:], values.sign * passive, atol=1e-12)
    assert saturated > 5
    ends = values.sign[:, None] * (
        np.column_stack([values.lower, values.upper]) - values.zero[:, None]
    )
    np.testing.assert_allclose(model.dof_armature[6:], values.rotor, rtol=1e-12)
    np.testing.assert_allclose(model.dof_frictionloss[6:], values.dry, rtol=1e-12)
    assert model.jnt_limited[1:].all()
    np.testing.assert_allclose(model.jnt_range[1:], np.sort(ends, axis=1), atol=1e-15)


def test_gravity_torques_at_the_joints_are_exact() -> None:
    # From the moments of the weights behind each axis, on sloping ground.
    scene = with_values(random_scene(5), {"ground.slope_deg": 20.0, "ground.downhill_deg": 50.0})
    model, data = model_of(scene)
    angles = np.random.default_rng(5).uniform(-1.0, 1.0, len(scene.body.axes))
    bent(scene, data, angles)
    mujoco.mj_forward(model, data)
    chain = placed(scene, angles, np.zeros(3), np.eye(3))
    slope = math.radians(20.0)
    downhill = math.radians(50.0)
    gravity = 9.81 * np.array(
        [
            math.sin(slope) * math.cos(downhill),
            math.sin(slope) * math.sin(downhill),
            -math.cos(slope),
        ]
    )
    mass = np.array([link.mass for link in scene.robot.links])
    for j, axis in enumerate(scene.body.axes):
        behind = slice(axis.joint + 1, None)
        arms = centres(scene, chain)[behind] - chain.anchor[j]
        moment = (np.cross(arms, gravity) * mass[behind, None]).sum(axis=0) @ chain.axis[j]
        assert data.qfrc_bias[6 + j] == pytest.approx(
            -scene.axis_values.sign[j] * moment, abs=1e-11
        )


def test_start_is_a_keyframe() -> None:
    # Every link moves with the first one and turns about all axes before it.
    scene = random_scene(7)
    rng = np.random.default_rng(7)
    velocity, spin = rng.uniform(-1, 1, (2, 3))
    angles, rates = rng.uniform(-1, 1, (2, len(scene.body.axes)))
    chain = placed(
        scene, angles, np.array([0.3, -0.2, 1.0]), about("yaw", 2.0) @ about("roll", 0.4)
    )
    position = centres(scene, chain)
    linear = []
    angular = []
    for k, at in enumerate(position):
        before = [j for j, axis in enumerate(scene.body.axes) if axis.joint < k]
        turning = rates[before, None] * chain.axis[before]
        linear.append(velocity + np.cross(spin, at - position[0]))
        linear[-1] = linear[-1] + np.cross(turning, at - chain.anchor[before]).sum(axis=0)
        angular.append(spin + turning.sum(axis=0))
    start = {
        "position_m": position,
        "orientation_wxyz": quaternions(chain.turn),
        "velocity_m_s": np.array(linear),
        "angular_velocity_rad_s": np.array(angular),
    }
    values = {f"start.{key}": value.tolist() for key, value in start.items()}
    model, data = model_of(with_values(scene, values))
    mujoco.mj_resetDataKeyframe(model, data, model.key("start").id)
    mujoco.mj_forward(model, data)
    np.testing.assert_allclose(data.qpos[7:], file_angles(scene, angles), atol=1e-12)
    np.testing.assert_allclose(data.qvel[6:], scene.axis_values.sign * rates, atol=1e-11)
    np.testing.assert_allclose(data.xipos[1:], position, atol=1e-12)
    for k in range(len(position)):
        velocity = np.zeros(6)
        mujoco.mj_objectVelocity(model, data, mujoco.mjtObj.mjOBJ_BODY, k + 1, velocity, 0)
        np.testing.assert_allclose(velocity, [*angular[k], *linear[k]], atol=1e-11)
    # it holds the angles at which it starts
    np.testing.assert_array_equal(data.ctrl, data.qpos[7:])


@pytest.mark.parametrize("direction", [0.0, 90.0])
def test_link_slides_by_its_own_friction(direction: float) -> None:
    # After a push along or across, it stops after v^2 / 2 mu g. MuJoCo's soft contacts creep
    # slightly further.
    along = 0.1
    across = 0.4
    speed = 1.0
    ground = {"ground.mu_along": along, "ground.mu_across": across, "ground.mu_rolling": 0.0}
    heading = math.radians(30.0 + direction)
    start = {
        "start.kind": "straight",
        "start.heading_deg": 30.0,
        "start.vx_m_s": speed * math.cos(heading),
        "start.vy_m_s": speed * math.sin(heading),
    }
    # A link that hardly rolls: a heavy rim.
    robot = {"robot.n_links": 1, "robot.axial_inertia_kg_m2": 1000.0, "robot.inertia_kg_m2": 1000.0}
    model, data = model_of(with_values(SPACE, ground | start | robot))
    mujoco.mj_resetDataKeyframe(model, data, 0)
    begin = data.qpos[:2].copy()
    for _ in range(8000):
        mujoco.mj_step(model, data)
    far = np.linalg.norm(data.qpos[:2] - begin)
    assert far == pytest.approx(
        speed**2 / (2 * 9.81 * (along if direction == 0.0 else across)), rel=0.03
    )


@pytest.mark.parametrize("of_link", [False, True])
def test_contact_friction_is_that_of_the_touched_body(of_link: bool) -> None:
    # On the ground the friction is that of the link, even if the ground has more; at an obstacle
    # that of the obstacle.
    values: dict[str, Any] = {
        "ground.mu_along": 0.5,
        "ground.mu_across": 0.5,
        "ground.mu_rolling": 0.1,
        "robot.n_links": 2,
        "start.kind": "straight",
        "obstacles": [
            {
                "kind": "box",
                "x_m": 0.061,
                "y_m": 0.1,
                "width_m": 0.0952,
                "height_m": 1.0,
                "friction": 0.07,
            }
        ],
    }
    if of_link:
        values["robot.link"] = [{"index": "all", "mu_along": 0.2, "mu_across": 0.2}]
    model, data = model_of(with_values(SPACE, values))
    mujoco.mj_resetDataKeyframe(model, data, 0)
    mujoco.mj_forward(model, data)
    friction: dict[str, list[float]] = {}
    for contact in data.contact:
        names = {model.geom(g).name for g in contact.geom}
        (other,) = names - {"link_1", "link_2"}
        friction.setdefault(other, []).append(contact.friction[0])
        assert contact.dim == (6 if other == "ground" else 3)
        assert contact.friction[3] == pytest.approx(0.1 * 0.0525 if other == "ground" else 1e-5)
    assert friction["ground"] == [0.2 if of_link else 0.5] * 4
    assert set(friction["box_1"]) == {0.07}


def test_passive_wheels_roll_along_and_hold_across() -> None:
    wheels = {"robot.wheels": "passive", "ground.mu_across": 0.6, "start.kind": "straight"}
    scene = with_values(SPACE, wheels)
    model, _ = model_of(scene)
    assert model.npair == scene.robot.n_links
    np.testing.assert_array_equal(model.pair_friction[:, :2], [[0.0, 0.6]] * 11)
    assert any("Wheels" in note for note in mjcf_notes(scene_model(scene)))


def surface(model: mujoco.MjModel, data: mujoco.MjData, x: float, y: float) -> float:
    """Height of the surface below a point, m."""
    hit = np.zeros(1, np.int32)
    no_robot = np.array([1, 0, 0, 0, 0, 0], np.uint8)
    for geom in range(model.ngeom):
        model.geom_group[geom] = 0 if model.geom_contype[geom] else 1
    down = mujoco.mj_ray(
        model, data, np.array([x, y, 5.0]), np.array([0.0, 0.0, -1.0]), no_robot, 1, -1, hit
    )
    return 5.0 - float(down)


def test_height_fields_and_ramps_have_the_right_heights() -> None:
    rng = np.random.default_rng(0)
    obstacles = [
        {
            "kind": "height_field",
            "x_m": 3.0,
            "y_m": 0.5,
            "yaw_deg": 30.0,
            "z_m": 0.05,
            "length_m": 2.0,
            "width_m": 1.5,
            "heights_m": rng.uniform(0.1, 0.4, (4, 3)).tolist(),
        },
        {
            "kind": "ramp",
            "x_m": -2.0,
            "y_m": 1.0,
            "heading_deg": 90.0,
            "length_m": 1.0,
            "rise_m": 0.2,
            "landing_m": 0.5,
        },
    ]
    scene = with_values(SPACE, {"obstacles": obstacles})
    model, data = model_of(scene)
    mujoco.mj_forward(model, data)
    (relief,) = obstacle_solids(scene.obstacles[0])
    assert isinstance(relief, Relief)
    cos, sin = math.cos(relief.yaw), math.sin(relief.yaw)
    for x, y in rng.uniform(0.01, 0.99, (12, 2)) * [2.0, 1.5]:
        at = relief.origin + np.array([cos * x - sin * y, sin * x + cos * y, 0.0])
        expected = relief.origin[2] + float(relief.surface(np.array(x), np.array(y)))
        assert surface(model, data, at[0], at[1]) == pytest.approx(expected, abs=1e-6)
    for along, height in ((0.25, 0.05), (0.9, 0.18), (1.3, 0.2), (1.6, 0.0)):
        assert surface(model, data, -2.3, 1.0 + along) == pytest.approx(height, abs=1e-6)


@pytest.mark.parametrize(
    "name", ["stairs", "rubble", "obstacle_aided_3d", "jam_resolution", "lagrangian_undulation"]
)
def test_bundled_scenes_load_in_mujoco(name: str) -> None:
    scene = load_scene(scenes_dir() / f"{name}.toml")
    model, data = model_of(scene)
    mujoco.mj_resetDataKeyframe(model, data, 0)
    mujoco.mj_step(model, data)
    assert model.nbody == 1 + scene.robot.n_links
    assert model.nu == len(scene.body.axes)
    assert model.ngeom == 1 + scene.robot.n_links + sum(
        len(obstacle_solids(o)) for o in scene.obstacles
    )
    assert model.opt.timestep == scene.solver.step_s


def test_limp_joints_have_no_motor_and_dampers_a_velocity_one() -> None:
    joints = [
        {"index": 1, "kp_nm_per_rad": 0.0, "kd_nms_per_rad": 0.0},
        {"index": 2, "kp_nm_per_rad": 0.0},
    ]
    values = {
        "robot.n_links": 4,
        "robot.joints": "yaw",
        "robot.joint": joints,
        "start.kind": "straight",
    }
    model, data = model_of(with_values(SPACE, values))
    assert [model.actuator(a).name for a in range(model.nu)] == ["joint_2_yaw", "joint_3_yaw"]
    data.ctrl[:] = 3.0, 0.0
    mujoco.mj_forward(model, data)
    assert data.qfrc_actuator[7] == pytest.approx(2.0 * 3.0)  # K_D times the reference rate


def test_torque_gaits_have_plain_motors() -> None:
    scene = with_values(SPACE, {"gait.kind": "joint_torque", "actuator.max_torque_nm": 3.0})
    model, data = model_of(scene)
    data.ctrl[:] = 5.0
    mujoco.mj_forward(model, data)
    assert model.nu == 20
    np.testing.assert_allclose(data.qfrc_actuator[6:], 3.0)


def test_names_invalid_in_xml_or_mujoco_are_replaced() -> None:
    names = ["ground", "ground", 'a <b> & "c"', "--", "\x01", "link_1"]
    obstacles = [
        {"kind": "cylinder", "x_m": float(k), "y_m": 1.0, "name": name}
        for k, name in enumerate(names)
    ]
    scene = with_values(SPACE, {"obstacles": obstacles, "robot.name": "x -- <y> \x02"})
    model, _ = model_of(scene)
    assert model.ngeom == 1 + 11 + 6


def test_links_of_zero_length_are_spheres() -> None:
    scene = with_values(SPACE, {"robot.contact_half_length_m": 0.0, "ground.mu_across": 0.9})
    model, _ = model_of(scene)
    assert (model.geom_type[1:] == mujoco.mjtGeom.mjGEOM_SPHERE).all()
    assert model.npair == 0
    assert any("spheres" in note for note in mjcf_notes(scene_model(scene)))


def test_longest_chain_loads_and_a_longer_one_is_refused() -> None:
    model, _ = model_of(Scene(robot=Robot(n_links=MOST_LINKS)))
    assert model.nbody == 1 + MOST_LINKS
    with pytest.raises(ExportError, match=f"{MOST_LINKS} links"):
        model_of(Scene(robot=Robot(n_links=MOST_LINKS + 1)))


def test_impossible_inertia_is_refused() -> None:
    scene = with_values(
        SPACE, {"robot.link": [{"index": 3, "inertia_kg_m2": 1e-3, "axial_inertia_kg_m2": 3e-3}]}
    )
    with pytest.raises(ExportError, match=r"link 3 \(0\.003 kg m²\)"):
        scene_model(scene)


def test_axial_inertia_ignored_by_a_planar_model_is_reduced() -> None:
    scene = with_values(Scene(), {"robot.inertia_kg_m2": 1e-4, "robot.axial_inertia_kg_m2": 9e-4})
    model, _ = model_of(scene)
    np.testing.assert_allclose(np.sort(model.body_inertia[1:], axis=1), [[1e-4, 1e-4, 2e-4]] * 11)
    assert any("axial inertia" in note for note in mjcf_notes(scene_model(scene)))


@pytest.mark.parametrize(
    ("values", "part"),
    [
        ({"ground.slope_deg": 10.0}, "slope of 10°"),
        ({"ground.mu_backward": 0.4}, "forward and backward"),
        ({"robot.wheels": "ratchet"}, "ratchet becomes a wheel"),
        ({"ground.stribeck_rise": 0.3}, "Stribeck"),
        ({"ground.friction_factor": "1 + x"}, "friction factor"),
        ({"ground.law": "components", "ground.mu_across": 0.9}, "each direction separately"),
        ({"ground.patch": [{"points_m": [[0, 0], [1, 0], [0, 1]]}]}, "patches"),
        ({"ground.picture": {"file": "floor.png"}}, "friction image of the ground"),
        ({"actuator.free_play_deg": 3.0}, "acklash"),
        ({"actuator.time_constant_s": 0.02}, "time constant"),
        ({"actuator.efficiency": 0.9}, "losses"),
        ({"actuator.back_emf_nms_per_rad": 0.1}, "back EMF"),
        ({"actuator.max_current_torque_nm": 3.0}, "current limit"),
        ({"actuator.dry_friction_nm": 0.1, "actuator.dry_friction_rise": 0.5}, "near rest"),
        ({"actuator.restitution": 0.5, "robot.joint_limit_deg": 90.0}, "restitution"),
        ({"actuator.max_speed_deg_s": 90.0}, "speed limit"),
        ({"model.kind": "planar_nonsmooth"}, "planar"),
        ({"model.kind": "planar_lagrangian", "ground.viscous_along_ns_per_m": 1.0}, "Viscous"),
        ({}, "cosine of the pitch"),
    ],
)
def test_values_without_equivalent_are_noted(values: dict[str, Any], part: str) -> None:
    scene = with_values(SPACE, values)
    text = mjcf_text(scene_model(scene))
    assert part in text[: text.index("-->")]
    plain = mjcf_text(scene_model(with_values(SPACE, {"robot.joints": "yaw"})))
    assert part not in plain
