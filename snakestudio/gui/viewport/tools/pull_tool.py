"""Pulling in a running simulation: Ctrl+drag of a link ties it to the cursor by a spring."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from PySide6.QtCore import QEvent, QObject, QPointF, Qt, Signal
from PySide6.QtGui import QKeyEvent, QMouseEvent, QWheelEvent

from snakestudio._arrays import FloatArray
from snakestudio.drawing.overlays import Overlays, Pick, PullMark
from snakestudio.drawing.pull import mark_of, pull_mark, pull_text
from snakestudio.gui.core.delay import Delay
from snakestudio.gui.viewport.gestures import (
    Action,
    HeldButton,
    action_for,
    hint_of,
    is_held,
    is_idle,
    modifiers_after,
    trigger_of,
)
from snakestudio.gui.viewport.tools.tool import INTERVAL_MS
from snakestudio.gui.viewport.viewport_api import ViewportApi
from snakestudio.model.pull import Vector
from snakestudio.model.rotations import matrices
from snakestudio.model.snapshot import Fields
from snakestudio.session.pulling import Grip, Spring

_SLACK = 4
"""Maximum movement of a click, pixels."""

_REACH = 12.0
"""Distance from the cursor at which a link is still meant, pixels."""

_PULLABLE = ("running", "paused", "finished")
"""States of a run that has started and can continue."""

_NOTCH = 1.25
_WEAKEST = 0.1
_STRONGEST = 10.0
"""Strength factor per notch of the wheel, and its limits."""

_ENDS = (QEvent.Type.FocusOut, QEvent.Type.WindowDeactivate, QEvent.Type.Hide)


_PULL = frozenset({Action.PULL})


@dataclass(frozen=True, slots=True)
class _HeldPoint:
    """Point of a link at which the mouse button was pressed."""

    link: int
    point: Vector
    """In the link's frame, m."""
    grabbed: FloatArray
    """In the world frame, m."""
    pressed: QPointF


