"""The window where it is measured what code for this very processor gains, and chosen what is computed for."""

from __future__ import annotations

from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QGuiApplication, QShowEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QCheckBox,
    QHBoxLayout,
    QHeaderView,
    QLabel,
    QProgressBar,
    QPushButton,
    QTableWidget,
    QTableWidgetItem,
    QVBoxLayout,
    QWidget,
)

from snakestudio.gui.core import theme
from snakestudio.gui.forms.dialog import Dialog
from snakestudio.gui.shell.tuning import CANCELLED, Tuner
from snakestudio.session import tuning
from snakestudio.session.tuning import HEADINGS, PAIRS, cells

__all__ = ["TuningDialog"]

_HOW = (
    "Compiles what is missing, which takes some minutes the first time, and times every engine with both kinds of "
    "code. The program can be used meanwhile."
)


class TuningDialog(Dialog):
    """How things stand, a table of what was measured, and the switch.

    Parameters
    ----------
    tuner : Tuner
    """

    def __init__(self, tuner: Tuner, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._tuner = tuner
        self.setWindowTitle("Tune for This Processor")
        self.setMinimumWidth(theme.scaled(560))
        self.resize(theme.scaled(640), theme.scaled(640))
        column = QVBoxLayout(self)
        column.setContentsMargins(24, 20, 24, 16)
        column.setSpacing(8)
        column.addWidget(_heading("Now"))
        self.now = _text()
        column.addWidget(self.now)
        column.addSpacing(8)
        column.addWidget(_heading("What it would gain"))
        self._items = [[QTableWidgetItem() for _ in HEADINGS] for _ in tuner.timings]
        self.table = self._table()
        column.addWidget(self.table)
        read = _text(tuning.READ)
        theme.set_role(read, "dim")
        column.addWidget(read)
        self.bar = QProgressBar()
        self.bar.setRange(0, 1000)
        self.bar.setTextVisible(False)
        column.addWidget(self.bar)
        self.note = _text()
        column.addWidget(self.note)
        self.measure_button, self.cancel_button = QPushButton("&Measure"), QPushButton("Cancel")
        theme.set_role(self.measure_button, "primary")
        self.measure_button.clicked.connect(tuner.start)
        self.cancel_button.clicked.connect(lambda: tuner.cancel())
        self.copy_button = QPushButton("C&opy as Text")
        self.copy_button.clicked.connect(self._copy)
        row = QHBoxLayout()
        for button in (self.measure_button, self.cancel_button):
            button.setAutoDefault(False)
            row.addWidget(button)
        row.addStretch(1)
        row.addWidget(self.copy_button)
        column.addLayout(row)
        column.addStretch(1)
        column.addWidget(_heading("Choice"))
        self.switch = QCheckBox("Compute for this &processor")
        self.switch.clicked.connect(tuner.choose)
        column.addWidget(self.switch)
        follows = _text(tuning.FOLLOWS)
        theme.set_role(follows, "dim")
        column.addWidget(follows)
        self.close_button = QPushButton("&Close")
        self.close_button.setAutoDefault(False)
        self.close_button.clicked.connect(self.close)
        bottom = QHBoxLayout()
        bottom.addStretch(1)
        bottom.addWidget(self.close_button)
        column.addSpacing(8)
        column.addLayout(bottom)
        tuner.changed.connect(self._refresh)
        self._refresh()

    def _table(self) -> QTableWidget:
        table = QTableWidget(len(self._tuner.timings), len(HEADINGS))
        table.setAccessibleName("What was measured")
        table.verticalHeader().hide()
        table.setShowGrid(False)
        table.setStyleSheet("QTableWidget::item { padding: 0 8px; }")  # as the headings have it
        table.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        table.setSelectionMode(QAbstractItemView.SelectionMode.NoSelection)
        table.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        header = table.horizontalHeader()
        header.setHighlightSections(False)
        for index in range(len(HEADINGS)):
            stretch = index == 1  # names of scenes are the longest
            mode = QHeaderView.ResizeMode.Stretch if stretch else QHeaderView.ResizeMode.ResizeToContents
            header.setSectionResizeMode(index, mode)
            head = QTableWidgetItem(HEADINGS[index])
            head.setTextAlignment(_alignment(index))
            table.setHorizontalHeaderItem(index, head)
        for row, items in enumerate(self._items):
            for index, item in enumerate(items):
                item.setTextAlignment(_alignment(index))
                table.setItem(row, index, item)
        table.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        rows = table.rowCount() * table.verticalHeader().defaultSectionSize()
        table.setFixedHeight(rows + header.sizeHint().height() + 2 * table.frameWidth() + 4)
        return table

    # --- what is shown --------------------------------------------------------------------------------------------

    def _refresh(self) -> None:
        tuner = self._tuner
        self.now.setText("\n".join(tuning.description()))
        for timing, items in zip(tuner.timings, self._items, strict=True):
            for item, text in zip(items, cells(timing), strict=True):
                item.setText(text)
            gain = items[-1]
            gain.setToolTip(f"{len(timing.pairs)} of {PAIRS} pairs" if timing.pairs else "")
            # What may still change stands back, and a gain that counts stands out once all pairs are there.
            role = "dim" if len(timing.pairs) < PAIRS else "good" if timing.worth_it else "text"
            gain.setForeground(theme.colour(role))
        reason = tuner.why_not
        self.measure_button.setVisible(not tuner.busy)
        self.measure_button.setEnabled(not reason)
        self.measure_button.setToolTip(reason or _HOW)
        self.cancel_button.setVisible(tuner.busy)
        self.bar.setVisible(tuner.busy)
        self.bar.setValue(round(1000 * tuner.fraction))
        self.copy_button.setEnabled(tuner.measured)
        self.switch.setChecked(tuner.chosen)
        self.switch.setEnabled(not tuning.why_not())
        if tuner.busy:
            self._say(tuner.doing, "dim")
        elif tuner.message:
            self._say(tuner.message, "dim" if tuner.message == CANCELLED else "warning")
        elif tuner.measured:
            self._say(tuning.verdict(tuner.timings).replace(" %", "\N{NO-BREAK SPACE}%"), "")
        elif reason:
            self._say(reason, "warning")
        else:
            self._say(_HOW, "dim")

    def _say(self, text: str, role: str) -> None:
        self.note.setText(text)
        if self.note.property("role") != role:
            theme.set_role(self.note, role)

    def _copy(self) -> None:
        rows = [HEADINGS, *(cells(timing) for timing in self._tuner.timings)]
        QGuiApplication.clipboard().setText("\n".join("\t".join(row) for row in rows))

    # --- Qt's events ----------------------------------------------------------------------------------------------

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._refresh()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange and hasattr(self, "close_button"):
            self._refresh()

    def done(self, result: int) -> None:
        self._tuner.cancel()
        super().done(result)


def _alignment(index: int) -> Qt.AlignmentFlag:
    side = Qt.AlignmentFlag.AlignLeft if index < 2 else Qt.AlignmentFlag.AlignRight
    return side | Qt.AlignmentFlag.AlignVCenter


def _text(text: str = "") -> QLabel:
    made = QLabel(text)
    made.setWordWrap(True)
    made.setTextFormat(Qt.TextFormat.PlainText)
    made.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
    return made


def _heading(text: str) -> QLabel:
    made = QLabel(text)
    made.setProperty("role", "heading")
    return made
