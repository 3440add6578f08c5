"""The robot's start under the mouse: a link drags or turns the whole robot, a joint's handle bends it there."""

from __future__ import annotations

import enum
import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QObject, QPointF, Qt, QTimer, Signal
from PySide6.QtGui import QKeyEvent, QMouseEvent

from snakestudio.errors import SceneError
from snakestudio.gui.viewport.ground import on_plane
from snakestudio.gui.viewport.obstacle_drag import INTERVAL_MS
from snakestudio.model.bending import Axis, bent_robot, joint_points, largest_angle, turns_behind
from snakestudio.model.placing import moved_robot, turned_robot
from snakestudio.model.pose import initial_joint_angles
from snakestudio.model.rotations import matrices
from snakestudio.model.scene import Scene
from snakestudio.model.snapshot import Fields
from snakestudio.render.overlays import Overlays

if TYPE_CHECKING:
    from snakestudio.gui.viewport.viewport import Viewport

__all__ = ["Arc", "RobotTool"]

FloatArray = NDArray[np.float64]

_SLACK, _REACH = 4, 10
"""Pixels: a press that moves less is a click; a joint's handle nearer to the cursor than this is meant."""

_LEVER = 70.0
"""Length of the lever that a drag turns, pixels: dragging across the robot by as much turns it by 45 degrees."""

_FINE_M, _COARSE_M = 1e-4, 1e-2
_FINE_DEG, _COARSE_DEG = 0.1, 5.0
"""Steps of a drag, and with Ctrl."""


class Arc(NamedTuple):
    """An angle to be drawn: a centre (3,), m, two directions (2,) seen from above, and what it amounts to."""

    centre: FloatArray
    begin: FloatArray
    end: FloatArray
    text: str


class _Mode(enum.Enum):
    MOVE = "Move robot"
    TURN = "Turn robot"
    BEND = "Bend joint"


