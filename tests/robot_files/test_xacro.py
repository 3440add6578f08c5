"""Raw xacro files, and the messages of the xacro package in plain words."""

from __future__ import annotations

from pathlib import Path

import pytest

from snakestudio.inputs import ROBOT
from snakestudio.robot_files.elements import parse_xml
from snakestudio.robot_files.xacro import _package, explained, is_xacro

MESSAGES = {
    "unknown macro name: xacro:module": '"module"',
    "name 'radius' is not defined when evaluating expression '2*radius'": '"radius"',
    "Undefined substitution argument length": "length:=VALUE",
    "Undefined parameters [b,c]": "b,c",
    'Invalid parameter "colour"': '"colour"',
    "No such file or directory: ./parts.xacro [Errno 2] No such file or directory: './parts.xacro'": (
        '"./parts.xacro"'
    ),
    "division by zero when evaluating expression '1/0'": "division by zero",
}
"""Messages of xacro 2.1.1, and what must be in ours."""


@pytest.mark.parametrize("reason", MESSAGES)
def test_messages_of_xacro_are_explained(reason: str) -> None:
    error = explained(reason)
    assert MESSAGES[reason] in str(error)
    assert error.remedy


def test_missing_package_is_named(tmp_path: Path) -> None:
    with pytest.raises(Exception, match="arm_description") as caught:
        _package("arm_description", tmp_path / "snake.xacro")
    error = explained(f"{type(caught.value)}: {caught.value} {caught.value}")
    assert '"arm_description"' in error.message


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('<robot xmlns:xacro="x"><xacro:arg name="a"/></robot>', True),
        ('<robot><link name="${name}"/></robot>', True),
        ('<sdf><model name="$(arg name)"/></sdf>', True),
        ('<robot xmlns:xacro="x"><link name="a"/></robot>', False),
    ],
)
def test_files_with_expressions_are_xacro(text: str, expected: bool) -> None:
    assert is_xacro(parse_xml(text.encode(), ROBOT)) == expected
