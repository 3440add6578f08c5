"""The Lab Streaming Layer: markers and the robot's pose go out as streams, the first marker of another stream starts.

pylsl is optional; without it, whatever needs it says how to get it.
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
    """Whether pylsl is installed."""
    return find_spec("pylsl") is not None


def library() -> Any:
    """The module pylsl.

    Raises `TriggerError` if it is not installed, or cannot be used.
    """
    try:
        import pylsl
    except ImportError as error:
        raise TriggerError(
            "The Lab Streaming Layer needs pylsl, which is not installed; install it with "
            "'pip install snakestudio[lsl]', or start over a TCP port."
        ) from error
    except RuntimeError as error:  # pylsl is there, but not the library it wraps
        raise TriggerError(
            f"The Lab Streaming Layer cannot be used: {str(error).splitlines()[0]}"
        ) from error
    return pylsl


def outlet_columns(names: tuple[str, ...]) -> tuple[str, ...]:
    """The columns of a run that go out: centre of mass, joint angles, and place and orientation of every link."""
    angles = [name for name in names if re.fullmatch(r"joint_\d+_(yaw|pitch)_rad", name)]
    poses = [name for name in names if re.fullmatch(r"link_\d+_([xyz]_m|q[wxyz])", name)]
    return ("com_x_m", "com_y_m", "com_z_m", *angles, *poses)


class LslOutlet:
    """Two streams: "SnakeStudio markers", and "SnakeStudio" with the robot's pose once a run is there.

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
        """Send the rows that are new; a row's time stamp is as long before now as its time is before the newest."""
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
    """Wait for the first sample of a stream, seeking it by name until it is there.

    Raises `TriggerError` if pylsl cannot be used, or nothing came within the limit.

    Parameters
    ----------
    stream : str
        Its name.
    limit : float, optional
        How long to wait, s.
    cancelled : callable
        Asked again and again whether to give up.

    Returns
    -------
    Trigger or None
        None if it was cancelled. Its peer is the stream, its name the marker.
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
                    f"The LSL stream '{stream}' {what} within {limit:g} s; check its name and that it is running, or "
                    "give a longer limit."
                )
            if inlet is None:
                found = lsl.resolve_byprop("name", stream, timeout=_SEEK_S)
                if found:
                    inlet = lsl.StreamInlet(found[0])
                    inlet.open_stream(timeout=3.0)
                    correction = float(inlet.time_correction(timeout=3.0))
                continue
            sample, stamp = inlet.pull_sample(timeout=_PULL_S)
            if sample is None:
                continue
            received = time.time()
            # Stamps are those of LSL's clock; the correction brings the sender's to ours, and both
            # to Unix time.
            sent = received - (lsl.local_clock() - (stamp + (correction or 0.0)))
            return Trigger("START", str(sample[0]), sent, received, f"LSL stream '{stream}'")
    finally:
        if inlet is not None:
            inlet.close_stream()
    return None
