"""The head of a sheet: its title, a field to search in what stands below, and a button that closes it."""

from __future__ import annotations

from PySide6.QtCore import QSize
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QLineEdit, QToolButton

from snakestudio.gui.core import theme
from snakestudio.gui.shell.modal_overlay import ModalOverlay

__all__ = ["make_head"]


def make_head(sheet: ModalOverlay, frame: QFrame, title: str, search: str) -> tuple[QHBoxLayout, QLineEdit]:
    """The head as a layout, and its search field, of which the sheet sees all events first.

    Parameters
    ----------
    sheet : ModalOverlay
    frame : QFrame
        What stands on the sheet.
    title, search : str
        What it is called, and what stands in the empty search field.
    """
    head = QHBoxLayout()
    head.setSpacing(12)
    label = QLabel(title, frame)
    label.setFont(theme.text_font(20, strong=True))
    field = QLineEdit(frame)
    field.setPlaceholderText(search)
    field.setAccessibleName(search)
    field.setClearButtonEnabled(True)
    field.setFixedWidth(theme.scaled(280))
    field.installEventFilter(sheet)
    close = QToolButton(frame)
    close.setProperty("role", "flat")
    close.setIcon(theme.icon("close", "dim"))
    close.setIconSize(QSize(14, 14))
    close.setToolTip("Close (Esc)")
    close.setAccessibleName("Close")
    close.clicked.connect(sheet.close_sheet)
    head.addWidget(label)
    head.addStretch(1)
    head.addWidget(field)
    head.addWidget(close)
    return head, field
