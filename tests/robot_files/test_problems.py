"""Problems of a robot file are reported together."""

from __future__ import annotations

from pathlib import Path

import pytest

from snakestudio.errors import RobotFileError
from snakestudio.inputs import InputError
from snakestudio.robot_files.problems import Problems, ProblemsError, problems_of
from snakestudio.robot_files.read import refusal


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
