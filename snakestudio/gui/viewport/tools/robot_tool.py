"""Robot's start in the viewport: dragging a link moves or rotates the robot, dragging a handle bends a joint."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from PySide6.QtCore import QObject, QPointF, Qt, Signal
from PySide6.QtGui import QKeyEvent, QMouseEvent

from snakestudio._arrays import FloatArray
from snakestudio.drawing.overlays import Overlays
from snakestudio.errors import SceneError
from snakestudio.gui.core.delay import Delay
from snakestudio.gui.viewport.gestures import (
    Action,
    HeldButton,
    action_for,
    hint_of,
    is_held,
    is_idle,
)
from snakestudio.gui.viewport.tools.tool import INTERVAL_MS
from snakestudio.gui.viewport.viewport_api import ViewportApi
from snakestudio.model.edits.bending import joint_points
from snakestudio.model.robot.joint_axes import kinds_of
from snakestudio.model.robot.pose import initial_joint_angles
from snakestudio.text import decimal_text
from snakestudio.viewmodel.scene.items import refusal_text
from snakestudio.viewmodel.viewport.robot_drag import Arc, Bend, Displacement, Drag, Move, Turn

_SLACK = 4
_REACH = 10
"""A press that moves less is a click; a joint's handle nearer to the cursor is selected, pixels."""

_BENDS = frozenset({Action.BEND, Action.BEND_OTHER_AXIS})
_PLACEMENTS = frozenset({Action.MOVE_ROBOT, Action.TURN_ROBOT})


