"""A recorded log played as if it were a bus, through the same link: what it shows is real, and nothing can be sent."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from snakestudio.errors import LinkError
from snakestudio.link.bus.bus_errors import BusSetupError
from snakestudio.link.bus.frame_log import READABLE, Logged, LogReader, read_log
from snakestudio.link.frame import Frame
from snakestudio.link.profile.schema import Bus

_SLOWEST = 0.01
_FASTEST = 100.0


class LogEndedError(LinkError):
    """All frames of the log were played."""

    def __init__(self, message: str, notes: tuple[str, ...] = ()) -> None:
        super().__init__(" ".join([message, *notes]))
        self.notes = notes
        """What could not be read of it."""


class ReplayBus:
    """Fulfils `CanBus` from a log.

    Raises `BusSetupError` if the file cannot be read, holds no frame, or an option is wrong.

    Parameters
    ----------
    bus : Bus
        Its channel is the file; options are `speed` (1: as it was recorded) and `loop`.
    """

    replayed = True

    def __init__(self, bus: Bus) -> None:
        if not bus.channel:
            raise BusSetupError(
                f"replay: no log was chosen; give a file as channel, a {', '.join(READABLE)}."
            )
        self._path = Path(bus.channel)
        speed = bus.options.get("speed", 1.0)
        loop = bus.options.get("loop", False)
        unknown = set(bus.options) - {"speed", "loop"}
        if unknown:
            raise BusSetupError(f'replay: there is no option "{min(unknown)}"; give speed or loop.')
        if isinstance(speed, (bool, str)) or not _SLOWEST <= speed <= _FASTEST:
            raise BusSetupError(
                f"replay: a speed of {speed!r} is not possible; give {_SLOWEST:g} to {_FASTEST:g}."
            )
        if not isinstance(loop, bool):
            raise BusSetupError(
                f"replay: loop = {loop!r} is neither true nor false; give one of them."
            )
        self._speed = float(speed)
        self._loop = loop
        self._frames: Iterator[Logged]
        self._frames, self._next = self._first()
        self._begin: float | None = None
        self._ended = False

    def receive(self, timeout: float) -> tuple[Frame, bool] | None:
        """See `CanBus`.

        Raises `LogEndedError`: after the last frame. Raises `LinkError`: at a place where the log
        is broken.
        """
        now = time.monotonic()
        if self._begin is None:
            self._begin = now
        if self._ended:
            raise LogEndedError(f"{self._path.name}: the log has ended.", self._notes)
        due = self._begin + self._next.time / self._speed
        if due > now + timeout:
            time.sleep(timeout)
            return None
        time.sleep(max(0.0, due - now))
        logged = self._next
        following = next(self._frames, None)
        if following is not None:
            self._next = following
        elif self._loop:
            self._frames, self._next = self._first()
            self._begin = due
        else:
            self._ended = True
        # As old as it is if nobody was there to take it when it was due, as on any bus.
        return replace(logged.frame, time=due), logged.sent

    def send(self, frame: Frame) -> None:
        """See `CanBus`.

        Raises `LinkError`: Always.
        """
        raise LinkError("Nothing can be sent to a log that is played.")

    def off(self) -> str:
        """See `CanBus`."""
        return ""

    def close(self) -> None:
        """See `CanBus`."""
        self._frames = iter(())
        self._ended = True

    @property
    def _notes(self) -> tuple[str, ...]:
        return self._frames.notes if isinstance(self._frames, LogReader) else ()

    def _first(self) -> tuple[LogReader, Logged]:
        try:
            frames = read_log(self._path)
            first = next(frames, None)
        except LinkError as error:
            raise BusSetupError(str(error)) from error
        if first is None:
            raise BusSetupError(f"{self._path.name}: the log holds no frame; choose another file.")
        return frames, first
