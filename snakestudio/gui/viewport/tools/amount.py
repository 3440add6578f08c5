"""Amount by which a subject is moved, rotated or scaled: from the cursor, axes, snapping and typed numbers."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Literal

import numpy as np
from PySide6.QtGui import QKeyEvent

from snakestudio._arrays import FloatArray
from snakestudio.drawing.camera import Camera
from snakestudio.drawing.gizmo import LENGTH, Guide, Mode
from snakestudio.gui.viewport.tools.typed import TypedText
from snakestudio.model.formula.quantity import FACTOR, NumberTextError
from snakestudio.text import capitalized
from snakestudio.viewmodel.viewport import motion
from snakestudio.viewmodel.viewport.motion import Ndc
from snakestudio.viewmodel.viewport.snapping import Targets, snapped_shift, stepped
from snakestudio.viewmodel.viewport.transform_target import ShapedTarget, TransformTarget
from snakestudio.viewmodel.viewport.view_settings import EditSettings

Grip = Literal["free", "handle"]
"""Whether the cursor holds the subject itself, or a handle."""

_UNITS: dict[Mode, str] = {"move": "m", "turn": "°", "scale": FACTOR}

_SNAP_PIXELS = 9.0 / 720.0

_LEAST = 0.12
"""Minimum initial distance from the pivot for factors set with the mouse, in lengths of the gizmo's
axes."""


class Cursor:
    """Movement of the mouse since it took hold.

    Parameters
    ----------
    eye : callable
        Returns the camera and the aspect ratio of the view.
    start : (float, float)
        Initial position of the cursor, in normalised device coordinates.
    pivot : (3,) array
        Pivot of the subject, m.
    anchor : (3,) array
        Point that stays under the cursor, m.
    """

    def __init__(
        self,
        eye: Callable[[], tuple[Camera, float]],
        start: Ndc,
        pivot: FloatArray,
        anchor: FloatArray,
        grip: Grip,
    ) -> None:
        self._eye = eye
        self._start = start
        self.now = start
        self._pivot = pivot
        self._anchor = anchor
        self.grip = grip
        self.turned = 0.0
        """Angle around the pivot since the start, rad; more than a full turn counts."""
        self._direction: float | None = None

    @property
    def camera(self) -> Camera:
        """Camera of the view."""
        return self._eye()[0]

    @property
    def view_height(self) -> float:
        """Height of the view at the pivot, m."""
        return float(self.camera.view_height(self._pivot))

    def travel(self, frame: FloatArray, axes: str) -> FloatArray | None:
        """Return the displacement along axes of a frame (3,), m; None if it is not defined in this view."""
        camera, aspect = self._eye()
        start = motion.coordinates(camera, aspect, self._start, self._anchor, frame, axes)
        now = motion.coordinates(camera, aspect, self.now, self._anchor, frame, axes)
        return None if start is None or now is None else now - start

    def begin_turn(self, frame: FloatArray, axis: str) -> float:
        """Start counting angles around an axis of a frame, and return the initial direction, rad."""
        self.turned = 0.0
        self._direction = self._direction_of(self._start, frame, axis)
        return self._direction or 0.0

    def follow_turn(self, frame: FloatArray, axis: str) -> None:
        """Add the rotation since the last call around the same axis."""
        now = self._direction_of(self.now, frame, axis)
        if now is not None and self._direction is not None:
            self.turned += math.remainder(now - self._direction, math.tau)
        self._direction = now if now is not None else self._direction

    def _direction_of(self, ndc: Ndc, frame: FloatArray, axis: str) -> float | None:
        """Return the direction from the pivot to a point of the view, rad."""
        if not axis:
            return None
        camera, aspect = self._eye()
        if self.grip == "handle":
            return motion.ring_angle(camera, aspect, ndc, self._pivot, frame, axis)
        return motion.screen_angle(camera, aspect, ndc, self._pivot, frame[:, "xyz".index(axis)])

    def factor(self, own: FloatArray, axes: str) -> float:
        """Scale factor along the subject's own axes."""
        camera, aspect = self._eye()
        if self.grip == "handle" and len(axes) == 1:
            start = motion.coordinates(camera, aspect, self._start, self._pivot, own, axes)
            now = motion.coordinates(camera, aspect, self.now, self._pivot, own, axes)
            if start is None or now is None:
                return 1.0
            return 1.0 + float((now - start).sum()) / (LENGTH * self.view_height)
        if self.grip == "handle":
            (x0, y0), (x1, y1) = self._start, self.now
            return float(2.0 ** (0.5 * ((x1 - x0) * aspect + (y1 - y0)) / LENGTH))
        start_distance = motion.screen_distance(camera, aspect, self._start, self._pivot)
        distance = motion.screen_distance(camera, aspect, self.now, self._pivot)
        return distance / max(start_distance, _LEAST * LENGTH)


