"""Joints, motors and contacts of MJCF files compared with MuJoCo, which compiles the same file."""

from __future__ import annotations

import math
from pathlib import Path

import mujoco
import numpy as np
import pytest

from snakestudio.model.rotations import matrices
from snakestudio.robot_files.description import JointDescription, Placement, RobotDescription
from snakestudio.robot_files.importing import load_robot
from snakestudio.robot_files.read import read_robot
from tests.robot_files.mjcf_files import CONTACTS, JOINTS, MOTORS, TORQUES, touching


@pytest.fixture(autouse=True)
def _log_in_temporary_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)  # MuJoCo writes its warnings into a file


def both(text: str, folder: Path) -> tuple[RobotDescription, mujoco.MjModel]:
    path = folder / "robot.xml"
    path.write_text(text)
    return read_robot(path), mujoco.MjModel.from_xml_path(str(path))


def hinges(robot: RobotDescription) -> list[JointDescription]:
    return [joint for body in robot.bodies for joint in body.joints if joint.kind == "hinge"]


def enabled(model: mujoco.MjModel, bit: mujoco.mjtDisableBit) -> bool:
    return not model.opt.disableflags & int(bit)


@pytest.mark.parametrize("name", list(JOINTS))
def test_joints_are_those_of_mujoco(name: str, tmp_path: Path) -> None:
    robot, model = both(JOINTS[name], tmp_path)
    count = sum(kind == mujoco.mjtJoint.mjJNT_HINGE for kind in model.jnt_type)
    assert len(hinges(robot)) == count >= 3
    assert sum(len(body.joints) for body in robot.bodies) == model.njnt
    bits = mujoco.mjtDisableBit
    limits = enabled(model, bits.mjDSBL_LIMIT) and enabled(model, bits.mjDSBL_CONSTRAINT)
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    poses: list[Placement] = []
    for body in robot.bodies:
        outer = poses[body.parent] if body.parent >= 0 else Placement()
        poses.append(outer.then(body.placement))
        for joint in body.joints:
            if joint.kind != "hinge":
                continue
            compiled = model.joint(joint.name)
            number = compiled.id
            zero = compiled.qpos0[0]
            low, high = compiled.range - zero
            if not (compiled.limited[0] and limits):
                low, high = -math.inf, math.inf
            np.testing.assert_allclose([joint.lower, joint.upper], [low, high], atol=1e-12)
            spring = enabled(model, bits.mjDSBL_SPRING)
            damper = enabled(model, bits.mjDSBL_DAMPER)
            assert joint.stiffness == pytest.approx(spring * compiled.stiffness[0], rel=1e-9)
            motors = [k for k in range(model.nu) if model.actuator_trnid[k, 0] == number]
            gears = model.actuator_gear[motors, 0] ** 2
            own = (model.actuator_damping[motors] * gears).sum()
            assert joint.damping == pytest.approx(damper * compiled.damping[0] + own, rel=1e-9)
            assert joint.rest == pytest.approx(compiled.qpos_spring[0] - zero)
            loss = enabled(model, bits.mjDSBL_FRICTIONLOSS)
            assert joint.friction == pytest.approx(loss * compiled.frictionloss[0])
            rotor = (model.actuator_armature[motors] * gears).sum()
            assert joint.armature == pytest.approx(compiled.armature[0] + rotor)
            np.testing.assert_allclose(
                poses[-1].position + poses[-1].rotation @ joint.position,
                data.xanchor[number],
                atol=1e-12,
            )
            np.testing.assert_allclose(
                poses[-1].rotation @ joint.axis, data.xaxis[number], atol=1e-12
            )


