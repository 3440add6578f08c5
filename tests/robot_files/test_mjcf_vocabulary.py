"""The vocabulary of MJCF: complete compared with the schema of MuJoCo, and true compared with the reader."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import mujoco
import pytest

from snakestudio.errors import RobotFileError
from snakestudio.robot_files import read_mjcf
from snakestudio.robot_files.mjcf_vocabulary import VOCABULARY
from snakestudio.robot_files.read import read_robot
from snakestudio.robot_files.vocabulary import ANY, USED, rule_of
from tests.robot_files.vocabularies import recorded_reads, unread_attributes

SCHEMA = Path(__file__).with_name("mjcf_schema.txt").read_text(encoding="utf-8").splitlines()[1:]


def schema() -> Iterator[tuple[tuple[str, ...], set[str]]]:
    """Path of each element in the schema, and its attributes."""
    path: list[str] = []
    names: set[str] = set()
    for line in SCHEMA:
        element = re.match(r"( *)(\S+) \(.\) *(.*)", line)
        if element is None:
            names.update(line.split())
            continue
        if path:
            yield tuple(path), names
        depth = len(element[1]) // 3
        path = [*path[:depth], element[2].replace("(world)body", "body")]
        names = set(element[3].split())
    yield tuple(path), names


def test_stored_schema_is_that_of_mujoco() -> None:
    text = mujoco.mj_printSchema(False, False)
    assert [line.rstrip() for line in text.strip().splitlines()] == SCHEMA


def test_every_element_and_attribute_is_declared() -> None:
    missing = []
    elements = 0
    for path, attributes in schema():
        elements += 1
        own = rule_of(VOCABULARY, "", path[0])
        if path[1:2] == ("body",):
            path = (path[0], "worldbody", *path[1:])
        for parent, tag in pairwise(path):
            treatment = own.children.get(tag) or own.children.get(ANY)
            if treatment is None:
                missing.append(f"<{tag}> in <{parent}>")
            if treatment is not USED:
                break
            own = rule_of(VOCABULARY, parent, tag)
        else:
            known = own.attributes
            missing += [f"{name} of {'/'.join(path)}" for name in attributes if name not in known]
    assert elements > 150
    assert missing == []


COMPLETE = """<mujoco model="complete">
<compiler angle="radian" autolimits="true"/>
<option gravity="0 0 -9.8" timestep="0.001"><flag override="enable"/></option>
<default><joint damping="0.1"/><default class="own"><geom density="500"/></default></default>
<asset>
  <mesh name="m" file="missing.stl"/>
  <mesh name="n" vertex="0 0 0 1 0 0 0 1 0 0 0 1" face="0 2 1 0 1 3 1 2 3 0 3 2"/>
  <hfield name="h" nrow="2" ncol="2" size="1 1 0.1 0.1" elevation="0 0 0 1"/>
</asset>
<worldbody>
  <geom name="floor" type="plane" size="5 5 0.1"/>
  <geom type="hfield" hfield="h"/>
  <body name="a" childclass="own"><freejoint name="base"/>
    <geom name="shape" type="capsule" fromto="0 0 0 0.1 0 0" size="0.02"/>
    <geom type="mesh" mesh="m" mass="0.1"/><geom type="mesh" mesh="n"/><geom type="box" mesh="n"/>
    <body name="b" pos="0.1 0 0"><joint name="j1" springdamper="1 1" actuatorfrcrange="-1 1"/><frame/>
      <inertial pos="0 0 0" mass="0.1" diaginertia="1e-4 1e-4 1e-4"/>
      <body name="c" pos="0.1 0 0"><joint name="j2" class="own" range="-1 1"/><geom size="0.02" contype="0"/></body>
    </body>
  </body>
</worldbody>
<contact><pair geom1="floor" geom2="shape"/></contact>
<actuator>ACTUATORS</actuator>
<contact><exclude body1="world" body2="b"/></contact>
<keyframe><key name="home" qpos="0 0 0 1 0 0 0 0 0"/><key name="other"/></keyframe>
</mujoco>""".replace(
    "ACTUATORS",
    "".join(
        f'<{tag} {joint} forcerange="-1 1" ctrlrange="-1 1"/>'
        for tag in VOCABULARY["actuator"].children
        for joint in ('joint="j1"', 'jointinparent="j2"')
    ),
)

EQUALITIES = ("connect", "weld", "joint", "tendon", "flex", "flexvert", "flexstrain", "distance")


def test_used_attributes_are_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "complete.xml"
    with recorded_reads(monkeypatch, read_mjcf) as reads:
        path.write_text(COMPLETE)
        read_robot(path)
        for tag in EQUALITIES:
            path.write_text(f"<mujoco><equality><{tag}/></equality></mujoco>")
            with pytest.raises(RobotFileError, match=tag):
                read_robot(path)
    assert unread_attributes(VOCABULARY, reads) == set()
