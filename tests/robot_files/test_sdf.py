"""SDF files mean what Gazebo simulates: masses, frames, friction, gravity and joints."""

from __future__ import annotations

import math
from pathlib import Path

import mujoco
import numpy as np
import pytest

from snakestudio.errors import RobotFileError
from snakestudio.robot_files.description import BodyDescription, RobotDescription
from snakestudio.robot_files.read import read_robot
from tests.robot_files.robots import imported

TURN = math.pi / 2
CYLINDER = "<cylinder><radius>0.02</radius><length>0.08</length></cylinder>"
CYLINDER_VOLUME = math.pi * 0.02**2 * 0.08


def described(folder: Path, text: str, name: str = "robot.sdf") -> RobotDescription:
    """Write a file with the text and read it."""
    (folder / name).write_text(text, encoding="utf-8")
    return read_robot(folder / name)


def body(robot: RobotDescription, name: str) -> BodyDescription:
    """Return the body with this name."""
    return next(each for each in robot.bodies if each.name == name)


def collision(shape: str = CYLINDER, pose: str = f"0.05 0 0 0 {TURN} 0", inside: str = "") -> str:
    """Return a collision with a shape."""
    return (
        f'<collision name="c"><pose>{pose}</pose><geometry>{shape}</geometry>{inside}</collision>'
    )


INERTIAL = (
    "<inertial><pose>0.05 0 0 0 0 0</pose><mass>0.2</mass>"
    "<inertia><ixx>4e-5</ixx><iyy>2e-4</iyy><izz>2e-4</izz></inertia></inertial>"
)


def link(name: str, x: float = 0.0, inside: str = INERTIAL + collision(), pose: str = "") -> str:
    """Return a link at x."""
    return f'<link name="{name}"><pose{pose}>{x} 0 0.02 0 0 0</pose>{inside}</link>'


def joint(name: str, parent: str, child: str, inside: str = "", axis: str = "") -> str:
    """Return a revolute joint about z."""
    return (
        f'<joint name="{name}" type="revolute">{inside}<parent>{parent}</parent><child>{child}</child>'
        f"<axis><xyz>0 0 1</xyz><limit><lower>-1.2</lower><upper>1.2</upper></limit>{axis}</axis></joint>"
    )


def chain(
    inside: str = INERTIAL + collision(), axis: str = "", model: str = "", world: str = ""
) -> str:
    """Return a model of three links with two joints, in a world if one is given."""
    links = "".join(link(f"l{k}", 0.1 * (k - 1), inside) for k in (1, 2, 3))
    joints = joint("j1", "l1", "l2", axis=axis) + joint("j2", "l2", "l3", axis=axis)
    text = f'<model name="snake">{links}{joints}{model}</model>'
    if world:
        text = f'<world name="w">{text}{world}</world>'
    return f'<sdf version="1.11">{text}</sdf>'


# --- masses ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("density", "kg"),
    [("<density>1500</density>", 1500 * CYLINDER_VOLUME), ("", 1000 * CYLINDER_VOLUME)],
)
def test_automatic_mass_is_volume_times_density(tmp_path: Path, density: str, kg: float) -> None:
    """SDF 1.11: the density of the collision, or that of water."""
    inside = '<inertial auto="true"/>' + collision(inside=density)
    robot = imported(tmp_path, chain(inside), "auto.sdf").robot
    assert robot.mass_kg == pytest.approx(kg)
    across = kg * (0.02**2 / 4 + 0.08**2 / 12)
    assert robot.inertia_kg_m2 == pytest.approx(across)
    assert robot.axial_inertia_kg_m2 == pytest.approx(kg * 0.02**2 / 2)


def test_density_of_the_link_applies_to_collisions_without_one(tmp_path: Path) -> None:
    inertial = '<inertial auto="true"><density>300</density><pose>9 9 9 0 0 0</pose></inertial>'
    second = collision(inside="<density>700</density>").replace('"c"', '"d"')
    robot = described(tmp_path, chain(inertial + collision() + second))
    inertia = body(robot, "l2").inertial
    assert inertia is not None
    assert inertia.mass == pytest.approx(1000 * CYLINDER_VOLUME)
    np.testing.assert_allclose(inertia.centre, [0.05, 0, 0], atol=1e-12)


