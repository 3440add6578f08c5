"""The dialog that all others are made from: title, note, parts, buttons; no text in it is ever cut off."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QEvent
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import (
    QDialog,
    QDialogButtonBox,
    QLabel,
    QLayout,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from snakestudio.gui.core import theme
from snakestudio.gui.forms.lines import Margins, Part, column_of


class Dialog(QDialog):
    """A dialog whose least height follows its width: Qt's own is that of one line, however often a text is broken.

    A subclass makes its parts, and hands them to `arrange` from top to bottom.

    Parameters
    ----------
    title : str
        Of its window.
    note : str
        What the dialog is for, in a dim text at its top.
    """

    def __init__(self, parent: QWidget | None = None, title: str = "", note: str = "") -> None:
        super().__init__(parent)
        self._note: QLabel | None = None
        if title:
            self.setWindowTitle(title)
        if note:
            self._note = QLabel(note, self)
            self._note.setProperty("role", "dim")
            self._note.setWordWrap(True)

    def arrange(
        self,
        *parts: Part,
        spacing: int = 12,
        margins: Margins = (24, 20, 24, 16),
        width: int = 0,
        fixed: bool = False,
    ) -> QVBoxLayout:
        """Lay parts out below each other.

        Parameters
        ----------
        parts
            As `column_of` has them.
        spacing : int
            px.
        margins : (int, int, int, int)
            Left, top, right, bottom, px.
        width : int
            Of the texts that are broken into lines, px of the design; 0 for that of the dialog.
        fixed : bool
            Whether the dialog is as large as its parts need, and no other size.
        """
        if self._note is not None:
            parts = (self._note, *parts)
        column = column_of(*parts, spacing=spacing, margins=margins)
        if fixed:
            column.setSizeConstraint(QLayout.SizeConstraint.SetFixedSize)
        for part in parts:
            if width and isinstance(part, QLabel):
                part.setWordWrap(True)
                part.setFixedWidth(theme.scaled(width))
        self.setLayout(column)
        return column

    def make_buttons(
        self, accept: str, cancel: str = "&Cancel", *, others: Sequence[QPushButton] = ()
    ) -> tuple[QDialogButtonBox, QPushButton]:
        """Buttons that end the dialog, of which the first is the default; and the first of them.

        Parameters
        ----------
        accept, cancel : str
            Their texts.
        others : sequence of QPushButton
            That do something else.
        """
        buttons = QDialogButtonBox()  # Tab comes to what `arrange` lays out before them first
        accepting = buttons.addButton(accept, QDialogButtonBox.ButtonRole.AcceptRole)
        theme.set_role(accepting, "primary")
        for button in others:
            button.setAutoDefault(False)
            buttons.addButton(button, QDialogButtonBox.ButtonRole.ActionRole)
        buttons.addButton(cancel, QDialogButtonBox.ButtonRole.RejectRole)
        buttons.accepted.connect(self.accept)
        buttons.rejected.connect(self.reject)
        return buttons, accepting

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._keep_texts_whole()

    def event(self, event: QEvent) -> bool:
        handled = super().event(event)
        if event.type() == QEvent.Type.LayoutRequest:
            self._keep_texts_whole()
        return handled

    def _keep_texts_whole(self) -> None:
        layout = self.layout()
        if layout is None or not layout.hasHeightForWidth():
            return
        least = layout.minimumHeightForWidth(self.width())
        least = min(least, self.screen().availableSize().height())
        if least != self.minimumHeight():
            self.setMinimumHeight(least)
