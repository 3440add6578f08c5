"""A sheet over the whole window, which dims it and captures mouse and keyboard until it is closed.

The sheet is a child of the window instead of a dialog, so that its position is right on every
platform (Wayland places dialogs itself) and parts of the window can shine through.
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
    """Return the open sheet of a class over a window, if there is one."""
    return next((sheet for sheet in window.findChildren(kind) if sheet.is_open), None)


def card_frame(parent: QWidget) -> QFrame:
    """Return the frame for the content of a sheet."""
    frame = QFrame(parent)
    frame.setProperty("role", "sheet")
    return frame


class ModalOverlay(QWidget):
    """Covers its window; Esc or a click next to its content closes it.

    Signals
    -------
    closed()
        The sheet was closed and will be deleted.
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
        """The covered window."""
        window = self.parentWidget()
        assert window is not None
        return window

    @property
    def is_open(self) -> bool:
        """Whether the sheet is shown."""
        return self._open

    def open(self, focus: QWidget | None = None) -> None:
        """Show the sheet and move the keyboard focus to `focus` (the sheet itself if omitted)."""
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
        """Close the sheet and return the keyboard focus to the previous widget."""
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

    # --- for subclasses ---------------------------------------------------------------------------

    def arrange(self) -> None:
        """Lay out the content for the present size of the window."""

    def bright(self) -> QPainterPath:
        """Return the part of the window that is not dimmed."""
        return QPainterPath()

    # --- keyboard ---------------------------------------------------------------------------------

    def focusNextPrevChild(self, forward: bool) -> bool:
        chain = [w for w in self.findChildren(QWidget) if _takes_tab(w)]
        chain.sort(key=lambda w: _sort_key(w, self))
        if not chain:
            return True
        now = QApplication.focusWidget()
        index = (
            chain.index(now) + (1 if forward else -1) if now in chain else (0 if forward else -1)
        )
        reason = Qt.FocusReason.TabFocusReason if forward else Qt.FocusReason.BacktabFocusReason
        chain[index % len(chain)].setFocus(reason)
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
            event.accept()  # shortcuts of the window below must not run
            return True
        return False

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape:
            self.close_sheet()
        event.accept()

    # --- mouse ------------------------------------------------------------------------------------

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


def _sort_key(widget: QWidget, sheet: QWidget) -> tuple[int, int]:
    """Return a sort key, top to bottom and left to right; widgets of one row differ by a few pixels."""
    middle = widget.mapTo(sheet, QPoint(0, widget.height() // 2))
    return middle.y() // 12, middle.x()


def make_head(
    sheet: ModalOverlay, frame: QFrame, title: str, search: str
) -> tuple[QHBoxLayout, QLineEdit]:
    """Return the head of a sheet as a layout, and its search field, whose events the sheet filters.

    Parameters
    ----------
    frame : QFrame
        Content of the sheet.
    title, search : str
        Title, and placeholder of the search field.
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
