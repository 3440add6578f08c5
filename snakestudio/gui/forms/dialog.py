"""Base class of dialogs: title, note, parts, buttons; texts are never cut off."""

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
    """A dialog whose least height follows its width; Qt assumes one line for wrapped texts.

    A subclass makes its parts, and passes them to `arrange` from top to bottom.

    Parameters
    ----------
    title : str
        Title of the window.
    note : str
        Explanation of the dialog, in a dim text at its top.
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
        """Lay out parts from top to bottom.

        Parameters
        ----------
        *parts : Part
            Widgets and layouts as in `column_of`.
        spacing : int
            Space between parts, px.
        margins : (int, int, int, int)
            Left, top, right, bottom, px.
        width : int
            Width of wrapped texts, px of the design; 0 for that of the dialog.
        fixed : bool
            Whether the size of the dialog is fixed to that of its parts.
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
        """Return the box of buttons that end the dialog, and its default button, the first one.

        Parameters
        ----------
        accept, cancel : str
            Texts of the buttons.
        others : sequence of QPushButton
            Buttons for other actions.
        """
        buttons = QDialogButtonBox()  # in tab order after the parts that `arrange` lays out
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
