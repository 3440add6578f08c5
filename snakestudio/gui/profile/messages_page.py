"""Page of the messages: their roles, ids and signals."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QFormLayout,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QSplitter,
    QVBoxLayout,
    QWidget,
)

from snakestudio.errors import FormulaError
from snakestudio.gui.core import theme
from snakestudio.gui.forms.number_field import Message as Sentence
from snakestudio.gui.forms.sections import heading, scrolled
from snakestudio.gui.forms.value_row import ValueRow
from snakestudio.gui.profile.bit_grid import BitGrid, legend
from snakestudio.gui.profile.document import ProfileDocument
from snakestudio.gui.profile.form import profile_row
from snakestudio.gui.profile.parts_model import Extra, PartsModel
from snakestudio.gui.profile.parts_table import PartsTable
from snakestudio.link.profile.layout import MessageLayout, ids_of, message_layouts
from snakestudio.link.profile.schema import Message, Signal
from snakestudio.link.profile.units import RAW, known_units
from snakestudio.viewmodel.cells import columns_of

_LISTED = ("role", "message", "name", "id", "each", "every_s")


class MessagesPage(QWidget):
    """Table of messages above; signals and bits of the selected one below."""

    def __init__(self, document: ProfileDocument, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._document = document
        split = QSplitter(Qt.Orientation.Vertical, self)
        self.layouts: dict[str, MessageLayout] = {}
        self._read_for: object = None
        ids = Extra("Ids", "Ids that the formula yields for the nodes", self._ids, self._ids_colour)
        self.model = PartsModel(
            document, "messages", columns_of(Message, _LISTED), "message", [ids], parent=self
        )
        self.table = PartsTable(
            self.model, self._fresh, self._suggest_message, order=True, parent=split
        )
        self.table.row_changed.connect(self._show_row)
        self._row = -1
        self.rows: dict[str, ValueRow] = {}
        self._detail = QWidget(split)
        self.title = heading("", self._detail)
        self.ids = QLabel(self._detail)
        self.ids.setWordWrap(True)
        self.ids.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.ids.setProperty("role", "dim")
        self.refusal = Sentence(self._detail)
        self.signals = PartsModel(document, "", columns_of(Signal), "signal", parent=self)
        self.signal_table = PartsTable(
            self.signals, self._fresh_signal, self._suggest_signal, parent=self._detail
        )
        self.signal_table.row_changed.connect(lambda row: self._show_bits())
        self.grid = BitGrid()
        self.grid.picked.connect(self._on_picked)
        self.key = QLabel()
        self.key.setTextFormat(Qt.TextFormat.RichText)
        self.key.setWordWrap(True)
        split.setChildrenCollapsible(False)
        split.addWidget(self.table)
        split.addWidget(scrolled(self._detail))
        self._fill_detail()
        split.setSizes([theme.scaled(230), theme.scaled(420)])
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(split)
        document.changed.connect(self._refresh)
        theme.follow(self, MessagesPage._show_bits)
        self._refresh()
        if self.model.parts:
            self.table.view.selectRow(0)

    def _fill_detail(self) -> None:
        left = QVBoxLayout()
        left.setSpacing(8)
        left.addWidget(self.title)
        values = QGridLayout()
        values.setHorizontalSpacing(theme.scaled(24))
        names = [["role", "message", "name", "every_s"], ["id", "extended", "each", "remote"]]
        for number, group in enumerate(names):
            form = QFormLayout()
            form.setVerticalSpacing(6)
            form.setHorizontalSpacing(12)
            form.setLabelAlignment(Qt.AlignmentFlag.AlignLeft)
            for name in group:
                offered = self._message_names if name == "message" else None
                form.addRow(*self._row_of(name, offered))
            values.addLayout(form, 0, number)
            values.setColumnStretch(number, 1)
        rest = QFormLayout()
        rest.setHorizontalSpacing(12)
        for name in Message.model_fields:
            if name not in (*names[0], *names[1], "signals"):
                rest.addRow(*self._row_of(name))
        left.addLayout(values)
        left.addLayout(rest)
        left.addWidget(self.ids)
        left.addWidget(self.refusal)
        left.addWidget(self.signal_table, 1)
        right = QVBoxLayout()
        right.setSpacing(8)
        right.addWidget(heading("Bits"))
        right.addWidget(self.grid)
        right.addWidget(self.key)
        right.addStretch(1)
        side = QWidget()
        side.setLayout(right)
        right.setContentsMargins(0, 0, 0, 0)
        area = scrolled(side)
        area.setFixedWidth(theme.scaled(304))
        line = QHBoxLayout(self._detail)
        line.setContentsMargins(0, 8, 0, 0)
        line.setSpacing(20)
        line.addLayout(left, 1)
        line.addWidget(area)

    def _row_of(
        self, name: str, suggestions: Callable[[], Sequence[str]] | None = None
    ) -> tuple[QLabel, ValueRow]:
        """Make the row of a value of the selected message; return its caption and the row."""
        key = partial(self._key, name)
        row = profile_row(self._document, Message, name, key, suggestions, self._detail)
        self.rows[name] = row
        return row.make_caption(width=88), row

    def _key(self, name: str) -> str:
        return f"messages[{self._row + 1}].{name}" if 0 <= self._row < len(self.model.parts) else ""

    @property
    def message(self) -> Message | None:
        """Selected message."""
        return self.model.parts[self._row] if 0 <= self._row < len(self.model.parts) else None

    # --- display ----------------------------------------------------------------------------------

    def _refresh(self) -> None:
        if self._document.loaded.database is not self._read_for:
            self._read_for = self._document.loaded.database
            self.layouts = {
                layout.name: layout for layout in message_layouts(self._document.loaded)
            }
        self._show_chosen()

    def _show_row(self, row: int) -> None:
        if row < 0 and self.model.parts:
            row = min(max(self._row, 0), len(self.model.parts) - 1)
        self._row = row
        key = self._key("signals")
        if key != self.signals.key:
            self.signals.set_key(key)
            self.signal_table.fit()
        for each in self.rows.values():
            each.refresh()
        self._show_chosen()

    def _show_chosen(self) -> None:
        message = self.message
        self._detail.setVisible(message is not None)
        if message is None:
            return
        self.title.setText(message.called)
        try:
            ids = ids_of(self._document.profile, message, self.layouts.get(message.message))
        except FormulaError as error:
            self.refusal.show_text(str(error))
            self.ids.setText("")
        else:
            self.refusal.show_text("")
            listed = [
                f"{'all' if node is None else f'node {node}'}: 0x{number:X}"
                for node, number in ids[:24]
            ]
            more = f" and {len(ids) - 24} more" if len(ids) > 24 else ""
            self.ids.setText(" · ".join(listed) + more)
        self._show_bits()

    def _show_bits(self) -> None:
        message = self.message
        if message is None:
            return
        layout = self.layouts.get(message.message)
        bound = {signal.signal for signal in message.signals} | set(message.fixed)
        row = self.signal_table.view.currentIndex().row()
        chosen = message.signals[row].signal if 0 <= row < len(message.signals) else ""
        self.grid.show_message(layout, bound, chosen)
        self.key.setText("" if layout is None else legend(layout, bound))

    def _ids(self, row: int) -> str:
        message: Message = self.model.parts[row]
        try:
            ids = ids_of(self._document.profile, message, self.layouts.get(message.message))
        except FormulaError as error:
            return error.message
        if not ids:
            return "not in the DBC"
        numbers = [f"0x{number:X}" for _, number in ids]
        return numbers[0] if len(set(numbers)) == 1 else f"{numbers[0]} … {numbers[-1]}"

    def _ids_colour(self, row: int) -> str:
        return "text" if self._ids(row).startswith("0x") else "warning"

    def _on_picked(self, name: str) -> None:
        message = self.message
        if message is not None:
            for row, signal in enumerate(message.signals):
                if signal.signal == name:
                    self.signal_table.select_part(row)

    # --- suggestions ------------------------------------------------------------------------------

    def _message_names(self) -> Sequence[str]:
        return list(self.layouts)

    def _suggest_message(self, row: int, name: str) -> Sequence[str]:
        if name == "message":
            return self._message_names()
        if name == "id":
            current = self.model.parts[row].id
            offered = (current, "0x200 + node", "node << 5 | 0x0C", "0x180 + node")
            return tuple(dict.fromkeys(text for text in offered if text))
        return ()

    def _signal_names(self) -> list[str]:
        message = self.message
        layout = self.layouts.get(message.message) if message is not None else None
        return [] if layout is None else [signal.name for signal in layout.signals]

    def _suggest_signal(self, row: int, name: str) -> Sequence[str]:
        if name == "signal":
            return self._signal_names()
        quantity = self.signals.parts[row].quantity
        return ("", *known_units(quantity)) if name == "unit" and quantity not in RAW else ()

    def _fresh(self, before: tuple[Any, ...]) -> Message:
        used = {message.message for message in self.model.parts}
        free = (
            [name for name in self.layouts if name not in used] or list(self.layouts) or ["MESSAGE"]
        )
        return Message(role="feedback", message=free[0])

    def _fresh_signal(self, before: tuple[Any, ...]) -> Signal:
        used = {signal.signal for signal in self.signals.parts}
        free = [name for name in self._signal_names() if name not in used] or ["SIGNAL"]
        return Signal(signal=free[0], quantity="angle")

    def select_part(self, row: int, name: str) -> None:
        """Show a value of a message; its name can be nested, as in ``signals[2].unit``."""
        first, _, rest = name.partition(".")
        self.table.select_part(row, first)
        if first.startswith("signals["):
            self.signal_table.select_part(int(first[8:].rstrip("]")) - 1, rest)
        elif first in self.rows and first not in _LISTED:
            self.rows[first].field.setFocus()
