"""Live pose sources: UDP datagrams in the format of `link.pose_packet`, or a stream of the Lab Streaming Layer.

Each source has a separate thread that only waits for packets, so that their times are those of
reception. A port accepts packets from this machine only, unless an address is given, and from one
sender at a time, because poses steer a robot.
"""

from __future__ import annotations

import errno
import math
import re
import socket
import threading
import time
from abc import ABC, abstractmethod
from collections.abc import Callable
from importlib.util import find_spec
from typing import Any

from snakestudio.errors import LinkError, UsageError
from snakestudio.link.pose_packet import PORT, BodyPose, PosePacket, unpack
from snakestudio.live.pose_source import BodyTracker, PoseSource, StreamStatistics, TrackedPose

_POLL_S = 0.05
_LARGEST = 65_536
_SILENT_S = 2.0
"""Time without packets from a sender after which another one may replace it, s."""


class _Stream(ABC):
    """Base of the sources: a thread that feeds a `BodyTracker`."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._tracker = BodyTracker(0)
        self._latest_tracked: TrackedPose | None = None
        self._lock = threading.Lock()
        self._closing = threading.Event()
        self._stream_problem = ""
        self._begun = 0.0
        self._thread: threading.Thread | None = None

    @property
    @abstractmethod
    def where(self) -> str:
        """Name of the source for messages."""

    @abstractmethod
    def _listen(self) -> None:
        """Feed the tracker until `_closing` is set; runs in the source's thread."""

    def _open(self) -> None:  # noqa: B027  a source that opens nothing beforehand need not override it
        """Open resources that may be unavailable, in the thread of `begin`."""

    @property
    def latest(self) -> TrackedPose | None:
        """Newest poses of the tracked links; None before the first."""
        return self._latest_tracked

    @property
    def problem(self) -> str:
        """Current problem, a message with its remedy; "" if there is none."""
        if self._stream_problem:
            return self._stream_problem
        latest = self._latest_tracked
        now = self._clock()
        silent = now - (self._begun if latest is None else latest.time)
        if latest is None and silent > 1.0 and not self._tracker.problem:
            return f"No pose has been received on {self.where} yet. Start the sender, and check its destination."
        if silent > 1.0 and not self._tracker.problem:
            return f"No pose has been received on {self.where} for {silent:.1f} s. Check that the sender runs."
        return self._tracker.problem

    @property
    def statistics(self) -> StreamStatistics:
        """Statistics of the stream."""
        with self._lock:
            return self._tracker.statistics(self._clock())

    def begin(self, n_links: int) -> None:
        """Start to listen for a robot of `n_links` links; called again with another number for another scene.

        Raises `LinkError` if the source cannot be opened.
        """
        with self._lock:
            self._tracker = BodyTracker(n_links)
            self._latest_tracked = None
        if self._thread is None:
            self._open()
            self._begun = self._clock()
            self._thread = threading.Thread(
                target=self._listen, name="snakestudio-poses", daemon=True
            )
            self._thread.start()

    def close(self) -> None:
        """Stop listening; returns when the thread has ended."""
        self._closing.set()
        if self._thread is not None:
            self._thread.join()

    def _on_packet(self, packet: PosePacket, now: float) -> None:
        with self._lock:
            tracked = self._tracker.add(packet, now)
            if tracked is not None:
                self._latest_tracked = tracked

    def _on_unreadable(self, why: str) -> None:
        with self._lock:
            self._tracker.count_unreadable(why)


class UdpPoses(_Stream):
    """Poses over UDP.

    Parameters
    ----------
    port : int
        0 for any free port.
    host : str
        Address of this machine to listen on: "127.0.0.1" for senders on this machine, "0.0.0.0" for
        all senders on the network.
    clock : callable
        The machine's monotonic clock, s.

    Attributes
    ----------
    port : int
        Actual port after `begin`.
    """

    def __init__(
        self, port: int = PORT, host: str = "127.0.0.1", clock: Callable[[], float] = time.monotonic
    ) -> None:
        super().__init__(clock)
        self.port = port
        self.host = host
        self._socket: socket.socket | None = None
        self._sender: tuple[Any, float] | None = None
        self._rejected = -math.inf  # time of the last packet from another sender

    @property
    def where(self) -> str:
        """Name of the source for messages."""
        return f"UDP port {self.port}" + ("" if self.host == "127.0.0.1" else f" of {self.host}")

    def _open(self) -> None:
        inlet = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        try:
            inlet.bind((self.host, self.port))
        except (OSError, OverflowError) as error:
            inlet.close()
            raise LinkError(_bind_problem(self.host, self.port, error)) from error
        inlet.settimeout(_POLL_S)
        self.port = inlet.getsockname()[1]
        self._socket = inlet

    def _listen(self) -> None:
        assert self._socket is not None
        with self._socket as inlet:
            while not self._closing.is_set():
                try:
                    datagram, sender = inlet.recvfrom(_LARGEST)
                except TimeoutError:
                    continue
                except OSError as error:  # such as ICMP's reply that a datagram was not delivered
                    self._on_unreadable(error.strerror or str(error))
                    self._closing.wait(_POLL_S)
                    continue
                now = self._clock()
                if not self.accepts(sender, now):
                    continue
                try:
                    packet = unpack(datagram)
                except ValueError as error:
                    self._on_unreadable(str(error))
                    continue
                self._on_packet(packet, now)

    def accepts(self, sender: Any, now: float) -> bool:
        """Return whether packets of a sender are accepted at `now`, s: one sender at a time."""
        if (
            self._sender is not None
            and sender != self._sender[0]
            and now - self._sender[1] < _SILENT_S
        ):
            self._rejected = now
            self._stream_problem = (
                f"Poses come from {self._sender[0][0]}:{self._sender[0][1]} and {sender[0]}:{sender[1]}. Only the "
                "first sender is used. Stop one of them."
            )
            return False
        if self._sender is None or sender != self._sender[0] or now - self._rejected > _SILENT_S:
            self._stream_problem = ""
        self._sender = (sender, now)
        return True


