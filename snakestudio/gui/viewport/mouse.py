"""Mouse actions in the viewport outside of tools: a click selects, a drag orbits, pans or drops objects."""

from __future__ import annotations

import enum
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QEvent, QObject, QPointF, Qt, Signal
from PySide6.QtGui import QDragEnterEvent, QDragMoveEvent, QDropEvent, QMouseEvent, QWheelEvent

from snakestudio.gui.core.preview import dragged_preset
from snakestudio.gui.viewport.gestures import Action, HeldButton, Target, action_for, action_of
from snakestudio.gui.viewport.tools.transform_tool import TransformTool
from snakestudio.gui.viewport.viewport_api import ViewportApi
from snakestudio.model.edits.presets import preset_obstacles
from snakestudio.viewmodel.scene.items import Item

_SLACK = 4
"""Maximum movement of a click, pixels."""


_DRAGS = frozenset({Action.ORBIT, Action.PAN, Action.MOVE_OBSTACLE})
_CLICKS = frozenset({Action.SELECT, Action.SELECT_ONE, Action.TOGGLE, Action.TOGGLE_ONE})
_PULL = frozenset({Action.PULL})


class _Mode(enum.Enum):
    IDLE = enum.auto()
    PRESSED = enum.auto()
    ORBIT = enum.auto()
    PAN = enum.auto()
    NOTHING = enum.auto()


class Mouse(QObject):
    """Turns the mouse events of a viewport into navigation and selection.

    Parameters
    ----------
    transforms : TransformTool
        Takes over a drag of the selection.
    hover : callable
        Called with the position of the cursor while no button is held.
    """

    def __init__(
        self, viewport: ViewportApi, transforms: TransformTool, hover: Callable[[QPointF], None]
    ) -> None:
        super().__init__(viewport.widget)
        self._viewport = viewport
        self._transforms = transforms
        self._hover = hover
        self._mode = _Mode.IDLE
        self._held = HeldButton()
        self._start = self._last = QPointF()
        self._item: Item | None = None
        self._pivot: NDArray[np.float64] = np.zeros(3)

    @property
    def busy(self) -> bool:
        """Whether a button is held."""
        return self._mode is not _Mode.IDLE

    def press(self, event: QMouseEvent) -> None:
        """Handle a press; its action is determined when the mouse moves or the button is released."""
        if self.busy:
            return
        self._viewport.navigator.finish()
        picked, self._item = self._viewport.item_at(event.position())
        self._pivot = self._viewport.navigator.pivot(picked.point if picked is not None else None)
        self._held.hold(event)
        self._start = self._last = event.position()
        self._mode = _Mode.PRESSED

    def move(self, event: QMouseEvent) -> None:
        """Handle a movement, with or without a button held."""
        position = event.position()
        if self._mode is _Mode.IDLE:
            self._hover(position)
            return
        if self._mode is _Mode.PRESSED:
            far = position - self._start
            if abs(far.x()) + abs(far.y()) < _SLACK:
                return
            self._mode = self._begin(event)
        dx, dy = position.x() - self._last.x(), position.y() - self._last.y()
        self._last = position
        navigator = self._viewport.navigator
        if self._mode is _Mode.ORBIT:
            navigator.orbit(dx, dy, self._pivot)
        elif self._mode is _Mode.PAN:
            size = self._viewport.widget.size()
            navigator.pan(
                2 * dx / max(1, size.width()), -2 * dy / max(1, size.height()), self._pivot
            )

    def _begin(self, event: QMouseEvent) -> _Mode:
        """Return the kind of drag that begins."""
        viewport = self._viewport
        item = self._item
        target: Target = ""
        if item is not None and item[0] == "obstacle":
            target = "selected obstacle" if item in viewport.selection else "obstacle"
        button = self._held.button
        modifiers = event.modifiers()
        action = action_of("drag", button, modifiers, target, _DRAGS)
        if action is Action.MOVE_OBSTACLE:
            if item is not None and item not in viewport.selection:
                viewport.selection.set(viewport.selection.with_group(item))
            if self._transforms.grab(self._start, self._pivot, self._held):
                self._transforms.move(event)
                return _Mode.IDLE  # the tool has taken over and receives all events first
            action = action_of("drag", button, modifiers, "", _DRAGS)
        if action is Action.PAN:
            viewport.widget.setCursor(Qt.CursorShape.ClosedHandCursor)
            return _Mode.PAN
        if action is None or action_of("drag", button, modifiers, "link", _PULL):
            return _Mode.NOTHING  # a link was missed that should have been pulled
        return _Mode.PAN if viewport.navigator.flat else _Mode.ORBIT

    def release(self, event: QMouseEvent) -> None:
        """Handle a release."""
        if not self._held.is_released_by(event):
            return
        if self._mode is _Mode.PRESSED:
            self._click(action_for(event, "click", "", _CLICKS))
        self._end()
        self._hover(event.position())

    def _click(self, action: Action | None) -> None:
        """Change the selection."""
        if action is None:
            return
        selection = self._viewport.selection
        item = self._item
        toggles = action in (Action.TOGGLE, Action.TOGGLE_ONE)
        if item is None:
            if not toggles:
                selection.clear()
            return
        alone = action in (Action.SELECT_ONE, Action.TOGGLE_ONE)
        items = frozenset([item]) if alone else selection.with_group(item)
        if toggles:
            selection.toggle(item, *items)
        else:
            selection.set(items)

    def cancel(self) -> bool:
        """Discard the held button; return False if none is held."""
        if not self.busy:
            return False
        self._end()
        return True

    def _end(self) -> None:
        self._mode = _Mode.IDLE
        self._viewport.widget.unsetCursor()

    def wheel(self, event: QWheelEvent) -> None:
        """Zoom to the object under the cursor."""
        notches = event.angleDelta().y() / 120.0
        viewport = self._viewport
        if not notches or self.busy or self._transforms.busy:
            return
        viewport.navigator.finish()
        picked = viewport.pick(event.position())
        point = viewport.navigator.pivot(picked.point if picked is not None else None)
        viewport.navigator.zoom(notches, viewport.ndc(event.position()), point)


