"""Switch of remote control; off at program start unless the command line enables it."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal

from snakestudio.errors import StreamError
from snakestudio.gui.core.settings import Setting
from snakestudio.gui.forms.banner import Banner
from snakestudio.gui.remote.methods import Methods, RemoteContext
from snakestudio.gui.remote.server import RemoteServer
from snakestudio.text import counted
from snakestudio.viewmodel.remote.door import DEFAULT_PORT

_PORT = Setting("remote/port", DEFAULT_PORT, "Port", "Port of remote control", least=1, most=65535)


class RemoteControl(QObject):
    """Remote control of one window.

    Parameters
    ----------
    context : RemoteContext
        Context that is controlled.

    Signals
    -------
    changed()
        Remote control was switched, or the number of connected programs changed.
    """

    changed = Signal()

    def __init__(self, context: RemoteContext, banner: Banner) -> None:
        super().__init__(context.window)
        self._context = context
        self._banner = banner
        self._server: RemoteServer | None = None

    @property
    def on(self) -> bool:
        """Whether the port is open."""
        return self._server is not None

    @property
    def port(self) -> int:
        """Open port, or the one chosen last."""
        if self._server is not None:
            return self._server.door.port
        return _PORT.load(self._context.settings)

    @property
    def token(self) -> str:
        """Token that programs need; "" while the port is closed."""
        return "" if self._server is None else self._server.door.token

    @property
    def clients(self) -> int:
        """Number of connected programs."""
        return 0 if self._server is None else self._server.clients

    @property
    def doing(self) -> str:
        """Short status text; "" while it is off."""
        if self._server is None:
            return ""
        count = self.clients
        return f"remote {self.port}" + (f", {counted(count, 'client')}" if count else "")

    def toggle(self) -> None:
        """Open the port chosen last, or close it."""
        if self.on:
            self.stop()
        else:
            self.start(self.port)

    def start(self, port: int) -> None:
        """Open a port (0: any free one); shows a notice on failure."""
        self.stop()
        self._banner.clear()
        server: RemoteServer | None = None
        try:
            server = RemoteServer(Methods(self._context).call, port, self)
            server.door.write()
        except StreamError as error:
            if server is not None:
                server.close()
            self._banner.show_notice("warning", str(error))
            return
        if port:
            _PORT.store(self._context.settings, port)
        server.changed.connect(self.changed)
        self._server = server
        self.changed.emit()

    def stop(self) -> None:
        """Close the port and all connections; the token becomes invalid."""
        server = self._server
        self._server = None
        if server is not None:
            server.close()
            server.door.remove()
            server.deleteLater()
            self.changed.emit()

    def close(self) -> None:
        """Release resources; called when the window closes."""
        self.stop()
