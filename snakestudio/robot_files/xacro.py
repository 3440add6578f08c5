"""Expansion of xacro files by the xacro package, if installed."""

from __future__ import annotations

import codecs
import importlib.util
import os
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType

from snakestudio.inputs import ROBOT, InputError, read_bytes, utf8_xml
from snakestudio.robot_files.elements import Element, parse_xml

_UPWARDS = 6

_REASONS = (
    (
        r"unknown macro name: (?:xacro:)?(\S+)",
        'the macro "{}" is not defined',
        "include the file that defines it",
    ),
    (
        r"name '(\w+)' is not defined",
        'the property "{}" is not defined',
        "define it with <xacro:property>, or include the file that does",
    ),
    (
        r"Undefined substitution argument (\S+)",
        'the argument "{}" has no value',
        "give it a default in <xacro:arg>, or expand the file with a value: xacro FILE {}:=VALUE > NAME.urdf",
    ),
    (
        r"Undefined parameters \[([^\]]*)\]",
        "a macro is called without its parameters {}",
        "give them values in the call",
    ),
    (
        r'Invalid parameter "([^"]+)"',
        'a macro is called with "{}", which is not one of its parameters',
        "remove it from the call",
    ),
    (
        r'no package "([^"]+)"',
        'there is no package "{}" near the file',
        "put its folder next to that of the file, or expand the file with ROS",
    ),
    (
        r"such file or \w+: '?([^' ]+)",
        'the included file "{}" does not exist',
        "add it, or correct its name",
    ),
)
"""Messages of xacro 1.14 to 2.1, what they mean, and what helps."""


def expanded(path: Path) -> bytes:
    """Expand a xacro file to URDF with the default values of its arguments.

    Raises `InputError` if the package is not installed, or cannot expand the file.
    """
    if importlib.util.find_spec("xacro") is None:
        name = path.name.removesuffix(".xacro").removesuffix(".urdf")
        raise InputError(
            "this is a xacro file, but the xacro package is not installed",
            f"run pip install xacro, or expand the file where ROS is installed: xacro {path.name} > {name}.urdf",
        )
    data = read_bytes(path, ROBOT)
    if utf8_xml(data) != data.removeprefix(codecs.BOM_UTF8):
        raise InputError("the xacro package reads UTF-8 only", "save the file as UTF-8")
    import xacro  # type: ignore[import-not-found, unused-ignore]

    try:
        with _packages_near(path):
            return bytes(xacro.process_file(str(path)).toxml("utf-8"))
    except Exception as error:  # expressions in the file may raise anything
        raise explained(str(error) or type(error).__name__) from None


def is_xacro(root: Element) -> bool:
    """Return whether a file has macros or expressions of xacro."""
    return any(
        element.tag.startswith("xacro:")
        or any("${" in value or "$(" in value for value in element.attributes.values())
        for element in root.iter()
    )


def explained(reason: str) -> InputError:
    """Return the error for a message of the xacro package."""
    text = " ".join(reason.split())
    for pattern, message, remedy in _REASONS:
        match = re.search(pattern, text)
        if match is not None:
            return InputError(message.format(match[1]), remedy.format(match[1]))
    return InputError(
        f"the xacro package cannot expand it ({text[:200]})",
        "correct the file, or expand it with ROS",
    )


@contextmanager
def _packages_near(path: Path) -> Iterator[None]:
    """Let ``$(find NAME)`` find packages around the file: xacro uses a ROS package for this."""
    finder = ModuleType("ament_index_python.packages")
    finder.get_package_share_directory = lambda name: str(_package(name, path))  # type: ignore[attr-defined]
    ours = {
        "ament_index_python": ModuleType("ament_index_python"),
        "ament_index_python.packages": finder,
    }
    usual = {name: sys.modules.get(name) for name in ours}
    sys.modules.update(ours)
    try:
        yield
    finally:
        for name, module in usual.items():
            if module is None:
                del sys.modules[name]
            else:
                sys.modules[name] = module


def _package(name: str, path: Path) -> Path:
    """Return the folder of a package that contains the file, or is next to it."""
    for folder in list(path.resolve().parents)[:_UPWARDS]:
        if folder.name == name or _name_of(folder) == name:
            return folder
        if os.path.isdir(folder / name):
            return folder / name
    raise InputError(f'there is no package "{name}" near the file', "add it")


def _name_of(folder: Path) -> str:
    """Return the name in the package.xml of a folder; "" if it has none."""
    try:
        return parse_xml(read_bytes(folder / "package.xml", ROBOT), ROBOT).text_of("name")
    except InputError:
        return ""
