"""The context menu of a scene value in any row: entries of its field, entries of other parts, and its key."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtGui import QContextMenuEvent, QGuiApplication
from PySide6.QtWidgets import QLineEdit, QMenu, QWidget

from snakestudio.gui.core.document import Document
from snakestudio.gui.forms.menu import Menu, assign_mnemonics, keep_keys


def open_value_menu(
    row: QWidget, document: Document, keys: Sequence[str], event: QContextMenuEvent
) -> QMenu:
    """Open the menu of the value that a row shows, at the position of the event.

    Parameters
    ----------
    document : Document
        Document whose `value_commands` are in the menu.
    keys : sequence of str
        Dotted scene keys of the value; several keys for the same value of several obstacles.
    """
    under = row.childAt(event.pos())
    menu = under.createStandardContextMenu() if isinstance(under, QLineEdit) else Menu(row)
    if not menu.isEmpty():
        keep_keys(menu)
        menu.addSeparator()
    for text, carry_out in document.value_commands:
        menu.addAction(text).triggered.connect(lambda _=False, call=carry_out: call(tuple(keys)))
    copied = "+".join(keys)
    menu.addAction("Copy Key").triggered.connect(
        lambda: QGuiApplication.clipboard().setText(copied)
    )
    assign_mnemonics(menu)
    menu.aboutToHide.connect(menu.deleteLater)
    menu.popup(event.globalPos())
    event.accept()
    return menu
