"""Includes, replicas, frames, constraints and keyframes of MJCF files."""

from __future__ import annotations

from pathlib import Path

import mujoco
import numpy as np
import pytest

from snakestudio.errors import RobotFileError
from snakestudio.model.rotations import matrices
from snakestudio.robot_files.importing import load_robot
from snakestudio.robot_files.read import read_robot
from tests.robot_files.mjcf_files import FLOOR, chain


def written(text: str, folder: Path) -> Path:
    path = folder / "robot.xml"
    path.write_text(text)
    return path


@pytest.mark.parametrize(
    "attributes",
    [
        'count="3" offset="0.1 0 0.2" euler="0 0 30"',
        'count="12" offset="0 0.3 0" sep="-"',
        'count="2" euler="30 0 40"',
        'count="1"',
    ],
)
def test_replicas_are_placed_as_in_mujoco(attributes: str, tmp_path: Path) -> None:
    posts = (
        f'<replicate {attributes}><geom name="g" size="0.1" pos="3 0 0"/>'
        '<body pos="4 0 0"><geom name="h" type="box" size="0.1 0.2 0.3" euler="10 20 30"/></body>'
        '<replicate count="2" offset="0 0 1"><geom name="i" size="0.1"/></replicate></replicate>'
    )
    path = written(chain(floor=FLOOR + posts), tmp_path)
    model = mujoco.MjModel.from_xml_path(str(path))
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    world = {shape.name: shape for shape in read_robot(path).world}
    names = {
        model.geom(k).name for k in range(model.ngeom) if model.geom_bodyid[k] < model.body("b1").id
    }
    names |= {name for name in world if name}
    assert len(world) == len(names) > 3
    for name in names:
        np.testing.assert_allclose(world[name].placement.position, data.geom(name).xpos, atol=1e-12)
        np.testing.assert_allclose(
            world[name].placement.rotation, data.geom(name).xmat.reshape(3, 3), atol=1e-12
        )


@pytest.mark.parametrize(
    ("inside", "tag"),
    [
        ('<replicate count="2"><body><joint/><geom size="0.1"/></body></replicate>', "replicate"),
        ('<replicate count="1000000"><geom size="0.1"/></replicate>', "replicate"),
        ('<body><attach model="m" body="b" prefix="p"/></body>', "attach"),
        ('<body><composite type="cable"/></body>', "composite"),
        ('<frame><flexcomp name="f" type="grid"/></frame>', "flexcomp"),
    ],
)
def test_structures_that_are_not_read_are_refused_by_name(
    inside: str, tag: str, tmp_path: Path
) -> None:
    with pytest.raises(RobotFileError, match=f"<{tag}>"):
        load_robot(written(chain(floor=FLOOR + inside), tmp_path))


def test_notes_on_included_files_name_them(tmp_path: Path) -> None:
    (tmp_path / "motors.xml").write_text(
        '<mujocoinclude><actuator>\n<motor joint="j1" boost="2"/></actuator></mujocoinclude>'
    )
    path = written(chain(tail='<include file="motors.xml"/>'), tmp_path)
    (note,) = [note for note in read_robot(path).notes if "boost" in note]
    assert 'boost="2" of <motor> (motors.xml, line 2)' in note


def test_disabled_equality_constraints_do_not_matter(tmp_path: Path) -> None:
    weld = '<equality><weld body1="b1" body2="b3"/></equality>'
    with pytest.raises(RobotFileError, match="weld"):
        load_robot(written(chain(tail=weld), tmp_path))
    inactive = weld.replace("<weld", '<weld active="false"')
    assert len(load_robot(written(chain(tail=inactive), tmp_path)).links) == 4
    option = '<option><flag equality="disable"/></option>'
    assert len(load_robot(written(chain(head=option, tail=weld), tmp_path)).links) == 4


def test_keyframe_counts_joints_in_frames(tmp_path: Path) -> None:
    text = chain(
        base="<frame><freejoint/></frame>",
        tail='<keyframe><key qpos="1 2 3 1 0 0 0 0.1 0.2 0.3" qvel="0 0 0 0 0 0 0 -0.0 0 0"/></keyframe>',
    ).replace('<joint name="j2" axis="0 0 1" />', '<frame><joint name="j2" axis="0 0 1"/></frame>')
    path = written(text, tmp_path)
    robot = read_robot(path)
    assert [j.start for body in robot.bodies for j in body.joints] == [0.0, 0.1, 0.2, 0.3]
    assert not any("qvel" in note for note in robot.notes)
    moving = written(text.replace("-0.0 0 0", "-0.5 0 0"), tmp_path)
    assert any("qvel" in note for note in read_robot(moving).notes)


def test_motions_of_everything_that_is_ignored_are_named(tmp_path: Path) -> None:
    head = (
        '<option density="1000" wind="1 0 0"/><size nconmax="9"/><statistic extent="1"/><visual><map znear="1"/>'
        '</visual><custom><numeric name="n" data="1"/></custom><default><geom solref="0.01 1"/></default>'
    )
    tail = (
        '<tendon><fixed name="t"><joint joint="j1" coef="1"/></fixed></tendon>'
        '<sensor><jointpos joint="j1"/><gyro site="s"/></sensor>'
    )
    extra = '<site name="s"/><light/><camera name="eye"/>'
    robot = chain(head=head, tail=tail, joint='margin="0.1"').replace(
        "<freejoint/>", f"<freejoint/>{extra}"
    )
    path = written(robot, tmp_path)
    mujoco.MjModel.from_xml_path(str(path))
    notes = " ".join(read_robot(path).notes)
    for text in ("density", "wind", "solref", "<fixed", "<jointpos", "<gyro", "eye", "margin"):
        assert text in notes
    for text in ("nconmax", "statistic", "visual", "custom", "site", "light"):
        assert text not in notes
    assert 'solref="0.01 1" of 5 <geom> elements' in notes


def test_rotation_of_frames_applies_to_inertials(tmp_path: Path) -> None:
    inertial = '<inertial pos="0.05 0 0" mass="0.1" diaginertia="1e-5 2e-5 3e-5"/>'
    text = chain(inertial=f'<frame pos="0 0.01 0" euler="0 0 90">{inertial}</frame>')
    path = written(text, tmp_path)
    model = mujoco.MjModel.from_xml_path(str(path))
    own = read_robot(path).bodies[1].inertial
    compiled = model.body("b2")
    assert own is not None
    turn = matrices(compiled.iquat[None])[0]
    np.testing.assert_allclose(own.inertia, turn @ np.diag(compiled.inertia) @ turn.T, atol=1e-12)
