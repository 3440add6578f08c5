"""The vocabulary of URDF: complete compared with its schema and extensions, and true compared with the reader."""

from __future__ import annotations

from pathlib import Path

import pytest

from snakestudio.robot_files import read_urdf
from snakestudio.robot_files.read import read_robot
from snakestudio.robot_files.urdf_vocabulary import VOCABULARY
from tests.robot_files.robots import urdf_joint, urdf_link
from tests.robot_files.test_urdf import LINKS, urdf
from tests.robot_files.vocabularies import recorded_reads, schema_of, undeclared, unread_attributes

SCHEMA = schema_of(Path(__file__).with_name("data") / "urdf_schema.txt")


def test_every_element_and_attribute_is_declared() -> None:
    count, missing = undeclared(SCHEMA, "robot", VOCABULARY)
    assert count > 50
    assert missing == []


VALUES = "".join(
    f'<{tag} value="0.1"/>'
    for tag in (
        "mu",
        "mu1",
        "mu2",
        "gravity",
        "turnGravityOff",
        "springStiffness",
        "springReference",
    )
)
SHAPES = "".join(
    f'<collision name="{shape.split()[0]}"><origin quat_xyzw="0 0 0 1"/><geometry><{shape}/></geometry></collision>'
    for shape in (
        'box size="1 1 1"',
        'sphere radius="1"',
        'capsule radius="1" length="1"',
        'mesh filename="x.stl" scale="1 1 1"',
    )
)
PYBULLET = "".join(f'<{name}_friction value="0.5"/>' for name in ("lateral", "rolling", "spinning"))
DRAKE = '<drake:proximity_properties><drake:mu_{} value="0.4"/></drake:proximity_properties></collision>'


def test_used_attributes_are_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    drawn = SHAPES.replace("collision", "visual")
    links = urdf_link("a", extra=f"<contact>{PYBULLET}</contact>{SHAPES}{drawn}") + urdf_link("b")
    joint = urdf_joint("j", "a", "b", "0.1 0 0").replace(
        "</joint>", '<dynamics/><mimic joint="x"/></joint>'
    )
    gazebo = f'<gazebo reference="j">{VALUES}</gazebo><gazebo reference="a">{VALUES}<fdir1 value="1 0 0"/></gazebo>'
    robot = '<gazebo><static value="1"/></gazebo><transmission><joint name="j"/></transmission>'
    control = '<ros2_control><joint name="j"/></ros2_control>'
    static, dynamic = (
        urdf(links=LINKS.replace("</collision>", DRAKE.format(name), 1), joints="")
        for name in ("static", "dynamic")
    )
    files = [urdf(gazebo + robot + control, links, joint), static, dynamic]
    with recorded_reads(monkeypatch, read_urdf) as reads:
        for text in files:
            (tmp_path / "robot.urdf").write_text(text)
            read_robot(tmp_path / "robot.urdf")
    assert unread_attributes(VOCABULARY, reads) == set()


@pytest.mark.parametrize(
    ("inside", "names"),
    [
        ('<gazebo reference="a"><kp>1e6</kp></gazebo>', "<kp>"),
        ('<gazebo reference="a"><selfCollide>true</selfCollide></gazebo>', "<selfCollide>"),
        ('<gazebo reference="a"><selfCollide>false</selfCollide></gazebo>', ""),
        ('<gazebo reference="a"><dampingFactor value="0.1"/></gazebo>', "<dampingFactor>"),
        ('<gazebo reference="a"><dampingFactor>0.0</dampingFactor></gazebo>', ""),
        ('<gazebo><plugin name="control" filename="libgazebo_ros_control.so"/></gazebo>', ""),
        ('<gazebo><plugin name="wind" filename="libwind.so"/></gazebo>', '"wind"'),
        ('<gazebo reference="j1"><sensor name="force" type="x"/></gazebo>', '"force"'),
        ('<gazebo reference="a"><gravitas>1</gravitas></gazebo>', "<gravitas>"),
        ('<origin xyz="0 0 1"/>', "<origin>"),
        ('<material name="red"><color rgba="1 0 0 1"/></material>', ""),
        (
            '<transmission name="t"><actuator name="m"><mechanicalReduction>50</mechanicalReduction></actuator>'
            "</transmission>",
            "<mechanicalReduction>",
        ),
    ],
)
def test_unread_elements_are_named(tmp_path: Path, inside: str, names: str) -> None:
    (tmp_path / "robot.urdf").write_text(urdf(inside))
    notes = [note for note in read_robot(tmp_path / "robot.urdf").notes if "Ignored" in note]
    assert len(notes) == (names != "")
    assert all(names in note for note in notes)
