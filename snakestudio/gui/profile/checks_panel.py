"""Panel with the problems of the profile, the reasons against arming and the bus load."""

from __future__ import annotations

from PySide6.QtCore import QModelIndex, Qt, Signal
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QLabel,
    QListView,
    QSizePolicy,
    QVBoxLayout,
    QWidget,
)

from snakestudio.gui.core import theme
from snakestudio.gui.forms.problem_list import ProblemDelegate, ProblemList, ProblemRow
from snakestudio.gui.forms.sections import heading
from snakestudio.gui.profile.document import ProfileDocument
from snakestudio.link.profile.binding import resolve
from snakestudio.link.profile.bus_load import MessageLoad, message_loads
from snakestudio.text import counted


class BusMeter(QWidget):
    """Bar of the planned bus load with its limit."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.load = 0.0
        self.limit = 1.0
        self.setFixedHeight(theme.scaled(14))
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setAccessibleName("Bus load")

    def show_load(self, load: float, limit: float) -> None:
        """Show load and limit as shares of the bus capacity (1: full)."""
        self.load = load
        self.limit = limit
        self.setAccessibleDescription(f"{load:.0%}, at most {limit:.0%}")
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        try:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.setPen(Qt.PenStyle.NoPen)
            box = self.rect().adjusted(0, 3, 0, -3)
            painter.setBrush(theme.colour("line"))
            painter.drawRoundedRect(box, 3, 3)
            painter.setBrush(theme.colour("warning" if self.load > self.limit else "good"))
            painter.drawRoundedRect(
                box.adjusted(0, 0, -round(box.width() * (1 - min(1.0, self.load))), 0), 3, 3
            )
            painter.setBrush(theme.colour("text"))
            painter.drawRect(round(box.width() * self.limit) - 1, 0, 2, self.height())
        finally:
            painter.end()


class ChecksPanel(QWidget):
    """Panel next to the tables; clicking a problem shows the value it is about.

    Signals
    -------
    problem_activated(problem: Problem)
    """

    problem_activated = Signal(object)

    def __init__(self, document: ProfileDocument, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._document = document
        self.summary = QLabel()
        self.arming = QLabel()
        self.arming.setWordWrap(True)
        self.arming.setTextFormat(Qt.TextFormat.PlainText)
        self.list = QListView(self)
        self.problem_list = ProblemList(self)
        self.list.setModel(self.problem_list)
        self.list.setItemDelegate(ProblemDelegate(self.list))
        self.list.setResizeMode(QListView.ResizeMode.Adjust)
        self.list.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        # Text is wrapped to the width next to the scroll bar, which is always visible; otherwise text
        # would be cut off.
        self.list.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOn)
        self.list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.list.setMouseTracking(True)
        self.list.setAccessibleName("Problems")
        self.list.clicked.connect(self._on_clicked)
        self.list.activated.connect(self._on_clicked)
        self.meter = BusMeter()
        self.load = QLabel()
        self.load.setProperty("role", "dim")
        self.load.setWordWrap(True)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(8)
        column.addWidget(heading("Arming"))
        column.addWidget(self.arming)
        column.addSpacing(8)
        column.addWidget(heading("Bus load"))
        column.addWidget(self.meter)
        column.addWidget(self.load)
        column.addSpacing(8)
        column.addWidget(heading("Checks"))
        column.addWidget(self.summary)
        column.addWidget(self.list, 1)
        document.checked.connect(self.refresh)
        self.refresh()

    def refresh(self) -> None:
        """Show the problems of the current profile."""
        problems = self._document.problems
        self.problem_list.replace(
            [ProblemRow(problem.severity, problem, problem.sentence()) for problem in problems]
        )
        counts = {
            kind: sum(problem.severity == kind for problem in problems)
            for kind in ("error", "warning", "hint")
        }
        parts = [counted(counts["error"], "error") if counts["error"] else "No errors"]
        parts += [counted(counts[kind], kind) for kind in ("warning", "hint") if counts[kind]]
        self.summary.setText(", ".join(parts))
        theme.set_role(self.summary, "warning" if counts["error"] or counts["warning"] else "good")
        refused = self._document.arming
        if refused:
            listed = "\n".join(f"• {problem.sentence_for()}" for problem in refused)
            self.arming.setText(f"Arming is refused because:\n{listed}")
        else:
            self.arming.setText("No problems prevent arming.")
        theme.set_role(self.arming, "warning" if refused else "good")
        self._show_load()

    def _show_load(self) -> None:
        profile = self._document.profile
        layout = resolve(self._document.loaded)
        shares = message_loads(profile, layout.bound)
        load = sum(message_load.load for message_load in shares)
        self.meter.show_load(load, profile.timing.max_bus_load)
        frames = sum(message_load.rate for message_load in shares)
        self.load.setText(f"At most {load:.0%} bus load, {frames:.0f} frames per second")
        tip = "<br>".join(
            _load_text(message_load) for message_load in shares if message_load.rate > 0
        )
        for widget in (self.meter, self.load):
            widget.setToolTip(
                f"<qt>At {profile.bus.bitrate / 1000:g} kbit/s, with the maximum number of stuff bits:<br>{tip}</qt>"
            )

    def _on_clicked(self, index: QModelIndex) -> None:
        self.problem_activated.emit(self.problem_list.entries[index.row()].problem)


def _load_text(message_load: MessageLoad) -> str:
    return f"{message_load.message.called}: {message_load.load:.1%}, {message_load.rate:.0f} frames per second"
