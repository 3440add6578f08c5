"""A panel of plots of an hour of a synthetic run, on the screen of the environment; prints its results as JSON."""

from __future__ import annotations

import itertools
import json
import math
import sys
import time
from collections.abc import Callable
from dataclasses import replace

import numpy as np
from PySide6.QtCore import QEventLoop, QTimer
from PySide6.QtWidgets import QApplication

from snakestudio.gui.core import theme
from snakestudio.gui.core.document import Document
from snakestudio.gui.plots.channel_library import ChannelLibrary, DerivedChannel
from snakestudio.gui.plots.panel import PlotPanel
from snakestudio.model.recording import Schema
from snakestudio.model.scene import Scene
from snakestudio.paths import scenes_dir
from snakestudio.runfile.recording import RunRecording
from snakestudio.viewmodel.plots.content import Content, Curve
from tests.gui.fake import ENERGIES, FakeSessionController, make_rows

ROWS = 360_000
_PART = 18_000


def an_hour(scene: Scene) -> RunRecording:
    """An hour in a run file, made of repeated minutes."""
    recording = RunRecording(scene, Schema(scene.robot.n_links, scene.body.axes, ENERGIES))
    part = make_rows(scene, 0, _PART)
    for first in range(0, ROWS, _PART):
        recording.append(
            replace(part, time=np.arange(first, first + _PART) / scene.run.log_rate_hz)
        )
    recording.close()
    return recording


def until(app: QApplication, done: Callable[[], bool]) -> tuple[float, float]:
    """Run the event loop until a condition holds: the time, s, and the longest stall, ms."""
    beats = [time.perf_counter()]
    timer = QTimer()
    timer.setInterval(1)
    timer.timeout.connect(lambda: beats.append(time.perf_counter()))
    timer.start()
    began = time.perf_counter()
    while not done():
        app.processEvents(QEventLoop.ProcessEventsFlag.WaitForMoreEvents)
    timer.stop()
    beats.append(time.perf_counter())
    return time.perf_counter() - began, 1000 * max(b - a for a, b in itertools.pairwise(beats))


def redraws(
    app: QApplication,
    panel: PlotPanel,
    views: Callable[[float], tuple[float, float]],
    seconds: float,
) -> tuple[float, float]:
    """Redraws of all plots following a moving view, per second, and processor time of each, ms."""
    count = 0
    began = time.perf_counter()
    used = time.process_time()
    while (now := time.perf_counter() - began) < seconds:
        panel.set_view(*views(now))
        while panel.redraws.stale:
            app.processEvents(QEventLoop.ProcessEventsFlag.WaitForMoreEvents)
        count += 1
    used = time.process_time() - used
    return count / (time.perf_counter() - began), 1000 * used / count


def main() -> None:
    """Measure and print."""
    sys.setswitchinterval(0.0001)  # as in the program
    app = QApplication([])
    theme.apply(app, "dark")
    document = Document()
    library = ChannelLibrary()
    document.open(scenes_dir() / "obstacle_aided.toml")
    recording = an_hour(document.scene)
    curves = [
        tuple(Curve(name) for name in names)
        for names in (
            ("link_6_x_m", "link_6_y_m"),
            ("joint_4_yaw_rad", "joint_4_yaw_ref_rad"),
            ("link_6_obstacle_fy_n", "link_7_obstacle_fy_n"),
            ("com_vx_mps", "com_vy_mps"),
        )
    ]
    panel = PlotPanel(
        FakeSessionController(recording),
        document,
        library,
        [Content("time", curves=c) for c in curves],
    )  # type: ignore[arg-type]
    panel.resize(1280, 400)
    panel.show()
    until(app, lambda: not panel.series_cache.missing)
    figures = {"memory": panel.series_cache.nbytes / 1e6 / 8}
    duration = ROWS / 100

    def zoom(now: float) -> tuple[float, float]:
        width = duration * 10 ** (-3 * abs(math.sin(0.5 * now)))
        return 0.4 * (duration - width), 0.4 * (duration - width) + width

    figures["zoom"], figures["zoom_cost"] = redraws(app, panel, zoom, 6.0)
    figures["column"], figures["stall"] = until_added(app, panel, "link_3_x_m")
    library.put(DerivedChannel("smooth_mps", "lowpass(derivative(link_6_x_m), 2)", "m/s"))
    figures["derived"], figures["derived_stall"] = until_added(app, panel, "smooth_mps")
    panel.show_contents([Content.tracks((1, 11))])
    until(app, lambda: not panel.series_cache.missing)
    figures["tracks"], _ = redraws(app, panel, zoom, 3.0)
    panel.close_down()
    print(json.dumps(figures))


def until_added(app: QApplication, panel: PlotPanel, name: str) -> tuple[float, float]:
    """Time to show another channel in a separate plot, from the command until all of it is computed."""
    QTimer.singleShot(0, lambda: panel.add_channels((name,)))
    return until(app, lambda: name in panel.plots[-1].names and not panel.series_cache.missing)


if __name__ == "__main__":
    main()
