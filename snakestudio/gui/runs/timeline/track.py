"""The track of the scrubber: drag or click to look at a moment, wheel to look closer, keys go row by row."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import QEvent, QPoint, QPointF, QSize, Qt, QTimer, Signal
from PySide6.QtGui import (
    QContextMenuEvent,
    QImage,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPixmap,
    QWheelEvent,
)
from PySide6.QtWidgets import QLabel, QMenu, QSizePolicy, QVBoxLayout, QWidget

from snakestudio.drawing.camera import Camera
from snakestudio.gui.core import theme
from snakestudio.gui.core.document import Document
from snakestudio.gui.core.session_controller import SessionController
from snakestudio.gui.runs.timeline.moments import Cluster, Moment, Moments, clustered
from snakestudio.gui.runs.timeline.painting import Look, Rows, paint
from snakestudio.gui.runs.timeline.thumbnails import HEIGHT, WIDTH, Thumbnails
from snakestudio.model.run_time import run_time
from snakestudio.viewmodel.timeline.scale import TimeScale

_MARGIN = 12
_OWN_KEYS = (
    Qt.Key.Key_Left,
    Qt.Key.Key_Right,
    Qt.Key.Key_Home,
    Qt.Key.Key_End,
    Qt.Key.Key_Plus,
    Qt.Key.Key_Minus,
    Qt.Key.Key_0,
)
_GAP = 16
"""Marks within so many px are one, which is pointed at within half of that."""

_CLOSER = 0.8
"""Of what is shown, so much is left after a notch of the wheel."""

_BESIDE_S = 5
"""How long the card beside an event that was stepped to stays, s."""


class Track(QWidget):
    """The bar itself, with marks of what happened.

    Signals
    -------
    refreshed()
        The bar shows something else; this is no more often than one can read.
    """

    refreshed = Signal()

    def __init__(
        self,
        session_controller: SessionController,
        document: Document,
        parent: QWidget,
        camera: Callable[[], Camera],
    ) -> None:
        super().__init__(parent)
        self._session_controller = session_controller
        self._document = document
        self.scale = TimeScale(_MARGIN)
        self.moments = Moments(session_controller, self)
        self.thumbnails = Thumbnails(session_controller, camera, self)
        self._menu: QMenu | None = None
        """What a click with the right button offers."""
        self._clusters: list[Cluster] = []
        self._clusters_of: object = None
        self._followed = self._told = 0.0
        self._hover: float | None = None
        self._pointed: Cluster | None = None
        self._panned_at: float | None = None
        self._in_overview = False
        self._card = Card(self)
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setAccessibleName("Time")
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(50)
        self._timer.timeout.connect(self._refresh)
        self._away = QTimer(self)
        self._away.setSingleShot(True)
        self._away.setInterval(1000 * _BESIDE_S)
        self._away.timeout.connect(self._card.hide)
        self.thumbnails.ready.connect(self._on_picture)
        session_controller.recording_changed.connect(self._on_recording)
        for signal in (
            session_controller.frame,
            session_controller.status_changed,
            session_controller.cursor_changed,
            session_controller.player_changed,
            document.scene_changed,
            self.moments.changed,
        ):
            signal.connect(self._soon)

    def set_menu(self, menu: QMenu) -> None:
        """Offer this where somebody asks for a menu."""
        self._menu = menu

    # --- time and place ---------------------------------------------------------------------------

    @property
    def end(self) -> float:
        """Time at which the run ends or shall end, s."""
        wanted = (
            self._document.scene.run.duration_s
            if self._session_controller.source == "simulation"
            else 0.0
        )
        return max(wanted, self.recorded)

    @property
    def first(self) -> float:
        """Time of the first row, s."""
        recording = self._session_controller.recording
        return float(recording.times[0]) if recording is not None and len(recording) else 0.0

    @property
    def recorded(self) -> float:
        """Time up to which there are rows, s."""
        recording = self._session_controller.recording
        return float(recording.times[-1]) if recording is not None and len(recording) else 0.0

    @property
    def shown(self) -> float:
        """Time that is looked at, s."""
        snapshot = self._session_controller.displayed
        return snapshot.time if snapshot is not None else 0.0

    def x_of(self, time: float) -> float:
        """Where a time (s) stands, px."""
        self.scale.fit(self.width(), self.end)
        return self.scale.x_of(time)

    def time_at(self, x: float) -> float:
        """The time (s) that stands at x, px."""
        self.scale.fit(self.width(), self.end)
        return self.scale.time_at(x)

    def go_to(self, time: float) -> None:
        """Look at the row nearest to `time` (s); at the end of what is recorded, at the newest state."""
        recording = self._session_controller.recording
        if recording is None or not len(recording):
            return
        index = recording.index_at(time)
        newest = time >= self.recorded or (
            index >= len(recording) - 1 and not self._session_controller.running
        )
        self._session_controller.set_cursor(None if newest else index)

    def shift(self, rows: int) -> None:
        """Look that many rows further on (or back); past the last row, at the newest state."""
        recording = self._session_controller.recording
        if recording is None or not len(recording):
            return
        self._session_controller.pause_recorded()
        cursor = self._session_controller.cursor
        index = max(0, (len(recording) - 1 if cursor is None else cursor) + rows)
        self._session_controller.set_cursor(None if index >= len(recording) - 1 else index)

    def to_event(self, direction: int) -> None:
        """Look at the next moment at which something happened, or for -1 at the last one before; its card is shown."""
        moment = self.moments.beside(self.shown, direction)
        if moment is None:
            return
        self._session_controller.pause_recorded()
        self._go_to_moment(moment)
        self._tell(moment.time, [f"{run_time(moment.time)}: {moment.text}"])
        self._told = self.shown
        self._away.start()

    def _go_to_moment(self, moment: Moment) -> None:
        self.scale.reveal(moment.time)
        self.go_to(moment.time)

    def show_all(self) -> None:
        """Show the whole run in the track."""
        self.scale.show_all()
        self.update()

    # --- what is shown ----------------------------------------------------------------------------

    def _on_recording(self) -> None:
        self.scale.show_all()
        self._hide_card()
        self._soon()

    def _soon(self) -> None:
        if not self._timer.isActive():
            self._timer.start()

    def _refresh(self) -> None:
        shown = self.shown
        if self._away.isActive() and shown != self._told:
            self._hide_card()  # it is about a moment that is not shown any more
        if self.scale.zoomed and self._hover is None and shown != self._followed:
            self.scale.fit(self.width(), self.end)
            self.scale.reveal(shown)
        self._followed = shown
        self.moments.look()
        self.update()
        self.refreshed.emit()

    def clusters(self) -> list[Cluster]:
        """The marks, from left to right."""
        self.scale.fit(self.width(), self.end)
        moments = self.moments.all
        scale = self.scale
        of = moments, scale.begin, scale.end, self.width()
        if of != self._clusters_of:
            shown = [moment for moment in moments if scale.shows(moment.time)]
            self._clusters_of, self._clusters = of, clustered(shown, scale.x_of, _GAP)
        return self._clusters

    def _cluster_at(self, x: float) -> Cluster | None:
        near = [
            cluster
            for cluster in self.clusters()
            if abs(cluster.x - x) <= _GAP / 2 + len(cluster.moments) // 10
        ]
        return min(near, key=lambda cluster: abs(cluster.x - x), default=None)

    def sizeHint(self) -> QSize:
        return QSize(400, theme.scaled(46))

    def paintEvent(self, event: QPaintEvent) -> None:
        clusters = self.clusters()
        player = self._session_controller.player
        span = (
            (player.begin, player.end) if player is not None and player.span is not None else None
        )
        look = Look(
            self.first,
            self.recorded,
            self.shown,
            self._hover,
            span,
            clusters,
            self._pointed,
            self.hasFocus(),
        )
        painter = QPainter(self)
        try:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            paint(painter, self.scale, self.width(), self.height(), look)
        finally:
            painter.end()

    # --- the card ---------------------------------------------------------------------------------

    def _tell(self, time: float, lines: list[str]) -> None:
        """Show the card of a moment."""
        recording = self._session_controller.recording
        row = None
        if recording is not None and len(recording) and self.first <= time <= self.recorded:
            row = recording.index_at(time)
        image = self.thumbnails.picture(row) if row is not None else None
        above = self.mapToGlobal(QPointF(self.x_of(time), -4)).toPoint()
        self._card.tell(row, lines, image, above, self.thumbnails.possible)

    def _on_picture(self, row: int) -> None:
        image = self.thumbnails.picture(row)
        if image is not None:
            self._card.take(row, image)

    def _hide_card(self) -> None:
        self._away.stop()
        self._card.hide()

    def close_pictures(self) -> None:
        """Give back what the pictures hold; call before the program quits."""
        self._hide_card()
        self.moments.close()
        self.thumbnails.close()

    # --- Qt's events ------------------------------------------------------------------------------

    def mousePressEvent(self, event: QMouseEvent) -> None:
        x, y = event.position().x(), event.position().y()
        if event.button() == Qt.MouseButton.MiddleButton:
            self._panned_at = self.time_at(x)
        elif event.button() == Qt.MouseButton.LeftButton:
            rows = Rows.of(self.height())
            self._in_overview = self.scale.zoomed and y >= 0.5 * (rows.ticks + rows.overview)
            cluster = self._cluster_at(x) if y < 0.5 * (rows.marks + rows.bar) else None
            if cluster is not None:
                self._session_controller.pause_recorded()
                self._go_to_moment(cluster.first)
            else:
                self._drag_to(x)

    def _drag_to(self, x: float) -> None:
        if self._in_overview:
            share = (x - _MARGIN) / max(1, self.width() - 2 * _MARGIN)
            self.scale.centre(share * self.scale.whole)
            self.update()
        else:
            self.go_to(self.time_at(x))

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        x = event.position().x()
        if event.buttons() & Qt.MouseButton.LeftButton:
            self._drag_to(x)
        elif event.buttons() & Qt.MouseButton.MiddleButton and self._panned_at is not None:
            self.scale.pan(self._panned_at - self.time_at(x))
        self._point_at(x)

    def _point_at(self, x: float) -> None:
        """Say what is under the mouse."""
        self._hover, self._pointed = self.time_at(x), self._cluster_at(x)
        self._away.stop()
        if self._pointed is not None:
            self._tell(self._pointed.first.time, self._pointed.lines())
        else:
            self._tell(self._hover, [run_time(self._hover)])
        self.update()

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        self._panned_at = None
        self._in_overview = False

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        if self.scale.zoomed and event.position().y() > Rows.of(self.height()).bar + 8:
            self.show_all()
        else:
            self.mousePressEvent(event)

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Look closer at, or further away from, what is under the mouse; sideways or with Shift: along the run."""
        delta = event.angleDelta()
        x = event.position().x()
        time = self.time_at(x)
        if delta.x() or event.modifiers() & Qt.KeyboardModifier.ShiftModifier:
            notches = (delta.x() or delta.y()) / 120
            self.scale.pan(-0.15 * notches * (self.scale.end - self.scale.begin))
        else:
            self.scale.zoom(_CLOSER ** (delta.y() / 120), time)
        event.accept()
        self._point_at(x)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        if self._menu is not None:
            self._hide_card()
            self._menu.popup(event.globalPos())

    def leaveEvent(self, event: QEvent) -> None:
        self._hover = self._pointed = None
        self._hide_card()
        self.update()

    def event(self, event: QEvent) -> bool:
        if (
            event.type() == QEvent.Type.ShortcutOverride
            and isinstance(event, QKeyEvent)
            and event.key() in _OWN_KEYS
        ):
            plain = (
                event.modifiers()
                & ~Qt.KeyboardModifier.KeypadModifier
                & ~Qt.KeyboardModifier.ShiftModifier
            )
            if plain == Qt.KeyboardModifier.NoModifier:
                # These keys mean something else in the viewport.
                event.accept()
                return True
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        recording = self._session_controller.recording
        rate = recording.scene.run.log_rate_hz if recording is not None else 1.0
        steps = {
            Qt.Key.Key_Left: -1,
            Qt.Key.Key_Right: 1,
            Qt.Key.Key_PageDown: round(rate),
            Qt.Key.Key_PageUp: -round(rate),
        }
        key = Qt.Key(event.key())
        if key in steps:
            self.shift(steps[key])
        elif key == Qt.Key.Key_Home:
            self.go_to(0.0)
        elif key == Qt.Key.Key_End:
            self._session_controller.set_cursor(None)
        elif key in (Qt.Key.Key_Plus, Qt.Key.Key_Minus):
            self.scale.fit(self.width(), self.end)
            self.scale.zoom(_CLOSER**2 if key == Qt.Key.Key_Plus else _CLOSER**-2, self.shown)
            self.update()
        elif key == Qt.Key.Key_0:
            self.show_all()
        else:
            super().keyPressEvent(event)


class Card(QWidget):
    """A small window that follows the mouse along the track and takes no events."""

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

    def tell(
        self,
        row: int | None,
        lines: Sequence[str],
        image: QImage | None,
        above: QPoint,
        possible: bool,
    ) -> None:
        """Show a moment.

        Parameters
        ----------
        row : int or None
            The row it is; None where nothing is recorded.
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
        self.lines = tuple(lines)
        self.row = row
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