class RobotTool(QObject):
    """Edits the robot at its start with the mouse; every drag is one undo step.

    Parameters
    ----------
    drawing : callable
        Returns whether a path is being drawn.

    Signals
    -------
    changed()
        The drawing or the hint changed.
    """

    changed = Signal()

    def __init__(self, viewport: ViewportApi, drawing: Callable[[], bool]) -> None:
        super().__init__(viewport.widget)
        self._viewport = viewport
        self._drawing = drawing
        self.hovered = -1
        """0-based joint whose handle is under the cursor, or dragged; -1: none."""
        self._drag: Drag | None = None
        self._dragged = False
        self._given_up = False
        self._pressed = self._cursor = QPointF()
        self._button = HeldButton()
        self._coarse = self._follow = False
        self._grabbed: FloatArray = np.zeros(3)
        self._camera = viewport.navigator.camera
        self._gesture = 0
        self._refusal = ""
        self._timer = Delay(INTERVAL_MS, self._apply, self)

    # --- state ------------------------------------------------------------------------------------

    @property
    def _chosen(self) -> bool:
        """Whether the robot, a link or its start is selected."""
        return any(
            kind in ("link", "robot", "beam", "start") for kind, _ in self._viewport.selection.items
        )

    def handles(self) -> FloatArray:
        """Positions of the joints' handles, (k, 3), m; empty if no joint can be bent."""
        viewport = self._viewport
        snapshot = viewport.snapshot
        if (
            snapshot is None
            or not self._chosen
            or not viewport.document.scene.body.jointed
            or not viewport.placeable
        ):
            return np.zeros((0, 3))
        points = joint_points(snapshot.link_pose, viewport.document.scene.robot)
        return points if np.isfinite(points).all() else np.zeros((0, 3))

    @property
    def arc(self) -> Arc | None:
        """Angle that is being changed; None if none is."""
        return self._drag.arc if self._dragged and self._drag is not None else None

    @property
    def label(self) -> tuple[QPointF, str] | None:
        """Position of the cursor, and text of the robot's displacement; None if it is not dragged."""
        moves = self._dragged and isinstance(self._drag, Move)
        return (
            (self._cursor, self._drag.amount)
            if moves and self._drag is not None and self._drag.amount
            else None
        )

    @property
    def hint(self) -> str:
        """Hint on what the mouse would do to the robot; "" if nothing."""
        if self._dragged and self._drag is not None:
            if self._refusal:
                return self._refusal
            keys = hint_of(Action.ROUND_AMOUNT, "steps of 5°")
            if isinstance(self._drag, Move):
                keys = f"X or Y: constrain to axis · {hint_of(Action.ROUND_AMOUNT, 'whole centimetres')}"
            return f"{self._drag.amount} · {keys} · Esc: cancel"
        if self.hovered >= 0:
            kinds = kinds_of(self._viewport.document.scene.body.axes, self.hovered)
            if not kinds:
                return f"{self._joint_text()} · fixed"
            does = {
                "yaw": "bend",
                "pitch": "bend up and down",
                "roll": "roll",
            }
            parts = [self._joint_text(), hint_of(Action.BEND, does[kinds[0]])]
            if len(kinds) > 1:
                parts.append(hint_of(Action.BEND_OTHER_AXIS, does[kinds[1]]))
            return " · ".join([*parts, hint_of(Action.ROUND_AMOUNT, "steps of 5°")])
        item = self._viewport.selection.hovered
        if item is None or item[0] != "link" or not self._grabs(item[1]):
            return ""
        move = hint_of(Action.MOVE_ROBOT, "move the robot", "selected link")
        turn = hint_of(Action.TURN_ROBOT, "rotate it", "selected link")
        can = f"{move} · {turn}" if self._viewport.placeable else "reset to move the robot"
        return f"{self._viewport.document.scene.body.part_title(item[1])} · {can}"

    def _joint_text(self) -> str:
        """Text of the joint under the cursor and its angles."""
        viewport = self._viewport
        try:
            angles = np.degrees(
                initial_joint_angles(viewport.document.scene, viewport.document.base_dir)
            )
        except SceneError:
            return f"Joint {self.hovered + 1}"
        axes = viewport.document.scene.body.axes
        values = [
            f"{'' if axis.kind == 'yaw' else f'{axis.kind} '}{decimal_text(angle + 0.0, 1)}°"
            for axis, angle in zip(axes, angles.tolist(), strict=True)
            if axis.joint == self.hovered
        ]
        return " · ".join([f"Joint {self.hovered + 1}", *([", ".join(values)] if values else [])])

    def add_overlays(self, overlays: Overlays) -> Overlays:
        """Add nothing: handles are drawn over the view in constant size."""
        return overlays

    def _grabs(self, link: int) -> bool:
        """Whether dragging a link moves the robot: if the link, or the robot as a whole, is selected."""
        items = self._viewport.selection.items
        return ("link", link) in items or any(
            kind in ("robot", "beam", "start") for kind, _ in items
        )

    def _joint_at(self, position: QPointF) -> int:
        points = self.handles()
        if not len(points):
            return -1
        viewport = self._viewport
        seen = viewport.navigator.camera.project(points, viewport.navigator.aspect)[:, :2]
        ndc = np.array(viewport.ndc(position))
        away = np.hypot(
            *((seen - ndc) * (0.5 * viewport.widget.width(), 0.5 * viewport.widget.height())).T
        )
        away[np.isnan(away)] = np.inf
        nearest = int(np.argmin(away))
        return nearest if away[nearest] <= _REACH else -1

    # --- the mouse: each returns whether the event was handled ----- ---------------------------

    def press(self, event: QMouseEvent) -> bool:
        """Handle a press. A click on a link still selects, so the event is accepted only after a drag."""
        if self._drag is not None:
            return True
        self._given_up = False
        viewport = self._viewport
        if not viewport.placeable or self._drawing():
            return False
        snapshot = viewport.snapshot
        scene = viewport.document.scene
        base_dir = viewport.document.base_dir
        assert snapshot is not None
        joint = self._joint_at(event.position())
        kinds = kinds_of(scene.body.axes, joint)
        bend = action_for(event, "drag", "joint", _BENDS)
        if kinds and bend is not None:
            axis: Any = kinds[1 if len(kinds) > 1 and bend is Action.BEND_OTHER_AXIS else 0]
            at = self.handles()[joint]
            self.hovered = joint
            drag = Bend(scene, base_dir, snapshot.link_pose, joint=joint, axis=axis, at=at)
            self._begin(drag, event, at)
            return True
        picked, item = viewport.item_at(event.position())
        if item is None or picked is None or item[0] != "link":
            return False
        grabs = self._grabs(item[1])
        action = action_for(event, "drag", "selected link" if grabs else "link", _PLACEMENTS)
        if action is None:
            return False
        if not grabs:
            viewport.selection.set([item])
        grabbed = np.array(picked.point)
        if action is Action.TURN_ROBOT:
            self._begin(
                Turn(scene, base_dir, snapshot.link_pose, link=item[1], grabbed=grabbed),
                event,
                grabbed,
            )
        else:
            self._begin(Move(scene, base_dir, snapshot.link_pose), event, grabbed)
        return False

    def _begin(self, drag: Drag, event: QMouseEvent, grabbed: FloatArray) -> None:
        self._drag = drag
        self._button.hold(event)
        self._dragged = False
        self._grabbed = grabbed
        self._refusal = ""
        self._pressed = self._cursor = event.position()
        self._gesture = self._viewport.document.new_gesture()
        self._camera = self._viewport.navigator.camera
        self.changed.emit()

    def move(self, event: QMouseEvent) -> bool:
        """Handle a movement."""
        position = event.position()
        if self._given_up:
            return True
        if self._drag is None:
            hovered = self._joint_at(position) if is_idle(event) else -1
            if hovered != self.hovered:
                self.hovered = hovered
                self.changed.emit()
            return hovered >= 0
        self._cursor = position
        self._coarse = is_held(Action.ROUND_AMOUNT, event.modifiers())
        away = position - self._pressed
        if not self._dragged:
            if abs(away.x()) + abs(away.y()) < _SLACK:
                return True
            self._dragged = True
            navigator = self._viewport.navigator
            self._follow = navigator.following
            navigator.set_following(False)  # the view would otherwise follow the dragged robot
            self._viewport.widget.setCursor(Qt.CursorShape.SizeAllCursor)
        self._timer.request()
        return True

    def release(self, event: QMouseEvent) -> bool:
        """Handle a release."""
        if self._drag is None:
            given_up = self._given_up
            self._given_up = False
            return given_up
        if not self._button.is_released_by(event):
            return True
        used = self._dragged or isinstance(self._drag, Bend)
        if self._dragged:
            self._timer.stop()
            self._cursor = event.position()
            self._apply()
        self._release()
        return used

    def double_click(self, event: QMouseEvent) -> bool:
        """Handle a double-click."""
        return self._joint_at(event.position()) >= 0

    def key(self, event: QKeyEvent) -> bool:
        """Handle a key pressed in the viewport."""
        if event.key() == Qt.Key.Key_Escape:
            return self.cancel()
        if (
            not self._dragged
            or self._drag is None
            or event.key() not in (Qt.Key.Key_X, Qt.Key.Key_Y)
        ):
            return False
        if self._drag.keep_to_axis("x" if event.key() == Qt.Key.Key_X else "y"):
            self._apply()
        return True

    def wants(self, event: QKeyEvent) -> bool:
        """Whether a key that is a shortcut of the window is meant for the tool now."""
        return self._dragged and event.key() in (Qt.Key.Key_Escape, Qt.Key.Key_X, Qt.Key.Key_Y)

    def cancel(self) -> bool:
        """Restore the robot; return False if it is not being dragged."""
        if self._drag is None:
            return False
        self._timer.stop()
        if self._dragged:
            self._viewport.document.edit(self._drag.before, self._drag.text, self._gesture)
        self._given_up = True  # until the button is released
        self._release()
        return True

    def leave(self) -> None:
        """Handle the cursor leaving the viewport."""
        if self._drag is None and self.hovered >= 0:
            self.hovered = -1
            self.changed.emit()

    def _release(self) -> None:
        if self._dragged:
            self._viewport.navigator.set_following(self._follow)
        self._drag = None
        self._dragged = False
        self._viewport.widget.unsetCursor()
        self.changed.emit()

    # --- edits ------------------------------------------------------------------------------------

    def _displacement(self) -> Displacement | None:
        """Displacement of the cursor; None at the horizon."""
        viewport = self._viewport
        height = float(self._grabbed[2])
        ends = [viewport.ground(at, height, self._camera) for at in (self._pressed, self._cursor)]
        if ends[0] is None or ends[1] is None:
            return None
        pixel = float(self._camera.view_height(self._grabbed)) / max(1, viewport.widget.height())
        up = self._pressed.y() - self._cursor.y()
        return Displacement(np.array(ends[1]) - np.array(ends[0]), up, pixel, self._coarse)

    def _apply(self) -> None:
        """Edit the scene to match the position of the cursor."""
        displacement = self._displacement()
        if self._drag is None or displacement is None:
            return
        document = self._viewport.document
        try:
            scene = self._drag.scene_at(displacement)
        except SceneError as error:
            self._refusal = refusal_text(error, document.scene)
        else:
            self._refusal = ""
            if scene != document.scene:
                document.edit(scene, self._drag.text, self._gesture)
        self.changed.emit()
