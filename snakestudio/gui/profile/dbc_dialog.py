"""Dialog of a DBC message: form, table of signals and bit grid."""

from __future__ import annotations

import math
from dataclasses import dataclass

from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QHeaderView,
    QLineEdit,
    QPushButton,
    QTableWidget,
    QTableWidgetItem,
    QWidget,
)

from snakestudio.errors import ProfileError
from snakestudio.gui.core import theme
from snakestudio.gui.forms.declared_form import DeclaredForm
from snakestudio.gui.forms.dialog import Dialog
from snakestudio.gui.forms.form_fields import form_field
from snakestudio.gui.forms.lines import column_of, holder_of, line_of
from snakestudio.gui.forms.sections import heading, scrolled
from snakestudio.gui.profile.bit_grid import BitGrid
from snakestudio.gui.profile.document import ProfileDocument
from snakestudio.link.profile.dbc_editing import (
    MessageDraft,
    SignalDraft,
    choices_of,
    choices_text,
    message_of,
    renamed,
    with_message,
)
from snakestudio.link.profile.ids import users_of
from snakestudio.link.profile.layout import bit_places, message_layout

_HEADS = (
    "Signal",
    "First bit",
    "Bits",
    "Big-endian",
    "Signed",
    "Float",
    "Factor",
    "Offset",
    "Unit",
    "Value table",
)
_TIPS = (
    "Name of the signal",
    "8 × byte + bit of the least significant bit, or of the most significant bit if big-endian",
    "Number of bits",
    "Most significant byte first",
    "Two's complement",
    "IEEE 754 floating-point number of 32 or 64 bits",
    "Physical value = factor × raw value + offset",
    "Physical value = factor × raw value + offset",
    "For example deg, rad, turn, rpm, A, V, degC",
    'For example 0 Stop, 1 Arm; put names that contain a comma in "quotation marks"',
)
_TICKS = range(3, 6)
_MOST_BITS = 512
"""Bits of the longest CAN FD frame."""
_ORIGIN = Qt.ItemDataRole.UserRole


@dataclass(frozen=True)
class Head:
    """Properties of a message without its signals."""

    name: str = form_field("", "&Name")
    id: str = form_field(
        "",
        "&Id",
        help="Id of the message; if each node has its own, the id of the first node (the profile gives the others)",
        place="beside",
        width=110,
    )
    extended: bool = form_field(False, "", text="29-bit", place="beside", width=84)
    length: int = form_field(
        8, "&Length", unit="bytes", maximum=64, integer=True, decimals=0, place="beside", width=110
    )


