"""Track of the time bar: drag or click to seek, wheel to zoom, keys to step."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import QEvent, QPoint, QPointF, QSize, Qt, Signal
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
from snakestudio.gui.core.delay import Delay
from snakestudio.gui.core.document import Document
from snakestudio.gui.core.session_controller import SessionController
from snakestudio.gui.runs.timeline.moments import Moment, MomentCluster, Moments, clustered
from snakestudio.gui.runs.timeline.painting import TrackRows, TrackState, paint
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
"""Distance within which marks are merged, px; half of it is the reach of the mouse."""

_CLOSER = 0.8
"""Factor of the visible range per notch of the wheel."""

_BESIDE_S = 5
"""Time that the card of an event stays after stepping to it, s."""


class TimelineTrack(QWidget):
    """Track with event marks.

    Signals
    -------
    refreshed()
        The display changed; emitted at most as often as people can read.
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
        """Context menu."""
        self._clusters: list[MomentCluster] = []
        self._clusters_of: object = None
        self._followed = self._announced = 0.0
        self._hover: float | None = None
        self._hovered_cluster: MomentCluster | None = None
        self._panned_at: float | None = None
        self._in_overview = False
        self._card = Card(self)
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setAccessibleName("Time")
        self._timer = Delay(50, self._refresh, self)
        self._away = Delay(1000 * _BESIDE_S, self._card.hide, self)
        self.thumbnails.ready.connect(self._on_picture)
        session_controller.recording_changed.connect(self._on_recording)
        for signal in (
            session_controller.frame,
            session_controller.status_changed,
            session_controller.cursor_changed,
            session_controller.replay_changed,
            document.scene_changed,
            self.moments.changed,
        ):
            signal.connect(self._soon)

    def set_menu(self, menu: QMenu) -> None:
        """Set the context menu."""
        self._menu = menu

    # --- times and positions ----------------------------------------------------------------------

    @property
    def end(self) -> float:
        """End time of the run, or its planned end, s."""
        planned = (
            self._document.scene.run.duration_s
            if self._session_controller.source == "simulation"
            else 0.0
        )
        return max(planned, self.recorded)

    @property
    def first(self) -> float:
        """Time of the first row, s."""
        recording = self._session_controller.recording
        return float(recording.times[0]) if recording is not None and len(recording) else 0.0

    @property
    def recorded(self) -> float:
        """Time of the last row, s."""
        recording = self._session_controller.recording
        return float(recording.times[-1]) if recording is not None and len(recording) else 0.0

    @property
    def shown_time(self) -> float:
        """Shown time, s."""
        snapshot = self._session_controller.displayed
        return snapshot.time if snapshot is not None else 0.0

    def x_of(self, time: float) -> float:
        """Position of `time` (s), px."""
        self.scale.fit(self.width(), self.end)
        return self.scale.x_of(time)

    def time_at(self, x: float) -> float:
        """Time (s) at position `x`, px."""
        self.scale.fit(self.width(), self.end)
        return self.scale.time_at(x)

    def seek(self, time: float) -> None:
        """Show the row nearest to `time` (s), or the live state at the end of the recording."""
        recording = self._session_controller.recording
        if recording is None or not len(recording):
            return
        index = recording.index_at(time)
        newest = time >= self.recorded or (
            index >= len(recording) - 1 and not self._session_controller.running
        )
        self._session_controller.set_cursor(None if newest else index)

    def show_time(self, time: float) -> None:
        """Pause, and show the row nearest to `time` (s)."""
        self._session_controller.pause_recorded()
        self.scale.reveal(time)
        self.seek(time)

    def shift(self, rows: int) -> None:
        """Show the row `rows` ahead (negative: back), or the live state past the last row."""
        recording = self._session_controller.recording
        if recording is None or not len(recording):
            return
        self._session_controller.pause_recorded()
        cursor = self._session_controller.cursor
        index = max(0, (len(recording) - 1 if cursor is None else cursor) + rows)
        self._session_controller.set_cursor(None if index >= len(recording) - 1 else index)

    def to_event(self, direction: int) -> None:
        """Show the next event, or the previous one if `direction` is -1, with its card."""
        moment = self.moments.neighbour(self.shown_time, direction)
        if moment is None:
            return
        self._session_controller.pause_recorded()
        self._seek_moment(moment)
        self._show_card(moment.time, [f"{run_time(moment.time)}: {moment.text}"])
        self._announced = self.shown_time
        self._away.start()

    def _seek_moment(self, moment: Moment) -> None:
        self.scale.reveal(moment.time)
        self.seek(moment.time)

    def show_all(self) -> None:
        """Show the whole run in the track."""
        self.scale.show_all()
        self.update()

    # --- display ----------------------------------------------------------------------------------

    def _on_recording(self) -> None:
        self.scale.show_all()
        self._hide_card()
        self._soon()

    def _soon(self) -> None:
        self._timer.request()

    def _refresh(self) -> None:
        time = self.shown_time
        if self._away.isActive() and time != self._announced:
            self._hide_card()  # the card describes a moment outside the shown run
        if self.scale.zoomed and self._hover is None and time != self._followed:
            self.scale.fit(self.width(), self.end)
            self.scale.reveal(time)
        self._followed = time
        self.moments.announce()
        self.update()
        self.refreshed.emit()

    def clusters(self) -> list[MomentCluster]:
        """Clusters of marks, from left to right."""
        self.scale.fit(self.width(), self.end)
        moments = self.moments.all
        scale = self.scale
        of = moments, scale.begin, scale.end, self.width()
        if of != self._clusters_of:
            visible = [moment for moment in moments if scale.shows(moment.time)]
            self._clusters_of, self._clusters = of, clustered(visible, scale.x_of, _GAP)
        return self._clusters

    def _cluster_at(self, x: float) -> MomentCluster | None:
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
        replay = self._session_controller.replay
        span = (
            (replay.begin, replay.end) if replay is not None and replay.span is not None else None
        )
        state = TrackState(
            self.first,
            self.recorded,
            self.shown_time,
            self._hover,
            span,
            clusters,
            self._hovered_cluster,
            self.hasFocus(),
        )
        painter = QPainter(self)
        try:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            paint(painter, self.scale, self.width(), self.height(), state)
        finally:
            painter.end()

    # --- the card ---------------------------------------------------------------------------------

    def _show_card(self, time: float, lines: list[str]) -> None:
        """Show the card at a time."""
        recording = self._session_controller.recording
        row = None
        if recording is not None and len(recording) and self.first <= time <= self.recorded:
            row = recording.index_at(time)
        image = self.thumbnails.picture(row) if row is not None else None
        above = self.mapToGlobal(QPointF(self.x_of(time), -4)).toPoint()
        self._card.show_moment(row, lines, image, above, self.thumbnails.possible)

    def _on_picture(self, row: int) -> None:
        image = self.thumbnails.picture(row)
        if image is not None:
            self._card.show_image(row, image)

    def _hide_card(self) -> None:
        self._away.stop()
        self._card.hide()

    def close_pictures(self) -> None:
        """Release the resources of thumbnails; called before the program quits."""
        self._hide_card()
        self.moments.close()
        self.thumbnails.close()

    # --- Qt's events ------------------------------------------------------------------------------

    def mousePressEvent(self, event: QMouseEvent) -> None:
        x, y = event.position().x(), event.position().y()
        if event.button() == Qt.MouseButton.MiddleButton:
            self._panned_at = self.time_at(x)
        elif event.button() == Qt.MouseButton.LeftButton:
            rows = TrackRows.of(self.height())
            self._in_overview = self.scale.zoomed and y >= 0.5 * (rows.ticks + rows.overview)
            cluster = self._cluster_at(x) if y < 0.5 * (rows.marks + rows.bar) else None
            if cluster is not None:
                self._session_controller.pause_recorded()
                self._seek_moment(cluster.first)
            else:
                self._drag_to(x)

    def _drag_to(self, x: float) -> None:
        if self._in_overview:
            fraction = (x - _MARGIN) / max(1, self.width() - 2 * _MARGIN)
            self.scale.centre(fraction * self.scale.run_end)
            self.update()
        else:
            self.seek(self.time_at(x))

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        x = event.position().x()
        if event.buttons() & Qt.MouseButton.LeftButton:
            self._drag_to(x)
        elif event.buttons() & Qt.MouseButton.MiddleButton and self._panned_at is not None:
            self.scale.pan(self._panned_at - self.time_at(x))
        self._point_at(x)

    def _point_at(self, x: float) -> None:
        """Show the card of what is under the mouse."""
        self._hover, self._hovered_cluster = self.time_at(x), self._cluster_at(x)
        self._away.stop()
        if self._hovered_cluster is not None:
            self._show_card(self._hovered_cluster.first.time, self._hovered_cluster.lines())
        else:
            self._show_card(self._hover, [run_time(self._hover)])
        self.update()

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        self._panned_at = None
        self._in_overview = False

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        if self.scale.zoomed and event.position().y() > TrackRows.of(self.height()).bar + 8:
            self.show_all()
        else:
            self.mousePressEvent(event)

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Zoom around the mouse; scroll along the run if the wheel is horizontal or Shift is held."""
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
        self._hover = self._hovered_cluster = None
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
                # The viewport uses these keys differently.
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
            self.seek(0.0)
        elif key == Qt.Key.Key_End:
            self._session_controller.set_cursor(None)
        elif key in (Qt.Key.Key_Plus, Qt.Key.Key_Minus):
            self.scale.fit(self.width(), self.end)
            self.scale.zoom(_CLOSER**2 if key == Qt.Key.Key_Plus else _CLOSER**-2, self.shown_time)
            self.update()
        elif key == Qt.Key.Key_0:
            self.show_all()
        else:
            super().keyPressEvent(event)


class Card(QWidget):
    """Popup above the track that follows the mouse and takes no events."""

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
        """Whether the card shows a thumbnail."""
        return not self._picture.isHidden() and not self._picture.pixmap().isNull()

    def show_moment(
        self,
        row: int | None,
        lines: Sequence[str],
        image: QImage | None,
        above: QPoint,
        possible: bool,
    ) -> None:
        """Show the card of a moment.

        Parameters
        ----------
        row : int or None
                Row of the moment; None where nothing is recorded.
        image : QImage or None
                None if the thumbnail is not available yet.
        above : QPoint
                Global position of the centre of the lower edge.
        possible : bool
                Whether thumbnails can be rendered at all.
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

    def show_image(self, row: int, image: QImage) -> None:
        """Show the thumbnail of a row."""
        if row == self.row and self.isVisible():
            self._picture.setPixmap(QPixmap.fromImage(image))
