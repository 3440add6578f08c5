"""Preview of obstacles that are not yet in the scene: dragged from the palette, or part of an array."""

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
"""MIME type of the name of a preset that is dragged from the palette."""


def dragged_preset(data: QMimeData) -> str:
    """Return the dragged preset; "" for other data."""
    name = bytes(data.data(PRESET_MIME).data()).decode() if data.hasFormat(PRESET_MIME) else ""
    return name if name in PRESETS else ""


class Preview(QObject):
    """Obstacles that are only drawn; they are outlined as if selected.

    Signals
    -------
    changed()
    """

    changed = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._obstacles: tuple[Obstacle, ...] = ()
        self._combined: tuple[tuple[Obstacle, ...], Scene] | None = None

    @property
    def obstacles(self) -> tuple[Obstacle, ...]:
        """Obstacles that are shown in addition to those of the scene."""
        return self._obstacles

    def show(self, obstacles: Sequence[Obstacle]) -> None:
        """Replace the obstacles that are shown."""
        if tuple(obstacles) != self._obstacles:
            self._obstacles = tuple(obstacles)
            self._combined = None
            self.changed.emit()

    def clear(self) -> None:
        """Remove all."""
        self.show(())

    def add_to(self, scene: Scene, overlays: Overlays) -> tuple[Scene, Overlays]:
        """Return scene and overlays of a frame with the preview added."""
        if not self._obstacles:
            return scene, overlays
        # The same tuple of obstacles for every frame, so that its geometry is made only once.
        if self._combined is None or self._combined[0] is not scene.obstacles:
            self._combined = (
                scene.obstacles,
                with_obstacles(scene, (*scene.obstacles, *self._obstacles)),
            )
        n = len(scene.obstacles)
        picks = tuple(Pick("obstacle", n + i) for i in range(len(self._obstacles)))
        previewed = scene.model_copy(update={"obstacles": self._combined[1].obstacles})
        return previewed, replace(overlays, selection=(*overlays.selection, *picks))
