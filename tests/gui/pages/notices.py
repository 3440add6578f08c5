"""A notice over the viewport, and questions, as a user sees them."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication, QEvent, QTimer
from PySide6.QtWidgets import QAbstractButton, QApplication, QLabel, QMessageBox, QPushButton

from snakestudio.gui.forms.banner import Banner
from snakestudio.gui.forms.menu import plain
from tests.gui.pages.parts import label


class NoticePage:
    """One notice: its text and its buttons."""

    def __init__(self, banner: Banner) -> None:
        self.banner = banner

    @property
    def text(self) -> QLabel:
        """Text of the notice, which may be elided."""
        return label(self.banner, "banner_text")

    @property
    def buttons(self) -> list[QPushButton]:
        """Buttons from left to right."""
        QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
        return [
            button
            for button in self.banner.findChildren(QPushButton)
            if button.isVisibleTo(self.banner) and button.objectName() != "more"
        ]

    @property
    def texts(self) -> list[str]:
        """Texts of the buttons."""
        return [button.text() for button in self.buttons]

    def press(self, argument: str) -> None:
        """Press the button whose text contains a word."""
        _with_word(self.buttons, argument).click()


def answer(choice: QMessageBox.StandardButton | str) -> list[str]:
    """Answer the next question when it appears.

    Parameters
    ----------
    choice : QMessageBox.StandardButton or str
        The button to press; a word of its text for a custom button.

    Returns
    -------
    list of str
        The questions, filled in as they appear.
    """
    requests: list[str] = []

    def press() -> None:
        box = QApplication.activeModalWidget()
        if not isinstance(box, QMessageBox):
            QTimer.singleShot(20, press)
            return
        requests.append(f"{box.text()}\n{box.informativeText()}")
        if isinstance(choice, str):
            _with_word(box.buttons(), choice).click()
        else:
            box.button(choice).click()

    QTimer.singleShot(0, press)
    return requests


def _with_word(
    buttons: list[QPushButton] | list[QAbstractButton], argument: str
) -> QAbstractButton:
    texts = [plain(button.text()) for button in buttons]
    matches = [
        button
        for button, text in zip(buttons, texts, strict=True)
        if argument.lower() in text.lower().removesuffix("...").split()
    ]
    assert len(matches) == 1, f"{len(matches)} of {texts} contain the word {argument}"
    return matches[0]
