"""What is told about a moment beside the track: its picture, its time, and what happened."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QImage, QPixmap
from PySide6.QtWidgets import QLabel, QVBoxLayout, QWidget

from snakestudio.gui.core import theme
from snakestudio.gui.runs.timeline.thumbnails import HEIGHT, WIDTH

__all__ = ["Card"]


class Card(QWidget):
    """A small window that follows the mouse along the track and takes no events.

    Parameters
    ----------
    parent : QWidget
    """

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent, Qt.WindowType.ToolTip)
        self.setObjectName("moment_card")
        self.setAttribute(Qt.WidgetAttribute.WA_ShowWithoutActivating)
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        column = QVBoxLayout(self)
        column.setContentsMargins(1, 1, 1, 6)
        column.setSpacing(4)
        self._picture = QLabel(self)
        self._picture.setFixedSize(WIDTH, HEIGHT)
        self._text = QLabel(self)
        self._text.setTextFormat(Qt.TextFormat.PlainText)
        self._text.setWordWrap(True)
        self._text.setFixedWidth(WIDTH)
        self._text.setContentsMargins(8, 0, 8, 0)
        column.addWidget(self._picture)
        column.addWidget(self._text)
        self.lines: tuple[str, ...] = ()
        self.row: int | None = None

    @property
    def has_picture(self) -> bool:
        """Whether the moment is seen."""
        return not self._picture.isHidden() and not self._picture.pixmap().isNull()

    def tell(self, row: int | None, lines: Sequence[str], image: QImage | None, above: QPoint, possible: bool) -> None:
        """Show a moment.

        Parameters
        ----------
        row : int or None
            The row it is; None where nothing is recorded.
        lines : sequence of str
        image : QImage or None
            None if it is not there yet.
        above : QPoint
            Where the card stands, global; its lower edge is centred there.
        possible : bool
            Whether there can be a picture at all.
        """
        palette = theme.current()
        self.setStyleSheet(
            f"#moment_card {{ background: {palette.raised}; border: 1px solid {palette.line}; }}"
            f" QLabel {{ color: {palette.text}; background: transparent; }}"
        )
        self.lines, self.row = tuple(lines), row
        self._text.setText("\n".join(lines).replace("N s", "N\N{NO-BREAK SPACE}s"))
        self._picture.setVisible(possible and row is not None)
        self._picture.setPixmap(QPixmap() if image is None else QPixmap.fromImage(image))
        self.adjustSize()
        screen = self.screen().availableGeometry()
        x = min(max(above.x() - self.width() // 2, screen.left()), screen.right() - self.width())
        self.move(x, max(screen.top(), above.y() - self.height()))
        if not self.isVisible():
            self.show()

    def take(self, row: int, image: QImage) -> None:
        """The picture of a row is there."""
        if row == self.row and self.isVisible():
            self._picture.setPixmap(QPixmap.fromImage(image))
