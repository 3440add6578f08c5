"""State of reading an MJCF file, shared by the readers of its parts."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import PurePosixPath

import numpy as np

from snakestudio.robot_files.description import Placement
from snakestudio.robot_files.elements import Element, vector_of
from snakestudio.robot_files.mjcf_contacts import Contacts
from snakestudio.robot_files.mjcf_text import Compiler, DefaultClasses
from snakestudio.robot_files.notes import Notes
from snakestudio.robot_files.reading import Reading


@dataclass(slots=True)
class MjcfFile:
    """State of reading an MJCF file."""

    root: Element
    reading: Reading
    compiler: Compiler
    classes: DefaultClasses
    flags: Element
    """Attributes of all <flag> elements."""

    contacts: Contacts
    outer: dict[int, Placement]
    """Poses of the <frame> elements around an element, by its `id`."""

    meshes: dict[str, Element]
    fields: dict[str, Element]
    notes: Notes = field(default_factory=Notes)
    """Notes on single elements, which are grouped."""

    references: dict[str, float] = field(default_factory=dict)
    """`ref` of hinges by name, rad."""

    def placement(self, element: Element) -> Placement:
        """Return the pose of an element in its body."""
        return self.frame(element).then(self.compiler.placement(element, self.reading))

    def frame(self, element: Element) -> Placement:
        """Return the pose of the frames around an element in its body."""
        return self.outer.get(id(element), Placement())

    def flag(self, name: str) -> bool:
        """Return whether a part of the physics is enabled, as all parts are without a flag."""
        return enabled(self.flags, name)

    def limits(self, element: Element, key: str, limited: str) -> tuple[float, float] | None:
        """Return two limits; None if they do not count.

        Without "true" or "false" in the attribute `limited`, they count if the first one is smaller.
        """
        switch = element.get(limited, "auto")
        if not element.get(key) or switch == "false":
            return None
        low, high = (float(v) for v in vector_of(element.get(key), 2, f"{element.location} {key}"))
        if switch != "true" and not (self.compiler.auto_limits and low < high):
            return None
        return low, high

    def largest(self, element: Element, key: str, limited: str, name: str) -> float | None:
        """Return the larger of two limits of a joint or actuator, without sign; None if they do not count."""
        span = self.limits(element, key, limited)
        if span is None:
            return None
        if not np.isclose(-span[0], span[1]):
            self.notes.add(
                name,
                f"its {key} of {span[0]:g} and {span[1]:g} differ; the larger one is used in both directions",
                f"asymmetric {key}",
            )
        return max(abs(span[0]), abs(span[1]))


def enabled(flags: Element, name: str) -> bool:
    """Return whether a flag is not "disable"; old files disable springs and dampers by `passive`."""
    if name in ("spring", "damper") and flags.get("passive") == "disable":
        return False
    return flags.get(name, "enable") != "disable"


def asset_name(element: Element) -> str:
    """Return the name of an asset; that of its file if it has none."""
    return element.get("name") or PurePosixPath(element.get("file")).stem
