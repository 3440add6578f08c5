"""Import of URDF, SDF and MJCF in the notations that these formats allow."""

from __future__ import annotations

import math
import struct
from pathlib import Path

import numpy as np
import pytest

from snakestudio.errors import RobotFileError
from snakestudio.model.scene_file import parse_scene
from snakestudio.robot_files.importing import load_robot
from snakestudio.robot_files.joint_values import _responses
from snakestudio.robot_files.to_scene import compact_text, into_scene, new_scene
from tests.robot_files.robots import (
    AXIAL,
    HALF,
    INERTIA,
    LENGTH,
    MASS,
    RADIUS,
    imported,
    mjcf_chain,
    sdf_chain,
    urdf_joint,
    urdf_link,
    urdf_modules,
)

ALTERNATING = ["0 0 1", "0 1 0", "0 0 1", "0 1 0"]


def test_turned_module_frames_become_alternating_joints(tmp_path: Path) -> None:
    imported_robot = imported(tmp_path, urdf_modules(6))
    robot = imported_robot.robot
    assert (robot.n_links, robot.joints, robot.joint_limit_deg) == (6, "alternating", 90.0)
    assert robot.link_length_m == pytest.approx(LENGTH)
    assert (robot.radius_m, robot.contact_half_length_m) == (RADIUS, pytest.approx(HALF))
    assert (robot.mass_kg, robot.inertia_kg_m2, robot.axial_inertia_kg_m2) == (MASS, INERTIA, AXIAL)
    assert robot.link == ()
    assert imported_robot.actuator.max_torque_nm == 7.0
    assert any("rounded to" in note for note in imported_robot.notes)


@pytest.mark.parametrize("relative", [True, False])
def test_formats_define_the_same_robot(tmp_path: Path, relative: bool) -> None:
    limits = 'range="-1.5 1.5" actuatorfrcrange="-3 3"'
    one = imported(tmp_path, mjcf_chain(ALTERNATING, joint=limits), "a.xml").robot
    other = imported(tmp_path, sdf_chain(ALTERNATING, relative=relative), "a.sdf").robot
    assert one.model_copy(update={"name": ""}) == other.model_copy(update={"name": ""})


def test_old_sdf_axes_are_in_the_frame_of_the_model(tmp_path: Path) -> None:
    text = sdf_chain(["0 0 1", "0 0 1"], relative=False).replace(
        f"{LENGTH} 0 0 0 0 0</pose>", f"{LENGTH} 0 0 1.5708 0 0</pose>", 1
    )
    old = imported(tmp_path, text.replace('"1.7"', '"1.4"'), "old.sdf").axes
    new = imported(tmp_path, text, "new.sdf").axes
    assert [axis.kind for axis in old] == ["yaw", "yaw"]
    assert [axis.kind for axis in new] == ["pitch", "yaw"]


def test_nested_models_and_includes_are_read(tmp_path: Path) -> None:
    inner = sdf_chain(["0 0 1"])
    (tmp_path / "part").mkdir()
    (tmp_path / "part" / "model.sdf").write_text(inner)
    second = '<include><uri>model://part</uri><name>rear</name><pose relative_to="front">0.2 0 0 0 0 0</pose></include>'
    first = (
        inner.split("<model", 1)[1].rsplit("</sdf>")[0].replace('name="chain"', 'name="front"', 1)
    )
    joint = (
        '<joint name="middle" type="revolute"><parent>front::link_2</parent><child>rear::link_1</child>'
        "<axis><xyz>0 1 0</xyz></axis></joint>"
    )
    text = f'<sdf version="1.9"><model name="whole"><model{first}{second}{joint}</model></sdf>'
    imported_robot = imported(tmp_path, text, "whole.sdf")
    assert [axis.kind for axis in imported_robot.axes] == ["yaw", "pitch", "yaw"]
    assert imported_robot.robot.link_length_m == pytest.approx(LENGTH)


