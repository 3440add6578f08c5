"""Labels of objects and values of a scene, everywhere outside files and scripts: "Box 6: Height"."""

from __future__ import annotations

import re

from snakestudio.errors import SceneError
from snakestudio.model.edits import get_value
from snakestudio.model.fields import field_doc
from snakestudio.model.obstacles.shape import Obstacle, shape_of
from snakestudio.model.scene import Scene
from snakestudio.model.world import GroundPatch


def obstacle_title(obstacle: Obstacle, index: int) -> str:
    """Return the title of an obstacle: its name, or its kind and number."""
    return obstacle.name or f"{shape_of(obstacle).title} {index + 1}"


def obstacle_mention(obstacle: Obstacle, index: int) -> str:
    """Return the title of an obstacle for the middle of a sentence."""
    title = obstacle_title(obstacle, index)
    return title if obstacle.name else title.lower()


def patch_title(patch: GroundPatch, index: int) -> str:
    """Return the title of a patch of the ground: its name, or its number."""
    return patch.name or f"Patch {index + 1}"


def label_of(scene: Scene, key: str) -> str:
    """Return the label of the scene value at a dotted key, such as "Robot: Links"; obstacles by their title."""
    owner_part = re.fullmatch(r"(obstacles|ground\.patch)\[(\d+)\]", key)
    owner, _, name = key.rpartition(".")
    try:
        if owner_part:
            title = obstacle_title if owner_part[1] == "obstacles" else patch_title
            return title(get_value(scene, key), int(owner_part[2]) - 1)
        part = get_value(scene, owner) if owner else scene
        label = field_doc(type(part), name).label
        head = (
            label_of(scene, owner)
            if owner.startswith(("obstacles[", "ground.patch["))
            else _head(owner)
        )
    except (
        SceneError,
        KeyError,
        AttributeError,
    ):  # a key that no longer exists is shown unchanged
        return key
    return f"{head}: {label}" if head and head != label else label


def _head(owner: str) -> str:
    return owner.partition("[")[0].replace("_", " ").replace(".", " ").capitalize()
