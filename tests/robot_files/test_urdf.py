"""URDF files mean what simulators read from them: friction, gravity, joints, masses and limits."""

from __future__ import annotations

import math
from pathlib import Path

import mujoco
import numpy as np
import pytest

from snakestudio.errors import RobotFileError
from snakestudio.robot_files.description import RobotDescription
from snakestudio.robot_files.read import read_robot
from tests.robot_files.robots import imported, urdf_joint, urdf_link

NAMES = ("a", "b", "c")
LINKS = "".join(urdf_link(name, x=0.05) for name in NAMES)
JOINTS = urdf_joint("j1", "a", "b", "0.1 0 0") + urdf_joint("j2", "b", "c", "0.1 0 0")


def urdf(inside: str = "", links: str = LINKS, joints: str = JOINTS) -> str:
    """Return a chain of three links with more elements."""
    return f'<robot name="chain" xmlns:drake="d">{links}{joints}{inside}</robot>'


def described(folder: Path, text: str) -> RobotDescription:
    """Write a file with the text and read it."""
    (folder / "robot.urdf").write_text(text, encoding="utf-8")
    return read_robot(folder / "robot.urdf")


def gazebo(inside: str, names: tuple[str, ...] = NAMES) -> str:
    """Return extensions of Gazebo for links."""
    return "".join(f'<gazebo reference="{name}">{inside}</gazebo>' for name in names)


def in_links(inside: str) -> str:
    """Return the links with more elements in each."""
    return "".join(urdf_link(name, x=0.05, extra=inside) for name in NAMES)


def in_collisions(inside: str) -> str:
    """Return the links with more elements in their collisions."""
    return LINKS.replace("</collision>", f"{inside}</collision>")


ODE = "<collision><surface><friction><ode>{}</ode></friction></surface></collision>"


@pytest.mark.parametrize(
    ("extension", "along", "across"),
    [
        ('<mu1 value="0.1"/><mu2 value="0.8"/><fdir1 value="0 0 1"/>', 0.1, 0.8),
        ("<mu1>0.1</mu1><mu2> 0.8 </mu2><fdir1>0 0 1</fdir1>", 0.1, 0.8),
        ("<mu1>0.1</mu1><mu2>0.8</mu2><fdir1>0 1 0</fdir1>", 0.8, 0.1),
        ("<mu1>0.1</mu1><mu2>0.8</mu2><fdir1>1 0 0</fdir1>", 0.1, 0.8),
        ("<mu>0.1</mu><mu2>0.8</mu2>", 0.1, 0.8),
        ("<mu2>0.8</mu2>", 1.0, 0.8),
        ("<mu1>0.1</mu1>", 0.1, 1.0),
        (ODE.format("<mu>0.1</mu><mu2>0.8</mu2><fdir1>0 0 1</fdir1>"), 0.1, 0.8),
        (ODE.format("<mu>0.1</mu><mu2>0.8</mu2>") + "<mu2>0.6</mu2>", 0.1, 0.6),
        (
            ODE.format("<mu2>0.8</mu2>").replace("ode>", "bullet>").replace("mu2", "friction2"),
            1,
            0.8,
        ),
    ],
)
def test_friction_of_gazebo_is_read_in_all_forms(
    tmp_path: Path, extension: str, along: float, across: float
) -> None:
    """As libsdformat converts them (parser_urdf.cc): omitted coefficients are 1 (surface.sdf)."""
    ground = imported(tmp_path, urdf(gazebo(extension))).ground
    assert (ground.mu_along, ground.mu_across) == (along, across)


def test_several_extensions_of_a_link_add_up(tmp_path: Path) -> None:
    blocks = gazebo("<mu1>0.3</mu1>") + gazebo("<mu2>0.8</mu2>") + gazebo("<mu1>0.1</mu1>")
    ground = imported(tmp_path, urdf(blocks)).ground
    assert (ground.mu_along, ground.mu_across) == (0.1, 0.8)


def test_links_without_friction_get_the_simulator_default(tmp_path: Path) -> None:
    robot = imported(tmp_path, urdf(gazebo("<mu1>0.1</mu1><mu2>0.8</mu2>", ("a", "b"))))
    (table,) = robot.robot.link
    assert (table.index, table.mu_along, table.mu_across) == (3, 1.0, 1.0)
    assert any("Gazebo" in note and note.endswith(": c.") for note in robot.notes)


