"""The dialog of remote control: the port, the token, and who is connected."""

from __future__ import annotations

from PySide6.QtGui import QGuiApplication, QIntValidator
from PySide6.QtWidgets import QFormLayout, QHBoxLayout, QLabel, QLineEdit, QPushButton, QVBoxLayout, QWidget

from snakestudio.gui.core import theme
from snakestudio.gui.forms.dialog import Dialog
from snakestudio.gui.remote.remote_control import RemoteControl
from snakestudio.text import counted
from snakestudio.viewmodel.remote.door import door_file

__all__ = ["RemoteDialog"]

_ABOUT = (
    "Programs of this computer that know the token can open scenes, change values, run, export and take pictures. "
    "They can stop and disarm a robot, and never arm it. Every start has a new token."
)


class RemoteDialog(Dialog):
    """Settings, and the switch.

    Parameters
    ----------
    remote : RemoteControl
    """

    def __init__(self, remote: RemoteControl, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._remote = remote
        self.setWindowTitle("Remote Control")
        width = theme.scaled(460)
        column = QVBoxLayout(self)
        column.setSizeConstraint(QVBoxLayout.SizeConstraint.SetFixedSize)
        column.setContentsMargins(24, 24, 24, 16)
        column.setSpacing(16)
        about = QLabel(_ABOUT, self)
        about.setProperty("role", "dim")
        column.addWidget(about)
        form = QFormLayout()
        form.setHorizontalSpacing(16)
        form.setVerticalSpacing(10)
        column.addLayout(form)
        self.port = QLineEdit(str(remote.port), self)
        self.port.setValidator(QIntValidator(1, 65535, self.port))
        self.port.setFixedWidth(theme.scaled(80))
        self.port.setToolTip("Port on this computer that the programs connect to")
        self.token = QLineEdit(self)
        self.token.setReadOnly(True)
        self.token.setPlaceholderText("made when it is switched on")
        self.token.setToolTip(f"Also in {door_file()}, which other users cannot read")
        form.addRow("&Port", self.port)
        form.addRow("To&ken", self.token)
        self.now = QLabel(self)
        column.addWidget(self.now)
        for label in (about, self.now):
            label.setWordWrap(True)
            label.setFixedWidth(width)
        row = QHBoxLayout()
        row.setSpacing(8)
        self.copy_button, self.close_button = QPushButton("&Copy Token", self), QPushButton("Close", self)
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
        self.copy_button.clicked.connect(lambda: QGuiApplication.clipboard().setText(remote.token))
        self.close_button.clicked.connect(self.close)
        self.switch.clicked.connect(self._switch)
        self.port.textChanged.connect(self._show)
        remote.changed.connect(self._show)
        self._show()

    def _switch(self) -> None:
        if self._remote.on:
            self._remote.stop()
        else:
            self._remote.start(int(self.port.text()))

    def _show(self) -> None:
        remote = self._remote
        self.port.setEnabled(not remote.on)
        self.token.setText(remote.token)
        self.token.setCursorPosition(0)
        count = remote.clients
        open_to = f"Port {remote.port} is open; {counted(count, 'program')} {'is' if count == 1 else 'are'} connected."
        self.now.setText(open_to if remote.on else "Off.")
        self.switch.setText("&Stop" if remote.on else "&Allow")
        self.switch.setEnabled(remote.on or self.port.hasAcceptableInput())
        self.copy_button.setEnabled(remote.on)