@pytest.mark.parametrize("name", list(MOTORS))
def test_motors_are_those_of_mujoco(name: str, tmp_path: Path) -> None:
    robot, model = both(MOTORS[name], tmp_path)
    joints = hinges(robot)
    for k in range(len(model.actuator_biasprm)):
        number = model.actuator_trnid[k, 0]
        joint = next(joint for joint in joints if joint.name == model.joint(number).name)
        gear = model.actuator_gear[k, 0]
        kp, kd = -model.actuator_biasprm[k, 1:3] * gear**2
        motor = joint.actuation
        assert motor is not None
        assert (motor.kp or 0.0) == pytest.approx(kp, rel=1e-9)
        assert (motor.kd or 0.0) == pytest.approx(kd, rel=1e-9)
        limits = []
        if model.actuator_forcelimited[k]:
            limits.append(model.actuator_forcerange[k, 1] * abs(gear))
        if model.jnt_actfrclimited[number]:
            limits.append(model.jnt_actfrcrange[number, 1])
        assert motor.max_torque == (pytest.approx(min(limits)) if limits else None)
        assert joint.armature == pytest.approx(
            model.joint(number).armature[0] + model.actuator_armature[k] * gear**2
        )
        assert joint.damping == pytest.approx(
            model.joint(number).damping[0] + model.actuator_damping[k] * gear**2
        )


@pytest.mark.parametrize("name", list(TORQUES))
def test_torque_limits_are_gear_times_gain_times_control(name: str, tmp_path: Path) -> None:
    text, largest = TORQUES[name]
    robot, model = both(text, tmp_path)
    for joint in hinges(robot):
        assert joint.actuation is not None
        assert joint.actuation.max_torque == (None if largest is None else pytest.approx(largest))
    data = mujoco.MjData(model)
    data.ctrl[:] = 100.0
    mujoco.mj_forward(model, data)
    reached = np.abs(data.qfrc_actuator).max()
    assert reached == pytest.approx(largest) if largest is not None else reached >= 100.0


def test_control_range_of_velocity_servos_limits_the_speed(tmp_path: Path) -> None:
    servo = '<velocity joint="j1" kv="3" gear="2" ctrlrange="-1 1"/>'
    robot, model = both(
        JOINTS["plain"].replace("</mujoco>", f"<actuator>{servo}</actuator></mujoco>"), tmp_path
    )
    (joint,) = [joint for joint in hinges(robot) if joint.actuation is not None]
    assert joint.actuation is not None
    assert joint.actuation.max_speed == 0.5
    data = mujoco.MjData(model)
    data.qpos[2] = 1.0
    data.ctrl[0] = 5.0
    model.opt.gravity[:] = 0.0
    model.opt.integrator = mujoco.mjtIntegrator.mjINT_IMPLICITFAST
    mujoco.mj_step(model, data, 2000)
    assert data.joint("j1").qvel[0] == pytest.approx(0.5, rel=1e-3)


@pytest.mark.parametrize("name", list(CONTACTS))
def test_contacts_have_the_friction_of_mujoco(name: str, tmp_path: Path) -> None:
    robot, model = both(touching(*CONTACTS[name]), tmp_path)
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    contacts = {}
    for k in range(data.ncon):
        geoms = {model.geom(number).name for number in data.contact.geom[k]}
        (touched,) = geoms - {"floor"}
        contacts[touched] = data.contact.dim[k], data.contact.friction[k]
    assert robot.bodies
    for body in robot.bodies:
        for shape in body.geometries:
            assert shape.collides == (shape.name in contacts)
            if not shape.collides:
                continue
            dim, friction = contacts[shape.name]
            expected = friction[:2] if dim > 1 else [0.0, 0.0]
            np.testing.assert_allclose(shape.friction, expected)
            assert shape.torsional_friction == (friction[2] if dim > 3 else 0.0)
            assert shape.rolling_friction == (friction[3] if dim > 4 else 0.0)


def test_robots_without_a_floor_touch_the_floor_of_the_scene(tmp_path: Path) -> None:
    # The floor of such files is in another file, which includes the robot.
    text = touching('contype="1" conaffinity="0" friction="0.3" condim="6"', "", "")
    text = text.replace('<geom name="floor" type="plane" size="5 5 0.1" />', "")
    assert "floor" not in text
    robot, _ = both(text, tmp_path)
    shapes = [shape for body in robot.bodies for shape in body.geometries]
    assert all(shape.collides for shape in shapes)
    assert {shape.friction for shape in shapes} == {(0.3, 0.3)}
    assert {shape.rolling_friction for shape in shapes} == {1e-4}
    assert not any("floor" in note for note in robot.notes)


