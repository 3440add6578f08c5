"""Problems of a robot file are reported together."""

from __future__ import annotations

from pathlib import Path

import pytest

from snakestudio.errors import RobotFileError
from snakestudio.inputs import InputError
from snakestudio.robot_files.problems import Problems, ProblemsError, problems_of
from snakestudio.robot_files.read import read_robot, refusal
from tests.robot_files.robots import imported, mjcf_chain


def test_problems_are_collected_once_and_in_order() -> None:
    problems = Problems()
    problems.check()
    for name in ("a", "b", "a"):
        problems.add(f'joint "{name}" mimics another joint', "remove <mimic>")
    assert problems.complete
    with problems.collected():
        raise InputError("negative mass", "correct it")
    with problems.collected():
        raise ProblemsError(problems.all()[:1])
    assert not problems.complete
    with pytest.raises(ProblemsError) as caught:
        problems.check()
    assert [problem.message for problem in problems_of(caught.value)] == [
        'joint "a" mimics another joint',
        'joint "b" mimics another joint',
        "negative mass",
    ]


def test_error_lists_each_problem_with_the_file(tmp_path: Path) -> None:
    problems = Problems()
    for number in range(60):
        problems.add(f'joint "{number}" slides', "make it fixed")
    error = refusal(tmp_path / "snake.urdf", problems.all())
    assert isinstance(error, RobotFileError)
    lines = str(error).splitlines()
    assert len(lines) == 51
    assert lines[0] == f'{tmp_path}/snake.urdf: Joint "0" slides. Make it fixed.'
    assert lines[-1] == f"{tmp_path}/snake.urdf: There are 10 more problems. Fix these first."


BAD_MJCF = """<mujoco><compiler angle="radian"/><worldbody>
<body name="a"><freejoint/><geom type="capsule" size="0.02" fromto="0 0 0 0 0 0"/>
  <body name="b" pos="0.1 0"><joint name="j1" axis="0 0 0"/><geom type="capsule" size="0.02 x"/>
    <body name="c" pos="0.1 0 0"><joint name="j2" range="1 -1" limited="true"/><geom type="cone" size="0.1"/>
      <inertial pos="0 0 0" mass="-1" diaginertia="1 1 1"/></body></body></body>
<body><composite type="cable"/></body></worldbody>
<actuator><position joint="j1" kp="k"/></actuator>
<equality><weld body1="a" body2="b"/></equality></mujoco>"""


def test_all_problems_of_an_mjcf_file_are_listed(tmp_path: Path) -> None:
    (tmp_path / "bad.xml").write_text(BAD_MJCF)
    with pytest.raises(RobotFileError) as caught:
        read_robot(tmp_path / "bad.xml")
    messages = [problem.message for problem in caught.value.problems]
    names = ("fromto", "> pos", '"j1"', '"0.02 x"', '"j2"', '"cone"', "-1 kg", "composite", '"k"')
    for name in (*names, "weld"):
        assert sum(name in message for message in messages) == 1, name
    assert len(messages) == len(names) + 1


def test_links_of_size_0_are_a_problem(tmp_path: Path) -> None:
    text = mjcf_chain(["0 0 1", "0 0 1"]).replace('size="0.03"', 'size="0" condim="6"')
    assert text.count("condim") == 3
    with pytest.raises(RobotFileError):
        imported(tmp_path, text, "flat.xml")
