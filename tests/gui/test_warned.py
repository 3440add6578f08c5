"""Overlapping objects are outlined in the colour of warnings as soon as the session reports them."""

from __future__ import annotations

import numpy as np
from pytestqt.qtbot import QtBot

from snakestudio.drawing.camera import Camera
from snakestudio.drawing.draw_list import build
from snakestudio.drawing.overlays import Overlays, Pick
from snakestudio.drawing.style import DARK
from snakestudio.errors import Problem
from snakestudio.gui.shell.main_window import MainWindow
from snakestudio.gui.viewport.overlay_builder import warned
from snakestudio.model.edits import with_values
from snakestudio.model.scene_file import load_scene
from snakestudio.paths import scenes_dir
from snakestudio.render.offscreen import OffscreenRenderer


def test_only_errors_are_outlined() -> None:
    problems = [
        Problem("error", "obstacles[3]", "inside", "", (2,), (4, 5)),
        Problem("hint", "obstacles[1]", "far", "", (0,)),
        Problem("error", "obstacles[3]", "inside", "", (2,), (4,)),
    ]
    assert warned(problems) == (Pick("link", 4), Pick("link", 5), Pick("obstacle", 2))


def test_obstacle_on_the_robot_is_outlined(window: MainWindow, qtbot: QtBot) -> None:
    document = window.context.document
    viewport = window.context.viewport
    qtbot.waitUntil(lambda: window.context.session_controller.status.state != "empty")
    assert viewport.overlays().warned == ()
    document.edit(
        with_values(document.scene, {"obstacles[3].x_m": 0.6, "obstacles[3].y_m": 0.08}), "Move"
    )
    qtbot.waitUntil(lambda: Pick("obstacle", 2) in viewport.overlays().warned)
    assert any(pick.kind == "link" for pick in viewport.overlays().warned)
    document.undo_stack.undo()
    qtbot.waitUntil(lambda: viewport.overlays().warned == ())


def test_outline_is_visible() -> None:
    scene = load_scene(scenes_dir() / "obstacle_aided.toml")
    camera = Camera().frame((-0.2, -0.2, 0.0), (2.4, 0.4, 0.2), 1.6)
    with OffscreenRenderer(480, 300) as screen:
        count = []
        for overlays in (Overlays(), Overlays(warned=(Pick("obstacle", 2),))):
            picture = screen.draw(build(scene, None, overlays, camera), camera).astype(int)
            count.append(int((np.abs(picture - 255 * np.array(DARK.force)).sum(axis=2) < 60).sum()))
    assert count[1] > count[0] + 60
