"""Import of a robot file as values of a scene."""

from __future__ import annotations

from pathlib import Path

from snakestudio.errors import RobotFileError
from snakestudio.inputs import InputError
from snakestudio.robot_files.problems import problems_of
from snakestudio.robot_files.read import read_robot, refusal
from snakestudio.robot_files.to_scene import ImportedRobot, import_robot
from snakestudio.robot_files.tree import RADIUS


def load_robot(path: Path, *, radius: float | None = None) -> ImportedRobot:
    """Import the robot of a URDF, xacro, SDF or MJCF file.

    Raises `RobotFileError` if the file cannot be read, or a scene cannot represent its robot;
    the message names the file, and each element with its problem.

    Parameters
    ----------
    radius : float, optional
        Radius of links whose file has no geometry, m.
    """
    return RobotFile(path).imported(radius)


class RobotFile:
    """A URDF, xacro, SDF or MJCF file that was read.

    Raises `RobotFileError` if it cannot be read.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._description = read_robot(path)

    def imported(self, radius: float | None = None) -> ImportedRobot:
        """Return the robot as values of a scene.

        Raises `RobotFileError` if a scene cannot represent it.

        Parameters
        ----------
        radius : float, optional
            Radius of links whose file has no geometry, m.
        """
        problems = self._description.problems
        try:
            robot = import_robot(self._description, radius)
        except InputError as error:
            problems += problems_of(error)
        if problems:
            raise refusal(self._path, problems)
        return robot


def lacks_radius(error: RobotFileError) -> bool:
    """Return whether the only problem of a file is that the radius of links must be given."""
    return {problem.key for problem in error.problems} == {RADIUS}
