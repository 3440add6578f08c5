"""What a drag of the mouse makes the window do: once for each picture, not for each place the mouse tells."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from PySide6.QtCore import QPointF
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from snakestudio.drawing.obstacles import obstacles_of
from snakestudio.gui.core.document import Document
from snakestudio.gui.plots.panel import PlotPanel
from snakestudio.gui.robot.teleop.panel import TeleopPanel
from snakestudio.gui.shell.main_window import MainWindow
from snakestudio.gui.viewport.surfaces.threaded_view import _Target
from snakestudio.model.edits import with_values
from snakestudio.viewmodel.scene import clearance
from snakestudio.viewmodel.viewport import motion
from tests.gui.fake import FakeBridge, make_recording
from tests.gui.pages.plots import PlotsPage
from tests.gui.test_viewport import top_of

pytestmark = pytest.mark.gui


def counted(monkeypatch: pytest.MonkeyPatch, where: Any, name: str) -> list[None]:
    """Notes every call of a function."""
    calls: list[None] = []
    real: Callable[..., Any] = getattr(where, name)

    def noting(*args: Any, **kwargs: Any) -> Any:
        calls.append(None)
        return real(*args, **kwargs)

    monkeypatch.setattr(where, name, noting)
    return calls


def test_a_mouse_that_tells_its_place_often_is_followed_at_the_pace_of_pictures(
    drawn: MainWindow, monkeypatch: pytest.MonkeyPatch
) -> None:
    viewport = drawn.context.viewport
    drawn.context.selection.set([("obstacle", 5)])
    viewport.tools.editor.transforms.start("move")
    running = viewport.tools.editor.transforms.transform
    assert running is not None
    place = QPointF(top_of(viewport, 5))
    running.follow(viewport.ndc(place), False)
    looked = counted(monkeypatch, motion, "coordinates")
    for step in range(50):
        running.follow(viewport.ndc(place + QPointF(step, 0)), False)
    assert len(looked) <= 2, "nobody has asked yet, and the scene follows with the next picture"
    assert running.amount.shift.any(), "whoever asks is told of the last place"
    assert len(looked) <= 4
    running.cancel()


def test_menus_do_not_follow_every_part_of_a_gesture(
    drawn: MainWindow, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    document = drawn.context.document
    table = drawn.context.action_registry
    QApplication.processEvents()
    asked = counted(monkeypatch, table, "refresh_soon")
    gesture = document.new_gesture()
    for step in range(20):
        document.set_value("obstacles[6].x_m", 1.0 + 0.001 * step, "Move cylinder 6", gesture)
    assert len(asked) < 6, "the first part of it may mean that there is something to undo"
    qtbot.waitUntil(table["undo"].isEnabled)
    assert not document.gesture_continues


def test_plots_wait_for_runs_that_come_slowly_while_the_scene_is_dragged(
    qtbot: QtBot, document: Document, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Among many obstacles the next beginning takes longer than plots rest."""
    session_controller = FakeBridge(make_recording(document.scene, 1))
    panel = PlotPanel(session_controller, document)  # type: ignore[arg-type]
    qtbot.addWidget(panel)
    session_controller.set_recording(make_recording(document.scene, 1))
    resting = PlotsPage(panel).rest_timer
    resting.setInterval(10**6)
    resting.start()
    begun = counted(monkeypatch, resting, "start")
    document.edit(with_values(document.scene, {"obstacles[6].x_m": 1.0}), "Move cylinder 6")
    assert len(begun) == 1
    resting.stop()
    document.edit(with_values(document.scene, {"obstacles[6].x_m": 1.1}), "Move cylinder 6")
    assert not resting.isActive(), "nothing waits, so nothing has to wait longer"


def test_a_panel_behind_another_one_is_not_renewed_by_a_drag(
    drawn: MainWindow, qtbot: QtBot
) -> None:
    panel = TeleopPanel(drawn.context.teleop_feature)
    qtbot.addWidget(panel)
    panel.switch.setText("as it was")
    drawn.context.document.set_value("obstacles[6].x_m", 1.0, "Move cylinder 6")
    assert panel.switch.text() == "as it was"
    panel.show()
    assert panel.switch.text() == "Drive by Hand"


def test_clearance_asks_for_the_distances_of_many_points_at_once(
    document: Document, monkeypatch: pytest.MonkeyPatch
) -> None:
    # the last part of every distance from a post
    asked = counted(monkeypatch, clearance, "_combined")
    snapshot = make_recording(document.scene, 1).snapshot(0)
    clearance.clearances(obstacles_of(document.scene.obstacles), 0, snapshot, document.scene.body)
    assert len(asked) <= 17


def test_a_picture_is_read_into_the_image_that_shows_it(
    drawn: MainWindow, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without a buffer made for each picture and without a further copy of it; row 0 is on top."""
    seen: list[int] = []
    real = _Target.read

    def read(target: _Target) -> Any:
        image = real(target)
        if target.size == (320, 200):  # the window's own picture may still be under way
            seen.append(target.pixels.ctypes.data)
        return image

    monkeypatch.setattr(_Target, "read", read)
    surface = drawn.context.viewport.gl
    assert surface is not None
    one, two = (surface.image(320, 200) for _ in range(2))
    assert len(seen) == 2
    assert len(set(seen)) == 1
    assert one == two
    sky = one.pixelColor(160, 2).lightness()
    floor = one.pixelColor(160, 197).lightness()
    assert sky != floor
