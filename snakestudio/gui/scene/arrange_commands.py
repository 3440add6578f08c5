"""Commands that group, lock, hide, rename, align and select obstacles, for menus, tree and keys."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from operator import attrgetter
from typing import Literal

from pydantic import ValidationError

from snakestudio.gui.core.document import Document
from snakestudio.gui.core.selection import Selection
from snakestudio.model.edits.align import Side, aligned, distributed
from snakestudio.model.edits.groups import (
    free_group_name,
    group_names,
    members,
    obstacle_with,
    renamed_group,
    units,
    whole_groups,
    with_flag,
    with_group,
    with_obstacles,
)
from snakestudio.model.labels import obstacle_mention
from snakestudio.model.scene import Scene
from snakestudio.text import capitalized

_LONGEST = 80
"""Longest name of an obstacle or a group."""

_SIDES: dict[Side, str] = {
    "left": "left",
    "right": "right",
    "top": "at the top",
    "bottom": "at the bottom",
    "centre_x": "by their horizontal centres",
    "centre_y": "by their vertical centres",
}


_VERBS = {"locked": ("Lock", "Unlock"), "hidden": ("Hide", "Show")}


class ArrangeCommands:
    """Edits of existing obstacles; each change of the scene is one undo step.

    Parameters
    ----------
    show_message : callable, optional
        Shows a message about what could not be done.
    """

    def __init__(
        self,
        document: Document,
        selection: Selection,
        show_message: Callable[[str], object] = lambda sentence: None,
    ) -> None:
        self._document = document
        self._selection = selection
        self._show_message = show_message

    # --- state ------------------------------------------------------------------------------------

    def what(self, indices: tuple[int, ...]) -> str:
        """Return the name of some obstacles in the undo list."""
        obstacles = self._document.scene.obstacles
        group = obstacles[indices[0]].group
        if group and indices == members(self._document.scene, group):
            return f"group {group}"
        if len(indices) > 1:
            return f"{len(indices)} obstacles"
        return obstacle_mention(obstacles[indices[0]], indices[0])

    def unlocked(self, done: str) -> tuple[int, ...]:
        """Return the selected obstacles that are not locked; report that the others were not `done`."""
        obstacles = self._document.scene.obstacles
        chosen = self._selection.obstacles
        free = tuple(i for i in chosen if not obstacles[i].locked)
        locked = [i for i in chosen if obstacles[i].locked]
        if len(locked) == 1:
            name = obstacle_mention(obstacles[locked[0]], locked[0])
            self._show_message(
                f"{capitalized(name)} is locked and was not {done}. Unlock it with Edit > Unlock."
            )
        elif locked:
            self._show_message(
                f"{len(locked)} obstacles are locked and were not {done}. Unlock them with Edit > Unlock."
            )
        return free

    @property
    def _chosen(self) -> tuple[int, ...]:
        return self._selection.obstacles

    def is_grouped(self) -> bool:
        """Return whether a selected obstacle is in a group."""
        return any(self._document.scene.obstacles[i].group for i in self._chosen)

    def all_are(self, flag: Literal["locked", "hidden"]) -> bool:
        """Return whether all selected obstacles are locked, or hidden."""
        return bool(self._chosen) and all(
            getattr(self._document.scene.obstacles[i], flag) for i in self._chosen
        )

    def any_hidden(self) -> bool:
        """Return whether any obstacle of the scene is hidden."""
        return any(map(attrgetter("hidden"), self._document.scene.obstacles))

    def can_align(self) -> bool:
        """Return whether at least two objects can be aligned."""
        return len(units(self._document.scene, self._chosen)) > 1

    def can_distribute(self) -> bool:
        """Return whether at least three objects can be distributed."""
        scene = self._document.scene
        return (
            sum(
                not any(scene.obstacles[i].locked for i in part)
                for part in units(scene, self._chosen)
            )
            > 2
        )

    # --- groups and names -------------------------------------------------------------------------

    def group(self) -> str:
        """Group the selected obstacles and return the name of the new group."""
        scene = self._document.scene
        chosen = self._chosen
        if not chosen:
            return ""
        number = 1
        while (name := f"Group {number}") in group_names(scene):
            number += 1
        self._document.edit(with_group(scene, chosen, name), f"Group {len(chosen)} obstacles")
        return name

    def ungroup(self) -> None:
        """Remove the selected obstacles from their groups."""
        if self.is_grouped():
            text = f"Ungroup {self.what(self._chosen).removeprefix('group ')}"
            self._document.edit(with_group(self._document.scene, self._chosen, ""), text)

    def put_into(self, indices: Iterable[int], name: str) -> None:
        """Move obstacles (0-based) into the group `name`, or out of their groups ("")."""
        chosen = tuple(indices)
        where = f"into {name}" if name else "out of the group"
        self._document.edit(
            with_group(self._document.scene, chosen, name), f"Move {self.what(chosen)} {where}"
        )

    def rename_group(self, old: str, new: str) -> bool:
        """Rename a group; return False, with a message, if that is not possible."""
        new = new.strip()
        if not new:
            self._show_message(f"A group needs a name. To dissolve {old}, use Edit > Ungroup.")
            return False
        if new != old and new in group_names(self._document.scene):
            other = free_group_name(self._document.scene, new)
            self._show_message(
                f"A group named {new} already exists. Use another name, such as {other}."
            )
            return False
        return self._name(
            lambda: renamed_group(self._document.scene, old, new), f"Rename group to {new}", new
        )

    def rename(self, index: int, name: str) -> bool:
        """Rename an obstacle (0-based); "" resets its name to kind and number."""
        scene = self._document.scene
        name = name.strip()
        old = scene.obstacles[index]
        if name == old.name:
            return True

        def named() -> Scene:
            obstacles = list(scene.obstacles)
            obstacles[index] = obstacle_with(old, name=name)
            return with_obstacles(scene, obstacles)

        return self._name(named, f"Rename {obstacle_mention(old, index)}", name)

    def _name(self, edit: Callable[[], Scene], text: str, name: str) -> bool:
        try:
            scene = edit()
        except ValidationError:
            self._show_message(f"A name can have at most {_LONGEST} characters (got {len(name)}).")
            return False
        self._document.edit(scene, text)
        return True

    # --- locked and hidden ------------------------------------------------------------------------

    def set_flag(
        self, indices: tuple[int, ...], flag: Literal["locked", "hidden"], on: bool
    ) -> None:
        """Set or clear a flag of obstacles (0-based)."""
        if indices:
            verb = _VERBS[flag][0 if on else 1]
            self._document.edit(
                with_flag(self._document.scene, indices, flag, on),
                f"{verb} {self.what(tuple(sorted(indices)))}",
            )

    def toggle_locked(self) -> None:
        """Lock the selected obstacles, or unlock them if all are locked."""
        self.set_flag(self._chosen, "locked", not self.all_are("locked"))

    def toggle_hidden(self) -> None:
        """Hide the selected obstacles, or show them if all are hidden."""
        self.set_flag(self._chosen, "hidden", not self.all_are("hidden"))

    def show_all(self) -> None:
        """Show all hidden obstacles."""
        obstacles = self._document.scene.obstacles
        self.set_flag(tuple(i for i, o in enumerate(obstacles) if o.hidden), "hidden", False)

    # --- alignment --------------------------------------------------------------------------------

    def align(self, side: Side) -> None:
        """Align the selected obstacles."""
        if self.unlocked("moved"):
            scene = aligned(self._document.scene, self._chosen, side)
            self._document.edit(scene, f"Align {len(self._chosen)} obstacles {_SIDES[side]}")

    def distribute(self, axis: Literal["x", "y"], by: Literal["centres", "gaps"]) -> None:
        """Distribute the selected obstacles evenly."""
        chosen = self.unlocked("moved")
        if chosen:
            scene = distributed(self._document.scene, chosen, axis, by)
            self._document.edit(scene, f"Distribute {len(chosen)} obstacles along {axis}")

    # --- selection --------------------------------------------------------------------------------

    def select_group(self) -> None:
        """Select all obstacles of the selected groups."""
        self._select(whole_groups(self._document.scene, self._chosen))

    def select_kind(self) -> None:
        """Select all obstacles of the selected kinds."""
        obstacles = self._document.scene.obstacles
        kinds = {obstacles[i].kind for i in self._chosen}
        self._select(i for i, o in enumerate(obstacles) if o.kind in kinds)

    def invert(self) -> None:
        """Select the obstacles that are not selected."""
        chosen = set(self._chosen)
        self._select(i for i in range(len(self._document.scene.obstacles)) if i not in chosen)

    def _select(self, indices: Iterable[int]) -> None:
        self._selection.set([("obstacle", i) for i in indices])
