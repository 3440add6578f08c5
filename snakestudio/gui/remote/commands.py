"""Commands of remote control."""

from __future__ import annotations

from typing import Protocol

from snakestudio.gui.core.command import Command, Context
from snakestudio.gui.forms.service_dialog import ServiceDialog, service_commands
from snakestudio.gui.remote.remote_control import RemoteControl

_MENU = "Simulation/Other Programs"


class RemoteMenuContext(Context, Protocol):
    """Context of these commands."""

    remote: RemoteControl


def _service(context: RemoteMenuContext) -> RemoteControl:
    return context.remote


def _dialog() -> type[ServiceDialog]:
    from snakestudio.gui.remote.dialog import RemoteDialog

    return RemoteDialog


REMOTE: tuple[Command[RemoteMenuContext], ...] = service_commands(
    _service,
    _dialog,
    Command(
        "remote_control",
        _MENU,
        "Allow Remote Control",
        tip="Let programs on this computer that have the token open scenes, run and export, but never arm a robot",
    ),
    Command(
        "remote_settings",
        _MENU,
        "Remote Control Settings...",
        long=True,
        tip="Set the port and show the token of remote control",
    ),
)
"""Commands of remote control by other programs."""
