"""Adding, duplicating and deleting obstacles: one place for the menus, the scene tree and the keys."""

from __future__ import annotations

from collections.abc import Callable

from snakestudio.gui.docks.obstacle_edits import copies, new_obstacle
from snakestudio.gui.docks.obstacle_texts import kind_title, obstacle_mention
from snakestudio.gui.document import Document
from snakestudio.gui.selection import Selection
from snakestudio.model.edits import add_obstacle, remove_obstacles
from snakestudio.model.snapshot import Snapshot
from snakestudio.render.obstacles import obstacles_of

__all__ = ["ObstacleCommands"]

Place = tuple[float, float]


class ObstacleCommands:
    """What can be done with obstacles as a whole; everything is one step of undo.

    Parameters
    ----------
    document : Document
    selection : Selection
    snapshot : callable, optional
        Gives what the viewport shows, so that a new obstacle is not put onto the robot.
    target : callable, optional
        Gives the point of the ground that the viewport looks at, m.
    """

    def __init__(
        self,
        document: Document,
        selection: Selection,
        snapshot: Callable[[], Snapshot | None] = lambda: None,
        target: Callable[[], Place] = lambda: (1.0, 0.0),
    ) -> None:
        self._document, self._selection = document, selection
        self._snapshot, self._target = snapshot, target
        self.kind = ""
        """Kind that was added last."""

    @property
    def next_kind(self) -> str:
        """What is added if nobody says what: the kind added last, or that of the last obstacle."""
        obstacles = self._document.scene.obstacles
        return self.kind or (obstacles[-1].kind if obstacles else "cylinder")

    def add(self, kind: str = "") -> None:
        """Put an obstacle at a free place and select it."""
        document, scene = self._document, self._document.scene
        kind = kind or self.next_kind
        x, y = self._target()
        target = round(min(max(x, -9e3), 9e3), 2), round(min(max(y, -9e3), 9e3), 2)
        new = new_obstacle(scene, kind, self._snapshot(), target, document.base_dir)
        self.kind = kind
        document.edit(add_obstacle(scene, new), f"Add {kind_title(kind).lower()}")
        self._selection.set([("obstacle", len(scene.obstacles))])

    def duplicate(self) -> None:
        """Copy the selected obstacles and select the copies."""
        indices, scene = self._selection.obstacles, self._document.scene
        if not indices:
            return
        more = copies(scene, indices, obstacles_of(scene.obstacles, self._document.base_dir))
        self._document.edit(
            scene.model_copy(update={"obstacles": (*scene.obstacles, *more)}), f"Duplicate {self._what(indices)}"
        )
        first = len(scene.obstacles)
        self._selection.set([("obstacle", first + i) for i in range(len(more))])

    def delete(self) -> None:
        """Delete the selected obstacles."""
        indices = self._selection.obstacles
        if indices:
            text = f"Delete {self._what(indices)}"
            self._document.edit(remove_obstacles(self._document.scene, indices), text)

    def select_all(self) -> None:
        """Select every obstacle."""
        self._selection.set([("obstacle", i) for i in range(len(self._document.scene.obstacles))])

    def _what(self, indices: tuple[int, ...]) -> str:
        if len(indices) > 1:
            return f"{len(indices)} obstacles"
        return obstacle_mention(self._document.scene.obstacles[indices[0]], indices[0])
