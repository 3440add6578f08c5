"""Reader of robot files; the format is detected from the content."""

from __future__ import annotations

from pathlib import Path

from snakestudio.errors import RobotFileError
from snakestudio.inputs import ROBOT, InputError, read_bytes
from snakestudio.robot_files.description import RobotDescription
from snakestudio.robot_files.elements import parse_xml
from snakestudio.robot_files.read_mjcf import read_mjcf
from snakestudio.robot_files.read_sdf import read_sdf
from snakestudio.robot_files.read_urdf import read_urdf
from snakestudio.robot_files.reading import Reading
from snakestudio.robot_files.xacro import expanded
from snakestudio.text import sentences

_READERS = {"robot": read_urdf, "sdf": read_sdf, "gazebo": read_sdf, "mujoco": read_mjcf}


def refusal(path: Path, message: str, remedy: str) -> RobotFileError:
    """Error about a robot file, with the problem and the remedy."""
    return RobotFileError(f"{path}: {sentences(message, remedy)}")


def read_robot(path: Path) -> RobotDescription:
    """Read a URDF, xacro, SDF or MJCF file.

    Raises `RobotFileError` if it cannot be read; the message names file and element, and the
    remedy.
    """
    try:
        root = parse_xml(read_bytes(path, ROBOT), ROBOT)
        if root.tag == "robot" and any(element.tag.startswith("xacro:") for element in root.iter()):
            root = parse_xml(expanded(path), ROBOT)
        reader = _READERS.get(root.tag)
        if reader is None:
            raise InputError(
                f"its root element is <{root.tag}>",
                "choose a URDF (<robot>), SDF (<sdf>) or MJCF (<mujoco>) file",
            )
        return reader(root, Reading(path.parent))
    except InputError as error:
        raise refusal(path, error.message, error.remedy) from None