def test_joints_with_the_names_of_links_are_read(tmp_path: Path) -> None:
    """Files of Gazebo before SDF 1.7 call a joint like the link that it moves."""
    text = sdf_chain(["0 0 1", "0 1 0"], version="1.4")
    for k in (1, 2):
        text = text.replace(f'<joint name="joint_{k}"', f'<joint name="link_{k + 1}"')
    named = imported(tmp_path, text, "named.sdf")
    usual = imported(tmp_path, sdf_chain(["0 0 1", "0 1 0"], version="1.4"), "usual.sdf")
    assert named.robot == usual.robot
    assert [axis.name for axis in named.axes] == ["link_2", "link_3"]


def test_missing_model_of_an_include_is_named(tmp_path: Path) -> None:
    """The file itself is called model.sdf, but is not the model that it includes."""
    text = '<sdf version="1.9"><model name="whole"><include><uri>model://gone</uri></include></model></sdf>'
    with pytest.raises(RobotFileError, match="model://gone"):
        imported(tmp_path, text, "model.sdf")


@pytest.mark.parametrize(
    "rotation",
    [
        'euler="0 90 0"',
        'axisangle="0 1 0 90"',
        'quat="0.707107 0 0.707107 0"',
        'xyaxes="0 0 -1 0 1 0"',
        'zaxis="1 0 0"',
    ],
)
def test_mjcf_rotations_are_read_in_every_notation(tmp_path: Path, rotation: str) -> None:
    capsule = f'<geom type="capsule" size="0.03 0.02" pos="0.05 0 0" {rotation}/>'
    text = f"""<mujoco>
    <default><default class="link"><joint axis="0 0 1" range="-40 60" damping="0.1"/></default></default>
    <worldbody><body childclass="link"><freejoint/>{capsule}
      <body pos="0.1 0 0"><joint/>{capsule}<body pos="0.1 0 0"><joint/>{capsule}</body></body></body></worldbody>
    <actuator><position joint="nobody" kp="3"/></actuator></mujoco>"""
    robot = imported(tmp_path, text, "rotated.xml").robot
    assert (robot.radius_m, robot.contact_half_length_m) == (
        pytest.approx(0.03),
        pytest.approx(0.02),
    )
    joint = robot.joint[0]
    assert (joint.lower_limit_deg, joint.upper_limit_deg, joint.damper_nms_per_rad) == (
        -40.0,
        60.0,
        0.1,
    )
    # A cylinder of 0.04 m and a ball of radius 0.03 m, of 1000 kg/m^3.
    assert robot.mass_kg == pytest.approx(1000 * math.pi * (0.03**2 * 0.04 + 4 / 3 * 0.03**3))


@pytest.mark.parametrize(
    "base", ["<joint type='slide' axis='1 0 0'/><joint type='slide' axis='0 1 0'/><joint/>", ""]
)
def test_planar_and_fixed_bases_become_free(tmp_path: Path, base: str) -> None:
    imported_robot = imported(tmp_path, mjcf_chain(["0 0 1", "0 0 1"], base=base), "planar.xml")
    assert (imported_robot.robot.n_links, imported_robot.robot.joints) == (3, "yaw")
    assert any("here the robot" in note for note in imported_robot.notes)
    assert (imported_robot.ground.mu_along, imported_robot.ground.mu_across) == (0.4, 0.4)


def test_position_servos_springs_and_reversed_axes_are_read(tmp_path: Path) -> None:
    motors = '<actuator><position joint="joint_1" kp="4" kv="0.2" forcerange="-3 3"/></actuator>'
    text = mjcf_chain(
        ["0 0 -1", "0 1 0"], joint='stiffness="2" springref="0.25" armature="0.01"', outside=motors
    )
    imported_robot = imported(tmp_path, text, "servo.xml")
    first, second = imported_robot.axes
    assert (first.kp, first.kd, first.max_torque, first.sign) == (4.0, 0.2, 3.0, -1.0)
    assert (first.spring, first.rest) == (2.0, pytest.approx(-0.25))
    assert (second.kp, second.kd, second.driven) == (0.0, 0.0, False)
    assert (first.rotor, second.rotor) == (0.01, 0.01)
    assert not any("armature" in note for note in imported_robot.notes)


