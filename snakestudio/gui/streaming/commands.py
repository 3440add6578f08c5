"""What the stream has in the menus."""

from __future__ import annotations

from typing import Protocol

from snakestudio.gui.core.command import Command, Context
from snakestudio.gui.streaming.streamer import Streamer

__all__ = ["STREAMING", "StreamContext"]

_MENU = "Simulation/Other Programs"


class StreamContext(Context, Protocol):
    """What these commands work with."""

    streamer: Streamer


def _show_dialog(c: StreamContext) -> None:
    from snakestudio.gui.streaming.dialog import StreamDialog

    dialog = c.window.findChild(StreamDialog) or StreamDialog(c.streamer, c.window)
    dialog.show()
    dialog.raise_()
    dialog.activateWindow()


STREAMING: tuple[Command[StreamContext], ...] = (
    Command(
        "stream",
        _MENU,
        "Stream Live",
        lambda c: c.streamer.toggle(),
        checked=lambda c: c.streamer.on,
        icon="live",
        long=True,
        tip="Send what the window shows to Foxglove, Lichtblick, PlotJuggler or Rerun while it goes on",
    ),
    Command(
        "stream_settings",
        _MENU,
        "Stream Settings ...",
        _show_dialog,
        long=True,
        tip="Where the stream goes, how often, and how many programs receive it",
    ),
)
"""Streaming to other programs."""
