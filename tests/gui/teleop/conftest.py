"""A virtual gamepad of SDL that is plugged in and unplugged as by a real driver."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from pytestqt.qtbot import QtBot

from snakestudio.gui.robot.teleop.gamepad import Gamepads, load_sdl


class VirtualPad:
    """One gamepad, plugged in."""

    def __init__(self, axes: int = 6, buttons: int = 15, *, known: bool = True) -> None:
        self._sdl: Any = load_sdl()
        kind = (
            self._sdl.SDL_JOYSTICK_TYPE_GAMECONTROLLER
            if known
            else self._sdl.SDL_JOYSTICK_TYPE_UNKNOWN
        )
        self._index = self._sdl.SDL_JoystickAttachVirtual(kind, axes, buttons, 1)
        assert self._index >= 0, self._sdl.SDL_GetError()
        self._number = self._sdl.SDL_JoystickGetDeviceInstanceID(self._index)
        self._stick = self._sdl.SDL_JoystickOpen(self._index)

    def axis(self, number: int, deflection: float) -> None:
        assert (
            self._sdl.SDL_JoystickSetVirtualAxis(self._stick, number, round(32767 * deflection))
            == 0
        )

    def button(self, number: int, down: bool) -> None:
        assert self._sdl.SDL_JoystickSetVirtualButton(self._stick, number, int(down)) == 0

    def unplug(self) -> None:
        for index in range(self._sdl.SDL_NumJoysticks()):
            if self._sdl.SDL_JoystickGetDeviceInstanceID(index) == self._number:
                self._sdl.SDL_JoystickDetachVirtual(index)
        if self._stick is not None:
            self._sdl.SDL_JoystickClose(self._stick)
            self._stick = None


@pytest.fixture
def plug(qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., VirtualPad]]:
    """Plug in a gamepad; needs `Gamepads` that are being read.

    A thread that a busy machine delays for a while must not look like a driver that hangs; tests of a
    hanging driver set the time themselves.
    """
    monkeypatch.setattr("snakestudio.gui.robot.teleop.gamepad._STALE_S", 5.0)
    created: list[VirtualPad] = []

    def plug(pads: Gamepads, **values: Any) -> VirtualPad:
        before = len(pads.names)
        qtbot.waitUntil(lambda: pads.alive)
        created.append(VirtualPad(**values))
        qtbot.waitUntil(lambda: len(pads.names) == before + 1)
        return created[-1]

    yield plug
    for pad in created:
        pad.unplug()