def test_rotors_and_dry_friction_become_values_of_the_axes(tmp_path: Path) -> None:
    text = mjcf_chain(["0 0 1"] * 3, joint='armature="0.01" frictionloss="0.2"')
    text = text.replace('frictionloss="0.2"', 'frictionloss="0.5"', 1)
    scene = new_scene(imported(tmp_path, text, "rotors.xml"), "Rotors", "rotors.xml")
    assert scene.actuator.rotor_inertia_kg_m2 == 0.01
    assert scene.actuator.dry_friction_nm == 0.2
    assert scene.axis_values.dry.tolist() == [0.5, 0.2, 0.2]
    assert scene.axis_values.rotor.tolist() == [0.01, 0.01, 0.01]


def test_wheels_become_passive_wheels(tmp_path: Path) -> None:
    wheel = (
        '<collision><origin rpy="1.5708 0 0"/><geometry><cylinder radius="0.035" '
        'length="0.01"/></geometry></collision>'
    )
    parts = []
    for k in (1, 2, 3):
        parts.append(urdf_link(f"link_{k}", x=LENGTH / 2))
        for side in (-1, 1):
            name = f"roller_{k}_{side}"
            parts.append(
                f'<link name="{name}"><inertial><mass value="0.05"/></inertial>{wheel}</link>'
            )
            position = f"0.05 {0.03 * side} 0"
            parts.append(
                urdf_joint(
                    f"axle_{name}",
                    f"link_{k}",
                    name,
                    position,
                    axis="0 1 0",
                    kind="continuous",
                    extra="",
                )
            )
        if k > 1:
            parts.append(urdf_joint(f"joint_{k}", f"link_{k - 1}", f"link_{k}", f"{LENGTH} 0 0"))
    imported_robot = imported(tmp_path, f'<robot name="wheeled">{"".join(parts)}</robot>')
    assert (imported_robot.robot.n_links, imported_robot.robot.wheels) == (3, "passive")
    assert imported_robot.robot.mass_kg == pytest.approx(MASS + 0.1)
    assert imported_robot.robot.radius_m == pytest.approx(0.035)


def test_two_hinges_on_a_massless_link_become_a_cardan_joint(tmp_path: Path) -> None:
    parts = [
        urdf_link("a", x=0.05),
        urdf_link("b", x=0.05),
        urdf_link("c", x=0.05),
        '<link name="cross"/><link name="cross_2"/>',
    ]
    for k, (one, cross, two) in enumerate((("a", "cross", "b"), ("b", "cross_2", "c"))):
        parts.append(urdf_joint(f"yaw_{k}", one, cross, "0.1 0 0"))
        parts.append(urdf_joint(f"pitch_{k}", cross, two, "0.022 0 0", axis="0 1 0"))
    robot = imported(tmp_path, f'<robot name="cardan">{"".join(parts)}</robot>').robot
    assert (robot.n_links, robot.joints) == (3, "cardan")
    # A link is 0.1 m long between its own axes, and reaches half of the offset beyond either of
    # them.
    assert (robot.axis_offset_m, robot.link_length_m) == (
        pytest.approx(0.022),
        pytest.approx(0.122),
    )


def test_impossible_inertias_are_replaced_and_reported(tmp_path: Path) -> None:
    imported_robot = imported(tmp_path, urdf_modules(4).replace(f'iyy="{INERTIA}"', 'iyy="2.948"'))
    assert imported_robot.robot.inertia_kg_m2 < MASS * LENGTH**2
    assert any("kg m²" in note and "capsule" in note for note in imported_robot.notes)


