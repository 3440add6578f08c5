"""A typed number with its unit: invalid input shows a message at the field, and the value is unchanged."""

from __future__ import annotations

import math

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QFocusEvent, QKeyEvent, QMouseEvent, QWheelEvent
from PySide6.QtWidgets import QLabel, QLineEdit, QSizePolicy, QWidget

from snakestudio.gui.core import theme
from snakestudio.model.fields import FieldDoc
from snakestudio.model.formula.quantity import NumberTextError, parse_number
from snakestudio.text import exact_text
from snakestudio.viewmodel.numbers import Change, nice_step, parse_change

_WIDEST = 110
"""Largest width that a field reserves for its number, px of the design."""


class Message(QLabel):
    """A message below a field, hidden while it is empty."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("role", "warning")
        self.setWordWrap(True)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Minimum)
        font = self.font()
        font.setPixelSize(theme.scaled(12))
        self.setFont(font)
        self.hide()

    def show_text(self, sentence: str) -> None:
        """Show a message; "" hides it."""
        self.setText(sentence)
        self.setVisible(bool(sentence))


class NumberField(QLineEdit):
    """A line for one number.

    Enter and leaving the field commit, Esc restores; up and down step (Shift ten times, Ctrl a
    tenth). Arithmetic, a decimal comma and other units of the same dimension ("12 cm") are accepted.
    Input that begins with an operator changes the value: ``+0.1``, ``*2``, ``/3``, ``-=0.1``.

    Parameters
    ----------
    doc : FieldDoc
        Declaration of the value: unit, range, slider range, explanation.
    integer : bool
        Whether only whole numbers are valid.
    optional : bool
        Whether the field may be empty, which means None.
    in_form : bool
        Whether it is in a form that is accepted as a whole: input stays when the focus leaves the
        field, valid or not.
    enter_accepts : bool
        Whether Enter is passed on to the form after the commit.

    Signals
    -------
    committed(value: float | int | None, again: bool)
        A valid value other than the one shown; `again` while a key repeats, so that its steps are
        one gesture. A receiver that cannot accept it calls `refuse`.
    change_requested(change: Change, again: bool)
        A relative change of several values that are edited together; otherwise like `committed`.
    problem_changed(sentence: str)
        Message about the text in the field; "" if it is valid.
    """

    committed = Signal(object, bool)
    change_requested = Signal(object, bool)
    problem_changed = Signal(str)

    def __init__(
        self,
        doc: FieldDoc,
        *,
        integer: bool = False,
        optional: bool = False,
        parent: QWidget | None = None,
        in_form: bool = False,
        enter_accepts: bool = False,
    ) -> None:
        super().__init__(parent)
        self.doc = doc
        self._integer = integer
        self._optional = optional
        self._in_form = in_form
        self._enter_accepts = enter_accepts
        self._value: float | None = None
        self._refused = ""
        self.mixed = False
        """Whether several different values are edited together."""
        self.problem = ""
        low, high = doc.slider or (
            doc.minimum or 0.0,
            doc.maximum if doc.maximum is not None else 1.0,
        )
        self.step = max(1.0, round(nice_step(high - low))) if integer else nice_step(high - low)
        self.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        self.setFont(theme.value_font(13))
        self._absent_text = "none"
        self.setPlaceholderText(self._absent_text if optional else "")
        self.setAccessibleName(doc.label)
        self._needed = 0
        self._usual = 0
        self.textEdited.connect(lambda text: self._set_problem(""))
        self.textChanged.connect(self._on_text)

    @property
    def value(self) -> float | None:
        """The value that is shown without pending input."""
        return self._value

    def set_mixed(self, mixed: bool) -> None:
        """Set whether several different values are edited together."""
        self.mixed = mixed
        self.setPlaceholderText("mixed" if mixed else self._absent_text)

    def set_absent_text(self, text: str) -> None:
        """Set the text that is shown while an optional value is omitted."""
        self._absent_text = text
        self.set_mixed(self.mixed)

    def set_value(self, value: float | None) -> None:
        """Show another value; pending input is kept."""
        self._value = value
        if not self.isModified():
            self._restore()

    def set_step(self, step: float) -> None:
        """Set the step of the up and down keys."""
        self.step = step
        self._restore()

    def refuse(self, sentence: str) -> None:
        """Refuse the value with a message; call it from a slot of `committed`."""
        self._refused = sentence

    def commit(self) -> bool:
        """Commit the input; return False, with a message at the field, if it is not valid."""
        text = self.text().strip()
        if not self.isModified() and not self.problem:
            return True
        if not text and self._optional:
            return self._offer(None, False)
        if not text and self.mixed:
            self.restore()
            return True
        try:
            change = parse_change(text, self.doc.unit)
            if change is not None and self.mixed:
                return self._ask(change, False)
            if change is not None and self._value is not None:
                return self._offer(change.of(self._value), False)
            value = parse_number(text, self.doc.unit)
        except NumberTextError as error:
            self._set_problem(str(error))
            return False
        return self._offer(value, False)

    def restore(self) -> None:
        """Discard the input."""
        self._restore()
        self._set_problem("")

    def range_problem(self, value: float) -> str:
        """Return a message about a `value` out of range; "" if it is in range."""
        doc = self.doc
        unit = f" {self.doc.unit}" if self.doc.unit else ""
        if not math.isfinite(value):
            return f"{doc.label} must be a finite number."
        text = exact_text(value)
        if self._integer and value != round(value):
            return f"{doc.label} must be a whole number (got {text})."
        if doc.minimum is not None and (
            value < doc.minimum or (doc.exclusive_minimum and value == doc.minimum)
        ):
            limit = exact_text(doc.minimum)
            if doc.exclusive_minimum:
                return f"{doc.label} must be greater than {limit}{unit} (got {text})."
            return f"{doc.label} must be at least {limit}{unit} (got {text})."
        if doc.maximum is not None and value > doc.maximum:
            return f"{doc.label} must be at most {exact_text(doc.maximum)}{unit} (got {text})."
        return ""

    def _offer(self, value: float | None, again: bool) -> bool:
        if value is not None:
            problem = self.range_problem(value)
            if problem:
                self._set_problem(problem)
                return False
            if self._integer:
                value = round(value)
        self._refused = ""
        if value != self._value:
            self.committed.emit(value, again)
        if self._refused:
            self._set_problem(self._refused)
            return False
        self._value = value
        self.restore()
        return True

    def _ask(self, change: Change, again: bool) -> bool:
        """Request a relative change of several values."""
        self._refused = ""
        self.setModified(False)
        self.change_requested.emit(change, again)
        if self._refused:
            self.setModified(True)
            self._set_problem(self._refused)
            return False
        self.restore()
        return True

    def _restore(self) -> None:
        self.setText("" if self._value is None else exact_text(self._value, self.step))
        self.setModified(False)
        if not self.hasFocus():
            self.setCursorPosition(0)

    def _set_problem(self, sentence: str) -> None:
        if sentence != self.problem:
            self.problem = sentence
            self.problem_changed.emit(sentence)

    def _step_by(self, steps: float, again: bool) -> None:
        if self.mixed and not self.isModified():
            size = steps * self.step
            self._ask(
                Change(
                    "+",
                    max(1.0, round(abs(size))) * (1 if steps > 0 else -1)
                    if self._integer
                    else size,
                ),
                again,
            )
            return
        try:
            start = parse_number(self.text(), self.doc.unit)
        except NumberTextError:
            start = self._value if self._value is not None else 0.0
        size = abs(steps) * self.step
        if self._integer:
            size = max(1.0, round(size))
        # The first step goes to the grid of steps, from 40.3 to 40.5 instead of 40.8.
        places = start / size
        nearest = round(places)
        on_grid = abs(places - nearest) < 1e-6
        up = steps > 0
        target = (
            (nearest + (1 if up else -1)) * size
            if on_grid
            else (int(places // 1) + (1 if up else 0)) * size
        )
        target = float(f"{target:.12g}")
        if not self.range_problem(target):
            self._offer(target, again)
            self.selectAll()

    # --- size -------------------------------------------------------------------------------------

    def _on_text(self, text: str) -> None:
        """Request the width of a number, so that it is fully visible; pending input scrolls."""
        if not self.hasFocus():
            needed = self.fontMetrics().horizontalAdvance(text)
            if needed != self._needed:
                self._needed = needed
                self.updateGeometry()

    def set_usual_width(self, width: int) -> None:
        """Set the usual width, px of the design; the field is wider only if a number needs it."""
        self._usual = theme.scaled(width)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self.updateGeometry()

    def sizeHint(self) -> QSize:
        return self.minimumSizeHint() if self._usual else super().sizeHint()

    def minimumSizeHint(self) -> QSize:
        hint = super().minimumSizeHint()
        margin = hint.width() - self.fontMetrics().maxWidth()  # padding, frame and Qt's own margin
        number = min(self._needed, theme.scaled(_WIDEST)) + margin
        return QSize(max(self._usual or hint.width(), number), hint.height())

    # --- events -----------------------------------------------------------------------------------

    def keyPressEvent(self, event: QKeyEvent) -> None:
        key = event.key()
        modifiers = event.modifiers()
        ups = {
            Qt.Key.Key_Up: 1,
            Qt.Key.Key_Down: -1,
            Qt.Key.Key_PageUp: 10,
            Qt.Key.Key_PageDown: -10,
        }
        if key in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.setModified(True)
            if self.commit():
                self.selectAll()
                if self._enter_accepts:
                    event.ignore()
                    return
        elif key == Qt.Key.Key_Escape and (self.isModified() or self.problem):
            self.restore()
            self.selectAll()
        elif key in ups:
            factor = 10.0 if modifiers & Qt.KeyboardModifier.ShiftModifier else 1.0
            factor *= 0.1 if modifiers & Qt.KeyboardModifier.ControlModifier else 1.0
            self._step_by(ups[Qt.Key(key)] * factor, event.isAutoRepeat())
        else:
            super().keyPressEvent(event)
            return
        event.accept()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        if event.reason() == Qt.FocusReason.PopupFocusReason or self.commit():
            return
        if not self._in_form:
            # The message about the invalid input stays; the field shows the present value.
            self._restore()

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        self.selectAll()

    def wheelEvent(self, event: QWheelEvent) -> None:
        event.ignore()  # the wheel scrolls the panel and never changes a value
