"""Grid of the bits of a frame, one row per byte, coloured by signal."""

from __future__ import annotations

from collections.abc import Collection

from PySide6.QtCore import QEvent, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QHelpEvent, QMouseEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QToolTip, QWidget

from snakestudio.gui.core import theme
from snakestudio.link.profile.layout import MessageLayout, SignalLayout

_HUES = (205, 145, 35, 285, 345, 85, 245, 15, 175, 315)


def signal_colour(index: int) -> QColor:
    """Return the colour of the signal with this index in a message."""
    dark = theme.current() is theme.DARK
    turn = index // len(_HUES)
    return QColor.fromHsl(
        _HUES[index % len(_HUES)], 110, (118 if dark else 168) + (22 if turn % 2 else 0)
    )


class BitGrid(QWidget):
    """Bytes of a frame from top to bottom, each with its most significant bit on the left.

    Signals used by the profile are drawn opaque, other signals of the DBC faint; unused bits stay
    empty, and bits of several signals are struck through.

    Signals
    -------
    picked(signal: str)
        A signal was clicked.
    """

    picked = Signal(str)

    _CELL = 30
    _GUTTER = 44
    _HEAD = 20
    _GAP = 2

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.message_layout: MessageLayout | None = None
        self._bound: Collection[str] = ()
        self._chosen = ""
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self.setMouseTracking(True)
        self.setAccessibleName("Bits of the message")

    def show_message(
        self, layout: MessageLayout | None, bound: Collection[str] = (), chosen: str = ""
    ) -> None:
        """Draw a message with `bound` signals opaque and the chosen one framed."""
        self.message_layout = layout
        self._bound = bound
        self._chosen = chosen
        description = (
            "" if layout is None else "; ".join(f"{s.name}: {s.text()}" for s in layout.signals)
        )
        self.setAccessibleDescription(description)
        self.setFixedSize(self.sizeHint())
        self.update()

    def sizeHint(self) -> QSize:
        rows = max(1, self.message_layout.length if self.message_layout is not None else 8)
        scaled = theme.scaled
        return QSize(
            scaled(self._GUTTER) + 8 * scaled(self._CELL) + 4,
            scaled(self._HEAD) + rows * scaled(self._row) + 4,
        )

    @property
    def _row(self) -> int:
        """Height of a row; smaller for the 64 bytes of CAN FD."""
        length = self.message_layout.length if self.message_layout is not None else 8
        return 24 if length <= 8 else 16 if length <= 24 else 10

    def signals_at(self, x: float, y: float) -> list[SignalLayout]:
        """Return the signals of the bit at a position of the widget."""
        if self.message_layout is None:
            return []
        column = int((x - theme.scaled(self._GUTTER)) // theme.scaled(self._CELL))
        row = int((y - theme.scaled(self._HEAD)) // theme.scaled(self._row))
        if not 0 <= column < 8 or not 0 <= row < self.message_layout.length:
            return []
        bit = 8 * row + 7 - column
        return [signal for signal in self.message_layout.signals if bit in signal.places]

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        try:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.setFont(theme.text_font(11))
            self._paint(painter)
        finally:
            painter.end()

    def _paint(self, painter: QPainter) -> None:
        layout = self.message_layout
        if layout is None:
            painter.setPen(theme.colour("dim"))
            painter.drawText(self.rect(), Qt.AlignmentFlag.AlignCenter, "No message of the DBC")
            return
        cell, row, left, top = (
            theme.scaled(n) for n in (self._CELL, self._row, self._GUTTER, self._HEAD)
        )
        painter.setPen(theme.colour("dim"))
        for bit in range(8):
            painter.drawText(
                QRectF(left + (7 - bit) * cell, 0, cell, top),
                Qt.AlignmentFlag.AlignCenter,
                str(bit),
            )
        owners: dict[int, list[int]] = {}
        for number, signal in enumerate(layout.signals):
            for bit_index in signal.places:
                owners.setdefault(bit_index, []).append(number)
        for byte in range(layout.length):
            painter.setPen(theme.colour("dim"))
            if row >= 14 or byte % 4 == 0:
                box = QRectF(0, top + byte * row, left - 8, row)
                painter.drawText(
                    box, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, f"byte {byte}"
                )
            for bit in range(8):
                box = QRectF(left + (7 - bit) * cell, top + byte * row, cell, row)
                self._paint_bit(
                    painter,
                    layout,
                    box.adjusted(1, 1, -1, -1),
                    owners.get(8 * byte + bit, []),
                    (byte, bit),
                )

    def _paint_bit(
        self,
        painter: QPainter,
        layout: MessageLayout,
        box: QRectF,
        owners: list[int],
        at: tuple[int, int],
    ) -> None:
        painter.setPen(Qt.PenStyle.NoPen)
        if not owners:
            painter.setBrush(theme.colour("raised"))
            painter.drawRoundedRect(box, 3, 3)
            return
        signal = layout.signals[owners[0]]
        colour = signal_colour(owners[0])
        if signal.name not in self._bound:
            colour.setAlphaF(0.35)
        painter.setBrush(colour)
        painter.drawRoundedRect(box, 3, 3)
        bit = 8 * at[0] + at[1]
        if signal.name == self._chosen:
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.setPen(QPen(theme.colour("text"), 1.5))
            painter.drawRoundedRect(box.adjusted(0.5, 0.5, -0.5, -0.5), 3, 3)
        alternative = (
            len({layout.signals[n].branch for n in owners}) == len(owners) and len(owners) > 1
        )
        if len(owners) > 1 and not alternative:  # two signals overlap in this bit
            painter.setPen(QPen(theme.colour("warning"), 2))
            painter.drawLine(box.topLeft(), box.bottomRight())
        if box.height() >= 14 and bit in (signal.places[0], signal.places[-1]):
            painter.setPen(theme.colour("text"))
            mark = "msb" if bit == signal.places[-1] and len(signal.places) > 1 else "lsb"
            painter.drawText(
                box, Qt.AlignmentFlag.AlignCenter, mark if len(signal.places) > 1 else "bit"
            )

    def event(self, event: QEvent) -> bool:
        if isinstance(event, QHelpEvent):
            signals = self.signals_at(event.pos().x(), event.pos().y())
            text = "<br>".join(f"<b>{signal.name}</b><br>{signal.text()}" for signal in signals)
            QToolTip.showText(event.globalPos(), text and f"<qt>{text}</qt>", self)
            return True
        return super().event(event)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        signals = self.signals_at(event.position().x(), event.position().y())
        if signals:
            self.picked.emit(signals[0].name)


def legend(layout: MessageLayout, bound: set[str]) -> str:
    """Rich text with the signals of a message and their colours; signals the profile does not use are dim."""
    lines = []
    for number, signal in enumerate(layout.signals):
        dot = f"<span style='color:{signal_colour(number).name()}'>■</span>"
        faint = "" if signal.name in bound else f" style='color:{theme.current().dim}'"
        when = f" (if {', '.join(map(str, signal.branch))})" if signal.branch else ""
        lines.append(f"{dot} <span{faint}><b>{signal.name}</b>{when} {signal.text()}</span>")
    return "<br>".join(lines)
