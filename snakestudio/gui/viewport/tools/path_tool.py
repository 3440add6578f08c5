"""Path in the viewport: drawing a new one point by point, dragging and removing waypoints."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
from PySide6.QtCore import QObject, QPointF, Qt, Signal
from PySide6.QtGui import QKeyEvent, QMouseEvent

from snakestudio.drawing.overlays import Overlays
from snakestudio.errors import SceneError
from snakestudio.gui.core.delay import Delay
from snakestudio.gui.viewport.gestures import Action, HeldButton, action_for, hint_of, is_idle
from snakestudio.gui.viewport.tools.tool import INTERVAL_MS
from snakestudio.gui.viewport.viewport_api import ViewportApi
from snakestudio.model.edits import with_path
from snakestudio.model.ground_path import GroundPath, Waypoint
from snakestudio.model.scene import Scene
from snakestudio.model.track import track

SLACK = 4
REACH = 11
"""A press that moves less is a click; a waypoint nearer to the cursor is selected, pixels."""

_MOVE = frozenset({Action.MOVE_WAYPOINT})
_REMOVE = frozenset({Action.REMOVE_WAYPOINT})
_DRAW = frozenset({Action.SET_POINT})
_FINISH = frozenset({Action.FINISH_DRAWING})
_INSERT = frozenset({Action.ADD_WAYPOINT})


def waypoint_hint() -> str:
    """Hint on what the mouse does to a waypoint or a corner."""
    return f"{hint_of(Action.MOVE_WAYPOINT, 'move')} · {hint_of(Action.REMOVE_WAYPOINT, 'remove')}"


class PathTool(QObject):
    """Edits the path with mouse and keys; every change is one undo step.

    Signals
    -------
    changed()
        The drawing changed, or drawing started or ended.
    """

    changed = Signal()

    def __init__(self, viewport: ViewportApi) -> None:
        super().__init__(viewport.widget)
        self._viewport = viewport
        self.drawing = False
        self.hovered = -1
        """0-based waypoint under the cursor, or the dragged one; -1: none."""
        self._points: list[Waypoint] = []
        self._cursor: Waypoint | None = None
        self._pressed: QPointF | None = None
        self._button = HeldButton()
        self._action: Action | None = None
        self._dragged = False
        self._scene_before: Scene | None = None
        self._gesture = 0
        self._target: Waypoint | None = None
        self._timer = Delay(INTERVAL_MS, self._move_waypoint, self)

    # --- state ------------------------------------------------------------------------------------

    @property
    def draft(self) -> GroundPath | None:
        """Path being drawn, up to the cursor; None if none is."""
        if not self.drawing:
            return None
        points = [*self._points, *([self._cursor] if self._cursor is not None else [])]
        present = self._viewport.document.scene.path
        return GroundPath(waypoints_m=tuple(points), shape=present.shape)

    def add_overlays(self, overlays: Overlays) -> Overlays:
        """Add the path being drawn and the highlighted waypoint to the overlays."""
        return replace(overlays, draft=self.draft, waypoint=self.hovered)

    @property
    def hint(self) -> str:
        """Hint on what the mouse would do to the path; "" if nothing."""
        if self.drawing:
            click = hint_of(Action.SET_POINT, "set a waypoint")
            return f"{click} · Enter: finish · Backspace: remove the last · Esc: cancel"
        points = self._viewport.document.scene.path.waypoints_m
        if not 0 <= self.hovered < len(points):
            return ""
        x, y = points[self.hovered]
        return f"Waypoint {self.hovered + 1} · {x:.3f}, {y:.3f} m · {waypoint_hint()}"

    @property
    def holding(self) -> bool:
        """Whether a waypoint is held."""
        return self._pressed is not None and not self.drawing

    def _waypoint_at(self, position: QPointF) -> int:
        viewport = self._viewport
        if not viewport.options.now.path or viewport.scene.path != viewport.document.scene.path:
            return -1
        nearest = -1
        least = float(REACH)
        for index, point in enumerate(viewport.scene.path.waypoints_m):
            distance = self._near(point, position)
            if distance < least:
                nearest = index
                least = distance
        return nearest

    def _near(self, point: Waypoint, position: QPointF) -> float:
        """Distance of a point of the ground from a position in the view, pixels."""
        away = self._viewport.pixel((*point, 0.0)) - position
        return math.hypot(away.x(), away.y())

    def _ground(self, position: QPointF) -> Waypoint | None:
        """Point of the ground under the cursor, to the millimetre; None at the horizon and beyond the limits."""
        point = self._viewport.ground(position)
        if point is None or max(abs(point[0]), abs(point[1])) > 1e4:
            return None
        return round(point[0], 3), round(point[1], 3)

    # --- drawing ----------------------------------------------------------------------------------

    def begin(self) -> None:
        """Start drawing a path; the current one stays until the new one is finished."""
        self.cancel()
        self.drawing = True
        self._points = []
        self._cursor = None
        self.hovered = -1
        self._viewport.widget.setCursor(Qt.CursorShape.CrossCursor)
        self._viewport.widget.setFocus()
        self.changed.emit()

    def finish(self) -> None:
        """Set the drawn path, unless it is a single point."""
        points = tuple(self._points)
        self._stop()
        document = self._viewport.document
        if len(points) > 1:
            path = document.scene.path.model_copy(update={"waypoints_m": points, "closed": False})
            document.edit(with_path(document.scene, path), "Draw path")

    def _stop(self) -> None:
        self.drawing = False
        self._points = []
        self._cursor = None
        self._pressed = None
        self._viewport.widget.unsetCursor()
        self.changed.emit()

    def _add(self, position: QPointF) -> None:
        point = self._ground(position)
        if point is None or (self._points and self._near(self._points[-1], position) < SLACK):
            return  # an unsteady hand clicks twice at one position
        if not (self._points and GroundPath(waypoints_m=(self._points[-1], point)).mistakes()):
            self._points.append(point)
            self.changed.emit()

    # --- the mouse: each returns whether the event was handled ----- ----------------------------

    def press(self, event: QMouseEvent) -> bool:
        """Handle a press. The camera can be moved while drawing, so only a click counts."""
        if self.drawing:
            if action_for(event, "click", "drawing", _DRAW) is not None:
                self._pressed = event.position()
                self._button.hold(event)
            return False
        if self._pressed is not None:
            return True
        self.hovered = self._waypoint_at(event.position())
        self._action = action_for(event, "drag", "waypoint", _MOVE) or action_for(
            event, "click", "waypoint", _REMOVE
        )
        if self.hovered < 0 or self._action is None:
            return False
        self._button.hold(event)
        self._pressed = event.position()
        self._dragged = False
        self._scene_before, self._gesture = (
            self._viewport.document.scene,
            self._viewport.document.new_gesture(),
        )
        self.changed.emit()
        return True

    def move(self, event: QMouseEvent) -> bool:
        """Handle a movement."""
        position = event.position()
        if self.drawing:
            self._cursor = self._ground(position)
            self.changed.emit()
            return False
        if self._pressed is None:
            hovered = self._waypoint_at(position) if is_idle(event) else -1
            if hovered != self.hovered:
                self.hovered = hovered
                self.changed.emit()
            return hovered >= 0
        away = position - self._pressed
        if self._action is Action.MOVE_WAYPOINT and (
            self._dragged or abs(away.x()) + abs(away.y()) >= SLACK
        ):
            self._dragged, self._target = True, self._ground(position)
            self._viewport.widget.setCursor(Qt.CursorShape.SizeAllCursor)
            self._timer.request()
        return True

    def release(self, event: QMouseEvent) -> bool:
        """Handle a release."""
        pressed = self._pressed
        if pressed is None:
            return False
        away = event.position() - pressed
        click = abs(away.x()) + abs(away.y()) < SLACK
        if self.drawing:
            self._pressed = None
            if click and self._button.is_released_by(event):
                self._add(event.position())
                return True
            return False
        if not self._button.is_released_by(event):
            return True
        self._timer.stop()
        if self._dragged:
            self._move_waypoint()
        elif click and self._action is Action.REMOVE_WAYPOINT:
            self.remove(self.hovered)
        self._release()
        return True

    def double_click(self, event: QMouseEvent) -> bool:
        """Finish the path being drawn (the first click has set the last waypoint), or add a waypoint."""
        if self.drawing:
            finishes = action_for(event, "double-click", "drawing", _FINISH) is not None
            if finishes:
                self.finish()
            return finishes
        inserts = action_for(event, "double-click", "", _INSERT) is not None
        return inserts and self.insert(event.position())

    def wants(self, event: QKeyEvent) -> bool:
        """Whether a key that is a shortcut of the window is meant for the tool now."""
        return False

    def key(self, event: QKeyEvent) -> bool:
        """Handle a key pressed in the viewport."""
        key = event.key()
        if key == Qt.Key.Key_Escape:
            return self.cancel()
        if not self.drawing:
            return key == Qt.Key.Key_Delete and self.remove_hovered()
        if key in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.finish()
        elif key in (Qt.Key.Key_Backspace, Qt.Key.Key_Delete):
            self._points = self._points[:-1]
            self.changed.emit()
        else:
            return False
        return True

    def cancel(self) -> bool:
        """Cancel drawing, or restore a dragged waypoint; return False if neither is in progress."""
        if self.drawing:
            self._stop()
            return True
        if self._pressed is None:
            return False
        self._timer.stop()
        if self._dragged and self._scene_before is not None:
            self._viewport.document.edit(self._scene_before, self._text(), self._gesture)
        self._release()
        return True

    def leave(self) -> None:
        """Handle the cursor leaving the viewport."""
        if self._pressed is None and (self.hovered >= 0 or self._cursor is not None):
            self.hovered = -1
            self._cursor = None
            self.changed.emit()

    # --- edits ------------------------------------------------------------------------------------

    def remove(self, index: int) -> None:
        """Remove a waypoint (0-based) of the path; the last two are removed together."""
        document = self._viewport.document
        path = document.scene.path
        left = tuple(point for k, point in enumerate(path.waypoints_m) if k != index)
        left = left if len(left) > 1 else ()
        shorter = path.model_copy(
            update={"waypoints_m": left, "closed": path.closed and len(left) > 2}
        )
        self.hovered = -1
        try:
            document.edit(with_path(document.scene, shorter), f"Remove waypoint {index + 1}")
        except SceneError:
            return  # the remaining points would coincide
        self.changed.emit()

    def remove_hovered(self) -> bool:
        """Remove the waypoint under the cursor; return False if there was none."""
        if self.drawing or self._pressed is not None or self.hovered < 0:
            return False
        self.remove(self.hovered)
        return True

    def insert(self, position: QPointF) -> bool:
        """Add a waypoint on the path under the cursor; return False if the path is not there."""
        viewport = self._viewport
        document = self._viewport.document
        path = document.scene.path
        under = self._ground(position)
        if (
            not path
            or under is None
            or not viewport.options.now.path
            or viewport.scene.path != path
        ):
            return False
        route = track(path)
        s = min(max(route.nearest(np.array(under)), 0.0), route.length)
        x, y = (round(float(value), 3) for value in route.pose(s)[0])
        if self._near((x, y), position) > REACH or self._waypoint_at(position) >= 0:
            return False
        index = int(np.searchsorted(route.waypoints, s))
        points = (*path.waypoints_m[:index], (x, y), *path.waypoints_m[index:])
        longer = path.model_copy(update={"waypoints_m": points})
        try:
            document.edit(with_path(document.scene, longer), f"Add waypoint {index + 1}")
        except SceneError:
            return False  # the waypoint coincides with its neighbour
        self.hovered = index
        self.changed.emit()
        return True

    def clear(self) -> None:
        """Remove the path."""
        document = self._viewport.document
        empty = document.scene.path.model_copy(update={"waypoints_m": (), "closed": False})
        document.edit(with_path(document.scene, empty), "Remove path")

    def _text(self) -> str:
        return f"Move waypoint {self.hovered + 1}"

    def _move_waypoint(self) -> None:
        if self._scene_before is None or self._target is None:
            return
        path = self._scene_before.path
        points = list(path.waypoints_m)
        points[self.hovered] = self._target
        try:
            moved = with_path(
                self._scene_before, path.model_copy(update={"waypoints_m": tuple(points)})
            )
        except SceneError:
            return  # the waypoint currently coincides with its neighbour
        self._viewport.document.edit(moved, self._text(), self._gesture)

    def _release(self) -> None:
        self._pressed = None
        self._scene_before = None
        self._target = None
        self._dragged = False
        self._viewport.widget.unsetCursor()
        self.changed.emit()
