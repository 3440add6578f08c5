"""Dialog with the choices of a start together with other instruments, and a test of the connections."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import QTimer, Slot
from PySide6.QtWidgets import QCheckBox, QComboBox, QLabel, QLineEdit, QPushButton, QWidget

from snakestudio.errors import Problem
from snakestudio.gui.core import theme
from snakestudio.gui.core.task import Task
from snakestudio.gui.forms.declared_form import DeclaredForm
from snakestudio.gui.forms.dialog import Dialog
from snakestudio.gui.forms.form_fields import Choice, FormField, Note
from snakestudio.gui.forms.listen_on import AddressBox, AddressEditor
from snakestudio.gui.forms.number_field import NumberField
from snakestudio.gui.forms.service_dialog import port_field
from snakestudio.sync import StartSettings, SynchronizedStart
from snakestudio.sync.lsl import available
from snakestudio.sync.protocol import clock_words
from snakestudio.viewmodel.start_target import Target
from snakestudio.viewmodel.work import Progress

_STANDING_MS = 200
_WIDTH = 480
"""Width of the texts, px of the design."""


def _fields(choices: StartSettings, target: Target) -> dict[str, FormField | Note]:
    """Return the declared fields for starting `target`."""
    waits = (
        Choice("", f"Nothing: {target.by_hand} starts"),
        Choice("port", "START on a TCP port"),
        Choice("lsl", "The first marker of an LSL stream"),
    )
    return {
        "wait": FormField("&Wait for", choices=waits),
        "wait_host": FormField(
            "Liste&n on", placeholder=choices.wait_host, editor=AddressEditor, visible_if=_on_port
        ),
        "wait_port": port_field(
            "P&ort",
            help="Port to which the other programs connect to send the line START",
            refusal="Enter the port to wait on, from 1 to 65535.",
            visible_if=_on_port,
        ),
        "wait_stream": FormField(
            "St&ream",
            help="Name of the stream as given by its outlet",
            visible_if=lambda now: now.wait == "lsl",
        ),
        "caution": Note("warning", wide=True),
        "limit_s": FormField(
            "&Limit",
            help="Maximum waiting time in seconds",
            unit="s",
            plain=True,
            minimum=0.0,
            optional=True,
            empty=0.0,
            placeholder="until cancelled",
            refusal="Enter the limit as a number of seconds, or leave it empty.",
            visible_if=lambda now: bool(now.wait),
        ),
        "fire": FormField("Fire", text="&Send START when the run starts, and STOP when it ends"),
        "host": FormField(
            "&Host", help="Name or address of the computer that waits", enabled=lambda now: now.fire
        ),
        "port": port_field(
            "port",
            name="Port of the host",
            place="beside",
            help="Port on which the host waits",
            refusal="Enter the host's port, from 1 to 65535.",
            enabled=lambda now: now.fire,
        ),
        "outlet": FormField(
            "LSL",
            text="Send &markers and the robot's pose as LSL streams",
            help="" if available() else "Needs pylsl: pip install snakestudio[lsl]",
            enabled=lambda now: available(),
        ),
    }


def _on_port(now: StartSettings) -> bool:
    return now.wait == "port"


def _problems(now: StartSettings) -> dict[str, str]:
    """Return the messages about missing values by field."""
    if now.empty:
        return {"": "Choose what to wait for, or a host to send START to."}
    problems = {}
    if now.wait == "lsl" and not now.wait_stream:
        problems["wait_stream"] = "Enter the name of the LSL stream."
    elif now.wait == "lsl" and not available():
        problems[""] = "The Lab Streaming Layer needs pylsl: pip install snakestudio[lsl]."
    if now.fire and (not now.host or now.host.isdecimal()):
        problems["host"] = "Enter the name or the address of the host that waits for START."
    if now.at_itself:
        problems.setdefault("", _AT_ITSELF)
    return problems


_AT_ITSELF = (
    "This would send START to this program itself. Enter another host, or wait on another port."
)


class TogetherDialog(Dialog):
    """Choices of a start together with other instruments.

    Parameters
    ----------
    choices : StartSettings
        Initial choices.
    target : Target
        Target to start.
    """

    def __init__(
        self, choices: StartSettings, target: Target, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent, "Start Together", target.about())
        self._target = target
        self._test_task: Task[str] | None = None
        first = replace(
            choices,
            wait_host=choices.wait_host or target.usual_host,
            outlet=choices.outlet and available(),
        )
        self.form = DeclaredForm(first, _fields(first, target), self, check=_problems)
        self.wait = self.form.widget("wait", QComboBox)
        self.listen_on = self.form.widget("wait_host", AddressBox)
        self.wait_port = self.form.widget("wait_port", NumberField)
        self.stream = self.form.widget("wait_stream", QLineEdit)
        self.limit = self.form.widget("limit_s", NumberField)
        self.fire = self.form.widget("fire", QCheckBox)
        self.host = self.form.widget("host", QLineEdit)
        self.port = self.form.widget("port", NumberField)
        self.outlet = self.form.widget("outlet", QCheckBox)
        self.caution = self.form.notes["caution"]
        self.message = self.form.message
        self.state_text = QLabel(self)
        self.test_result = QLabel(self)
        self.test_result.setProperty("role", "good")
        self.test = QPushButton("&Test", self)
        self.test.setToolTip("Connect, compare the clocks and listen, without starting anything")
        self.test.clicked.connect(self._try)
        buttons, self.ready = self.make_buttons("&Get Ready", others=(self.test,))
        self.form.setFixedWidth(theme.scaled(_WIDTH))
        self.arrange(
            self.state_text,
            self.form,
            self.test_result,
            buttons,
            spacing=16,
            width=_WIDTH,
            fixed=True,
        )
        self._look_again = QTimer(self)
        self._look_again.setInterval(_STANDING_MS)
        self._look_again.timeout.connect(self._update_state)
        self._look_again.start()
        self.form.changed.connect(self._show)
        self._show()
        self._update_state()

    def choices(self) -> StartSettings | None:
        """Return choices; None if they cannot be used."""
        return None if self.form.problem else self._chosen()

    def _chosen(self) -> StartSettings:
        now = self.form.values
        usual = now.wait_host == self._target.usual_host
        return replace(now, wait_host="" if usual else now.wait_host)

    def _show(self) -> None:
        now = self.form.values
        self.form.show_note("caution", *self._target.caution(now.wait, now.wait_host))
        self.test_result.hide()
        usable = not self.form.problem
        self.ready.setEnabled(usable)
        self.test.setEnabled(usable and self._test_task is None)

    def _update_state(self) -> None:
        """Update the state of the target, which may change while the dialog is open."""
        _show_text(self.state_text, *self._target.state_text())

    def _try(self) -> None:
        chosen = self._chosen()

        def work(progress: Progress) -> str:
            with SynchronizedStart(chosen, "", lambda: None) as trial:
                trial.prepare()
                lines = []
                if trial.port is not None:
                    lines.append(f"Port {trial.port} is free.")
                if chosen.fire:
                    clock = trial.clock
                    clock_text = (
                        f"its clock is {clock_words(clock.offset, clock.uncertainty)}"
                        if clock
                        else "it does not report its clock"
                    )
                    lines.append(f"{chosen.host}:{chosen.port} is reachable; {clock_text}.")
                if chosen.outlet or chosen.wait == "lsl":
                    lines.append("LSL is ready.")
                return " ".join(lines)

        self._test_task = Task("test", work, self)
        self._test_task.finished.connect(self._on_tested)
        self._test_task.failed.connect(self._on_test_failed)
        self.test.setEnabled(False)
        self.message.show_text("")
        self.test_result.setText("Testing...")
        self.test_result.show()

    @Slot(object)
    def _on_tested(self, result: str) -> None:
        self._end_test(result, "")

    @Slot(object)
    def _on_test_failed(self, problem: Problem) -> None:
        self._end_test("", problem.sentence())

    def _end_test(self, result: str, message: str) -> None:
        self._test_task = None
        self.message.show_text(message)
        self.test_result.setText(result)
        self.test_result.setVisible(bool(result))
        self.test.setEnabled(not self.form.problem)

    def done(self, result: int) -> None:
        self._look_again.stop()
        if self._test_task is not None:
            self._test_task.discard()  # the thread ends within seconds
            self._test_task = None
        super().done(result)


def _show_text(label: QLabel, text: str, role: str) -> None:
    if (label.text(), label.property("role")) != (text, role):
        label.setText(text)
        theme.set_role(label, role)
        label.setVisible(bool(text))
