"""One transform under way: from the cursor, the keys and typed numbers to a scene, as one step of undo."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Literal

import numpy as np
from PySide6.QtCore import QObject, Qt, QTimer, Signal
from PySide6.QtGui import QKeyEvent

from snakestudio._arrays import FloatArray
from snakestudio.drawing.camera import Camera
from snakestudio.drawing.gizmo import LENGTH, Guide, Mode
from snakestudio.errors import SceneError
from snakestudio.gui.core.document import Document
from snakestudio.gui.viewport.tools.tool import INTERVAL_MS
from snakestudio.model.formula.quantity import FACTOR, NumberTextError, is_unfinished, parse_number
from snakestudio.model.scene import Scene
from snakestudio.text import capitalized
from snakestudio.viewmodel.scene.items import refusal_text
from snakestudio.viewmodel.viewport import motion
from snakestudio.viewmodel.viewport.motion import Ndc
from snakestudio.viewmodel.viewport.snapping import Targets, snapped_shift, stepped
from snakestudio.viewmodel.viewport.transform_target import Shaped, TransformTarget
from snakestudio.viewmodel.viewport.view_settings import EditSettings

__all__ = ["VERBS", "Grip", "Transform"]


VERBS: dict[Mode, str] = {"move": "Move", "turn": "Rotate", "scale": "Scale"}
_UNITS: dict[Mode, str] = {"move": "m", "turn": "°", "scale": FACTOR}

Grip = Literal["free", "handle"]
"""Whether the cursor has hold of the thing itself, or of a handle."""

_SNAP_PIXELS = 9.0 / 720.0
_LEAST = 0.12
"""Factors by the mouse begin at this distance from the pivot at least, in lengths of the gizmo's axes."""

_BEGINS = "0123456789.,-+("
_GOES_ON = _BEGINS + "*/^)°% "


class Typed:
    """What was typed so far.

    Parameters
    ----------
    unit : str
        That of numbers without one: "m", "°" or a factor's.
    """

    def __init__(self, unit: str) -> None:
        self.unit = unit
        self.entry = ""
        """Axis that is typed at."""
        self._texts: dict[str, str] = {}

    def __bool__(self) -> bool:
        return any(self._texts.values())

    def text(self, axis: str) -> str:
        """What was typed for an axis."""
        return self._texts.get(axis, "")

    def press(self, event: QKeyEvent, axes: tuple[str, ...]) -> bool:
        """Take a key if it belongs to a number; `axes` are those that can be typed, the first one if none was begun."""
        if not axes:
            return False
        if self.entry not in axes:
            self.entry = axes[0]
            self._texts = {}
        text, typed = event.text(), self._texts.get(self.entry, "")
        if event.key() == Qt.Key.Key_Backspace:
            if event.modifiers() & Qt.KeyboardModifier.ControlModifier:
                typed = ""
            self._texts[self.entry] = typed[:-1]
            return True
        if event.key() == Qt.Key.Key_Tab and self:
            self.entry = axes[(axes.index(self.entry) + 1) % len(axes)]
            return True
        if len(text) != 1 or event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            return False
        if text in (_GOES_ON if typed else _BEGINS) or (typed and (text.isalpha() or text == "µ")):
            self._texts[self.entry] = typed + text
            return True
        return False

    def value(self, axis: str) -> float | None:
        """The number for an axis in `unit`; None if there is none yet, as with "-" and "1/".

        Raises
        ------
        NumberTextError
            If it is nonsense, and no beginning of a number either.
        """
        text = self._texts.get(axis, "")
        if not text:
            return None
        try:
            return parse_number(text, self.unit)
        except NumberTextError:
            if is_unfinished(text, self.unit):
                return None
            raise

    def mistake(self) -> str:
        """Why what was typed cannot be taken as it stands, as a sentence; "" if it can."""
        for text in self._texts.values():
            if not text:
                continue
            try:
                parse_number(text, self.unit)
            except NumberTextError as error:
                return str(error)
        return ""


