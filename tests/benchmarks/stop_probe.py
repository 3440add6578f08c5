"""Press the space bar in the real window while a robot is connected: `stop_probe PROFILE COUNT`, results as JSON."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Iterator
from pathlib import Path

from PySide6.QtCore import Qt, QTimer
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from snakestudio.gui.app import run
from snakestudio.gui.shell.main_window import MainWindow
from snakestudio.link.messages import LinkState
from snakestudio.paths import main_scene
from snakestudio.viewmodel.robot.services import LiveChoices

_GAP_MS = 250
_SETTLE_MS = 3000


def presses(window: MainWindow, profile: Path, count: int) -> Iterator[int]:
    """Steps of the probe; yields the time until the next one, ms."""
    control = window.context.robot_controller
    while (
        not window.context.docks.are_filled
        or window.context.session_controller.status.state != "ready"
    ):
        yield 100
    window.context.document.set_value("run.duration_s", 600.0, "Duration")
    window.context.document.undo_stack.setClean()
    window.context.session_controller.session.set_speed(float("inf"))
    window.context.session_controller.session.play()
    loaded = control.services.load(profile)
    control.connect_to(loaded, loaded.profile.bus, LiveChoices(twin=False))
    while control.state is not LinkState.LISTENING:
        yield 100
    link = control.link
    called = 0.0
    assert link is not None
    link.command("idle")
    yield _SETTLE_MS
    stop = link.stop

    def timed(reason: str = "") -> None:
        nonlocal called
        called = time.monotonic()
        stop(reason)

    link.stop = timed  # type: ignore[method-assign]
    times = []
    for _ in range(count):
        assert QApplication.activeModalWidget() is None, "a dialog blocks the window"
        begin = time.monotonic()
        QTest.keyClick(window.windowHandle(), Qt.Key.Key_Space)
        times.append((begin, called))
        yield _GAP_MS
    print(json.dumps(times), flush=True)
    window.close()


def watch(window: MainWindow) -> None:
    """Run the steps in the window's own event loop."""
    steps = presses(window, Path(sys.argv[1]), int(sys.argv[2]))

    def advance() -> None:
        pause = next(steps, None)
        if pause is not None:
            QTimer.singleShot(pause, advance)

    QTimer.singleShot(_SETTLE_MS, advance)


if __name__ == "__main__":
    run(main_scene(), watch)
