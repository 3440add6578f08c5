"""Legends over the viewport: scale of force arrows, link of the trail, colours of a body."""

from __future__ import annotations

import math

import numpy as np
from PySide6.QtCore import QEvent, QPointF, QRect, QRectF, Qt
from PySide6.QtGui import (
    QColor,
    QFont,
    QFontMetrics,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QPolygonF,
    QWheelEvent,
)
from PySide6.QtWidgets import QMenu, QWidget

from snakestudio.gui.core import theme
from snakestudio.gui.core.painting import paint_plate
from snakestudio.gui.core.settings import ViewOptions
from snakestudio.gui.forms.menu import Menu
from snakestudio.gui.viewport.navigation import Navigator
from snakestudio.kinds.controller import controller_of
from snakestudio.model.snapshot import Fields, Snapshot
from snakestudio.model.ticks import step_below
from snakestudio.viewmodel.viewport.view_settings import SCALES, TRAIL_MIDDLE

_GAP = 6
_LEGENDS_PAD = 12
_SWATCH = 20
_HINT = 40
"""Height of the hint at the bottom of the viewport with its margin."""


def control_state(snapshot: Snapshot) -> list[tuple[str, str]]:
    """Colours and texts for the controller's view of the robot's state; empty for a robot that follows its gait."""
    kind = controller_of(snapshot.control)
    state = kind.says(snapshot.control) if kind is not None else []
    return [(getattr(theme.current(), tone), text) for tone, text in state]


class Legends:
    """Up to four legends; the first is always visible.

    Parameters
    ----------
    viewport : QWidget
        Parent of the legends.
    """

    def __init__(self, options: ViewOptions, navigator: Navigator, viewport: QWidget) -> None:
        self._viewport = viewport
        self.forces = ForceLegend(options, navigator, viewport)
        self.robot = Swatches(viewport)
        self.controller = Swatches(viewport)
        self.ghosts = Swatches(viewport)

    def show_snapshot(
        self, snapshot: Snapshot | None, ghosts: list[tuple[str, str]], *, commanded: bool
    ) -> None:
        """Show another time, with ghosts of these colours and names; `commanded` adds the commanded shape."""
        if (
            commanded
            and snapshot is not None
            and Fields.REFERENCE in snapshot.valid
            and snapshot.body is None
        ):
            ghosts = [
                (QColor.fromRgbF(*theme.render_theme().ghost).name(), "commanded shape"),
                *ghosts,
            ]
        self.ghosts.show_entries(ghosts)
        self.controller.show_entries(control_state(snapshot) if snapshot is not None else [])
        self._stack()

    def mark(self, marks: list[tuple[str, str]]) -> None:
        """Show colours and texts of notes on a live robot."""
        before = self.robot.entries
        self.robot.show_entries(marks)
        if self.robot.entries != before:
            self._stack()

    def move(self, x: int, y: int) -> None:
        """Move the first legend to a position."""
        self.forces.move(x, y)
        self._stack()

    def _stack(self) -> None:
        """Place the legends below each other, and hide those that do not fit above the hint.

        The notes on a live robot are always visible.
        """
        top = self.forces.geometry().bottom() + _GAP
        bottom = self._viewport.height() - theme.scaled(_HINT)
        for legend in (self.robot, self.controller, self.ghosts):
            legend.move(self.forces.x(), top)
            fits = legend is self.robot or top + legend.height() <= bottom
            legend.setVisible(bool(legend.entries) and fits)
            if legend.isVisibleTo(self._viewport):
                top += legend.height() + _GAP


