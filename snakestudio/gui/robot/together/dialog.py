"""The dialog that asks with whom a run starts, and tries whether they are there."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import QTimer, Slot
from PySide6.QtGui import QIntValidator
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QDialogButtonBox,
    QFormLayout,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from snakestudio.errors import Problem
from snakestudio.gui.core import theme
from snakestudio.gui.core.task import Task
from snakestudio.gui.forms.dialog import Dialog
from snakestudio.gui.forms.listen_on import ListenOn
from snakestudio.gui.forms.number_field import Message
from snakestudio.model.formula.quantity import NumberTextError, parse_number
from snakestudio.sync import SynchronizedStart, Together
from snakestudio.sync.lsl import available
from snakestudio.sync.protocol import clock_words
from snakestudio.viewmodel.start_target import Target
from snakestudio.viewmodel.work import Progress

__all__ = ["TogetherDialog"]


_STANDING_MS = 200


class TogetherDialog(Dialog):
    """Whom to fire at, what to wait for.

    Parameters
    ----------
    choices : Together
        The first choice.
    target : Target
        What is started.
    """

    def __init__(self, choices: Together, target: Target, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._first, self._target = choices, target
        self._test: Task[str] | None = None
        self.setWindowTitle("Start Together")
        width = theme.scaled(480)
        column = QVBoxLayout(self)
        column.setSizeConstraint(QVBoxLayout.SizeConstraint.SetFixedSize)  # as high as what it says needs
        column.setContentsMargins(24, 24, 24, 16)
        column.setSpacing(16)
        about = QLabel(target.about(), self)
        about.setProperty("role", "dim")
        about.setWordWrap(True)
        about.setFixedWidth(width)
        column.addWidget(about)
        self.standing = QLabel(self)
        column.addWidget(self.standing)
        form = QFormLayout()
        form.setHorizontalSpacing(16)
        form.setVerticalSpacing(10)
        column.addLayout(form)

        self.wait = QComboBox(self)
        for text, data in (
            (f"Nothing: {target.by_hand} starts", ""),
            ("START on a TCP port", "port"),
            ("The first marker of an LSL stream", "lsl"),
        ):
            self.wait.addItem(text, data)
        self.wait.setCurrentIndex(max(0, self.wait.findData(choices.wait)))
        self.listen_on = ListenOn(choices.wait_host or target.usual_host, self)
        self.caution = QLabel(self)
        self.wait_port = self._port(choices.wait_port, "Port that the others connect to; they send the line START")
        self.stream = QLineEdit(choices.wait_stream, self)
        self.stream.setToolTip("Name of the stream, as its outlet gives it")
        self.limit = QLineEdit(f"{choices.limit_s:g}" if choices.limit_s else "", self)
        self.limit.setPlaceholderText("until cancelled")
        self.limit.setToolTip("How long to wait, in seconds")
        form.addRow("&Wait for", self.wait)
        form.addRow("Liste&n on", self.listen_on)
        form.addRow("P&ort", self.wait_port)
        form.addRow("St&ream", self.stream)
        form.addRow(self.caution)
        form.addRow("&Limit, s", self.limit)

        self.fire = QCheckBox("&Send START when the run starts, and STOP when it ends", self)
        self.fire.setChecked(choices.fire)
        form.addRow("Fire", self.fire)
        self.host = QLineEdit(choices.host, self)
        self.host.setToolTip("Name or address of the computer that waits")
        self.port = self._port(choices.port, "Port it waits on")
        row = QHBoxLayout()
        row.setSpacing(8)
        row.addWidget(self.host, 1)
        row.addWidget(QLabel("port", self))
        row.addWidget(self.port)
        host = QLabel("&Host", self)
        host.setBuddy(self.host)
        form.addRow(host, row)

        self.outlet = QCheckBox("Send &markers and the robot's pose as LSL streams", self)
        self.outlet.setChecked(choices.outlet and available())
        form.addRow("LSL", self.outlet)
        if not available():
            self.outlet.setEnabled(False)
            self.outlet.setToolTip("Needs pylsl: pip install snakestudio[lsl]")
        self._form = form

        self.message = Message(self)
        self.found = QLabel(self)
        self.found.setProperty("role", "good")
        for label in (self.message, self.found):
            column.addWidget(label)
        for label in (self.standing, self.caution, self.message, self.found):
            label.setWordWrap(True)
            label.setFixedWidth(width)
        buttons = QDialogButtonBox(self)
        self.test = QPushButton("&Test", self)
        self.test.setAutoDefault(False)
        self.test.setToolTip("Connect, compare the clocks and listen, without starting anything")
        self.test.clicked.connect(self._try)
        buttons.addButton(self.test, QDialogButtonBox.ButtonRole.ActionRole)
        buttons.addButton("&Cancel", QDialogButtonBox.ButtonRole.RejectRole)
        self.ready = buttons.addButton("&Get Ready", QDialogButtonBox.ButtonRole.AcceptRole)
        theme.set_role(self.ready, "primary")
        buttons.accepted.connect(self.accept)
        buttons.rejected.connect(self.reject)
        column.addWidget(buttons)
        self._look_again = QTimer(self)
        self._look_again.setInterval(_STANDING_MS)
        self._look_again.timeout.connect(self._stand)
        self._look_again.start()
        for choice in (self.wait, self.listen_on):
            choice.currentIndexChanged.connect(self._show)
        for box in (self.fire, self.outlet):
            box.toggled.connect(self._show)
        for field in (self.wait_port, self.stream, self.limit, self.host, self.port):
            field.textChanged.connect(self._show)
        self._show()
        self._stand()

    def _port(self, port: int, tip: str) -> QLineEdit:
        field = QLineEdit(str(port), self)
        field.setValidator(QIntValidator(1, 65535, field))
        field.setFixedWidth(theme.scaled(80))
        field.setToolTip(tip)
        return field

    def choices(self) -> Together | None:
        """What is chosen; None where it cannot be used."""
        return None if self._problem() else self._chosen()

    def _chosen(self) -> Together:
        return replace(
            self._first,
            fire=self.fire.isChecked(),
            host=self.host.text().strip(),
            port=int(self.port.text() or 0),
            wait=str(self.wait.currentData()),
            wait_port=int(self.wait_port.text() or 0),
            wait_host="" if self.listen_on.host == self._target.usual_host else self.listen_on.host,
            wait_stream=self.stream.text().strip(),
            limit_s=self._limit() or 0.0,
            outlet=self.outlet.isChecked(),
        )

    def _limit(self) -> float | None:
        """Seconds; None where what was typed is no number of them."""
        try:
            seconds = parse_number(self.limit.text(), "s") if self.limit.text().strip() else 0.0
        except NumberTextError:
            return None
        return seconds if seconds >= 0 else None

    def _problem(self) -> str:
        chosen = self._chosen()
        if chosen.empty:
            return "Choose what to wait for, or whom to fire at."
        if chosen.wait == "port" and not self.wait_port.hasAcceptableInput():
            return "Give the port to wait on, from 1 to 65535."
        if chosen.wait == "lsl" and not chosen.wait_stream:
            return "Give the name of the LSL stream."
        if chosen.wait == "lsl" and not available():
            return "The Lab Streaming Layer needs pylsl: pip install snakestudio[lsl]."
        if chosen.wait and self._limit() is None:
            return "Give the limit as a number of seconds, or leave it empty."
        if chosen.fire and (not chosen.host or chosen.host.isdecimal()):
            return "Give the name or the address of the host that waits for START."
        if chosen.fire and not self.port.hasAcceptableInput():
            return "Give the host's port, from 1 to 65535."
        if chosen.at_itself:
            return "That fires at this program itself: give another host, or wait on another port."
        return ""

    def _show(self) -> None:
        wait = self.wait.currentData()
        for row in (self.wait_port, self.listen_on):
            self._form.setRowVisible(row, wait == "port")
        sentence, role = self._target.caution(str(wait), self.listen_on.host)
        _say(self.caution, sentence, role)
        self._form.setRowVisible(self.caution, bool(sentence))
        self._form.setRowVisible(self.stream, wait == "lsl")
        self._form.setRowVisible(self.limit, bool(wait))
        for field in (self.host, self.port):
            field.setEnabled(self.fire.isChecked())
        problem = self._problem()
        self.message.say(problem)
        self.found.hide()
        self.ready.setEnabled(not problem)
        self.test.setEnabled(not problem and self._test is None)

    def _stand(self) -> None:
        """How it stands may change while the dialog is open."""
        _say(self.standing, *self._target.standing())

    def _try(self) -> None:
        chosen = self._chosen()

        def work(progress: Progress) -> str:
            with SynchronizedStart(chosen, "", lambda: None) as trial:
                trial.prepare()
                found = []
                if trial.port is not None:
                    found.append(f"Port {trial.port} is free.")
                if chosen.fire:
                    clock = trial.clock
                    told = (
                        f"its clock is {clock_words(clock.offset, clock.uncertainty)}" if clock else "it says nothing"
                    )
                    found.append(f"{chosen.host}:{chosen.port} is there; {told}.")
                if chosen.outlet or chosen.wait == "lsl":
                    found.append("LSL is ready.")
                return " ".join(found)

        self._test = Task("test", work, self)
        self._test.finished.connect(self._on_tested)
        self._test.failed.connect(self._on_test_failed)
        self.test.setEnabled(False)
        self.message.say("")
        self.found.setText("Testing ...")
        self.found.show()

    @Slot(object)
    def _on_tested(self, found: str) -> None:
        self._end_test(found, "")

    @Slot(object)
    def _on_test_failed(self, problem: Problem) -> None:
        self._end_test("", problem.sentence())

    def _end_test(self, found: str, message: str) -> None:
        self._test = None
        self.message.say(message)
        self.found.setText(found)
        self.found.setVisible(bool(found))
        self.test.setEnabled(not self._problem())

    def done(self, result: int) -> None:
        self._look_again.stop()
        if self._test is not None:
            self._test.discard()  # it ends by itself within seconds
            self._test = None
        super().done(result)


def _say(label: QLabel, text: str, role: str) -> None:
    if (label.text(), label.property("role")) != (text, role):
        label.setText(text)
        theme.set_role(label, role)
        label.setVisible(bool(text))
