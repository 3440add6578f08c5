"""Declaration of remote control."""

from __future__ import annotations

from typing import Protocol

from snakestudio.gui.core.feature import Feature, Parts
from snakestudio.gui.forms.banner import Banners
from snakestudio.gui.remote.commands import REMOTE, RemoteMenuContext
from snakestudio.gui.remote.methods import RemoteContext
from snakestudio.gui.remote.remote_control import RemoteControl


class _Context(RemoteMenuContext, RemoteContext, Protocol):
    banners: Banners


def _make(c: _Context) -> Parts:
    yield "remote", RemoteControl(c, c.banners.sharing)


FEATURE: Feature[_Context] = Feature(
    commands={"remote": REMOTE},
    make=_make,
    changes=lambda c: (c.remote.changed,),
    background=lambda c: c.remote.doing,
    close=lambda c: c.remote.close(),
)
