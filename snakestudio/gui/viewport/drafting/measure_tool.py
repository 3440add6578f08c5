"""Measuring: two clicks, and a dimension between them that stays until Escape."""

from __future__ import annotations

import math

import numpy as np
from PySide6.QtCore import QObject, QPointF, Qt, Signal
from PySide6.QtGui import QKeyEvent, QMouseEvent

from snakestudio.drawing.obstacles import obstacles_of
from snakestudio.drawing.overlays import Overlays
from snakestudio.gui.viewport.viewport_api import ViewportApi
from snakestudio.model.snapshot import Fields
from snakestudio.text import decimal_text, length_text
from snakestudio.viewmodel.viewport.snapping import Snap, snapped

_SLACK = 4
_REACH = 12.0
"""Pixels: a press that moves less is a click; points nearer to the cursor than this are meant."""

FIRST = "Click the first point · Snaps to centres, corners and edges (Alt: off) · Esc: cancel"
SECOND = "Click the second point · Esc: cancel"


def measured(start: Snap, end: Snap) -> str:
    """What there is to tell about the way from one point to another: length, parts along x and y, direction."""
    dx, dy = (float(value) for value in end.point - start.point)
    angle = decimal_text(math.degrees(math.atan2(dy, dx)), 1)
    return (
        f"{length_text(math.hypot(dx, dy))}\nΔx {length_text(dx)}   Δy {length_text(dy)}   {angle}°"
    )


class MeasureTool(QObject):
    """Two points of the ground that are measured between.

    Signals
    -------
    changed()
        What is to be drawn of it, or its hint, changed.
    """

    changed = Signal()

    def __init__(self, viewport: ViewportApi) -> None:
        super().__init__(viewport.widget)
        self._viewport = viewport
        self.measuring = False
        self.start: Snap | None = None
        self.end: Snap | None = None
        self.cursor: Snap | None = None
        """Where a click would set a point; None where none is to be set."""
        self._pressed: QPointF | None = None

    @property
    def points(self) -> tuple[Snap, Snap] | None:
        """The two points, the second one perhaps still under the cursor; None if there are not two."""
        end = self.end or self.cursor
        return (self.start, end) if self.start is not None and end is not None else None

    @property
    def hint(self) -> str:
        """What the mouse would do, "" if nothing is being measured."""
        if not self.measuring:
            return ""
        return FIRST if self.start is None else SECOND

    def dress(self, overlays: Overlays) -> Overlays:
        """Nothing: dimensions are drawn over the picture."""
        return overlays

    def begin(self) -> None:
        """Measure from now on; what was measured before is forgotten."""
        self.cancel()
        self.measuring = True
        self._viewport.widget.setCursor(Qt.CursorShape.CrossCursor)
        self._viewport.widget.setFocus()
        self.changed.emit()

    def _snap(self, event: QMouseEvent) -> Snap | None:
        """The point that the cursor means; None at the horizon."""
        viewport = self._viewport
        found = viewport.ground(event.position())
        if found is None:
            return None
        point = np.array(found)
        if event.modifiers() & Qt.KeyboardModifier.AltModifier:
            return Snap(point)
        scene = viewport.scene
        snapshot = viewport.snapshot
        pose = (
            snapshot.link_pose if snapshot is not None and Fields.POSE in snapshot.valid else None
        )
        height = float(viewport.navigator.camera.view_height((*found, 0.0)))
        reach = _REACH * height / max(1, viewport.widget.height())
        return snapped(
            scene, obstacles_of(scene.obstacles, viewport.document.base_dir), pose, point, reach
        )

    # --- the mouse: the left button sets points, the others still move the camera -----------------

    def press(self, event: QMouseEvent) -> bool:
        """A button went down: there is the first point, or the second one."""
        if not self.measuring or event.button() != Qt.MouseButton.LeftButton:
            return False
        point = self._snap(event)
        if point is None:
            return True
        self._pressed = event.position()
        if self.start is None:
            self.start = point
        else:
            self._finish(point)
        self.changed.emit()
        return True

    def _finish(self, point: Snap) -> None:
        self.end = point
        self.cursor = None
        self.measuring = False
        self._viewport.widget.unsetCursor()

    def move(self, event: QMouseEvent) -> bool:
        """The mouse moved."""
        if not self.measuring:
            return self._pressed is not None
        self.cursor = self._snap(event)
        self.changed.emit()
        return self._pressed is not None or event.buttons() == Qt.MouseButton.NoButton

    def release(self, event: QMouseEvent) -> bool:
        """A button went up; where it was held on the way, that was the second point."""
        pressed = self._pressed
        if pressed is None or event.button() != Qt.MouseButton.LeftButton:
            return False
        self._pressed = None
        away = event.position() - pressed
        point = self._snap(event)
        if self.measuring and point is not None and abs(away.x()) + abs(away.y()) >= _SLACK:
            self._finish(point)
            self.changed.emit()
        return True

    def double_click(self, event: QMouseEvent) -> bool:
        """A button went down for the second time: a press like any other."""
        return self.press(event)

    def wants(self, event: QKeyEvent) -> bool:
        """Whether a key that is a shortcut of the window is meant for it just now."""
        return False

    def key(self, event: QKeyEvent) -> bool:
        """A key was pressed in the viewport."""
        return event.key() == Qt.Key.Key_Escape and self.cancel()

    def cancel(self) -> bool:
        """Forget what was measured; False if nothing was."""
        if not self.measuring and self.start is None:
            return False
        if self.measuring:
            self._viewport.widget.unsetCursor()
        self.measuring = False
        self.start = None
        self.end = None
        self.cursor = None
        self._pressed = None
        self.changed.emit()
        return True

    def leave(self) -> None:
        """The cursor left the viewport."""
        if self.cursor is not None:
            self.cursor = None
            self.changed.emit()