@pytest.mark.parametrize("name", ["damping ratio", "pid", "general servo with damping ratio"])
def test_reflected_inertias_of_a_bent_robot_in_the_file(name: str, tmp_path: Path) -> None:
    text = MOTORS[name].replace(
        '<body name="b3" pos="0.1 0 0"', '<body name="b3" pos="0.1 0 0" euler="0 0 70"'
    )
    robot, model = both(text, tmp_path)
    gains = [joint.actuation.kd for joint in hinges(robot) if joint.actuation is not None]
    np.testing.assert_allclose(gains, -model.actuator_biasprm[:, 2], rtol=1e-9)


@pytest.mark.parametrize(
    "option",
    [
        '<option gravity="0 0 -3"/>',
        '<option gravity="0 0 -3"><flag gravity="disable"/></option>',
        "<option><flag/></option>",
    ],
)
@pytest.mark.parametrize("compensation", ["0", "0.25", "1"])
def test_gravity_is_that_of_mujoco(option: str, compensation: str, tmp_path: Path) -> None:
    text = JOINTS["plain"].replace("<worldbody>", f"{option}<worldbody>")
    text = text.replace("<body ", f'<body gravcomp="{compensation}" ')
    robot, model = both(text, tmp_path)
    data = mujoco.MjData(model)
    data.qpos[2] = 1.0
    mujoco.mj_forward(model, data)
    np.testing.assert_allclose(robot.gravity, data.qacc[:3], atol=1e-9)


def test_gravity_of_some_links_is_reported(tmp_path: Path) -> None:
    text = JOINTS["plain"].replace('<body name="b3" ', '<body name="b3" gravcomp="1" ')
    robot, _ = both(text, tmp_path)
    assert robot.gravity == (0.0, 0.0, -9.81)
    assert any("b3" in note for note in robot.notes)


@pytest.mark.parametrize("tag", ["damper", "muscle", "cylinder", "adhesion", "dcmotor"])
def test_joints_with_other_actuators_are_passive(tag: str, tmp_path: Path) -> None:
    text = JOINTS["plain"].replace(
        "</mujoco>",
        "".join(
            ["<actuator>", *(f'<{tag} joint="j{k}"/>' for k in (1, 2, 3)), "</actuator></mujoco>"]
        ),
    )
    path = tmp_path / "robot.xml"
    path.write_text(text)
    robot = load_robot(path)
    assert robot.joint_controller.kp_nm_per_rad == robot.joint_controller.kd_nms_per_rad == 0.0
    assert any(f"<{tag}>" in note for note in robot.notes)
    mixed = text.replace(f'<{tag} joint="j1"/>', '<position joint="j1" kp="7"/>')
    path.write_text(mixed)
    axes = load_robot(path).axes
    assert [axis.kp for axis in axes] == [7.0, 0.0, 0.0]


def test_disabled_actuation_makes_joints_passive(tmp_path: Path) -> None:
    text = MOTORS["position"].replace(
        "<worldbody>", '<option><flag actuation="disable"/></option><worldbody>'
    )
    path = tmp_path / "robot.xml"
    path.write_text(text)
    assert {(axis.kp, axis.kd) for axis in load_robot(path).axes} == {(0.0, 0.0)}


def test_poses_in_frames_agree_with_mujoco(tmp_path: Path) -> None:
    robot, model = both(JOINTS["joints in frames"], tmp_path)
    for body in robot.bodies:
        compiled = model.body(body.name)
        np.testing.assert_allclose(body.placement.position, compiled.pos, atol=1e-12)
        np.testing.assert_allclose(
            body.placement.rotation, matrices(compiled.quat[None])[0], atol=1e-12
        )
