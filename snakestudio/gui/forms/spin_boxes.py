"""Fields for numbers with two arrows, with the same room before their text as every other field."""

from __future__ import annotations

from PySide6.QtWidgets import QAbstractSpinBox, QDoubleSpinBox, QSpinBox, QWidget

__all__ = ["DoubleSpinBox", "SpinBox"]

_ROOM = 9
"""Pixels: the style sheet's padding, for which Qt makes such a field wide enough without keeping it before the text."""


class SpinBox(QSpinBox):
    """A field for a whole number."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        _make_room(self)


class DoubleSpinBox(QDoubleSpinBox):
    """A field for a number with decimals."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        _make_room(self)


def _make_room(box: QAbstractSpinBox) -> None:
    box.lineEdit().setTextMargins(_ROOM, 0, 0, 0)
