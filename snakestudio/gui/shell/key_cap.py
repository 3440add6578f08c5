"""Key caps in painted text; for labels they are in the style sheet."""

from __future__ import annotations

from PySide6.QtCore import QPoint, QRect, QRectF, Qt
from PySide6.QtGui import QFontMetrics, QPainter

from snakestudio.gui.core import theme

_FONT = 11
"""Height of the text, px of the design."""


def key_cap_width(keys: str) -> int:
    """Return the width of the cap of `keys`, px."""
    return QFontMetrics(theme.text_font(_FONT)).horizontalAdvance(keys) + 14


def paint_key_cap(painter: QPainter, keys: str, left: QPoint, colour: str = "text") -> None:
    """Paint the cap of `keys`.

    Parameters
    ----------
    keys : str
        Such as "Ctrl+S".
    left : QPoint
        Middle of the cap's left edge.
    colour : str
        Colour of the text by its name in `theme.colour`.
    """
    painter.setFont(theme.text_font(_FONT))
    height = painter.fontMetrics().height() + 4
    cap = QRect(left.x(), left.y() - height // 2, key_cap_width(keys), height)
    painter.setPen(theme.colour("line"))
    painter.setBrush(theme.colour("card"))
    painter.drawRoundedRect(QRectF(cap).adjusted(0.5, 0.5, -0.5, -0.5), 4, 4)
    painter.setPen(theme.colour(colour))
    painter.drawText(cap, Qt.AlignmentFlag.AlignCenter, keys)
