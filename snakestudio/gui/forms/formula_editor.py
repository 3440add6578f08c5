"""Editor of a formula, checked while typing, and a list of the names that formulas can use."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from PySide6.QtCore import QPoint, Qt, Signal
from PySide6.QtGui import QFontDatabase, QKeyEvent
from PySide6.QtWidgets import QFrame, QLabel, QLineEdit, QToolButton, QVBoxLayout, QWidget

from snakestudio.gui.core import theme
from snakestudio.gui.core.delay import Delay
from snakestudio.gui.forms.editor import Editor
from snakestudio.gui.forms.form_fields import FormField

_PAUSE_MS = 350
"""Delay after the last key before a formula is checked, ms."""


STRAIN_NAMES = (
    ("X", "material abscissa from the head, m"),
    ("t", "time, s"),
    ("s", "abscissa along the path of a body that moves along itself, m: X + ∫ V₀ dt"),
    ("l, r", "length and radius of the body, m"),
    ("pi", "3.14159…"),
)
_FUNCTIONS = (
    ("sin cos tan", "of an angle in rad"),
    ("asin acos atan", "inverse functions, rad"),
    ("sinh cosh tanh", "hyperbolic functions"),
    ("exp log sqrt", "exponential, natural logarithm, square root"),
    ("bump(v)", "smooth bump: 1 at v = 0, 0 for |v| ≥ 1"),
    ("rise(v)", "smooth step upwards"),
    ("+ − * / ^ ( )", "as usual; 2*t, not 2 t"),
)


class _FormulaField(QLineEdit):
    """A line edit that signals when Esc discards the input."""

    restored = Signal()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape and self.isModified():
            self.restored.emit()
            event.accept()
        else:
            super().keyPressEvent(event)


class FormulaEditor(Editor):
    """A formula, applied on Enter or when the focus leaves it. Invalid input stays in the field.

    Signals
    -------
    tried(text: str)
        A formula that is valid but not applied yet.
    """

    tried = Signal(str)

    def __init__(self, field: FormField, parent: QWidget | None) -> None:
        super().__init__(field, parent)
        self._value = ""
        self._problem = ""
        self.widget: _FormulaField = _FormulaField(parent)
        font = QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont)
        font.setPixelSize(theme.scaled(13))
        self.widget.setFont(font)
        self._pause = Delay(_PAUSE_MS, self._check_input, self)
        self.widget.textEdited.connect(lambda text: self._pause.start())
        self.widget.editingFinished.connect(self.commit)
        self.widget.restored.connect(self.discard_input)

    @property
    def problem(self) -> str:
        return self._problem

    @property
    def has_input(self) -> bool:
        return self.widget.isModified()

    @property
    def value(self) -> str:
        return self._value

    def set_value(self, value: Any) -> None:
        self._value = str(value)
        if not self.has_input and self._value != self.widget.text():
            self.widget.setText(self._value)
            self.widget.setCursorPosition(0)

    def commit(self) -> bool:
        self._pause.stop()
        if self.has_input and self._is_valid():
            self.widget.setModified(False)
            self._value = self._text
            self.changed.emit()
        return not self._problem

    def discard_input(self) -> None:
        self._pause.stop()
        self.widget.setModified(False)
        self.set_value(self._value)
        self._set_problem("")
        self.tried.emit(self._value)

    @property
    def _text(self) -> str:
        return self.widget.text().strip()

    def _is_valid(self) -> bool:
        """Check the input, and show what is wrong with it."""
        self._set_problem("" if self.field.check is None else self.field.check(self._text))
        return not self._problem

    def _check_input(self) -> None:
        if self._is_valid():
            self.tried.emit(self._text)

    def _set_problem(self, problem: str) -> None:
        self._problem = problem
        self.problem_changed.emit()


class FormulaHelp(QToolButton):
    """A button that lists the names and functions that formulas can use.

    Parameters
    ----------
    names : sequence of (str, str)
        The names and their meanings.
    """

    def __init__(
        self, names: Sequence[tuple[str, str]] = STRAIN_NAMES, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._names = names
        self.setText("Names and functions")
        self.setProperty("role", "link")
        self.setToolTip("List the names and functions that formulas can use")
        self.clicked.connect(self.show_list)
        self.popup: QFrame | None = None

    def show_list(self) -> None:
        """Open the list below the button; a click elsewhere closes it."""
        popup = QFrame(self, Qt.WindowType.Popup)
        popup.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        popup.setProperty("role", "card")
        label = QLabel(self._text())
        label.setObjectName("names")
        label.setTextFormat(Qt.TextFormat.RichText)
        label.setWordWrap(True)
        label.setFixedWidth(theme.scaled(304))
        column = QVBoxLayout(popup)
        column.setContentsMargins(16, 16, 16, 16)
        column.addWidget(label)
        popup.adjustSize()
        popup.move(self.mapToGlobal(QPoint(self.width() - popup.width(), self.height() + 4)))
        popup.destroyed.connect(self._on_popup_destroyed)
        self.popup = popup
        popup.show()

    def _on_popup_destroyed(self) -> None:
        self.popup = None

    def _text(self) -> str:
        dim = theme.current().dim
        rows = "".join(
            f"<tr><td style='padding: 2px 12px 2px 0'><code>{name}</code></td>"
            f"<td style='color:{dim}; padding: 2px 0'>{what}</td></tr>"
            for part in (self._names, _FUNCTIONS)
            for name, what in part
        )
        return f"<table cellspacing='0'>{rows}</table>"
