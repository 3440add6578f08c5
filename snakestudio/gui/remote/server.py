"""Server of remote control: connections, authentication and requests; all in the window's thread."""

from __future__ import annotations

import logging
from collections import deque
from collections.abc import Callable
from typing import Any

from PySide6.QtCore import QObject, QTimer, Signal
from PySide6.QtNetwork import QAbstractSocket, QHostAddress, QTcpServer, QTcpSocket

from snakestudio.errors import Problem, StreamError
from snakestudio.gui.core.delay import Delay
from snakestudio.gui.core.task import Task
from snakestudio.viewmodel.remote.door import Door
from snakestudio.viewmodel.remote.protocol import (
    AUTHENTICATION,
    INTERNAL_ERROR,
    INVALID_PARAMS,
    NOT_NOW,
    TOO_MANY,
    Lines,
    LongWork,
    RemoteError,
    Request,
    error_reply,
    line_of,
    read_line,
    reply_to,
)

log = logging.getLogger(__name__)

MAX_CLIENTS = 16
"""Maximum number of connections."""

SILENT_MS = 10_000
"""Time limit for authentication, ms."""

MAX_WAITING = 32 * 1024 * 1024
"""Limit of unread reply bytes per client; a connection that exceeds it is closed."""

_READ = 256 * 1024
_REQUESTS_AT_ONCE = 8
"""Number of requests after which the window handles its own events."""
_WAITING_LINES = 256

Call = Callable[[str, dict[str, Any]], Any]


