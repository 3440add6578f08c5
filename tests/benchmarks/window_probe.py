"""Play the main scene in the real window and measure its frame rate and stalls: `window_probe SECONDS WIDTHxHEIGHT`."""

from __future__ import annotations

import json
import sys
import time
from statistics import median

from PySide6.QtCore import QObject, Qt, QTimer

from snakestudio.gui.app import run
from snakestudio.gui.shell.main_window import MainWindow
from snakestudio.paths import scenes_dir

BEAT_MS = 5
SETTLING_S = 3.0
"""Time without measurement, in which panels and others are created."""


class Probe(QObject):
    """Waits for the whole window, plays, measures, prints the results as JSON and closes the window."""

    def __init__(self, window: MainWindow, seconds: float, size: tuple[int, int]) -> None:
        super().__init__(window)
        self._window = window
        self._seconds = seconds
        self._beats: list[float] = []
        self._draws: list[float] = []
        self._last = 0.0
        self._from = (0.0, 0.0)
        window.resize(*size)
        self._waiting = QTimer(self)
        self._waiting.timeout.connect(self._wait)
        self._waiting.start(50)
        self._heart = QTimer(self)
        self._heart.setTimerType(Qt.TimerType.PreciseTimer)
        self._heart.setInterval(BEAT_MS)
        self._heart.timeout.connect(self._beat)

    def _wait(self) -> None:
        if (
            self._window.context.docks.are_filled
            and self._window.context.session_controller.status.state == "ready"
        ):
            self._waiting.stop()
            document = self._window.context.document
            document.set_value("run.duration_s", self._seconds + 60.0, "Duration")
            document.undo_stack.setClean()
            QTimer.singleShot(500, self._window.context.session_controller.play_or_pause)
            QTimer.singleShot(int(500 + 1000 * SETTLING_S), self._begin)

    def _begin(self) -> None:
        self._window.context.viewport.frame_drawn.connect(self._draws.append)
        snapshot = self._window.context.session_controller.session.latest
        assert snapshot is not None
        self._from = (time.perf_counter(), snapshot.time)
        self._last = time.perf_counter()
        self._heart.start()
        QTimer.singleShot(int(1000 * self._seconds), self._end)

    def _beat(self) -> None:
        now = time.perf_counter()
        self._beats.append(now - self._last)
        self._last = now

    def _end(self) -> None:
        self._heart.stop()
        snapshot = self._window.context.session_controller.session.latest
        assert snapshot is not None
        passed = time.perf_counter() - self._from[0]
        beats = sorted(self._beats)
        figures = {
            "fps": len(self._draws) / passed,
            "p50": 1000 * median(beats) - BEAT_MS,
            "p99": 1000 * beats[int(0.99 * len(beats))] - BEAT_MS,
            "max": 1000 * beats[-1] - BEAT_MS,
            "draw": 1000 * median(self._draws),
            "factor": (snapshot.time - self._from[1]) / passed,
        }
        print(json.dumps(figures), flush=True)
        self._window.context.document.undo_stack.setClean()
        self._window.close()


def main() -> int:
    """Run the window with the probe."""
    width, height = map(int, sys.argv[2].split("x"))
    return run(
        scenes_dir() / "obstacle_aided.toml",
        lambda w: Probe(w, float(sys.argv[1]), (width, height)),
    )


if __name__ == "__main__":
    sys.exit(main())
