"""Selection and hovered item, shared by the viewport, the scene tree and the inspector."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol

from PySide6.QtCore import QObject, Signal, SignalInstance

from snakestudio.model.edits import same_numbers
from snakestudio.model.scene import Scene
from snakestudio.viewmodel.scene.items import Item, ViewItem, exists, renumbered


class SceneDocument(Protocol):
    """Members of `Document` that the selection needs."""

    @property
    def scene(self) -> Scene:
        """The edited scene."""

    @property
    def opened(self) -> SignalInstance:
        """Another scene was opened."""

    @property
    def scene_changed(self) -> SignalInstance:
        """The scene changed."""


class Selection(QObject):
    """A set of obstacles, links and parts of the scene; items removed from the scene are removed from it.

    Parameters
    ----------
    document : SceneDocument
        The scene that the indices refer to.

    Signals
    -------
    changed()
        `items` changed.
    hover_changed()
        `hovered` changed.
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
        """All selected items."""
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
        """Selected items that are visible in the viewport."""
        return frozenset(
            (kind, index) for kind, index in self._items if kind == "obstacle" or kind == "link"
        )

    @property
    def single(self) -> Item | None:
        """The selected item if there is exactly one."""
        return next(iter(self._items)) if len(self._items) == 1 else None

    @property
    def hovered(self) -> Item | None:
        """Item under the mouse, in any view."""
        return self._hovered

    def __contains__(self, item: object) -> bool:
        return item in self._items

    def set(self, items: Iterable[Item]) -> None:
        """Select exactly these."""
        selection = frozenset(item for item in items if exists(item, self._document.scene))
        if selection != self._items:
            self._items = selection
            self.changed.emit()

    def with_group(self, item: Item) -> frozenset[Item]:
        """Return an item with the unlocked obstacles of its group, which are selected together."""
        obstacles = self._document.scene.obstacles
        group = obstacles[item[1]].group if item[0] == "obstacle" else ""
        if not group:
            return frozenset([item])
        free = (
            k for k, o in enumerate(obstacles) if o.group == group and not o.locked and not o.hidden
        )
        return frozenset([item, *(("obstacle", k) for k in free)])

    def toggle(self, item: Item, *others: Item) -> None:
        """Add an item and others, or remove them all if the item is selected."""
        connected = {item, *others}
        self.set(self._items - connected if item in self._items else self._items | connected)

    def clear(self) -> None:
        """Deselect all."""
        self.set(())

    def set_hovered(self, item: Item | None) -> None:
        """Set the item under the mouse."""
        if item != self._hovered:
            self._hovered = item
            self.hover_changed.emit()

    def _on_scene(self, before: Scene, after: Scene) -> None:
        items = self._items
        if not same_numbers(before, after):
            items = frozenset(renumbered(items, before, after))
        if self._hovered is not None and not exists(self._hovered, after):
            self.set_hovered(None)
        self.set(items)
