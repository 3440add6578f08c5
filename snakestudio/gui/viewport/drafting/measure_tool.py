"""Measure tool: two clicks, and a dimension between them that stays until Escape."""

from __future__ import annotations

import math

import numpy as np
from PySide6.QtCore import QObject, QPointF, Qt, Signal
from PySide6.QtGui import QKeyEvent, QMouseEvent

from snakestudio.drawing.obstacles import obstacles_of
from snakestudio.drawing.overlays import Overlays
from snakestudio.gui.viewport.gestures import (
    Action,
    HeldButton,
    action_for,
    is_held,
    is_idle,
    trigger_of,
)
from snakestudio.gui.viewport.viewport_api import ViewportApi
from snakestudio.model.snapshot import Fields
from snakestudio.text import decimal_text, length_text
from snakestudio.viewmodel.viewport.snapping import Snap, snapped

_SLACK = 4
_REACH = 12.0
"""A press that moves less than this is a click; points nearer to the cursor than this are selected, pixels."""

_MEASURE = frozenset({Action.MEASURE})


def measured(start: Snap, end: Snap) -> str:
    """Text of a measurement between two points: length, x and y components, direction."""
    dx, dy = (float(value) for value in end.point - start.point)
    angle = decimal_text(math.degrees(math.atan2(dy, dx)), 1)
    return (
        f"{length_text(math.hypot(dx, dy))}\nΔx {length_text(dx)}   Δy {length_text(dy)}   {angle}°"
    )


class MeasureTool(QObject):
    """Measures between two points of the ground.

    Signals
    -------
    changed()
        The drawing or the hint changed.
    """

    changed = Signal()

    def __init__(self, viewport: ViewportApi) -> None:
        super().__init__(viewport.widget)
        self._viewport = viewport
        self.measuring = False
        self.start: Snap | None = None
        self.end: Snap | None = None
        self.cursor: Snap | None = None
        """Point that a click would set; None if none would be set."""
        self._pressed: QPointF | None = None
        self._button = HeldButton()

    @property
    def points(self) -> tuple[Snap, Snap] | None:
        """The two points, the second one possibly still under the cursor; None if there are not two."""
        end = self.end or self.cursor
        return (self.start, end) if self.start is not None and end is not None else None

    @property
    def hint(self) -> str:
        """Hint on what the mouse would do; "" if nothing is being measured."""
        if not self.measuring:
            return ""
        click = trigger_of(Action.MEASURE)
        if self.start is not None:
            return f"{click} the second point · Esc: cancel"
        off = trigger_of(Action.MEASURE_UNSNAPPED)
        snaps = f"Snaps to centres, corners and edges ({off}: off)"
        return f"{click} the first point · {snaps} · Esc: cancel"

    def add_overlays(self, overlays: Overlays) -> Overlays:
        """Add nothing: dimensions are drawn over the image."""
        return overlays

    def begin(self) -> None:
        """Start measuring; the last measurement is discarded."""
        self.cancel()
        self.measuring = True
        self._viewport.widget.setCursor(Qt.CursorShape.CrossCursor)
        self._viewport.widget.setFocus()
        self.changed.emit()

    def _snap(self, event: QMouseEvent) -> Snap | None:
        """Point meant by the cursor; None at the horizon."""
        viewport = self._viewport
        ground = viewport.ground(event.position())
        if ground is None:
            return None
        point = np.array(ground)
        if is_held(Action.MEASURE_UNSNAPPED, event.modifiers()):
            return Snap(point)
        scene = viewport.scene
        snapshot = viewport.snapshot
        pose = (
            snapshot.link_pose if snapshot is not None and Fields.POSE in snapshot.valid else None
        )
        height = float(viewport.navigator.camera.view_height((*ground, 0.0)))
        reach = _REACH * height / max(1, viewport.widget.height())
        return snapped(
            scene, obstacles_of(scene.obstacles, viewport.document.base_dir), pose, point, reach
        )

    # --- the mouse: other buttons still move the camera -------------------------------------------

    def press(self, event: QMouseEvent) -> bool:
        """Set the first or the second point."""
        if not self.measuring or action_for(event, "click", "measurement", _MEASURE) is None:
            return False
        point = self._snap(event)
        if point is None:
            return True
        self._pressed = event.position()
        self._button.hold(event)
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
        """Follow the mouse."""
        if not self.measuring:
            return self._pressed is not None
        self.cursor = self._snap(event)
        self.changed.emit()
        return self._pressed is not None or is_idle(event)

    def release(self, event: QMouseEvent) -> bool:
        """Set the second point if the mouse moved while the button was held."""
        pressed = self._pressed
        if pressed is None or not self._button.is_released_by(event):
            return False
        self._pressed = None
        away = event.position() - pressed
        point = self._snap(event)
        if self.measuring and point is not None and abs(away.x()) + abs(away.y()) >= _SLACK:
            self._finish(point)
            self.changed.emit()
        return True

    def double_click(self, event: QMouseEvent) -> bool:
        """Handle a double-click like a press."""
        return self.press(event)

    def wants(self, event: QKeyEvent) -> bool:
        """Whether a key that is a shortcut of the window is meant for the tool now."""
        return False

    def key(self, event: QKeyEvent) -> bool:
        """Handle a key pressed in the viewport."""
        return event.key() == Qt.Key.Key_Escape and self.cancel()

    def cancel(self) -> bool:
        """Discard the measurement; return whether there was one."""
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
        """Handle the cursor leaving the viewport."""
        if self.cursor is not None:
            self.cursor = None
            self.changed.emit()
