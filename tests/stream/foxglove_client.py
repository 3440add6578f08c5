"""A client of Foxglove's protocol over a WebSocket, from its specification: topics, types and messages."""

from __future__ import annotations

import base64
import json
import os
import socket
import struct
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

PROTOCOL = "foxglove.sdk.v1"
_MESSAGE_DATA = 1
_TIME = 2


@dataclass
class Message:
    topic: str
    time_ns: int
    data: bytes


class FoxgloveClient:
    """A connected client; subscribes to every advertised channel unless `subscribe` is False."""

    def __init__(self, port: int, *, subscribe: bool = True, host: str = "127.0.0.1") -> None:
        self._socket = socket.create_connection((host, port), 2.0)
        self._subscribe = subscribe
        self._buffer = b""
        self.channels: dict[str, dict[str, Any]] = {}
        self.sessions: list[str] = []
        self.times: list[int] = []
        self._topics: dict[int, str] = {}
        key = base64.b64encode(os.urandom(16)).decode()
        lines = [
            "GET / HTTP/1.1",
            f"Host: {host}:{port}",
            "Upgrade: websocket",
            "Connection: Upgrade",
            f"Sec-WebSocket-Key: {key}",
            "Sec-WebSocket-Version: 13",
            f"Sec-WebSocket-Protocol: {PROTOCOL}",
        ]
        self._socket.sendall(("\r\n".join(lines) + "\r\n\r\n").encode())
        while b"\r\n\r\n" not in self._buffer:
            more = self._socket.recv(65536)
            if not more:
                self._socket.close()
                raise ConnectionRefusedError
            self._buffer += more
        head, _, self._buffer = self._buffer.partition(b"\r\n\r\n")
        assert head.startswith(b"HTTP/1.1 101"), head

    def close(self) -> None:
        self._socket.close()

    def vanish(self) -> None:
        """End the connection like a killed program."""
        self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self._socket.close()

    def next_message(self, topic: str = "") -> Message:
        """Return the next message, of a certain topic if given."""
        while True:
            kind, data = self._frame()
            self._note(kind, data)
            if kind == 2 and data[0] == _MESSAGE_DATA:
                number, time = struct.unpack_from("<IQ", data, 1)
                message = Message(self._topics[number], time, data[13:])
                if topic in ("", message.topic):
                    return message
            elif kind == 8:
                raise EOFError

    def await_channels(self, *topics: str) -> None:
        """Read until these topics are advertised, and subscribe."""
        while not set(topics) <= set(self.channels):
            self._note(*self._frame())

    def await_earlier_time(self) -> None:
        """Read until the server resets its time to an earlier one."""
        while not any(later < earlier for earlier, later in pairwise(self.times)):
            self._note(*self._frame())

    def _note(self, kind: int, data: bytes) -> None:
        """Store channels and time from a frame."""
        if kind == 1:
            self._handle_text(json.loads(data))
        elif kind == 2 and data[0] == _TIME:
            self.times.append(struct.unpack_from("<Q", data, 1)[0])

    def _handle_text(self, text: dict[str, Any]) -> None:
        if text["op"] == "serverInfo":
            self.sessions.append(text["sessionId"])
        if text["op"] != "advertise":
            return
        for channel in text["channels"]:
            self.channels[channel["topic"]] = channel
            self._topics[channel["id"]] = channel["topic"]
        if self._subscribe:
            self.subscribe([channel["id"] for channel in text["channels"]])

    def subscribe(self, channels: list[int]) -> None:
        self._send(
            {
                "op": "subscribe",
                "subscriptions": [{"id": each, "channelId": each} for each in channels],
            }
        )

    def _send(self, message: dict[str, Any]) -> None:
        data = json.dumps(message).encode()
        mask = os.urandom(4)
        length = (
            bytes([0x80 | len(data)]) if len(data) < 126 else b"\xfe" + struct.pack(">H", len(data))
        )
        body = bytes(byte ^ mask[i % 4] for i, byte in enumerate(data))
        self._socket.sendall(b"\x81" + length + mask + body)

    def _frame(self) -> tuple[int, bytes]:
        first, length = self._bytes(2)
        if length == 126:
            (length,) = struct.unpack(">H", self._bytes(2))
        elif length == 127:
            (length,) = struct.unpack(">Q", self._bytes(8))
        return first & 0x0F, self._bytes(length)

    def _received(self) -> bytes:
        """Return the next data; after a timeout, subscribe again: the server advertises before it is ready."""
        for _ in range(20):
            try:
                return self._socket.recv(1 << 20)
            except TimeoutError:
                if self._subscribe and self._topics:
                    self.subscribe(list(self._topics))
        raise TimeoutError

    def _bytes(self, count: int) -> bytes:
        while len(self._buffer) < count:
            more = self._received()
            if not more:
                raise EOFError
            self._buffer += more
        data = self._buffer[:count]
        self._buffer = self._buffer[count:]
        return data
