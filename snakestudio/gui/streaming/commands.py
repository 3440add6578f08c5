"""Commands of the live stream."""

from __future__ import annotations

from typing import Protocol

from snakestudio.gui.core.command import Command, Context
from snakestudio.gui.forms.service_dialog import ServiceDialog, service_commands
from snakestudio.gui.streaming.streamer import Streamer

_MENU = "Simulation/Other Programs"


class StreamContext(Context, Protocol):
    """Context of these commands."""

    streamer: Streamer


def _service(context: StreamContext) -> Streamer:
    return context.streamer


def _dialog() -> type[ServiceDialog]:
    from snakestudio.gui.streaming.dialog import StreamDialog

    return StreamDialog


STREAMING: tuple[Command[StreamContext], ...] = service_commands(
    _service,
    _dialog,
    Command(
        "stream",
        _MENU,
        "Stream Live",
        icon="live",
        long=True,
        tip="Stream the current view of the run to Foxglove, Lichtblick, PlotJuggler or Rerun",
    ),
    Command(
        "stream_settings",
        _MENU,
        "Stream Settings...",
        long=True,
        tip="Set the destination and the rate of the stream, and show its receivers",
    ),
)
"""Commands of the stream to other programs."""
