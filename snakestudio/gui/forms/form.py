"""Rows of a form for declared scene values: number, text, choice, switch, list of numbers."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Collection, Sequence
from typing import Any

from PySide6.QtCore import QEvent, QSize, Qt
from PySide6.QtGui import QContextMenuEvent, QResizeEvent
from PySide6.QtWidgets import (
    QCheckBox,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QToolButton,
    QWidget,
)

from snakestudio.errors import SceneError, SnakeStudioError
from snakestudio.gui.core import theme
from snakestudio.gui.core.document import Document
from snakestudio.gui.core.file_dialogs import FileKind, choose_file
from snakestudio.gui.forms.boxes import ChoiceBox, narrow
from snakestudio.gui.forms.number_field import Message, NumberField
from snakestudio.gui.forms.text_field import TextField
from snakestudio.gui.forms.value_menu import open_value_menu
from snakestudio.kinds.reads import unused_reason
from snakestudio.model.edits import declared, get_value, parse_key, with_values
from snakestudio.model.field_kind import field_kind
from snakestudio.model.fields import field_doc
from snakestudio.model.formula.quantity import NumberTextError, parse_numbers
from snakestudio.text import exact_text
from snakestudio.viewmodel.field_texts import choice_text, explanation, symbol_html
from snakestudio.viewmodel.numbers import Change
from snakestudio.viewmodel.scene.message_labels import refusal

SEVERAL = object()
"""Value of a row that edits several items with different values."""

PICTURE_FILES = "Images (*.png *.tif *.tiff *.jpg *.jpeg *.bmp *.pgm);;All files (*)"
"""Filters of the file dialog for images."""

GUTTER = 16
"""Space left of a row for its reset button, px."""

_LABEL = 96
_LABEL_LEAST = 68
_NUMBER = 92
_UNIT = 44
"""Widths of a row's parts, px of the design: the number is shown in full rather than the label on one
line."""

_VALUE_TEXTS = {None: "none", True: "on", False: "off"}


class FormRow(QWidget):
    """Label, editor and unit of one scene value, or of the same value of several items.

    Parameters
    ----------
    keys : sequence of str
        Dotted scene keys; several keys belong to obstacles.
    of : str
        Owner of the value for the undo list: "cylinder 3".
    """

    def __init__(
        self, document: Document, keys: Sequence[str], of: str = "", parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self.keys = list(keys)
        self._obstacles = (
            [int(parse_key(key)[1]) for key in self.keys] if len(self.keys) > 1 else []
        )
        self._document = document
        self._of = of
        self.model, self.name = declared(document.scene, self.keys[0])
        self.doc = field_doc(self.model, self.name)
        self._choices = field_kind(self.model, self.name).offered
        self._gesture = 0
        self._problem = ""
        self._pending = False
        self._note = ""
        self._unused = ""
        self._explained_widgets: tuple[QWidget, ...] = ()
        self.reset_button: QToolButton | None = None
        self.message = Message()
        self._label = QLabel()
        self._label.setObjectName("label")
        self._label.setTextFormat(Qt.TextFormat.RichText)
        self._label.setProperty("role", "dim")
        self._label.setFixedWidth(theme.scaled(_LABEL))
        self._label.setWordWrap(True)
        self._unit = QLabel(self.doc.unit)
        self._unit.setProperty("role", "unit")
        self._unit.setFixedWidth(max(theme.scaled(_UNIT), self._unit.sizeHint().width()))
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setHorizontalSpacing(8)
        self._grid.setVerticalSpacing(2)
        self._stacked = False
        self._grid.addWidget(self._label, 1, 0)
        self._grid.addWidget(self._unit, 1, 2)
        self._grid.addWidget(self.message, 2, 1, 1, 2)
        self._update_label()

    def _place(self, editor: QWidget, *, wide: bool = False) -> None:
        self._label.setBuddy(editor)
        editor.setContextMenuPolicy(Qt.ContextMenuPolicy.NoContextMenu)  # the row has its own
        editor.setAccessibleName(self.doc.label)
        self._grid.addWidget(editor, 1, 1, 1, 2 if wide else 1)
        self._unit.setHidden(wide)
        self._explained_widgets = (self._label, editor, self._unit)
        self._update_tooltips()

    def _update_tooltips(self) -> None:
        """Grey a value that has no effect, and show why; it can still be edited, for another model."""
        tip = explanation(self.doc, self.keys[0], theme.current().dim, self._unused)
        for widget in self._explained_widgets:
            widget.setToolTip(tip)
            if widget.property("unused") != bool(self._unused):
                widget.setProperty("unused", bool(self._unused))
                widget.style().unpolish(widget)
                widget.style().polish(widget)

    def _update_label(self) -> None:
        symbol = f" &nbsp;{symbol_html(self.doc.symbol)}" if self.doc.symbol else ""
        text = self._unused or self._note
        note = f"<br><span style='font-size:{theme.scaled(11)}px'>{text}</span>" if text else ""
        self._label.setText(f"{self.doc.label}{symbol}{note}")

    # --- messages ---------------------------------------------------------------------------------

    def set_note(self, note: str) -> None:
        """Show a short note below the label: "takes effect after Reset"."""
        if note != self._note:
            self._note = note
            self._update_label()

    @property
    def unused(self) -> str:
        """Why the value has no effect in the present scene; "" if it has."""
        return self._unused

    def set_pending(self, pending: Collection[str]) -> None:
        """Set the scene keys that take effect at the next reset; the row shows whether its own is among them."""
        waits = any(
            key == other or key.startswith((f"{other}.", f"{other}["))
            for key in self.keys
            for other in pending
        )
        if waits != self._pending:
            self._pending = waits
            self._show_problem(self._problem)

    def _show_problem(self, problem: str) -> None:
        """Show why a value was refused, or else that it takes effect at the next reset."""
        self._problem = problem
        self.message.show_text(
            problem or ("Takes effect at the next reset." if self._pending else "")
        )

    # --- reset ------------------------------------------------------------------------------------

    def offer_reset(self) -> None:
        """Add a button left of the row that resets the value, visible while it differs from the default."""
        self._grid.setContentsMargins(GUTTER, 0, 0, 0)
        if self.model.model_fields[self.name].is_required() or self.reset_button is not None:
            return
        button = self.reset_button = QToolButton(self)
        button.setProperty("role", "flat")
        button.setStyleSheet("QToolButton { padding: 0 }")
        button.setIcon(theme.icon("undo", "dim"))
        button.setIconSize(QSize(12, 12))
        button.setFixedSize(GUTTER - 2, 20)
        button.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        button.setToolTip(f"Reset to {self._default_text() or 'the default'}")
        button.setAccessibleName(f"Reset {self.doc.label}")
        button.clicked.connect(self.reset)
        self.refresh()

    def _default_text(self) -> str:
        """The default as text; "" if it cannot be shown in a word."""
        default = self.doc.default
        unit = f" {self.doc.unit}" if self.doc.unit else ""
        if self._choices:
            return choice_text(default)
        if isinstance(default, str):
            return default
        if default is None or isinstance(default, bool):
            return _VALUE_TEXTS[default]
        return f"{exact_text(default)}{unit}" if isinstance(default, int | float) else ""

    def reset(self) -> None:
        """Reset the values of all edited items to the default."""
        self._show_problem(self._apply(self.doc.default))
        self.refresh()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit_label()

    def event(self, event: QEvent) -> bool:
        handled = super().event(event)
        if event.type() == QEvent.Type.LayoutRequest:  # a number may need more or less space
            self._fit_label()
        return handled

    def _fit_label(self) -> None:
        """Give the label the space that the editor leaves, or the line above a long number."""
        width = self._grid.contentsRect().width()
        least, usual = theme.scaled(_LABEL_LEAST), theme.scaled(_LABEL)
        editor = self._editor_width()
        rest = width - max(theme.scaled(_NUMBER), editor) - self._unit_width()
        rest -= self._grid.horizontalSpacing()
        self._stack(editor > theme.scaled(_NUMBER) and rest < least)
        self._label.setFixedWidth(width if self._stacked else max(least, min(usual, rest)))
        if self.reset_button is not None:
            self.reset_button.move(0, max(0, (self._label.geometry().center().y() - 10)))

    def _stack(self, on: bool) -> None:
        """Place the label above the editor instead of left of it."""
        if on != self._stacked:
            self._stacked = on
            self._grid.removeWidget(self._label)
            self._grid.addWidget(self._label, *((0, 0, 1, 3) if on else (1, 0, 1, 1)))

    def _editor_width(self) -> int:
        """Least width of the editor, px."""
        editor = self._grid.itemAtPosition(1, 1)
        return editor.minimumSize().width() if editor is not None else 0

    def _unit_width(self) -> int:
        """Width of the unit with the space left of it, px."""
        return (
            0
            if self._unit.isHidden()
            else self._unit.minimumWidth() + self._grid.horizontalSpacing()
        )

    def minimumSizeHint(self) -> QSize:
        """Size with the label at its least width or above the editor, independent of its present width."""
        editor = self._editor_width()
        in_line = theme.scaled(_LABEL_LEAST) + self._grid.horizontalSpacing()
        margins = self._grid.contentsMargins()
        width = max(editor, in_line + min(editor, theme.scaled(_NUMBER))) + self._unit_width()
        return QSize(width + margins.left() + margins.right(), super().minimumSizeHint().height())

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        open_value_menu(self, self._document, self.keys, event)

    # --- the value --------------------------------------------------------------------------------

    def value(self) -> Any:
        """The value in the scene; `SEVERAL` for different values."""
        first = get_value(self._document.scene, self.keys[0])
        if len(self.keys) == 1:
            return first
        # only obstacles are edited together, possibly thousands
        obstacles = self._document.scene.obstacles
        return (
            SEVERAL
            if any(getattr(obstacles[i], self.name) != first for i in self._obstacles)
            else first
        )

    def refresh(self) -> None:
        """Show the present value of the scene."""
        try:
            value = self.value()
        except (SceneError, IndexError, AttributeError):
            return  # the edited item was removed, and the form will be
        self._show(value)
        unused = unused_reason(self._document.scene, self.keys[0])
        if unused != self._unused:
            self._unused = unused
            self._update_label()
            self._update_tooltips()
        if self.reset_button is not None:
            self.reset_button.setVisible(value is SEVERAL or value != self.doc.default)

    @abstractmethod
    def _show(self, value: Any) -> None:
        """Show a value, or `SEVERAL`."""

    def _apply(self, value: Any, gesture: int = 0) -> str:
        """Set a value of the scene; return why it is refused, or ""."""
        return self._apply_values(dict.fromkeys(self.keys, value), gesture)

    def _apply_values(self, values: dict[str, Any], gesture: int = 0) -> str:
        text = f"Change {self.doc.label.lower()}" + (f" of {self._of}" if self._of else "")
        try:
            self._document.edit(with_values(self._document.scene, values), text, gesture)
        except SnakeStudioError as error:
            return refusal(error, self._document.scene)
        return ""


_SHORTEST = 7
"""Least number of visible characters of a choice."""


class NumberRow(FormRow):
    """A number."""

    def __init__(
        self, document: Document, keys: Sequence[str], of: str = "", parent: QWidget | None = None
    ) -> None:
        super().__init__(document, keys, of, parent)
        kind = field_kind(self.model, self.name)
        self._integer = kind.kind == "integer"
        self.field = NumberField(self.doc, integer=self._integer, optional=kind.optional)
        self.field.committed.connect(self._commit)
        self.field.change_requested.connect(self._change)
        self.field.problem_changed.connect(self._show_problem)
        self._place(self.field)
        self.refresh()

    def _show(self, value: Any) -> None:
        self.field.set_mixed(value is SEVERAL)
        self.field.set_value(None if value is SEVERAL else value)

    def _commit(self, value: float | None, again: bool) -> None:
        if not again:
            self._gesture = self._document.new_gesture()
        problem = self._apply(value, self._gesture)
        if problem:
            self.field.refuse(problem)

    def _change(self, change: Change, again: bool) -> None:
        """Change each of several values relative to itself."""
        if not again:
            self._gesture = self._document.new_gesture()
        values: dict[str, Any] = {}
        for key in self.keys:
            old = get_value(self._document.scene, key)
            if old is None:
                continue
            value = change.of(old)
            problem = self.field.range_problem(round(value) if self._integer else value)
            if problem:
                self.field.refuse(problem)
                return
            values[key] = round(value) if self._integer else value
        problem = self._apply_values(values, self._gesture)
        if problem:
            self.field.refuse(problem)


class TextRow(FormRow):
    """A text."""

    placeholder = ""
    """Text in the empty field."""

    def __init__(
        self, document: Document, keys: Sequence[str], of: str = "", parent: QWidget | None = None
    ) -> None:
        super().__init__(document, keys, of, parent)
        self.field = TextField()
        self.field.committed.connect(self._commit)
        self.field.restored.connect(self._restore)
        self._place(self.field, wide=True)
        self.refresh()

    def _show(self, value: Any) -> None:
        if not self.field.isModified():
            self.field.setPlaceholderText("mixed" if value is SEVERAL else self.placeholder)
            self.field.setText("" if value is SEVERAL else self._text(value))
            self.field.setCursorPosition(0)

    def _text(self, value: Any) -> str:
        return str(value)

    def _value(self, text: str) -> Any:
        return text.strip()

    def _restore(self) -> None:
        self._show_problem("")
        self.refresh()

    def _commit(self, text: str) -> None:
        try:
            self._show_problem(self._apply(self._value(text)))
        except NumberTextError as error:
            self._show_problem(str(error))
        self.refresh()


class FileRow(TextRow):
    """The name of a file, relative to the scene file if it is in its folder."""

    kind: FileKind
    files: str
    """Filters of the file dialog."""
    title: str
    """Title of the file dialog."""
    tip: str

    def __init__(
        self, document: Document, keys: Sequence[str], of: str = "", parent: QWidget | None = None
    ) -> None:
        super().__init__(document, keys, of, parent)
        self.browse = QToolButton()
        self.browse.setText("…")
        self.browse.setToolTip(self.tip)
        self.browse.setAccessibleName(self.tip)
        self.browse.clicked.connect(self._choose)
        self._line = QHBoxLayout()
        self._line.setSpacing(4)
        self._grid.removeWidget(self.field)
        self._line.addWidget(self.field, 1)
        self._line.addWidget(self.browse)
        self._grid.addLayout(self._line, 1, 1, 1, 2)

    def _choose(self) -> None:
        name = choose_file(self, self.title, self.kind, self._document.base_dir, self.files)
        if name:
            self._show_problem(self._apply(name))
            self.refresh()


class ListRow(TextRow):
    """Several numbers in a line, separated by spaces."""

    def _text(self, value: Any) -> str:
        return " ".join(exact_text(number) for number in value or ())

    def _value(self, text: str) -> Any:
        return parse_numbers(text)


class OptionalListRow(ListRow):
    """Several numbers in a line; an empty line omits the value."""

    placeholder = "all equal"

    def _value(self, text: str) -> Any:
        return parse_numbers(text) or None


class PointsRow(TextRow):
    """Points of the ground: x and y separated by a space, points by a semicolon."""

    placeholder = "x y; x y"

    def _text(self, value: Any) -> str:
        return "; ".join(" ".join(exact_text(number) for number in point) for point in value)

    def _value(self, text: str) -> Any:
        numbers = parse_numbers(text)
        if len(numbers) % 2:
            raise NumberTextError("A point needs two numbers, x and y, such as 0 0; 1.5 0; 3 2.")
        return tuple(zip(numbers[::2], numbers[1::2], strict=True))


class ChoiceRow(FormRow):
    """One of several choices."""

    def __init__(
        self, document: Document, keys: Sequence[str], of: str = "", parent: QWidget | None = None
    ) -> None:
        super().__init__(document, keys, of, parent)
        # the longest choice must not make a panel wider than its dock
        self.field = narrow(ChoiceBox(), _SHORTEST)
        for choice in self._choices:
            self.field.addItem(choice_text(choice), choice)
        self.field.setPlaceholderText("mixed")
        self.field.activated.connect(self._commit)
        self._place(self.field, wide=True)
        self.refresh()

    def _show(self, value: Any) -> None:
        choices = self._choices
        self.field.setCurrentIndex(
            -1 if value is SEVERAL or value not in choices else choices.index(value)
        )

    def _commit(self, index: int) -> None:
        self._show_problem(self._apply(self._choices[index]))
        self.refresh()


class ToggleRow(FormRow):
    """A value that is on or off."""

    def __init__(
        self, document: Document, keys: Sequence[str], of: str = "", parent: QWidget | None = None
    ) -> None:
        super().__init__(document, keys, of, parent)
        self.field = QCheckBox()
        self.field.clicked.connect(self._commit)
        self._place(self.field, wide=True)
        self.refresh()

    def _show(self, value: Any) -> None:
        self.field.setTristate(value is SEVERAL)
        if value is SEVERAL:
            self.field.setCheckState(Qt.CheckState.PartiallyChecked)
        else:
            self.field.setChecked(bool(value))

    def _commit(self) -> None:
        self._show_problem(self._apply(self.field.checkState() != Qt.CheckState.Unchecked))
        self.refresh()


def make_row(document: Document, keys: Sequence[str], of: str = "") -> FormRow | None:
    """Return the row that edits a value, by its declaration; None if it cannot be edited in a row."""
    kind = field_kind(*declared(document.scene, keys[0]))
    if kind.is_number:
        return NumberRow(document, keys, of)
    if kind.kind == "choice":
        return ChoiceRow(document, keys, of) if len(kind.offered) > 1 else None
    rows: dict[str, type[ToggleRow | TextRow]] = {
        "switch": ToggleRow,
        "text": TextRow,
        "numbers": ListRow,
        "points": PointsRow,
    }
    row = None if kind.optional else rows.get(kind.kind)
    return None if row is None else row(document, keys, of)
