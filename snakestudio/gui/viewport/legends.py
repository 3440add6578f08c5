"""The legends in the upper left corner of the viewport, one below the other: forces, robot, controller, ghosts."""

from __future__ import annotations

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetrics, QPainter, QPaintEvent
from PySide6.QtWidgets import QWidget

from snakestudio.gui.core import theme
from snakestudio.gui.viewport.legend import Legend
from snakestudio.gui.viewport.navigation import Navigator
from snakestudio.gui.viewport.view_options import ViewOptions
from snakestudio.kinds.controller import controller_of
from snakestudio.model.snapshot import Fields, Snapshot

__all__ = ["Legends", "control_state"]

_GAP, _PAD, _SWATCH = 6, 12, 20


def control_state(snapshot: Snapshot) -> list[tuple[str, str]]:
    """What the controller makes of the robot's state: colours and texts; none for a robot that follows its gait."""
    kind = controller_of(snapshot.control)
    said = kind.says(snapshot.control) if kind is not None else []
    return [(getattr(theme.current(), tone), text) for tone, text in said]


class Legends:
    """Four, as far as there is something to tell; the first is always there.

    Parameters
    ----------
    options : ViewOptions
    navigator : Navigator
    viewport : QWidget
        They lie over it.
    """

    def __init__(self, options: ViewOptions, navigator: Navigator, viewport: QWidget) -> None:
        self.forces = Legend(options, navigator, viewport)
        self.robot, self.controller, self.ghosts = Swatches(viewport), Swatches(viewport), Swatches(viewport)

    def tell(self, snapshot: Snapshot | None, ghosts: list[tuple[str, str]], *, commanded: bool) -> None:
        """Another instant is shown, with ghosts of these colours and names; `commanded`: one of the shape asked for."""
        if commanded and snapshot is not None and Fields.REFERENCE in snapshot.valid and snapshot.body is None:
            ghosts = [(QColor.fromRgbF(*theme.render_theme().ghost).name(), "commanded shape"), *ghosts]
        self.ghosts.say(ghosts)
        self.controller.say(control_state(snapshot) if snapshot is not None else [])
        self._stack()

    def mark(self, marks: list[tuple[str, str]]) -> None:
        """Show colours and texts of what must be known about a live robot."""
        before = self.robot.entries
        self.robot.say(marks)
        if self.robot.entries != before:
            self._stack()

    def move(self, x: int, y: int) -> None:
        """Begin there."""
        self.forces.move(x, y)
        self._stack()

    def _stack(self) -> None:
        top = self.forces.geometry().bottom() + _GAP
        for legend in (self.robot, self.controller, self.ghosts):
            legend.move(self.forces.x(), top)
            if legend.entries:
                top += legend.height() + _GAP


class Swatches(QWidget):
    """A row for every entry; hidden while there are none."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.entries: list[tuple[str, str]] = []
        """Colours and texts."""
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self._height = theme.scaled(22)
        self.hide()

    def say(self, entries: list[tuple[str, str]]) -> None:
        """Show colours and texts."""
        if entries == self.entries:
            return
        self.entries = entries
        metrics = QFontMetrics(self._font())
        widest = max((metrics.horizontalAdvance(text) for _, text in entries), default=0)
        self.resize(2 * _PAD + _SWATCH + 8 + widest, 12 + len(entries) * self._height)
        self.setVisible(bool(entries))
        self.update()

    def _font(self) -> QFont:
        font = self.font()
        font.setPixelSize(theme.scaled(12))
        return font

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        try:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            ground = theme.colour("ground" if theme.current() is theme.DARK else "card")
            ground.setAlpha(225)
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(ground)
            painter.drawRoundedRect(self.rect(), 6, 6)
            painter.setFont(self._font())
            for index, (colour, text) in enumerate(self.entries):
                middle = 6 + (index + 0.5) * self._height
                painter.setPen(Qt.PenStyle.NoPen)
                painter.setBrush(QColor(colour))
                painter.drawRoundedRect(QRectF(_PAD, middle - 4, _SWATCH, 8), 4, 4)
                painter.setPen(theme.colour("text"))
                place = QRectF(_PAD + _SWATCH + 8, middle - self._height / 2, self.width(), self._height)
                painter.drawText(place, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, text)
        finally:
            painter.end()
