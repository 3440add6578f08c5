"""A program to be killed: the whole window, driven to where a robot streams, as `test_lost_window` runs it.

It connects to a robot that is emulated in another process, arms it and has it follow the scene,
with the simulated twin alongside. As soon as that has gone well for a moment it says so on the
standard output, with the process id of its link, and goes on until somebody ends it. If the robot
is stopped meanwhile, as a busy computer held up the window, it begins anew; what happens is told on
the standard error.

    python -m tests.gui.robot_probe SCENE PROFILE INTERFACE CHANNEL PORT
"""

from __future__ import annotations

import math
import sys
import time
from pathlib import Path

from PySide6.QtCore import QTimer

from snakestudio.gui.app import run
from snakestudio.gui.shell.main_window import MainWindow
from snakestudio.link.messages import LinkState
from snakestudio.link.process.client import LinkClient
from snakestudio.link.profile.loading import load_profile
from snakestudio.link.profile.schema import Bus
from snakestudio.viewmodel.robot.services import LiveChoices

_LOOK_MS = 50
_PATIENCE_S = 1.5
"""Between two requests: each gets the time to have its effect."""
_STEADY_S = 1.0


class Drive:
    """Leads the robot of a window to streaming, by what its state is."""

    def __init__(self, window: MainWindow, profile: Path, bus: Bus) -> None:
        self._window = window
        self._profile = profile
        self._bus = bus
        self._asked = 0.0
        self._since = math.inf
        self._told = False
        window.context.robot_controller.happened.connect(
            lambda event: print(event.text, file=sys.stderr, flush=True)
        )
        self._timer = QTimer(window)
        self._timer.timeout.connect(self._look)
        self._timer.start(_LOOK_MS)

    def _look(self) -> None:
        window = self._window
        robot = self._window.context.robot_controller
        now = time.monotonic()
        state = robot.state
        self._since = min(self._since, now) if state is LinkState.STREAMING else math.inf
        if state is LinkState.STREAMING:
            link = robot.link
            if not self._told and now > self._since + _STEADY_S and isinstance(link, LinkClient):
                self._told = True
                print(link.pid, flush=True)
            return
        if not window.context.docks.are_filled or now < self._asked + _PATIENCE_S:
            return
        self._asked = now
        if not robot.connected:
            loaded = load_profile(self._profile)
            window.context.robot_controller.connect_to(loaded, self._bus, LiveChoices())
        elif state is LinkState.LISTENING and robot.link is not None:
            robot.link.command("idle")
        elif state is LinkState.IDLE and robot.live is not None:
            # Whoever drove it before was killed, and it stopped: it wants a reset, which the window
            # asks for in words.
            stopped = any("reset it" in reason for reason in robot.live.not_ready)
            (robot.reset if stopped else robot.live.arm)()
        elif state is LinkState.ARMED:
            robot.stream()
        elif state is LinkState.FAULT:
            robot.reset()


def main(scene: Path, profile: Path, bus: Bus) -> int:
    """Open the window and drive until somebody ends it."""
    kept: list[Drive] = []
    return run(scene, lambda window: kept.append(Drive(window, profile, bus)))


if __name__ == "__main__":
    interface, channel, port = sys.argv[3:6]
    sys.exit(
        main(
            Path(sys.argv[1]),
            Path(sys.argv[2]),
            Bus(interface=interface, channel=channel, options={"port": int(port)}),
        )
    )
