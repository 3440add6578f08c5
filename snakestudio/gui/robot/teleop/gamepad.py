"""Gamepads for the window: a thread reads them 100 times a second, and says at once when one comes or is gone."""

from __future__ import annotations

import contextlib
import threading
import time
from dataclasses import dataclass
from types import ModuleType
from typing import Any

from PySide6.QtCore import QObject, Signal

from snakestudio.gui.robot.teleop.inputs import Input

_PERIOD_S = 0.01

_STALE_S = 0.1
"""Readings older than this are none: a driver that hangs counts as a gamepad that is gone."""


class Gamepads(QObject):
    """All gamepads together; read only while somebody wants them.

    Signals
    -------
    found(name: str), lost(name: str)
        One was plugged in, or is gone.
    refused(sentence: str)
        Why there are none.
    """

    found = Signal(str)
    lost = Signal(str)
    refused = Signal(str)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._users: set[object] = set()
        self._thread: threading.Thread | None = None
        self._stop = threading.Event()
        self._now: tuple[float, dict[Input, float]] = (0.0, {})
        self.names: tuple[str, ...] = ()
        self.refusal = ""
        """Why there are none, in a sentence; empty while there may be some."""

    def want(self, user: object, wanted: bool) -> None:
        """Read gamepads as long as any `user` wants them."""
        if wanted:
            self._users.add(user)
        else:
            self._users.discard(user)
        if self._users and self._thread is None:
            self._begin()
        elif not self._users:
            self._end()

    @property
    def readings(self) -> dict[Input, float]:
        """What is off its rest now."""
        read_at, values = self._now
        return values if time.monotonic() - read_at < _STALE_S else {}

    @property
    def alive(self) -> bool:
        """Whether gamepads are being read."""
        return self._thread is not None and time.monotonic() - self._now[0] < _STALE_S

    @property
    def stuck(self) -> bool:
        """Whether gamepads are there but have not been read for too long."""
        return bool(self.names) and time.monotonic() - self._now[0] >= _STALE_S

    def close(self) -> None:
        """End the thread, whoever wants it."""
        self._users.clear()
        self._end()

    def _begin(self) -> None:
        try:
            sdl = load_sdl()
        except SdlError as error:
            self._refuse(str(error))
            return
        self._stop = threading.Event()
        self._thread = threading.Thread(
            target=self._work, args=(sdl, self._stop), name="snakestudio-gamepad", daemon=True
        )
        self._thread.start()

    def _end(self) -> None:
        thread = self._thread
        self._thread = None
        if thread is not None:
            self._stop.set()
            thread.join()
        self.names = ()
        self._now = (0.0, {})

    def _refuse(self, sentence: str) -> None:
        self.refusal = sentence
        self.refused.emit(sentence)

    def _work(self, module: object, stop: threading.Event) -> None:
        try:
            pads = Sdl(module)  # type: ignore[arg-type]
        except SdlError as error:
            self._refuse(str(error))
            return
        self.refusal = ""
        try:
            while not stop.wait(_PERIOD_S):
                found, lost = pads.poll()
                self.names = pads.names
                self._now = (time.monotonic(), pads.read())
                for name in lost:
                    self.lost.emit(name)
                for name in found:
                    self.found.emit(name)
        finally:
            pads.close()


# SDL's gamepads, read by one thread: opened as they come, closed as they go, each axis and button
# by its name.


_FULL = 32767.0

_HINTS = {
    b"SDL_JOYSTICK_ALLOW_BACKGROUND_EVENTS": b"1",  # there is no window of SDL's that could be in front
    b"SDL_NO_SIGNAL_HANDLERS": b"1",  # SIGTERM saves what is unsaved, and is not SDL's
    b"SDL_JOYSTICK_THREAD": b"1",  # where devices are announced to a window, SDL makes one of its own
}


class SdlError(Exception):
    """Why there are no gamepads, in a sentence."""


def load_sdl() -> ModuleType:
    """The binding of SDL 2.

    Raises `SdlError` if it is not there.
    """
    try:
        # First, or it warns of whose files it takes; a filter of warnings is all threads', and
        # another takes it away.
        with contextlib.suppress(ImportError):
            import sdl2dll  # noqa: F401
        import sdl2
    except (ImportError, OSError) as error:
        reason = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise SdlError(
            f"Gamepads cannot be used: SDL 2 is missing ({reason}). Install it, or use the keys."
        ) from None
    module: ModuleType = sdl2
    return module


@dataclass(slots=True)
class _Device:
    name: str
    joystick: Any
    controller: Any  # None where SDL does not know what its buttons are called
    n_axes: int
    n_buttons: int
    n_hats: int


