"""Tool that moves, rotates and scales the selection: with handles, with G, R and S, and by dragging it."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace

import numpy as np
from PySide6.QtCore import QObject, QPointF, QRect, QRectF, Qt, Signal
from PySide6.QtGui import QFontMetrics, QKeyEvent, QMouseEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QWidget

from snakestudio._arrays import FloatArray
from snakestudio.drawing.camera import Camera
from snakestudio.drawing.gizmo import Gizmo, Mode, handles, pick_handle
from snakestudio.drawing.obstacles import obstacles_of
from snakestudio.drawing.overlays import Overlays
from snakestudio.gui.core import theme
from snakestudio.gui.core.settings import EditorOptions
from snakestudio.gui.viewport.gestures import (
    Action,
    HeldButton,
    action_for,
    hint_of,
    is_held,
    trigger_of,
)
from snakestudio.gui.viewport.tools.amount import Amount, Cursor, Grip, Snapping
from snakestudio.gui.viewport.tools.transform import Transform
from snakestudio.gui.viewport.viewport_api import ViewportApi
from snakestudio.model.formula.quantity import NumberTextError
from snakestudio.model.scene import Scene
from snakestudio.text import MINUS, capitalized
from snakestudio.viewmodel.viewport.snapping import Targets
from snakestudio.viewmodel.viewport.transform_target import ShapedTarget, TransformTarget, target_of

_REACH = 9.0
"""Distance from the cursor in which a handle is selected, pixels."""

_SWITCH: dict[int, Mode] = {Qt.Key.Key_G: "move", Qt.Key.Key_R: "turn", Qt.Key.Key_S: "scale"}
_KEYS = {Qt.Key.Key_X: "x", Qt.Key.Key_Y: "y", Qt.Key.Key_Z: "z"}
_DOES: dict[str, str] = {
    "move": "move along",
    "turn": "rotate about",
    "scale": "scale along",
}
_PAD = 9
_ROW = 20
_WIDEST = 380
_AWAY = QPointF(20, 18)
_CARET = "▏"
_DRAG = frozenset({Action.DRAG_HANDLE})
_ENDS = frozenset({Action.ACCEPT_TRANSFORM, Action.CANCEL_TRANSFORM})


def amount_text(amount: Amount) -> str:
    """Text of an amount: "Δx +0.250 m", "30.0° about z", "×1.50"; a typed text is shown before its value."""
    own = "own " if amount.local else ""
    if amount.mode == "move":
        shift = amount.frame.T @ amount.shift
        return "   ".join(
            f"Δ{own}{name} "
            + _typed(amount, name, f"{shift['xyz'.index(name)]:+.{amount.decimals}f} m")
            for name in amount.used
        )
    if amount.mode == "turn":
        value = f"{math.degrees(amount.angle):.1f}°"
        return f"{_typed(amount, amount.used, value)} about {own}{amount.used}"
    factor = next((f for f in amount.factors if f != 1.0), 1.0)
    entry = amount.axes or amount.allowed
    along = (
        f" along {' and '.join(amount.axes)}"
        if amount.axes and amount.axes != amount.allowed
        else ""
    )
    return _typed(amount, entry if not along else amount.typed.entry, f"×{factor:.2f}") + along


def _typed(amount: Amount, axis: str, value: str) -> str:
    """Return a value after the text typed for it."""
    value = value.replace("-", MINUS)
    text = amount.typed.text(axis)
    here = amount.typed.entry == axis and bool(amount.typed)
    if not text and not here:
        return value
    try:
        known = amount.typed.value(axis) is not None
    except NumberTextError:
        known = False
    return f"{text}{_CARET if here else ''}" + (f" = {value}" if known else "")


class AmountLabel(QWidget):
    """One or two lines next to the cursor that ignore the mouse; hidden without text."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.text = ""
        self.problem = ""
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.setFont(theme.value_font(13, bold=False))
        self.hide()

    def show_amount(self, text: str, problem: str, cursor: QPointF) -> None:
        """Show an amount and its problem next to the cursor, inside the parent widget."""
        self.text = text
        self.problem = problem
        metrics = QFontMetrics(self.font())
        flags = int(Qt.TextFlag.TextWordWrap)
        sentence = (
            metrics.boundingRect(QRect(0, 0, _WIDEST, 400), flags, problem) if problem else QRect()
        )
        width = max(metrics.horizontalAdvance(text), sentence.width()) + 2 * _PAD
        self.resize(width, (_ROW if text else 0) + sentence.height() + 10)
        around = self.parentWidget()
        position = cursor + _AWAY
        if around is not None:
            if position.x() + width > around.width() - 4:
                position.setX(cursor.x() - _AWAY.x() - width)
            position.setX(max(4.0, position.x()))
            position.setY(max(4.0, min(position.y(), around.height() - self.height() - 4.0)))
        self.move(position.toPoint())
        self.setVisible(bool(text or problem))
        self.raise_()
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        try:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            ground = theme.colour("raised" if theme.current() is theme.DARK else "card")
            ground.setAlpha(240)
            painter.setPen(theme.colour("line"))
            painter.setBrush(ground)
            painter.drawRoundedRect(QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5), 6, 6)
            area = self.rect().adjusted(_PAD, 5, -_PAD, -5)
            painter.setPen(theme.colour("text"))
            painter.drawText(
                area, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignTop, self.text
            )
            if self.problem:
                painter.setPen(theme.colour("warning"))
                below = area.adjusted(0, _ROW if self.text else 0, 0, 0)
                painter.drawText(below, int(Qt.TextFlag.TextWordWrap), self.problem)
        finally:
            painter.end()


