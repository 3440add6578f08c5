"""Program to be killed: the whole window, driven until a robot streams, for `test_lost_window`.

It connects to a robot that is emulated in another process, arms it and makes it follow the scene,
with the simulated twin alongside. After a moment of streaming it prints this and the process id of
its link, and continues until it is killed. If the robot is stopped meanwhile, because a busy
computer delayed the window, it starts again; events are printed to the standard error.

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
"""Time between two commands, so that each can take effect."""
_STEADY_S = 1.0


class Drive:
    """Commands the robot of a window, depending on its state, until it streams."""

    def __init__(self, window: MainWindow, profile: Path, bus: Bus) -> None:
        self._window = window
        self._profile = profile
        self._bus = bus
        self._commanded_at = 0.0
        self._since = math.inf
        self._reported = False
        window.context.robot_controller.happened.connect(
            lambda event: print(event.text, file=sys.stderr, flush=True)
        )
        self._timer = QTimer(window)
        self._timer.timeout.connect(self._poll)
        self._timer.start(_LOOK_MS)

    def _poll(self) -> None:
        window = self._window
        robot = self._window.context.robot_controller
        now = time.monotonic()
        state = robot.state
        self._since = min(self._since, now) if state is LinkState.STREAMING else math.inf
        if state is LinkState.STREAMING:
            link = robot.link
            if (
                not self._reported
                and now > self._since + _STEADY_S
                and isinstance(link, LinkClient)
            ):
                self._reported = True
                print(link.pid, flush=True)
            return
        if not window.context.docks.are_filled or now < self._commanded_at + _PATIENCE_S:
            return
        self._commanded_at = now
        if not robot.connected:
            loaded = load_profile(self._profile)
            window.context.robot_controller.connect_to(loaded, self._bus, LiveChoices())
        elif state is LinkState.LISTENING and robot.link is not None:
            robot.link.command("idle")
        elif state is LinkState.IDLE and robot.live is not None:
            # The window that drove it before was killed, and the robot stopped: it needs a reset,
            # which the window requests with a message.
            stopped = any("Reset it" in reason for reason in robot.live.not_ready)
            (robot.reset if stopped else robot.live.arm)()
        elif state is LinkState.ARMED:
            robot.stream()
        elif state is LinkState.FAULT:
            robot.reset()


def main(scene: Path, profile: Path, bus: Bus) -> int:
    """Open the window and drive until killed."""
    drives: list[Drive] = []
    return run(scene, lambda window: drives.append(Drive(window, profile, bus)))


if __name__ == "__main__":
    interface, channel, port = sys.argv[3:6]
    sys.exit(
        main(
            Path(sys.argv[1]),
            Path(sys.argv[2]),
            Bus(interface=interface, channel=channel, options={"port": int(port)}),
        )
    )