def test_masses_of_fixed_parts_are_merged(tmp_path: Path) -> None:
    parts = [urdf_link("a", x=0.05), urdf_link("b", x=0.05), urdf_link("c", x=0.05)]
    parts.append('<link name="camera"><inertial><mass value="0.1"/></inertial></link>')
    parts.append(urdf_joint("fixed", "b", "camera", "0.08 0 0", kind="fixed", extra=""))
    parts += [urdf_joint("j1", "a", "b", "0.1 0 0"), urdf_joint("j2", "b", "c", "0.1 0 0")]
    robot = imported(tmp_path, f'<robot name="fixed">{"".join(parts)}</robot>').robot
    assert [link.mass for link in robot.links] == pytest.approx([0.5, 0.6, 0.5])
    # 0.1 kg, 0.03 m in front of the middle.
    assert robot.links[1].centre_of_mass == pytest.approx(0.1 * 0.03 / 0.6)
    assert robot.links[1].inertia == pytest.approx(INERTIA + 0.5 * 0.005**2 + 0.1 * 0.025**2)


def test_bent_zero_pose_gives_zero_angles(tmp_path: Path) -> None:
    parts = [urdf_link(name, x=0.05) for name in "abcd"]
    parts += [
        urdf_joint("j1", "a", "b", "0.1 0 0"),
        urdf_joint("j2", "b", "c", "0.1 0 0", rpy="0 0 0.7853982"),
    ]
    parts.append(urdf_joint("j3", "c", "d", "0.1 0 0"))
    robot = imported(tmp_path, f'<robot name="bent">{"".join(parts)}</robot>').robot
    assert [(table.index, table.zero_deg) for table in robot.joint if table.zero_deg] == [
        (2, pytest.approx(45.0))
    ]
    assert [(t.lower_limit_deg, t.upper_limit_deg) for t in robot.joint if t.lower_limit_deg] == [
        (-45.0, 135.0)
    ]


@pytest.mark.parametrize("kind", ["binary", "ascii", "obj"])
def test_meshes_give_the_capsule_of_their_box(tmp_path: Path, kind: str) -> None:
    corners = np.array([[x, y, z] for x in (0, 0.1) for y in (-0.02, 0.02) for z in (-0.02, 0.02)])
    faces = [
        (0, 1, 3),
        (0, 3, 2),
        (4, 7, 5),
        (4, 6, 7),
        (0, 5, 1),
        (0, 4, 5),
        (2, 3, 7),
        (2, 7, 6),
        (0, 2, 6),
        (0, 6, 4),
        (1, 5, 7),
        (1, 7, 3),
    ]
    if kind == "binary":
        data = bytes(80) + struct.pack("<I", len(faces))
        for face in faces:
            data += struct.pack("<12fH", 0, 0, 0, *corners[list(face)].ravel(), 0)
    elif kind == "ascii":
        lines = ["solid box"]
        for face in faces:
            lines += [
                "facet normal 0 0 0",
                "outer loop",
                *("vertex {} {} {}".format(*corners[k]) for k in face),
                "endloop",
                "endfacet",
            ]
        data = "\n".join([*lines, "endsolid"]).encode()
    else:
        points = "\n".join("v {} {} {}".format(*point) for point in corners)
        data = (
            points + "\n" + "\n".join(f"f {a + 1} {b + 1} {c + 1}" for a, b, c in faces)
        ).encode()
    name = "box.obj" if kind == "obj" else "box.stl"
    (tmp_path / "meshes").mkdir()
    (tmp_path / "meshes" / name).write_bytes(data)
    mesh = '<geom type="mesh" mesh="box" density="1000"/>'
    asset = f'<compiler meshdir="meshes"/><asset><mesh name="box" file="{name}"/></asset>'
    body = f'<body pos="0.1 0 0"><joint/>{mesh}'
    text = f"<mujoco>{asset}<worldbody><body><freejoint/>{mesh}{body}{body}</body></body></body></worldbody></mujoco>"
    robot = imported(tmp_path, text, "mesh.xml").robot
    assert (robot.radius_m, robot.contact_half_length_m) == (
        pytest.approx(0.02),
        pytest.approx(0.03),
    )
    assert robot.mass_kg == pytest.approx(1000 * 0.1 * 0.04**2)
    assert robot.inertia_kg_m2 == pytest.approx(robot.mass_kg / 12 * (0.1**2 + 0.04**2))


