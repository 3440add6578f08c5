"""The scene as a tree for Qt's views: nothing is stored for an obstacle, so that thousands cost nothing."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import QAbstractItemModel, QModelIndex, QObject, QPersistentModelIndex, Qt
from PySide6.QtGui import QFont, QIcon

from snakestudio.gui import theme
from snakestudio.gui.docks.obstacle_texts import kind_title, obstacle_title, place_and_size
from snakestudio.gui.document import Document
from snakestudio.gui.parts import n_parts
from snakestudio.gui.selection import Item
from snakestudio.gui.widgets.numbers import format_number
from snakestudio.model.scene import Scene

__all__ = ["SceneModel"]

Index = QModelIndex | QPersistentModelIndex

# Internal ids: small ones for what there is one of, then a range for each list.
_ROBOT, _LINKS, _START, _WORLD, _GROUND, _PATH, _OBSTACLES, _RUN, _BEAM, _STRAIN, _SUPPORT = range(1, 12)
_CHAIN = {
    0: (_ROBOT, _WORLD, _RUN),
    _ROBOT: (_LINKS, _START),
    _WORLD: (_GROUND, _PATH, _OBSTACLES),
}
_CONTINUUM = {
    0: (_BEAM, _WORLD, _RUN),
    _BEAM: (_LINKS, _STRAIN, _SUPPORT, _START),
    _WORLD: (_GROUND,),
}
"""What stands under what, by whether the robot has links or is a continuous body."""
_LINK, _OBSTACLE = 1 << 20, 1 << 24
_ITEMS: dict[int, Item] = {
    _ROBOT: ("robot", 0),
    _START: ("start", 0),
    _GROUND: ("ground", 0),
    _PATH: ("path", 0),
    _RUN: ("run", 0),
    _BEAM: ("beam", 0),
    _STRAIN: ("strain", 0),
    _SUPPORT: ("support", 0),
}
_STARTS = {
    "straight": "straight",
    "gait": "in the gait's shape",
    "joint_angles": "given joint angles",
    "link_angles": "given link angles",
    "state": "given state",
    "recording": "from a recording",
}


_SUPPORTS = {
    "friction": "friction",
    "wave_anchors": "anchored where shortest",
    "end_anchors": "head and tail in turn",
    "anchors": "given anchors",
    "rings": "rings",
}


class SceneModel(QAbstractItemModel):
    """Robot with links and start, world with ground, path and obstacles, run.

    A continuous body has cross-sections, strain law and contacts instead, and its world is the ground alone.

    Parameters
    ----------
    document : Document
    """

    def __init__(self, document: Document, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._scene = document.scene
        self._icons: dict[str, QIcon] = {}
        self._bold = QFont()
        self._bold.setBold(True)
        document.scene_changed.connect(self._on_scene)

    # --- structure -------------------------------------------------------------------------------------------------

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        number = int(parent.internalId()) if parent.isValid() else 0
        if number == _LINKS:
            return n_parts(self._scene)
        if number == _OBSTACLES:
            return len(self._scene.obstacles)
        return len(self._children.get(number, ()))

    def columnCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        return 1

    def index(self, row: int, column: int, parent: Index = QModelIndex()) -> QModelIndex:  # noqa: B008
        if column != 0 or not 0 <= row < self.rowCount(parent):
            return QModelIndex()
        number = int(parent.internalId()) if parent.isValid() else 0
        if number == _LINKS:
            return self.createIndex(row, 0, _LINK + row)
        if number == _OBSTACLES:
            return self.createIndex(row, 0, _OBSTACLE + row)
        return self.createIndex(row, 0, self._children[number][row])

    def parent(self, index: Index | None = None) -> Any:
        if index is None:  # the same name is QObject's parent
            return super().parent()
        if not index.isValid():
            return QModelIndex()
        number = int(index.internalId())
        above = _OBSTACLES if number >= _OBSTACLE else _LINKS if number >= _LINK else self._above(number)
        return self._node(above)

    @property
    def _children(self) -> dict[int, tuple[int, ...]]:
        return _CONTINUUM if self._scene.model.continuum else _CHAIN

    def _above(self, number: int) -> int:
        """What an entry stands under; -1 for one that the tree does not have now."""
        return next((above for above, below in self._children.items() if number in below), -1)

    def _node(self, number: int) -> QModelIndex:
        above = self._above(number)
        if above < 0:
            return QModelIndex()
        return self.createIndex(self._children[above].index(number), 0, number)

    @property
    def obstacles_node(self) -> QModelIndex:
        """Above the obstacles."""
        return self._node(_OBSTACLES)

    @property
    def nodes_open_at_first(self) -> tuple[QModelIndex, ...]:
        """What is unfolded when the tree is first shown."""
        nodes = (self._node(number) for number in (_ROBOT, _BEAM, _WORLD, _OBSTACLES))
        return tuple(node for node in nodes if node.isValid())

    # --- content ---------------------------------------------------------------------------------------------------

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not index.isValid():
            return None
        number = int(index.internalId())
        if role == Qt.ItemDataRole.DisplayRole:
            return self._text(number)
        if role == Qt.ItemDataRole.FontRole and number in self._children[0]:
            return self._bold
        if _OBSTACLE <= number < _OBSTACLE + len(self._scene.obstacles):
            obstacle = self._scene.obstacles[number - _OBSTACLE]
            if role == Qt.ItemDataRole.ToolTipRole:
                return f"{kind_title(obstacle.kind)}: {place_and_size(obstacle)}"
            if role == Qt.ItemDataRole.DecorationRole:
                return self._icon(obstacle.kind)
        return None

    def _icon(self, kind: str) -> QIcon:
        """Icon of a kind of obstacle in the colours of the present palette."""
        if kind not in self._icons:
            self._icons[kind] = theme.icon(f"shape-{kind}", "dim")
        return self._icons[kind]

    def renew_theme(self) -> None:
        """The palette is another one."""
        self._icons.clear()
        node = self.obstacles_node
        if not node.isValid():
            return
        if rows := self.rowCount(node):
            self.dataChanged.emit(self.index(0, 0, node), self.index(rows - 1, 0, node))

    def _text(self, number: int) -> str | None:
        scene = self._scene
        if number >= _OBSTACLE:
            i = number - _OBSTACLE
            return obstacle_title(scene.obstacles[i], i) if i < len(scene.obstacles) else None
        if number >= _LINK:
            i = number - _LINK
            if scene.model.continuum:
                place = f"X = {scene.beam.abscissas[i]:.3f} m" if i < scene.beam.sections else ""
                return f"Section {i + 1} · {place if i else 'head'}"
            return f"Link {i + 1} · head" if i == scene.robot.head_index else f"Link {i + 1}"
        along, across = format_number(scene.ground.mu_along), format_number(scene.ground.mu_across)
        return {
            _ROBOT: f"Robot · {scene.robot.name}",
            _LINKS: f"{'Cross-sections' if scene.model.continuum else 'Links'} ({n_parts(scene)})",
            _BEAM: f"Continuum body · {format_number(scene.beam.length_m)} m",
            _STRAIN: f"Strain law · {scene.strain.kind}",
            _SUPPORT: f"Contacts of the body · {_SUPPORTS[scene.support.kind]}",
            _START: f"Start · {_STARTS.get(scene.start.kind, scene.start.kind)}",
            _WORLD: "World",
            _GROUND: "Ground · µ " + (along if along == across else f"{along} along, {across} across"),
            _PATH: f"Path · {len(scene.path.waypoints_m)} waypoints" if scene.path else "Path · none",
            _OBSTACLES: f"Obstacles ({len(scene.obstacles)})",
            _RUN: f"Run · {format_number(scene.run.duration_s)} s",
        }.get(number)

    def flags(self, index: Index) -> Qt.ItemFlag:
        if not index.isValid():
            return Qt.ItemFlag.NoItemFlags
        number = int(index.internalId())
        if number in (_LINKS, _WORLD, _OBSTACLES):
            return Qt.ItemFlag.ItemIsEnabled
        return Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable

    def item(self, index: Index) -> Item | None:
        """What can be selected at an index."""
        if not index.isValid():
            return None
        number = int(index.internalId())
        if number >= _OBSTACLE:
            return "obstacle", number - _OBSTACLE
        if number >= _LINK:
            return "link", number - _LINK
        return _ITEMS.get(number)

    def index_of(self, item: Item) -> QModelIndex:
        """Where an item is."""
        kind, i = item
        if kind == "obstacle":
            node = self._node(_OBSTACLES)
            return self.index(i, 0, node) if node.isValid() else node
        if kind == "link":
            return self.index(i, 0, self._node(_LINKS))
        return self._node(next(number for number, known in _ITEMS.items() if known[0] == kind))

    # --- changes ---------------------------------------------------------------------------------------------------

    def _on_scene(self, before: Scene | None, after: Scene) -> None:
        old = self._scene
        if old is after:
            return
        if old.model.continuum != after.model.continuum:
            self.beginResetModel()
            self._scene = after
            self.endResetModel()
            return
        self._replace_rows(self._node(_LINKS), (0,) * n_parts(old), (0,) * n_parts(after), after, False)
        if old.obstacles is not after.obstacles and not after.model.continuum:
            self._replace_rows(self._node(_OBSTACLES), old.obstacles, after.obstacles, after, True)
        self._scene = after
        for number in (number for below in self._children.values() for number in below):
            node = self._node(number)
            self.dataChanged.emit(node, node)

    def _replace_rows(
        self, node: QModelIndex, old: tuple[Any, ...], new: tuple[Any, ...], after: Scene, obstacles: bool
    ) -> None:
        """Tell the views of rows that came and went between what both ends share."""
        same = min(len(old), len(new))
        if len(old) == len(new):
            if obstacles:
                self._scene = after
                changed = [i for i in range(same) if old[i] is not new[i] and old[i] != new[i]]
                if changed:
                    self.dataChanged.emit(self.index(changed[0], 0, node), self.index(changed[-1], 0, node))
            return
        first = next((i for i in range(same) if old[i] != new[i]), same)
        tail = next((i for i in range(same - first) if old[-1 - i] != new[-1 - i]), same - first)
        if len(old) - tail > first:
            self.beginRemoveRows(node, first, len(old) - tail - 1)
            kept = (*old[:first], *old[len(old) - tail :])
            self._take(kept, len(kept), obstacles)
            self.endRemoveRows()
        if len(new) - tail > first:
            self.beginInsertRows(node, first, len(new) - tail - 1)
            self._take(new, len(new), obstacles)
            self.endInsertRows()

    def _take(self, entries: tuple[Any, ...], count: int, obstacles: bool) -> None:
        if obstacles:
            self._scene = self._scene.model_copy(update={"obstacles": entries})
        elif self._scene.model.continuum:
            beam = self._scene.beam.model_copy(update={"sections": count})
            self._scene = self._scene.model_copy(update={"beam": beam})
        else:
            robot = self._scene.robot.model_copy(update={"n_links": count})
            self._scene = self._scene.model_copy(update={"robot": robot})
