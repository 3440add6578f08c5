"""Dropping things out of the palette into the viewport: they are seen at the ground under the cursor before."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, QPointF, Qt, Signal
from PySide6.QtGui import QDragEnterEvent, QDragMoveEvent, QDropEvent

from snakestudio.gui.core.preview import dragged_preset
from snakestudio.gui.viewport.viewport_api import ViewportApi
from snakestudio.model.edits.presets import preset_obstacles

__all__ = ["DropTarget"]

_FARTHEST = 9e3
"""Nothing is dropped farther away than this, m."""


class DropTarget(QObject):
    """Takes presets that are dragged over a viewport; what else is dragged goes on to the window.

    Signals
    -------
    dropped(name: str, x: float, y: float)
        A preset was dropped at a point of the ground, m.
    """

    dropped = Signal(str, float, float)

    def __init__(self, viewport: ViewportApi) -> None:
        super().__init__(viewport.widget)
        self._viewport = viewport
        viewport.widget.setAcceptDrops(True)
        viewport.widget.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if isinstance(event, QDropEvent):  # of which entering and moving are kinds
            name = dragged_preset(event.mimeData())
            if not name or not self._viewport.document.scene.body.meets_obstacles:
                event.ignore()
                return True
            self._take(name, event)
            return True
        if event.type() == QEvent.Type.DragLeave:
            self._viewport.preview.clear()
            return True
        return False

    def _take(self, name: str, event: QDropEvent) -> None:
        place = self._place(event.position())
        if isinstance(event, QDragEnterEvent) or place is not None:
            event.setDropAction(Qt.DropAction.CopyAction)
            event.accept()  # a drag that is refused where it enters is not told of any more
        else:
            event.ignore()
        if not isinstance(event, QDragMoveEvent):
            self._viewport.preview.clear()
            if place is not None:
                self.dropped.emit(name, *place)
                self._viewport.widget.setFocus()
        elif place is None:
            self._viewport.preview.clear()
        else:
            self._viewport.preview.show(preset_obstacles(self._viewport.document.scene, name, place))

    def _place(self, position: QPointF) -> tuple[float, float] | None:
        """The point of the ground under the cursor, to the centimetre; None towards the horizon."""
        found = self._viewport.ground(position)
        if found is None or max(abs(found[0]), abs(found[1])) > _FARTHEST:
            return None
        return round(found[0], 2), round(found[1], 2)
