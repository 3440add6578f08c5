"""Exported URDF, read by MuJoCo, and the structure of exported SDF: masses, frames, axes and limits."""

from __future__ import annotations

import math
from typing import Any
from xml.etree import ElementTree

import mujoco
import numpy as np
import pytest

from snakestudio._arrays import FloatArray
from snakestudio.model.edits import with_values
from snakestudio.model.obstacles.shape import obstacle_solids
from snakestudio.model.scene import Scene
from snakestudio.model.scene_file import load_scene
from snakestudio.paths import scenes_dir
from snakestudio.robot_files.description import UNLIMITED
from snakestudio.robot_files.from_scene import scene_model
from snakestudio.robot_files.single_axes import CROSS_SHARE
from snakestudio.robot_files.write_sdf import sdf_text
from snakestudio.robot_files.write_urdf import urdf_text
from snakestudio.robot_files.xml_text import rpy
from tests.robot_files.chains import about, centres, file_angles, placed, random_scene

SPACE = with_values(Scene(), {"model.kind": "spatial_nonsmooth"})


def root_of(text: str) -> ElementTree.Element:
    return ElementTree.fromstring(text.encode())


def read_by_mujoco(text: str) -> tuple[mujoco.MjModel, mujoco.MjData]:
    """Load the URDF in MuJoCo on a free joint, with fixed links as separate bodies."""
    spec = mujoco.MjSpec.from_string(text)
    spec.compiler.fusestatic = False
    spec.worldbody.first_body().add_freejoint()
    model = spec.compile()
    return model, mujoco.MjData(model)


@pytest.mark.parametrize("seed", range(3))
def test_urdf_has_the_masses_and_kinematics_of_the_scene(seed: int) -> None:
    scene = random_scene(seed)
    model, data = read_by_mujoco(urdf_text(scene_model(scene)))
    angles = np.random.default_rng(seed).uniform(-1.5, 1.5, len(scene.body.axes))
    names = [axis.name for axis in scene.body.axes]
    assert [model.joint(j).name for j in range(1, model.njnt)] == names
    data.qpos[7:] = file_angles(scene, angles)
    mujoco.mj_forward(model, data)
    chain = placed(scene, angles, np.zeros(3), np.eye(3))
    np.testing.assert_allclose(
        data.xaxis[1:], scene.axis_values.sign[:, None] * chain.axis, atol=1e-12
    )
    np.testing.assert_allclose(
        np.cross(data.xanchor[1:] - chain.anchor, chain.axis), 0.0, atol=1e-12
    )
    middle = centres(scene, chain)
    for k, link in enumerate(scene.robot.links):
        body = model.body(f"link_{k + 1}").id
        assert model.body_mass[body] == link.mass
        np.testing.assert_allclose(data.xipos[body], middle[k], atol=1e-12)
        own = data.ximat[body].reshape(3, 3)
        moments = np.diag([link.axial_inertia, link.inertia, link.inertia])
        inertia = own @ np.diag(model.body_inertia[body]) @ own.T
        np.testing.assert_allclose(inertia, chain.turn[k] @ moments @ chain.turn[k].T, atol=1e-14)
    crosses = model.body_mass.sum() - scene.robot.mass
    assert 0.0 < crosses < 2.0 * CROSS_SHARE * scene.robot.mass
    ends = np.sort(
        file_angles(scene, np.array([scene.axis_values.lower, scene.axis_values.upper])), axis=0
    )
    np.testing.assert_allclose(model.jnt_range[1:], ends.T, atol=1e-15)
    np.testing.assert_allclose(model.dof_damping[6:], scene.axis_values.damper)


def test_urdf_is_a_tree_with_all_required_elements() -> None:
    robot = root_of(urdf_text(scene_model(random_scene(4))))
    links = [link.get("name") for link in robot.findall("link")]
    joints = robot.findall("joint")
    assert len(set(links)) == len(links) == len(joints) + 1
    assert sorted(links[1:]) == sorted(str(joint.find("child").get("link")) for joint in joints)  # type: ignore[union-attr]
    for joint in joints:
        assert joint.find("parent").get("link") in links  # type: ignore[union-attr]
        if joint.get("type") == "revolute":
            limit = joint.find("limit")
            assert limit is not None
            assert {"lower", "upper", "effort", "velocity"} == set(limit.attrib)
    for link in robot.findall("link"):
        assert link.find("inertial/mass") is not None
        assert len(link.findall("collision")) == (0 if "_cross" in str(link.get("name")) else 3)