class Sdl:
    """All gamepads and joysticks there are; used by one thread, from its begin to its end.

    Raises `SdlError` if SDL cannot begin.

    Parameters
    ----------
    module : module
        What `load_sdl` gave.
    """

    def __init__(self, module: ModuleType) -> None:
        self._sdl: Any = module
        for name, value in _HINTS.items():
            self._sdl.SDL_SetHint(name, value)
        self._parts = self._sdl.SDL_INIT_JOYSTICK | self._sdl.SDL_INIT_GAMECONTROLLER
        if self._sdl.SDL_InitSubSystem(self._parts) != 0:
            said = self._sdl.SDL_GetError().decode(errors="replace")
            raise SdlError(f"Gamepads cannot be used: SDL reports {said!r}. The keys still work.")
        # Everything is polled: nobody takes events out of SDL's queue.
        self._sdl.SDL_JoystickEventState(self._sdl.SDL_IGNORE)
        self._sdl.SDL_GameControllerEventState(self._sdl.SDL_IGNORE)
        self._devices: dict[int, _Device] = {}
        self._axes = self._named(
            self._sdl.SDL_CONTROLLER_AXIS_MAX, self._sdl.SDL_GameControllerGetStringForAxis
        )
        self._buttons = self._named(
            self._sdl.SDL_CONTROLLER_BUTTON_MAX, self._sdl.SDL_GameControllerGetStringForButton
        )

    @staticmethod
    def _named(count: int, name_of: Any) -> list[tuple[int, str]]:
        named = [(number, name_of(number)) for number in range(count)]
        return [(number, name.decode()) for number, name in named if name]

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the devices that are there."""
        return tuple(device.name for device in self._devices.values())

    def poll(self) -> tuple[list[str], list[str]]:
        """Look at everything anew.

        Returns
        -------
        found, lost : lists of str
            Names of devices that came and went.
        """
        sdl = self._sdl
        sdl.SDL_JoystickUpdate()
        sdl.SDL_FlushEvents(sdl.SDL_JOYAXISMOTION, sdl.SDL_CONTROLLERDEVICEREMAPPED)
        lost = [
            number
            for number, device in self._devices.items()
            if not sdl.SDL_JoystickGetAttached(device.joystick)
        ]
        gone = [self._close(self._devices.pop(number)) for number in lost]
        found = []
        for index in range(sdl.SDL_NumJoysticks()):
            number = int(sdl.SDL_JoystickGetDeviceInstanceID(index))
            if number >= 0 and number not in self._devices:
                device = self._open(index)
                if device is not None:
                    self._devices[number] = device
                    found.append(device.name)
        return found, gone

    def _open(self, index: int) -> _Device | None:
        sdl = self._sdl
        controller = sdl.SDL_GameControllerOpen(index) if sdl.SDL_IsGameController(index) else None
        joystick = (
            sdl.SDL_GameControllerGetJoystick(controller)
            if controller
            else sdl.SDL_JoystickOpen(index)
        )
        if not joystick:
            return None
        name = sdl.SDL_JoystickName(joystick)
        return _Device(
            name.decode(errors="replace") if name else "Gamepad",
            joystick,
            controller or None,
            sdl.SDL_JoystickNumAxes(joystick),
            sdl.SDL_JoystickNumButtons(joystick),
            sdl.SDL_JoystickNumHats(joystick),
        )

    def _close(self, device: _Device) -> str:
        if device.controller:
            self._sdl.SDL_GameControllerClose(device.controller)
        else:
            self._sdl.SDL_JoystickClose(device.joystick)
        return device.name

    def read(self) -> dict[Input, float]:
        """What is off its rest; of several devices the one that is moved furthest."""
        read: dict[Input, float] = {}
        for device in self._devices.values():
            for source, value in self._read(device):
                if value and abs(value) >= abs(read.get(source, 0.0)):
                    read[source] = value
        return read

    def _read(self, device: _Device) -> list[tuple[Input, float]]:
        sdl = self._sdl
        stick = device.joystick
        controller = device.controller
        if controller:
            get_axis = sdl.SDL_GameControllerGetAxis
            get_button = sdl.SDL_GameControllerGetButton
            return [
                *(
                    (Input("axis", name), _share(get_axis(controller, number)))
                    for number, name in self._axes
                ),
                *(
                    (Input("button", name), float(get_button(controller, number)))
                    for number, name in self._buttons
                ),
            ]
        found = [
            (Input("axis", f"axis{number}"), _share(sdl.SDL_JoystickGetAxis(stick, number)))
            for number in range(device.n_axes)
        ]
        found += [
            (Input("button", f"button{number}"), float(sdl.SDL_JoystickGetButton(stick, number)))
            for number in range(device.n_buttons)
        ]
        for number in range(device.n_hats):
            hat = sdl.SDL_JoystickGetHat(stick, number)
            ways = (
                ("up", sdl.SDL_HAT_UP),
                ("right", sdl.SDL_HAT_RIGHT),
                ("down", sdl.SDL_HAT_DOWN),
                (
                    "left",
                    sdl.SDL_HAT_LEFT,
                ),
            )
            found += [
                (Input("button", f"hat{number}{way}"), float(bool(hat & mask)))
                for way, mask in ways
            ]
        return found

    def close(self) -> None:
        """Give everything back."""
        for device in self._devices.values():
            self._close(device)
        self._devices.clear()
        self._sdl.SDL_QuitSubSystem(self._parts)


def _share(raw: int) -> float:
    return max(-1.0, raw / _FULL)