def _bind_problem(host: str, port: int, error: OSError | OverflowError) -> str:
    if isinstance(error, OSError) and error.errno == errno.EADDRINUSE:
        return f"UDP port {port} is in use by another program. Choose another port, or close that program."
    if isinstance(error, OSError) and error.errno in (errno.EACCES, errno.EPERM):
        return f"UDP port {port} needs administrator rights. Choose one from 1024 to 65535."
    if not 0 <= port <= 65535:
        return f"{port} is not a port. Choose one from 1024 to 65535."
    return f"Poses cannot be received at {host}:{port} ({error}). Use an address of this machine, such as 127.0.0.1."


_CHANNELS = ("x_m", "y_m", "z_m", "qw", "qx", "qy", "qz")


class LslPoses(_Stream):
    """Poses from a stream of the Lab Streaming Layer, with channels ``link_1_x_m`` ... ``link_1_qz`` and so on.

    Streams of SnakeStudio runs and of `snakestudio emulate` have these channels. A body with a
    channel of NaN is not tracked.

    Parameters
    ----------
    name : str
        Name of the stream.
    clock : callable
        The machine's monotonic clock, s.
    """

    def __init__(self, name: str, clock: Callable[[], float] = time.monotonic) -> None:
        super().__init__(clock)
        self._name = name

    @property
    def where(self) -> str:
        """Name of the source for messages."""
        return f"the LSL stream '{self._name}'"

    def _open(self) -> None:
        if find_spec("pylsl") is None:
            raise LinkError(
                "Poses from the Lab Streaming Layer need pylsl, which is not installed. Install it with "
                "'pip install snakestudio[lsl]', or send them over UDP."
            )

    def _listen(self) -> None:
        inlet: Any = None
        try:
            import pylsl

            channels: dict[int, list[int]] = {}
            sequence = 0
            while not self._closing.is_set():
                if inlet is None:
                    streams = pylsl.resolve_byprop("name", self._name, timeout=_POLL_S)
                    if not streams:
                        continue
                    inlet = pylsl.StreamInlet(streams[0], max_buflen=1)
                    channels = _channels_of_links(inlet.info(timeout=3.0))
                    self._stream_problem = (
                        ""
                        if channels
                        else (
                            f"The LSL stream '{self._name}' has no channels called "
                            "link_1_x_m to link_1_qz. Choose another stream."
                        )
                    )
                sample, stamp = inlet.pull_sample(timeout=_POLL_S)
                if sample is None:
                    continue
                sequence += 1
                self._on_packet(
                    PosePacket(sequence, float(stamp), _bodies(sample, channels)), self._clock()
                )
        # pylsl raises its own exceptions and those of ctypes; a lost stream must be reported.
        except Exception as error:
            self._stream_problem = (
                f"The LSL stream '{self._name}' was lost ({error}). Check that its sender runs, "
                "and reconnect."
            )
        finally:
            if inlet is not None:
                inlet.close_stream()


def _channels_of_links(info: Any) -> dict[int, list[int]]:
    """Return the indices of the channels of each link (0-based) in a stream."""
    labels: dict[tuple[int, str], int] = {}
    channel = info.desc().child("channels").child("channel")
    for index in range(info.channel_count()):
        match = re.fullmatch(r"link_(\d+)_(.+)", channel.child_value("label"))
        if match:
            labels[int(match[1]) - 1, match[2]] = index
        channel = channel.next_sibling()
    links = sorted({link for link, _ in labels})
    return {
        link: [labels[link, name] for name in _CHANNELS]
        for link in links
        if all((link, name) in labels for name in _CHANNELS)
    }


def _bodies(sample: list[float], channels: dict[int, list[int]]) -> tuple[BodyPose, ...]:
    bodies = []
    for link, columns in channels.items():
        x, y, z, w, i, j, k = (float(sample[column]) for column in columns)
        norm = (w * w + i * i + j * j + k * k) ** 0.5
        if 0.5 <= norm <= 2.0 and all(map(math.isfinite, (x, y, z))):
            bodies.append(BodyPose(link, (x, y, z), (w / norm, i / norm, j / norm, k / norm)))
    return tuple(bodies)


def pose_source(text: str) -> PoseSource:
    """Return the source of a text such as "22350", "0.0.0.0:22350" or "lsl:NAME".

    Raises `UsageError` for any other text.
    """
    text = text.strip()
    if text.startswith("lsl:") and text[4:].strip():
        return LslPoses(text[4:].strip())
    host, _, port = text.rpartition(":")
    if not (port.isascii() and port.isdecimal() and 0 < int(port) <= 65535):
        raise UsageError(
            f"{text!r} is not a pose stream. Use a UDP port from 1 to 65535, ADDRESS:PORT (0.0.0.0:{PORT} for senders "
            "on other computers), or lsl:NAME."
        )
    return UdpPoses(int(port), host or "127.0.0.1")
