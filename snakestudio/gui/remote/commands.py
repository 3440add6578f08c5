"""What remote control has in the menus."""

from __future__ import annotations

from typing import Protocol

from snakestudio.gui.core.command import Command, Context
from snakestudio.gui.remote.remote_control import RemoteControl

__all__ = ["REMOTE", "RemoteMenuContext"]

_MENU = "Simulation/Other Programs"


class RemoteMenuContext(Context, Protocol):
    """What these commands work with."""

    remote: RemoteControl


def _show_dialog(c: RemoteMenuContext) -> None:
    from snakestudio.gui.remote.dialog import RemoteDialog

    dialog = c.window.findChild(RemoteDialog) or RemoteDialog(c.remote, c.window)
    dialog.show()
    dialog.raise_()
    dialog.activateWindow()


REMOTE: tuple[Command[RemoteMenuContext], ...] = (
    Command(
        "remote_control",
        _MENU,
        "Allow Remote Control",
        lambda c: c.remote.toggle(),
        checked=lambda c: c.remote.on,
        tip="Let programs of this computer that know the token open scenes, run and export; never arm a robot",
    ),
    Command(
        "remote_settings",
        _MENU,
        "Remote Control Settings ...",
        _show_dialog,
        long=True,
        tip="Port and token of remote control",
    ),
)
"""Remote control by other programs."""
