"""Measure the memory of the real window: `memory_probe hour SIMULATED_S` or `memory_probe scenes COUNT`.

``hour`` plays sidewinding at full speed in the default layout for a minute. The rows of an hour
would take an hour, so the following rows are those of the last ten seconds, repeated with
continuing times: they pass through recording, file, plots, time bar and view like all rows, only
faster than the engine computes them.
"""

from __future__ import annotations

import gc
import json
import math
import sys
import threading
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from statistics import median

from PySide6.QtCore import QObject, QTimer

from snakestudio import heap
from snakestudio.gui.app import run
from snakestudio.gui.shell.main_window import MainWindow
from snakestudio.paths import scenes_dir
from tests.benchmarks.bench_memory import resident

SCENE = scenes_dir() / "sidewinding.toml"
MINUTE_S = 60.0
PIECE = 100
"""Rows that are appended together, as in a run at full speed."""
TILE_S = 10.0
PAUSE_S = 0.05
"""Pause after each tile: more rows at a time would fill the memory with rows waiting for the file."""
SETTLING_S = 3.0
RELEASE_S = 35.0
"""Time in which the window returns freed memory; see `SessionController`."""

Wait = float
"""Seconds until the probe continues."""


class Probe(QObject):
    """Runs one step after the other in the event loop, prints the results as JSON and closes the window."""

    def __init__(self, window: MainWindow, what: str, amount: float) -> None:
        super().__init__(window)
        self._context = window.context
        self._window = window
        self._values: dict[str, float] = {}
        self._steps = self._hour(amount) if what == "hour" else self._scenes(int(amount))
        QTimer.singleShot(100, self._advance)

    def _advance(self) -> None:
        wait = next(self._steps, None)
        if wait is not None:
            QTimer.singleShot(round(1000 * wait), self._advance)
            return
        print(json.dumps(self._values), flush=True)
        self._context.document.undo_stack.setClean()
        self._window.close()

    def _until_ready(self) -> Iterator[Wait]:
        while not (
            self._context.docks.are_filled
            and self._context.session_controller.status.state == "ready"
        ):
            yield 0.05

    def _hour(self, simulated: float) -> Iterator[Wait]:
        yield from self._until_ready()
        context = self._context
        context.document.set_value("run.duration_s", 1e6, "Duration")
        context.run_bar.speed.choose(math.inf)
        yield from self._until_ready()
        yield SETTLING_S
        self._values["ready"] = resident()
        context.session_controller.play_or_pause()
        yield MINUTE_S
        self._values["minute"] = resident()
        context.session_controller.session.pause()
        yield 1.0
        feed = threading.Thread(target=self._feed, args=[simulated])
        feed.start()
        most = 0.0
        while feed.is_alive():
            yield 1.0
            most = max(most, resident())
        yield RELEASE_S
        recording = context.session_controller.session.recording
        assert recording is not None
        self._values |= {
            "simulated": float(recording.times[-1]),
            "rows": float(len(recording)),
            "most": most,
            "hour": resident(),
        }
        del recording
        context.session_controller.reset()
        yield 2 * SETTLING_S
        self._values["reset"] = resident()

    def _feed(self, simulated: float) -> None:
        """Append rows up to a simulated time."""
        session = self._context.session_controller.session
        recording = session.recording
        latest = session.latest
        assert recording is not None
        assert latest is not None
        rate = recording.scene.run.log_rate_hz
        n = len(recording)
        tile = round(TILE_S * rate)
        rows = recording.rows(n - tile, n)
        begin = float(recording.times[-1])
        state = recording.checkpoint_before(math.inf)
        assert state is not None
        n_tiles = 0
        while (shift := begin + n_tiles * TILE_S - float(rows.time[0]) + 1.0 / rate) + rows.time[
            0
        ] < simulated:
            for start in range(0, tile, PIECE):
                piece = rows.slice(start, min(tile, start + PIECE))
                recording.append(replace(piece, time=piece.time + shift))
                session.core.latest = replace(latest, time=float(piece.time[-1] + shift))
            recording.add_checkpoint(float(recording.times[-1]), state[1])
            n_tiles += 1
            time.sleep(PAUSE_S)

    def _scenes(self, count: int) -> Iterator[Wait]:
        """Open each scene once, because formulations stay loaded after their first scene, then `count` scenes."""
        yield from self._until_ready()
        self._values["ready"] = resident()
        paths = sorted(scenes_dir().glob("*.toml"))
        for path in paths:
            yield from self._open(path)
        yield from self._settled("first")
        for number in range(count):
            yield from self._open(paths[number % len(paths)])
        yield from self._settled("last")

    def _settled(self, name: str) -> Iterator[Wait]:
        """Measure the memory with the same scene: the median of several values, because one may include garbage."""
        values = []
        for _ in range(5):
            yield from self._open(SCENE)
            values.append(resident())
        self._values[name] = median(values)

    def _open(self, path: Path) -> Iterator[Wait]:
        """Open a scene, play it for a second and wait until freed memory is returned."""
        self._context.document.undo_stack.setClean()
        self._context.files.open(path)
        yield from self._until_ready()
        self._context.session_controller.play_or_pause()
        yield 1.0
        self._context.session_controller.session.pause()
        yield 0.5
        gc.collect()
        heap.release()


def main() -> int:
    """Run the window with the probe."""
    return run(SCENE, lambda window: Probe(window, sys.argv[1], float(sys.argv[2])))


if __name__ == "__main__":
    sys.exit(main())
