"""Work of the window during a drag of the mouse: once per frame, not once per mouse event."""

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
from snakestudio.model.obstacles import solid_distances
from snakestudio.viewmodel.scene import clearance
from snakestudio.viewmodel.viewport import motion
from tests.gui.fake import FakeSessionController, make_recording
from tests.gui.pages.plots import PlotsPage
from tests.gui.test_viewport import top_of

pytestmark = pytest.mark.gui


def counted(monkeypatch: pytest.MonkeyPatch, where: Any, name: str) -> list[None]:
    """Record every call of a function."""
    calls: list[None] = []
    real: Callable[..., Any] = getattr(where, name)

    def noting(*args: Any, **kwargs: Any) -> Any:
        calls.append(None)
        return real(*args, **kwargs)

    monkeypatch.setattr(where, name, noting)
    return calls


def test_frequent_mouse_events_are_handled_once_per_frame(
    drawn: MainWindow, monkeypatch: pytest.MonkeyPatch
) -> None:
    viewport = drawn.context.viewport
    drawn.context.selection.set([("obstacle", 5)])
    viewport.tools.editor.transforms.start("move")
    running = viewport.tools.editor.transforms.transform
    assert running is not None
    position = QPointF(top_of(viewport, 5))
    running.follow(viewport.ndc(position), False)
    looked = counted(monkeypatch, motion, "coordinates")
    for step in range(50):
        running.follow(viewport.ndc(position + QPointF(step, 0)), False)
    assert len(looked) <= 2, "no one has asked yet, and the scene follows with the next frame"
    assert running.amount.shift.any(), "queries return the last position"
    assert len(looked) <= 4
    running.cancel()


def test_menus_are_not_updated_for_every_event_of_a_gesture(
    drawn: MainWindow, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    document = drawn.context.document
    table = drawn.context.action_registry
    QApplication.processEvents()
    calls = counted(monkeypatch, table, "refresh_soon")
    gesture = document.new_gesture()
    for step in range(20):
        document.set_value("obstacles[6].x_m", 1.0 + 0.001 * step, "Move cylinder 6", gesture)
    assert len(calls) < 6, "the first part of a gesture may create an undo step"
    qtbot.waitUntil(table["undo"].isEnabled)
    assert not document.gesture_continues


def test_plots_wait_for_slow_runs_during_a_drag(
    qtbot: QtBot, document: Document, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Among many obstacles the next start takes longer than plots rest."""
    session_controller = FakeSessionController(make_recording(document.scene, 1))
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
    assert not resting.isActive(), "nothing waits for the timer"


def test_hidden_panel_is_not_updated_by_a_drag(drawn: MainWindow, qtbot: QtBot) -> None:
    panel = TeleopPanel(drawn.context.teleop_feature)
    qtbot.addWidget(panel)
    panel.switch.setText("as it was")
    drawn.context.document.set_value("obstacles[6].x_m", 1.0, "Move cylinder 6")
    assert panel.switch.text() == "as it was"
    panel.show()
    assert panel.switch.text() == "Drive by Hand"


def test_clearance_computes_distances_of_many_points_together(
    document: Document, monkeypatch: pytest.MonkeyPatch
) -> None:
    # the last term of all distances from a post
    calls = counted(monkeypatch, solid_distances, "_combined")
    snapshot = make_recording(document.scene, 1).snapshot(0)
    clearance.clearances(obstacles_of(document.scene.obstacles), 0, snapshot, document.scene.body)
    assert len(calls) <= 17


def test_frame_is_read_into_the_displayed_image(
    drawn: MainWindow, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without a new buffer or a copy per frame; row 0 is on top."""
    seen: list[int] = []
    real = _Target.read

    def read(target: _Target) -> Any:
        image = real(target)
        if target.size == (320, 200):  # a frame of the window itself may still be pending
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
