"""Backgrounds that widgets paint themselves: cards of panels, and translucent plates over the viewport."""

from __future__ import annotations

from PySide6.QtCore import QRect, Qt
from PySide6.QtGui import QPainter

from snakestudio.gui.core import theme

_RADIUS = 6


def paint_card(painter: QPainter, rect: QRect) -> None:
    """Paint the background of a drawing in a panel; the painter is left antialiased and without a pen."""
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(theme.colour("card"))
    painter.drawRoundedRect(rect, _RADIUS, _RADIUS)


def paint_plate(
    painter: QPainter, rect: QRect, *, raised: bool = False, focused: bool = False
) -> None:
    """Paint a plate on which text is readable over any background.

    Parameters
    ----------
    raised : bool
        Whether the mouse is over it.
    focused : bool
        Whether it has the keyboard focus.
    """
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    still = "ground" if theme.current() is theme.DARK else "card"
    ground = theme.colour("raised" if raised else still)
    ground.setAlpha(225)
    painter.setPen(theme.colour("accent") if focused else Qt.PenStyle.NoPen)
    painter.setBrush(ground)
    painter.drawRoundedRect(rect, _RADIUS, _RADIUS)
