"""The dialog of the stream: where it goes, how often, and who receives it."""

from __future__ import annotations

from PySide6.QtGui import QGuiApplication, QIntValidator
from PySide6.QtWidgets import (
    QComboBox,
    QFormLayout,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from snakestudio.errors import UsageError
from snakestudio.gui.core import theme
from snakestudio.gui.forms.dialog import Dialog
from snakestudio.gui.forms.listen_on import ListenOn
from snakestudio.gui.forms.number_field import Message
from snakestudio.gui.streaming.streamer import StreamChoices, Streamer
from snakestudio.model.formula.quantity import NumberTextError, parse_number
from snakestudio.text import capitalized

__all__ = ["StreamDialog"]

_ABOUT = (
    "Poses, joints, contacts, the scene, figures and the log of whatever the window shows: a simulation, a robot or a "
    "recorded run. The run never waits for a program that is too slow."
)


class StreamDialog(Dialog):
    """Settings, and the switch.

    Parameters
    ----------
    streamer : Streamer
    """

    def __init__(self, streamer: Streamer, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._streamer = streamer
        choices = streamer.choices
        self._first = choices
        self.setWindowTitle("Stream to Other Programs")
        width = theme.scaled(460)
        column = QVBoxLayout(self)
        column.setSizeConstraint(QVBoxLayout.SizeConstraint.SetFixedSize)
        column.setContentsMargins(24, 24, 24, 16)
        column.setSpacing(16)
        about = QLabel(_ABOUT, self)
        about.setProperty("role", "dim")
        column.addWidget(about)
        self._form = form = QFormLayout()
        form.setHorizontalSpacing(16)
        form.setVerticalSpacing(10)
        column.addLayout(form)
        self.kind = QComboBox(self)
        self.kind.addItem("Foxglove, Lichtblick, PlotJuggler", "foxglove")
        self.kind.addItem("A Rerun viewer", "rerun")
        self.kind.setCurrentIndex(max(0, self.kind.findData(choices.kind)))
        self.listen_on = ListenOn(choices.host, self)
        self.port = _port(choices.port, "Port that the programs connect to", self)
        self.viewer_host = QLineEdit(choices.viewer_host, self)
        self.viewer_host.setToolTip("Name or address of the computer whose viewer listens")
        self.viewer_port = _port(choices.viewer_port, "Port that the viewer listens on", self)
        self.rate = QLineEdit(f"{choices.rate_hz:g}", self)
        self.rate.setFixedWidth(theme.scaled(80))
        self.rate.setToolTip("Samples a second")
        form.addRow("&Stream to", self.kind)
        form.addRow("Liste&n on", self.listen_on)
        form.addRow("&Port", self.port)
        form.addRow("&Host", self.viewer_host)
        form.addRow("Viewer's po&rt", self.viewer_port)
        form.addRow("Rate, H&z", self.rate)
        self.caution, self.message, self.now = QLabel(self), Message(self), QLabel(self)
        self.caution.setProperty("role", "warning")
        for label in (self.caution, self.message, self.now):
            column.addWidget(label)
        for label in (about, self.caution, self.message, self.now):
            label.setWordWrap(True)
            label.setFixedWidth(width)
        row = QHBoxLayout()
        row.setSpacing(8)
        self.copy_button, self.close_button = QPushButton("&Copy Address", self), QPushButton("Close", self)
        self.switch = QPushButton(self)
        theme.set_role(self.switch, "primary")
        row.addWidget(self.copy_button)
        row.addStretch(1)
        row.addWidget(self.close_button)
        row.addWidget(self.switch)
        column.addLayout(row)
        self.copy_button.setAutoDefault(False)
        self.close_button.setAutoDefault(False)
        self.switch.setDefault(True)
        self.copy_button.clicked.connect(self._copy)
        self.close_button.clicked.connect(self.close)
        self.switch.clicked.connect(self._switch)
        for box in (self.kind, self.listen_on):
            box.currentIndexChanged.connect(self._show)
        for field in (self.port, self.viewer_host, self.viewer_port, self.rate):
            field.textChanged.connect(self._show)
        streamer.changed.connect(self._show)
        self._show()

    def choices(self) -> StreamChoices:
        """What is typed.

        Raises
        ------
        UsageError
            If it cannot be used; with what to type.
        """
        try:
            rate = parse_number(self.rate.text(), "Hz")
        except NumberTextError:
            raise UsageError("The rate is not a number. Give the samples a second, such as 50.") from None
        chosen = StreamChoices(
            str(self.kind.currentData()),
            self.listen_on.host,
            int(self.port.text() or 0),
            self.viewer_host.text(),
            int(self.viewer_port.text() or 0),
            rate,
        )
        chosen.target()
        return chosen

    def _problem(self) -> str:
        try:
            self.choices()
        except UsageError as error:
            return str(error)
        return ""

    def _switch(self) -> None:
        if self._streamer.on:
            self._streamer.stop()
            return
        chosen = self.choices()
        self._streamer.choose(chosen)
        self._streamer.start(chosen.target())

    def _copy(self) -> None:
        QGuiApplication.clipboard().setText(self._streamer.address)

    def _show(self) -> None:
        streamer, rerun = self._streamer, self.kind.currentData() == "rerun"
        ours: tuple[QWidget, ...] = (self.listen_on, self.port)
        theirs: tuple[QWidget, ...] = (self.viewer_host, self.viewer_port)
        for field in (*ours, *theirs):
            self._form.setRowVisible(field, (field in theirs) == rerun)
        for field in (self.kind, *ours, *theirs, self.rate):
            field.setEnabled(not streamer.on)
        problem = self._problem()
        self.message.say("" if streamer.on else problem)
        warning = "" if problem or streamer.on else self.choices().target().warning
        self.caution.setText(warning)
        self.caution.setVisible(bool(warning))
        doing = streamer.doing
        self.now.setText(f"{capitalized(doing)}." if doing else "Off.")
        self.switch.setText("&Stop" if streamer.on else "&Start")
        self.switch.setEnabled(streamer.on or not problem)
        self.copy_button.setEnabled(bool(streamer.address))


def _port(port: int, tip: str, parent: QWidget) -> QLineEdit:
    field = QLineEdit(str(port), parent)
    field.setValidator(QIntValidator(1, 65535, field))
    field.setFixedWidth(theme.scaled(80))
    field.setToolTip(tip)
    return field