def test_missing_meshes_are_reported_and_estimated(tmp_path: Path) -> None:
    text = urdf_modules(4).replace(
        '<cylinder radius="0.03" length="0.1"/>', '<mesh filename="package://gone/a.stl"/>'
    )
    imported_robot = imported(tmp_path, text)
    assert imported_robot.robot.radius_m == pytest.approx(math.sqrt(2 * AXIAL / MASS))
    assert any("package://gone/a.stl" in note for note in imported_robot.notes)


def test_surroundings_become_obstacles(tmp_path: Path) -> None:
    world = (
        '<geom name="post" type="cylinder" size="0.05 0.2" pos="3 0 0.2"/>'
        '<geom name="block" type="box" size="0.2 0.1 0.05" pos="0 3 0.05" euler="0 0 0.5"/>'
        '<geom name="ball" type="sphere" size="0.1" pos="-3 0 0.1"/><geom type="hfield" hfield="bumps" pos="0 -4 0"/>'
    )
    text = mjcf_chain(["0 0 1", "0 0 1"]).replace("<worldbody>", f"<worldbody>{world}")
    bumps = '<asset><hfield name="bumps" size="1 2 0.1 0.1" nrow="2" ncol="3" elevation="0 1 2 4 3 0"/></asset>'
    imported_robot = imported(
        tmp_path, text.replace("<worldbody>", f"{bumps}<worldbody>"), "world.xml"
    )
    post, block, ball, field = imported_robot.obstacles
    assert (post.kind, post.x_m, post.radius_m, post.height_m) == ("cylinder", 3.0, 0.05, 0.4)
    assert (block.kind, block.length_m, block.yaw_deg) == (
        "box",
        0.4,
        pytest.approx(math.degrees(0.5)),
    )
    assert (ball.kind, ball.height_m) == ("cylinder", 0.2)
    # The first row of the file is the one with the largest y.
    assert (field.kind, field.heights_m) == (
        "height_field",
        ((0.1, 0.075, 0.0), (0.0, 0.025, 0.05)),
    )


@pytest.mark.parametrize("base", [0, 2])
def test_robot_turns_as_in_mujoco(tmp_path: Path, base: int) -> None:
    """Joint positions agree in a random pose; the root of the file is the first link or one in the middle."""
    mujoco = pytest.importorskip("mujoco")
    parts = [
        urdf_link(f"l{k}", x=0.04 if k > base else -0.04 if k < base else 0.0) for k in range(6)
    ]
    frames = ["1.57079632679 0 0", "0 0 0", "3.14159265359 0 0", "-1.57079632679 0 0", "0 0 0"]
    axes = ["0 0 1", "0 -1 0", "0 0 1", "1 0 0", "0 1 0"]
    for k, (rpy, axis) in enumerate(zip(frames, axes, strict=True)):
        ends = (k, k + 1, 1) if k >= base else (k + 1, k, -1)
        x = ends[2] * (0.04 if ends[0] == base else 0.08 + 0.01 * k)
        parts.append(urdf_joint(f"j{k}", f"l{ends[0]}", f"l{ends[1]}", f"{x} 0 0", rpy, axis))
    text = f'<robot name="any">{"".join(parts)}</robot>'
    imported_robot = imported(tmp_path, text)
    model = mujoco.MjModel.from_xml_string(text)
    data = mujoco.MjData(model)
    random = np.random.default_rng(1)
    by_name = {f"j{k}": float(angle) for k, angle in enumerate(random.uniform(-1, 1, 5))}
    for joint in range(model.njnt):
        data.qpos[model.jnt_qposadr[joint]] = by_name[model.joint(joint).name]
    mujoco.mj_forward(model, data)
    order = [axis.name for axis in imported_robot.axes]
    assert sorted(order) == sorted(by_name)
    points = _joint_points(imported_robot, [by_name[name] for name in order])
    expected = np.array([data.joint(name).xanchor for name in order])
    for one in (points, expected):
        one -= one[0]
    distances = np.linalg.norm(points[:, None] - points[None], axis=2)
    assert distances == pytest.approx(
        np.linalg.norm(expected[:, None] - expected[None], axis=2), abs=1e-9
    )
    volume = np.linalg.det(points[1:4]), np.linalg.det(expected[1:4])
    assert volume[0] == pytest.approx(volume[1], abs=1e-12)  # not its mirror image