class RemoteServer(QObject):
    """Server on the loopback interface of this computer only.

    Parameters
    ----------
    call : callable
        Calls a method by name and parameters; raises RemoteError.
    port : int
        Port; 0 for any free one.

    Raises
    ------
    StreamError
        If the port cannot be opened.

    Signals
    -------
    changed()
        The number of authenticated clients changed.
    """

    changed = Signal()

    def __init__(self, call: Call, port: int, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._call = call
        self._server = QTcpServer(self)
        if not self._server.listen(QHostAddress(QHostAddress.SpecialAddress.LocalHost), port):
            why = self._server.errorString().rstrip(".")
            raise StreamError(
                f"Port {port} cannot be opened for remote control ({why[:1].lower()}{why[1:]}). Choose another port."
            )
        self.door = Door.new(self._server.serverPort())
        self._connections: list[_Connection] = []
        self._server.newConnection.connect(self._accept)

    @property
    def clients(self) -> int:
        """Number of authenticated connections."""
        return sum(connection.authenticated for connection in self._connections)

    @property
    def open_connections(self) -> int:
        """Number of connections, including those not yet authenticated."""
        return len(self._connections)

    def close(self) -> None:
        """Close all connections and stop listening."""
        self._server.close()
        for connection in list(self._connections):
            connection.hang_up()

    def _accept(self) -> None:
        while (socket := self._server.nextPendingConnection()) is not None:
            if self.open_connections >= MAX_CLIENTS:
                text = f"{MAX_CLIENTS} programs are already connected. Close one of them."
                socket.write(line_of(error_reply(None, TOO_MANY, text)))
                socket.disconnected.connect(socket.deleteLater)
                socket.disconnectFromHost()
                continue
            connection = _Connection(socket, self.door, self._call, self)
            self._connections.append(connection)
            connection.authentication_changed.connect(self.changed)
            connection.ended.connect(lambda connection=connection: self._discard(connection))

    def _discard(self, connection: _Connection) -> None:
        if connection in self._connections:
            self._connections.remove(connection)
            connection.deleteLater()
            self.changed.emit()


class _Connection(QObject):
    """Connection of one client."""

    ended = Signal()
    authentication_changed = Signal()

    def __init__(self, socket: QTcpSocket, door: Door, call: Call, parent: QObject) -> None:
        super().__init__(parent)
        self._socket = socket
        self._door = door
        self._call = call
        socket.setParent(self)
        socket.setReadBufferSize(_READ)
        self.authenticated = False
        self._lines, self._waiting = Lines(), deque[bytes | None]()
        self._tasks: list[Task[Any]] = []
        socket.readyRead.connect(self._read)
        socket.disconnected.connect(self._on_disconnected)
        self._silence = Delay(SILENT_MS, self._on_silence, self)
        self._silence.start()
        self._next = Delay(0, self._carry_out, self)

    def hang_up(self) -> None:
        """Close the connection after sending the pending replies."""
        self._stop_timers()
        if self._socket.state() == QAbstractSocket.SocketState.UnconnectedState:
            self._on_disconnected()
        else:
            self._socket.disconnectFromHost()
            if (
                self._socket.state() != QAbstractSocket.SocketState.UnconnectedState
                and self._socket.bytesToWrite()
            ):
                # a client that does not read
                QTimer.singleShot(SILENT_MS, self, self._socket.abort)

    def _stop_timers(self) -> None:
        for timer in (self._silence, self._next):
            timer.stop()

    def _on_disconnected(self) -> None:
        self._stop_timers()
        self._waiting.clear()
        for task in self._tasks:
            task.discard()
        self._tasks = []
        self.ended.emit()

    def _on_silence(self) -> None:
        self._write(
            error_reply(None, AUTHENTICATION, "Authentication timed out. Reconnect with the token.")
        )
        self.hang_up()

    def _read(self) -> None:
        if len(self._waiting) < _WAITING_LINES:  # the rest stays in the socket buffers
            self._waiting.extend(self._lines.feed(bytes(self._socket.read(_READ).data())))
        if self._waiting and not self._next.isActive():
            self._next.start(0)

    def _carry_out(self) -> None:
        for _ in range(_REQUESTS_AT_ONCE):
            if not self._waiting:
                break
            self._answer(read_line(self._waiting.popleft()))
            if self._socket.state() != QAbstractSocket.SocketState.ConnectedState:
                return
        if self._waiting:
            self._next.start(0)
        elif self._socket.bytesAvailable():
            self._read()

    def _answer(self, line: list[Request | dict[str, Any]] | dict[str, Any]) -> None:
        if isinstance(line, dict):
            self._write(line)
            return
        for each in line:
            reply = each if isinstance(each, dict) else self._reply(each)
            if reply is not None:
                self._write(reply)

    def _reply(self, request: Request) -> dict[str, Any] | None:
        """Reply to a request; None if it gets no reply, or gets it later."""
        later: list[LongWork] = []

        def call(method: str, params: dict[str, Any]) -> Any:
            result = self._checked(method, params)
            if isinstance(result, LongWork):
                later.append(result)
            return None if later else result

        try:
            reply = reply_to(request, call)
        except Exception as error:  # an internal error must not crash the window
            log.exception("remote control failed")
            text = f"Internal error: {error!r}. Please report it."
            return error_reply(request.id, INTERNAL_ERROR, text) if request.answered else None
        if not later:
            return reply
        for long_work in later:
            self._start(request, long_work)
        return None

    def _start(self, request: Request, long_work: LongWork) -> None:
        """Run long work in a thread and reply when it ends."""
        task: Task[Any] = Task(long_work.name, long_work.work, self)
        self._tasks.append(task)

        def on_finished(result: Any) -> None:
            if result is None:
                end(error_reply(request.id, NOT_NOW, "The call was cancelled. Call it again."))
            else:
                end({"jsonrpc": "2.0", "result": result, "id": request.id})

        def on_failed(problem: Problem) -> None:
            end(error_reply(request.id, INVALID_PARAMS, problem.sentence()))

        def end(reply: dict[str, Any]) -> None:
            self._tasks.remove(task)
            if request.answered:
                self._write(reply)

        task.finished.connect(on_finished)
        task.failed.connect(on_failed)

    def _checked(self, method: str, params: dict[str, Any]) -> Any:
        if method == "authenticate":
            if self._door.opens(params.get("token")):
                self._silence.stop()
                if not self.authenticated:
                    self.authenticated = True
                    self.authentication_changed.emit()
                return True
            QTimer.singleShot(0, self, self.hang_up)
            raise RemoteError(
                AUTHENTICATION,
                "The token is wrong. Use the one shown by 'snakestudio remote token'.",
            )
        if not self.authenticated:
            raise RemoteError(
                AUTHENTICATION,
                "Not authenticated. Call authenticate with the token first; 'snakestudio remote token' shows it.",
            )
        return self._call(method, params)

    def _write(self, reply: dict[str, Any]) -> None:
        self._socket.write(line_of(reply))
        if self._socket.bytesToWrite() > MAX_WAITING:
            self._socket.abort()
