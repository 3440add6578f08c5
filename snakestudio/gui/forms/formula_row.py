"""A formula with symbol and unit: checked while typing, committed on Enter or when the focus leaves it."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import QPoint, Qt, QTimer, Signal
from PySide6.QtGui import QFontDatabase, QKeyEvent
from PySide6.QtWidgets import (
    QFrame,
    QGridLayout,
    QLabel,
    QLineEdit,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from snakestudio.errors import SceneError, SnakeStudioError
from snakestudio.gui.core import theme
from snakestudio.gui.core.document import Document
from snakestudio.gui.core.theme import ThemedWidget
from snakestudio.gui.forms.number_field import Message
from snakestudio.model.edits import get_value, with_value
from snakestudio.model.scene import Scene
from snakestudio.text import capitalized
from snakestudio.viewmodel.scene.message_labels import labelled, refusal

_PAUSE_MS = 350
"""Delay after the last key before a formula is checked, ms."""

Check = Callable[[Scene, str], str]
"""Returns a message about the value at a key of a scene; "" if it is valid."""

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


def wrong_at(error: SnakeStudioError, key: str) -> str:
    """Return the message of an error about the formula at `key`; "" if it is about others."""
    return next(
        (
            problem.sentence_for()
            for problem in getattr(error, "problems", ())
            if problem.key == key
        ),
        "",
    )


class _Field(QLineEdit):
    """A line edit that signals when Esc discards the input."""

    restored = Signal()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape and self.isModified():
            self.restored.emit()
            event.accept()
        else:
            super().keyPressEvent(event)


class FormulaRow(ThemedWidget):
    """A formula of the scene. Invalid input stays in the field with a message below; the scene is unchanged.

    Parameters
    ----------
    key : str
        Dotted scene key.
    symbol : str
        Symbol of the quantity, rich text; "" to show `title` above the field instead.
    help : str
        Explanation of the quantity.
    check : callable, optional
        Checks a scene that contains the formula.
    of : str
        Name of the quantity for the undo list: "curvature about Z".

    Signals
    -------
    scene_tried(scene: Scene)
        The scene with the pending input, which is valid.
    """

    scene_tried = Signal(object)

    def __init__(
        self,
        document: Document,
        key: str,
        symbol: str,
        unit: str,
        help: str,
        check: Check | None = None,
        *,
        of: str,
        title: str = "",
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self.key = key
        self._document = document
        self._check = check
        self._of = of
        self._scene_problem = ""
        self.field = _Field()
        font = QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont)
        font.setPixelSize(theme.scaled(13))
        self.field.setFont(font)
        self.field.setAccessibleName(help)
        self.message = Message()
        self._label = QLabel(symbol or title)
        self._label.setWordWrap(not symbol)
        self._label.setObjectName("label")
        self._unit = QLabel(unit)
        self._label.setTextFormat(Qt.TextFormat.RichText)
        if symbol:
            self._label.setFixedWidth(theme.scaled(24))
        self._label.setBuddy(self.field)
        self._unit.setProperty("role", "unit")
        self._unit.setFixedWidth(theme.scaled(32))
        for widget in (self._label, self.field, self._unit):
            widget.setToolTip(
                f"<qt>{help}.<br><span style='color:{theme.current().dim}'>{key}</span></qt>"
            )
        grid = QGridLayout(self)
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setHorizontalSpacing(8)
        grid.setVerticalSpacing(2)
        if symbol:
            grid.addWidget(self._label, 1, 0)
            grid.addWidget(self.field, 1, 1)
            grid.addWidget(self._unit, 1, 2)
        else:
            self._label.setProperty("role", "dim")
            self._unit.setVisible(bool(unit))
            grid.addWidget(self._label, 0, 1, 1, 2)
            grid.addWidget(self.field, 1, 1)
            grid.addWidget(self._unit, 1, 2)
        self.note = QLabel()
        self.note.setWordWrap(True)
        self.note.setProperty("role", "dim")
        self.note.hide()
        grid.addWidget(self.message, 2, 1, 1, 2)
        grid.addWidget(self.note, 3, 1, 1, 2)
        self._pause = QTimer(self)
        self._pause.setSingleShot(True)
        self._pause.setInterval(_PAUSE_MS)
        self._pause.timeout.connect(self._check_input)
        self.field.textEdited.connect(lambda text: self._pause.start())
        self.field.editingFinished.connect(self.commit)
        self.field.restored.connect(self.restore)
        self.refresh()

    @property
    def problem(self) -> str:
        """Message about the text in the field; "" if it is valid."""
        return self.message.text()

    def refresh(self) -> None:
        """Show the present formula of the scene; pending input is kept."""
        try:
            value = str(get_value(self._document.scene, self.key))
        except SceneError:
            return  # the edited item was removed, and the row will be
        if not self.field.isModified() and value != self.field.text():
            self.field.setText(value)
            self.field.setCursorPosition(0)

    def set_unused(self, reason: str) -> None:
        """Show why the formula has no effect in the present scene, and lock it; "" if it has."""
        for widget in (self._label, self.field, self._unit):
            widget.setEnabled(not reason)
        self.note.setText(capitalized(reason))
        self.note.setVisible(bool(reason))

    def show_scene_problem(self, sentence: str) -> None:
        """Show a problem that a check of the whole scene reports for this formula; "" for none."""
        self._scene_problem = sentence
        if not self.field.isModified():
            self._show_message(sentence)

    def restore(self) -> None:
        """Discard the input."""
        self._pause.stop()
        self.field.setModified(False)
        self._show_message(self._scene_problem)
        self.refresh()
        self.scene_tried.emit(self._document.scene)

    def commit(self) -> None:
        """Commit valid input as one step of undo."""
        self._pause.stop()
        if not self.field.isModified():
            return
        scene = self._candidate()
        if scene is None:
            return
        self.field.setModified(False)
        self._scene_problem = ""
        self._document.edit(scene, f"Change {self._of}")
        self.refresh()

    def _candidate(self) -> Scene | None:
        """Return the scene with the input; None, with a message below the field, if it is not valid."""
        problem = ""
        scene: Scene | None = None
        try:
            scene = with_value(self._document.scene, self.key, self.field.text().strip())
            problem = self._check(scene, self.key) if self._check is not None else ""
        except SnakeStudioError as error:
            problem = refusal(error, self._document.scene)
        self._show_message(problem)
        return None if problem else scene

    def _check_input(self) -> None:
        scene = self._candidate()
        if scene is not None:
            self.scene_tried.emit(scene)

    def _show_message(self, sentence: str) -> None:
        owner = self.key.rpartition(".")[0]
        self.message.show_text(labelled(sentence, self._document.scene, owner))
        self.apply_theme()

    def apply_theme(self) -> None:
        border = f"border-color: {theme.current().warning};"
        wrong = (
            f"QLineEdit {{ {border} }} QLineEdit:focus {{ {border} }}"
            if self.message.text()
            else ""
        )
        if wrong != self.field.styleSheet():
            self.field.setStyleSheet(wrong)


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