def test_given_mass_scales_automatic_moments(tmp_path: Path) -> None:
    inertial = '<inertial auto="true"><mass>0.3</mass></inertial>'
    inertia = body(described(tmp_path, chain(inertial + collision())), "l1").inertial
    assert inertia is not None
    assert inertia.mass == pytest.approx(0.3)
    assert inertia.inertia[0, 0] == pytest.approx(0.3 * 0.02**2 / 2)


def test_automatic_inertia_is_that_of_mujoco(tmp_path: Path) -> None:
    """All shapes that both programs have, with different densities and poses, in one link."""
    shapes = [
        ("<box><size>0.1 0.04 0.06</size></box>", "box", "0.05 0.02 0.03"),
        ("<sphere><radius>0.03</radius></sphere>", "sphere", "0.03"),
        (CYLINDER, "cylinder", "0.02 0.04"),
        (
            "<capsule><radius>0.02</radius><length>0.05</length></capsule>",
            "capsule",
            "0.02 0.025",
        ),
        ("<ellipsoid><radii>0.01 0.03 0.05</radii></ellipsoid>", "ellipsoid", "0.01 0.03 0.05"),
    ]
    parts, geoms = "", ""
    for k, (shape, kind, size) in enumerate(shapes):
        position, turn = f"{0.1 * k} {0.02 * k} {-0.01 * k}", f"{0.2 * k} {0.3 - 0.1 * k} {0.5 * k}"
        density = 500 + 200 * k
        parts += collision(shape, f"{position} {turn}", f"<density>{density}</density>")
        geoms += f'<geom type="{kind}" size="{size}" pos="{position}" euler="{turn}" density="{density}"/>'
    model = mujoco.MjModel.from_xml_string(
        f'<mujoco><compiler angle="radian" eulerseq="XYZ"/><worldbody><body>{geoms}</body></worldbody></mujoco>'
    )
    inertia = body(described(tmp_path, chain('<inertial auto="1"/>' + parts)), "l1").inertial
    assert inertia is not None
    assert inertia.mass == pytest.approx(model.body_mass[1])
    np.testing.assert_allclose(inertia.centre, model.body_ipos[1], atol=1e-12)
    turned = np.zeros(9)
    mujoco.mju_quat2Mat(turned, model.body_iquat[1])
    axes = turned.reshape(3, 3)
    expected = axes @ np.diag(model.body_inertia[1]) @ axes.T
    np.testing.assert_allclose(inertia.inertia, expected, atol=1e-12)


def test_automatic_inertia_of_a_cone_is_the_closed_form(tmp_path: Path) -> None:
    """Height 0.12 m, radius 0.05 m, tip at +z: centre of mass at a quarter of the height above the base."""
    cone = collision("<cone><radius>0.05</radius><length>0.12</length></cone>", "0 0 0 0 0 0")
    inertia = body(described(tmp_path, chain('<inertial auto="true"/>' + cone)), "l1").inertial
    assert inertia is not None
    mass = 1000 * math.pi * 0.05**2 * 0.12 / 3
    assert inertia.mass == pytest.approx(mass)
    np.testing.assert_allclose(inertia.centre, [0, 0, -0.03], atol=1e-15)
    across = mass * (3 / 20 * 0.05**2 + 3 / 80 * 0.12**2)
    expected = np.diag([across, across, 0.3 * mass * 0.05**2])
    np.testing.assert_allclose(inertia.inertia, expected, rtol=1e-12)


def test_automatic_inertia_of_a_mesh_is_that_of_its_volume(tmp_path: Path) -> None:
    points = "v 0 0 0\nv 0.1 0 0\nv 0 0.1 0\nv 0 0 0.1\n"
    (tmp_path / "t.obj").write_text(points + "f 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n")
    mesh = collision("<mesh><uri>t.obj</uri><scale>2 1 1</scale></mesh>", "0 0 0 0 0 0")
    inertia = body(described(tmp_path, chain('<inertial auto="true"/>' + mesh)), "l1").inertial
    assert inertia is not None
    assert inertia.mass == pytest.approx(1000 * 0.2 * 0.1 * 0.1 / 6)  # a tetrahedron
    np.testing.assert_allclose(inertia.centre, [0.05, 0.025, 0.025], atol=1e-9)


