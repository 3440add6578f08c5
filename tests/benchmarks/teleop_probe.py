"""Plug SDL's virtual gamepad in and out of a window under teleoperation; prints the time of each stop, s.

A separate program, because it needs a display and the benchmarks use a platform without a screen.
"""

from __future__ import annotations

import os
import random
import sys
import tempfile
import time

os.environ["QT_QPA_PLATFORM"] = "offscreen"

from PySide6.QtCore import QSettings
from PySide6.QtWidgets import QApplication, QWidget

from snakestudio.gui.robot.teleop.teleop import Teleop
from tests.gui.teleop.conftest import VirtualPad


def main(times: int) -> None:
    """Print so many times."""
    app = QApplication([])
    window = QWidget()
    window.show()
    window.activateWindow()
    with tempfile.TemporaryDirectory() as folder:
        settings = QSettings(os.path.join(folder, "probe.ini"), QSettings.Format.IniFormat)
        teleop = Teleop(window, lambda: ("scene",), settings)
        stopped: list[float] = []
        teleop.stop_requested.connect(lambda reason: stopped.append(time.monotonic()))
        teleop.set_on(True)
        chance = random.Random(1)

        def until(seconds: float, what: object = None) -> None:
            end = time.monotonic() + seconds
            while time.monotonic() < end and not (callable(what) and what()):
                app.processEvents()
                time.sleep(0.0005)

        until(5.0, lambda: teleop.pads.alive)
        for _ in range(times):
            pad = VirtualPad()
            until(2.0, lambda: bool(teleop.pads.names))
            until(0.1)
            pad.axis(1, -1.0)
            until(2.0, lambda: teleop.command.speed == 1.0)
            assert teleop.command.speed == 1.0, "the gamepad drives"
            until(chance.uniform(0.0, 0.03))
            stopped.clear()
            began = time.monotonic()
            pad.unplug()
            until(2.0, lambda: bool(stopped))
            print(stopped[0] - began if stopped else float("inf"), flush=True)
        teleop.close()


if __name__ == "__main__":
    main(int(sys.argv[1]))