class RobotTool(QObject):
    """What the mouse does to the robot while it stands at its start; every drag is one step of undo.

    Signals
    -------
    changed()
        What is to be drawn of it, or its hint, changed.
    """

    changed = Signal()

    def __init__(self, viewport: Viewport) -> None:
        super().__init__(viewport)
        self._viewport = viewport
        self.hovered = -1
        """0-based joint whose handle is under the cursor, or is dragged; -1: none."""
        self._mode: _Mode | None = None
        self._dragged = False
        self._link = -1
        self._axis: Axis = "yaw"
        self._along = ""
        self._pressed = self._cursor = QPointF()
        self._modifiers = Qt.KeyboardModifier.NoModifier
        self._before: Scene | None = None
        self._pose: FloatArray = np.zeros((0, 7))
        self._grabbed: FloatArray = np.zeros(3)
        self._camera = viewport.navigator.camera
        self._gesture, self._follow = 0, False
        self._swing = 0.0
        self._amount = self._refusal = ""
        self._arc: Arc | None = None
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(INTERVAL_MS)
        self._timer.timeout.connect(self._apply)

    # --- what there is --------------------------------------------------------------------------------------------

    @property
    def placeable(self) -> bool:
        """Whether what is shown is the start of a run that has not begun."""
        bridge, snapshot = self._viewport.bridge, self._viewport.snapshot
        at_start = bridge.live and bridge.status.state in ("ready", "preparing", "blocked")
        return at_start and snapshot is not None and Fields.POSE in snapshot.valid

    @property
    def _chosen(self) -> bool:
        """Whether the robot, a link of it or its start is selected."""
        return any(kind in ("link", "robot", "beam", "start") for kind, _ in self._viewport.selection.items)

    def handles(self) -> FloatArray:
        """Where the joints' handles are, (k, 3), m; none if there is nothing to be bent."""
        viewport = self._viewport
        snapshot = viewport.snapshot
        if snapshot is None or not self._chosen or viewport.document.scene.model.continuum or not self.placeable:
            return np.zeros((0, 3))
        points = joint_points(snapshot.link_pose, viewport.document.scene.robot)
        return points if np.isfinite(points).all() else np.zeros((0, 3))

    @property
    def arc(self) -> Arc | None:
        """The angle that is being changed; None if none is."""
        return self._arc if self._dragged else None

    @property
    def label(self) -> tuple[QPointF, str] | None:
        """How far the robot was dragged, and where the cursor is; None if it is not."""
        return (self._cursor, self._amount) if self._dragged and self._mode is _Mode.MOVE and self._amount else None

    @property
    def hint(self) -> str:
        """What the mouse would do, "" if nothing to the robot."""
        if self._dragged:
            if self._refusal:
                return self._refusal
            if self._mode is _Mode.MOVE:
                return f"{self._amount} · X or Y keeps to an axis · Ctrl: whole centimetres · Esc puts it back"
            return f"{self._amount} · Ctrl: steps of 5° · Esc puts it back"
        if self.hovered >= 0:
            upright = " · Shift bends it up and down" if self._viewport.document.scene.model.spatial else ""
            return f"{self._joint_text()} · drag bends{upright} · Ctrl: steps of 5°"
        item = self._viewport.selection.hovered
        if item is None or item[0] != "link" or not self._grabs(item[1]):
            return ""
        name = "Section" if self._viewport.document.scene.model.continuum else "Link"
        can = "drag moves the robot, Alt+drag turns it" if self.placeable else "reset to place the robot"
        return f"{name} {item[1] + 1} · {can}"

    def _joint_text(self) -> str:
        """The joint under the cursor and its angles."""
        viewport = self._viewport
        try:
            angles = np.degrees(initial_joint_angles(viewport.document.scene, viewport.document.base_dir))
        except SceneError:
            return f"Joint {self.hovered + 1}"
        yaw, pitch = angles[self.hovered] + 0.0
        spatial = viewport.document.scene.model.spatial
        return f"Joint {self.hovered + 1} · {yaw:.1f}°" + (f", pitch {pitch:.1f}°" if spatial else "")

    def dress(self, overlays: Overlays) -> Overlays:
        """Nothing: handles are drawn over the picture, equally large wherever they are."""
        return overlays

    def _grabs(self, link: int) -> bool:
        """Whether dragging a link means the robot: when it is selected, or the robot as a whole is."""
        items = self._viewport.selection.items
        return ("link", link) in items or any(kind in ("robot", "beam", "start") for kind, _ in items)

    def _joint_at(self, position: QPointF) -> int:
        points = self.handles()
        if not len(points):
            return -1
        viewport = self._viewport
        seen = viewport.navigator.camera.project(points, viewport.navigator.aspect)[:, :2]
        ndc = np.array(viewport.ndc(position))
        away = np.hypot(*((seen - ndc) * (0.5 * viewport.width(), 0.5 * viewport.height())).T)
        away[np.isnan(away)] = np.inf
        nearest = int(np.argmin(away))
        return nearest if away[nearest] <= _REACH else -1

    # --- the mouse: each says whether the event was meant for the robot -------------------------------------------

    def press(self, event: QMouseEvent) -> bool:
        """A button went down. On a link a click still selects, so the event is taken only once it is dragged."""
        if self._mode is not None:
            return True
        if event.button() != Qt.MouseButton.LeftButton or not self.placeable or self._viewport.path_tool.drawing:
            return False
        joint = self._joint_at(event.position())
        if joint >= 0:
            upright = self._scene.model.spatial and bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier)
            self.hovered, self._axis = joint, "pitch" if upright else "yaw"
            self._begin(_Mode.BEND, event, self.handles()[joint])
            return True
        picked, item = self._viewport.item_at(event.position())
        if item is None or picked is None or item[0] != "link":
            return False
        if not self._grabs(item[1]):
            if not event.modifiers() & Qt.KeyboardModifier.ShiftModifier:
                return False
            self._viewport.selection.set([item])
        self._link = item[1]
        turns = bool(event.modifiers() & Qt.KeyboardModifier.AltModifier)
        self._begin(_Mode.TURN if turns else _Mode.MOVE, event, np.array(picked.point))
        return turns

    @property
    def _scene(self) -> Scene:
        return self._viewport.document.scene

    def _begin(self, mode: _Mode, event: QMouseEvent, grabbed: FloatArray) -> None:
        snapshot = self._viewport.snapshot
        assert snapshot is not None
        self._mode, self._dragged, self._along = mode, False, ""
        self._before, self._pose, self._grabbed = self._scene, snapshot.link_pose, grabbed
        self._pressed = self._cursor = event.position()
        self._swing, self._amount, self._refusal, self._arc = 0.0, "", "", None
        self._gesture = self._viewport.document.new_gesture()
        self._camera = self._viewport.navigator.camera
        self.changed.emit()

    def move(self, event: QMouseEvent) -> bool:
        """The mouse moved."""
        position = event.position()
        if self._mode is None:
            idle = event.buttons() == Qt.MouseButton.NoButton
            hovered = self._joint_at(position) if idle else -1
            if hovered != self.hovered:
                self.hovered = hovered
                self.changed.emit()
            return hovered >= 0
        self._cursor, self._modifiers = position, event.modifiers()
        away = position - self._pressed
        if not self._dragged:
            if abs(away.x()) + abs(away.y()) < _SLACK:
                return True
            self._dragged = True
            navigator = self._viewport.navigator
            self._follow = navigator.following
            navigator.set_following(False)  # or the picture would run after what is dragged in it
            self._viewport.setCursor(Qt.CursorShape.SizeAllCursor)
        if not self._timer.isActive():
            self._timer.start()
        return True

    def release(self, event: QMouseEvent) -> bool:
        """A button went up."""
        if self._mode is None:
            return False
        if event.button() != Qt.MouseButton.LeftButton:
            return True
        used = self._dragged or self._mode is _Mode.BEND
        if self._dragged:
            self._timer.stop()
            self._cursor = event.position()
            self._apply()
        self._let_go()
        return used

    def double_click(self, event: QMouseEvent) -> bool:
        """A button went down for the second time."""
        return self._joint_at(event.position()) >= 0

    def key(self, event: QKeyEvent) -> bool:
        """A key was pressed in the viewport."""
        if event.key() == Qt.Key.Key_Escape:
            return self.cancel()
        if self._dragged and self._mode is _Mode.MOVE and event.key() in (Qt.Key.Key_X, Qt.Key.Key_Y):
            axis = "x" if event.key() == Qt.Key.Key_X else "y"
            self._along = "" if self._along == axis else axis
            self._apply()
            return True
        return False

    def wants(self, event: QKeyEvent) -> bool:
        """Whether a key that is a shortcut of the window is meant for it just now."""
        return self._dragged and event.key() in (Qt.Key.Key_Escape, Qt.Key.Key_X, Qt.Key.Key_Y)

    def cancel(self) -> bool:
        """Put the robot back where it was; False if it is not being dragged."""
        if self._mode is None:
            return False
        self._timer.stop()
        if self._dragged and self._before is not None:
            self._viewport.document.edit(self._before, self._text(), self._gesture)
        self._let_go()
        return True

    def leave(self) -> None:
        """The cursor left the viewport."""
        if self._mode is None and self.hovered >= 0:
            self.hovered = -1
            self.changed.emit()

    def _let_go(self) -> None:
        if self._dragged:
            self._viewport.navigator.set_following(self._follow)
        self._mode, self._before, self._dragged, self._arc = None, None, False, None
        self._viewport.unsetCursor()
        self.changed.emit()

    # --- edits ----------------------------------------------------------------------------------------------------

    def _text(self) -> str:
        assert self._mode is not None
        return f"{self._mode.value} {self.hovered + 1}" if self._mode is _Mode.BEND else self._mode.value

    @property
    def _coarse(self) -> bool:
        return bool(self._modifiers & Qt.KeyboardModifier.ControlModifier)

    def _on_plane(self, position: QPointF) -> FloatArray | None:
        """Where the cursor is at the height of what was grabbed, (2,), m; None far off."""
        ndc, aspect = self._viewport.ndc(position), self._viewport.navigator.aspect
        found = on_plane(self._camera, ndc, aspect, float(self._grabbed[2]))
        return None if found is None else np.array(found)

    def _apply(self) -> None:
        """Bring the scene to where the cursor is now."""
        before = self._before
        if before is None or self._mode is None:
            return
        make = {_Mode.MOVE: self._moved, _Mode.TURN: self._turned, _Mode.BEND: self._bent}[self._mode]
        try:
            made = make(before)
        except SceneError as error:
            self._refusal = str(error)
        else:
            self._refusal = ""
            if made is not None and made != self._scene:
                self._viewport.document.edit(made, self._text(), self._gesture)
        self.changed.emit()

    def _moved(self, before: Scene) -> Scene | None:
        now, grabbed = self._on_plane(self._cursor), self._on_plane(self._pressed)
        if now is None or grabbed is None:
            return None
        step = _COARSE_M if self._coarse else _FINE_M
        shift = np.round((now - grabbed) / step) * step
        shift[[axis for axis in (0, 1) if self._along and "xy"[axis] != self._along]] = 0.0
        dx, dy = (round(float(value), 6) + 0.0 for value in shift)
        self._amount = f"Δx {dx:+.3f} m   Δy {dy:+.3f} m"
        return moved_robot(before, (dx, dy, 0.0), self._viewport.document.base_dir)

    def _turned(self, before: Scene) -> Scene | None:
        link = self._pose[self._link]
        along = matrices(link[None, 3:])[0, :2, 0]
        grabbed = self._on_plane(self._pressed)
        if grabbed is not None and float((grabbed - link[:2]) @ along) < 0.0:
            along = -along  # the end that was taken hold of is the one that follows the cursor
        angle = self._swung(along)
        if angle is None:
            return None
        degrees = self._stepped(math.degrees(angle))
        self._amount = f"{degrees:+.1f}°"
        self._arc = Arc(link[:3], along, _rotated(along, degrees), self._amount)
        up, pivot = (0.0, 0.0, 1.0), link[:3]
        return turned_robot(before, up, math.radians(degrees), pivot, self._viewport.document.base_dir)

    def _bent(self, before: Scene) -> Scene | None:
        base_dir, joint = self._viewport.document.base_dir, self.hovered
        behind = turns_behind(before.robot, joint)
        link = joint + 1 if behind else joint
        along = matrices(self._pose[link : link + 1, 3:])[0, :2, 0] * (1.0 if behind else -1.0)
        size = float(np.hypot(*along))
        along = along / size if size > 1e-6 else np.array([1.0, 0.0])
        if self._axis == "yaw":
            swung = self._swung(along)
            sign = 1.0 if behind else -1.0
        else:
            swung = math.atan2(self._pressed.y() - self._cursor.y(), _LEVER)
            sign = -1.0  # a positive pitch lowers what follows; raising either end makes it smaller
        if swung is None:
            return None
        column = 0 if self._axis == "yaw" else 1
        was = math.degrees(float(initial_joint_angles(before, base_dir)[joint, column]))
        most = math.degrees(largest_angle(before.robot))
        wanted = self._stepped(was + sign * math.degrees(swung))
        degrees = min(max(wanted, -most), most)
        limit = " (the joint's limit)" if degrees != wanted else ""
        name = "pitch " if self._axis == "pitch" else ""
        self._amount = f"Joint {joint + 1}: {name}{degrees:.1f}°{limit}"
        self._arc = Arc(self._grabbed, along, along, f"{name}{degrees:.1f}°{' limit' if limit else ''}")
        if self._axis == "yaw":
            self._arc = self._arc._replace(end=_rotated(along, sign * (degrees - was)))
        return bent_robot(before, joint, math.radians(degrees), self._axis, base_dir)

    def _stepped(self, degrees: float) -> float:
        step = _COARSE_DEG if self._coarse else _FINE_DEG
        return round(round(degrees / step) * step, 6) + 0.0

    def _swung(self, along: FloatArray) -> float | None:
        """By how much the drag has turned a lever that points `along` (2,), rad; it may go round and round."""
        now, grabbed = self._on_plane(self._cursor), self._on_plane(self._pressed)
        if now is None or grabbed is None:
            return None
        pixel = float(self._camera.view_height(self._grabbed)) / max(1, self._viewport.height())
        tip = _LEVER * pixel * along + now - grabbed
        angle = math.atan2(along[0] * tip[1] - along[1] * tip[0], float(along @ tip))
        self._swing += math.remainder(angle - self._swing, math.tau)
        return self._swing


def _rotated(way: FloatArray, degrees: float) -> FloatArray:
    c, s = math.cos(math.radians(degrees)), math.sin(math.radians(degrees))
    return np.array([c * way[0] - s * way[1], s * way[0] + c * way[1]])
