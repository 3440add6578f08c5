"""Grouping, locking, hiding, naming, lining up and picking out obstacles, for menus, tree and keys."""

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
    """What is done to obstacles that are there already; everything that changes the scene is one step of undo.

    Parameters
    ----------
    tell : callable, optional
        Shows a sentence about what could not be done.
    """

    def __init__(
        self,
        document: Document,
        selection: Selection,
        tell: Callable[[str], object] = lambda sentence: None,
    ) -> None:
        self._document = document
        self._selection = selection
        self._tell = tell

    # --- what it is about -------------------------------------------------------------------------

    def what(self, indices: tuple[int, ...]) -> str:
        """What some obstacles are called in the undo list."""
        obstacles = self._document.scene.obstacles
        group = obstacles[indices[0]].group
        if group and indices == members(self._document.scene, group):
            return f"group {group}"
        if len(indices) > 1:
            return f"{len(indices)} obstacles"
        return obstacle_mention(obstacles[indices[0]], indices[0])

    def unlocked(self, done: str) -> tuple[int, ...]:
        """The selected obstacles that are not locked; of the others a sentence says that they were not `done`."""
        obstacles = self._document.scene.obstacles
        chosen = self._selection.obstacles
        free = tuple(i for i in chosen if not obstacles[i].locked)
        locked = [i for i in chosen if obstacles[i].locked]
        if len(locked) == 1:
            name = obstacle_mention(obstacles[locked[0]], locked[0])
            self._tell(
                f"{capitalized(name)} is locked and was not {done}. Unlock it with Edit > Unlock."
            )
        elif locked:
            self._tell(
                f"{len(locked)} obstacles are locked and were not {done}. Unlock them with Edit > Unlock."
            )
        return free

    @property
    def _chosen(self) -> tuple[int, ...]:
        return self._selection.obstacles

    def is_grouped(self) -> bool:
        """Whether something selected is in a group."""
        return any(self._document.scene.obstacles[i].group for i in self._chosen)

    def all_are(self, flag: Literal["locked", "hidden"]) -> bool:
        """Whether everything selected is locked, or hidden."""
        return bool(self._chosen) and all(
            getattr(self._document.scene.obstacles[i], flag) for i in self._chosen
        )

    def any_hidden(self) -> bool:
        """Whether some obstacle of the scene is hidden."""
        return any(map(attrgetter("hidden"), self._document.scene.obstacles))

    def can_align(self) -> bool:
        """Whether there are two things to line up."""
        return len(units(self._document.scene, self._chosen)) > 1

    def can_distribute(self) -> bool:
        """Whether there are three things to spread out."""
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
        """Make one new group of what is selected; its name."""
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
        """Take what is selected out of its groups."""
        if self.is_grouped():
            text = f"Ungroup {self.what(self._chosen).removeprefix('group ')}"
            self._document.edit(with_group(self._document.scene, self._chosen, ""), text)

    def put_into(self, indices: Iterable[int], name: str) -> None:
        """Put obstacles (0-based) into the group `name`, or into none ("")."""
        chosen = tuple(indices)
        where = f"into {name}" if name else "out of the group"
        self._document.edit(
            with_group(self._document.scene, chosen, name), f"Move {self.what(chosen)} {where}"
        )

    def rename_group(self, old: str, new: str) -> bool:
        """Call a group otherwise; a sentence says why, if that cannot be."""
        new = new.strip()
        if not new:
            self._tell(f"A group needs a name. To dissolve {old}, use Edit > Ungroup.")
            return False
        if new != old and new in group_names(self._document.scene):
            other = free_group_name(self._document.scene, new)
            self._tell(f"A group named {new} already exists. Use another name, such as {other}.")
            return False
        return self._name(
            lambda: renamed_group(self._document.scene, old, new), f"Rename group to {new}", new
        )

    def rename(self, index: int, name: str) -> bool:
        """Call an obstacle (0-based) otherwise; "" lets it be called by its kind and number."""
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
            self._tell(f"A name can have at most {_LONGEST} characters (got {len(name)}).")
            return False
        self._document.edit(scene, text)
        return True

    # --- locked and hidden ------------------------------------------------------------------------

    def set_flag(
        self, indices: tuple[int, ...], flag: Literal["locked", "hidden"], on: bool
    ) -> None:
        """Lock or hide obstacles (0-based), or the opposite."""
        if indices:
            verb = _VERBS[flag][0 if on else 1]
            self._document.edit(
                with_flag(self._document.scene, indices, flag, on),
                f"{verb} {self.what(tuple(sorted(indices)))}",
            )

    def toggle_locked(self) -> None:
        """Lock what is selected, or unlock it if all of it is locked."""
        self.set_flag(self._chosen, "locked", not self.all_are("locked"))

    def toggle_hidden(self) -> None:
        """Hide what is selected, or show it if all of it is hidden."""
        self.set_flag(self._chosen, "hidden", not self.all_are("hidden"))

    def show_all(self) -> None:
        """Show everything that is hidden."""
        obstacles = self._document.scene.obstacles
        self.set_flag(tuple(i for i, o in enumerate(obstacles) if o.hidden), "hidden", False)

    # --- lining up --------------------------------------------------------------------------------

    def align(self, side: Side) -> None:
        """Line the selected obstacles up."""
        if self.unlocked("moved"):
            made = aligned(self._document.scene, self._chosen, side)
            self._document.edit(made, f"Align {len(self._chosen)} obstacles {_SIDES[side]}")

    def distribute(self, axis: Literal["x", "y"], by: Literal["centres", "gaps"]) -> None:
        """Spread the selected obstacles out evenly."""
        chosen = self.unlocked("moved")
        if chosen:
            made = distributed(self._document.scene, chosen, axis, by)
            self._document.edit(made, f"Distribute {len(chosen)} obstacles along {axis}")

    # --- picking out ------------------------------------------------------------------------------

    def select_group(self) -> None:
        """Select all of the groups of which something is selected."""
        self._select(whole_groups(self._document.scene, self._chosen))

    def select_kind(self) -> None:
        """Select all obstacles of the kinds of which one is selected."""
        obstacles = self._document.scene.obstacles
        kinds = {obstacles[i].kind for i in self._chosen}
        self._select(i for i, o in enumerate(obstacles) if o.kind in kinds)

    def invert(self) -> None:
        """Select the obstacles that are not selected."""
        chosen = set(self._chosen)
        self._select(i for i in range(len(self._document.scene.obstacles)) if i not in chosen)

    def _select(self, indices: Iterable[int]) -> None:
        self._selection.set([("obstacle", i) for i in indices])