class Transform(QObject):
    """What is done to a subject until it is accepted or put back.

    Parameters
    ----------
    document : Document
    subject : TransformTarget
    mode : Mode
    eye : callable
        Gives the camera and the aspect ratio of the picture.
    start : (float, float)
        Where the cursor was, in normalised device coordinates.
    choices : EditSettings
        What is snapped to.
    targets : Targets or None
        What there is to snap to.
    axes : str
        Axes it is kept to at first, "" for none.
    grip : Grip
    anchor : (3,) array or None
        Point that stays under the cursor, m; the pivot if left out.
    local : bool
        Whether these are the subject's own axes.

    Signals
    -------
    changed()
        Amount, axes, guides or what is typed changed.
    """

    changed = Signal()

    def __init__(
        self,
        document: Document,
        subject: TransformTarget,
        mode: Mode,
        eye: Callable[[], tuple[Camera, float]],
        start: Ndc,
        choices: EditSettings,
        targets: Targets | None = None,
        *,
        axes: str = "",
        grip: Grip = "free",
        anchor: FloatArray | None = None,
        local: bool = False,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._document, self.subject, self.mode = document, subject, mode
        self._eye, self._start, self._now = eye, start, start
        self._choices, self._targets, self._snaps = choices, targets, choices.on
        self._before = self._last = document.scene
        self.pivot = subject.pivot(self._before)
        self._anchor = self.pivot if anchor is None else anchor
        self.own = subject.own_axes(self._before) if isinstance(subject, Shaped) else np.eye(3)
        self.axes, self.local, self._grip = axes, local, grip
        self.typed = Typed(_UNITS[mode])
        self._shift, self._angle, self._factors = np.zeros(3), 0.0, np.ones(3)
        self._turned, self._direction = 0.0, self._direction_now(start)
        self.begin_angle = self._direction or 0.0
        self._guides: tuple[Guide, ...] = ()
        self._problem = ""
        self._gesture = document.new_gesture()
        self._editing = False
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(INTERVAL_MS)
        self._timer.timeout.connect(self._on_time)
        self._behind = self._untold = self._due = False

    # --- what it is kept to ---------------------------------------------------------------------------------------

    @property
    def allowed(self) -> str:
        """Axes that can be used."""
        s = self.subject
        return {"move": s.move_axes, "turn": s.turn_axes, "scale": s.scale_axes}[self.mode]

    @property
    def frame(self) -> FloatArray:
        """Directions of its axes as columns (3, 3)."""
        return self.own if self.local else np.eye(3)

    @property
    def used(self) -> str:
        """Axes along or about which it goes now."""
        camera = self._eye()[0]
        if self.axes:
            return self.axes
        if self.mode == "turn":
            return motion.turning_axis(camera, self.allowed)
        return motion.free_axes(camera, self.allowed) if self.mode == "move" else self.allowed

    def keep_to(self, axis: str, plane: bool) -> None:
        """Keep to an axis, or to the plane across it; again: to its own one; again: to none."""
        wanted = axis if not plane or self.mode == "turn" else "".join(a for a in self.allowed if a != axis)
        if axis not in self.allowed and not (plane and wanted):
            names = " and ".join(self.allowed)
            what = {"move": "moved along", "turn": "rotated about", "scale": "scaled along"}[self.mode]
            self._say(f"{capitalized(self.subject.title)} can be {what} {names} only.")
            return
        turned = isinstance(self.subject, Shaped) and not np.allclose(self.own, np.eye(3), atol=1e-9)
        upright = set(self.subject.move_axes) >= set("xyz") or bool(np.allclose(self.own[2, :2], 0.0, atol=1e-9))
        own = turned and upright and self.mode != "scale"
        if wanted != self.axes:
            self.axes, self.local = wanted, False
        elif own and not self.local:
            self.local = True
        else:
            self.axes, self.local = "", False
        self._restart()

    def _restart(self) -> None:
        """Count from where the cursor was at first, with other axes."""
        self._grip = "free"
        self._turned, self._direction = 0.0, self._direction_now(self._start)
        self._follow_turn()
        self._update()

    @property
    def decimals(self) -> int:
        """Decimals of a length, m, that say all one sees: millimetres, or less than a pixel if one is near."""
        height = float(self._eye()[0].view_height(self.pivot))
        return max(3, -math.floor(math.log10(height / 2000.0)) - 1)

    # --- input ----------------------------------------------------------------------------------------------------

    def follow(self, ndc: Ndc, invert: bool) -> None:
        """The cursor is there now; `invert` turns snapping on where it is off, and off where it is on."""
        self._now, self._snaps = ndc, self._choices.on != invert
        self._follow_turn()
        self._behind = self._untold = True
        if not self._timer.isActive():  # a mouse tells its place more often than the scene follows
            self._update()

    def type(self, event: QKeyEvent) -> bool:
        """A key that may belong to a number."""
        axes = tuple(self.used)
        if self.mode == "scale" and not self.axes:
            axes = (self.allowed,)
        taken = self.typed.press(event, axes)
        if taken:
            self._update()
        return taken

    def accept(self) -> bool:
        """Leave everything as it is; False, with a sentence, if what was typed cannot be done."""
        mistake = self.typed.mistake()
        if mistake:
            self._say(mistake)
            return False
        self._timer.stop()
        return self._apply() or not self.typed

    def cancel(self) -> None:
        """Put everything back where it was; nothing is left to undo."""
        self._timer.stop()
        if self._document.scene is self._last:
            self._push(self._before)

    @property
    def overtaken(self) -> bool:
        """Whether somebody else edited the scene meanwhile."""
        return not self._editing and self._document.scene is not self._last

    # --- amounts --------------------------------------------------------------------------------------------------

    @property
    def shift(self) -> FloatArray:
        """How far it is moved (3,), m."""
        self._catch_up()
        return self._shift

    @property
    def angle(self) -> float:
        """How far it is turned, rad."""
        self._catch_up()
        return self._angle

    @property
    def factors(self) -> FloatArray:
        """By how much it is scaled along its axes (3,)."""
        self._catch_up()
        return self._factors

    @property
    def guides(self) -> tuple[Guide, ...]:
        """What it has snapped to."""
        self._catch_up()
        return self._guides

    @property
    def problem(self) -> str:
        """Why that cannot be; mostly empty."""
        self._catch_up()
        return self._problem

    def _on_time(self) -> None:
        if self._untold:
            self._update()
        if self._due:
            self._apply()

    def _update(self) -> None:
        """Find the amount anew, tell of it, and put it into effect soon."""
        self._behind, self._untold, self._due = True, False, True
        if not self._timer.isActive():
            self._timer.start()
        self.changed.emit()

    def _catch_up(self) -> None:
        """Find the amount, if cursor, keys or axes have changed since."""
        if not self._behind:
            return
        self._behind = False
        self._guides, self._problem = (), ""
        try:
            {"move": self._move, "turn": self._turn, "scale": self._scale}[self.mode]()
        except NumberTextError as error:
            self._problem = str(error)
            self._shift, self._angle, self._factors = np.zeros(3), 0.0, np.ones(3)

    def _move(self) -> None:
        if self.typed:
            self._shift = self.frame @ np.array([self._typed(name) or 0.0 for name in "xyz"])
            return
        camera, aspect = self._eye()
        anchor, frame, axes = self._anchor, self.frame, self.used
        begun = motion.coordinates(camera, aspect, self._start, anchor, frame, axes)
        there = motion.coordinates(camera, aspect, self._now, anchor, frame, axes)
        if begun is None or there is None:
            return
        gone, height = there - begun, float(camera.view_height(self.pivot))
        if self._snaps and not self.local:
            gone, self._guides = snapped_shift(
                gone, self.pivot, axes, self._choices, self._targets, _SNAP_PIXELS * height
            )
        elif self._snaps and self._choices.grid:
            gone = np.array([stepped(value, self._choices.grid_m) for value in gone])
        else:
            # Tenths of a millimetre, or less than a pixel: nobody aims finer, and the file stays readable.
            gone = np.round(gone, self.decimals + 1)
        self._shift = frame @ gone

    def _direction_now(self, ndc: Ndc) -> float | None:
        """Where around the pivot a point of the picture is, rad."""
        if self.mode != "turn" or not self.used:
            return None
        camera, aspect = self._eye()
        axis = self.used
        if self._grip == "handle":
            return motion.ring_angle(camera, aspect, ndc, self.pivot, self.frame, axis)
        return motion.screen_angle(camera, aspect, ndc, self.pivot, self.frame[:, "xyz".index(axis)])

    def _follow_turn(self) -> None:
        """Add up the way of the cursor around the pivot, so that more than a full turn can be told."""
        now = self._direction_now(self._now)
        if now is not None and self._direction is not None:
            self._turned += math.remainder(now - self._direction, math.tau)
        self._direction = now if now is not None else self._direction

    def _turn(self) -> None:
        if self.typed:
            self._angle = math.radians(self._typed(self.used) or 0.0)
            return
        degrees = math.degrees(self._turned)
        if self._snaps and self._choices.angles:
            degrees = stepped(degrees, self._choices.angle_deg)
        self._angle = math.radians(round(degrees, 1 if not self._snaps else 6))

    def _scale(self) -> None:
        camera, aspect = self._eye()
        uniform = not self.axes or self.axes == self.allowed
        if self.typed:
            every = self._typed(self.allowed) if uniform else None
            typed = [every if uniform else self._typed(name) for name in "xyz"]
            factors = [1.0 if value is None else value for value in typed]
        else:
            by = self._factor(camera, aspect)
            if self._snaps and self._choices.factors:
                by = max(stepped(by, self._choices.factor), self._choices.factor)
            factors = [round(max(by, 0.01), 3) if uniform or name in self.axes else 1.0 for name in "xyz"]
        self._factors = np.array([f if name in self.allowed else 1.0 for name, f in zip("xyz", factors, strict=True)])

    def _factor(self, camera: Camera, aspect: float) -> float:
        if self._grip == "handle" and len(self.axes) == 1:
            ends = [motion.coordinates(camera, aspect, at, self.pivot, self.own, self.axes)
                    for at in (self._start, self._now)]  # fmt: skip
            if ends[0] is None or ends[1] is None:
                return 1.0
            return 1.0 + float((ends[1] - ends[0]).sum()) / (LENGTH * float(camera.view_height(self.pivot)))
        if self._grip == "handle":
            (x0, y0), (x1, y1) = self._start, self._now
            return float(2.0 ** (0.5 * ((x1 - x0) * aspect + (y1 - y0)) / LENGTH))
        begun = motion.screen_distance(camera, aspect, self._start, self.pivot)
        return motion.screen_distance(camera, aspect, self._now, self.pivot) / max(begun, _LEAST * LENGTH)

    def _typed(self, axis: str) -> float | None:
        return self.typed.value(axis)

    # --- the document ---------------------------------------------------------------------------------------------

    def _made(self) -> Scene:
        subject, before = self.subject, self._before
        if self.mode == "move":
            return subject.moved(before, self.shift) if self.shift.any() else before
        if self.mode == "turn":
            axis: str | FloatArray = self.frame[:, "xyz".index(self.used)] if self.local else self.used
            return subject.turned(before, axis, self.angle, self.pivot) if self.angle else before
        return subject.scaled(before, self.factors, self.pivot) if (self.factors != 1.0).any() else before

    def _apply(self) -> bool:
        """Put the amount into effect; False, with a sentence, if the scene cannot be so."""
        self._due = False
        if self.overtaken:
            return True
        try:
            made = self._made()
        except SceneError as error:
            if self.typed:
                self._push(self._before)
            self._say(refusal_text(error, self._before))
            return False
        self._push(made)
        return True

    def _push(self, scene: Scene) -> None:
        self._editing, self._last = True, scene
        try:
            self._document.edit(scene, f"{VERBS[self.mode]} {self.subject.title}", self._gesture)
        finally:
            self._editing, self._last = False, self._document.scene

    def _say(self, problem: str) -> None:
        self._catch_up()
        self._problem = problem
        self.changed.emit()
