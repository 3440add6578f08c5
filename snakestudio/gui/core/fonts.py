"""Fonts for systems without fonts."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

from PySide6.QtGui import QFont, QFontDatabase, QFontInfo
from PySide6.QtWidgets import QApplication

_FILES = {
    "DejaVuSans.ttf": "Sans Serif",
    "DejaVuSans-Bold.ttf": "Sans Serif",
    "DejaVuSansMono.ttf": "Monospace",
}
"""Font files of matplotlib, and the generic font of Qt that each replaces."""


def add_missing_fonts(app: QApplication) -> None:
    """Use matplotlib's fonts if the system has none, so that text can be read."""
    matplotlib = find_spec("matplotlib")
    if QFontInfo(app.font()).family() or matplotlib is None or matplotlib.origin is None:
        return
    folder = Path(matplotlib.origin).parent / "mpl-data" / "fonts" / "ttf"
    for name, generic in _FILES.items():
        number = QFontDatabase.addApplicationFont(str(folder / name))
        for family in QFontDatabase.applicationFontFamilies(number):
            QFont.insertSubstitution(generic, family)
    font = QFont(app.font())
    font.setFamilies([QFont.substitute("Sans Serif")])
    app.setFont(font)