class TransformTool(QObject):
    """Transforms the selection with mouse and keys; every transform is one undo step.

    Parameters
    ----------
    drawing, navigating : callable
        Return whether a path is being drawn, and whether a button is held that orbits or pans the
        view.

    Signals
    -------
    changed()
        The gizmo, the handle under the cursor or the current transform changed.
    """

    changed = Signal()

    def __init__(
        self,
        viewport: ViewportApi,
        options: EditorOptions,
        drawing: Callable[[], bool],
        navigating: Callable[[], bool],
    ) -> None:
        super().__init__(viewport.widget)
        self._viewport = viewport
        self._options = options
        self._drawing = drawing
        self._navigating = navigating
        self.label = AmountLabel(viewport.widget)
        self.transform: Transform | None = None
        self.hovered = ""
        """Name of the handle under the cursor."""
        self._button = HeldButton()
        self._cursor = QPointF(0.5 * viewport.widget.width(), 0.5 * viewport.widget.height())
        self._cached_target: tuple[object, Scene, bool, TransformTarget | None] | None = None
        options.changed.connect(self._on_options)
        viewport.selection.changed.connect(self._on_selection)
        viewport.document.scene_changed.connect(self._on_scene)

    # --- state ------------------------------------------------------------------------------------

    @property
    def busy(self) -> bool:
        """Whether a transform is in progress."""
        return self.transform is not None

    @property
    def subject(self) -> TransformTarget | None:
        """Object that would be transformed; None without one, or if a state other than the edited one is shown."""
        viewport = self._viewport
        scene = viewport.document.scene
        items = viewport.selection.items
        displayed = viewport.scene
        if displayed is not scene and displayed.obstacles != scene.obstacles:
            return None
        placeable = viewport.placeable
        cached = self._cached_target
        if (
            cached is None
            or cached[0] is not items
            or cached[1] is not scene
            or cached[2] != placeable
        ):
            cached = self._cached_target = (
                items,
                scene,
                placeable,
                target_of(items, scene, viewport.document.base_dir, placeable),
            )
        return cached[3]

    def gizmo(self) -> Gizmo | None:
        """Gizmo to draw; None if it is hidden."""
        if self.transform is not None:
            return self._held(self.transform)
        subject = self.subject
        now = self._options.now
        if subject is None or not now.gizmo or self._drawing():
            return None
        mode: Mode = "turn" if now.mode == "turn" else "scale" if now.mode == "scale" else "move"
        offered = {
            "move": subject.move_axes,
            "turn": subject.turn_axes,
            "scale": subject.scale_axes,
        }[mode]
        scene = self._viewport.document.scene
        axes = (
            subject.own_axes(scene)
            if mode == "scale" and isinstance(subject, ShapedTarget)
            else np.eye(3)
        )
        return Gizmo(mode, subject.pivot(scene), axes, offered, self.hovered)

    @staticmethod
    def _held(transform: Transform) -> Gizmo | None:
        """Return the gizmo of a transform in progress: only the handle in use."""
        amount = transform.amount
        held = amount.used if amount.mode == "turn" else amount.axes
        if not held or (amount.mode == "scale" and len(held) > 1):
            return None
        axes = amount.own if amount.mode == "scale" else amount.frame
        pivot = amount.pivot + amount.shift
        return Gizmo(amount.mode, pivot, axes, held, "", held, (amount.begin_angle, amount.angle))

    def add_overlays(self, overlays: Overlays) -> Overlays:
        """Add gizmo and guides to the overlays."""
        guides = self.transform.amount.guides if self.transform is not None else ()
        return replace(overlays, gizmo=self.gizmo(), guides=guides)

    @property
    def hint(self) -> str:
        """Hint on what keys and mouse would do; "" if nothing."""
        transform = self.transform
        snaps = "no snapping" if self._options.now.on else "snapping"
        if transform is not None:
            allowed = transform.amount.allowed
            keeps = f"{' '.join(allowed.upper())}: constrain to axis · " if len(allowed) > 1 else ""
            click = trigger_of(Action.ACCEPT_TRANSFORM)
            ends = "Release" if self._button else f"{click} or Enter"
            snapping = hint_of(Action.INVERT_SNAPPING, snaps)
            return f"{keeps}Digits: amount · {snapping} · {ends}: accept · Esc: cancel"
        if self.hovered:
            axes = " and ".join(self.hovered) if len(self.hovered) < 3 else ""
            does = f"{_DOES[self._options.now.mode]} {axes}" if axes else "scale"
            drag = hint_of(Action.DRAG_HANDLE, does)
            return f"{drag} · {hint_of(Action.INVERT_SNAPPING, snaps)} · T: next gizmo"
        return ""

    # --- beginning and ending ---------------------------------------------------------------------

    def start(self, mode: Mode) -> None:
        """Let the mouse move, rotate or scale the selection until a click, as after G, R and S."""
        if self.transform is not None:
            self.cancel()
        subject = self.subject
        if self._drawing():
            return
        if subject is None:
            self._refuse("Select an obstacle that is not locked.")
            return
        if mode == "scale" and not subject.scale_axes:
            self._refuse(
                f"{capitalized(subject.title)} cannot be scaled. Change its size in its properties."
            )
            return
        if mode == "turn" and not subject.turn_axes:
            self._refuse(f"{capitalized(subject.title)} is symmetric and cannot be rotated.")
            return
        self._viewport.widget.setFocus()
        self._begin(subject, mode, self._cursor)

    def grab(self, position: QPointF, point: FloatArray, button: HeldButton) -> bool:
        """Drag the selection by the point (3,), m, under the cursor; return False if it cannot be moved.

        It is released with the `button` that is held.
        """
        subject = self.subject
        if subject is None or not subject.move_axes:
            return False
        self._button.adopt(button)
        self._viewport.widget.setCursor(Qt.CursorShape.SizeAllCursor)
        self._begin(subject, "move", position, anchor=point)
        return True

    def _begin(
        self,
        subject: TransformTarget,
        mode: Mode,
        position: QPointF,
        *,
        axes: str = "",
        grip: Grip = "free",
        anchor: FloatArray | None = None,
    ) -> None:
        viewport = self._viewport
        viewport.navigator.finish()
        self._cursor = position
        scene = viewport.document.scene
        pivot = subject.pivot(scene)
        own = subject.own_axes(scene) if isinstance(subject, ShapedTarget) else np.eye(3)
        cursor = Cursor(
            self._eye, viewport.ndc(position), pivot, pivot if anchor is None else anchor, grip
        )
        snapping = Snapping(self._options.now, self._targets(subject))
        amount = Amount(subject, mode, cursor, snapping, pivot, own, axes=axes)
        self.transform = Transform(viewport.document, amount, self)
        self.transform.changed.connect(self._on_running)
        self.hovered = ""
        self._on_running()

    def _eye(self) -> tuple[Camera, float]:
        return self._viewport.navigator.camera, self._viewport.navigator.aspect

    def _targets(self, subject: TransformTarget) -> Targets | None:
        """Return the snapping targets of the subject: all other visible obstacles."""
        if not isinstance(subject, ShapedTarget):
            return None
        document = self._viewport.document
        scene = document.scene
        world = obstacles_of(scene.obstacles, document.base_dir)
        others = np.array([not o.hidden for o in scene.obstacles], bool)
        others[list(self._viewport.selection.obstacles)] = False
        return Targets(
            world.low[others], world.high[others], *subject.box(scene, document.base_dir)
        )

    def _end(self) -> None:
        if self.transform is not None:
            self.transform.deleteLater()
        self.transform = None
        self._button.clear()
        self.label.hide()
        self._viewport.widget.unsetCursor()
        self.changed.emit()

    def cancel(self) -> bool:
        """Restore the object being transformed; return False if there was none."""
        if self.transform is None:
            return False
        self.transform.cancel()
        self._end()
        return True

    def _accept(self) -> None:
        if self.transform is not None and self.transform.accept():
            self._end()

    def _refuse(self, sentence: str) -> None:
        self.label.show_amount("", sentence, self._cursor)

    # --- the mouse --------------------------------------------------------------------------------

    def press(self, event: QMouseEvent) -> bool:
        """Handle a press: it starts a drag on a handle, or ends a transform that follows the mouse."""
        if self.transform is not None:
            action = action_for(event, "click", "transform", _ENDS)
            if not self._button and action is Action.ACCEPT_TRANSFORM:
                self._accept()
            elif not self._button and action is Action.CANCEL_TRANSFORM:
                self.cancel()
            return True
        self.label.hide()
        if self._navigating() or action_for(event, "drag", "handle", _DRAG) is None:
            return False
        name = self._handle_at(event.position())
        subject = self.subject
        if not name or subject is None:
            return False
        mode = self._options.now.mode
        self._button.hold(event)
        self._begin(
            subject,
            "turn" if mode == "turn" else "scale" if mode == "scale" else "move",
            event.position(),
            axes=name,
            grip="handle",
        )
        return True

    def double_click(self, event: QMouseEvent) -> bool:
        """Handle a double-click like a click."""
        return self.press(event)

    def move(self, event: QMouseEvent) -> bool:
        """Handle a movement."""
        self._cursor = event.position()
        if self.transform is not None:
            inverts = is_held(Action.INVERT_SNAPPING, event.modifiers())
            self.transform.follow(self._viewport.ndc(event.position()), inverts)
            return True
        self.label.hide()
        if self._navigating():
            return False
        self._hover(self._handle_at(event.position()))
        return bool(self.hovered)

    def release(self, event: QMouseEvent) -> bool:
        """Handle a release."""
        if self.transform is None:
            return False
        if self._button.is_released_by(event):
            self._accept()
            if self.transform is not None:  # the typed text is not a number: it can be corrected
                self._button.clear()
        return True

    def leave(self) -> None:
        """Handle the cursor leaving the viewport."""
        self._hover("")

    def _handle_at(self, position: QPointF) -> str:
        gizmo = self.gizmo()
        if gizmo is None:
            return ""
        camera, aspect = self._eye()
        reach = _REACH / max(1, self._viewport.widget.height())
        return pick_handle(
            handles(gizmo, camera), camera, self._viewport.ndc(position), aspect, reach
        )

    def _hover(self, name: str) -> None:
        if name != self.hovered:
            self.hovered = name
            self.changed.emit()

    # --- the keys ---------------------------------------------------------------------------------

    def wants(self, event: QKeyEvent) -> bool:
        """Whether a key is meant for the tool: every key during a transform, even a shortcut of the window."""
        return self.transform is not None

    def key(self, event: QKeyEvent) -> bool:
        """Handle a key."""
        transform = self.transform
        key = event.key()
        if transform is None:
            return False
        if key == Qt.Key.Key_Escape:
            self.cancel()
        elif key in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self._accept()
        elif key in _KEYS:
            transform.keep_to(
                _KEYS[Qt.Key(key)], bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier)
            )
        elif transform.type(event) or transform.amount.typed:
            pass
        elif key in _SWITCH and not self._button:
            self.start(_SWITCH[key])
        return True

    # --- the program ------------------------------------------------------------------------------

    def _on_running(self) -> None:
        if self.transform is not None:
            self.label.show_amount(
                amount_text(self.transform.amount), self.transform.problem, self._cursor
            )
        self.changed.emit()

    def _on_options(self) -> None:
        self.hovered = ""  # the handle may have changed or disappeared
        self.changed.emit()

    def _on_selection(self) -> None:
        if self.transform is not None:
            self.cancel()
        self.hovered = ""
        self.changed.emit()

    def _on_scene(self) -> None:
        if self.transform is not None and self.transform.overtaken:
            self._end()  # edited from elsewhere: that edit stays
