"""Gamepads through SDL: values, plugging and unplugging, and machines without gamepads."""

from __future__ import annotations

import builtins
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from pytestqt.qtbot import QtBot

from snakestudio.gui.robot.teleop.gamepad import Gamepads, Sdl, SdlError, load_sdl
from snakestudio.gui.robot.teleop.inputs import Input
from tests.gui.teleop.conftest import VirtualPad

pytestmark = pytest.mark.gui

Plug = Callable[..., VirtualPad]


@pytest.fixture
def pads(qtbot: QtBot) -> Iterator[Gamepads]:
    pads = Gamepads()
    pads.want("test", True)
    yield pads
    pads.close()


def test_known_gamepad_is_read_by_names(qtbot: QtBot, pads: Gamepads, plug: Plug) -> None:
    with qtbot.waitSignal(pads.connected):
        pad = plug(pads)
    pad.axis(1, -1.0)
    pad.axis(4, 1.0)
    pad.button(0, True)
    expected = {
        Input("axis", "lefty"): -1.0,
        Input("axis", "lefttrigger"): 1.0,
        Input("button", "a"): 1.0,
    }
    qtbot.waitUntil(lambda: pads.readings == pytest.approx(expected, abs=1e-4))
    pad.button(0, False)
    qtbot.waitUntil(lambda: Input("button", "a") not in pads.readings)


def test_any_joystick_is_read_by_numbers(qtbot: QtBot, pads: Gamepads, plug: Plug) -> None:
    pad = plug(pads, axes=3, buttons=4, known=False)
    pad.axis(2, 0.5)
    pad.button(3, True)
    expected = {Input("axis", "axis2"): 0.5, Input("button", "button3"): 1.0}
    qtbot.waitUntil(lambda: pads.readings == pytest.approx(expected, abs=1e-4))


def test_unplugged_gamepad_releases_its_inputs(qtbot: QtBot, pads: Gamepads, plug: Plug) -> None:
    pad = plug(pads)
    pad.axis(0, 1.0)
    qtbot.waitUntil(lambda: bool(pads.readings))
    with qtbot.waitSignal(pads.lost, timeout=60_000) as lost:  # a benchmark measures the delay
        pad.unplug()
    assert lost.args
    assert pads.readings == {}
    assert pads.names == ()
    plug(pads).axis(0, -1.0)
    qtbot.waitUntil(lambda: pads.readings == {Input("axis", "leftx"): -1.0})


def test_larger_input_of_two_gamepads_counts(qtbot: QtBot, pads: Gamepads, plug: Plug) -> None:
    one = plug(pads)
    other = plug(pads)
    one.axis(0, 0.25)
    other.axis(0, -0.75)
    qtbot.waitUntil(
        lambda: pads.readings == pytest.approx({Input("axis", "leftx"): -0.75}, abs=1e-3)
    )
    other.unplug()
    qtbot.waitUntil(
        lambda: pads.readings == pytest.approx({Input("axis", "leftx"): 0.25}, abs=1e-3)
    )


def test_gamepads_are_read_only_on_request(qtbot: QtBot, pads: Gamepads, plug: Plug) -> None:
    pads.want("other", True)
    pads.want("test", False)
    plug(pads)
    pads.want("other", False)
    assert pads.names == ()
    assert not pads.alive


def test_hanging_reader_counts_as_no_gamepad(
    qtbot: QtBot, pads: Gamepads, plug: Plug, monkeypatch: pytest.MonkeyPatch
) -> None:
    plug(pads).axis(0, 1.0)
    qtbot.waitUntil(lambda: bool(pads.readings))
    monkeypatch.setattr("snakestudio.gui.robot.teleop.gamepad._STALE_S", 0.1)
    read = Sdl.read
    goes_on = threading.Event()

    def held(sdl: Sdl) -> dict[Input, float]:
        goes_on.wait(60.0)
        return read(sdl)

    monkeypatch.setattr(Sdl, "read", held)
    qtbot.waitUntil(lambda: pads.stuck)
    assert pads.readings == {}
    goes_on.set()


def test_sdl_does_not_handle_signals(qtbot: QtBot, pads: Gamepads, plug: Plug) -> None:
    def handled() -> tuple[object, bool]:
        status = Path("/proc/self/status").read_text(encoding="ascii")
        caught = int(status.split("SigCgt:")[1].split()[0], 16)
        return signal.getsignal(signal.SIGTERM), bool(caught >> (signal.SIGTERM - 1) & 1)

    before = signal.signal(signal.SIGTERM, signal.SIG_DFL)
    try:
        plug(pads)
        assert handled() == (signal.SIG_DFL, False)
    finally:
        signal.signal(signal.SIGTERM, before)


def test_missing_sdl_is_reported_and_keys_work(
    monkeypatch: pytest.MonkeyPatch, qtbot: QtBot
) -> None:
    real = builtins.__import__

    def without(name: str, *args: Any) -> Any:
        if name == "sdl2":
            raise ImportError("could not find any library for SDL2")
        return real(name, *args)

    monkeypatch.setattr(builtins, "__import__", without)
    pads = Gamepads()
    with qtbot.waitSignal(pads.refused):
        pads.want("test", True)
    assert "SDL2" in pads.refusal
    assert pads.readings == {}
    pads.close()


def test_failed_start_of_sdl_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    module = load_sdl()
    monkeypatch.setattr(module, "SDL_InitSubSystem", lambda parts: -1)
    with pytest.raises(SdlError, match="SDL"):
        Sdl(module)


def test_sdl_import_gives_no_warnings() -> None:
    """A filter set by one thread is removed when another ends its own `catch_warnings`."""
    alone = "import warnings; warnings.simplefilter = lambda *given: None"
    load = "from snakestudio.gui.robot.teleop.gamepad import load_sdl; load_sdl()"
    fresh = {name: value for name, value in os.environ.items() if name != "PYSDL2_DLL_PATH"}
    subprocess.run([sys.executable, "-W", "error", "-c", f"{alone}; {load}"], env=fresh, check=True)
