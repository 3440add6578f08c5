"""The entries of the scene tree: their numbers in the model, what stands under what, and what can be done with them."""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

from PySide6.QtCore import Qt

from snakestudio.model.body import Body
from snakestudio.viewmodel.scene.items import Item
from snakestudio.viewmodel.scene.scene_texts import Part, tree_of

__all__ = [
    "BEAM",
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
    "Tree",
    "tree",
]

# Internal ids: small ones for what there is one of, then a range for each list.
ROBOT, LINKS, START, WORLD, GROUND, PATH, OBSTACLES, RUN, BEAM, STRAIN, SUPPORT = range(1, 12)
LINK, OBSTACLE, GROUP = 1 << 20, 1 << 24, 1 << 28
PARTS: dict[int, Part] = {
    ROBOT: "robot", LINKS: "links", START: "start", WORLD: "world", GROUND: "ground", PATH: "path",
    OBSTACLES: "obstacles", RUN: "run", BEAM: "beam", STRAIN: "strain", SUPPORT: "support",
}  # fmt: skip
_NUMBERS: dict[Part | None, int] = {None: 0} | {part: number for number, part in PARTS.items()}


class Tree(NamedTuple):
    """What stands under each entry (0: the head of the tree), and the entry that each stands under."""

    below: dict[int, tuple[int, ...]]
    above: dict[int, int]


@cache
def tree(body: type[Body]) -> Tree:
    """The entries of scenes with a body."""
    below = {_NUMBERS[part]: tuple(_NUMBERS[each] for each in parts) for part, parts in tree_of(body).items()}
    return Tree(below, {entry: above for above, entries in below.items() for entry in entries})


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