def test_link_without_inertial_has_the_defaults_of_sdf(tmp_path: Path) -> None:
    robot = described(tmp_path, chain(collision()))
    inertia = body(robot, "l3").inertial
    assert inertia is not None
    assert inertia.mass == 1.0
    np.testing.assert_array_equal(inertia.inertia, np.eye(3))
    assert any("l1, l2 and l3" in note and "1 kg" in note for note in robot.notes)


@pytest.mark.parametrize(
    "inside",
    [
        "",
        collision("<plane><normal>0 0 1</normal></plane>"),
        collision("<mesh><uri>nowhere.stl</uri></mesh>"),
        collision(inside="<density>-1</density>"),
    ],
)
def test_automatic_mass_without_volume_is_a_problem(tmp_path: Path, inside: str) -> None:
    with pytest.raises(RobotFileError) as caught:
        described(tmp_path, chain('<inertial auto="true"/>' + inside))
    assert [str(problem.message).count("l2") for problem in caught.value.problems] == [0, 1, 0]


# --- models and frames ----------------------------------------------------------------------------

SEGMENT = (
    '<sdf version="1.8"><model name="segment"{more}><link name="body"><pose>0.05 0 0 0 0 0</pose>'
    "<inertial><mass>0.2</mass><inertia><ixx>4e-5</ixx><iyy>2e-4</iyy><izz>2e-4</izz></inertia></inertial>"
    f"{collision(pose=f'0 0 0 0 {TURN} 0')}</link>"
    '<frame name="rear" attached_to="body"><pose>-0.05 0 0 0 0 0</pose></frame>'
    '<frame name="front" attached_to="body"><pose>0.05 0 0 0 0 0</pose></frame></model></sdf>'
)


def _segments(folder: Path, third: str, more: str = "") -> str:
    """Return three segments joined by their frames, with the third one placed by `third`."""
    (folder / "segment").mkdir()
    (folder / "segment" / "model.sdf").write_text(SEGMENT.replace("{more}", ""))
    (folder / "placed").mkdir()
    (folder / "placed" / "model.sdf").write_text(SEGMENT.replace("{more}", more))
    parts = "".join(
        f"<include><uri>model://segment</uri><name>s{k}</name><pose>{0.1 * (k - 1)} 0 0.02 0 0 0</pose></include>"
        for k in (1, 2)
    )
    joints = "".join(
        joint(f"j{k}", f"s{k}::front", f"s{k + 1}::rear", f'<pose relative_to="s{k}::front"/>')
        for k in (1, 2)
    )
    return f'<sdf version="1.9"><model name="whole">{parts}{third}{joints}</model></sdf>'


@pytest.mark.parametrize("where", ["include", "model", "nested"])
def test_placement_frame_places_the_model(tmp_path: Path, where: str) -> None:
    """SDF 1.8: the pose is that of the placement frame, which is at the front end of the segment here."""
    pose = "<pose>0.3 0 0.02 0 0 0</pose>"
    name = "<uri>model://placed</uri><name>s3</name>"
    more = "" if where == "include" else ' placement_frame="front"'
    inside = "<placement_frame>front</placement_frame>" if where == "include" else ""
    third = f"<include>{name}{inside}{pose}</include>"
    if where == "nested":
        model = SEGMENT.replace("{more}", more).split("<model", 1)[1].rsplit("</sdf>")[0]
        third = f"<model{model}".replace('name="segment"', 'name="s3"').replace(
            '<link name="body">', f'{pose}<link name="body">', 1
        )
    robot = imported(tmp_path, _segments(tmp_path, third, more), "whole.sdf").robot
    assert robot.link_length_m == pytest.approx(0.1)
    assert robot.link == ()


def test_placement_frame_of_a_turned_nested_model(tmp_path: Path) -> None:
    """The frame of the model is at the inverse of the pose of the placement frame in it."""
    inner = (
        f'<model name="in" placement_frame="f"><pose>0 0 1 0 0 0</pose>{link("l2")}'
        f'<frame name="f"><pose>0.1 0.2 0 0 0 {TURN}</pose></frame></model>'
    )
    text = f'<sdf version="1.9"><model name="m">{link("l1")}{inner}{joint("j", "l1", "in::l2")}</model></sdf>'
    second = body(described(tmp_path, text), "l2")
    # R_z(-90 deg) applied to (-0.1, -0.2, 0) + (0, 0, 0.02), above the placement at z = 1; l1 is at z = 0.02.
    np.testing.assert_allclose(second.placement.position, [-0.2, 0.1, 1.0], atol=1e-12)