def test_urdf_limits_equal_those_of_the_motors() -> None:
    values = {
        "robot.n_links": 3,
        "robot.joints": "yaw",
        "actuator.max_torque_nm": 7.0,
        "actuator.max_speed_deg_s": 180.0,
        "robot.joint": [{"index": 1, "upper_limit_deg": 90.0}],
    }
    one, two = root_of(urdf_text(scene_model(with_values(SPACE, values)))).findall("joint")
    assert one.find("limit").attrib == {  # type: ignore[union-attr]
        "effort": "7.0",
        "velocity": repr(math.pi),
        "lower": repr(-UNLIMITED),
        "upper": repr(math.pi / 2),
    }
    assert two.get("type") == "continuous"
    assert two.find("limit").attrib == {"effort": "7.0", "velocity": repr(math.pi)}  # type: ignore[union-attr]
    free = root_of(urdf_text(scene_model(with_values(SPACE, {"robot.joints": "yaw"}))))
    assert free.find("joint/limit") is None


def numbers(element: ElementTree.Element | None) -> FloatArray:
    """Return the numbers of an element; an omitted pose is the identity."""
    return (
        np.zeros(6)
        if element is None
        else np.array([float(number) for number in str(element.text).split()])
    )


def placement(pose: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return position and rotation of a pose."""
    return pose[:3], about("yaw", pose[5]) @ about("pitch", pose[4]) @ about("roll", pose[3])


@pytest.mark.parametrize("seed", range(3))
def test_sdf_has_the_masses_and_frames_of_the_scene(seed: int) -> None:
    scene = random_scene(seed)
    root = root_of(sdf_text(scene_model(scene)))
    assert (root.tag, root.get("version")) == ("sdf", "1.9")
    robot = root.findall("world/model")[-1]
    links = robot.findall("link")
    joints = robot.findall("joint")
    frames: dict[str, tuple[FloatArray, FloatArray]] = {"": placement(numbers(robot.find("pose")))}
    for link in links:
        pose = link.find("pose")
        at, turn = frames["" if pose is None else str(pose.get("relative_to"))]
        inner, inner_turn = placement(numbers(pose))
        frames[str(link.get("name"))] = at + turn @ inner, turn @ inner_turn
    zero = placed(scene, scene.axis_values.zero, *frames[""])
    middles = centres(scene, zero)
    for k, link in enumerate(scene.robot.links):
        element = next(each for each in links if each.get("name") == f"link_{k + 1}")
        at, turn = frames[f"link_{k + 1}"]
        assert float(str(element.findtext("inertial/mass"))) == link.mass
        centre = placement(numbers(element.find("inertial/pose")))[0]
        np.testing.assert_allclose(at + turn @ centre, middles[k], atol=1e-12)
        np.testing.assert_allclose(turn, zero.turn[k], atol=1e-12)
        moments = [
            float(str(element.findtext(f"inertial/inertia/{name}")))
            for name in ("ixx", "iyy", "izz")
        ]
        assert moments == [link.axial_inertia, link.inertia, link.inertia]
    hinges = [joint for joint in joints if joint.get("type") == "revolute"]
    assert [joint.get("name") for joint in hinges] == [axis.name for axis in scene.body.axes]
    assert len(joints) == len(links) - 1
    for j, joint in enumerate(hinges):
        at, turn = frames[str(joint.findtext("child"))]
        axis = turn @ numbers(joint.find("axis/xyz"))
        np.testing.assert_allclose(axis, scene.axis_values.sign[j] * zero.axis[j], atol=1e-12)
        anchor = at + turn @ numbers(joint.find("pose"))[:3]
        np.testing.assert_allclose(np.cross(anchor - zero.anchor[j], axis), 0.0, atol=1e-12)
        assert numbers(joint.find("axis/limit/effort")) == scene.axis_values.max_torque[j]
        assert numbers(joint.find("axis/dynamics/spring_stiffness")) == scene.axis_values.spring[j]


def test_sdf_has_the_world_of_the_scene() -> None:
    scene = load_scene(scenes_dir() / "stairs.toml")
    ramp = {
        "kind": "ramp",
        "x_m": 2.0,
        "y_m": 1.0,
        "heading_deg": 90.0,
        "length_m": 1.0,
        "rise_m": 0.2,
    }
    peg = {
        "kind": "cylinder",
        "x_m": -1.0,
        "y_m": 2.0,
        "radius_m": 0.1,
        "height_m": 0.5,
        "friction": 0.3,
    }
    values: dict[str, Any] = {"ground.slope_deg": 90.0, "solver.step_s": 0.0005}
    scene = with_values(
        scene, values | {"obstacles": [*(o.model_dump() for o in scene.obstacles), ramp, peg]}
    )
    world = root_of(sdf_text(scene_model(scene))).find("world")
    assert world is not None
    np.testing.assert_allclose(numbers(world.find("gravity")), [9.81, 0.0, 0.0], atol=1e-12)
    assert world.findtext("physics/max_step_size") == "0.0005"
    models = {str(model.get("name")): model for model in world.findall("model")}
    assert len(models) == 2 + sum(len(obstacle_solids(obstacle)) for obstacle in scene.obstacles)
    cylinder = models[f"cylinder_{len(scene.obstacles)}"]
    assert numbers(cylinder.find("link/collision/geometry/cylinder/length")) == 0.5
    assert numbers(cylinder.find("link/collision/surface/friction/ode/mu")) == 0.3
    np.testing.assert_allclose(numbers(cylinder.find("pose")), [-1.0, 2.0, 0.25, 0.0, 0.0, 0.0])
    # The ramp is a profile that is extruded upwards and laid on its side.
    wedge = models[f"ramp_{len(scene.obstacles) - 1}"]
    collision = wedge.find("link/collision")
    assert collision is not None
    at, turn = placement(numbers(wedge.find("pose")))
    inner, inner_turn = placement(numbers(collision.find("pose")))
    profile = np.array([numbers(point) for point in collision.findall("geometry/polyline/point")])
    height = float(str(collision.findtext("geometry/polyline/height")))
    corners = np.array([[*point, level] for point in profile for level in (0.0, height)])
    corners = at + (inner + corners @ inner_turn.T) @ turn.T
    np.testing.assert_allclose(corners.min(axis=0), [1.5, 1.0, 0.0], atol=1e-12)
    np.testing.assert_allclose(corners.max(axis=0), [2.5, 2.0, 0.2], atol=1e-12)
    np.testing.assert_allclose(corners[corners[:, 2] > 0.1][:, 1], 2.0, atol=1e-12)


def test_sdf_friction_along_and_across_has_a_direction() -> None:
    values = {"robot.wheels": "passive", "ground.mu_across": 0.6}
    root = root_of(sdf_text(scene_model(with_values(SPACE, values))))
    link = root.findall("world/model")[-1].find("link/collision")
    assert link is not None
    friction = link.find("surface/friction/ode")
    assert friction is not None
    assert (friction.findtext("mu"), friction.findtext("mu2")) == ("0.0", "0.6")
    _, turn = placement(numbers(link.find("pose")))
    np.testing.assert_allclose(turn @ numbers(friction.find("fdir1")), [1.0, 0.0, 0.0], atol=1e-15)


@pytest.mark.parametrize("pitch", [-90.0, -89.9999999, 0.0, 35.0, 90.0])
def test_angles_of_any_rotation_are_exact_to_rounding(pitch: float) -> None:
    turn = about("yaw", 0.7) @ about("pitch", np.radians(pitch).item()) @ about("roll", -2.0)
    roll, tilt, yaw = rpy(turn)
    np.testing.assert_allclose(
        about("yaw", yaw) @ about("pitch", tilt) @ about("roll", roll), turn, atol=2e-15
    )
