"""State of reading an MJCF file."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import PurePosixPath

from snakestudio.robot_files.description import (
    Placement,
)
from snakestudio.robot_files.elements import Element
from snakestudio.robot_files.mjcf_text import (
    Compiler,
)
from snakestudio.robot_files.reading import Reading


@dataclass(slots=True)
class MjcfFile:
    """State of reading an MJCF file."""

    root: Element
    reading: Reading
    compiler: Compiler
    outer: dict[int, Placement]
    """Poses of the <frame> elements around an element, by its `id`."""

    meshes: dict[str, Element]
    fields: dict[str, Element]
    references: dict[str, float] = field(default_factory=dict)
    """`ref` of hinges by name, rad."""

    def placement(self, element: Element) -> Placement:
        """Pose of an element in its body."""
        return self.frame(element).then(self.compiler.placement(element, self.reading))

    def frame(self, element: Element) -> Placement:
        """Pose of the frames around an element in its body."""
        return self.outer.get(id(element), Placement())


def asset_name(element: Element) -> str:
    """Name of an asset; that of its file if it has none."""
    return element.get("name") or PurePosixPath(element.get("file")).stem
