"""Sender of an emulated robot's link poses in the manner of motion capture, over UDP and, if available, LSL."""

from __future__ import annotations

import contextlib
import socket
import uuid
from typing import Any

import numpy as np

from snakestudio.errors import UsageError
from snakestudio.link.pose_packet import PORT, BodyPose, PosePacket, pack
from snakestudio.model.snapshot import Snapshot
from snakestudio.sync.lsl import library

_FIELDS = ("x_m", "y_m", "z_m", "qw", "qx", "qy", "qz")


class PoseSender:
    """Sends poses at a constant rate, with noise and dropouts.

    Raises `UserError` if a value is invalid, the host is unknown, or LSL is not installed.

    Parameters
    ----------
    target : str or None
        HOST:PORT, or HOST for the default port; None for no UDP.
    rate : float
        Hz.
    noise : float
        Standard deviation of each coordinate, m.
    dropout : float
        Fraction of bodies that are not tracked, 0 to 1.
    lsl : bool
        Whether to send an LSL stream, too: position and quaternion of all links as channels, NaN
        for links that are not tracked.
    seed : int
        Seed of noise and dropouts.
    """

    def __init__(
        self,
        target: str | None,
        rate: float = 20.0,
        noise: float = 0.0,
        dropout: float = 0.0,
        lsl: bool = False,
        seed: int = 0,
    ) -> None:
        if not 0.0 < rate <= 1000.0:
            raise UsageError(
                f"--pose-rate must be greater than 0 and at most 1000 Hz (got {rate:g})."
            )
        if not 0.0 <= noise < float("inf"):
            raise UsageError(f"--pose-noise-mm must be at least 0 (got {1000 * noise:g}).")
        if not 0.0 <= dropout <= 1.0:
            raise UsageError(f"--pose-dropout must be between 0 and 1 (got {dropout:g}).")
        self._lsl: Any = library() if lsl else None
        self._outlet: Any = None
        self._address = None if target is None else _address(target)
        family = socket.AF_INET if self._address is None else self._address[0]
        self._socket = socket.socket(family, socket.SOCK_DGRAM)
        self._period = 1.0 / rate
        self._noise = noise
        self._dropout = dropout
        self._rng = np.random.default_rng(seed)
        self._next = -np.inf
        self._rate = rate
        self._count = 0

    def follow(self, snapshot: Snapshot, now: float) -> None:
        """Send the poses of the links if they are due; missed cycles are skipped."""
        if now < self._next:
            return
        self._next = (
            max(self._next + self._period, now) if self._next > -np.inf else now + self._period
        )
        poses = snapshot.link_pose.copy()
        poses[:, :3] += self._noise * self._rng.standard_normal((len(poses), 3))
        tracked = self._rng.random(len(poses)) >= self._dropout
        if self._address is not None:
            bodies = tuple(
                BodyPose(link, (x, y, z), (w, i, j, k))
                for link, (x, y, z, w, i, j, k) in enumerate(poses.tolist())
                if tracked[link]
            )
            with contextlib.suppress(OSError):  # UDP: the packet is lost, as without a receiver
                self._socket.sendto(pack(PosePacket(self._count, now, bodies)), self._address[1])
        if self._lsl is not None:
            self._push(np.where(tracked[:, None], poses, np.nan))
        self._count += 1

    def close(self) -> None:
        """Stop sending."""
        self._socket.close()
        self._outlet = None

    def _push(self, poses: Any) -> None:
        if self._outlet is None:
            names = [f"link_{link + 1}_{field}" for link in range(len(poses)) for field in _FIELDS]
            info = self._lsl.StreamInfo(
                "SnakeStudio robot",
                "MoCap",
                len(names),
                self._rate,
                "float32",
                f"snakestudio-{uuid.uuid4().hex[:12]}",
            )
            channels = info.desc().append_child("channels")
            for name in names:
                channels.append_child("channel").append_child_value("label", name)
            self._outlet = self._lsl.StreamOutlet(info)
        self._outlet.push_sample(poses.astype(np.float32).ravel().tolist())


def _address(target: str) -> tuple[int, Any]:
    """Return address family and address of HOST:PORT; raises `UsageError`."""
    host, colon, text = target.rpartition(":")
    if not colon:
        host = target
        text = str(PORT)
    if not text.isascii() or not text.isdigit() or not 1 <= int(text) <= 65535:
        raise UsageError(
            f"--pose {target}: {text!r} is not a UDP port. Write HOST:PORT, like 127.0.0.1:{PORT}."
        )
    try:
        addresses = socket.getaddrinfo(
            host.strip("[]") or "127.0.0.1", int(text), type=socket.SOCK_DGRAM
        )
    except OSError as error:
        raise UsageError(
            f"--pose {target}: {host} is unknown ({error.strerror}). Use its address."
        ) from None
    return addresses[0][0], addresses[0][4]