class DbcDialog(Dialog):
    """Editor of a new or existing message; changes apply only when accepted, as one step of undo.

    Parameters
    ----------
    replaced : str
        Name of the message to edit; "" for a new one.
    """

    def __init__(
        self,
        document: ProfileDocument,
        draft: MessageDraft,
        replaced: str,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent, f"Edit {replaced}" if replaced else "New Message")
        self._document = document
        self._replaced = replaced
        theme.open_at(self, 1120, 560)
        self.form = DeclaredForm(
            Head(draft.name, f"0x{draft.id:X}", draft.extended, draft.length), parent=self
        )
        self.name = self.form.widget("name", QLineEdit)
        self.name.setMinimumWidth(theme.scaled(180))
        self.id = self.form.widget("id", QLineEdit)
        self.message = self.form.message
        self.table = QTableWidget(0, len(_HEADS))
        self.table.setHorizontalHeaderLabels(list(_HEADS))
        for column, tip in enumerate(_TIPS):
            self.table.model().setHeaderData(
                column, Qt.Orientation.Horizontal, tip, Qt.ItemDataRole.ToolTipRole
            )
        self.table.verticalHeader().hide()
        self.table.setAccessibleName("Signals of the message")
        self.table.horizontalHeader().setSectionResizeMode(
            len(_HEADS) - 1, QHeaderView.ResizeMode.Stretch
        )
        for signal in draft.signals:
            self._add(signal)
        self.add = QPushButton("&Add Signal")
        self.remove = QPushButton("&Remove Signal")
        self.add.clicked.connect(self.add_signal)
        self.remove.clicked.connect(self.remove_signal)
        for button in (self.add, self.remove):
            button.setAutoDefault(False)
        self.grid = BitGrid()
        area = scrolled(holder_of(column_of(heading("Bits"), self.grid, 1, spacing=6)))
        area.setFixedWidth(theme.scaled(304))
        left = column_of((self.table, 1), line_of(self.add, self.remove, 1, spacing=6), spacing=6)
        buttons, self.apply_button = self.make_buttons("A&pply")
        self.arrange(
            self.form, (line_of((left, 1), area, spacing=16), 1), buttons, margins=(20, 16, 20, 16)
        )
        self.form.changed.connect(self._judge)
        self.table.itemChanged.connect(self._judge)
        self.table.currentCellChanged.connect(self._judge)
        for column in range(len(_HEADS) - 1):
            self.table.resizeColumnToContents(column)
        self._judge()

    # --- table ------------------------------------------------------------------------------------

    def _add(self, signal: SignalDraft) -> None:
        row = self.table.rowCount()
        self.table.blockSignals(True)
        self.table.insertRow(row)
        texts = (
            signal.name,
            str(signal.start),
            str(signal.length),
            "",
            "",
            "",
            f"{signal.scale:.12g}",
            f"{signal.offset:.12g}",
            signal.unit,
            choices_text(signal.choices),
        )
        ticks = (signal.big_endian, signal.signed, signal.is_float)
        for column, text in enumerate(texts):
            item = QTableWidgetItem(text)
            if column in _TICKS:
                item.setFlags(
                    Qt.ItemFlag.ItemIsUserCheckable
                    | Qt.ItemFlag.ItemIsEnabled
                    | Qt.ItemFlag.ItemIsSelectable
                )
                item.setCheckState(
                    Qt.CheckState.Checked
                    if ticks[column - _TICKS.start]
                    else Qt.CheckState.Unchecked
                )
            self.table.setItem(row, column, item)
        self._item(row, 0).setData(_ORIGIN, signal.origin)
        self.table.blockSignals(False)

    def _item(self, row: int, column: int) -> QTableWidgetItem:
        item = self.table.item(row, column)
        assert item is not None, "every cell has one, from when its row was added"
        return item

    def add_signal(self) -> None:
        """Add a signal at the end."""
        used = {self._item(row, 0).text() for row in range(self.table.rowCount())}
        name = next(f"Signal{n}" for n in range(1, 10_000) if f"Signal{n}" not in used)
        try:
            taken = max((max(_places(signal)) + 1 for signal in self._signals()), default=0)
        except ProfileError:
            taken = 0
        byte = min(-(-taken // 8), max(self.form.values.length - 1, 0))
        self._add(SignalDraft(name, 8 * byte, 8))
        self.table.setCurrentCell(self.table.rowCount() - 1, 0)
        self._judge()

    def remove_signal(self) -> None:
        """Remove the chosen signal."""
        if self.table.currentRow() >= 0:
            self.table.removeRow(self.table.currentRow())
            self._judge()

    def _signals(self) -> tuple[SignalDraft, ...]:
        """Return the signals in the table.

        Raises `ProfileError` if a cell is invalid.
        """
        signals = []
        for row in range(self.table.rowCount()):
            texts = [self._item(row, column).text().strip() for column in range(len(_HEADS))]
            ticks = [
                self._item(row, column).checkState() == Qt.CheckState.Checked for column in _TICKS
            ]
            start, length, scale, offset = (self._number(row, column) for column in (1, 2, 6, 7))
            signals.append(
                SignalDraft(
                    texts[0],
                    int(start),
                    int(length),
                    ticks[0],
                    ticks[1],
                    ticks[2],
                    scale,
                    offset,
                    texts[8],
                    choices_of(texts[9]),
                    str(self._item(row, 0).data(_ORIGIN) or ""),
                )
            )
        return tuple(signals)

    def _number(self, row: int, column: int) -> float:
        text = self._item(row, column).text().strip()
        try:
            number = float(text) if column >= _TICKS.stop else int(text)
        except ValueError:
            number = math.nan
        name = self._item(row, 0).text().strip()
        if isinstance(number, int):
            if abs(number) > _MOST_BITS:  # Python integers are unbounded
                raise ProfileError(
                    f"{name}: {_HEADS[column]} exceeds the {_MOST_BITS} bits of a frame. Enter a smaller number."
                )
        elif not math.isfinite(number):
            raise ProfileError(
                f'{name}: {_HEADS[column]} "{text}" is not a number. Enter a number.'
            )
        return number

    @property
    def draft(self) -> MessageDraft:
        """Message in the dialog.

        Raises `ProfileError` if a value is invalid.
        """
        try:
            number = int(self.form.values.id, 0)
        except ValueError:
            raise ProfileError(
                f'"{self.form.values.id}" is not an id. Enter it like 0x201 or 513.'
            ) from None
        return MessageDraft(
            self.form.values.name,
            number,
            self.form.values.extended,
            self.form.values.length,
            self._signals(),
        )

    # --- result -----------------------------------------------------------------------------------

    def _judge(self) -> None:
        row = self.table.currentRow()
        self.remove.setEnabled(row >= 0)
        try:
            draft = self.draft
            layout = message_layout(message_of(self._document.dbc, draft, self._replaced))
        except ProfileError as error:
            self.form.report(str(error))
            self.apply_button.setEnabled(False)
            return
        users = users_of(self._document.loaded, draft.id, draft.extended, self._replaced)
        self.form.report(
            f"0x{draft.id:X} is already the id of {users[0]}. Enter a different id."
            if users
            else ""
        )
        self.apply_button.setEnabled(True)
        chosen = draft.signals[row].name if 0 <= row < len(draft.signals) else ""
        self.grid.show_message(layout, {signal.name for signal in draft.signals}, chosen)

    def accept(self) -> None:
        draft = self.draft
        try:
            profile = renamed(self._document.profile, draft, self._replaced)
            what = f"Edit {self._replaced}" if self._replaced else f"Add {draft.name}"
            self._document.edit(
                profile, what, dbc=with_message(self._document.dbc, draft, self._replaced)
            )
        except ProfileError as error:
            self.form.report(str(error))
            return
        super().accept()


def _places(signal: SignalDraft) -> tuple[int, ...]:
    return bit_places(signal.start, max(signal.length, 1), signal.big_endian)
