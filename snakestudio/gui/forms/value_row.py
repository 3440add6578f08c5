"""A row of a form for one value: label and symbol, editor, unit, slider, reset button, notes and messages."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from PySide6.QtCore import QEvent, QSignalBlocker, QSize, Qt, Signal
from PySide6.QtGui import QContextMenuEvent
from PySide6.QtWidgets import QLabel, QToolButton, QWidget

from snakestudio.gui.core import theme
from snakestudio.gui.core.theme import ThemedWidget
from snakestudio.gui.forms.binding import ABSENT, SEVERAL, Binding
from snakestudio.gui.forms.editor import Editor, value_text
from snakestudio.gui.forms.number_field import Message, NumberField
from snakestudio.gui.forms.row_layouts import FORM, RowLayout, RowParts, fix_unit_width
from snakestudio.gui.forms.slider import ValueSlider
from snakestudio.model.fields import FieldDoc
from snakestudio.text import capitalized
from snakestudio.viewmodel.field_texts import symbol_html
from snakestudio.viewmodel.numbers import Change

_PENDING = "Takes effect at the next reset."


class ValueRow(ThemedWidget):
    """A value that is edited in place, through its binding.

    A value without effect is muted, and its row shows why; it can still be edited, for example in
    preparation of another model. A drag of the slider is one step of undo and takes effect while it
    lasts.

    Parameters
    ----------
    editor : Editor
        Editor of the value, whose input takes effect when it is committed.
    binding : Binding
        The edited value.
    layout : RowLayout
        Arrangement of the row.
    note : str
        Short note at the label: "takes effect after Reset".
    label : str
        Label as rich text, in place of label and symbol of the declaration.

    Signals
    -------
    problem_changed()
        `problem` changed.
    """

    problem_changed = Signal()

    def __init__(
        self,
        editor: Editor,
        binding: Binding,
        *,
        layout: RowLayout = FORM,
        note: str = "",
        label: str = "",
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        editor.setParent(self)
        self.editor = editor
        self.binding = binding
        self._layout = layout
        self._note = note
        self._title = label
        self._unused = ""
        self._problem = ""
        self._report = ""
        self._is_pending = False
        self._label = self._make_label() if layout.has_label else None
        unit = self._make_text(binding.doc.unit, "unit") if layout.shows_unit(binding.doc) else None
        self.note = self._make_text("", "dim") if layout.has_note else None
        if self.note is not None:
            self.note.setWordWrap(True)
            self.note.hide()
        self.message = Message(self) if layout.has_message else None
        self.reset_button = self._make_reset_button() if layout.has_reset else None
        self.slider = self._make_slider() if layout.has_slider else None
        editor.widget.setContextMenuPolicy(Qt.ContextMenuPolicy.NoContextMenu)  # the row has one
        number = editor.widget if isinstance(editor.widget, NumberField) else None
        if number is not None and layout.has_flat_number:
            number.setProperty("role", "flat")
        if number is not None and layout.number_width:
            number.set_usual_width(layout.number_width)
        self._muted = [editor.widget, *([] if self.slider is None else [self.slider])]
        labels = [label for label in (self._label, unit) if label is not None]
        self._explained: list[QWidget] = [*labels, *self._muted]
        self._parts = RowParts(
            self,
            self._label,
            editor.widgets,
            number is not None,
            unit,
            self.reset_button,
            self.slider,
            self.note,
            self.message,
        )
        layout.arrange(self._parts)
        if not binding.in_editor:
            editor.changed.connect(self._on_changed)
            editor.change_requested.connect(self._on_change_requested)
            editor.problem_changed.connect(self._on_problem_changed)
        self.apply_theme()
        self.refresh()

    def _make_label(self) -> QLabel:
        label = self._make_text("", self._layout.label_role)
        label.setObjectName("label")
        label.setTextFormat(Qt.TextFormat.RichText)
        label.setWordWrap(not self._layout.has_symbol)
        label.setBuddy(self.editor.widget)
        return label

    def _make_text(self, text: str, role: str) -> QLabel:
        label = QLabel(text, self)
        label.setProperty("role", role)
        return label

    def make_caption(
        self, text: str = "", width: int = 0, role: str = "dim", *, parent: QWidget | None = None
    ) -> QLabel:
        """Return a label for the row in another column of its form, with the tooltip and the menu of the row.

        Parameters
        ----------
        text : str
            Text, with & before the mnemonic; if omitted, the label of the declaration.
        width : int
            Least width, px of the design.
        role : str
            Role in the style sheet.
        parent : QWidget, optional
            Parent; if omitted, that of the row.
        """
        caption = _Caption(text or self.doc.label, self, parent or self.parentWidget())
        caption.setBuddy(self.field)
        caption.setToolTip(self.field.toolTip())
        caption.setProperty("role", role)
        caption.setMinimumWidth(theme.scaled(width))
        self._explained.append(caption)
        return caption

    def make_unit(self, parent: QWidget) -> QLabel:
        """Return a label with the unit, for a layout without unit."""
        unit = QLabel(self.doc.unit, parent)
        unit.setProperty("role", "unit")
        unit.setToolTip(self.field.toolTip())
        self._explained.append(unit)
        fix_unit_width(unit)
        return unit

    def _make_reset_button(self) -> QToolButton:
        button = QToolButton(self)
        button.setProperty("role", "flat")
        theme.set_icon(button, "undo", "dim")
        button.setIconSize(QSize(12, 12))
        button.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        button.setAccessibleName(f"Reset {self.binding.doc.label}")
        button.clicked.connect(self.reset)
        return button

    def _make_slider(self) -> ValueSlider | None:
        doc = self.binding.doc
        field = self.editor.widget
        if doc.slider is None or not isinstance(field, NumberField):
            return None
        slider = ValueSlider(*doc.slider, field.step, self)
        slider.setAccessibleName(doc.label)
        slider.began.connect(self.binding.begin_gesture)
        slider.moved.connect(self._on_slider)
        slider.reset.connect(self.reset)
        return slider

    # --- properties -------------------------------------------------------------------------------

    @property
    def key(self) -> str:
        """Dotted key of the value, the first of several."""
        return self.binding.keys[0]

    @property
    def doc(self) -> FieldDoc:
        """Declaration of the value."""
        return self.binding.doc

    @property
    def field(self) -> Any:
        """Widget of the editor that gets the keyboard focus."""
        return self.editor.widget

    @property
    def unused(self) -> str:
        """Why the value has no effect at present; "" if it has."""
        return self._unused

    @property
    def problem(self) -> str:
        """Message about the value or the input; "" if it is valid."""
        if self._problem or self.editor.has_input:
            return self._problem
        return self._report

    # --- display ----------------------------------------------------------------------------------

    def refresh(self) -> None:
        """Show the present value of the document; pending input is kept."""
        if self.binding.in_editor:
            return
        value = self.binding.value()
        if value is ABSENT:
            return  # the row will be removed
        choices = self.editor.field.choices
        with QSignalBlocker(self.editor):
            if callable(choices):
                self.editor.offer(choices(value))
            self.editor.set_value(value)
        self.setEnabled(not self.binding.locked)
        if self.slider is not None and isinstance(value, int | float):
            self.slider.set_value(value)
        unused = self.binding.unused
        if unused != self._unused:
            self._unused = unused
            self.apply_theme()
            for widget in self._muted:
                theme.set_property(widget, "unused", bool(unused))
        self._show_changed(value)

    def _show_changed(self, value: Any) -> None:
        """Show whether the value differs from its default."""
        default = self.binding.default
        is_changed = default is not ABSENT and (value is SEVERAL or value != default)
        if self.reset_button is not None:
            self.reset_button.setVisible(is_changed)
        if self._layout.has_flat_number:
            theme.set_property(self.editor.widget, "changed", is_changed)

    def apply_theme(self) -> None:
        """Show label, symbol, note and tooltips in the present palette."""
        doc = self.binding.doc
        dim = theme.current().dim
        note = self._unused or self._note
        small = f"<span style='color:{dim}; font-size:{theme.scaled(11)}px'>{note}</span>"
        name = f"<span style='color:{dim}'>{doc.label}</span>" if self._unused else doc.label
        symbol = f" &nbsp;<span style='color:{dim}'>{symbol_html(doc.symbol)}</span>"
        title = self._title or name + (symbol if doc.symbol else "")
        if self._label is not None:
            below = self.note is not None
            self._label.setText(title if below or not note else f"{title}<br>{small}")
        if self.note is not None:
            self.note.setText(capitalized(note))
            self.note.setVisible(bool(note))
        tip = self.binding.explanation(self._unused)
        for widget in self._explained:
            widget.setToolTip(tip)
        self._show_default()

    def set_default(self, value: Any) -> None:
        """Set the value that a reset restores and changes are compared with, such as that of a preset."""
        if value != self.binding.default:
            self.binding.set_default(value)
            self._show_default()
            self.refresh()

    def _show_default(self) -> None:
        if self.reset_button is not None and self.binding.default is not ABSENT:
            text = value_text(self.editor.field, self.binding.default, None)
            self.reset_button.setToolTip(f"Reset to {text}")

    def show_pending(self, pending: Collection[str]) -> None:
        """Show whether the value is among the keys that take effect at the next reset."""
        self._is_pending = self.binding.is_pending(pending)
        self._show_message()

    def show_report(self, sentence: str) -> None:
        """Show a problem that a check of the whole document reports for the value; "" for none."""
        self._report = self.binding.labelled(sentence)
        self._show_message()

    def show_problem(self, sentence: str) -> None:
        """Show why a value was refused; "" for no problem."""
        self._problem = self.binding.labelled(sentence)
        self._show_message()

    def _show_message(self) -> None:
        theme.set_property(self.editor.widget, "problem", bool(self.problem))
        if self.problem != self.editor.widget.accessibleDescription():
            self.editor.widget.setAccessibleDescription(self.problem)
            self.problem_changed.emit()
        if self.message is not None:
            self.message.show_text(self.problem or (_PENDING if self._is_pending else ""))

    # --- edits ------------------------------------------------------------------------------------

    def reset(self) -> None:
        """Reset the values of all edited items to the default."""
        self.editor.discard_input()
        if self.binding.default is not ABSENT:
            self._apply(self.binding.default)

    def restore(self) -> None:
        """Discard the input and the message about it."""
        self.editor.discard_input()
        self.show_problem("")
        self.refresh()

    def _on_changed(self) -> None:
        if self.editor.problem:
            self._finish(self.editor.problem)
        elif self.editor.value == self.binding.value():
            self._finish("")
        else:
            self._apply(self.editor.value, again=self.editor.again)

    def _on_change_requested(self, change: Change) -> None:
        """Change each of several numbers relative to itself."""
        editor = self.editor
        before = self.binding.values()
        values = [None if old is None else editor.after(change, old) for old in before]
        problems = [editor.range_problem(each) for each in values if each is not None]
        problem = next(filter(None, problems), "")
        if not problem:
            problem = self.binding.apply_each(values, again=self.editor.again)
        self._finish(problem)

    def _on_slider(self, value: float) -> None:
        self.editor.discard_input()
        self._apply(round(value) if self.editor.field.integer else value, again=True)

    def _on_problem_changed(self) -> None:
        self.show_problem(self.editor.problem)
        if not self.editor.has_input:
            self.refresh()

    def _apply(self, value: Any, *, again: bool = False) -> None:
        self._finish(self.binding.apply(value, again=again))

    def _finish(self, problem: str) -> None:
        """Show the present value after an edit, and why the edit was refused, if so."""
        if problem:
            self.editor.refuse(problem)
        else:
            self._report = ""
        self.show_problem(problem)
        self.refresh()

    # --- events -----------------------------------------------------------------------------------

    def event(self, event: QEvent) -> bool:
        handled = super().event(event)
        # A number may need more or less space. Qt sends events before the parts exist.
        if event.type() in (QEvent.Type.Resize, QEvent.Type.LayoutRequest) and hasattr(
            self, "_parts"
        ):
            self._layout.adapt(self._parts)
        return handled

    def minimumSizeHint(self) -> QSize:
        return self._layout.minimum_size(self._parts, super().minimumSizeHint())

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        self.binding.open_menu(self, event)


class _Caption(QLabel):
    """A label of a row that is in another column of its form."""

    def __init__(self, text: str, row: ValueRow, parent: QWidget | None) -> None:
        super().__init__(text, parent)
        self._row = row

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        pos = self._row.mapFromGlobal(event.globalPos())
        of_row = QContextMenuEvent(event.reason(), pos, event.globalPos())
        self._row.binding.open_menu(self._row, of_row)