@pytest.mark.parametrize(
    ("links", "mu"),
    [
        (in_links('<contact><lateral_friction value="0.7"/></contact>'), 0.7),
        (in_links("<contact><lateral_friction>0.7</lateral_friction></contact>"), 0.7),
        (
            in_collisions(
                '<drake:proximity_properties><drake:mu_dynamic value="0.4"/><drake:mu_static value="0.6"/>'
                "</drake:proximity_properties>"
            ),
            0.4,
        ),
        (
            in_collisions(
                '<drake:proximity_properties><drake:mu_static value="0.6"/></drake:proximity_properties>'
            ),
            0.6,
        ),
    ],
)
def test_friction_of_pybullet_and_drake_is_read(tmp_path: Path, links: str, mu: float) -> None:
    robot = imported(tmp_path, urdf(links=links))
    assert (robot.ground.mu_along, robot.ground.mu_across) == (mu, mu)
    assert not any("0.2 across" in note for note in robot.notes)


def test_rolling_friction_of_pybullet_is_an_arm(tmp_path: Path) -> None:
    """Bullet's coefficient is the largest torque per contact force, in m; the links have a radius of 30 mm."""
    values = '<rolling_friction value="0.006"/><spinning_friction value="0.01"/>'
    robot = imported(tmp_path, urdf(links=in_links(f"<contact>{values}</contact>")))
    assert robot.ground.mu_rolling == pytest.approx(0.2)
    assert robot.ground.mu_along == 0.5  # Bullet's default
    assert any("torsional" in note for note in robot.notes)


def test_friction_of_several_simulators_is_reported(tmp_path: Path) -> None:
    links = in_links('<contact><lateral_friction value="0.7"/></contact>')
    robot = imported(tmp_path, urdf(gazebo("<mu1>0.1</mu1><mu2>0.1</mu2>"), links))
    assert robot.ground.mu_along == 0.1
    assert any("Gazebo and PyBullet" in note for note in robot.notes)


def test_lowest_geometry_gives_the_friction(tmp_path: Path) -> None:
    shape = '<collision><origin xyz="0.05 0 {}"/><geometry><sphere radius="0.01"/></geometry></collision>'
    parts = "".join(
        f'<link name="{name}_{where}">{shape.format(z)}</link>'
        + urdf_joint(f"{name}_{where}", name, f"{name}_{where}", "0 0 0", kind="fixed", extra="")
        for name in NAMES
        for where, z in (("up", 0.03), ("down", -0.025))
    )
    tags = gazebo("<mu1>0.3</mu1><mu2>0.3</mu2>", tuple(f"{name}_down" for name in NAMES))
    robot = imported(tmp_path, urdf(parts + tags + gazebo("<mu1>0.9</mu1>", ("a_up",))))
    assert robot.ground.mu_along == 0.3
    assert any("different friction" in note for note in robot.notes)


def test_given_friction_counts_before_the_default(tmp_path: Path) -> None:
    """The cylinder of a link without friction reaches lower than the part with friction that is fixed to it."""
    shape = '<collision><origin xyz="0.05 0 0"/><geometry><sphere radius="0.01"/></geometry></collision>'
    parts = "".join(
        f'<link name="{name}_skin">{shape}</link>'
        + urdf_joint(f"{name}_skin", name, f"{name}_skin", "0 0 0", kind="fixed", extra="")
        for name in NAMES
    )
    tags = gazebo("<mu1>0.3</mu1><mu2>0.4</mu2>", tuple(f"{name}_skin" for name in NAMES))
    ground = imported(tmp_path, urdf(parts + tags)).ground
    assert (ground.mu_along, ground.mu_across) == (0.3, 0.4)


@pytest.mark.parametrize(
    ("extension", "gravity"),
    [
        ("<gravity>false</gravity>", 0.0),
        ("<gravity>0</gravity>", 0.0),
        ("<turnGravityOff>true</turnGravityOff>", 0.0),
        ('<turnGravityOff value="1"/>', 0.0),
        ("<gravity>true</gravity>", 9.81),
        ("<turnGravityOff>false</turnGravityOff>", 9.81),
        ("<turnGravityOff>true</turnGravityOff><gravity>1</gravity>", 9.81),
    ],
)
def test_gravity_of_gazebo_is_read(tmp_path: Path, extension: str, gravity: float) -> None:
    robot = imported(tmp_path, urdf(gazebo(extension)))
    assert robot.ground.gravity_m_s2 == gravity
    some = described(tmp_path, urdf(gazebo(extension, ("b",))))
    assert any(note.endswith(": b.") for note in some.notes) == (gravity == 0.0)


