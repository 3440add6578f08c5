"""Arrangements of the parts of a row: in the columns of a form, above a slider, behind a symbol."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import NamedTuple

from PySide6.QtCore import QSize
from PySide6.QtWidgets import QGridLayout, QHBoxLayout, QLabel, QToolButton, QWidget

from snakestudio.gui.core import theme
from snakestudio.model.fields import FieldDoc

GUTTER = 16
"""Space left of a row for its reset button, px."""

_LABEL = 96
_LEAST_LABEL = 68
_NUMBER = 92
_UNIT = 44
"""Widths of the parts in a form, px of the design: the number is shown in full rather than the label on
one line."""
_DIALOG_UNIT = 28
"""Least width of a unit in a dialog, px of the design."""


class RowParts(NamedTuple):
    """Widgets of a row."""

    row: QWidget
    label: QLabel | None
    editors: Sequence[QWidget]
    """Widgets of the editor, from left to right."""
    is_number: bool
    """Whether the editor is a field for a number."""
    unit: QLabel | None
    reset_button: QToolButton | None
    slider: QWidget | None
    note: QLabel | None
    message: QWidget | None


class RowLayout:
    """Arrangement of a row; a row without label has a caption in another column of the form."""

    has_label = True
    has_message = True
    label_role = "dim"
    """Role of the label in the style sheet."""
    has_reset = False
    """Whether there is a button that resets the value."""
    has_slider = False
    """Whether there is a slider for a number with a sensible range."""
    number_width = 0
    """Usual width of a number, px of the design; 0 for that of all numbers."""
    has_flat_number = False
    """Whether a number looks like a text until the mouse or the focus is in it."""
    has_symbol = False
    """Whether the label is a symbol, which is not wrapped."""
    has_note = False
    """Whether notes are below the editor instead of below the label."""

    def shows_unit(self, doc: FieldDoc) -> bool:
        """Return whether there is a label for the unit, in a column even if the value has none."""
        return True

    @abstractmethod
    def arrange(self, parts: RowParts) -> None:
        """Arrange the parts in their row."""

    def adapt(self, parts: RowParts) -> None:
        """Adapt the parts to the size of the row."""

    def minimum_size(self, parts: RowParts, hint: QSize) -> QSize:
        """Return the least size of a row, given that of its layout."""
        return hint


class BareLayout(RowLayout):
    """Editor and unit in a line, and the message below."""

    has_label = False

    def shows_unit(self, doc: FieldDoc) -> bool:
        return bool(doc.unit)

    def arrange(self, parts: RowParts) -> None:
        grid = _grid(parts.row)
        line = _line(*parts.editors, *_present(parts.unit))
        line.setSpacing(8)
        grid.addLayout(line, 0, 0)
        _add(grid, parts.message, 1, 0)


class DialogLayout(RowLayout):
    """Editor and unit in a line of a dialog, which shows captions and messages separately.

    Parameters
    ----------
    has_unit : bool
        Whether the unit is next to the editor.
    """

    has_label = False
    has_message = False

    def __init__(self, *, has_unit: bool) -> None:
        self._has_unit = has_unit

    def shows_unit(self, doc: FieldDoc) -> bool:
        return self._has_unit

    def arrange(self, parts: RowParts) -> None:
        if parts.unit is not None:
            fix_unit_width(parts.unit)
        line = _line(*parts.editors, *_present(parts.unit))
        line.setContentsMargins(0, 0, 0, 0)
        line.setSpacing(8)
        line.addStretch()
        parts.row.setLayout(line)


class FormLayout(RowLayout):
    """Label, editor and unit in columns of equal width.

    Parameters
    ----------
    has_reset : bool
        Whether there is a reset button, in a space left of the labels.
    """

    def __init__(self, *, has_reset: bool = False) -> None:
        self.has_reset = has_reset

    def arrange(self, parts: RowParts) -> None:
        is_wide = not parts.is_number
        assert parts.label is not None
        assert parts.unit is not None
        parts.label.setFixedWidth(theme.scaled(_LABEL))
        parts.unit.setFixedWidth(max(theme.scaled(_UNIT), parts.unit.sizeHint().width()))
        parts.unit.setHidden(is_wide)
        grid = _grid(parts.row)
        grid.setContentsMargins(GUTTER if self.has_reset else 0, 0, 0, 0)
        grid.addWidget(parts.label, 1, 0)
        if len(parts.editors) > 1:
            grid.addLayout(_line(*parts.editors), 1, 1, 1, 2)
        else:
            grid.addWidget(parts.editors[0], 1, 1, 1, 2 if is_wide else 1)
        grid.addWidget(parts.unit, 1, 2)
        _add(grid, parts.message, 2, 1, 2)
        if parts.reset_button is not None:
            parts.reset_button.setFixedSize(GUTTER - 2, 20)
            parts.reset_button.setStyleSheet("QToolButton { padding: 0 }")

    def adapt(self, parts: RowParts) -> None:
        """Give the label the space that the editor leaves, or the line above a long number."""
        assert parts.label is not None
        grid = _grid_of(parts)
        width = grid.contentsRect().width()
        least = theme.scaled(_LEAST_LABEL)
        number = theme.scaled(_NUMBER)
        editor = _editor_width(parts)
        rest = width - max(number, editor) - _unit_width(parts) - grid.horizontalSpacing()
        is_stacked = editor > number and rest < least
        if is_stacked != (grid.itemAtPosition(0, 0) is not None):
            grid.removeWidget(parts.label)
            grid.addWidget(parts.label, *((0, 0, 1, 3) if is_stacked else (1, 0, 1, 1)))
        parts.label.setFixedWidth(
            width if is_stacked else max(least, min(theme.scaled(_LABEL), rest))
        )
        if parts.reset_button is not None:
            middle = parts.label.geometry().center().y()
            parts.reset_button.move(0, max(0, middle - 10))

    def minimum_size(self, parts: RowParts, hint: QSize) -> QSize:
        """Return the size with the label at its least width or above the editor."""
        grid = _grid_of(parts)
        editor = _editor_width(parts)
        in_line = theme.scaled(_LEAST_LABEL) + grid.horizontalSpacing()
        margins = grid.contentsMargins()
        width = max(editor, in_line + min(editor, theme.scaled(_NUMBER))) + _unit_width(parts)
        return QSize(width + margins.left() + margins.right(), hint.height())


class PanelLayout(RowLayout):
    """Label, reset button, number and unit in a line, and a slider below.

    Parameters
    ----------
    has_slider : bool
        Whether there is a slider.
    """

    label_role = ""
    has_reset = True
    has_flat_number = True

    def __init__(self, *, has_slider: bool = True) -> None:
        self.has_slider = has_slider
        self.number_width = 72 if has_slider else 92

    def arrange(self, parts: RowParts) -> None:
        assert parts.label is not None
        assert parts.unit is not None
        parts.label.setMinimumWidth(theme.scaled(48))
        parts.unit.setFixedWidth(theme.scaled(64 if self.has_slider else 44))
        button = parts.reset_button
        assert button is not None
        button.setFixedSize(theme.scaled(20), theme.scaled(20))
        policy = button.sizePolicy()
        policy.setRetainSizeWhenHidden(True)
        button.setSizePolicy(policy)
        line = _line(parts.label, button, *parts.editors, parts.unit)
        grid = _grid(parts.row)
        grid.setVerticalSpacing(0)
        grid.addLayout(line, 0, 0)
        _add(grid, parts.slider, 1, 0)
        _add(grid, parts.message, 2, 0)


class SymbolLayout(RowLayout):
    """Symbol, formula and unit in a line."""

    label_role = ""
    has_symbol = True
    has_note = True

    def arrange(self, parts: RowParts) -> None:
        assert parts.label is not None
        assert parts.unit is not None
        parts.label.setFixedWidth(theme.scaled(24))
        parts.unit.setFixedWidth(theme.scaled(32))
        grid = _grid(parts.row)
        grid.addWidget(parts.label, 0, 0)
        grid.addLayout(_line(*parts.editors), 0, 1)
        grid.addWidget(parts.unit, 0, 2)
        _add(grid, parts.message, 1, 1, 2)
        _add(grid, parts.note, 2, 1, 2)


class TitleLayout(RowLayout):
    """Label above the editor."""

    has_note = True

    def shows_unit(self, doc: FieldDoc) -> bool:
        return bool(doc.unit)

    def arrange(self, parts: RowParts) -> None:
        grid = _grid(parts.row)
        _add(grid, parts.label, 0, 0, 2)
        grid.addLayout(_line(*parts.editors), 1, 0)
        _add(grid, parts.unit, 1, 1)
        _add(grid, parts.message, 2, 0, 2)
        _add(grid, parts.note, 3, 0, 2)


BARE = BareLayout()
FORM = FormLayout()
INSPECTOR = FormLayout(has_reset=True)
PANEL = PanelLayout()
PANEL_NUMBER = PanelLayout(has_slider=False)
SYMBOL = SymbolLayout()
TITLE = TitleLayout()


def fix_unit_width(unit: QLabel) -> None:
    """Align the units of a dialog."""
    unit.setFixedWidth(max(theme.scaled(_DIALOG_UNIT), unit.sizeHint().width()))


def _grid(row: QWidget) -> QGridLayout:
    grid = QGridLayout(row)
    grid.setContentsMargins(0, 0, 0, 0)
    grid.setHorizontalSpacing(8)
    grid.setVerticalSpacing(2)
    return grid


def _grid_of(parts: RowParts) -> QGridLayout:
    grid = parts.row.layout()
    assert isinstance(grid, QGridLayout)
    return grid


def _editor_width(parts: RowParts) -> int:
    """Return the least width of the editor in a form, px."""
    editor = _grid_of(parts).itemAtPosition(1, 1)
    return 0 if editor is None else editor.minimumSize().width()


def _unit_width(parts: RowParts) -> int:
    """Return the width of the unit with the space left of it, px."""
    if parts.unit is None or parts.unit.isHidden():
        return 0
    return parts.unit.minimumWidth() + _grid_of(parts).horizontalSpacing()


def _add(grid: QGridLayout, part: QWidget | None, row: int, column: int, columns: int = 1) -> None:
    """Add a part that a row may not have."""
    if part is not None:
        grid.addWidget(part, row, column, 1, columns)


def _present(part: QWidget | None) -> tuple[QWidget, ...]:
    return () if part is None else (part,)


def _line(first: QWidget, *others: QWidget) -> QHBoxLayout:
    """Return widgets in a line, of which the first is stretched."""
    line = QHBoxLayout()
    line.setSpacing(4)
    line.addWidget(first, 1)
    for widget in others:
        line.addWidget(widget)
    return line