class Snapping:
    """Snapping of amounts set with the mouse.

    Parameters
    ----------
    targets : Targets or None
        Targets in the scene.
    """

    def __init__(self, choices: EditSettings, targets: Targets | None) -> None:
        self._choices = choices
        self._targets = targets
        self.on = choices.on

    def invert(self, invert: bool) -> None:
        """Invert the chosen snapping, or use it as chosen."""
        self.on = self._choices.on != invert

    def shift(
        self, travel: FloatArray, pivot: FloatArray, axes: str, height: float
    ) -> tuple[FloatArray, tuple[Guide, ...]]:
        """Snap a displacement along axes of the scene, m, and return its guides; `height` is that of the view, m."""
        return snapped_shift(
            travel, pivot, axes, self._choices, self._targets, _SNAP_PIXELS * height
        )

    def own_shift(self, travel: FloatArray) -> FloatArray:
        """Snap a displacement along the subject's own axes, m."""
        return np.array([stepped(value, self._choices.grid_m) for value in travel])

    @property
    def grid(self) -> bool:
        """Whether displacements snap to a grid."""
        return self.on and self._choices.grid

    def degrees(self, value: float) -> float:
        """Snap an angle, °."""
        return (
            stepped(value, self._choices.angle_deg) if self.on and self._choices.angles else value
        )

    def factor(self, value: float) -> float:
        """Snap a factor, to at least one step."""
        if not (self.on and self._choices.factors):
            return value
        return max(stepped(value, self._choices.factor), self._choices.factor)


