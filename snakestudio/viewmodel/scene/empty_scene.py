"""Scene of *File > New*: a robot on an open floor, with its head towards +x."""

from __future__ import annotations

from snakestudio.model.edits import with_value
from snakestudio.model.scene import Scene


def empty_scene() -> Scene:
    """Return a new scene; the default start of a file has the head, link 1, towards -x."""
    return with_value(Scene(), "start.heading_deg", 180.0)