def test_springs_and_controllers_of_gazebo_are_read(tmp_path: Path) -> None:
    spring = gazebo(
        '<springStiffness>3</springStiffness><springReference value="0.2"/>', names=("j1",)
    )
    plugin = (
        '<gazebo><plugin filename="gz-sim-joint-position-controller-system"'
        ' name="gz::sim::systems::JointPositionController"><joint_name>j2</joint_name>'
        "<p_gain>20</p_gain><d_gain>0.5</d_gain><i_gain>0</i_gain></plugin></gazebo>"
    )
    robot = described(tmp_path, urdf(spring + plugin))
    first, second = (body.joints[0] for body in robot.bodies[1:])
    assert (first.stiffness, first.rest) == (3.0, 0.2)
    assert second.actuation is not None
    assert (second.actuation.kp, second.actuation.kd) == (20.0, 0.5)
    assert second.actuation.max_torque == 7.0  # effort in the file, below cmd_max of the controller


def test_masses_joints_and_limits_are_those_of_mujoco(tmp_path: Path) -> None:
    """MuJoCo reads URDF, too: a random chain with turned frames and products of inertia."""
    random = np.random.default_rng(3)
    links = ""
    for name in "abcd":
        mass, x = random.uniform(0.2, 0.9), random.uniform(0.03, 0.07)
        xy, xz, yz = random.uniform(-5e-5, 5e-5, 3)
        links += (
            f'<link name="{name}"><inertial><origin xyz="{x} 0.01 -0.01" rpy="0.1 0.2 0.3"/><mass value="{mass}"/>'
            f'<inertia ixx="3e-4" iyy="6e-4" izz="7e-4" ixy="{xy}" ixz="{xz}" iyz="{yz}"/></inertial></link>'
        )
    joints = ""
    limits = [(-1.5, 0.5), (0.2, 0.9), (-0.3, 0.3)]
    for k, (low, high) in enumerate(limits):
        axis = " ".join(str(value) for value in random.uniform(-1, 1, 3))
        rpy = " ".join(str(value) for value in random.uniform(-1, 1, 3))
        limit = (
            f'<limit lower="{low}" upper="{high}" effort="{2 + k}" velocity="3"/>'
            f'<dynamics damping="{0.1 * k}" friction="{0.2 * k}"/>'
        )
        joints += urdf_joint(
            f"j{k}", "abc"[k], "bcd"[k], f"0.1 0.02 {0.01 * k}", rpy, axis, extra=limit
        )
    text = urdf(links=links, joints=joints)
    model = mujoco.MjModel.from_xml_string(
        text.replace("<link", '<mujoco><compiler fusestatic="false"/></mujoco><link', 1)
    )
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    robot = described(tmp_path, text)
    placement = robot.bodies[0].placement
    for k, body in enumerate(robot.bodies[1:]):
        own = model.body(body.name)
        inertial = body.inertial
        assert inertial is not None
        assert inertial.mass == pytest.approx(own.mass[0])
        np.testing.assert_allclose(inertial.centre, own.ipos, atol=1e-12)
        axes = np.zeros(9)
        mujoco.mju_quat2Mat(axes, own.iquat)
        turn = axes.reshape(3, 3)
        np.testing.assert_allclose(
            inertial.inertia, turn @ np.diag(own.inertia) @ turn.T, atol=1e-12
        )
        placement = placement.then(body.placement)
        (joint,) = body.joints
        np.testing.assert_allclose(placement.position, data.joint(joint.name).xanchor, atol=1e-12)
        np.testing.assert_allclose(
            placement.rotation @ joint.axis, data.joint(joint.name).xaxis, atol=1e-12
        )
        assert (joint.lower, joint.upper) == tuple(model.joint(joint.name).range) == limits[k]
        assert (joint.damping, joint.friction) == (
            model.joint(joint.name).damping[0],
            model.joint(joint.name).frictionloss[0],
        )


@pytest.mark.parametrize(
    ("kind", "limit", "expected"),
    [
        ("revolute", 'lower="-1" upper="2" effort="1" velocity="1"', (-1.0, 2.0)),
        ("revolute", 'upper="2" effort="1" velocity="1"', (0.0, 2.0)),
        ("revolute", 'effort="1" velocity="1"', (-math.inf, math.inf)),
        ("revolute", 'lower="0" upper="0" effort="0" velocity="0"', (-math.inf, math.inf)),
        ("revolute", 'lower="0" upper="0" effort="1" velocity="0"', (0.0, 0.0)),
        ("revolute", 'lower="-1e9" upper="inf"'.replace("inf", "1e9"), (-math.inf, math.inf)),
        ("continuous", 'lower="-1" upper="2" effort="1" velocity="1"', (-math.inf, math.inf)),
    ],
)
def test_limits_of_joints(
    tmp_path: Path, kind: str, limit: str, expected: tuple[float, float]
) -> None:
    joint = urdf_joint("j2", "b", "c", "0.1 0 0", kind=kind, extra=f"<limit {limit}/>")
    joints = urdf_joint("j1", "a", "b", "0.1 0 0") + joint
    (read,) = described(tmp_path, urdf(joints=joints)).bodies[2].joints
    assert (read.lower, read.upper) == expected


