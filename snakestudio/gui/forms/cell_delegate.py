"""Editors of table cells: combo boxes for choices, editable ones for suggestions, lines for all others."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import QAbstractItemModel, QModelIndex, QObject, QPersistentModelIndex, Qt
from PySide6.QtWidgets import QComboBox, QStyledItemDelegate, QStyleOptionViewItem, QWidget

from snakestudio.viewmodel.cells import CellColumn

Index = QModelIndex | QPersistentModelIndex


class CellDelegate(QStyledItemDelegate):
    """Makes editors for the cells of a table by its columns.

    Parameters
    ----------
    column : callable
        Returns the column with a 0-based number.
    suggest : callable
        Returns the suggestions of a cell, by row and key; () for none.
    """

    def __init__(
        self,
        column: Callable[[int], CellColumn],
        suggest: Callable[[int, str], Sequence[str]],
        parent: QObject,
    ) -> None:
        super().__init__(parent)
        self._column = column
        self._suggest = suggest

    def createEditor(self, parent: QWidget, option: QStyleOptionViewItem, index: Index) -> QWidget:
        column = self._column(index.column())
        suggested = self._suggest(index.row(), column.name)
        if column.kind in ("choice", "switch"):
            choices = (
                ["yes", "no"]
                if column.kind == "switch"
                else [str(choice) for choice in column.choices]
            )
            return self._box(parent, ["", *choices] if column.optional else choices, False)
        if suggested:
            return self._box(parent, list(suggested), True)
        return super().createEditor(parent, option, index)

    def _box(self, parent: QWidget, choices: list[str], free: bool) -> QComboBox:
        box = QComboBox(parent)
        box.addItems(choices)
        box.setEditable(free)
        box.activated.connect(lambda _: self._commit(box))
        return box

    def _commit(self, box: QComboBox) -> None:
        self.commitData.emit(box)
        self.closeEditor.emit(box)

    def setEditorData(self, editor: QWidget, index: Index) -> None:
        if isinstance(editor, QComboBox):
            text = str(index.data(Qt.ItemDataRole.EditRole) or "")
            editor.setCurrentIndex(editor.findText(text))
            if editor.isEditable():
                editor.setEditText(text)
        else:
            super().setEditorData(editor, index)

    def setModelData(self, editor: QWidget, model: QAbstractItemModel, index: Index) -> None:
        if isinstance(editor, QComboBox):
            model.setData(index, editor.currentText())
        else:
            super().setModelData(editor, model, index)

    def updateEditorGeometry(
        self, editor: QWidget, option: QStyleOptionViewItem, index: Index
    ) -> None:
        rect = option.rect
        least = editor.sizeHint().width() if isinstance(editor, QComboBox) else rect.width()
        editor.setGeometry(rect.adjusted(0, 0, max(0, least - rect.width()), 0))