class Swatches(QWidget):
    """A row for each entry; hidden without entries."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.entries: list[tuple[str, str]] = []
        """Colours and texts."""
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self._height = theme.scaled(22)
        self.hide()

    def show_entries(self, entries: list[tuple[str, str]]) -> None:
        """Show colours and texts."""
        if entries == self.entries:
            return
        self.entries = entries
        metrics = QFontMetrics(self._font())
        widest = max((metrics.horizontalAdvance(text) for _, text in entries), default=0)
        self.resize(2 * _LEGENDS_PAD + _SWATCH + 8 + widest, 12 + len(entries) * self._height)
        self.setVisible(bool(entries))
        self.update()

    def _font(self) -> QFont:
        font = self.font()
        font.setPixelSize(theme.scaled(12))
        return font

    def paintEvent(self, event: QPaintEvent) -> None:
        with QPainter(self) as painter:
            paint_plate(painter, self.rect())
            painter.setFont(self._font())
            for index, (colour, text) in enumerate(self.entries):
                middle = 6 + (index + 0.5) * self._height
                painter.setPen(Qt.PenStyle.NoPen)
                painter.setBrush(QColor(colour))
                painter.drawRoundedRect(QRectF(_LEGENDS_PAD, middle - 4, _SWATCH, 8), 4, 4)
                painter.setPen(theme.colour("text"))
                rect = QRectF(
                    _LEGENDS_PAD + _SWATCH + 8,
                    middle - self._height / 2,
                    self.width(),
                    self._height,
                )
                painter.drawText(
                    rect, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, text
                )


_PAD = 12
_BAR = 56
_ROLES = {
    "forces": "warning",
    "friction": "friction",
    "ground_forces": "warning",
    "ground_friction": "friction",
    "trail": "accent",
}
"""All possible rows with their colours."""
_HOW = "the arrow shows the scale\nClick: show or hide · Wheel: longer or shorter arrows"
_TIPS = {
    "forces": f"Force of obstacles, anchors and supports on the robot; {_HOW}",
    "friction": f"Friction of ground and obstacles on the robot; {_HOW}",
    "ground_forces": f"Force of the ground that carries the robot; {_HOW}",
    "ground_friction": f"Friction of the ground that carries the robot; {_HOW}",
    "trail": "Path of a link during the last 30 s\nClick: choose the link",
}


def _option(row: str) -> str:
    """Return the field of `ViewSettings` that a row toggles."""
    return "ground_forces" if row == "ground_friction" else row


class ForceLegend(QWidget):
    """A row for each kind of overlay; a click toggles it."""

    def __init__(self, options: ViewOptions, navigator: Navigator, parent: QWidget) -> None:
        super().__init__(parent)
        self._options = options
        self._navigator = navigator
        self._n_links = 1
        self._part = "Link"
        self._factors = 1.0, 1.0
        self._over = -1
        self._shown_for: tuple[object, ...] = ()
        self._height = theme.scaled(22)
        self._rows: tuple[str, ...] = ("forces", "friction", "trail")
        self._short = False
        self._fit()
        self.setMouseTracking(True)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        options.changed.connect(self._refresh)
        navigator.changed.connect(self._refresh)

    def set_links(self, n_links: int, part: str = "Link") -> None:
        """Set the number of links, or of other parts, of the robot."""
        self._n_links = n_links
        self._part = part
        self._refresh()

    def set_rows(self, rows: tuple[str, ...]) -> None:
        """Show rows of these kinds."""
        if rows != self._rows:
            self._rows = rows
            self._fit()

    @property
    def full_width(self) -> int:
        """Width with all texts, px."""
        return theme.scaled(292)

    def set_short(self, short: bool) -> None:
        """Omit texts that the colours also express, if space is short."""
        if short != self._short:
            self._short = short
            self._fit()

    def _fit(self) -> None:
        width = theme.scaled(80) + _BAR + 2 * _PAD if self._short else self.full_width
        self.setFixedSize(width, 2 * _PAD + len(self._rows) * self._height)
        self.update()

    def set_factors(self, forces: float, friction: float) -> None:
        """Set the factors by which arrows are drawn longer than chosen."""
        if (forces, friction) != self._factors:
            self._factors = forces, friction
            self._refresh()

    def _refresh(self) -> None:
        """Repaint if a displayed value changed: the camera moves more often than the scale changes."""
        key = (self._options.now, self._n_links, self._part, *map(self._scale, SCALES))
        if key != self._shown_for:
            self._shown_for = key
            self.update()

    def _scale(self, row: str) -> tuple[float, float]:
        """Return a round force in N, and the length of its arrow at the centre of the view, px."""
        now = self._options.now
        forces, friction = self._factors
        by = {"forces": forces, "friction": friction}.get(row, 1.0)
        metres = getattr(now, SCALES[_option(row)]) * by
        camera = self._navigator.camera
        above = self.parentWidget()
        height = above.height() if above is not None else 1
        pixels = metres * height / float(camera.view_height(np.array(camera.target)))
        force = step_below(0.9 * _BAR / max(pixels, 1e-12))
        return force, round(force * pixels)

    # --- Qt's events ------------------------------------------------------------------------------

    def paintEvent(self, event: QPaintEvent) -> None:
        with QPainter(self) as painter:
            paint_plate(painter, self.rect())
            now = self._options.now
            font = self.font()
            font.setPixelSize(theme.scaled(12))
            painter.setFont(font)
            for index, row in enumerate(self._rows):
                self._row(
                    painter,
                    row,
                    self._row_rect(index),
                    getattr(now, _option(row)),
                    index == self._over,
                )

    def _row(self, painter: QPainter, row: str, rect: QRect, on: bool, over: bool) -> None:
        colour = theme.colour(_ROLES[row] if on else "dim")
        middle = rect.center().y() + 0.5
        if over:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(theme.colour("card"))
            painter.drawRoundedRect(QRectF(rect.adjusted(-6, 1, 6, -1)), 4, 4)
        if row == "trail":
            painter.setPen(QPen(colour, 2, Qt.PenStyle.SolidLine, Qt.PenCapStyle.RoundCap))
            painter.drawPolyline(
                QPolygonF(
                    [
                        QPointF(rect.left() + x, middle - 3.5 * math.sin(x / 5.5))
                        for x in range(0, _BAR - 16, 2)
                    ]
                )
            )
            link = self._options.now.trail_index(self._n_links)
            whose = f"{self._part.lower()} {link + 1}" if link is not None else ""
            text = (whose or "–") if self._short else f"trail of {whose}" if whose else "no trail"
        else:
            force, pixels = self._scale(row)
            _arrow(painter, QPointF(rect.left(), middle), pixels, colour)
            pushing = "obstacle force" if self._part == "Link" else "contact force"
            title = {"forces": pushing, "ground_forces": "ground reaction"}.get(row, "friction")
            text = _newtons(force)
            if not self._short:
                text = f"{title} (arrow = {text})" if on else f"{title} (hidden)"
        painter.setPen(theme.colour("text" if on else "dim"))
        where = rect.adjusted(_BAR + 8, 0, 0, 0)
        painter.drawText(where, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, text)

    def _row_rect(self, index: int) -> QRect:
        return QRect(_PAD, _PAD + index * self._height, self.width() - 2 * _PAD, self._height)

    def _row_at(self, y: float) -> int:
        return min(len(self._rows) - 1, max(0, int(y - _PAD) // self._height))

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        over = self._row_at(event.position().y())
        if over != self._over:
            self._over = over
            self.setToolTip(_TIPS[self._rows[over]])
            self.update()

    def leaveEvent(self, event: QEvent) -> None:
        self._over = -1
        self.update()

    def wheelEvent(self, event: QWheelEvent) -> None:
        row = self._rows[self._row_at(event.position().y())]
        if row != "trail":
            self._options.scale_arrows(_option(row), 1.25 ** (event.angleDelta().y() / 120))
        event.accept()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        row = self._rows[self._row_at(event.position().y())]
        if row == "trail":
            menu = Menu(self)
            menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
            fill_trail_menu(menu, self._options, self._n_links, self._part)
            menu.popup(
                self.mapToGlobal(
                    QPointF(_PAD, self._row_rect(len(self._rows) - 1).bottom() + 4).toPoint()
                )
            )
        else:
            self._options.set(**{_option(row): not getattr(self._options.now, _option(row))})


def fill_trail_menu(menu: QMenu, options: ViewOptions, n_links: int, part: str = "Link") -> None:
    """Fill a menu with no trail, that of the middle part, and that of each part."""
    now = options.now

    def offer(text: str, on: bool, **changes: object) -> None:
        action = menu.addAction(text)
        action.setCheckable(True)
        action.setChecked(on)
        action.triggered.connect(lambda: options.set(**changes))

    offer("No Trail", not now.trail, trail=False)
    offer(
        f"Middle {part}",
        now.trail and now.trail_link == TRAIL_MIDDLE,
        trail=True,
        trail_link=TRAIL_MIDDLE,
    )
    menu.addSeparator()
    for link in range(min(n_links, 41)):
        offer(
            f"{part} {link + 1}", now.trail and now.trail_link == link, trail=True, trail_link=link
        )


def _newtons(force: float) -> str:
    """Return a force with the prefix that makes it shortest."""
    for factor, unit in ((1.0, "N"), (1e3, "mN")):
        if force * factor >= 0.01:
            return f"{force * factor:g} {unit}"
    return f"{force * 1e6:g} µN"


def _arrow(painter: QPainter, start: QPointF, length: float, colour: QColor) -> None:
    tip = QPointF(start.x() + length, start.y())
    head = min(7.0, 0.5 * length)
    painter.setPen(QPen(colour, 2.5, Qt.PenStyle.SolidLine, Qt.PenCapStyle.FlatCap))
    painter.drawLine(start, QPointF(tip.x() - head + 1, tip.y()))
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(colour)
    painter.drawPolygon(
        QPolygonF([tip, QPointF(tip.x() - head, tip.y() - 4), QPointF(tip.x() - head, tip.y() + 4)])
    )
