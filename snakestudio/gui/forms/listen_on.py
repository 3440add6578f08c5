"""A choice of the address of this computer on which a service listens."""

from __future__ import annotations

from typing import Any

from PySide6.QtNetwork import QAbstractSocket, QNetworkInterface
from PySide6.QtWidgets import QComboBox, QWidget

from snakestudio.gui.forms.editor import Editor
from snakestudio.gui.forms.form_fields import FormField
from snakestudio.viewmodel.start_target import EVERYWHERE, HERE


def addresses() -> list[tuple[str, str]]:
    """Return the name of the interface and the IPv4 address, for all networks of this computer."""
    return [
        (interface.humanReadableName(), entry.ip().toString())
        for interface in QNetworkInterface.allInterfaces()
        if interface.flags() & QNetworkInterface.InterfaceFlag.IsRunning
        for entry in interface.addressEntries()
        if entry.ip().protocol() == QAbstractSocket.NetworkLayerProtocol.IPv4Protocol
        and not entry.ip().isLoopback()
    ]


class AddressBox(QComboBox):
    """A choice of an address of this computer.

    Parameters
    ----------
    host : str
        The initial address.
    """

    def __init__(self, host: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.addItem(f"This computer only ({HERE})", HERE)
        for name, address in addresses():
            self.addItem(f"Network on {name} ({address})", address)
        self.addItem(f"All networks of this computer ({EVERYWHERE})", EVERYWHERE)
        if self.findData(host) < 0:  # address of a network that is not available now
            self.addItem(f"{host} (not an address of this computer now)", host)
        self.setCurrentIndex(self.findData(host))
        self.setToolTip("Networks from which the port can be reached")

    @property
    def host(self) -> str:
        """The address."""
        return str(self.currentData())


class AddressEditor(Editor):
    """Editor of the address on which a service listens; the placeholder of its field is the initial address."""

    def __init__(self, field: FormField, parent: QWidget) -> None:
        super().__init__(field, parent)
        self.widget: AddressBox = AddressBox(field.placeholder, parent)
        self.widget.currentIndexChanged.connect(self.changed)

    @property
    def value(self) -> str:
        return self.widget.host

    def set_value(self, value: Any) -> None:
        if self.widget.findData(value) >= 0:
            self.widget.setCurrentIndex(self.widget.findData(value))
