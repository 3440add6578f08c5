"""A scene value as a row: name and symbol, slider, typed number, unit, and reset button."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QContextMenuEvent
from PySide6.QtWidgets import QGridLayout, QHBoxLayout, QLabel, QToolButton, QWidget

from snakestudio.errors import SceneError, SnakeStudioError
from snakestudio.gui.core import theme
from snakestudio.gui.core.document import Document
from snakestudio.gui.core.theme import ThemedWidget
from snakestudio.gui.forms.number_field import Message, NumberField
from snakestudio.gui.forms.slider import ValueSlider
from snakestudio.gui.forms.value_menu import open_value_menu
from snakestudio.model.edits import declared, get_value
from snakestudio.model.field_kind import field_kind
from snakestudio.model.fields import field_doc
from snakestudio.text import exact_text
from snakestudio.viewmodel.field_texts import explanation, symbol_html
from snakestudio.viewmodel.scene.message_labels import refusal

_FLAT = (
    "QLineEdit { background: transparent; border: 1px solid transparent; color: %s }"
    "QLineEdit:hover { background: palette(base); border-color: palette(mid) }"
    "QLineEdit:focus { background: palette(base); border-color: palette(highlight) }"
)


class ParameterRow(ThemedWidget):
    """A number of the scene, edited in place through the undo stack.

    A slider movement is one step of undo and takes effect while it is dragged.

    Parameters
    ----------
    key : str
        Dotted scene key.
    slider : bool
        Whether there is a slider.
    """

    def __init__(
        self, document: Document, key: str, *, slider: bool = True, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self.key = key
        self._document = document
        self._gesture = 0
        model, name = self._declared = declared(document.scene, key)
        self.doc = field_doc(model, name)
        kind = field_kind(model, name)
        self.default: Any = self.doc.default
        self.field = NumberField(self.doc, integer=kind.kind == "integer", optional=kind.optional)
        self.field.set_usual_width(72 if slider else 92)
        self.field.setContextMenuPolicy(Qt.ContextMenuPolicy.NoContextMenu)  # the row has its own
        self.slider: ValueSlider | None = None
        self.message = Message()
        self._pending = False
        self._unused = ""
        self._changed: bool | None = None

        self._label = label = QLabel()
        label.setObjectName("label")
        label.setTextFormat(Qt.TextFormat.RichText)
        label.setWordWrap(True)
        label.setMinimumWidth(theme.scaled(48))
        label.setBuddy(self.field)
        unit = QLabel(self.doc.unit)
        unit.setProperty("role", "unit")
        unit.setFixedWidth(theme.scaled(64 if slider else 44))
        self.reset_button = QToolButton()
        self.reset_button.setProperty("role", "flat")
        self.reset_button.setIconSize(QSize(12, 12))
        self.reset_button.setFixedSize(theme.scaled(20), theme.scaled(20))
        self.reset_button.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        keep = self.reset_button.sizePolicy()
        keep.setRetainSizeWhenHidden(True)
        self.reset_button.setSizePolicy(keep)
        self.reset_button.clicked.connect(self.reset)

        line = QHBoxLayout()
        line.setSpacing(4)
        line.addWidget(label, 1)
        line.addWidget(self.reset_button)
        line.addWidget(self.field)
        line.addWidget(unit)
        layout = QGridLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setVerticalSpacing(0)
        layout.addLayout(line, 0, 0)
        if slider and self.doc.slider is not None:
            low, high = self.doc.slider
            self.slider = ValueSlider(low, high, self.field.step)
            self.slider.setAccessibleName(self.doc.label)
            self.slider.began.connect(self._begin)
            self.slider.moved.connect(self._slide)
            self.slider.reset.connect(self.reset)
            layout.addWidget(self.slider, 1, 0)
        layout.addWidget(self.message, 2, 0)

        self._explained_widgets: list[QWidget] = [
            label,
            self.field,
            unit,
            *((self.slider,) if self.slider else ()),
        ]
        self.field.committed.connect(self._commit)
        self.field.problem_changed.connect(lambda _: self._show_message())
        self.apply_theme()

    def apply_theme(self) -> None:
        dim = theme.current().dim
        symbol = self.doc.symbol
        symbol_text = (
            f" &nbsp;<span style='color:{dim}'>{symbol_html(symbol)}</span>" if symbol else ""
        )
        note = self._unused or ("" if self.doc.live else "takes effect after Reset")
        late = (
            f"<br><span style='color:{dim}; font-size:{theme.scaled(11)}px'>{note}</span>"
            if note
            else ""
        )
        # The colour of disabled text would be too faint to be read.
        name = (
            f"<span style='color:{dim}'>{self.doc.label}</span>" if self._unused else self.doc.label
        )
        self._label.setText(f"{name}{symbol_text}{late}")
        self.reset_button.setIcon(theme.icon("undo", "dim"))
        tip = explanation(self.doc, self.key, theme.current().dim, self._unused)
        for widget in self._explained_widgets:
            widget.setToolTip(tip)
        self._changed = None
        self.refresh()

    def refresh(self) -> None:
        """Show the present value of the scene."""
        try:
            value = get_value(self._document.scene, self.key)
            if declared(self._document.scene, self.key) != self._declared:
                return  # the name belongs to another kind: the row will be removed
        except SceneError:
            return
        self.field.set_value(value)
        if self.slider is not None and value is not None:
            self.slider.set_value(value)
        changed = value != self.default
        if changed != self._changed:
            self._changed = changed
            self.reset_button.setVisible(changed)
            palette = theme.current()
            colour = palette.dim if self._unused else palette.accent if changed else palette.text
            self.field.setStyleSheet(_FLAT % colour)
        default = "none" if self.default is None else exact_text(self.default)
        self.reset_button.setToolTip(f"Reset to {default} {self.doc.unit}".rstrip())

    def set_default(self, value: Any) -> None:
        """Set the value that the reset button restores and changes are compared with (that of a preset)."""
        if value != self.default:
            self.default = value
            self.refresh()

    def set_unused(self, reason: str) -> None:
        """Set why the value has no effect in the present scene; "" if it has.

        A value without effect is locked, except for its reset button.
        """
        if reason == self._unused:
            return
        self._unused = reason
        for widget in (self._label, self.field, self.slider):
            if widget is not None:
                widget.setEnabled(not reason)
        self.apply_theme()

    @property
    def unused(self) -> str:
        """Why the value has no effect; "" if it has."""
        return self._unused

    def set_pending(self, pending: bool) -> None:
        """Set whether the value takes effect at the next reset."""
        if pending != self._pending:
            self._pending = pending
            self._show_message()

    def reset(self) -> None:
        """Reset the value to the default."""
        self.field.restore()
        if self.default is not None or self.field.value is not None:
            self._apply(self.default, 0)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        open_value_menu(self, self._document, [self.key], event)

    def _show_message(self) -> None:
        self.message.show_text(
            self.field.problem or ("Takes effect at the next reset." if self._pending else "")
        )

    def _begin(self) -> None:
        self._gesture = self._document.new_gesture()

    def _slide(self, value: float) -> None:
        self.field.restore()
        self._apply(value, self._gesture)

    def _commit(self, value: float | None, again: bool) -> None:
        if not again:
            self._begin()
        problem = self._apply(value, self._gesture)
        if problem:
            self.field.refuse(problem)

    def _apply(self, value: Any, gesture: int) -> str:
        if (
            isinstance(value, float)
            and isinstance(self.default, int)
            and not isinstance(self.default, bool)
        ):
            value = round(value)
        try:
            self._document.set_value(self.key, value, f"Change {self.doc.label.lower()}", gesture)
        except SnakeStudioError as error:
            problem = refusal(error, self._document.scene)
            self.message.show_text(problem)
            self.refresh()
            return problem
        return ""
