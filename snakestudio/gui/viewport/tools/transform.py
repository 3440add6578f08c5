"""A transform in progress: an amount and the resulting scene, as one undo step."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QKeyEvent

from snakestudio._arrays import FloatArray
from snakestudio.drawing.gizmo import Mode
from snakestudio.errors import SceneError
from snakestudio.gui.core.delay import Delay
from snakestudio.gui.core.document import Document
from snakestudio.gui.viewport.tools.amount import Amount
from snakestudio.gui.viewport.tools.tool import INTERVAL_MS
from snakestudio.model.scene import Scene
from snakestudio.viewmodel.scene.items import refusal_text
from snakestudio.viewmodel.viewport.motion import Ndc

_VERBS: dict[Mode, str] = {"move": "Move", "turn": "Rotate", "scale": "Scale"}


class Transform(QObject):
    """Applies an amount until it is accepted or cancelled.

    Parameters
    ----------
    document : Document
        Its scene is the one to which the amount applies.

    Signals
    -------
    changed()
        Amount, axes, guides or typed text changed.
    """

    changed = Signal()

    def __init__(self, document: Document, amount: Amount, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._document = document
        self.amount = amount
        self._scene_before = document.scene
        self._last = document.scene
        self._gesture = document.new_gesture()
        self._editing = False
        self._refusal = ""
        self._timer = Delay(INTERVAL_MS, self._on_time, self)
        self._has_moved = False
        self._due = False

    # --- input ------------------------------------------------------------------------------------

    def keep_to(self, axis: str, plane: bool) -> None:
        """Constrain to an axis, or to the plane across it; again: to the subject's axis; again: to none."""
        refusal = self.amount.keep_to(axis, plane)
        if refusal:
            self._refuse(refusal)
        else:
            self._update()

    def follow(self, ndc: Ndc, invert: bool) -> None:
        """Set the position of the cursor; `invert` inverts snapping."""
        self.amount.follow(ndc, invert)
        self._refusal = ""
        self._has_moved = True
        if not self._timer.isActive():  # the mouse moves more often than the scene is updated
            self._update()

    def type(self, event: QKeyEvent) -> bool:
        """Handle a key that may belong to a number."""
        handled = self.amount.press(event)
        if handled:
            self._update()
        return handled

    def accept(self) -> bool:
        """Accept the transform; return False, with a message, if the typed amount cannot be applied."""
        mistake = self.amount.typed.mistake()
        if mistake:
            self._refuse(mistake)
            return False
        self._timer.stop()
        return self._apply() or not self.amount.typed

    def cancel(self) -> None:
        """Restore the scene; there is nothing left to undo."""
        self._timer.stop()
        if self._document.scene is self._last:
            self._push(self._scene_before)

    # --- the document -----------------------------------------------------------------------------

    @property
    def overtaken(self) -> bool:
        """Whether the scene has been edited from elsewhere since."""
        return not self._editing and self._document.scene is not self._last

    @property
    def problem(self) -> str:
        """Reason why the amount cannot be applied; usually empty."""
        return self._refusal or self.amount.problem

    def _on_time(self) -> None:
        if self._has_moved:
            self._update()
        if self._due:
            self._apply()

    def _update(self) -> None:
        """Report a changed amount, and apply it soon."""
        self.amount.invalidate()
        self._refusal = ""
        self._has_moved = False
        self._due = True
        self._timer.request()
        self.changed.emit()

    def _transformed(self) -> Scene:
        """Return the initial scene with the amount applied."""
        amount = self.amount
        before = self._scene_before
        subject = amount.subject
        if amount.mode == "move":
            return subject.moved(before, amount.shift) if amount.shift.any() else before
        if amount.mode == "turn":
            used = amount.used
            axis: str | FloatArray = amount.frame[:, "xyz".index(used)] if amount.local else used
            return (
                subject.turned(before, axis, amount.angle, amount.pivot) if amount.angle else before
            )
        return (
            subject.scaled(before, amount.factors, amount.pivot)
            if (amount.factors != 1.0).any()
            else before
        )

    def _apply(self) -> bool:
        """Apply the amount; return False, with a message, if the resulting scene is invalid."""
        self._due = False
        if self.overtaken:
            return True
        try:
            scene = self._transformed()
        except SceneError as error:
            if self.amount.typed:
                self._push(self._scene_before)
            self._refuse(refusal_text(error, self._scene_before))
            return False
        self._push(scene)
        return True

    def _push(self, scene: Scene) -> None:
        self._editing = True
        self._last = scene
        try:
            amount = self.amount
            self._document.edit(
                scene, f"{_VERBS[amount.mode]} {amount.subject.title}", self._gesture
            )
        finally:
            self._editing = False
            self._last = self._document.scene

    def _refuse(self, refusal: str) -> None:
        self._refusal = refusal
        self.changed.emit()
