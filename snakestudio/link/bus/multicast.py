"""A CAN bus over UDP multicast, between programs and computers: the datagrams of python-can's ``udp_multicast``.

It replaces the implementation of python-can for three reasons. A frame is recognized as our own by
the address and port of the sender, which the kernel writes and no other program can use, while a
name in the datagram can be copied. The kernel discards our own frames before they wake a thread (on
Linux), which halves the processor time of the link. And the socket is bound to the group, so
datagrams to the same port of this computer alone are not taken for frames of the robot.
"""

from __future__ import annotations

import ctypes
import select
import socket
import struct
import sys
import time
from typing import Any

import msgpack

from snakestudio.link.bus.bus_errors import BusSetupError, UnreadableError, named
from snakestudio.link.bus.clocks import arrival
from snakestudio.link.frame import Frame
from snakestudio.link.profile.schema import Bus

_PORT = 43113
_HOPS = 1
_LARGEST = 4096
_SO_TIMESTAMPNS = 35
_SO_ATTACH_FILTER = 26
_STAMP = struct.Struct("@ll")


class MulticastBus:
    """`CanBus` over a multicast group.

    Raises `OSError` if the group cannot be joined.

    Parameters
    ----------
    bus : Bus
        Its channel is the group; options are `port` and `hop_limit`.

    Attributes
    ----------
    address : tuple of str and int
        Address and port from which frames are sent.
    """

    replayed = False

    def __init__(self, bus: Bus) -> None:
        self._bus = bus
        self._fd = bus.fd
        port = int(bus.options.get("port", _PORT))
        hops = int(bus.options.get("hop_limit", _HOPS))
        family, _, _, _, group = socket.getaddrinfo(bus.channel, port, type=socket.SOCK_DGRAM)[0]
        self._outlet = _outlet(family, group, hops)
        try:
            self.address = self._outlet.getsockname()[:2]
            self._inlet = _inlet(family, group, self.address)
        except OSError:
            self._outlet.close()
            raise
        self._stamped = hasattr(self._inlet, "recvmsg") and _stamped(self._inlet)
        self._readable = select.poll() if hasattr(select, "poll") else None
        if self._readable is not None:
            self._readable.register(self._inlet, select.POLLIN)

    def receive(self, timeout: float) -> tuple[Frame, bool] | None:
        """See `CanBus`.

        Raises `UnreadableError` if a datagram is not a frame, and `OSError` if the network fails.
        """
        end = time.monotonic() + timeout
        while True:
            try:
                data, stamp, sender = self.next_datagram()
            except BlockingIOError:
                left = end - time.monotonic()
                if left <= 0.0 or not self._await(left):
                    return None
                continue
            if sender[:2] == self.address:
                continue
            frame = unpack(data, stamp, f"{sender[0]}:{sender[1]}")
            if not frame.fd or self._fd:
                return frame, False

    def next_datagram(self) -> tuple[bytes, float, Any]:
        """Return the next datagram, its time (s, monotonic clock) and sender; raises `BlockingIOError` without one."""
        if not self._stamped:
            data, sender = self._inlet.recvfrom(_LARGEST)
            return data, time.monotonic(), sender
        data, ancillary, _, sender = self._inlet.recvmsg(_LARGEST, socket.CMSG_SPACE(_STAMP.size))
        for _, kind, stamp in ancillary:
            if kind == _SO_TIMESTAMPNS and len(stamp) >= _STAMP.size:
                seconds, nanoseconds = _STAMP.unpack_from(stamp)
                return data, arrival(seconds + 1e-9 * nanoseconds), sender
        return data, time.monotonic(), sender

    def _await(self, seconds: float) -> bool:
        if self._readable is not None:
            return bool(self._readable.poll(1000.0 * seconds))
        return bool(select.select([self._inlet], [], [], seconds)[0])

    def send(self, frame: Frame) -> None:
        """See `CanBus`."""
        if frame.fd and not self._fd:
            raise BusSetupError(
                f"{named(self._bus)}: The bus does not use CAN FD. Set bus.fd = true."
            )
        self._outlet.send(pack(frame))

    def off(self) -> str:
        """See `CanBus`."""
        return ""

    def close(self) -> None:
        """See `CanBus`."""
        self._inlet.close()
        self._outlet.close()


def pack(frame: Frame) -> bytes:
    """Return the datagram of a frame."""
    packed: bytes = msgpack.packb(
        {
            "timestamp": 0.0,
            "arbitration_id": frame.id,
            "is_extended_id": frame.extended,
            "is_remote_frame": frame.remote,
            "is_error_frame": frame.error,
            "channel": None,
            "dlc": frame.length if frame.remote else len(frame.data),
            "data": frame.data,
            "is_fd": frame.fd,
            "bitrate_switch": frame.fd,
            "error_state_indicator": False,
        }
    )
    return packed