_FARTHEST = 9e3
"""Maximum distance of dropped objects, m."""


class DropTarget(QObject):
    """Accepts presets that are dragged over a viewport; other drags are passed to the window.

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
        if isinstance(event, QDropEvent):  # includes enter and move events
            name = dragged_preset(event.mimeData())
            if not name or not self._viewport.document.scene.body.meets_obstacles:
                event.ignore()
                return True
            self._on_drag_or_drop(name, event)
            return True
        if event.type() == QEvent.Type.DragLeave:
            self._viewport.preview.clear()
            return True
        return False

    def _on_drag_or_drop(self, name: str, event: QDropEvent) -> None:
        position = self._ground_point(event.position())
        if isinstance(event, QDragEnterEvent) or position is not None:
            event.setDropAction(Qt.DropAction.CopyAction)
            event.accept()  # a drag that is rejected on entering sends no more events
        else:
            event.ignore()
        if not isinstance(event, QDragMoveEvent):
            self._viewport.preview.clear()
            if position is not None:
                self.dropped.emit(name, *position)
                self._viewport.widget.setFocus()
        elif position is None:
            self._viewport.preview.clear()
        else:
            self._viewport.preview.show(
                preset_obstacles(self._viewport.document.scene, name, position)
            )

    def _ground_point(self, position: QPointF) -> tuple[float, float] | None:
        """Point of the ground under the cursor, to the centimetre; None near the horizon."""
        point = self._viewport.ground(position)
        if point is None or max(abs(point[0]), abs(point[1])) > _FARTHEST:
            return None
        return round(point[0], 2), round(point[1], 2)
