"""Conversion between frames and messages of python-can, for adapters and logs."""

from __future__ import annotations

import can

from snakestudio.link.frame import Frame


def frame_of(message: can.Message, received: float) -> Frame:
    """Return the frame of a python-can message, received at `received` (s, monotonic clock)."""
    return Frame(
        message.arbitration_id,
        b"" if message.is_remote_frame else bytes(message.data),
        message.is_extended_id,
        message.is_remote_frame,
        message.is_fd,
        message.is_error_frame,
        received,
        message.dlc if message.is_remote_frame else 0,
    )


def message_of(
    frame: Frame, channel: str | int | None = None, timestamp: float = 0.0, *, sent: bool = True
) -> can.Message:
    """Return the python-can message of a frame."""
    return can.Message(
        timestamp=timestamp,
        arbitration_id=frame.id,
        is_extended_id=frame.extended,
        is_remote_frame=frame.remote,
        is_error_frame=frame.error,
        channel=channel,
        dlc=frame.length if frame.remote else len(frame.data),
        data=None if frame.remote else frame.data,
        is_fd=frame.fd,
        bitrate_switch=frame.fd,
        is_rx=not sent,
    )
