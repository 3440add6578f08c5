"""An emulated robot in a thread of this process, on a virtual bus of python-can."""

from __future__ import annotations

import threading
from types import TracebackType
from typing import Self

from snakestudio.link.emulator.process import BusPort, EmulatorProcess
from snakestudio.link.emulator.robot import EmulatedRobot
from snakestudio.link.profile.schema import Bus


class VirtualRobot:
    """Context in which an emulated robot responds on a channel of the interface "virtual".

    Parameters
    ----------
    robot : EmulatedRobot
        Used only by the thread while it runs.
    """

    def __init__(self, robot: EmulatedRobot, channel: str) -> None:
        self.bus = Bus(interface="virtual", channel=channel)
        self._ended = threading.Event()
        self._port = BusPort(self.bus)
        process = EmulatorProcess(robot, self._port, ends=self._ended.is_set)
        self._thread = threading.Thread(
            target=process.run, name="snakestudio-emulator", daemon=True
        )

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._ended.set()
        self._thread.join()
        self._port.close()
