"""A sheet over the whole window: it dims what lies below and keeps mouse and keyboard until it is closed.

A child of the window and no dialog, so that it stands where it should on every platform (Wayland
places dialogs as it likes) and can let parts of the window shine through.
"""

from __future__ import annotations

from typing import TypeVar

from PySide6.QtCore import QEvent, QObject, QPoint, QSize, Qt, Signal
from PySide6.QtGui import QKeyEvent, QMouseEvent, QPainter, QPainterPath, QPaintEvent
from PySide6.QtWidgets import (
    QApplication,
    QFrame,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QMainWindow,
    QToolButton,
    QWidget,
)
from shiboken6 import isValid

from snakestudio.gui.core import theme

Kind = TypeVar("Kind", bound="ModalOverlay")


def open_overlay(window: QMainWindow, kind: type[Kind]) -> Kind | None:
    """The sheet of a kind that lies over a window now, if there is one."""
    return next((sheet for sheet in window.findChildren(kind) if sheet.is_open), None)


def card_frame(parent: QWidget) -> QFrame:
    """The frame of what stands on a sheet."""
    frame = QFrame(parent)
    frame.setProperty("role", "sheet")
    return frame


class ModalOverlay(QWidget):
    """Covers its window; Esc or a click beside what stands on it closes it.

    Signals
    -------
    closed()
        It was put away and will be deleted.
    """

    closed = Signal()

    def __init__(self, window: QMainWindow) -> None:
        super().__init__(window)
        self._came_from: QWidget | None = window.focusWidget()
        self._watched: QWidget | None = None
        self._open = False
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.PreventContextMenu)
        self.hide()

    @property
    def window_area(self) -> QWidget:
        """The window that is covered."""
        window = self.parentWidget()
        assert window is not None
        return window

    @property
    def is_open(self) -> bool:
        """Whether it is to be seen."""
        return self._open

    def open(self, focus: QWidget | None = None) -> None:
        """Show it and give `focus` (itself if left out) the keyboard."""
        self._open = True
        self.window_area.installEventFilter(self)
        app = QApplication.instance()
        assert isinstance(app, QApplication)
        app.focusChanged.connect(self._on_focus)
        self.setGeometry(self.window_area.rect())
        self.arrange()
        self.show()
        self.raise_()
        (focus or self).setFocus(Qt.FocusReason.PopupFocusReason)

    def close_sheet(self) -> None:
        """Put it away and give the keyboard back to what had it."""
        if not self._open:
            return
        self._open = False
        self.window_area.removeEventFilter(self)
        app = QApplication.instance()
        assert isinstance(app, QApplication)
        app.focusChanged.disconnect(self._on_focus)
        self._watch(None)
        self.hide()
        if self._came_from is not None and isValid(self._came_from) and self._came_from.isVisible():
            self._came_from.setFocus(Qt.FocusReason.PopupFocusReason)
        self.closed.emit()
        self.deleteLater()

    # --- to be made their own by kinds of sheets --------------------------------------------------

    def arrange(self) -> None:
        """Give what stands on it its place: the window has another size."""

    def bright(self) -> QPainterPath:
        """What of the window is not dimmed."""
        return QPainterPath()

    # --- the keyboard stays here ------------------------------------------------------------------

    def focusNextPrevChild(self, forward: bool) -> bool:
        chain = [w for w in self.findChildren(QWidget) if _takes_tab(w)]
        chain.sort(key=lambda w: _place(w, self))
        if not chain:
            return True
        now = QApplication.focusWidget()
        place = (
            chain.index(now) + (1 if forward else -1) if now in chain else (0 if forward else -1)
        )
        reason = Qt.FocusReason.TabFocusReason if forward else Qt.FocusReason.BacktabFocusReason
        chain[place % len(chain)].setFocus(reason)
        return True

    def _on_focus(self, old: QWidget | None, now: QWidget | None) -> None:
        self._watch(now if now is not None and (now is self or self.isAncestorOf(now)) else None)

    def _watch(self, widget: QWidget | None) -> None:
        if self._watched is not None:
            self._watched.removeEventFilter(self)
        self._watched = widget
        if widget is not None:
            widget.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if watched is self.parent():
            if event.type() == QEvent.Type.Resize:
                self.setGeometry(self.window_area.rect())
                self.arrange()
                self.update()
        elif event.type() == QEvent.Type.ShortcutOverride:
            event.accept()  # no command of the window below is meant
            return True
        return False

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape:
            self.close_sheet()
        event.accept()

    # --- what lies below stays out of reach -------------------------------------------------------

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if (
            event.button() == Qt.MouseButton.LeftButton
            and self.childAt(event.position().toPoint()) is None
        ):
            self.close_sheet()
        event.accept()

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        event.accept()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        try:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            path = QPainterPath()
            path.addRect(self.rect())
            painter.fillPath(path.subtracted(self.bright()), theme.scrim())
        finally:
            painter.end()


def _takes_tab(widget: QWidget) -> bool:
    return (
        bool(widget.focusPolicy() & Qt.FocusPolicy.TabFocus)
        and widget.isVisible()
        and widget.isEnabled()
    )


def _place(widget: QWidget, sheet: QWidget) -> tuple[int, int]:
    """Top to bottom and left to right; what stands in one row differs by some pixels."""
    middle = widget.mapTo(sheet, QPoint(0, widget.height() // 2))
    return middle.y() // 12, middle.x()


def make_head(
    sheet: ModalOverlay, frame: QFrame, title: str, search: str
) -> tuple[QHBoxLayout, QLineEdit]:
    """The head as a layout, and its search field, of which the sheet sees all events first.

    Parameters
    ----------
    frame : QFrame
        What stands on the sheet.
    title, search : str
        What it is called, and what stands in the empty search field.
    """
    head = QHBoxLayout()
    head.setSpacing(12)
    label = QLabel(title, frame)
    label.setFont(theme.text_font(20, strong=True))
    field = QLineEdit(frame)
    field.setPlaceholderText(search)
    field.setAccessibleName(search)
    field.setClearButtonEnabled(True)
    field.setFixedWidth(theme.scaled(280))
    field.installEventFilter(sheet)
    close = QToolButton(frame)
    close.setProperty("role", "flat")
    close.setIcon(theme.icon("close", "dim"))
    close.setIconSize(QSize(14, 14))
    close.setToolTip("Close (Esc)")
    close.setAccessibleName("Close")
    close.clicked.connect(sheet.close_sheet)
    head.addWidget(label)
    head.addStretch(1)
    head.addWidget(field)
    head.addWidget(close)
    return head, field