def test_unknown_placement_frame_is_a_problem(tmp_path: Path) -> None:
    text = f'<sdf version="1.9"><model name="m" placement_frame="f">{link("l1")}</model></sdf>'
    with pytest.raises(RobotFileError, match='"f" of "m"'):
        described(tmp_path, text)


PART = INERTIAL + collision()
MERGED = (
    f'<sdf version="1.9"><model name="half">{link("l1", 0.0, PART)}{link("l2", 0.1, PART)}'
    '<frame name="tip"><pose>-0.1 0 0.02 0 0 0</pose></frame><static>true</static>'
    '<joint name="j1" type="revolute"><parent>l1</parent><child>l2</child>'
    '<axis><xyz expressed_in="__model__">0 0 1</xyz></axis></joint></model></sdf>'
)
OWN_FRAME = "_merged__half__model__"


@pytest.mark.parametrize("frame", ["l1", "tip", OWN_FRAME, "j1"])
def test_merged_model_has_the_names_of_the_outer_one(tmp_path: Path, frame: str) -> None:
    """SDF 1.9: links, joints and frames without prefix, and a frame in place of that of the merged model."""
    (tmp_path / "half").mkdir()
    (tmp_path / "half" / "model.sdf").write_text(MERGED)
    x, z = {"l1": (-0.1, 0), "tip": (0, 0), "j1": (-0.2, 0), OWN_FRAME: (-0.1, 0.02)}[frame]
    pose = f'<pose relative_to="{frame}">{x} 0 {z} 0 0 0</pose>'
    tail = f'<link name="tail">{pose}{PART}</link>'
    between = joint("jt", "tail", "l1").replace("<xyz>", f'<xyz expressed_in="{OWN_FRAME}">')
    text = (
        '<sdf version="1.9"><model name="whole"><include merge="true"><uri>model://half</uri>'
        f"<pose>0 1 0 0 0 {TURN}</pose></include>{tail}{between}</model></sdf>"
    )
    robot = imported(tmp_path, text, "whole.sdf")
    assert [each.name for each in robot.axes] == ["jt", "j1"]
    assert robot.robot.link_length_m == pytest.approx(0.1)
    description = read_robot(tmp_path / "whole.sdf")
    root = body(description, "tail").placement
    # The merged model is turned by 90 degrees about z and moved by 1 m along y.
    np.testing.assert_allclose(root.position, [0, 0.9, 0.02], atol=1e-9)


def test_included_files_have_their_own_version_and_folder(tmp_path: Path) -> None:
    """Axes of SDF 1.4 are in the frame of the model, and meshes are relative to the included file."""
    folder = tmp_path / "old"
    folder.mkdir()
    corners = "v 0 -0.02 -0.02\nv 0.1 -0.02 -0.02\nv 0 0.02 -0.02\nv 0 0 0.02\n"
    (folder / "t.obj").write_text(corners + "f 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n")
    mesh = collision("<mesh><uri>t.obj</uri></mesh>", "0 0 0 0 0 0")
    links = f"{link('l1', inside=INERTIAL + mesh)}{link('l2', 0.1, INERTIAL + mesh)}"
    turned = links.replace("0.1 0 0.02 0 0 0", f"0.1 0 0.02 {TURN} 0 0")
    text = f'<sdf version="1.4"><model name="m">{turned}{joint("j", "l1", "l2")}</model></sdf>'
    (folder / "model.sdf").write_text(text)
    outer = '<sdf version="1.9"><world name="w"><include><uri>old</uri></include></world></sdf>'
    robot = described(tmp_path, outer)
    assert not any("not found" in note for note in robot.notes)
    axis = body(robot, "l2").joints[0].axis
    np.testing.assert_allclose(axis, [0, 1, 0], atol=1e-12)
    assert body(robot, "l1").geometries[0].size


