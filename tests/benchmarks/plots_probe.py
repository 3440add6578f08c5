"""A panel of plots over an hour of a made-up run, on the screen it is given; prints its figures as JSON."""

from __future__ import annotations

import itertools
import json
import math
import time
from collections.abc import Callable
from dataclasses import replace

import numpy as np
from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QApplication

from snakestudio.gui import theme
from snakestudio.gui.channels.library import Derived, Library
from snakestudio.gui.document import Document
from snakestudio.gui.plots.content import Content, Curve
from snakestudio.gui.plots.panel import PlotPanel
from snakestudio.model.recording import Rows, Schema
from snakestudio.model.scene import Scene
from snakestudio.paths import scenes_dir
from tests.gui.fake import ENERGIES, FakeBridge, make_rows

ROWS = 360_000
_PART = 18_000


class Formula:
    """An hour made of the same minutes over and over: nothing of it has to be stored."""

    changes, events = (), ()

    def __init__(self, scene: Scene, n_rows: int) -> None:
        self.scene, self.schema = scene, Schema(scene.robot.n_links, False, ENERGIES)
        self.times = np.arange(n_rows) / scene.run.log_rate_hz
        self._part = make_rows(scene, 0, _PART)

    def __len__(self) -> int:
        return len(self.times)

    def scene_at(self, time: float) -> Scene:
        return self.scene

    def rows(self, start: int, stop: int) -> Rows:
        parts = []
        for first in range(start // _PART * _PART, stop, _PART):
            parts.append(self._part.slice(max(start - first, 0), min(stop - first, _PART)))
        return replace(Rows.concatenate(parts), time=self.times[start:stop])

    def index_at(self, time: float) -> int:
        return int(np.argmin(np.abs(self.times - time)))


def until(app: QApplication, done: Callable[[], bool]) -> tuple[float, float]:
    """Let the window live until something is done: how long that took, s, and the longest it stood, ms."""
    beats = [time.perf_counter()]
    timer = QTimer()
    timer.setInterval(1)
    timer.timeout.connect(lambda: beats.append(time.perf_counter()))
    timer.start()
    began = time.perf_counter()
    while not done():
        app.processEvents()
    timer.stop()
    beats.append(time.perf_counter())
    return time.perf_counter() - began, 1000 * max(b - a for a, b in itertools.pairwise(beats))


def redraws(
    app: QApplication, panel: PlotPanel, views: Callable[[float], tuple[float, float]], seconds: float
) -> float:
    """How often a second all plots follow a view that moves all the time."""
    count, began = 0, time.perf_counter()
    while (now := time.perf_counter() - began) < seconds:
        panel.set_view(*views(now))
        panel.draw_now()
        app.processEvents()  # paints them
        count += 1
    return count / (time.perf_counter() - began)


def main() -> None:
    """Measure, and print."""
    app = QApplication([])
    theme.apply(app, "dark")
    document, library = Document(), Library()
    document.open(scenes_dir() / "obstacle_aided.toml")
    recording = Formula(document.scene, ROWS)
    curves = [tuple(Curve(name) for name in names) for names in (
        ("link_6_x_m", "link_6_y_m"), ("joint_4_yaw_rad", "joint_4_yaw_ref_rad"),
        ("link_6_obstacle_fy_n", "link_7_obstacle_fy_n"), ("com_vx_mps", "com_vy_mps"),
    )]  # fmt: skip
    panel = PlotPanel(FakeBridge(recording), document, library, [Content("time", curves=c) for c in curves])  # type: ignore[arg-type]
    panel.resize(1280, 400)
    panel.show()
    until(app, lambda: not panel.history.missing)
    figures = {"memory": panel.history.nbytes / 1e6 / 8}
    whole = ROWS / 100

    def zoom(now: float) -> tuple[float, float]:
        width = whole * 10 ** (-3 * abs(math.sin(0.5 * now)))
        return 0.4 * (whole - width), 0.4 * (whole - width) + width

    figures["zoom"] = redraws(app, panel, zoom, 6.0)
    figures["column"], figures["stall"] = until_added(app, panel, "link_3_x_m")
    library.put(Derived("smooth_mps", "lowpass(derivative(link_6_x_m), 2)", "m/s"))
    figures["derived"], figures["derived_stall"] = until_added(app, panel, "smooth_mps")
    panel.show_contents([Content.tracks((1, 11))])
    until(app, lambda: not panel.history.missing)
    figures["tracks"] = redraws(app, panel, zoom, 3.0)
    panel.close_down()
    print(json.dumps(figures))


def until_added(app: QApplication, panel: PlotPanel, name: str) -> tuple[float, float]:
    """Show one more channel and wait until all of it is known."""
    panel.add_channels((name,))
    return until(app, lambda: not panel.history.missing)


if __name__ == "__main__":
    main()
