"""Scene as a tree for Qt's views; nothing is stored per obstacle, so that thousands of them are fast."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cache
from typing import Any, NamedTuple

from PySide6.QtCore import (
    QAbstractItemModel,
    QMimeData,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    Qt,
    Signal,
)
from PySide6.QtGui import QFont, QIcon

from snakestudio.gui.core import theme
from snakestudio.gui.core.document import Document
from snakestudio.model.body import Body
from snakestudio.model.labels import obstacle_title
from snakestudio.model.obstacles.shape import shape_of
from snakestudio.model.scene import Scene
from snakestudio.viewmodel.scene.items import Item
from snakestudio.viewmodel.scene.obstacle_rows import ObstacleRows
from snakestudio.viewmodel.scene.scene_texts import (
    Part,
    flag_tip,
    part_text,
    part_tip,
    patch_text,
    place_and_size,
    tree_of,
)

NAME_COLUMN, HIDDEN_COLUMN, LOCKED_COLUMN = range(3)

FLAG_ROLE = int(Qt.ItemDataRole.UserRole) + 1
"""Whether a row is hidden or locked, by column."""


Index = QModelIndex | QPersistentModelIndex


_MIME = "application/x-snakestudio-obstacles"
"""MIME type of dragged obstacles: their numbers."""

_NO = QModelIndex()

# Internal ids: small ones for unique entries, then a range for each list.
ROBOT, LINKS, START, WORLD, GROUND, PATH, OBSTACLES, RUN, BEAM, STRAIN, SUPPORT = range(1, 12)
LINK = 1 << 20
PATCH = 1 << 22
OBSTACLE = 1 << 24
GROUP = 1 << 28
PARTS: dict[int, Part] = {
    ROBOT: "robot",
    LINKS: "links",
    START: "start",
    WORLD: "world",
    GROUND: "ground",
    PATH: "path",
    OBSTACLES: "obstacles",
    RUN: "run",
    BEAM: "beam",
    STRAIN: "strain",
    SUPPORT: "support",
}
_NUMBERS: dict[Part | None, int] = {None: 0} | {part: number for number, part in PARTS.items()}


class _Tree(NamedTuple):
    """Children of each entry (0: root of the tree), and the parent of each entry."""

    below: dict[int, tuple[int, ...]]
    above: dict[int, int]


@cache
def _tree_of_body(body: type[Body]) -> _Tree:
    """Return the entries of scenes with a body."""
    below = {
        _NUMBERS[part]: tuple(_NUMBERS[each] for each in parts)
        for part, parts in tree_of(body).items()
    }
    return _Tree(below, {entry: above for above, entries in below.items() for entry in entries})


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


# Created once: joining flags takes longer than all other queries of a row, and a view queries
# thousands of rows.
_Flag = Qt.ItemFlag
SELECTABLE = _Flag.ItemIsEnabled | _Flag.ItemIsSelectable
LEAF = SELECTABLE | _Flag.ItemNeverHasChildren
NAMED_LEAF = LEAF | _Flag.ItemIsEditable
IN_LIST = SELECTABLE | _Flag.ItemIsDragEnabled | _Flag.ItemIsDropEnabled
OBSTACLE_LEAF = IN_LIST | _Flag.ItemNeverHasChildren
NAMED_GROUP = IN_LIST | _Flag.ItemIsEditable
NAMED_OBSTACLE = OBSTACLE_LEAF | _Flag.ItemIsEditable
FLAGS_OF = {
    LINKS: _Flag.ItemIsEnabled,
    WORLD: _Flag.ItemIsEnabled,
    OBSTACLES: _Flag.ItemIsEnabled | _Flag.ItemIsDropEnabled,
}
"""Flags of unique entries; those of other entries are `SELECTABLE`."""


class SceneModel(QAbstractItemModel):
    """Robot with links and start, world with ground, path and obstacles, run.

    Obstacles of a group are below its node, patches of friction below the ground. A continuous
    body has cross-sections, strain law and contacts instead, and its world is the ground alone.

    Parameters
    ----------
    rename_obstacle, rename_group, rename_patch : callable
        Rename an obstacle (0-based), a group or a patch (0-based); return False if that is not
        possible.

    Signals
    -------
    arranging()
        Rows are about to be added, removed or moved. Release persistent indexes, because each of
        them is looked up again.
    move_requested(indices: tuple of int, name: str)
        Obstacles (0-based) were dragged onto a group, or ("") out of their groups.
    """

    arranging = Signal()
    move_requested = Signal(tuple, str)

    def __init__(
        self,
        document: Document,
        rename_obstacle: Callable[[int, str], bool],
        rename_group: Callable[[str, str], bool],
        rename_patch: Callable[[int, str], bool],
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._rename_obstacle = rename_obstacle
        self._rename_group = rename_group
        self._rename_patch = rename_patch
        self._scene = document.scene
        self._tree = _tree_of_body(type(document.scene.body))
        self._rows = ObstacleRows(document.scene.obstacles)
        self._icons: dict[str, QIcon] = {}
        self._bold = QFont()
        self._bold.setBold(True)
        document.scene_changed.connect(self._on_scene)

    # --- structure --------------------------------------------------------------------------------

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        if parent.isValid() and parent.column() != NAME_COLUMN:
            return 0
        number = int(parent.internalId()) if parent.isValid() else 0
        if number >= GROUP:
            return len(self._rows.members[number - GROUP])
        if number == LINKS:
            return self._scene.body.n_parts
        if number == GROUND:
            return len(self._scene.ground.patch)
        if number >= LINK:
            return 0
        if number == OBSTACLES:
            return len(self._rows.top)
        return len(self._tree.below.get(number, ()))

    def columnCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        return 3

    def index(self, row: int, column: int, parent: Index = QModelIndex()) -> QModelIndex:  # noqa: B008
        # Queried for each row when a view lays out rows: thousands of times, so without
        # `rowCount`.
        number = parent.internalId() if parent.isValid() else 0
        if row < 0 or not 0 <= column < 3:
            return QModelIndex()
        if number == OBSTACLES:
            if row < len(self._rows.top):
                entry = self._rows.top[row]
                return self.createIndex(
                    row, column, OBSTACLE + entry if entry >= 0 else GROUP - 1 - entry
                )
        elif number >= GROUP:
            inside = self._rows.members[number - GROUP]
            if row < len(inside):
                return self.createIndex(row, column, OBSTACLE + inside[row])
        elif number == LINKS:
            if row < self._scene.body.n_parts:
                return self.createIndex(row, column, LINK + row)
        elif number == GROUND:
            if row < len(self._scene.ground.patch):
                return self.createIndex(row, column, PATCH + row)
        elif row < len(below := self._tree.below.get(number, ())):
            return self.createIndex(row, column, below[row])
        return QModelIndex()

    def parent(self, index: Index | None = None) -> Any:
        if index is None:  # QObject.parent has the same name
            return super().parent()
        if not index.isValid():
            return QModelIndex()
        number = int(index.internalId())
        if OBSTACLE <= number < GROUP:
            i = number - OBSTACLE
            g = self._rows.group[i] if i < len(self._rows.group) else -1
            return self._node(OBSTACLES) if g < 0 else self._group_node(g)
        if number >= GROUP:
            return self._node(OBSTACLES)
        if number >= PATCH:
            return self._node(GROUND)
        return self._node(LINKS if number >= LINK else self._above(number))

    def _group_node(self, g: int) -> QModelIndex:
        return self.createIndex(self._rows.group_row[g], 0, GROUP + g)

    def _above(self, number: int) -> int:
        """Return the parent of an entry; -1 if the tree does not have the entry."""
        return self._tree.above.get(number, -1)

    @property
    def obstacles_node(self) -> QModelIndex:
        """Node of the obstacles."""
        return self._node(OBSTACLES)

    def _node(self, number: int) -> QModelIndex:
        above = self._above(number)
        if above < 0:
            return QModelIndex()
        return self.createIndex(self._tree.below[above].index(number), 0, number)

    @property
    def nodes_open_at_first(self) -> tuple[QModelIndex, ...]:
        """Return the nodes that are expanded initially."""
        nodes = (self._node(number) for number in (ROBOT, BEAM, WORLD, GROUND, OBSTACLES))
        return tuple(node for node in nodes if node.isValid())

    # --- content ----------------------------------------------------------------------------------

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not index.isValid():
            return None
        number = int(index.internalId())
        if index.column() != NAME_COLUMN:
            return self._flag_data(number, index.column(), role)
        if role == Qt.ItemDataRole.DisplayRole:
            return self._text(number)
        if role == Qt.ItemDataRole.FontRole and number in self._tree.below[0]:
            return self._bold
        if PATCH <= number < OBSTACLE:
            return self._patch_data(number - PATCH, role)
        if role == Qt.ItemDataRole.ToolTipRole and number in PARTS:
            return part_tip(self._scene, PARTS[number]) or None
        if number < OBSTACLE or not self._obstacles_at(number):
            return None
        if role == Qt.ItemDataRole.ForegroundRole and self._is_flagged(number, HIDDEN_COLUMN):
            return theme.colour("dim")
        if number >= GROUP:
            name = self._rows.names[number - GROUP]
            if role == Qt.ItemDataRole.EditRole:
                return name
            if role == Qt.ItemDataRole.ToolTipRole:
                return f"Group {name}: {len(self._obstacles_at(number))} obstacles"
            return self._icon("group") if role == Qt.ItemDataRole.DecorationRole else None
        obstacle = self._scene.obstacles[number - OBSTACLE]
        if role == Qt.ItemDataRole.EditRole:
            return obstacle.name
        if role == Qt.ItemDataRole.ToolTipRole:
            return f"{shape_of(obstacle).title}: {place_and_size(obstacle)}"
        return (
            self._icon(shape_of(obstacle).icon) if role == Qt.ItemDataRole.DecorationRole else None
        )

    def _patch_data(self, index: int, role: int) -> Any:
        if index >= len(self._scene.ground.patch):
            return None
        patch = self._scene.ground.patch[index]
        if role == Qt.ItemDataRole.EditRole:
            return patch.name
        if role == Qt.ItemDataRole.ToolTipRole:
            return f"Friction patch with {len(patch.points_m)} corners; drag them in the view"
        return self._icon("path") if role == Qt.ItemDataRole.DecorationRole else None

    def _flag_data(self, number: int, column: int, role: int) -> Any:
        """Return the data of the columns next to the names: whether an entry is hidden or locked."""
        if number < OBSTACLE or not self._obstacles_at(number):
            return None
        on = self._is_flagged(number, column)
        if role == FLAG_ROLE:
            return on
        if role == Qt.ItemDataRole.ToolTipRole:
            return flag_tip("hidden" if column == HIDDEN_COLUMN else "locked", on)
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return ("hidden" if column == HIDDEN_COLUMN else "locked") if on else ""
        return None

    def _is_flagged(self, number: int, column: int) -> bool:
        name = "hidden" if column == HIDDEN_COLUMN else "locked"
        return all(getattr(self._scene.obstacles[i], name) for i in self._obstacles_at(number))

    def _obstacles_at(self, number: int) -> list[int]:
        """Return the 0-based obstacles of an entry; empty for an entry that no longer exists."""
        if number >= GROUP:
            g = number - GROUP
            return self._rows.members[g] if g < len(self._rows.members) else []
        return (
            [number - OBSTACLE]
            if OBSTACLE <= number < OBSTACLE + len(self._scene.obstacles)
            else []
        )

    def _icon(self, name: str) -> QIcon:
        """Return an icon in the colours of the current palette."""
        if name not in self._icons:
            self._icons[name] = theme.icon(name, "dim")
        return self._icons[name]

    def apply_theme(self) -> None:
        """Apply a changed palette."""
        self._icons.clear()
        node = self.obstacles_node
        if not node.isValid():
            return
        for parent in (node, *(self._group_node(g) for g in range(len(self._rows.names)))):
            if rows := self.rowCount(parent):
                self.dataChanged.emit(
                    self.index(0, 0, parent), self.index(rows - 1, LOCKED_COLUMN, parent)
                )

    def _text(self, number: int) -> str | None:
        scene = self._scene
        if number >= GROUP:
            count = len(self._obstacles_at(number))
            return f"{self._rows.names[number - GROUP]} ({count})" if count else None
        if number >= OBSTACLE:
            i = number - OBSTACLE
            return obstacle_title(scene.obstacles[i], i) if i < len(scene.obstacles) else None
        if number >= PATCH:
            i = number - PATCH
            return patch_text(scene.ground.patch[i], i) if i < len(scene.ground.patch) else None
        if number >= LINK:
            i = number - LINK
            return scene.body.part_entry(i)
        return part_text(scene, PARTS[number]) if number in PARTS else None

    def flags(self, index: Index) -> Qt.ItemFlag:
        if not index.isValid():
            return Qt.ItemFlag.NoItemFlags
        number = int(index.internalId())
        if number < LINK:
            return FLAGS_OF.get(number, SELECTABLE)
        if number < PATCH:
            return LEAF
        if number < OBSTACLE:
            return NAMED_LEAF if index.column() == NAME_COLUMN else LEAF
        named = index.column() == NAME_COLUMN
        if number >= GROUP:
            return NAMED_GROUP if named else IN_LIST
        return NAMED_OBSTACLE if named else OBSTACLE_LEAF

    def item(self, index: Index) -> Item | None:
        """Return the selectable item at an index; None for a group, which selects its obstacles."""
        if not index.isValid():
            return None
        number = int(index.internalId())
        if number >= GROUP:
            return None
        if number >= OBSTACLE:
            return "obstacle", number - OBSTACLE
        if number >= PATCH:
            return "patch", number - PATCH
        return ("link", number - LINK) if number >= LINK else ITEMS.get(number)

    def obstacles_at(self, index: Index) -> tuple[int, ...]:
        """Return the obstacle, or the obstacles of the group, at an index (0-based)."""
        return tuple(self._obstacles_at(int(index.internalId()))) if index.isValid() else ()

    def is_group(self, index: Index) -> bool:
        """Return whether an index is that of a group."""
        return index.isValid() and int(index.internalId()) >= GROUP

    def index_of(self, item: Item) -> QModelIndex:
        """Return the index of an item."""
        kind, i = item
        if kind == "obstacle":
            if not self._scene.body.meets_obstacles or i >= len(self._rows.row):
                return QModelIndex()
            return self.createIndex(self._rows.row[i], 0, OBSTACLE + i)
        if kind == "link":
            return self.index(i, 0, self._node(LINKS))
        if kind == "patch":
            return self.index(i, 0, self._node(GROUND))
        return self._node(next(number for number, known in ITEMS.items() if known[0] == kind))

    def ranges_of(self, items: Iterable[Item]) -> list[tuple[QModelIndex, QModelIndex]]:
        """Return the first and last rows of contiguous ranges of items; whole groups include their nodes."""
        obstacles = []
        ranges = []
        for item in items:
            if item[0] == "obstacle":
                # The selection may refer to a scene that has not arrived here yet.
                if self._scene.body.meets_obstacles and item[1] < len(self._rows.row):
                    obstacles.append(item[1])
            elif (index := self.index_of(item)).isValid():
                ranges.append((index, index.siblingAtColumn(LOCKED_COLUMN)))
        for g, first, last in self._rows.runs(obstacles):
            parent = self._node(OBSTACLES) if g < 0 else self._group_node(g)
            ranges.append((self.index(first, 0, parent), self.index(last, LOCKED_COLUMN, parent)))
            if g >= 0 and last - first + 1 == len(self._rows.members[g]):
                ranges.append((parent, parent.siblingAtColumn(LOCKED_COLUMN)))
        return ranges

    def index_of_group(self, name: str) -> QModelIndex:
        """Return the index of a group."""
        return (
            self._group_node(self._rows.names.index(name))
            if name in self._rows.names
            else QModelIndex()
        )

    # --- edits in the tree ------------------------------------------------------------------------

    def setData(self, index: Index, value: Any, role: int = Qt.ItemDataRole.EditRole) -> bool:
        number = int(index.internalId()) if index.isValid() else 0
        if role != Qt.ItemDataRole.EditRole:
            return False
        if PATCH <= number < OBSTACLE:
            return self._rename_patch(number - PATCH, str(value))
        if not self._obstacles_at(number):
            return False
        if number >= GROUP:
            return self._rename_group(self._rows.names[number - GROUP], str(value))
        return self._rename_obstacle(number - OBSTACLE, str(value))

    def supportedDropActions(self) -> Qt.DropAction:
        return Qt.DropAction.MoveAction

    def mimeTypes(self) -> list[str]:
        return [_MIME]

    def mimeData(self, indexes: Iterable[QModelIndex]) -> QMimeData:
        data = QMimeData()
        dragged = {i for index in indexes for i in self.obstacles_at(index)}
        data.setData(_MIME, " ".join(map(str, sorted(dragged))).encode())
        return data

    def canDropMimeData(
        self, data: QMimeData, action: Qt.DropAction, row: int, column: int, parent: Index
    ) -> bool:
        return data.hasFormat(_MIME) and parent.isValid() and self._drop_group(parent) is not None

    def _drop_group(self, parent: Index) -> str | None:
        """Return the group of obstacles dropped at an index; None if nothing can be dropped there."""
        number = int(parent.internalId())
        if number == OBSTACLES:
            return ""
        if number < OBSTACLE or not self._obstacles_at(number):
            return None
        return self._scene.obstacles[self._obstacles_at(number)[0]].group

    def dropMimeData(
        self, data: QMimeData, action: Qt.DropAction, row: int, column: int, parent: Index
    ) -> bool:
        if not self.canDropMimeData(data, action, row, column, parent):
            return False
        dragged = tuple(int(text) for text in bytes(data.data(_MIME).data()).decode().split())
        self.move_requested.emit(dragged, self._drop_group(parent))
        return True

    # --- changes ----------------------------------------------------------------------------------

    def _on_scene(self, before: Scene, after: Scene) -> None:
        old = self._scene
        if old is after:
            return
        tree = _tree_of_body(type(after.body))
        if tree is not self._tree:
            self.beginResetModel()
            self._tree = tree
            self._scene = after
            self._rows = ObstacleRows(after.obstacles)
            self.endResetModel()
            return
        texts = {
            number: self._text(number) for below in self._tree.below.values() for number in below
        }
        was = old.obstacles
        now = after.obstacles
        changed = (
            []
            if was is now or len(was) != len(now)
            else [i for i in range(len(now)) if was[i] is not now[i]]
        )
        if (
            len(was) != len(now)
            or old.body.n_parts != after.body.n_parts
            or len(old.ground.patch) != len(after.ground.patch)
            or any(was[i].group != now[i].group for i in changed)
        ):
            self._arrange(after)
        else:
            self._scene = after
            for g, first, last in (
                self._rows.runs(changed) if self._scene.body.meets_obstacles else ()
            ):
                parent = self._node(OBSTACLES) if g < 0 else self._group_node(g)
                self.dataChanged.emit(
                    self.index(first, 0, parent), self.index(last, LOCKED_COLUMN, parent)
                )
                if g >= 0:  # the row shows whether all obstacles of the group are hidden or locked
                    self.dataChanged.emit(parent, parent.siblingAtColumn(LOCKED_COLUMN))
        if old.ground.patch is not after.ground.patch and after.ground.patch:
            node = self._node(GROUND)
            self.dataChanged.emit(
                self.index(0, 0, node), self.index(len(after.ground.patch) - 1, LOCKED_COLUMN, node)
            )
        for number, text in texts.items():
            if self._text(number) != text:  # a view lays out all rows below it again
                node = self._node(number)
                self.dataChanged.emit(node, node)

    def _arrange(self, after: Scene) -> None:
        """Update the persistent indexes of the views after rows were added, removed or moved."""
        self.arranging.emit()
        self.layoutAboutToBeChanged.emit()
        held = self.persistentIndexList()
        was = self._scene.obstacles
        names = self._rows.names
        patches = self._scene.ground.patch
        places = {id(obstacle): i for i, obstacle in enumerate(after.obstacles)}
        self._scene = after
        self._rows = ObstacleRows(after.obstacles)

        def renewed(index: QModelIndex) -> QModelIndex:
            number = int(index.internalId())
            updated = index
            if number >= GROUP:
                updated = self.index_of_group(names[number - GROUP])
            elif number >= OBSTACLE:
                updated = self.index_of(
                    ("obstacle", places.get(id(was[number - OBSTACLE]), len(places)))
                )
            elif number >= PATCH:
                patch = patches[number - PATCH]
                updated = (
                    self.index_of(("patch", after.ground.patch.index(patch)))
                    if patch in after.ground.patch
                    else _NO
                )
            elif number >= LINK and number - LINK >= after.body.n_parts:
                updated = _NO
            return updated.siblingAtColumn(index.column()) if updated.isValid() else updated

        self.changePersistentIndexList(held, [renewed(index) for index in held])
        self.layoutChanged.emit()
