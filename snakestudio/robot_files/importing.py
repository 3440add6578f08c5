"""Import of a robot file as values of a scene."""

from __future__ import annotations

from pathlib import Path

from snakestudio.inputs import InputError
from snakestudio.robot_files.problems import problems_of
from snakestudio.robot_files.read import read_robot, refusal
from snakestudio.robot_files.to_scene import ImportedRobot, import_robot


def load_robot(path: Path) -> ImportedRobot:
    """Import the robot of a URDF, xacro, SDF or MJCF file.

    Raises `RobotFileError` if the file cannot be read, or a scene cannot represent its robot;
    the message names the file, and each element with its problem.
    """
    description = read_robot(path)
    problems = description.problems
    try:
        robot = import_robot(description)
    except InputError as error:
        problems += problems_of(error)
    if problems:
        raise refusal(path, problems)
    return robot
