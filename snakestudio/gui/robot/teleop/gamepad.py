"""Gamepads: read 100 times a second by a thread, which reports connecting and unplugging immediately."""

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
"""Age, s, above which readings are invalid: a driver that hangs counts as an unplugged gamepad."""


class Gamepads(QObject):
    """All gamepads together; read only while a user requests them.

    Signals
    -------
    connected(name: str), lost(name: str)
        A gamepad was plugged in or unplugged.
    refused(sentence: str)
        Gamepads are not available; `sentence` is the reason.
    """

    connected = Signal(str)
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
        """Reason why gamepads are not available; empty otherwise."""

    def want(self, user: object, on: bool) -> None:
        """Read gamepads while any `user` requests them."""
        if on:
            self._users.add(user)
        else:
            self._users.discard(user)
        if self._users and self._thread is None:
            self._begin()
        elif not self._users:
            self._end()

    @property
    def readings(self) -> dict[Input, float]:
        """Readings of deflected inputs."""
        read_at, values = self._now
        return values if time.monotonic() - read_at < _STALE_S else {}

    @property
    def alive(self) -> bool:
        """Whether gamepads are being read."""
        return self._thread is not None and time.monotonic() - self._now[0] < _STALE_S

    @property
    def stuck(self) -> bool:
        """Whether gamepads are present but have not been read for too long."""
        return bool(self.names) and time.monotonic() - self._now[0] >= _STALE_S

    def close(self) -> None:
        """End the thread, even if users still request gamepads."""
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
                added, lost = pads.poll()
                self.names = pads.names
                self._now = (time.monotonic(), pads.read())
                for name in lost:
                    self.lost.emit(name)
                for name in added:
                    self.connected.emit(name)
        finally:
            pads.close()


# SDL gamepads, read by one thread: opened when connected, closed when unplugged, each axis and
# button by its name.


_FULL = 32767.0

_HINTS = {
    b"SDL_JOYSTICK_ALLOW_BACKGROUND_EVENTS": b"1",  # SDL has no window that could be in front
    b"SDL_NO_SIGNAL_HANDLERS": b"1",  # the program handles SIGTERM to save unsaved data
    b"SDL_JOYSTICK_THREAD": b"1",  # on systems that announce devices to a window, SDL creates one
}


class SdlError(Exception):
    """Gamepads are not available; the message is the reason."""


def load_sdl() -> ModuleType:
    """Load the binding of SDL 2.

    Raises `SdlError` if it is missing.
    """
    try:
        # First, because it warns about the origin of its files; a warning filter applies to all
        # threads, and another thread may remove it.
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
    controller: Any  # None if SDL does not know the names of its buttons
    n_axes: int
    n_buttons: int
    n_hats: int


class Sdl:
    """All gamepads and joysticks; used by one thread from creation to `close`.

    Raises `SdlError` if SDL cannot start.

    Parameters
    ----------
    module : module
        Result of `load_sdl`.
    """

    def __init__(self, module: ModuleType) -> None:
        self._sdl: Any = module
        for name, value in _HINTS.items():
            self._sdl.SDL_SetHint(name, value)
        self._parts = self._sdl.SDL_INIT_JOYSTICK | self._sdl.SDL_INIT_GAMECONTROLLER
        if self._sdl.SDL_InitSubSystem(self._parts) != 0:
            error = self._sdl.SDL_GetError().decode(errors="replace")
            raise SdlError(f"Gamepads cannot be used: SDL reports {error!r}. The keys still work.")
        # Everything is polled: SDL's event queue is not read.
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
        """Names of the connected devices."""
        return tuple(device.name for device in self._devices.values())

    def poll(self) -> tuple[list[str], list[str]]:
        """Return the search for devices and update all of them.

        Returns
        -------
        found, lost : lists of str
                Names of devices connected and unplugged since the last call.
        """
        sdl = self._sdl
        sdl.SDL_JoystickUpdate()
        sdl.SDL_FlushEvents(sdl.SDL_JOYAXISMOTION, sdl.SDL_CONTROLLERDEVICEREMAPPED)
        lost = [
            number
            for number, device in self._devices.items()
            if not sdl.SDL_JoystickGetAttached(device.joystick)
        ]
        removed = [self._close(self._devices.pop(number)) for number in lost]
        added = []
        for index in range(sdl.SDL_NumJoysticks()):
            number = int(sdl.SDL_JoystickGetDeviceInstanceID(index))
            if number >= 0 and number not in self._devices:
                device = self._open(index)
                if device is not None:
                    self._devices[number] = device
                    added.append(device.name)
        return added, removed

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
        """Return the readings of deflected inputs; of several devices the one with the largest deflection."""
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
                    (Input("axis", name), _deflection(get_axis(controller, number)))
                    for number, name in self._axes
                ),
                *(
                    (Input("button", name), float(get_button(controller, number)))
                    for number, name in self._buttons
                ),
            ]
        readings = [
            (Input("axis", f"axis{number}"), _deflection(sdl.SDL_JoystickGetAxis(stick, number)))
            for number in range(device.n_axes)
        ]
        readings += [
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
            readings += [
                (Input("button", f"hat{number}{direction}"), float(bool(hat & mask)))
                for direction, mask in ways
            ]
        return readings

    def close(self) -> None:
        """Release all resources."""
        for device in self._devices.values():
            self._close(device)
        self._devices.clear()
        self._sdl.SDL_QuitSubSystem(self._parts)


def _deflection(raw: int) -> float:
    return max(-1.0, raw / _FULL)
