"""What is selected and what the cursor is over, shared by the viewport, the scene tree and the inspector."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol

from PySide6.QtCore import QObject, Signal, SignalInstance

from snakestudio.model.scene import Scene
from snakestudio.viewmodel.scene.items import Item, ViewItem, exists, renumbered


class SceneDocument(Protocol):
    """What holds the scene that is edited, as far as selecting goes; signals as in `Document`."""

    @property
    def scene(self) -> Scene:
        """The scene."""

    @property
    def opened(self) -> SignalInstance:
        """Another scene was opened."""

    @property
    def scene_changed(self) -> SignalInstance:
        """The scene is another one."""


class Selection(QObject):
    """A set of obstacles, links and parts of the scene; what vanishes from the scene vanishes from it too.

    Parameters
    ----------
    document : SceneDocument
        The scene that the indices refer to.

    Signals
    -------
    changed()
        `items` is another set.
    hover_changed()
        `hovered` is another item.
    """

    changed = Signal()
    hover_changed = Signal()

    def __init__(self, document: SceneDocument, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._document = document
        self._items: frozenset[Item] = frozenset()
        self._hovered: Item | None = None
        document.opened.connect(self.clear)
        document.scene_changed.connect(self._on_scene)

    @property
    def items(self) -> frozenset[Item]:
        """Everything selected."""
        return self._items

    @property
    def obstacles(self) -> tuple[int, ...]:
        """Selected obstacles, 0-based, ascending."""
        return tuple(sorted(index for kind, index in self._items if kind == "obstacle"))

    @property
    def links(self) -> tuple[int, ...]:
        """Selected links, 0-based, ascending."""
        return tuple(sorted(index for kind, index in self._items if kind == "link"))

    @property
    def patches(self) -> tuple[int, ...]:
        """Selected patches of the ground, 0-based, ascending."""
        return tuple(sorted(index for kind, index in self._items if kind == "patch"))

    @property
    def bodies(self) -> frozenset[ViewItem]:
        """What of it stands in the viewport."""
        return frozenset(
            (kind, index) for kind, index in self._items if kind == "obstacle" or kind == "link"
        )

    @property
    def single(self) -> Item | None:
        """The selected item if there is exactly one."""
        return next(iter(self._items)) if len(self._items) == 1 else None

    @property
    def hovered(self) -> Item | None:
        """What the cursor is over, in whichever view."""
        return self._hovered

    def __contains__(self, item: object) -> bool:
        return item in self._items

    def set(self, items: Iterable[Item]) -> None:
        """Select exactly these."""
        wanted = frozenset(item for item in items if exists(item, self._document.scene))
        if wanted != self._items:
            self._items = wanted
            self.changed.emit()

    def with_group(self, item: Item) -> frozenset[Item]:
        """An item with all that are to be picked with it: the other obstacles of its group, but for locked ones."""
        obstacles = self._document.scene.obstacles
        group = obstacles[item[1]].group if item[0] == "obstacle" else ""
        if not group:
            return frozenset([item])
        free = (
            k for k, o in enumerate(obstacles) if o.group == group and not o.locked and not o.hidden
        )
        return frozenset([item, *(("obstacle", k) for k in free)])

    def toggle(self, item: Item, *others: Item) -> None:
        """Add an item and others with it, or take them all out if it is selected."""
        together = {item, *others}
        self.set(self._items - together if item in self._items else self._items | together)

    def clear(self) -> None:
        """Select nothing."""
        self.set(())

    def set_hovered(self, item: Item | None) -> None:
        """Say what the cursor is over."""
        if item != self._hovered:
            self._hovered = item
            self.hover_changed.emit()

    def _on_scene(self, before: Scene | None, after: Scene) -> None:
        items = self._items
        if before is not None and (
            len(before.obstacles) != len(after.obstacles)
            or len(before.ground.patch) != len(after.ground.patch)
        ):
            items = frozenset(renumbered(items, before, after))
        if self._hovered is not None and not exists(self._hovered, after):
            self.set_hovered(None)
        self.set(items)
