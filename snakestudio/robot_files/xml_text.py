"""Shared parts of the writers of robot files: numbers with all digits, rotations, and files with their notes."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from xml.etree import ElementTree
from xml.etree.ElementTree import Element, SubElement

import numpy as np

from snakestudio._arrays import FloatArray
from snakestudio._version import __version__
from snakestudio.robot_files.description import Placement

_NOT_IN_XML = re.compile("[^\\t\\n\\r\\x20-\\ud7ff\\ue000-\\ufffd\\U00010000-\\U0010ffff]")

_UPRIGHT = 1e-12
"""Horizontal part of an axis up to which it counts as vertical, where roll and yaw are
the same angle."""


def numbers(*values: float) -> str:
    """Return the numbers as text that is read back as exactly the same values."""
    return " ".join(repr(float(value) + 0.0) for value in values)  # -0.0 + 0.0 is 0.0


def rpy(rotation: FloatArray) -> tuple[float, float, float]:
    """Return the roll, pitch and yaw about fixed axes, rad, of a rotation (3, 3): R_z(yaw) R_y(pitch) R_x(roll).

    They are accurate up to rounding for any rotation; for vertical axes, the yaw is 0.
    """
    r = rotation
    level = math.hypot(r[0, 0], r[1, 0])
    pitch = math.atan2(-r[2, 0], level)
    if level < _UPRIGHT:
        return math.atan2(-r[1, 2], r[1, 1]), pitch, 0.0
    return math.atan2(r[2, 1], r[2, 2]), pitch, math.atan2(r[1, 0], r[0, 0])


def pose_text(placement: Placement) -> str:
    """Return the position and roll, pitch, yaw in the form of SDF."""
    return numbers(*placement.position, *rpy(placement.rotation))


def moment_texts(inertia: FloatArray) -> dict[str, str]:
    """Return the moments and products of inertia by their names in URDF and SDF."""
    places = {
        "ixx": (0, 0),
        "ixy": (0, 1),
        "ixz": (0, 2),
        "iyy": (1, 1),
        "iyz": (1, 2),
        "izz": (2, 2),
    }
    return {name: numbers(inertia[entry]) for name, entry in places.items()}


def add(parent: Element, tag: str, text: str = "", **attributes: str) -> Element:
    """Add an element, with text if given."""
    child = SubElement(parent, tag, attributes)
    if text:
        child.text = text
    return child


def document(root: Element, title: str, notes: Iterable[str]) -> str:
    """Return the text of a file, with its notes in a comment at the top."""
    lines = [f"{title}, written by SnakeStudio {__version__}."]
    lines += ["Omissions and differences:", *(f"- {note}" for note in notes)]
    comment = _NOT_IN_XML.sub("", "\n".join(f"  {line}" for line in lines)).replace("--", "- -")
    ElementTree.indent(root)
    body = ElementTree.tostring(root, encoding="unicode")
    return f'<?xml version="1.0" encoding="UTF-8"?>\n<!--\n{comment}\n-->\n{body}\n'


def diagonal(inertia: FloatArray) -> bool:
    """Return whether an inertia (3, 3) has no products."""
    return not (inertia - np.diag(np.diag(inertia))).any()
