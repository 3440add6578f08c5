"""The entries of the scene tree: their numbers in the model, what stands under what, and what can be done with them."""

from __future__ import annotations

from PySide6.QtCore import Qt

from snakestudio.viewmodel.scene.items import Item
from snakestudio.viewmodel.scene.scene_texts import Part

__all__ = [
    "ABOVE_CHAIN",
    "ABOVE_CONTINUUM",
    "BEAM",
    "CHAIN",
    "CONTINUUM",
    "FLAGS_OF",
    "GROUP",
    "IN_LIST",
    "ITEMS",
    "LEAF",
    "LINK",
    "LINKS",
    "NAMED_GROUP",
    "NAMED_OBSTACLE",
    "OBSTACLE",
    "OBSTACLES",
    "OBSTACLE_LEAF",
    "PARTS",
    "ROBOT",
    "SELECTABLE",
    "WORLD",
]

# Internal ids: small ones for what there is one of, then a range for each list.
ROBOT, LINKS, START, WORLD, GROUND, PATH, OBSTACLES, RUN, BEAM, STRAIN, SUPPORT = range(1, 12)
CHAIN = {
    0: (ROBOT, WORLD, RUN),
    ROBOT: (LINKS, START),
    WORLD: (GROUND, PATH, OBSTACLES),
}
CONTINUUM = {
    0: (BEAM, WORLD, RUN),
    BEAM: (LINKS, STRAIN, SUPPORT, START),
    WORLD: (GROUND,),
}
"""What stands under what, by whether the robot has links or is a continuous body."""

ABOVE_CHAIN, ABOVE_CONTINUUM = (
    {entry: above for above, below in part.items() for entry in below} for part in (CHAIN, CONTINUUM)
)
LINK, OBSTACLE, GROUP = 1 << 20, 1 << 24, 1 << 28
PARTS: dict[int, Part] = {
    ROBOT: "robot", LINKS: "links", START: "start", WORLD: "world", GROUND: "ground", PATH: "path",
    OBSTACLES: "obstacles", RUN: "run", BEAM: "beam", STRAIN: "strain", SUPPORT: "support",
}  # fmt: skip
ITEMS: dict[int, Item] = {
    ROBOT: ("robot", 0),
    START: ("start", 0),
    GROUND: ("ground", 0),
    PATH: ("path", 0),
    RUN: ("run", 0),
    BEAM: ("beam", 0),
    STRAIN: ("strain", 0),
    SUPPORT: ("support", 0),
}


# Made once: joining flags takes longer than all else that a view asks of a row, and it asks for thousands.
_Flag = Qt.ItemFlag
SELECTABLE = _Flag.ItemIsEnabled | _Flag.ItemIsSelectable
LEAF = SELECTABLE | _Flag.ItemNeverHasChildren
IN_LIST = SELECTABLE | _Flag.ItemIsDragEnabled | _Flag.ItemIsDropEnabled
OBSTACLE_LEAF = IN_LIST | _Flag.ItemNeverHasChildren
NAMED_GROUP = IN_LIST | _Flag.ItemIsEditable
NAMED_OBSTACLE = OBSTACLE_LEAF | _Flag.ItemIsEditable
FLAGS_OF = {
    LINKS: _Flag.ItemIsEnabled,
    WORLD: _Flag.ItemIsEnabled,
    OBSTACLES: _Flag.ItemIsEnabled | _Flag.ItemIsDropEnabled,
}
"""Flags of what there is one of; of the others `SELECTABLE`."""
