"""Obstacles that are seen in the picture before they are in the scene: dragged out of the palette, or made an array."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from PySide6.QtCore import QMimeData, QObject, Signal

from snakestudio.drawing.overlays import Overlays, Pick
from snakestudio.model.edits.groups import with_obstacles
from snakestudio.model.edits.presets import PRESETS
from snakestudio.model.obstacles.shape import Obstacle
from snakestudio.model.scene import Scene

PRESET_MIME = "application/x-snakestudio-preset"
"""What is dragged out of the palette: the name of a preset."""


def dragged_preset(data: QMimeData) -> str:
    """The preset that is dragged, "" if it is something else."""
    name = bytes(data.data(PRESET_MIME).data()).decode() if data.hasFormat(PRESET_MIME) else ""
    return name if name in PRESETS else ""


class Preview(QObject):
    """Obstacles that belong to the picture alone; they are outlined like what is selected.

    Signals
    -------
    changed()
    """

    changed = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._obstacles: tuple[Obstacle, ...] = ()
        self._made: tuple[tuple[Obstacle, ...], Scene] | None = None

    @property
    def obstacles(self) -> tuple[Obstacle, ...]:
        """What is shown beside the scene's own."""
        return self._obstacles

    def show(self, obstacles: Sequence[Obstacle]) -> None:
        """Show these, in place of those before."""
        if tuple(obstacles) != self._obstacles:
            self._obstacles = tuple(obstacles)
            self._made = None
            self.changed.emit()

    def clear(self) -> None:
        """Show none."""
        self.show(())

    def dress(self, scene: Scene, overlays: Overlays) -> tuple[Scene, Overlays]:
        """A picture's scene and overlays with what is shown beside."""
        if not self._obstacles:
            return scene, overlays
        # The same tuple of obstacles for every picture: what is drawn of it is made only once.
        if self._made is None or self._made[0] is not scene.obstacles:
            self._made = (
                scene.obstacles,
                with_obstacles(scene, (*scene.obstacles, *self._obstacles)),
            )
        n = len(scene.obstacles)
        picks = tuple(Pick("obstacle", n + i) for i in range(len(self._obstacles)))
        dressed = scene.model_copy(update={"obstacles": self._made[1].obstacles})
        return dressed, replace(overlays, selection=(*overlays.selection, *picks))
