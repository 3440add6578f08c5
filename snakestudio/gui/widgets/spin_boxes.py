"""Fields for numbers with two arrows, with the same room before their text as every other field."""

from __future__ import annotations

from PySide6.QtCore import QSize
from PySide6.QtWidgets import QAbstractSpinBox, QDoubleSpinBox, QSpinBox, QWidget

__all__ = ["DoubleSpinBox", "SpinBox"]

_ROOM = 9
"""Pixels; with the frame this makes the padding of the style sheet, which Qt does not keep for these."""


def _make_room(box: QAbstractSpinBox) -> None:
    box.lineEdit().setTextMargins(_ROOM, 0, 0, 0)


class SpinBox(QSpinBox):
    """A field for a whole number."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        _make_room(self)

    def sizeHint(self) -> QSize:
        """Wide enough for the longest number and the room before it."""
        return super().sizeHint() + QSize(_ROOM, 0)

    def minimumSizeHint(self) -> QSize:
        """As `sizeHint`."""
        return super().minimumSizeHint() + QSize(_ROOM, 0)


class DoubleSpinBox(QDoubleSpinBox):
    """A field for a number with decimals."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        _make_room(self)

    def sizeHint(self) -> QSize:
        """Wide enough for the longest number and the room before it."""
        return super().sizeHint() + QSize(_ROOM, 0)

    def minimumSizeHint(self) -> QSize:
        """As `sizeHint`."""
        return super().minimumSizeHint() + QSize(_ROOM, 0)
