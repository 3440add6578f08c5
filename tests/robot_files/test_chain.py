"""What is a chain: wheels, casters, accessories, limbs, sliding and held joints, in all formats."""

from __future__ import annotations

import math
import re
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import mujoco
import numpy as np
import pytest

from snakestudio._arrays import FloatArray
from snakestudio.errors import RobotFileError
from snakestudio.robot_files.to_scene import ImportedRobot, new_scene
from tests.robot_files.chains import placed
from tests.robot_files.parts import WRITERS, Part, links, mjcf, urdf
from tests.robot_files.robots import imported

FORMATS = sorted(WRITERS)
MOTORS = {"limits": (-1.2, 1.2), "motor": True}
DISC = {"centre": (0.0, 0.0, 0.0), "size": (0.1, 0.02), "along": "y", "axis": (0.0, 1.0, 0.0)}
BALL = {"centre": (0.05, 0.0, 0.0), "shape": "sphere", "size": (0.03,), "moments": (4e-5,) * 3}


def read(folder: Path, parts: list[Part], ending: str = "urdf") -> ImportedRobot:
    return imported(folder, WRITERS[ending](parts), f"robot.{ending}")


def refusal(folder: Path, parts: list[Part], ending: str = "urdf") -> str:
    with pytest.raises(RobotFileError) as error:
        read(folder, parts, ending)
    return str(error.value)


def notes(robot: ImportedRobot) -> str:
    return "\n".join(robot.notes)


def chassis(mass: float = 5.0) -> Part:
    return Part(
        "chassis",
        mass=mass,
        centre=(0.0, 0.0, 0.0),
        shape="box",
        size=(0.2, 0.15, 0.05),
        moments=(0.1, 0.1, 0.1),
    )


def wheel(name: str, y: float, parent: str = "chassis", **values: object) -> Part:
    return Part(name, parent, (0.0, y, 0.0), **{"mass": 0.5, **DISC, **values})  # type: ignore[arg-type]