def _joint_points(imported_robot, angles) -> np.ndarray:
    """Positions of the joints at these angles of the file's joints, by the meaning of a scene's values."""
    turn = np.eye(3)
    points = []
    position = np.zeros(3)
    for link, axis, angle in zip(
        imported_robot.robot.links, imported_robot.axes, angles, strict=False
    ):
        position = position + turn @ [link.length, 0, 0]
        points.append(position)
        own = axis.zero + axis.sign * angle
        c, s = math.cos(own), math.sin(own)
        turn = (
            turn
            @ {
                "yaw": np.array([[c, -s, 0], [s, c, 0], [0, 0, 1]]),
                "pitch": np.array([[c, 0, s], [0, 1, 0], [-s, 0, c]]),
                "roll": np.array([[1, 0, 0], [0, c, -s], [0, s, c]]),
            }[axis.kind]
        )
    return np.array(points)


def test_torques_accelerate_the_robot_as_in_mujoco(tmp_path: Path) -> None:
    """Accelerations of the straight robot by unit torques depend on masses, inertias, lengths and axes together."""
    mujoco = pytest.importorskip("mujoco")
    random = np.random.default_rng(2)
    inner = ""
    for k, axis in reversed(list(enumerate(["0 0 0", "0 0 1", "0 1 0", "1 0 0", "0 0 -1"]))):
        mass = random.uniform(0.3, 0.9)
        x = random.uniform(0.03, 0.07)
        across = random.uniform(5e-4, 9e-4)
        joint = f'<joint axis="{axis}" armature="0"/>' if k else "<freejoint/>"
        inner = (
            f'<body pos="{0.1 if k else 0} 0 0">{joint}<inertial pos="{x} 0 0" mass="{mass}"'
            f' diaginertia="3e-4 {across} {across}"/>'
            f'<geom type="capsule" fromto="0.03 0 0 0.07 0 0" size="0.03"/>{inner}</body>'
        )
    text = f"<mujoco><worldbody>{inner}</worldbody></mujoco>"
    imported_robot = imported(tmp_path, text, "any.xml")
    model = mujoco.MjModel.from_xml_string(text)
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    matrix = np.zeros((model.nv, model.nv))
    mujoco.mj_fullM(model, data, matrix)
    expected = np.linalg.inv(matrix)[6:, 6:]
    signs = np.array([axis.sign for axis in imported_robot.axes])
    ((_, response),) = _responses(list(imported_robot.axes), list(imported_robot.links))
    assert signs[:, None] * response * signs == pytest.approx(expected, rel=1e-9)


def test_new_scenes_are_compact_and_keep_every_value(tmp_path: Path) -> None:
    scene = new_scene(imported(tmp_path, urdf_modules(16)), "title", "robot.urdf")
    text = compact_text(scene)
    assert parse_scene(text) == scene
    assert text.count("\n") < 50


def test_import_into_a_scene_replaces_only_the_robot(tmp_path: Path) -> None:
    imported_robot = imported(tmp_path, urdf_modules(16))
    before = new_scene(imported(tmp_path, urdf_modules(6)), "title", "robot.urdf")
    after, _ = into_scene(imported_robot, before)
    assert after.robot == imported_robot.robot
    rest = {"robot", "joint_controller", "actuator", "solver"}
    assert all(getattr(after, name) == part for name, part in before if name not in rest)


def test_xacro_without_the_package_explains_how_to_expand_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    path = tmp_path / "snake.urdf.xacro"
    path.write_text(
        '<robot xmlns:xacro="x"><xacro:property name="a" value="1"/><link name="a"/></robot>'
    )
    with pytest.raises(RobotFileError, match=r"xacro.*expand"):
        load_robot(path)
