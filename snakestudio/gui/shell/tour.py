"""The guided tour: a few steps over the window, each of which highlights one part and explains it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from PySide6.QtCore import QEvent, QObject, QPoint, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QKeyEvent, QMouseEvent, QPainter, QPainterPath, QPaintEvent, QPen
from PySide6.QtWidgets import QHBoxLayout, QLabel, QMainWindow, QPushButton, QVBoxLayout, QWidget

from snakestudio.gui.core import theme
from snakestudio.gui.shell.docking import Docks
from snakestudio.gui.shell.modal_overlay import ModalOverlay, card_frame


@dataclass(frozen=True)
class Step:
    """One step."""

    title: str
    text: str
    target: str
    """The highlighted part of the window; a dock is opened for it."""


STEPS = (
    Step(
        "Run the simulation",
        "Space plays and pauses. Next to the buttons are the speed, the model that computes the motion, and live "
        "values: simulated time, real-time factor, and the residual of the contact solver.",
        "run_bar",
    ),
    Step(
        "Move the view",
        "Drag to orbit around the point under the cursor, right-drag to pan, turn the wheel to zoom. Click to select. "
        "Arrows show the forces of obstacles on the robot.",
        "viewport",
    ),
    Step(
        "Edit the scene",
        "The scene consists of robot, ground, path and obstacles. Select something here or in the view, and the "
        "inspector below shows its values. Every edit can be undone.",
        "scene",
    ),
    Step(
        "Change it while it runs",
        "Set gait, controller, contact and friction. Changes take effect immediately, even during a run; the few "
        'values that cannot change then are marked "takes effect after Reset".',
        "parameters",
    ),
    Step(
        "Go back in time",
        "Every run is recorded. Drag the slider to any time; the view and all plots follow. Marks are impacts, jams "
        "and changes: hover over one to see an image. Time > Continue from Here starts a new run from any time; End "
        "returns to the newest state; File > Recorded Runs lists earlier runs.",
        "time_bar",
    ),
    Step(
        "Measure the motion",
        "Forces, angles, speeds, energies: click a plot's title for another quantity, or drag channels from the "
        "Channels panel. Shift+drag shows the statistics of a span. Export writes what you see, or the whole run, as "
        "CSV, HDF5, figures or video.",
        "plots",
    ),
    Step(
        "Find anything",
        "Ctrl+K finds every command, panel and scene by a few letters; F1 lists all keys. Gallery and tour can be "
        "reopened from the Help menu.",
        "menu_bar",
    ),
)

_GAP = 16
"""Gap between the highlighted part and the card, px."""


class Tour(ModalOverlay):
    """Guides through the window; Esc or Skip ends the tour at any step.

    Parameters
    ----------
    targets : mapping of str to QWidget
        Highlighted parts that are not docks, by name.
    """

    def __init__(self, window: QMainWindow, docks: Docks, targets: Mapping[str, QWidget]) -> None:
        super().__init__(window)
        self._docks = docks
        self._targets = targets
        self._target: QWidget | None = None
        self.step_index = 0
        self.frame = card_frame(self)
        column = QVBoxLayout(self.frame)
        column.setContentsMargins(24, 20, 16, 14)
        column.setSpacing(8)
        self.title = QLabel(self.frame)
        self.title.setFont(theme.text_font(16, strong=True))
        column.addWidget(self.title)
        self.text = QLabel(self.frame)
        self.text.setWordWrap(True)
        self.text.setContentsMargins(0, 0, 8, 8)
        column.addWidget(self.text)
        row = QHBoxLayout()
        row.setSpacing(8)
        self._dots = _Dots(len(STEPS), self.frame)
        row.addWidget(self._dots)
        row.addStretch(1)
        self.skip_button = self._button("&Skip", self.close_sheet)
        self.skip_button.setProperty("role", "link")
        self.back_button = self._button("&Back", self.back)
        self.next_button = self._button("&Next", self.advance)
        self.next_button.setProperty("role", "primary")
        for button in (self.skip_button, self.back_button, self.next_button):
            row.addWidget(button)
        column.addLayout(row)

    def _button(self, text: str, run: Callable[[], None]) -> QPushButton:
        button = QPushButton(text, self.frame)
        button.clicked.connect(lambda: run())
        return button

    def begin(self) -> None:
        """Show the first step."""
        self.open(self.next_button)
        self._show(0)

    def advance(self) -> None:
        """Go to the next step, or end the tour after the last one."""
        if self.step_index + 1 < len(STEPS):
            self._show(self.step_index + 1)
        else:
            self.close_sheet()

    def back(self) -> None:
        """Go to the previous step."""
        if self.step_index > 0:
            self._show(self.step_index - 1)

    def close_sheet(self) -> None:
        """End the tour."""
        self._aim_at(None)
        super().close_sheet()

    def _show(self, index: int) -> None:
        step = STEPS[index]
        self.step_index = index
        self.title.setText(step.title)
        self.text.setText(step.text)
        self._dots.show_index(index)
        self.back_button.setEnabled(index > 0)
        last = index == len(STEPS) - 1
        self.next_button.setText("&Done" if last else "&Next")
        self.skip_button.setVisible(not last)
        if step.target in self._docks:
            self._docks[step.target].setFloating(
                False
            )  # a floating panel may be outside the window
            self._docks.show(step.target)
            self._aim_at(self._docks[step.target])
        else:
            self._aim_at(self._targets[step.target])
        self.setAccessibleName(f"Guided tour, step {index + 1} of {len(STEPS)}: {step.title}")
        self.raise_()
        self.arrange()
        self.update()
        now: QWidget | None = self.window().focusWidget()
        if now is None or not self.isAncestorOf(now) or not now.isVisible() or not now.isEnabled():
            self.next_button.setFocus(Qt.FocusReason.OtherFocusReason)

    def _aim_at(self, target: QWidget | None) -> None:
        if self._target is not None:
            self._target.removeEventFilter(self)
        self._target = target
        if target is not None:
            target.installEventFilter(self)

    # --- layout -----------------------------------------------------------------------------------

    def _lit(self) -> QRect:
        """Return the highlighted part of the sheet."""
        target = self._target
        if target is None or not target.isVisible():
            return QRect()
        return QRect(target.mapTo(self.window_area, QPoint(0, 0)), target.size()).intersected(
            self.rect()
        )

    def bright(self) -> QPainterPath:
        path = QPainterPath()
        lit = self._lit()
        if not lit.isEmpty():
            path.addRoundedRect(QRectF(lit), 6, 6)
        return path

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        lit = self._lit()
        if lit.isEmpty():
            return
        painter = QPainter(self)
        try:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.setPen(QPen(theme.colour("accent"), 2))
            painter.drawRoundedRect(QRectF(lit).adjusted(1, 1, -1, -1), 6, 6)
        finally:
            painter.end()

    def arrange(self) -> None:
        width = min(theme.scaled(400), self.width() - 2 * _GAP)
        self.frame.setFixedWidth(width)
        layout = self.frame.layout()
        assert layout is not None
        height = max(layout.totalHeightForWidth(width), layout.sizeHint().height())
        self.frame.setGeometry(
            QRect(
                _card_position(self._lit(), QSize(width, height), self.rect()), QSize(width, height)
            )
        )

    # --- events -----------------------------------------------------------------------------------

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        moves = QEvent.Type.Resize, QEvent.Type.Move, QEvent.Type.Show, QEvent.Type.Hide
        if watched is self._target and event.type() in moves:
            self.arrange()
            self.update()
        elif (
            event.type() == QEvent.Type.KeyPress
            and isinstance(event, QKeyEvent)
            and self._key(event.key())
        ):
            return True  # a focused button would use the arrow keys to go to the next button
        return super().eventFilter(watched, event)

    def _key(self, key: int) -> bool:
        if key in (Qt.Key.Key_Right, Qt.Key.Key_PageDown):
            self.advance()
        elif key in (Qt.Key.Key_Left, Qt.Key.Key_PageUp):
            self.back()
        elif key in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            focused = self.window().focusWidget()
            (focused if isinstance(focused, QPushButton) else self.next_button).click()
        else:
            return False
        return True

    def mousePressEvent(self, event: QMouseEvent) -> None:
        event.accept()  # a click next to the card does not end the tour


def _card_position(lit: QRect, size: QSize, area: QRect) -> QPoint:
    """Return the position of a card: below, above, right or left of the highlighted part, or else in its middle."""
    middle = QPoint(lit.center().x() - size.width() // 2, lit.center().y() - size.height() // 2)
    if lit.isEmpty():
        middle = QPoint(
            area.center().x() - size.width() // 2, area.center().y() - size.height() // 2
        )
    places = (
        QPoint(middle.x(), lit.bottom() + _GAP),
        QPoint(middle.x(), lit.top() - _GAP - size.height()),
        QPoint(lit.right() + _GAP, middle.y()),
        QPoint(lit.left() - _GAP - size.width(), middle.y()),
    )
    inside = area.adjusted(_GAP, _GAP, -_GAP, -_GAP)
    for position in places:
        moved = _pushed(position, size, inside)
        if not lit.isEmpty() and not QRect(moved, size).intersects(lit):
            return moved
    return _pushed(middle, size, inside)


def _pushed(position: QPoint, size: QSize, inside: QRect) -> QPoint:
    """Return a position moved so that a card there is inside."""
    x = max(inside.left(), min(position.x(), inside.right() - size.width()))
    y = max(inside.top(), min(position.y(), inside.bottom() - size.height()))
    return QPoint(x, y)


class _Dots(QWidget):
    """One dot for each step, the present one filled."""

    def __init__(self, count: int, parent: QWidget) -> None:
        super().__init__(parent)
        self._count = count
        self._index = 0
        self.setFixedSize(count * 14, 14)

    def show_index(self, index: int) -> None:
        """Set the present step."""
        self._index = index
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        try:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.setPen(Qt.PenStyle.NoPen)
            for index in range(self._count):
                painter.setBrush(theme.colour("accent" if index == self._index else "line"))
                painter.drawEllipse(QRectF(14 * index + 3, 3, 8, 8))
        finally:
            painter.end()
