"""Commands on obstacles and friction patches as a whole, for menus, palette, tree and keys."""

from __future__ import annotations

from collections.abc import Callable

from snakestudio.errors import SnakeStudioError
from snakestudio.gui.core.document import Document
from snakestudio.gui.core.selection import Selection
from snakestudio.gui.scene.arrange_commands import ArrangeCommands
from snakestudio.model.edits import remove_obstacles, with_patches, with_value
from snakestudio.model.edits.groups import with_obstacles
from snakestudio.model.edits.presets import PRESETS, preset_obstacles
from snakestudio.model.labels import patch_title
from snakestudio.model.obstacles.shape import Obstacle
from snakestudio.model.snapshot import Snapshot
from snakestudio.viewmodel.scene.obstacle_edits import copies, new_obstacles

Point = tuple[float, float]

_FARTHEST = 9e3
"""Maximum distance of new obstacles from the origin, m."""


class ObstacleCommands:
    """Commands on obstacles as a whole; each is one undo step.

    Parameters
    ----------
    snapshot : callable, optional
        Returns the shown state, so that a new obstacle does not overlap the robot.
    target : callable, optional
        Returns the point of the ground at the centre of the view, m.
    show_message : callable, optional
        Shows a message about what could not be done.
    seen : callable, optional
        Returns whether the viewport shows a position on the ground (x, y), m.
    """

    def __init__(
        self,
        document: Document,
        selection: Selection,
        snapshot: Callable[[], Snapshot | None] = lambda: None,
        target: Callable[[], Point] = lambda: (1.0, 0.0),
        show_message: Callable[[str], object] = lambda sentence: None,
        seen: Callable[[float, float], bool] = lambda x, y: True,
    ) -> None:
        self._document = document
        self._selection = selection
        self._snapshot = snapshot
        self._target = target
        self._seen = seen
        self._show_message = show_message
        self.arrange = ArrangeCommands(document, selection, show_message)
        self.kind = ""
        """Preset that was added last."""

    @property
    def next_kind(self) -> str:
        """Default to add: the preset added last, or the kind of the last obstacle."""
        obstacles = self._document.scene.obstacles
        names = (self.kind, *(obstacle.kind for obstacle in reversed(obstacles)))
        # a plug-in may have been unloaded
        return next((name for name in names if name in PRESETS), "cylinder")

    def add(self, name: str = "", position: Point | None = None) -> None:
        """Add a preset at a position, or at a free one if omitted, and select it."""
        name = name or self.next_kind
        self.kind = name
        new = (
            self.fresh(name)
            if position is None
            else preset_obstacles(self._document.scene, name, position)
        )
        self.put(new, f"Add {PRESETS[name].title.lower()}")

    def fresh(self, name: str) -> tuple[Obstacle, ...]:
        """Return the obstacles of a preset at a free position, without changing the scene."""
        document = self._document
        x, y = self._target()
        target = (
            round(min(max(x, -_FARTHEST), _FARTHEST), 2),
            round(min(max(y, -_FARTHEST), _FARTHEST), 2),
        )
        return new_obstacles(
            document.scene, name, self._snapshot(), target, document.base_dir, self._seen
        )

    def put(self, new: tuple[Obstacle, ...], text: str) -> None:
        """Add obstacles as one undo step and select them."""
        scene = self._document.scene
        first = len(scene.obstacles)
        self._document.edit(with_obstacles(scene, (*scene.obstacles, *new)), text)
        self._selection.set([("obstacle", first + i) for i in range(len(new))])

    def duplicate(self) -> None:
        """Copy the selected obstacles and select the copies."""
        indices = self.arrange.unlocked("duplicated")
        if indices:
            text = f"Duplicate {self.arrange.what(indices)}"
            self.put(copies(self._document.scene, indices, self._seen), text)

    def delete(self) -> None:
        """Delete the selected obstacles and friction patches."""
        indices = self.arrange.unlocked("deleted")
        patches = self._selection.patches
        scene = self._document.scene
        names = []
        if patches:
            first = scene.ground.patch[patches[0]]
            names.append(
                patch_title(first, patches[0])
                if len(patches) == 1
                else f"{len(patches)} friction patches"
            )
            left = tuple(patch for i, patch in enumerate(scene.ground.patch) if i not in patches)
            scene = with_patches(scene, left)
        if indices:
            names.insert(0, self.arrange.what(indices))
            scene = remove_obstacles(scene, indices)
        if names:
            self._document.edit(scene, f"Delete {' and '.join(names)}")

    def rename_patch(self, index: int, name: str) -> bool:
        """Rename a friction patch (0-based); return False, with a message, if that is not possible."""
        scene = self._document.scene
        name = name.strip()
        old = scene.ground.patch[index]
        if name == old.name:
            return True
        try:
            renamed = with_value(scene, f"ground.patch[{index + 1}].name", name)
        except SnakeStudioError as error:
            self._show_message(str(error))
            return False
        self._document.edit(renamed, f"Rename {patch_title(old, index)}")
        return True

    def select_all(self) -> None:
        """Select every obstacle."""
        self._selection.set([("obstacle", i) for i in range(len(self._document.scene.obstacles))])