def test_model_config_names_the_file_of_a_model(tmp_path: Path) -> None:
    """The file of the newest version is the model."""
    folder = tmp_path / "snake"
    folder.mkdir()
    versions = '<sdf version="1.4">old.sdf</sdf><sdf version="1.10">new.sdf</sdf><sdf version="1.5">old.sdf</sdf>'
    (folder / "model.config").write_text(f"<model><name>snake</name>{versions}</model>")
    (folder / "old.sdf").write_text("<sdf/>")
    (folder / "new.sdf").write_text(chain())
    include = "<include><uri>model://snake</uri></include>"
    robot = described(tmp_path, f'<sdf version="1.6"><world name="w">{include}</world></sdf>')
    assert [each.name for each in robot.bodies] == ["l1", "l2", "l3"]


def test_missing_model_in_a_robot_is_a_problem(tmp_path: Path) -> None:
    include = "<include><uri>model://gone</uri></include>"
    with pytest.raises(RobotFileError, match="model://gone"):
        described(tmp_path, chain(model=include))
    notes = described(tmp_path, chain(world=include)).notes
    assert any("model://gone" in note for note in notes)


def test_joints_of_a_world_join_models(tmp_path: Path) -> None:
    """SDF 1.10: a joint in a world names links and frames of models."""
    tail = f'<model name="tail"><pose>0.3 0 0 0 0 0</pose>{link("t")}</model>'
    text = chain(world=tail + joint("j3", "snake::l3", "tail::t"))
    robot = imported(tmp_path, text, "world.sdf")
    assert [axis.name for axis in robot.axes] == ["j1", "j2", "j3"]
    assert robot.robot.link_length_m == pytest.approx(0.1)


def test_robot_is_the_model_with_the_most_axes(tmp_path: Path) -> None:
    door = f'<model name="door">{link("d1")}{link("d2")}{joint("hinge", "d1", "d2")}</model>'
    robot = described(tmp_path, chain(world=door))
    assert robot.name == "snake"
    assert any('"snake"' in note and "2 models" in note for note in robot.notes)


def test_references_to_unknown_frames_are_listed_together(tmp_path: Path) -> None:
    wrong = [
        link("a", pose=' relative_to="x"'),
        link("b", pose=' relative_to="b"'),
        joint("j", "a", "c"),
        joint("k", "a", "b").replace("<xyz>", '<xyz expressed_in="y">'),
        '<joint name="l" type="hinge"><parent>a</parent><child>b</child></joint>',
    ]
    with pytest.raises(RobotFileError) as caught:
        described(tmp_path, f'<sdf version="1.9"><model name="m">{"".join(wrong)}</model></sdf>')
    text = str(caught.value)
    assert all(f'"{name}"' in text for name in ("x", "b", "c", "y"))
    assert text.count("\n") >= 3


# --- friction -------------------------------------------------------------------------------------


def surface(inside: str) -> str:
    """Return a link's content with a friction element."""
    return INERTIAL + collision(inside=f"<surface><friction>{inside}</friction></surface>")


@pytest.mark.parametrize(
    ("friction", "along", "across"),
    [
        ("<ode><mu>0.1</mu><mu2>0.8</mu2><fdir1>0 0 1</fdir1></ode>", 0.1, 0.8),
        ("<ode><mu>0.1</mu><mu2>0.8</mu2><fdir1>0 1 0</fdir1></ode>", 0.8, 0.1),
        ("<ode><mu>0.1</mu><mu2>0.8</mu2></ode>", 0.1, 0.8),
        (
            '<ode><mu>0.1</mu><mu2>0.8</mu2><fdir1 gz:expressed_in="LINK">0 1 0</fdir1></ode>',
            0.8,
            0.1,
        ),
        ("<ode><mu2>0.3</mu2></ode>", 1.0, 0.3),
        ("<ode><mu>0.3</mu></ode>", 0.3, 1.0),
        ("<ode/>", 1.0, 1.0),
        ("", 1.0, 1.0),
        ("<bullet><friction>0.4</friction></bullet>", 0.4, 1.0),
        ("<bullet><friction2>0.4</friction2><fdir1>0 0 1</fdir1></bullet>", 1.0, 0.4),
        ("<torsional><coefficient>1</coefficient></torsional><ode><mu>0.2</mu></ode>", 0.2, 1.0),
    ],
)
def test_friction_is_that_of_gazebo(
    tmp_path: Path, friction: str, along: float, across: float
) -> None:
    """SDF 1.12, surface.sdf: omitted coefficients are 1, and fdir1 is in the frame of the collision."""
    text = chain(surface(friction))
    for name in ("l1", "l2", "l3"):
        text = text.replace("LINK", name, 1)
    ground = imported(tmp_path, text, "friction.sdf").ground
    assert (ground.mu_along, ground.mu_across) == (along, across)


