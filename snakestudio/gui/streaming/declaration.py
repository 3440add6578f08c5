"""Declaration of streaming to other programs."""

from __future__ import annotations

from typing import Protocol

from snakestudio.gui.core.feature import Feature, Parts
from snakestudio.gui.forms.banner import Banners
from snakestudio.gui.streaming.commands import STREAMING, StreamContext
from snakestudio.gui.streaming.streamer import Streamer


class _Context(StreamContext, Protocol):
    banners: Banners


def _make(c: _Context) -> Parts:
    yield "streamer", Streamer(c.session_controller, c.banners.sharing, c.settings, c.window)


FEATURE: Feature[_Context] = Feature(
    commands={"streaming": STREAMING},
    make=_make,
    changes=lambda c: (c.streamer.changed,),
    background=lambda c: c.streamer.doing,
    close=lambda c: c.streamer.close(),
)
