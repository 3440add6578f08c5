"""Reader of robot files; the format is detected from the content."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from snakestudio.errors import Problem, RobotFileError
from snakestudio.inputs import ROBOT, InputError, read_bytes
from snakestudio.robot_files.description import RobotDescription
from snakestudio.robot_files.elements import parse_xml
from snakestudio.robot_files.read_mjcf import read_mjcf
from snakestudio.robot_files.read_sdf import read_sdf
from snakestudio.robot_files.read_urdf import read_urdf
from snakestudio.robot_files.reading import Reading
from snakestudio.robot_files.xacro import expanded, is_xacro

_READERS = {"robot": read_urdf, "sdf": read_sdf, "gazebo": read_sdf, "mujoco": read_mjcf}


_MOST_PROBLEMS = 50
"""Number of problems that an error lists."""


def refusal(path: Path, problems: Sequence[Problem]) -> RobotFileError:
    """Return the error that lists the problems of a robot file, one per line."""
    listed = list(problems[:_MOST_PROBLEMS])
    if len(problems) > len(listed):
        more = f"there are {len(problems) - len(listed)} more problems"
        listed.append(Problem("error", "", more, "fix these first"))
    return RobotFileError.of(listed, path)


def read_robot(path: Path) -> RobotDescription:
    """Read a URDF, xacro, SDF or MJCF file.

    Raises `RobotFileError` if it cannot be read; the message names the file, and each element with its
    problem and the remedy. Features that a scene cannot represent are `problems` of the description.
    """
    reading = Reading(path.parent)
    with reading.problems.collected():
        root = parse_xml(read_bytes(path, ROBOT), ROBOT)
        if is_xacro(root):
            root = parse_xml(expanded(path), ROBOT)
        reader = _READERS.get(root.tag)
        if reader is None:
            raise InputError(
                f"its root element is <{root.tag}>",
                "choose a URDF (<robot>), SDF (<sdf>) or MJCF (<mujoco>) file",
            )
        description = reader(root, reading)
    problems = reading.problems.all()
    if not reading.problems.complete or (problems and not _turns(description)):
        raise refusal(path, problems)
    return replace(description, problems=problems)


def _turns(description: RobotDescription) -> bool:
    return any(
        joint.kind in ("hinge", "ball") for body in description.bodies for joint in body.joints
    )