def test_direction_into_the_ground_is_counted_in_the_link(tmp_path: Path) -> None:
    friction = "<ode><mu>0.1</mu><mu2>0.8</mu2><fdir1>1 0 0</fdir1></ode>"
    robot = imported(tmp_path, chain(surface(friction)), "friction.sdf")
    assert (robot.ground.mu_along, robot.ground.mu_across) == (0.1, 0.8)
    assert any("fdir1" in note for note in robot.notes)


def test_rolling_and_torsional_friction_are_arms(tmp_path: Path) -> None:
    """A patch of radius a under Hertzian pressure resists with 3 pi / 16 mu a per force."""
    torsional = (
        "<torsional><coefficient>0.8</coefficient><patch_radius>0.01</patch_radius></torsional>"
    )
    rolling = "<bullet><rolling_friction>0.002</rolling_friction></bullet>"
    text = chain(surface(torsional + rolling))
    shape = body(described(tmp_path, text), "l1").geometries[0]
    assert shape.torsional_friction == pytest.approx(3 * math.pi / 16 * 0.8 * 0.01)
    assert imported(tmp_path, text, "rolling.sdf").ground.mu_rolling == pytest.approx(0.1)


def test_friction_direction_in_another_link_is_a_problem(tmp_path: Path) -> None:
    friction = '<ode><mu>0.1</mu><fdir1 gz:expressed_in="l1">1 0 0</fdir1></ode>'
    with pytest.raises(RobotFileError) as caught:
        described(tmp_path, chain(surface(friction)))
    assert len(caught.value.problems) == 2  # of l2 and l3


def test_smaller_friction_of_robot_and_ground_acts(tmp_path: Path) -> None:
    ground = (
        '<model name="floor"><static>true</static><link name="link"><collision name="c"><geometry><plane/></geometry>'
        "<surface><friction><ode><mu>0.5</mu><mu2>0.5</mu2></ode></friction></surface></collision></link></model>"
    )
    text = chain(surface("<ode><mu>0.1</mu><mu2>0.8</mu2></ode>"), world=ground)
    robot = imported(tmp_path, text, "world.sdf")
    assert (robot.ground.mu_along, robot.ground.mu_across) == (0.1, 0.5)
    library = chain(world="<include><uri>model://ground_plane</uri></include>")
    robot = imported(tmp_path, library, "library.sdf")
    assert (robot.ground.mu_along, robot.ground.mu_across) == (1.0, 1.0)


# --- gravity and joints ---------------------------------------------------------------------------


def test_gravity_that_is_off_for_all_links_is_0(tmp_path: Path) -> None:
    off = "<gravity>false</gravity>"
    ball = f'<model name="ball">{link("b")}</model>'
    robot = imported(tmp_path, chain(off + INERTIAL + collision(), world=ball), "off.sdf")
    assert robot.ground.gravity_m_s2 == 0.0
    text = chain().replace('<link name="l2">', f'<link name="l2">{off}')
    notes = described(tmp_path, text).notes
    assert any(note.endswith(": l2.") for note in notes if "ravity" in note)


@pytest.mark.parametrize(
    ("world", "gravity"),
    [
        ("<gravity>0 0 -1.62</gravity>", -1.62),
        ("<physics type='ode'><gravity>0 0 -3.7</gravity></physics>", -3.7),
        (
            "<physics name='a'/><physics name='b' default='1'><gravity>0 0 -2</gravity></physics>",
            -2,
        ),
        ("<light name='sun'/>", -9.8),
    ],
)
def test_gravity_of_the_world_is_read(tmp_path: Path, world: str, gravity: float) -> None:
    """SDF 1.12, world.sdf: 0 0 -9.8 where a world has none."""
    assert described(tmp_path, chain(world=world)).gravity == (0.0, 0.0, gravity)


