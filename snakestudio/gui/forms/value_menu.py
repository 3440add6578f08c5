"""The context menu of a value in any row: entries of its field, and of the value."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtGui import QContextMenuEvent
from PySide6.QtWidgets import QLineEdit, QWidget

from snakestudio.gui.forms.menu import Menu, assign_mnemonics, keep_keys

Entry = tuple[str, Callable[[], object] | None]
"""Text of an entry of a menu, and what is called; None disables the entry."""


def open_field_menu(row: QWidget, event: QContextMenuEvent, entries: Sequence[Entry]) -> None:
    """Open the menu of a field at the position of the event, with entries of its value."""
    under = row.childAt(event.pos())
    menu = under.createStandardContextMenu() if isinstance(under, QLineEdit) else Menu(row)
    if not menu.isEmpty():
        keep_keys(menu)
        menu.addSeparator()
    for text, carry_out in entries:
        action = menu.addAction(text)
        action.setEnabled(carry_out is not None)
        if carry_out is not None:
            action.triggered.connect(lambda _=False, call=carry_out: call())
    if menu.isEmpty():
        return
    assign_mnemonics(menu)
    menu.aboutToHide.connect(menu.deleteLater)
    menu.popup(event.globalPos())
    event.accept()
