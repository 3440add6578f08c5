"""Dialog of remote control: port, token and connected programs."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtWidgets import QLineEdit, QWidget

from snakestudio.gui.forms.declared_form import DeclaredForm
from snakestudio.gui.forms.form_fields import FormField
from snakestudio.gui.forms.service_dialog import ServiceDialog, port_field
from snakestudio.gui.remote.remote_control import RemoteControl
from snakestudio.viewmodel.remote.door import door_file

_ABOUT = (
    "Programs on this computer that have the token can open scenes, change values, run, export and take screenshots. "
    "They can stop and disarm a robot, but never arm it. A new token is created each time remote control starts."
)


@dataclass(frozen=True)
class RemoteSettings:
    """Values of the dialog."""

    port: int
    token: str


class RemoteDialog(ServiceDialog):
    """Settings of remote control and its switch."""

    def __init__(self, remote: RemoteControl, parent: QWidget | None = None) -> None:
        super().__init__(remote, parent, "Remote Control", _ABOUT, "&Copy Token", "&Allow")
        self._remote = remote
        fields = {
            "port": port_field(
                "&Port",
                "Port on this computer that the programs connect to",
                enabled=self.while_off,
            ),
            "token": FormField(
                "To&ken",
                help=f"Also in {door_file()}, which other users cannot read",
                placeholder="created when remote control is switched on",
            ),
        }
        form = DeclaredForm(RemoteSettings(remote.port, remote.token), fields, self)
        form.widget("token", QLineEdit).setReadOnly(True)
        self.finish(form)

    def start(self) -> None:
        self._remote.start(self.form.values.port)

    def copied(self) -> str:
        return self._remote.token

    def status(self) -> str:
        count = self._remote.clients
        return f"Port {self._remote.port} is open; {count} program{' is' if count == 1 else 's are'} connected."

    def refresh(self) -> None:
        token = self.form.widget("token", QLineEdit)
        token.setText(self._remote.token)
        token.setCursorPosition(0)
        super().refresh()