@pytest.mark.parametrize("key", ["effort", "velocity"])
def test_limits_of_0_are_reported_and_ignored(tmp_path: Path, key: str) -> None:
    robot = described(tmp_path, urdf().replace(f'{key}="', f'{key}="0" x="'))
    motors = [body.joints[0].actuation for body in robot.bodies[1:]]
    values = [(motor.max_torque, motor.max_speed) for motor in motors if motor is not None]
    assert values == [(None, 2.0) if key == "effort" else (7.0, None)] * 2
    assert any(key in note and note.endswith(": j1 and j2.") for note in robot.notes)


def test_quaternions_of_urdf_1_2_are_read(tmp_path: Path) -> None:
    joints = JOINTS.replace('rpy="0 0 0"', 'quat_xyzw="0 0 0.6 0.8"', 1)
    rotation = described(tmp_path, urdf(joints=joints)).bodies[1].placement.rotation
    np.testing.assert_allclose(rotation[:, 0], [0.28, 0.96, 0], atol=1e-12)


def test_axis_without_direction_matters_only_where_it_turns(tmp_path: Path) -> None:
    frame = '<link name="tip"/>'
    tip = urdf_joint("tip", "c", "tip", "0.1 0 0", axis="0 0 0")
    assert described(tmp_path, urdf(frame + tip)).bodies[3].joints == ()
    held = '<limit lower="0.2" upper="0.2" effort="1" velocity="1"/>'
    fixed = urdf_joint("j3", "c", "d", "0.1 0 0", axis="0 0 0", extra=held)
    assert imported(tmp_path, urdf(urdf_link("d", x=0.05) + fixed)).robot.n_links == 3
    turning = urdf_joint("j3", "c", "d", "0.1 0 0", axis="0 0 0")
    oblique = urdf_joint("j4", "d", "e", "0.1 0 0", axis="0 0.7 0.5")
    more = urdf_link("d", x=0.05) + urdf_link("e", x=0.05) + turning + oblique
    with pytest.raises(RobotFileError) as caught:
        imported(tmp_path, urdf(more))
    first, second = (problem.message for problem in caught.value.problems)
    assert "j3" in first
    assert "j4" in second


def test_all_problems_of_a_file_are_listed(tmp_path: Path) -> None:
    bad = [
        urdf_link("a", x=0.05),
        urdf_joint("j3", "c", "nowhere", "0 0 0"),
        urdf_joint("j4", "b", "c", "0 0 0"),
        urdf_joint("j5", "c", "d", "x 0 0", kind="revolute"),
        urdf_joint("j6", "d", "e", "0 0 0", kind="hinge"),
        urdf_link("d", mass=-1),
        urdf_link("e").replace('radius="0.03"', 'radius="r"'),
        '<gazebo reference="b"><mu1/></gazebo>',
        '<gazebo><joint name="loop" type="revolute"/></gazebo>',
    ]
    with pytest.raises(RobotFileError) as caught:
        described(tmp_path, urdf("".join(bad)))
    names = ('"a"', '"nowhere"', '"j4"', '"j5"', '"hinge"', "-1 kg", '"r"', "mu1", '"loop"')
    lines = str(caught.value).splitlines()
    assert len(lines) == len(names)
    for name in names:
        assert sum(name in line for line in lines) == 1, name


def test_coupled_joints_of_accessories_are_held(tmp_path: Path) -> None:
    """A gripper may mimic: only joints of the chain must be independent."""
    finger = '<link name="finger"><inertial><mass value="0.005"/></inertial></link>'
    mimic = urdf_joint("gripper", "c", "finger", "0.1 0.02 0", extra='<mimic joint="j1"/>')
    robot = imported(tmp_path, urdf(finger + mimic))
    assert [axis.name for axis in robot.axes] == ["j1", "j2"]
    chained = urdf_link("d", x=0.05) + mimic.replace("finger", "d").replace(
        "gripper", "j3"
    ).replace("0.02 0", "0 0")
    with pytest.raises(RobotFileError, match="j1"):
        imported(tmp_path, urdf(chained))


@pytest.mark.parametrize("kind", ["floating", "planar"])
def test_base_on_a_free_joint_is_free(tmp_path: Path, kind: str) -> None:
    world = '<link name="world"/>' + urdf_joint("root", "world", "a", "0 0 0.5", kind=kind)
    robot = imported(tmp_path, urdf(world))
    assert robot.robot.n_links == 3
