"""Questions about changes that are shown in words: what would be taken back, replaced or lost."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtWidgets import QMessageBox, QWidget

__all__ = ["ask_about_changes", "shortened"]

_MOST = 12


def shortened(words: Sequence[str], most: int = _MOST) -> list[str]:
    """The first lines, and how many more there are."""
    if len(words) <= most:
        return list(words)
    return [*words[: most - 1], f"... and {len(words) - most + 1} more changes"]


def ask_about_changes(parent: QWidget, title: str, question: str, words: Sequence[str], do_it: str) -> bool:
    """Ask whether something shall be done to the scene.

    Parameters
    ----------
    parent : QWidget
    title, question : str
    words : sequence of str
        The changes, a line each.
    do_it : str
        Text of the button that does it.
    """
    box = QMessageBox(parent)
    box.setIcon(QMessageBox.Icon.Question)
    box.setWindowTitle(title)
    box.setText(question)
    box.setInformativeText("\n".join(f"•  {line}" for line in shortened(words)))
    yes = box.addButton(do_it, QMessageBox.ButtonRole.AcceptRole)
    box.addButton(QMessageBox.StandardButton.Cancel)
    box.setDefaultButton(yes)
    box.exec()
    box.deleteLater()
    return box.clickedButton() is yes