class PullTool(QObject):
    """Pulls on a link while the button is held; the run records the force.

    Parameters
    ----------
    armed : callable
        Returns whether the next drag belongs to another tool.

    Signals
    -------
    changed()
        The drawing or the hint changed.
    """

    changed = Signal()

    def __init__(self, viewport: ViewportApi, armed: Callable[[], bool]) -> None:
        super().__init__(viewport.widget)
        self._viewport = viewport
        self._armed = armed
        self.grip: Grip | None = None
        """Current pull; None if there is none."""
        self.strength = 1.0
        self._held: _HeldPoint | None = None
        self._spring: Spring | None = None
        self._ended = False  # though the button is still held
        self._pointed: int | None = None  # link under the cursor while the modifier is held
        self._button = HeldButton()
        self._cursor = QPointF()
        self._follow = False
        self._timer = Delay(INTERVAL_MS, self._draw_to_cursor, self)
        viewport.widget.installEventFilter(self)
        viewport.navigator.changed.connect(self._on_camera_moved)
        viewport.session_controller.frame.connect(self._on_frame)
        for signal in (
            viewport.session_controller.status_changed,
            viewport.session_controller.source_changed,
            viewport.session_controller.cursor_changed,
        ):
            signal.connect(self._on_run_changed)

    # --- state ------------------------------------------------------------------------------------

    @property
    def refusal(self) -> str:
        """Reason why no link can be pulled now; "" if one can."""
        session_controller = self._viewport.session_controller
        snapshot = self._viewport.snapshot
        if session_controller.source == "robot":
            return "a real robot cannot be pulled with the mouse"
        if session_controller.source == "replay":
            return "to pull, continue the recorded run from here first"
        if not session_controller.live:
            return "return to live to pull"
        if (
            session_controller.status.state not in _PULLABLE
            or snapshot is None
            or Fields.POSE not in snapshot.valid
        ):
            return "start the run to pull"
        return ""

    @property
    def hint(self) -> str:
        """Hint on what the mouse would do; "" if nothing."""
        viewport = self._viewport
        body = self._viewport.scene.body
        if self.grip is not None:
            mark = self._mark(pull_mark(viewport.session_controller.recording, viewport.snapshot))
            force = pull_text(mark) if mark is not None else "0 N"
            running = (
                "" if viewport.session_controller.running else " · acts once the run continues"
            )
            wheel = trigger_of(Action.SET_STIFFNESS).lower()
            strength = f"strength × {self.strength:.2g} ({wheel})"
            return f"Pulling {body.part_title(self.grip.link)}: {force} · {strength}{running} · Esc: release"
        if self._pointed is None:
            return ""
        if viewport.placeable and viewport.selection.items:
            return ""  # the modifier concerns the placement of the robot
        title = body.part_title(self._pointed)
        if self.refusal:
            return f"{title} · {self.refusal}"
        strained = (
            "" if body.jointed else " (its strains are prescribed: only its contacts can give way)"
        )
        return f"{title} · {hint_of(Action.PULL, 'pull')}{strained}"

    def add_overlays(self, overlays: Overlays) -> Overlays:
        """Add the spring to the cursor, the force that acts or will act, and the link that would be pulled."""
        if self._pointed is not None and self.grip is None and not self.refusal:
            overlays = replace(overlays, hover=Pick("link", self._pointed))
        if self.grip is not None:
            return replace(overlays, pull=self._mark(overlays.pull))
        session_controller = self._viewport.session_controller
        is_released = (
            session_controller.live
            and session_controller.source == "simulation"
            and not session_controller.running
        )
        return (
            replace(overlays, pull=None) if is_released and overlays.pull is not None else overlays
        )

    def _mark(self, acting: PullMark | None) -> PullMark | None:
        """Return the acting force with the target of the pull; in a paused run the force when it continues."""
        snapshot = self._viewport.snapshot
        grip = self.grip
        if (
            grip is None
            or snapshot is None
            or self._spring is None
            or grip.link >= snapshot.n_links
        ):
            return acting
        target = np.array(grip.target)
        if acting is not None and self._viewport.session_controller.running:
            return replace(acting, target=target)
        return mark_of(self._spring.pull(grip, snapshot), snapshot, target)

    def _point_at(self, link: int | None) -> None:
        if link == self._pointed:
            return
        self._pointed = link
        if self.grip is None:
            if link is not None and not self.refusal:
                self._viewport.widget.setCursor(Qt.CursorShape.OpenHandCursor)
            else:
                self._viewport.widget.unsetCursor()
        self.changed.emit()

    # --- mouse and keys ---------------------------------------------------------------------------

    def press(self, event: QMouseEvent) -> bool:
        """Handle a press. A click with Ctrl still selects, so the event is accepted only after a drag."""
        if self._held is not None:
            return True
        self._ended = False
        if action_for(event, "drag", "link", _PULL) is None or self._armed() or self.refusal:
            return False
        picked = self._viewport.link_near(event.position(), _REACH)
        snapshot = self._viewport.snapshot
        if picked is None or snapshot is None or picked.index >= snapshot.n_links:
            return False
        grabbed = np.array(picked.point)
        pose = snapshot.link_pose[picked.index]
        x, y, z = map(float, matrices(pose[3:][None, :])[0].T @ (grabbed - pose[:3]))
        self._button.hold(event)
        self._held = _HeldPoint(picked.index, (x, y, z), grabbed, event.position())
        return False

    def double_click(self, event: QMouseEvent) -> bool:
        """Handle a double-click like a click."""
        return self.press(event)

    def move(self, event: QMouseEvent) -> bool:
        """Handle a movement."""
        held_down = self._button.is_down(event)
        if self._held is None:
            self._ended = self._ended and held_down
            ready = is_idle(event) and is_held(Action.PULL, event.modifiers())
            self._cursor = event.position()
            self._point_at(self._link_at_cursor() if ready else None)
            return self._ended
        if not held_down:  # the release was sent elsewhere
            self.cancel()
            self._ended = False
            return False
        self._cursor = event.position()
        away = self._cursor - self._held.pressed
        if self.grip is not None:
            self._timer.request()
        elif abs(away.x()) + abs(away.y()) >= _SLACK:
            self._begin()
        return True

    def _link_at_cursor(self) -> int | None:
        picked = self._viewport.link_near(self._cursor, _REACH)
        return None if picked is None else picked.index

    def release(self, event: QMouseEvent) -> bool:
        """Handle a release."""
        if self._held is None:
            ended = self._ended
            self._ended = False
            return ended
        if not self._button.is_released_by(event):
            return self.grip is not None
        pulled = self.grip is not None
        self._release()
        return pulled

    def wheel(self, event: QWheelEvent) -> bool:
        """Change the strength while a link is pulled; return False if none is."""
        if self.grip is None:
            return False
        notches = event.angleDelta().y() / 120.0
        self.strength = min(max(self.strength * _NOTCH**notches, _WEAKEST), _STRONGEST)
        self._draw_to_cursor()
        return True

    def key(self, event: QKeyEvent) -> bool:
        """Handle a key."""
        return event.key() == Qt.Key.Key_Escape and self.cancel()

    def wants(self, event: QKeyEvent) -> bool:
        """Whether a key that is a shortcut of the window is meant for the tool now."""
        return self.grip is not None and event.key() == Qt.Key.Key_Escape

    def cancel(self) -> bool:
        """Release the link; return False if none is held."""
        if self._held is None:
            return False
        pulled = self.grip is not None
        self._release()
        self._ended = pulled  # until the button is released
        return pulled

    def leave(self) -> None:
        """Handle the cursor leaving the viewport."""
        if self.grip is None:
            self._point_at(None)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() in _ENDS:
            self.cancel()
            self._point_at(None)
        elif isinstance(event, QKeyEvent) and self._held is None:
            ready = is_held(Action.PULL, modifiers_after(event))
            inside = self._viewport.widget.underMouse()
            self._point_at(self._link_at_cursor() if ready and inside else None)
        return False

    # --- pulling ----------------------------------------------------------------------------------

    def _begin(self) -> None:
        viewport = self._viewport
        self._spring = Spring(viewport.scene)
        self._follow = viewport.navigator.following
        # the cursor would otherwise move away from the pulled link
        viewport.navigator.set_following(False)
        viewport.widget.setCursor(Qt.CursorShape.ClosedHandCursor)
        self._draw_to_cursor()

    def _draw_to_cursor(self) -> None:
        """Have the session pull to the current position of the cursor."""
        held = self._held
        if held is None:
            return
        target = self._target(held)
        if target is None:
            if self.grip is None:
                return
            target = self.grip.target  # near the horizon the target stays
        self.grip = Grip(held.link, held.point, target, self.strength)
        self._viewport.session_controller.session.pull(self.grip)
        self.changed.emit()

    def _target(self, held: _HeldPoint) -> Vector | None:
        """Point under the cursor at the depth of the grabbed point, or at its height for a planar robot."""
        viewport = self._viewport
        if not viewport.scene.body.in_space:
            height = float(held.grabbed[2])
            point = viewport.ground(self._cursor, height)
            return None if point is None else (*point, height)
        camera = viewport.navigator.camera
        origin, direction = camera.ray(viewport.ndc(self._cursor), viewport.navigator.aspect)
        towards = camera.axes[2]
        x, y, z = map(
            float, origin + direction * ((held.grabbed - origin) @ towards) / (direction @ towards)
        )
        return x, y, z

    def _release(self) -> None:
        self._timer.stop()
        self._held = None
        if self.grip is None:
            return
        self.grip = self._spring = None
        self._viewport.session_controller.session.pull(None)
        self._viewport.navigator.set_following(self._follow)
        self._viewport.widget.unsetCursor()
        self._pointed = None
        self.changed.emit()

    # --- events of the program --------------------------------------------------------------------

    def _on_run_changed(self) -> None:
        if self._held is not None and self.refusal:
            self.cancel()

    def _on_camera_moved(self) -> None:
        if self.grip is not None:
            self._timer.request()

    def _on_frame(self) -> None:
        if self.grip is not None:
            self.changed.emit()