def unpack(data: bytes, received: float, sender: str) -> Frame:
    """Return the frame of a datagram that was received at `received` (s, monotonic clock).

    Raises `UnreadableError` if it is not a frame.
    """
    try:
        fields = msgpack.unpackb(data)
        number = fields["arbitration_id"]
        payload = fields["data"] or b""
        length = fields["dlc"]
        extended = bool(fields["is_extended_id"])
        remote = bool(fields["is_remote_frame"])
        fd = bool(fields["is_fd"])
        error = bool(fields["is_error_frame"])
    except Exception:  # any bytes may come
        fields = None
    if fields is None or not (
        isinstance(number, int)
        and isinstance(payload, bytes)
        and isinstance(length, int)
        and 0 <= number < 1 << (29 if extended else 11)
        and len(payload) <= (64 if fd else 8)
        and 0 <= length <= 64
    ):
        raise UnreadableError(
            f"Data from {sender} is not a CAN frame. Close the program that sends it, or use another port for the bus."
        )
    return Frame(
        number,
        b"" if remote else payload,
        extended,
        remote,
        fd,
        error,
        received,
        length if remote else 0,
    )


def _outlet(family: int, group: Any, hops: int) -> socket.socket:
    """Return the socket for sending, which no other program uses."""
    outlet = socket.socket(family, socket.SOCK_DGRAM)
    try:
        if family == socket.AF_INET:
            outlet.setsockopt(socket.IPPROTO_IP, socket.IP_MULTICAST_TTL, hops)
        else:
            outlet.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_MULTICAST_HOPS, hops)
        outlet.connect(group)
        outlet.setblocking(False)
    except OSError:
        outlet.close()
        raise
    return outlet


def _inlet(family: int, group: Any, own: tuple[str, int]) -> socket.socket:
    """Return the socket that receives what is sent to the group, except from our own address."""
    inlet = socket.socket(family, socket.SOCK_DGRAM)
    try:
        inlet.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        if hasattr(socket, "SO_REUSEPORT"):
            inlet.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
        if sys.platform == "linux":
            _discard_own(inlet, family, own)
        # Windows cannot bind to a group
        inlet.bind(("", *group[1:]) if sys.platform == "win32" else group)
        address = socket.inet_pton(family, group[0])
        if family == socket.AF_INET:
            request = address + socket.inet_aton("0.0.0.0")
            inlet.setsockopt(socket.IPPROTO_IP, socket.IP_ADD_MEMBERSHIP, request)
        else:
            inlet.setsockopt(
                socket.IPPROTO_IPV6, socket.IPV6_JOIN_GROUP, address + struct.pack("@I", group[3])
            )
        inlet.setblocking(False)
    except OSError:
        inlet.close()
        raise
    return inlet


def _discard_own(inlet: socket.socket, family: int, own: tuple[str, int]) -> None:
    """Let the kernel discard datagrams from an address and port (a classic BPF program, see socket(7))."""
    load_half = 0x28
    load = 0x20
    jump_equal = 0x15
    give = 0x06
    network = 0xFFF00000  # SKF_NET_OFF: from here on offsets count in the IP header, else in UDP's
    address = socket.inet_pton(family, own[0])
    at = 12 if family == socket.AF_INET else 8
    tests = [(load_half, 0, own[1])]
    for start in range(0, len(address), 4):
        tests.append((load, network + at + start, struct.unpack_from("!I", address, start)[0]))
    program = []
    for number, (operation, offset, expected) in enumerate(tests):
        program.append((operation, 0, 0, offset))
        # from another sender: jump to the last line
        program.append((jump_equal, 0, 2 * (len(tests) - number) - 1, expected))
    program += [(give, 0, 0, 0), (give, 0, 0, 0xFFFFFFFF)]
    code = ctypes.create_string_buffer(b"".join(struct.pack("@HBBI", *line) for line in program))
    head = struct.pack("@HP", len(program), ctypes.addressof(code))
    try:
        inlet.setsockopt(socket.SOL_SOCKET, _SO_ATTACH_FILTER, head)
    except OSError:  # without support of the kernel, own frames are filtered on reading
        return


def _stamped(inlet: socket.socket) -> bool:
    """Let the kernel time-stamp datagrams; False if it does not support this.

    In the first milliseconds the time of reading is used, until the kernel's work queue has enabled
    time stamps.
    """
    if sys.platform != "linux":
        return False
    try:
        inlet.setsockopt(socket.SOL_SOCKET, _SO_TIMESTAMPNS, 1)
    except OSError:
        return False
    return True
