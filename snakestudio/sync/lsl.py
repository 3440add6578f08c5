"""The Lab Streaming Layer (LSL): sends markers and the robot's pose, and waits for a marker of another stream.

pylsl is optional; without it, error messages explain how to install it.
"""

from __future__ import annotations

import re
import time
import uuid
from collections.abc import Callable
from importlib.util import find_spec
from typing import Any

import numpy as np

from snakestudio.errors import TriggerError
from snakestudio.model.columns import column_names, columns_between
from snakestudio.model.recording import Recording
from snakestudio.sync.protocol import Trigger

_SEEK_S = 0.2
_PULL_S = 0.05


def available() -> bool:
    """Return whether pylsl is installed."""
    return find_spec("pylsl") is not None


def library() -> Any:
    """Return the module pylsl.

    Raises `TriggerError` if it is not installed, or cannot be used.
    """
    try:
        import pylsl
    except ImportError as error:
        raise TriggerError(
            "The Lab Streaming Layer needs pylsl, which is not installed. Install it with "
            "'pip install snakestudio[lsl]', or use a TCP port."
        ) from error
    except RuntimeError as error:  # pylsl is installed, but not the library that it wraps
        raise TriggerError(
            f"The Lab Streaming Layer cannot be used: {str(error).splitlines()[0]}"
        ) from error
    return pylsl


def outlet_columns(names: tuple[str, ...]) -> tuple[str, ...]:
    """Return the columns of a run to send: centre of mass, joint angles, and position and orientation of each link."""
    angles = [name for name in names if re.fullmatch(r"joint_\d+_(yaw|pitch)_rad", name)]
    poses = [name for name in names if re.fullmatch(r"link_\d+_([xyz]_m|q[wxyz])", name)]
    return ("com_x_m", "com_y_m", "com_z_m", *angles, *poses)


class LslOutlet:
    """Two streams: "SnakeStudio markers", and "SnakeStudio" with the robot's pose once a run has started.

    Raises `TriggerError` if pylsl cannot be used.
    """

    def __init__(self) -> None:
        self._lsl = library()
        self._source = f"snakestudio-{uuid.uuid4().hex[:12]}"
        self._markers = self._lsl.StreamOutlet(
            self._lsl.StreamInfo(
                "SnakeStudio markers",
                "Markers",
                1,
                self._lsl.IRREGULAR_RATE,
                "string",
                self._source,
            )
        )
        self._samples: Any = None
        self._recording: Recording | None = None
        self._columns: tuple[str, ...] = ()
        self._sent = 0

    def mark(self, text: str) -> None:
        """Send a marker."""
        self._markers.push_sample([text])

    def follow(self, recording: Recording) -> None:
        """Send new rows; a row's time stamp precedes the current time as its time precedes that of the newest row."""
        if recording is not self._recording:
            self._recording = recording
            self._sent = 0
            self._open(recording)
        count = len(recording)
        if count <= self._sent:
            return
        times = recording.times[self._sent : count]
        stamps = self._lsl.local_clock() - (times[-1] - times)
        values = columns_between(recording, self._columns, self._sent, count).astype(np.float32)
        for row, stamp in zip(values.tolist(), stamps.tolist(), strict=True):
            self._samples.push_sample(row, stamp)
        self._sent = count

    def _open(self, recording: Recording) -> None:
        self._columns = outlet_columns(column_names(recording.schema))
        rate = float(recording.scene.run.log_rate_hz)
        info = self._lsl.StreamInfo(
            "SnakeStudio", "MoCap", len(self._columns), rate, "float32", f"{self._source}-pose"
        )
        channels = info.desc().append_child("channels")
        for name in self._columns:
            channel = channels.append_child("channel")
            channel.append_child_value("label", name)
            unit = {"rad": "radians", "m": "meters"}.get(name.rpartition("_")[2], "")
            channel.append_child_value("unit", unit)
        self._samples = self._lsl.StreamOutlet(info)


def wait_for_marker(
    stream: str, limit: float | None, cancelled: Callable[[], bool]
) -> Trigger | None:
    """Return the wait for the first sample of a stream, and search for the stream by name until it appears.

    Raises `TriggerError` if pylsl cannot be used, or no sample arrives within the limit.

    Parameters
    ----------
    stream : str
        Name of the stream.
    limit : float, optional
        Time limit, s.
    cancelled : callable
        Polled; return True to cancel.

    Returns
    -------
    Trigger or None
        None if cancelled. The peer is the stream, the name is the marker.
    """
    lsl = library()
    deadline = None if limit is None else time.monotonic() + limit
    inlet: Any = None
    correction: float | None = None
    try:
        while not cancelled():
            if deadline is not None and time.monotonic() >= deadline:
                what = "sent nothing" if inlet is not None else "was not found"
                raise TriggerError(
                    f"The LSL stream '{stream}' {what} within {limit:g} s. Check its name and that it is running, or "
                    "set a longer limit."
                )
            if inlet is None:
                streams = lsl.resolve_byprop("name", stream, timeout=_SEEK_S)
                if streams:
                    inlet = lsl.StreamInlet(streams[0])
                    inlet.open_stream(timeout=3.0)
                    correction = float(inlet.time_correction(timeout=3.0))
                continue
            sample, stamp = inlet.pull_sample(timeout=_PULL_S)
            if sample is None:
                continue
            received = time.time()
            # Stamps are in the sender's LSL clock; the correction converts them to the local LSL clock.
            sent = received - (lsl.local_clock() - (stamp + (correction or 0.0)))
            return Trigger("START", str(sample[0]), sent, received, f"LSL stream '{stream}'")
    finally:
        if inlet is not None:
            inlet.close_stream()
    return None