class Amount:
    """Amount by which a subject is moved, rotated or scaled, and the axes.

    Parameters
    ----------
    pivot : (3,) array
        Initial pivot of the subject, m.
    own : (3, 3) array
        Axes of the subject, as columns.
    axes : str
        Initial axis constraint, "" for none.
    """

    def __init__(
        self,
        subject: TransformTarget,
        mode: Mode,
        cursor: Cursor,
        snapping: Snapping,
        pivot: FloatArray,
        own: FloatArray,
        *,
        axes: str = "",
    ) -> None:
        self.subject = subject
        self.mode = mode
        self._cursor = cursor
        self._snapping = snapping
        self.pivot = pivot
        self.own = own
        self.axes = axes
        self.local = False
        """Whether the axes are those of the subject."""
        self.typed = TypedText(_UNITS[mode])
        self._shift = np.zeros(3)
        self._angle = 0.0
        self._factors = np.ones(3)
        self._guides: tuple[Guide, ...] = ()
        self._problem = ""
        self._stale = False
        self.begin_angle = cursor.begin_turn(self.frame, self.used) if mode == "turn" else 0.0
        """Initial direction of the cursor, rad."""

    # --- axes -------------------------------------------------------------------------------------

    @property
    def allowed(self) -> str:
        """Axes that can be used."""
        s = self.subject
        return {"move": s.move_axes, "turn": s.turn_axes, "scale": s.scale_axes}[self.mode]

    @property
    def frame(self) -> FloatArray:
        """Directions of the axes as columns (3, 3)."""
        return self.own if self.local else np.eye(3)

    @property
    def used(self) -> str:
        """Axes along or about which the subject is transformed."""
        if self.axes:
            return self.axes
        if self.mode == "turn":
            return motion.turning_axis(self._cursor.camera, self.allowed)
        if self.mode == "move":
            return motion.free_axes(self._cursor.camera, self.allowed)
        return self.allowed

    def keep_to(self, axis: str, plane: bool) -> str:
        """Constrain to an axis, or to the plane across it; again: to the subject's axis; again: to none.

        Returns
        -------
        str
            Reason why the subject cannot be constrained, as a sentence; empty if it can.
        """
        requested_axes = (
            axis
            if not plane or self.mode == "turn"
            else "".join(a for a in self.allowed if a != axis)
        )
        if axis not in self.allowed and not (plane and requested_axes):
            names = " and ".join(self.allowed)
            what = {"move": "moved along", "turn": "rotated about", "scale": "scaled along"}[
                self.mode
            ]
            title = self.subject.title
            return f"{capitalized(title)} can be {what} {names} only."
        turned = isinstance(self.subject, ShapedTarget) and not np.allclose(
            self.own, np.eye(3), atol=1e-9
        )
        upright = set(self.subject.move_axes) >= set("xyz") or bool(
            np.allclose(self.own[2, :2], 0.0, atol=1e-9)
        )
        own = turned and upright and self.mode != "scale"
        if requested_axes != self.axes:
            self.axes = requested_axes
            self.local = False
        elif own and not self.local:
            self.local = True
        else:
            self.axes = ""
            self.local = False
        self._cursor.grip = "free"
        if self.mode == "turn":
            self._cursor.begin_turn(self.frame, self.used)
            self._cursor.follow_turn(self.frame, self.used)
        self.invalidate()
        return ""

    @property
    def decimals(self) -> int:
        """Decimals of a length in m that show all visible detail: millimetres, or less than a pixel when zoomed in."""
        return max(3, -math.floor(math.log10(self._cursor.view_height / 2000.0)) - 1)

    # --- input ------------------------------------------------------------------------------------

    def follow(self, ndc: Ndc, invert: bool) -> None:
        """Set the position of the cursor; `invert` inverts snapping."""
        self._cursor.now = ndc
        self._snapping.invert(invert)
        if self.mode == "turn":
            self._cursor.follow_turn(self.frame, self.used)
        self.invalidate()

    def press(self, event: QKeyEvent) -> bool:
        """Handle a key if it belongs to a number."""
        uniform = self.mode == "scale" and not self.axes
        handled = self.typed.press(event, (self.allowed,) if uniform else tuple(self.used))
        if handled:
            self.invalidate()
        return handled

    def invalidate(self) -> None:
        """Recompute the amount before it is read next."""
        self._stale = True

    # --- amounts ----------------------------------------------------------------------------------

    @property
    def shift(self) -> FloatArray:
        """Displacement (3,), m."""
        self._catch_up()
        return self._shift

    @property
    def angle(self) -> float:
        """Rotation, rad."""
        self._catch_up()
        return self._angle

    @property
    def factors(self) -> FloatArray:
        """Scale factors along the axes (3,)."""
        self._catch_up()
        return self._factors

    @property
    def guides(self) -> tuple[Guide, ...]:
        """Guides of the targets snapped to."""
        self._catch_up()
        return self._guides

    @property
    def problem(self) -> str:
        """Reason why the typed amount is invalid; usually empty."""
        self._catch_up()
        return self._problem

    def _catch_up(self) -> None:
        """Recompute the amount if cursor, keys or axes have changed since."""
        if not self._stale:
            return
        self._stale = False
        self._guides = ()
        self._problem = ""
        try:
            {"move": self._move, "turn": self._turn, "scale": self._scale}[self.mode]()
        except NumberTextError as error:
            self._problem = str(error)
            self._shift = np.zeros(3)
            self._angle = 0.0
            self._factors = np.ones(3)

    def _move(self) -> None:
        if self.typed:
            self._shift = self.frame @ np.array([self.typed.value(name) or 0.0 for name in "xyz"])
            return
        travel = self._cursor.travel(self.frame, self.used)
        if travel is None:
            return
        if self._snapping.on and not self.local:
            travel, self._guides = self._snapping.shift(
                travel, self.pivot, self.used, self._cursor.view_height
            )
        elif self._snapping.grid:
            travel = self._snapping.own_shift(travel)
        else:
            # Tenths of a millimetre, or less than a pixel: no finer aim is possible, and the file stays
            # readable.
            travel = np.round(travel, self.decimals + 1)
        self._shift = self.frame @ travel

    def _turn(self) -> None:
        if self.typed:
            self._angle = math.radians(self.typed.value(self.used) or 0.0)
            return
        degrees = self._snapping.degrees(math.degrees(self._cursor.turned))
        self._angle = math.radians(round(degrees, 6 if self._snapping.on else 1))

    def _scale(self) -> None:
        uniform = not self.axes or self.axes == self.allowed
        if self.typed:
            every = self.typed.value(self.allowed) if uniform else None
            typed = [every if uniform else self.typed.value(name) for name in "xyz"]
            factors = [1.0 if value is None else value for value in typed]
        else:
            by = round(
                max(self._snapping.factor(self._cursor.factor(self.own, self.axes)), 0.01), 3
            )
            factors = [by if uniform or name in self.axes else 1.0 for name in "xyz"]
        self._factors = np.array(
            [f if name in self.allowed else 1.0 for name, f in zip("xyz", factors, strict=True)]
        )
