"""Table model of a list of profile parts (axes, status values, steps ...)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, Protocol

from PySide6.QtCore import (
    QAbstractTableModel,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    Qt,
    Signal,
    SignalInstance,
)
from PySide6.QtGui import QFont

from snakestudio.errors import Problem, ProfileError
from snakestudio.gui.core import theme
from snakestudio.model.formula.quantity import NumberTextError
from snakestudio.viewmodel.cells import CellColumn
from snakestudio.viewmodel.field_texts import explanation

Index = QModelIndex | QPersistentModelIndex

_RIGHT = int(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)


def _is_number(column: CellColumn) -> bool:
    """Return whether the values are aligned right."""
    return column.kind in ("integer", "number", "span") or all(
        isinstance(choice, int) for choice in column.choices or "-"
    )


class Extra:
    """Read-only column next to those of the file.

    Parameters
    ----------
    text : callable
        Returns the text of a row, 0-based.
    colour : callable, optional
        Returns the name of its colour in the palette.
    """

    def __init__(
        self,
        heading: str,
        help: str,
        text: Callable[[int], str],
        colour: Callable[[int], str] | None = None,
    ) -> None:
        self.heading = heading
        self.help = help
        self.text = text
        self.colour = colour or (lambda row: "text")


class PartsDocument(Protocol):
    """Edited profile as needed by tables; see `ProfileDocument`."""

    problems: list[Problem]

    @property
    def changed(self) -> SignalInstance:
        """The profile changed."""

    @property
    def checked(self) -> SignalInstance:
        """`problems` are those of the current profile."""

    @property
    def locked_changed(self) -> SignalInstance:
        """The document was locked or unlocked."""

    @property
    def locked(self) -> str:
        """Message why the profile cannot be edited."""

    def value(self, key: str) -> Any:
        """Return the value at a dotted key; None if the key does not exist."""

    def set_values(self, values: dict[str, Any], text: str) -> None:
        """Change values by dotted keys as one step of undo."""

    def set_parts(self, key: str, parts: Sequence[Any], text: str) -> None:
        """Replace a list of parts as one step of undo."""


class PartsModel(QAbstractTableModel):
    """Parts at a key of the profile as rows; empty while the key does not exist.

    Parameters
    ----------
    key : str
        Key such as "axes" or "messages[2].signals".
    one : str
        Name of a row: "axis".
    instead : callable, optional
        Returns the default of an empty cell; shown dim.

    Signals
    -------
    refused(sentence: str)
        Typed or pasted text was refused; "" after accepted input.
    """

    refused = Signal(str)

    def __init__(
        self,
        document: PartsDocument,
        key: str,
        columns: Sequence[CellColumn],
        one: str,
        extras: Sequence[Extra] = (),
        instead: Callable[[CellColumn], str] | None = None,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self.document = document
        self.columns = list(columns)
        self.one = one
        self.extras = list(extras)
        self._key = key
        self._instead = instead
        self._marks: dict[tuple[int, str], str] = {}
        self.parts: tuple[Any, ...] = self._read()
        document.changed.connect(self._on_changed)
        document.checked.connect(self._mark)
        self._mark()

    @property
    def key(self) -> str:
        """Key of the parts in the profile."""
        return self._key

    def set_key(self, key: str) -> None:
        """Show the list at another key."""
        self.beginResetModel()
        self._key = key
        self.parts = self._read()
        self._mark()
        self.endResetModel()

    def _read(self) -> tuple[Any, ...]:
        parts = self.document.value(self._key) if self._key else None
        return parts if isinstance(parts, tuple) else ()

    def _on_changed(self) -> None:
        parts = self._read()
        if len(parts) == len(self.parts):
            changed = [
                row
                for row, (a, b) in enumerate(zip(self.parts, parts, strict=True))
                if a is not b and a != b
            ]
            self.parts = parts
            if changed:
                self._emit_changed(min(changed), max(changed))
        else:
            self.beginResetModel()
            self.parts = parts
            self.endResetModel()
        self.refresh_extras()

    def refresh_extras(self) -> None:
        """Update the extra columns."""
        if self.extras and self.parts:
            left = self.index(0, len(self.columns))
            self.dataChanged.emit(left, self.index(len(self.parts) - 1, self.columnCount() - 1))

    def _emit_changed(self, first: int, last: int) -> None:
        self.dataChanged.emit(self.index(first, 0), self.index(last, self.columnCount() - 1))

    def _mark(self) -> None:
        """Mark the cells that problems refer to."""
        marks: dict[tuple[int, str], str] = {}
        for problem in self.document.problems:
            if problem.key.startswith(f"{self._key}["):
                number, _, rest = problem.key[len(self._key) + 1 :].partition("]")
                if number.isdigit():
                    name = rest.lstrip(".").split(".")[0].split("[")[0]
                    marks.setdefault((int(number) - 1, name), problem.sentence())
        if marks != self._marks:
            self._marks = marks
            if self.parts:
                self._emit_changed(0, len(self.parts) - 1)

    # --- Qt's model -------------------------------------------------------------------------------

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() else len(self.parts)

    def columnCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() else len(self.columns) + len(self.extras)

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> Any:
        if orientation == Qt.Orientation.Vertical:
            return section + 1 if role == Qt.ItemDataRole.DisplayRole else None
        if section >= len(self.columns):
            extra = self.extras[section - len(self.columns)]
            texts = {
                "DisplayRole": extra.heading,
                "ToolTipRole": extra.help,
                "TextAlignmentRole": _RIGHT,
            }
            return texts.get(Qt.ItemDataRole(role).name)
        column = self.columns[section]
        if role == Qt.ItemDataRole.DisplayRole:
            return column.heading
        if role == Qt.ItemDataRole.TextAlignmentRole and _is_number(column):
            return _RIGHT
        return (
            explanation(column.doc, column.name, theme.current().dim)
            if role == Qt.ItemDataRole.ToolTipRole
            else None
        )

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        row = index.row()
        at = index.column()
        if row >= len(self.parts):
            return None
        if at >= len(self.columns):
            return self._extra(self.extras[at - len(self.columns)], row, role)
        column = self.columns[at]
        value = getattr(self.parts[row], column.name)
        if role == Qt.ItemDataRole.DisplayRole and value is None and self._instead is not None:
            return self._instead(column)
        if role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.EditRole):
            return column.text(value)
        mark = self._marks.get((row, column.name)) or (
            self._marks.get((row, "")) if at == 0 else None
        )
        if role == Qt.ItemDataRole.ToolTipRole:
            return mark or explanation(
                column.doc, f"{self._key}[{row + 1}].{column.name}", theme.current().dim
            )
        if role == Qt.ItemDataRole.ForegroundRole and mark:
            return theme.colour("warning")
        if role == Qt.ItemDataRole.ForegroundRole and value is None:
            return theme.colour("dim")
        if role == Qt.ItemDataRole.FontRole and mark:
            font = QFont(theme.value_font(13, bold=True))
            font.setUnderline(True)
            return font
        return _RIGHT if role == Qt.ItemDataRole.TextAlignmentRole and _is_number(column) else None

    def _extra(self, extra: Extra, row: int, role: int) -> Any:
        if role == Qt.ItemDataRole.DisplayRole:
            return extra.text(row)
        if role == Qt.ItemDataRole.ForegroundRole:
            return theme.colour(extra.colour(row))
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return _RIGHT
        return extra.help if role == Qt.ItemDataRole.ToolTipRole else None

    def flags(self, index: Index) -> Qt.ItemFlag:
        flags = Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable
        at = index.column()
        if at < len(self.columns) and self.columns[at].kind != "parts" and not self.document.locked:
            flags |= Qt.ItemFlag.ItemIsEditable
        return flags

    def setData(self, index: Index, value: Any, role: int = Qt.ItemDataRole.EditRole) -> bool:
        if role != Qt.ItemDataRole.EditRole or index.column() >= len(self.columns):
            return False
        column = self.columns[index.column()]
        return self.put([(index.row(), column, str(value))], f"Change {column.doc.label.lower()}")

    # --- edits ------------------------------------------------------------------------------------

    def put(
        self,
        cells: Iterable[tuple[int, CellColumn, str]],
        text: str,
        parts: Sequence[Any] | None = None,
    ) -> bool:
        """Apply typed or pasted texts to cells (of `parts`, if given), all of them or none.

        Returns
        -------
        bool
                Whether they were applied.
        """
        values: dict[str, Any] = {} if parts is None else {self._key: tuple(parts)}
        try:
            for row, column, typed in cells:
                values[f"{self._key}[{row + 1}].{column.name}"] = column.value(typed)
            self.document.set_values(values, text)
        except NumberTextError as error:
            self.refused.emit(str(error))
            return False
        except ProfileError as error:
            self.refused.emit(str(error).splitlines()[0])
            return False
        self.refused.emit("")
        return True

    def replace(self, parts: Sequence[Any], text: str) -> bool:
        """Replace all rows; returns whether the profile accepted them."""
        try:
            self.document.set_parts(self._key, parts, text)
        except ProfileError as error:
            self.refused.emit(str(error).splitlines()[0])
            return False
        self.refused.emit("")
        return True
