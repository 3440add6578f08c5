"""Dragging obstacles over the ground: one drag is one step of undo, and Escape puts them back."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QObject, QTimer

from snakestudio.gui.docks.obstacle_texts import obstacle_mention
from snakestudio.gui.document import Document
from snakestudio.gui.viewport.ground import on_plane
from snakestudio.model.edits import move_obstacles
from snakestudio.render.camera import Camera

__all__ = ["ObstacleDrag"]

INTERVAL_MS = 30
"""A running simulation takes over every edit: more of them than are seen would only slow it down."""


class ObstacleDrag(QObject):
    """One drag of some obstacles.

    Parameters
    ----------
    document : Document
    indices : sequence of int
        Obstacles that are dragged, 0-based.
    camera : Camera
        As the drag began.
    ndc : (float, float)
        Where it began, in normalised device coordinates.
    aspect : float
    height : float
        Height above the ground of the point that was grabbed, m: it stays under the cursor.
    """

    def __init__(
        self,
        document: Document,
        indices: Sequence[int],
        camera: Camera,
        ndc: tuple[float, float],
        aspect: float,
        height: float,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._document = document
        self._indices = tuple(indices)
        self._before = document.scene
        self._camera, self._aspect, self._height = camera, aspect, height
        self._grabbed = self._on_plane(ndc)
        self._gesture = document.new_gesture()
        self._shift = (0.0, 0.0)
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(INTERVAL_MS)
        self._timer.timeout.connect(self._apply)

    @property
    def shift(self) -> tuple[float, float]:
        """By how much the obstacles are moved, m."""
        return self._shift

    def move(self, ndc: tuple[float, float], *, axis: str = "") -> None:
        """The cursor is there now; `axis` "x" or "y" keeps to that direction."""
        now = self._on_plane(ndc)
        if now is None or self._grabbed is None:
            return
        dx, dy = now[0] - self._grabbed[0], now[1] - self._grabbed[1]
        self._shift = (0.0 if axis == "y" else dx, 0.0 if axis == "x" else dy)
        if not self._timer.isActive():
            self._timer.start()

    def finish(self) -> None:
        """Leave the obstacles where they are."""
        self._timer.stop()
        self._apply()

    def cancel(self) -> None:
        """Put them back where they were; nothing is left to undo."""
        self._timer.stop()
        self._document.edit(self._before, self._text(), self._gesture)

    def _text(self) -> str:
        if len(self._indices) > 1:
            return f"Move {len(self._indices)} obstacles"
        return f"Move {obstacle_mention(self._before.obstacles[self._indices[0]], self._indices[0])}"

    def _apply(self) -> None:
        if self._shift == (0.0, 0.0) and self._document.scene == self._before:
            return
        # Tenths of a millimetre: nobody aims finer with a mouse, and the file stays readable.
        dx, dy = (round(value, 4) for value in self._shift)
        try:
            moved = move_obstacles(self._before, self._indices, dx, dy)
        except ValueError:
            return  # farther away than an obstacle may be
        tidy = tuple(
            o.model_copy(update={"x_m": round(o.x_m, 6), "y_m": round(o.y_m, 6)}) if i in self._indices else o
            for i, o in enumerate(moved.obstacles)
        )
        self._document.edit(moved.model_copy(update={"obstacles": tidy}), self._text(), self._gesture)

    def _on_plane(self, ndc: tuple[float, float]) -> tuple[float, float] | None:
        """Where the cursor is at the height of the grabbed point, m; None far off."""
        return on_plane(self._camera, ndc, self._aspect, self._height)