def test_all_types_of_joints(tmp_path: Path) -> None:
    axis = "<axis><xyz>0 1 0</xyz></axis><axis2><xyz>0 0 1</xyz></axis2>"
    kinds = {
        "revolute": ["hinge"],
        "continuous": ["hinge"],
        "prismatic": ["slide"],
        "ball": ["ball"],
        "fixed": [],
        "universal": ["hinge", "hinge"],
        "revolute2": ["hinge", "hinge"],
    }
    for kind, expected in kinds.items():
        ends = f"<parent>l3</parent><child>l4</child>{axis}"
        text = chain(model=f'{link("l4", 0.3)}<joint name="j3" type="{kind}">{ends}</joint>')
        joints = body(described(tmp_path, text), "l4").joints
        assert [each.kind for each in joints] == expected, kind


@pytest.mark.parametrize("kind", ["screw", "gearbox"])
def test_coupled_motions_are_problems_with_the_conversions_own(tmp_path: Path, kind: str) -> None:
    mimic = '<mimic joint="j1"><multiplier>1</multiplier></mimic>'
    text = chain().replace(
        "</model>",
        f"{link('l4', 0.3)}{joint('j3', 'l3', 'l4', axis=mimic)}{link('l5', 0.4)}"
        f"{joint('j4', 'l4', 'l5').replace('revolute', kind)}</model>",
    )
    with pytest.raises(RobotFileError) as caught:
        imported(tmp_path, text.replace("<xyz>0 0 1</xyz>", "<xyz>0 0.7 0.5</xyz>", 1), "bad.sdf")
    messages = [problem.message for problem in caught.value.problems]
    assert messages[:2] == ['joint "j3" mimics "j1"', f'joint "j4" is a {kind} joint']
    assert len(messages) == 3  # and the oblique axis of j1


def test_limits_of_joints(tmp_path: Path) -> None:
    """Exporters write 0 for an unknown limit; negative efforts are not enforced (SDF, joint.sdf)."""
    axis = "<dynamics><damping>0.1</damping><friction>0.2</friction><spring_stiffness>3</spring_stiffness>"
    axis += "<spring_reference>0.4</spring_reference></dynamics>"
    limit = "<effort>5</effort><velocity>-1</velocity></limit>"
    text = chain(axis=axis).replace("</limit>", limit, 1)
    text = text.replace("1.2</upper></limit>", "1.2</upper><effort>0</effort></limit>")
    robot = described(tmp_path, text)
    first, second = (body(robot, name).joints[0] for name in ("l2", "l3"))
    assert (first.lower, first.upper, first.damping, first.friction) == (-1.2, 1.2, 0.1, 0.2)
    assert (first.stiffness, first.rest) == (3.0, 0.4)
    assert first.actuation is not None
    assert (first.actuation.max_torque, first.actuation.max_speed) == (5.0, None)
    assert second.actuation is None
    assert any(note.endswith(": j2.") for note in robot.notes if "effort" in note)


def test_motion_controller_gives_gains_and_largest_torque(tmp_path: Path) -> None:
    plugin = (
        '<plugin filename="gz-sim-joint-position-controller-system" name="gz::sim::systems::JointPositionController">'
        "<joint_name>j1</joint_name><joint_name>j2</joint_name><p_gain>20</p_gain><cmd_max>4</cmd_max></plugin>"
    )
    robot = described(tmp_path, chain(model=plugin))
    for name in ("l2", "l3"):
        motor = body(robot, name).joints[0].actuation
        assert motor is not None
        assert (motor.kp, motor.kd, motor.max_torque) == (20.0, 0.01, 4.0)
    assert any("integral" in note and "j1 and j2" in note for note in robot.notes)


def test_axis_without_direction_matters_only_where_it_turns(tmp_path: Path) -> None:
    zero = ("<xyz>0 0 1</xyz>", "<xyz>0 0 0</xyz>")
    frame = joint("j3", "l3", "tip").replace(*zero)
    text = chain(model=f'<link name="tip"><pose>0.3 0 0 0 0 0</pose></link>{frame}')
    assert [len(body(described(tmp_path, text), name).joints) for name in ("l3", "tip")] == [1, 0]
    held = chain().replace(*zero, 1).replace("-1.2", "0", 1).replace("1.2", "0", 1)
    assert body(described(tmp_path, held), "l2").joints == ()
    with pytest.raises(RobotFileError, match="0 0 0"):
        imported(tmp_path, chain().replace(*zero, 1), "zero.sdf")
