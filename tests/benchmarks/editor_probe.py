"""Edit a scene of many obstacles in the real window by real mouse events: `editor_probe SECONDS SIZE COUNT`."""

from __future__ import annotations

import json
import math
import sys
import tempfile
import time
from pathlib import Path
from statistics import median

import numpy as np
from PySide6.QtCore import QEvent, QObject, QPointF, Qt, QTimer
from PySide6.QtGui import QMouseEvent
from PySide6.QtWidgets import QApplication

from snakestudio.gui.app import run
from snakestudio.gui.shell.main_window import MainWindow
from snakestudio.model.obstacles.shape import Obstacle
from snakestudio.model.obstacles.shapes.box import Box
from snakestudio.model.obstacles.shapes.cylinder import Cylinder
from snakestudio.model.scene import Scene
from snakestudio.model.scene_file import save_scene

MOVES_MS = 8
"""Interval of mouse events."""


def big_scene(count: int) -> Scene:
    """Cylinders and boxes in turn, on a jittered grid around the robot."""
    rng = np.random.default_rng(3)
    side = math.ceil(math.sqrt(count))
    obstacles: list[Obstacle] = []
    for i in range(count):
        x = ((i % side) - side / 2) * 0.45
        y = ((i // side) - side / 2) * 0.45 + 0.4
        x = round(x + float(rng.uniform(-0.08, 0.08)), 3)
        y = round(y + float(rng.uniform(-0.08, 0.08)), 3)
        obstacle = (
            Cylinder(x_m=x, y_m=y, radius_m=0.06)
            if i % 2
            else Box(x_m=x, y_m=y, length_m=0.12, width_m=0.1)
        )
        obstacles.append(obstacle)
    return Scene(title=f"{count} obstacles", obstacles=tuple(obstacles))


class Probe(QObject):
    """Waits for the whole window, drags an obstacle, undoes, and prints the results as JSON."""

    def __init__(self, window: MainWindow, seconds: float, size: tuple[int, int]) -> None:
        super().__init__(window)
        self._window = window
        self._seconds = seconds
        self._draws: list[float] = []
        self._moves: list[float] = []
        window.resize(*size)
        self._waiting = QTimer(self)
        self._waiting.timeout.connect(self._wait)
        self._waiting.start(50)
        self._mouse = QTimer(self)
        self._mouse.setTimerType(Qt.TimerType.PreciseTimer)
        self._mouse.setInterval(MOVES_MS)
        self._mouse.timeout.connect(self._move)

    def _wait(self) -> None:
        window = self._window
        if (
            window.context.docks.are_filled
            and window.context.viewport.settled
            and window.context.session_controller.status.state == "ready"
        ):
            self._waiting.stop()
            window.context.viewport.frame_all(at_once=True)
            QTimer.singleShot(1500, self._begin)

    def _send(self, kind: QEvent.Type, at: QPointF, buttons: Qt.MouseButton) -> None:
        button = (
            Qt.MouseButton.NoButton if kind is QEvent.Type.MouseMove else Qt.MouseButton.LeftButton
        )
        viewport = self._window.context.viewport
        event = QMouseEvent(
            kind, at, viewport.mapToGlobal(at), button, buttons, Qt.KeyboardModifier.NoModifier
        )
        QApplication.sendEvent(viewport, event)

    def _begin(self) -> None:
        window = self._window
        viewport = self._window.context.viewport
        middle = min(
            range(len(window.context.document.scene.obstacles)),
            key=lambda i: math.hypot(
                *(np.array(_place(window, i)) - viewport.navigator.camera.target[:2])
            ),
        )
        obstacle = window.context.document.scene.obstacles[middle]
        self._at = viewport.pixel((obstacle.x_m, obstacle.y_m, 0.05))
        picks = []
        for k in range(50):
            start = time.perf_counter()
            viewport.pick(self._at + QPointF(3.0 * k, 2.0 * k))
            picks.append(time.perf_counter() - start)
        self._pick = 1000 * median(picks)
        for kind, buttons in (
            (QEvent.Type.MouseButtonPress, Qt.MouseButton.LeftButton),
            (QEvent.Type.MouseButtonRelease, Qt.MouseButton.NoButton),
        ):
            self._send(kind, self._at, buttons)
        assert window.context.selection.obstacles, "the obstacle in the middle is selected"
        self._send(QEvent.Type.MouseButtonPress, self._at, Qt.MouseButton.LeftButton)
        self._before = window.context.document.scene
        viewport.frame_drawn.connect(self._draws.append)
        self._from = time.perf_counter()
        self._mouse.start()

    def _move(self) -> None:
        now = time.perf_counter()
        passed = now - self._from
        if passed > self._seconds:
            self._end(passed)
            return
        at = self._at + QPointF(60.0 * math.sin(2.0 * passed), 40.0 * math.sin(3.1 * passed))
        self._send(QEvent.Type.MouseMove, at, Qt.MouseButton.LeftButton)
        self._moves.append(time.perf_counter() - now)

    def _end(self, passed: float) -> None:
        self._mouse.stop()
        window = self._window
        frames = len(self._draws) / passed
        self._send(QEvent.Type.MouseButtonRelease, self._at, Qt.MouseButton.NoButton)
        assert window.context.document.scene is not self._before, "the obstacle was dragged"
        stack = window.context.document.undo_stack
        undo = []
        for k in range(20):
            QApplication.processEvents()
            start = time.perf_counter()
            (stack.redo if k % 2 else stack.undo)()
            undo.append(time.perf_counter() - start)
        figures = {
            "fps": frames,
            "move": 1000 * median(self._moves),
            "draw": 1000 * median(self._draws),
            "pick": self._pick,
            "undo": 1000 * median(undo),
            "undo_max": 1000 * max(undo),
        }
        print(json.dumps(figures), flush=True)
        stack.setClean()
        window.close()


def _place(window: MainWindow, index: int) -> tuple[float, float]:
    obstacle = window.context.document.scene.obstacles[index]
    return obstacle.x_m, obstacle.y_m


def main() -> int:
    """Run the window with the probe."""
    width, height = map(int, sys.argv[2].split("x"))
    with tempfile.TemporaryDirectory() as folder:
        scene = Path(folder) / "big.toml"
        save_scene(big_scene(int(sys.argv[3])), scene)
        return run(scene, lambda w: Probe(w, float(sys.argv[1]), (width, height)))


if __name__ == "__main__":
    sys.exit(main())
