"""Gamepads for the window: a thread reads them 100 times a second, and says at once when one comes or is gone."""

from __future__ import annotations

import threading
import time

from PySide6.QtCore import QObject, Signal

from snakestudio.gui.robot.teleop.inputs import Input
from snakestudio.gui.robot.teleop.sdl import Sdl, SdlError, load_sdl

__all__ = ["Gamepads"]

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
            sdl = load_sdl()  # here: what it does to warnings is for all threads
        except SdlError as error:
            self._refuse(str(error))
            return
        self._stop = threading.Event()
        self._thread = threading.Thread(
            target=self._work, args=(sdl, self._stop), name="snakestudio-gamepad", daemon=True
        )
        self._thread.start()

    def _end(self) -> None:
        thread, self._thread = self._thread, None
        if thread is not None:
            self._stop.set()
            thread.join()
        self.names, self._now = (), (0.0, {})

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
