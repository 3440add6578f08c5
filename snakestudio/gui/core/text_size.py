"""How large text is: it follows the system's font, and what holds text grows with it."""

from __future__ import annotations

from PySide6.QtGui import QFont, QFontInfo
from PySide6.QtWidgets import QApplication

__all__ = ["BASE", "adopt", "scaled"]

BASE = 13
"""Ordinary text of the design, px; smaller than that it never gets."""

_LARGEST = 26

_size = BASE
_system_size: float | None = None


def adopt(app: QApplication) -> None:
    """Take over the size of the system's font, as it was before the program chose any."""
    global _size, _system_size
    if _system_size is None:
        _system_size = float(QFontInfo(app.font()).pixelSize())
    _size = min(max(round(_system_size), BASE), _LARGEST)
    font = QFont(app.font())
    font.setPixelSize(_size)
    app.setFont(font)


def scaled(pixels: float) -> int:
    """Length in the present text size of what is `pixels` long in the design, px."""
    return round(pixels * _size / BASE)
