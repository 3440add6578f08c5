"""Replay of a recorded log as a bus through the same link; nothing can be sent."""

from __future__ import annotations

import time
from dataclasses import replace
from pathlib import Path

from snakestudio.errors import LinkError
from snakestudio.link.bus.bus_errors import BusSetupError
from snakestudio.link.bus.frame_log import READABLE, LoggedFrame, LogReader, read_log
from snakestudio.link.frame import Frame
from snakestudio.link.profile.schema import Bus

_SLOWEST = 0.01
_FASTEST = 100.0


class LogEndedError(LinkError):
    """All frames of the log were played."""

    def __init__(self, message: str, notes: tuple[str, ...] = ()) -> None:
        super().__init__(" ".join([message, *notes]))
        self.notes = notes
        """Messages about unreadable parts of the log."""


class ReplayBus:
    """`CanBus` that replays a log.

    Raises `BusSetupError` if the file cannot be read, has no frames, or an option is wrong.

    Parameters
    ----------
    bus : Bus
        Its channel is the file; options are `speed` (1: as recorded) and `loop`.
    """

    replayed = True

    def __init__(self, bus: Bus) -> None:
        if not bus.channel:
            raise BusSetupError(
                f"replay: No log was chosen. Set the channel to a file ({', '.join(READABLE)})."
            )
        self._path = Path(bus.channel)
        speed = bus.options.get("speed", 1.0)
        loop = bus.options.get("loop", False)
        unknown = set(bus.options) - {"speed", "loop"}
        if unknown:
            raise BusSetupError(f'replay: There is no option "{min(unknown)}". Use speed or loop.')
        if isinstance(speed, (bool, str)) or not _SLOWEST <= speed <= _FASTEST:
            raise BusSetupError(
                f"replay: speed must be {_SLOWEST:g} to {_FASTEST:g} (got {speed!r})."
            )
        if not isinstance(loop, bool):
            raise BusSetupError(f"replay: loop must be true or false (got {loop!r}).")
        self._speed = float(speed)
        self._loop = loop
        self._frames, self._next = self._first()
        self._begin: float | None = None
        self._ended = False

    def receive(self, timeout: float) -> tuple[Frame, bool] | None:
        """See `CanBus`.

        Raises `LogEndedError` after the last frame, and `LinkError` where the log is damaged.
        """
        now = time.monotonic()
        if self._begin is None:
            self._begin = now
        if self._ended:
            raise LogEndedError(f"{self._path.name}: The log has ended.", self._notes)
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
        # With the due time even if it is read later, as on any bus.
        return replace(logged.frame, time=due), logged.sent

    def send(self, frame: Frame) -> None:
        """See `CanBus`.

        Always raises `LinkError`.
        """
        raise LinkError("Nothing can be sent to a replayed log.")

    def off(self) -> str:
        """See `CanBus`."""
        return ""

    def close(self) -> None:
        """See `CanBus`."""
        self._frames.close()
        self._ended = True

    @property
    def _notes(self) -> tuple[str, ...]:
        return self._frames.notes

    def _first(self) -> tuple[LogReader, LoggedFrame]:
        try:
            frames = read_log(self._path)
            first = next(frames, None)
        except LinkError as error:
            raise BusSetupError(str(error)) from error
        if first is None:
            raise BusSetupError(f"{self._path.name}: The log has no frames. Choose another file.")
        return frames, first
