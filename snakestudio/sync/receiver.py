"""The waiting side of a synchronized start: listens on a TCP port for START."""

from __future__ import annotations

import errno
import selectors
import socket
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from snakestudio.errors import TriggerError
from snakestudio.sync.protocol import (
    LineBuffer,
    Trigger,
    TriggerKind,
    format_line,
    greeting,
    number,
    parse_trigger,
)

_LOOK_S = 0.05
"""Interval at which cancelling is checked, s. Received data is handled immediately."""

_MOST_PEERS = 16
_MOST_REMARKS = 100


def welcome() -> str:
    """Accept every START."""
    return ""


def never() -> bool:
    """Never cancel."""
    return False


class _Peer:
    """A connected peer.

    Parameters
    ----------
    last_event : int
        Number of the last event of this peer.
    """

    def __init__(self, connection: socket.socket, name: str, host: str, last_event: int) -> None:
        self.connection = connection
        self.name = name
        self.host = host
        self.last_event = last_event
        self.spoke = False  # a line that was understood
        self.lines = LineBuffer()
        self.offset: float | None = None
        self.uncertainty: float | None = None


class TriggerReceiver:
    """Listens as soon as it is created; `wait` returns the first trigger.

    Several peers can be connected. If there are too many, a new one replaces an idle one, so that a STOP
    always gets through. The first START counts; the sender of a later one gets an error. Lines that are
    not understood are recorded and answered, and the connection stays open.

    Raises `TriggerError` if the port cannot be opened.

    Parameters
    ----------
    port : int
        0 selects a free port.
    host : str
        Address to listen on; all addresses of this computer by default.
    refuses : callable
        Returns the reason to refuse a START, for the sender, or "". Called on the waiting thread.
    stopped : callable, optional
        Called immediately with the name of the sender of each STOP, even if nothing was started: for
        robots, which any peer may stop.

    Attributes
    ----------
    port : int
        The port that it listens on.
    remarks : list of str
        Other events, in sentences: connections, and lines that were not understood.
    """

    def __init__(
        self,
        port: int,
        host: str = "",
        refuses: Callable[[], str] = welcome,
        stopped: Callable[[str], None] | None = None,
    ) -> None:
        self._refuses = refuses
        self._stopped = stopped
        self.remarks: list[str] = []
        self._peers: dict[socket.socket, _Peer] = {}
        self._events = 0
        self._started_by = ""
        self._pending: list[Trigger] = []
        listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
        try:
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            listener.bind((host, port))
            listener.listen()
        except (OSError, OverflowError) as error:
            listener.close()
            raise TriggerError(_why_not(host, port, error)) from error
        listener.setblocking(False)
        self._listener = listener
        self._selector = selectors.DefaultSelector()
        self._selector.register(listener, selectors.EVENT_READ)
        self.port: int = listener.getsockname()[1]

    def __enter__(self) -> TriggerReceiver:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def peers(self) -> tuple[str, ...]:
        """Names of connected peers."""
        return tuple(peer.name for peer in list(self._peers.values()))

    def wait(
        self,
        kind: TriggerKind = "START",
        limit: float | None = None,
        cancelled: Callable[[], bool] = never,
    ) -> Trigger | None:
        """Return the wait for a trigger in the calling thread.

        Raises `TriggerError` if none arrives within the limit.

        Parameters
        ----------
        limit : float, optional
            Time limit, s.
        cancelled : callable
            Polled about 20 times a second; return True to cancel.

        Returns
        -------
        Trigger or None
            None if cancelled.
        """
        deadline = None if limit is None else time.monotonic() + limit
        while not cancelled():
            for trigger in self._pending:
                if trigger.kind == kind:
                    self._pending.remove(trigger)
                    return trigger
            left = _LOOK_S if deadline is None else min(_LOOK_S, deadline - time.monotonic())
            if left <= 0.0:
                latest = f" ({self.remarks[-1]})" if self.remarks else ""
                raise TriggerError(
                    f"No {kind} was received on port {self.port} within {limit:g} s{latest}. Check that the other "
                    "side sends to this computer and port, or set a longer limit."
                )
            self._poll(left)
        return None

    @contextmanager
    def meanwhile(self) -> Iterator[None]:
        """Context in which another thread handles received data, so that a STOP does not wait for the calling one."""
        done = threading.Event()

        def listen() -> None:
            while not done.is_set():
                self._poll(_LOOK_S)

        thread = threading.Thread(target=listen, name="snakestudio-trigger", daemon=True)
        thread.start()
        try:
            yield
        finally:
            done.set()
            thread.join()

    def _poll(self, seconds: float) -> None:
        """Handle received data for some time, or until the first data arrives."""
        for key, _ in self._selector.select(seconds):
            source = key.fileobj
            assert isinstance(source, socket.socket)
            if source is self._listener:
                self.accept()
            elif (
                peer := self._peers.get(source)
            ) is not None:  # None if it was just disconnected for a new one
                self._read(peer)

    def accept(self) -> None:
        """Accept the next pending connection, and handle data that came with it."""
        try:
            connection, address = self._listener.accept()
        except OSError:  # the peer disconnected before it was accepted
            return
        self._events += 1
        peer = _Peer(connection, f"{address[0]}:{address[1]}", address[0], self._events)
        connection.setblocking(False)
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        while len(self._peers) >= _MOST_PEERS:
            self._disconnect_idle_peer()
        self._peers[connection] = peer
        self._selector.register(connection, selectors.EVENT_READ)
        self._remark(f"{peer.name} connected")
        self._answer(peer, greeting())
        self._read(peer)  # a STOP may have arrived with the connection

    def _disconnect_idle_peer(self) -> None:
        """Disconnect a peer, so that a STOP gets through to a port with many silent connections.

        Chooses among the peers of the address with the most connections: first one that never sent anything,
        then the one that was idle longest.
        """
        crowd = Counter(each.host for each in self._peers.values())
        peer = max(
            self._peers.values(),
            key=lambda each: (crowd[each.host], not each.spoke, -each.last_event),
        )
        self._read(peer)  # data that it has sent so far counts
        if self._peers.get(peer.connection) is peer:
            self._answer(peer, f"ERR {_MOST_PEERS} other peers are connected; connect again")
            self._drop(
                peer,
                f"{peer.name} was disconnected: {_MOST_PEERS} peers were connected, and it was idle longest",
            )

    def _read(self, peer: _Peer) -> None:
        try:
            data = peer.connection.recv(4096)
        except BlockingIOError:
            return
        except OSError as error:
            self._drop(peer, f"{peer.name} was lost ({error.strerror or error})")
            return
        received = time.time()
        self._events += 1
        peer.last_event = self._events
        if not data:
            self._drop(peer, f"{peer.name} disconnected")
            return
        lines, too_long = peer.lines.feed(data)
        if too_long:
            self._remark(f"{peer.name} sent a line that is too long; it was ignored")
            self._answer(peer, "ERR the line is too long; lines have at most 512 characters")
        for line in lines:
            self._handle_line(peer, line, received)

    def _handle_line(self, peer: _Peer, line: str, received: float) -> None:
        fields = line.split()
        if fields[0] == "PING" and len(fields) == 2:
            peer.spoke = True
            self._answer(peer, "PONG", fields[1], time.time())
            return
        if fields[0] == "CLOCK" and len(fields) == 3:
            offset = number(fields[1])
            uncertainty = number(fields[2])
            if offset is not None and uncertainty is not None:
                peer.offset = -offset
                peer.uncertainty = uncertainty
                return
        trigger = parse_trigger(line, received, peer.name)
        peer.spoke |= trigger is not None
        if trigger is not None and trigger.kind == "STOP" and self._stopped is not None:
            self._stopped(peer.name)
            if not self._started_by:
                self._remark(f"{peer.name} sent STOP")
                self._answer(peer, "OK", "STOP", received)
                return
        if trigger is None:
            excerpt = line if len(line) <= 60 else line[:57] + "..."
            self._remark(f"{peer.name} sent {excerpt!r}, which is not understood; it was ignored")
            self._answer(
                peer, "ERR the line is not understood; lines are START, STOP, PING and CLOCK"
            )
        elif trigger.kind == "START" and self._started_by:
            self._remark(
                f"{peer.name} sent START, but {self._started_by} had started already; it was ignored"
            )
            self._answer(peer, f"ERR already started by {self._started_by}")
        elif trigger.kind == "START" and (reason := self._refuses()):
            self._remark(f"{peer.name} sent START, which was refused: {reason}")
            self._answer(peer, f"ERR {reason}")
        elif trigger.kind == "STOP" and not self._started_by:
            self._remark(f"{peer.name} sent STOP before any START; it was ignored")
            self._answer(peer, "ERR nothing has started yet")
        else:
            self._started_by = peer.name if trigger.kind == "START" else ""
            self._pending.append(
                Trigger(
                    trigger.kind,
                    trigger.name,
                    trigger.sent,
                    received,
                    peer.name,
                    peer.offset,
                    peer.uncertainty,
                )
            )
            self._answer(peer, "OK", trigger.kind, received)

    def _answer(self, peer: _Peer, *fields: object) -> None:
        try:
            peer.connection.send(format_line(*fields))
        except OSError:
            # A peer that does not read its answers, or has disconnected, gets none; reading detects a
            # closed connection.
            return

    def _drop(self, peer: _Peer, remark: str) -> None:
        self._remark(remark)
        self._selector.unregister(peer.connection)
        del self._peers[peer.connection]
        peer.connection.close()

    def _remark(self, sentence: str) -> None:
        if len(self.remarks) < _MOST_REMARKS:
            self.remarks.append(sentence)

    def close(self) -> None:
        """Stop listening and close all connections."""
        for peer in list(self._peers.values()):
            self._selector.unregister(peer.connection)
            peer.connection.close()
        self._peers.clear()
        self._selector.close()
        self._listener.close()


def _why_not(host: str, port: int, error: OSError | OverflowError) -> str:
    if isinstance(error, OSError) and error.errno == errno.EADDRINUSE:
        return (
            f"Port {port} is in use by another program. Choose another port, or end that program."
        )
    if isinstance(error, OSError) and error.errno in (errno.EACCES, errno.EPERM):
        return f"Port {port} is reserved for the system. Choose a port from 1024 to 65535."
    if isinstance(error, socket.gaierror) or (
        isinstance(error, OSError) and error.errno == errno.EADDRNOTAVAIL
    ):
        return (
            f"{host} is not an address of this computer. Choose one of its addresses, or 127.0.0.1."
        )
    if not 0 <= port <= 65535:
        return f"{port} is not a port. Choose a port from 1024 to 65535."
    return f"Port {port} cannot be opened ({error}). Choose another port."
