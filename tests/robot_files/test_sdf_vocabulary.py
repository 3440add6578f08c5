"""The vocabulary of SDF: complete compared with the specification, and true compared with the reader."""

from __future__ import annotations

from pathlib import Path

import pytest

from snakestudio.robot_files import read_sdf
from snakestudio.robot_files.read import read_robot
from snakestudio.robot_files.sdf_vocabulary import VOCABULARY
from tests.robot_files.test_sdf import INERTIAL, chain, collision, joint, link
from tests.robot_files.vocabularies import recorded_reads, schema_of, undeclared, unread_attributes

SCHEMA = schema_of(Path(__file__).with_name("data") / "sdf_schema.txt")


def test_every_element_and_attribute_is_declared() -> None:
    count, missing = undeclared(SCHEMA, "sdf", VOCABULARY)
    assert count > 90
    assert missing == []


def test_every_rule_is_of_the_specification() -> None:
    """Only <frame placement_frame> is not, which a merge writes."""
    names = {element.tag for root in SCHEMA.values() for element in root.iter()}
    assert {key.rpartition(".")[2] for key in VOCABULARY} <= names


COMPLETE = """<sdf version="1.9"><world name="w"><physics default="1"><max_step_size>0.001</max_step_size></physics>
<frame name="f" attached_to="m"><pose degrees="true" relative_to="m">0 0 0 0 0 90</pose></frame>
<model name="m" canonical_link="a" placement_frame="p"><pose rotation_format="quat_xyzw">0 0 0 0 0 0 1</pose>
<frame name="p"><pose frame="__model__">0 0 0 0 0 0</pose></frame>
<include merge="true"><uri>part</uri></include>{links}</model></world></sdf>"""


def test_used_attributes_are_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    part = (
        '<sdf version="1.8"><model name="part" placement_frame="q"><frame name="q"/></model></sdf>'
    )
    (tmp_path / "part").mkdir()
    (tmp_path / "part" / "model.sdf").write_text(part)
    drawn = collision().replace("collision", "visual")
    drawn += collision(
        inside="<surface><friction><ode><fdir1>1 0 0</fdir1></ode></friction></surface>"
    )
    mimic = joint("j", "a", "b").replace("</axis>", '<mimic joint="k"/></axis>')
    links = link("a", inside='<inertial auto="1"/>' + collision() + drawn) + link("b", 0.1) + mimic
    links = links.replace("<xyz>", '<xyz expressed_in="a">')
    (tmp_path / "complete.sdf").write_text(COMPLETE.replace("{links}", links))
    with recorded_reads(monkeypatch, read_sdf) as reads:
        read_robot(tmp_path / "complete.sdf")
    assert unread_attributes(VOCABULARY, reads) == set()


@pytest.mark.parametrize(
    ("old", "new", "names"),
    [
        ("</link>", "<kinematic>true</kinematic></link>", "<kinematic>"),
        ("</link>", "<kinematic>false</kinematic></link>", ""),
        ("</link>", "<self_collide>1</self_collide></link>", "<self_collide>"),
        ("</link>", "<gravitas>1</gravitas></link>", "<gravitas>"),
        (
            "</link>",
            "<velocity_decay><linear>0.1</linear></velocity_decay></link>",
            "<velocity_decay>",
        ),
        ("</link>", "<velocity_decay><linear>0.0</linear></velocity_decay></link>", ""),
        ("</link>", '<sensor name="s" type="imu"/></link>', '<sensor name="s">'),
        (
            "</collision>",
            "<surface><bounce><threshold>1</threshold></bounce></surface></collision>",
            "",
        ),
        (
            "</collision>",
            "<surface><bounce><restitution_coefficient>0.5</restitution_coefficient></bounce></surface></collision>",
            "<bounce>",
        ),
        (
            "</collision>",
            "<surface><friction><ode><slip1>0.1</slip1></ode></friction></surface></collision>",
            "<slip1>",
        ),
        ("</limit>", "<stiffness>1e3</stiffness></limit>", "<stiffness>"),
        ("</limit>", "<stiffness>1e+08</stiffness></limit>", ""),
        (
            "</model>",
            '<plugin name="b" filename="gz-sim-buoyancy-system"/></model>',
            '<plugin name="b">',
        ),
        (
            "</model>",
            '<plugin name="gz::sim::systems::JointStatePublisher" filename="x"/></model>',
            "",
        ),
        ('<link name="l1">', '<link name="l1" colour="red">', 'colour="red"'),
    ],
)
def test_unread_elements_are_named(tmp_path: Path, old: str, new: str, names: str) -> None:
    (tmp_path / "robot.sdf").write_text(chain(INERTIAL + collision()).replace(old, new, 1))
    notes = [note for note in read_robot(tmp_path / "robot.sdf").notes if "Ignored" in note]
    assert len(notes) == (names != "")
    assert all(names in note for note in notes)