def legs(count: int, joints: int, motor: bool = True) -> list[Part]:
    """Return a trunk with legs of 0.2 kg per joint."""
    parts = [replace(chassis(12.0), name="trunk")]
    for k in range(count):
        parent = "trunk"
        at = (0.3 - 0.2 * (k // 2), 0.15 * (-1) ** k, 0.0)
        for joint in range(joints):
            name = f"leg_{k}_{joint}"
            axis = (0.0, 1.0, 0.0) if joint else (1.0, 0.0, 0.0)
            parts.append(
                Part(
                    name,
                    parent,
                    at,
                    axis,
                    limits=(-1.0, 1.0),
                    motor=motor,
                    centre=(0.0, 0.0, -0.05),
                    along="z",
                    moments=(2e-4, 2e-4, 4e-5),
                )
            )
            parent = name
            at = (0.0, 0.0, -0.1)
    return parts


@pytest.mark.parametrize("ending", FORMATS)
@pytest.mark.parametrize("across", [False, True])
def test_passive_chain_of_balls_stays_a_chain(tmp_path: Path, ending: str, across: bool) -> None:
    shape = {"along": "z", "moments": (2e-4, 2e-4, 4e-5)} if across else BALL
    robot = read(tmp_path, links(6, **shape), ending)
    assert (len(robot.links), [axis.kind for axis in robot.axes]) == (6, ["yaw"] * 5)
    assert robot.robot.mass == pytest.approx(1.2)
    assert not any(link.wheels for link in robot.links)


@pytest.mark.parametrize("ending", FORMATS)
def test_balls_on_their_own_joints_stay_links(tmp_path: Path, ending: str) -> None:
    """Each joint is in the middle of the ball that it moves, as the axis of a wheel is."""
    robot = read(tmp_path, links(4, **{**BALL, "centre": (0.0, 0.0, 0.0)}), ending)
    assert len(robot.links) == 4


@pytest.mark.parametrize("ending", FORMATS)
@pytest.mark.parametrize("shape", ["sphere", "post", "disc"])
def test_shrinking_bodies_on_their_own_joints_stay_links(
    tmp_path: Path, ending: str, shape: str
) -> None:
    """The last ball, post or disc is smaller than the one before it."""
    parts = []
    for k, part in enumerate(links(5)):
        radius = 0.03 - 0.003 * k
        size = {"sphere": (radius,), "post": (radius, 0.05), "disc": (radius, 0.01)}[shape]
        kind = "sphere" if shape == "sphere" else "cylinder"
        values = {"shape": kind, "size": size, "along": "z", "moments": (1e-4,) * 3}
        parts.append(replace(part, centre=(0.0, 0.0, 0.0), mass=0.2 - 0.01 * k, **values))  # type: ignore[arg-type]
    assert len(read(tmp_path, parts, ending).links) == 5


@pytest.mark.parametrize("ending", FORMATS)
def test_pendulum_of_five_balls_keeps_its_joints(tmp_path: Path, ending: str) -> None:
    """Balls half a metre below their joints, on a base."""
    parts = [chassis()]
    for k in range(5):
        at = (0.0, 0.0, -0.5 if k else 0.0)
        values = {**BALL, "centre": (0.0, 0.0, -0.5), "size": (0.05,)}
        parts.append(Part(f"ball_{k}", parts[-1].name, at, (0.0, 1.0, 0.0), **values))  # type: ignore[arg-type]
    robot = read(tmp_path, parts, ending)
    assert (len(robot.axes), robot.robot.mass) == (5, pytest.approx(6.0))


@pytest.mark.parametrize("ending", FORMATS)
def test_roll_joint_at_the_end_stays_a_joint(tmp_path: Path, ending: str) -> None:
    parts = links(3)
    parts.append(
        Part("tail", "link_3", (0.1, 0.0, 0.0), (1.0, 0.0, 0.0), mass=0.15, size=(0.03, 0.02))
    )
    robot = read(tmp_path, parts, ending)
    assert [axis.kind for axis in robot.axes] == ["yaw", "yaw", "roll"]


@pytest.mark.parametrize("ending", FORMATS)
@pytest.mark.parametrize("name", ["roller_", "disc_"])
def test_wheels_beside_links_become_passive_wheels(tmp_path: Path, ending: str, name: str) -> None:
    parts = links(4, **MOTORS)
    for k in range(1, 5):
        for side in (-1, 1):
            at = (0.05, 0.03 * side, 0.0)
            values = {**DISC, "size": (0.03, 0.005), "mass": 0.02, "moments": (1e-5,) * 3}
            parts.append(Part(f"{name}{k}_{side + 1}", f"link_{k}", at, **values))  # type: ignore[arg-type]
    robot = read(tmp_path, parts, ending)
    assert (robot.robot.wheels, len(robot.links)) == ("passive", 4)
    assert robot.robot.mass == pytest.approx(4 * 0.24)


@pytest.mark.parametrize("ending", FORMATS)
@pytest.mark.parametrize("names", [("left", "right"), ("wheel_1", "wheel_2"), ("a", "b", "c", "d")])
@pytest.mark.parametrize("motor", [True, False])
def test_carts_are_refused(
    tmp_path: Path, ending: str, names: tuple[str, ...], motor: bool
) -> None:
    parts = [chassis()]
    parts += [
        replace(
            wheel(name, 0.17 * (-1) ** k, motor=motor), at=(0.1 * (k // 2), 0.17 * (-1) ** k, 0.0)
        )
        for k, name in enumerate(names)
    ]
    text = refusal(tmp_path, parts, ending)
    assert "only turn wheels" in text
    assert names[0] in text


@pytest.mark.parametrize("ending", FORMATS)
def test_casters_do_not_make_a_cart_a_chain(tmp_path: Path, ending: str) -> None:
    parts = [chassis(), wheel("left", 0.17, motor=True), wheel("right", -0.17, motor=True)]
    parts.append(Part("fork", "chassis", (-0.15, 0.0, -0.05), mass=0.1, shape=""))
    parts.append(
        Part("small", "fork", (-0.02, 0.0, -0.03), **{**DISC, "size": (0.03, 0.01), "mass": 0.05})  # type: ignore[arg-type]
    )
    assert "wheels or casters" in refusal(tmp_path, parts, ending)


@pytest.mark.parametrize("ending", FORMATS)
def test_steered_wheels_are_refused(tmp_path: Path, ending: str) -> None:
    parts = [chassis()]
    for side in (-1, 1):
        knuckle = f"knuckle_{side + 1}"
        parts.append(
            Part(knuckle, "chassis", (0.2, 0.15 * side, 0.0), mass=0.1, shape="", **MOTORS)  # type: ignore[arg-type]
        )
        parts.append(wheel(f"front_{side + 1}", 0.03 * side, knuckle))
        parts.append(wheel(f"rear_{side + 1}", 0.17 * side, motor=True))
    assert "is a cart" in refusal(tmp_path, parts, ending)


@pytest.mark.parametrize("ending", FORMATS)
def test_steering_links_inside_heavy_wheels_are_refused(tmp_path: Path, ending: str) -> None:
    parts = [chassis(1.0)]
    for side in (-1, 1):
        knuckle = f"knuckle_{side + 1}"
        values = {"centre": (0.0, 0.0, 0.0), "size": (0.03, 0.05), "along": "z", **MOTORS}
        parts.append(Part(knuckle, "chassis", (0.2, 0.15 * side, 0.0), mass=0.5, **values))  # type: ignore[arg-type]
        parts.append(wheel(f"front_{side + 1}", 0.0, knuckle, mass=2.0, motor=True))
        parts.append(wheel(f"rear_{side + 1}", 0.17 * side, mass=2.0, motor=True))
    assert "is a cart" in refusal(tmp_path, parts, ending)


@pytest.mark.parametrize("ending", FORMATS)
def test_tricycles_are_refused(tmp_path: Path, ending: str) -> None:
    """A heavy fork with a wheel at a distance from its axis."""
    parts = [chassis(10.0), wheel("left", 0.17), wheel("right", -0.17)]
    parts.append(Part("fork", "chassis", (0.2, 0.0, 0.1), mass=3.0, **MOTORS))  # type: ignore[arg-type]
    parts.append(replace(wheel("front", 0.0, "fork"), at=(0.15, 0.0, -0.1)))
    assert "is a cart" in refusal(tmp_path, parts, ending)


def test_wheels_on_universal_joints_are_steered_wheels(tmp_path: Path) -> None:
    text = WRITERS["xml"]([chassis(), wheel("left", 0.17), wheel("right", -0.17)])
    for name in ("left", "right"):
        joint = f'<joint name="to_{name}"'
        steering = f'<joint name="steer_{name}" axis="0 0 1" range="-0.5 0.5" limited="true"/>'
        text = text.replace(joint, steering + joint)
    with pytest.raises(RobotFileError, match=r"only turn wheels.*steer_left"):
        imported(tmp_path, text, "cart.xml")


@pytest.mark.parametrize("ending", FORMATS)
@pytest.mark.parametrize(("count", "joints"), [(4, 3), (6, 3), (3, 2), (5, 2), (4, 1)])
def test_robots_with_legs_are_refused(tmp_path: Path, ending: str, count: int, joints: int) -> None:
    text = refusal(tmp_path, legs(count, joints), ending)
    assert 'branches at "trunk"' in text
    assert "an end of" in text


@pytest.mark.parametrize("ending", FORMATS)
def test_legs_without_motors_are_refused(tmp_path: Path, ending: str) -> None:
    assert "not a chain" in refusal(tmp_path, legs(4, 3, motor=False), ending)


@pytest.mark.parametrize("ending", FORMATS)
def test_hands_are_refused(tmp_path: Path, ending: str) -> None:
    parts = [
        replace(
            part,
            name=part.name.replace("leg", "finger"),
            parent=part.parent.replace("leg", "finger"),
        )
        for part in legs(3, 2)
    ]
    assert "not a chain" in refusal(tmp_path, parts, ending)


@pytest.mark.parametrize("ending", FORMATS)
def test_two_arms_are_refused(tmp_path: Path, ending: str) -> None:
    assert "two equal limbs" in refusal(tmp_path, legs(2, 3), ending)
    on_waist = [
        replace(part, parent="pelvis", at=(0.0, 0.0, 0.3), **MOTORS)
        if part.name == "trunk"
        else part
        for part in legs(2, 3)
    ]  # type: ignore[arg-type]
    assert "not a chain" in refusal(
        tmp_path, [replace(chassis(), name="pelvis"), *on_waist], ending
    )


@pytest.mark.parametrize("ending", FORMATS)
def test_two_legs_on_a_light_pelvis_are_refused(tmp_path: Path, ending: str) -> None:
    parts = [replace(p, mass=0.1) if p.name == "trunk" else p for p in legs(2, 3)]
    assert "two equal limbs" in refusal(tmp_path, parts, ending)


@pytest.mark.parametrize("ending", FORMATS)
def test_root_in_the_middle_stays_a_chain(tmp_path: Path, ending: str) -> None:
    parts = [Part("middle", centre=(0.0, 0.0, 0.0))]
    for side in (-1, 1):
        parent = "middle"
        at = (0.05 * side, 0.0, 0.0)
        for k in range(3):
            name = f"{'front' if side > 0 else 'rear'}_{k}"
            parts.append(Part(name, parent, at, centre=(0.05 * side, 0.0, 0.0), **MOTORS))  # type: ignore[arg-type]
            parent = name
            at = (0.1 * side, 0.0, 0.0)
    assert len(read(tmp_path, parts, ending).axes) == 6


@pytest.mark.parametrize("ending", FORMATS)
@pytest.mark.parametrize(
    ("name", "motor"),
    [("pan_camera", True), ("finger_left", True), ("flap", True), ("flap", False)],
)
def test_light_branches_are_carried(tmp_path: Path, ending: str, name: str, motor: bool) -> None:
    parts = links(6, **MOTORS)
    parts.append(
        Part(
            name,
            "link_3",
            (0.05, 0.0, 0.03),
            mass=0.02,
            motor=motor,
            limits=(-1.0, 1.0),
            centre=(0.0, 0.01, 0.0),
            shape="box",
            size=(0.01,) * 3,
            moments=(1e-6,) * 3,
        )
    )
    robot = read(tmp_path, parts, ending)
    assert len(robot.axes) == 5
    assert robot.robot.mass == pytest.approx(6 * 0.2 + 0.02)
    assert f'{name}: is carried by "link_3" (0.02 kg)' in notes(robot)


@pytest.mark.parametrize("ending", FORMATS)
def test_gripper_at_the_end_is_no_link(tmp_path: Path, ending: str) -> None:
    parts = links(5, **MOTORS)
    for side in (-1, 1):
        parts.append(
            Part(
                f"finger_{side + 1}",
                "link_5",
                (0.1, 0.02 * side, 0.0),
                mass=0.02,
                motor=True,
                limits=(-1.0, 1.0),
                centre=(0.01, 0.0, 0.0),
                shape="box",
                size=(0.01,) * 3,
                moments=(1e-6,) * 3,
            )
        )
    robot = read(tmp_path, parts, ending)
    assert (len(robot.axes), robot.robot.mass) == (4, pytest.approx(1.04))


@pytest.mark.parametrize("ending", ["sdf", "xml"])
def test_ball_caster_is_refused(tmp_path: Path, ending: str) -> None:
    caster = Part(
        "caster",
        "chassis",
        (-0.3, 0.0, -0.15),
        kind="ball",
        mass=0.5,
        **{**BALL, "centre": (0.0, 0.0, 0.0)},
    )  # type: ignore[arg-type]
    assert "wheels or casters" in refusal(tmp_path, [chassis(), caster], ending)


@pytest.mark.parametrize("ending", ["sdf", "xml"])
@pytest.mark.parametrize("at", [(0.1, 0.0, 0.0), (0.07, 0.05, -0.06)])
def test_ball_joint_has_three_axes(
    tmp_path: Path, ending: str, at: tuple[float, float, float]
) -> None:
    """Two bodies off the line through their one joint, and a joint in any direction."""
    second = Part("second", "first", at, kind="ball")
    robot = read(tmp_path, [Part("first"), second], ending)
    assert [axis.kind for axis in robot.axes] == ["yaw", "pitch", "roll"]
    assert robot.robot.mass == pytest.approx(0.4)


@pytest.mark.parametrize("ending", ["urdf", "sdf"])
@pytest.mark.parametrize("angle", [0.5, -0.9, 0.0])
def test_held_joint_bends_the_rigid_link(tmp_path: Path, ending: str, angle: float) -> None:
    """Two links of 0.1 m with an angle between them: their ends are |0.1 + 0.1 exp(i angle)| apart."""
    parts = links(4, **MOTORS)
    parts[2] = replace(parts[2], limits=(angle, angle))
    robot = read(tmp_path, parts, ending)
    assert (len(robot.links), robot.robot.mass) == (3, pytest.approx(0.8))
    assert robot.links[1].length == pytest.approx(abs(0.1 + 0.1 * np.exp(1j * angle)))
    # The end links are along their own cylinders, so their joints start bent.
    assert [axis.zero for axis in robot.axes] == pytest.approx([0.5 * angle] * 2)
    assert f"{math.degrees(angle):.4g}°" in notes(robot)


@pytest.mark.parametrize("ending", ["urdf", "sdf"])
def test_held_slide_moves_the_link(tmp_path: Path, ending: str) -> None:
    parts = links(4, **MOTORS)
    parts[2] = replace(parts[2], kind="slide", axis=(1.0, 0.0, 0.0), limits=(0.03, 0.03))
    robot = read(tmp_path, parts, ending)
    assert robot.links[1].length == pytest.approx(0.23)


def test_held_joint_before_a_hinge_of_the_same_body(tmp_path: Path) -> None:
    """The hinge comes after the held slide in the same body, and turns about the moved axis."""
    text = mjcf(links(3)).replace(
        '<joint name="to_link_2"',
        '<joint name="shift" type="slide" axis="1 0 0" range="0.02 0.02" limited="true"/><joint name="to_link_2"',
    )
    robot = imported(tmp_path, text, "held.xml")
    assert robot.axes[0].name == "to_link_2"
    assert len(robot.links) == 3
    assert robot.links[1].length == pytest.approx(0.1)


@pytest.mark.parametrize("ending", FORMATS)
@pytest.mark.parametrize("index", [1, 2, 3])
def test_sliding_joint_is_refused_by_name(tmp_path: Path, ending: str, index: int) -> None:
    parts = links(4, **MOTORS)
    parts[index] = replace(parts[index], kind="slide")
    text = refusal(tmp_path, parts, ending)
    assert re.search(rf'Joint "to_link_{index + 1}" slides\.', text), text


@pytest.mark.parametrize("ending", FORMATS)
def test_all_sliding_joints_are_named(tmp_path: Path, ending: str) -> None:
    parts = links(6, **MOTORS)
    for k in (2, 4):
        parts[k] = replace(parts[k], kind="slide")
    assert "to_link_3 and to_link_5 slide" in refusal(tmp_path, parts, ending)


@pytest.mark.parametrize("ending", FORMATS)
@pytest.mark.parametrize("slides", [1, 2])
def test_heavy_base_on_a_slide_is_refused(tmp_path: Path, ending: str, slides: int) -> None:
    parts = [replace(chassis(20.0), name="base")]
    parent = "base"
    for k in range(slides - 1):
        parts.append(replace(chassis(2.0), name=f"carriage_{k}", parent=parent, kind="slide"))
        parent = f"carriage_{k}"
    chain = links(4, **MOTORS)
    chain[0] = replace(chain[0], parent=parent, kind="slide", at=(0.0, 0.0, 0.1))
    text = refusal(tmp_path, parts + chain, ending)
    assert "to_link_1" in text
    assert "slide" in text


@pytest.mark.parametrize("ending", FORMATS)
@pytest.mark.parametrize("mass", [0.1, 0.8])
def test_frames_of_a_sliding_base_are_named(tmp_path: Path, ending: str, mass: float) -> None:
    """Frames with a mass that only place the robot in a plane."""
    frame = {"mass": mass, "shape": "", "centre": (0.0, 0.0, 0.0), "moments": (1e-4,) * 3}
    parts = [
        Part("rail", **frame),  # type: ignore[arg-type]
        Part("sled", "rail", axis=(1.0, 0.0, 0.0), kind="slide", **frame),  # type: ignore[arg-type]
    ]
    chain = links(4, **MOTORS)
    chain[0] = replace(chain[0], parent="sled", axis=(0.0, 1.0, 0.0), kind="slide")
    robot = read(tmp_path, parts + chain, ending)
    assert robot.robot.mass == pytest.approx(0.8)
    assert f"rail and sled ({2 * mass:.3g} kg) were" in notes(robot)


def test_second_axis_of_bent_joint_is_in_first_axis_frame(tmp_path: Path) -> None:
    """A link that hangs down and one that points forward; the upright robot is rolled by 90° to have a yaw first."""
    shape = '<geom type="capsule" size="0.02" fromto="0 0 0 {} 0 {}"/>'
    text = (
        f'<mujoco><worldbody><body><freejoint/>{shape.format(0, -0.1)}<body name="b" pos="0 0 -0.1">'
        f'<joint name="p" axis="0 1 0"/><joint name="r" axis="1 0 0"/>{shape.format(0.1, 0)}'
        f'<body pos="0.1 0 0"><joint name="y" axis="0 0 1"/>{shape.format(0.1, 0)}</body></body></body>'
        "</worldbody></mujoco>"
    )
    robot = imported(tmp_path, text, "bent.xml")
    assert [(axis.name, axis.kind) for axis in robot.axes] == [
        ("p", "yaw"),
        ("r", "roll"),
        ("y", "pitch"),
    ]
    assert abs(robot.axes[0].zero) == pytest.approx(math.pi / 2)


# --- comparison with MuJoCo -------------------------------------------------------------------------

ACCEPTED = {
    "balls": links(6, **BALL),
    "motors": links(5, **MOTORS),
    "roll": [*links(3), Part("tail", "link_3", (0.1, 0.0, 0.0), (1.0, 0.0, 0.0))],
    "alternating": [
        replace(part, axis=(0.0, float(k % 2), float(1 - k % 2)))
        for k, part in enumerate(links(6, **MOTORS))
    ],
    "unequal": [
        replace(part, at=(0.06 + 0.02 * k if k else 0.0, 0.0, 0.0), mass=0.1 + 0.05 * k)
        for k, part in enumerate(links(5, **MOTORS))
    ],
    "wheels": [
        *links(3, **MOTORS),
        *(wheel(f"disc_{k}", 0.03, f"link_{k}", size=(0.03, 0.005), mass=0.02) for k in (1, 2, 3)),
    ],
    "camera": [
        *links(4, **MOTORS),
        Part("camera", "link_2", (0.05, 0.0, 0.03), mass=0.02, motor=True),
    ],
    "fixed": [*links(4, **MOTORS), Part("box", "link_4", (0.1, 0.0, 0.0), kind="fixed")],
}


@pytest.mark.parametrize("writer", [urdf, mjcf])
@pytest.mark.parametrize("name", ACCEPTED)
def test_accepted_files_agree_with_mujoco(tmp_path: Path, name: str, writer) -> None:  # type: ignore[no-untyped-def]
    """Mass, number of joints, and distances of consecutive axes at rest; each missing joint is in a note."""
    text = writer(ACCEPTED[name])
    model = mujoco.MjModel.from_xml_string(text)
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    robot = imported(tmp_path, text, f"robot.{'urdf' if writer is urdf else 'xml'}")
    assert robot.robot.mass == pytest.approx(float(model.body_mass.sum()), rel=1e-9)
    hinges = [
        model.joint(k).name
        for k in range(model.njnt)
        if model.jnt_type[k] != mujoco.mjtJoint.mjJNT_FREE
    ]
    own = [axis.name for axis in robot.axes]
    left_out = {joint for change in robot.changes for joint in change.joints}
    assert set(own) | left_out == set(hinges)
    assert not set(own) & left_out
    scene = new_scene(robot, "", "")
    zeros = np.array([axis.zero for axis in robot.axes])
    chain = placed(scene, zeros, np.zeros(3), np.eye(3))
    lines = [(data.joint(joint).xanchor, data.joint(joint).xaxis) for joint in own]
    ours = list(zip(chain.anchor, chain.axis, strict=True))
    for (one, two), (three, four) in zip(pairwise(ours), pairwise(lines), strict=True):
        assert distance(*one, *two) == pytest.approx(distance(*three, *four), abs=1e-9)


def distance(
    point: FloatArray, axis: FloatArray, other: FloatArray, direction: FloatArray
) -> float:
    """Smallest distance between two lines."""
    normal = np.cross(axis, direction)
    size = float(np.linalg.norm(normal))
    gap = other - point
    if size < 1e-9:
        return float(np.linalg.norm(gap - (gap @ axis) * axis))
    return abs(float(gap @ normal)) / size
