"""The path in the viewport: drawn by points, dragged, shortened, cancelled; every change is one undo step."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt
from pytestqt.qtbot import QtBot

from snakestudio.gui.scene.parameters import ParameterPanels
from snakestudio.gui.shell.main_window import MainWindow
from snakestudio.gui.viewport.viewport import Viewport
from snakestudio.model.edits import with_values
from snakestudio.paths import scenes_dir
from tests.gui.conftest import COMPILING_MS, fill_docks
from tests.gui.test_viewport import LEFT, NONE, RIGHT, drag

pytestmark = pytest.mark.gui

PATH = [[0.0, -1.0], [1.0, -1.0], [2.0, -1.5], [3.0, -1.0]]


def seen(viewport: Viewport, x: float, y: float) -> QPoint:
    return viewport.pixel((x, y, 0.0)).toPoint()


def click(qtbot: QtBot, viewport: Viewport, point: QPoint, button: Qt.MouseButton = LEFT) -> None:
    qtbot.mouseMove(viewport, point)
    qtbot.mouseClick(viewport, button, NONE, point)


@pytest.fixture
def pathed(drawn: MainWindow, qtbot: QtBot) -> MainWindow:
    """A window with the main scene and a path next to its robot, with a fixed view."""
    qtbot.waitUntil(
        lambda: drawn.context.session_controller.status.state == "ready", timeout=COMPILING_MS
    )
    drawn.context.document.edit(
        with_values(drawn.context.document.scene, {"path.waypoints_m": PATH}), "Path"
    )
    drawn.context.viewport.navigator.view("top")
    drawn.context.viewport.navigator.finish()
    drawn.context.viewport.frame_all(at_once=True)
    return drawn


def test_path_is_drawn_by_clicks_in_one_undo_step(pathed: MainWindow, qtbot: QtBot) -> None:
    viewport = pathed.context.viewport
    document = pathed.context.document
    before = document.scene
    steps = document.undo_stack.count()
    pathed.context.action_registry["draw_path"].trigger()
    assert viewport.hint.text().startswith("Click: set a")
    expected = [(0.3, 0.4), (1.1, 0.2), (9.0, 0.2), (1.9, -0.6)]
    for x, y in expected[:2]:
        click(qtbot, viewport, seen(viewport, x, y))
    click(qtbot, viewport, seen(viewport, 1.5, 0.5))
    qtbot.keyClick(viewport, Qt.Key.Key_Backspace)  # remove a wrong point
    # Orbiting or panning meanwhile sets no point, nor does a second click at the same position.
    drag(qtbot, viewport, seen(viewport, 1.5, 0.5), seen(viewport, 1.2, 0.4), RIGHT)
    click(qtbot, viewport, seen(viewport, 1.1, 0.2))
    assert document.scene is before
    last = seen(viewport, 1.9, -0.6)
    qtbot.mouseMove(viewport, last)

    def drawn_to_the_cursor() -> bool:
        draft = viewport.tools.path_tool.draft
        return draft is not None and np.allclose(draft.waypoints_m[-1], expected[3], atol=0.02)

    qtbot.waitUntil(drawn_to_the_cursor)
    draft = viewport.tools.path_tool.draft
    assert draft is not None
    # a line to the cursor
    np.testing.assert_allclose(draft.waypoints_m, [*expected[:2], expected[3]], atol=0.02)
    assert viewport.overlays().draft == draft
    click(qtbot, viewport, last)
    qtbot.mouseDClick(viewport, LEFT, NONE, last)
    assert not viewport.tools.path_tool.drawing
    np.testing.assert_allclose(
        document.scene.path.waypoints_m, [*expected[:2], expected[3]], atol=0.02
    )
    assert document.undo_stack.count() == steps + 1
    assert document.undo_stack.undoText() == "Draw path"
    assert not pathed.context.selection.items
    document.undo_stack.undo()
    assert document.scene == before


def test_buttons_of_the_panel_draw_and_remove(drawn: MainWindow, qtbot: QtBot) -> None:
    drawn.context.document.edit(
        with_values(
            drawn.context.document.scene,
            {"path.waypoints_m": PATH, "controller.kind": "path_following"},
        ),
        "Path",
    )
    fill_docks(drawn)
    panel = drawn.context.docks["parameters"].widget()
    assert isinstance(panel, ParameterPanels)
    panel.controller.draw_button.click()
    assert drawn.context.viewport.tools.path_tool.drawing
    qtbot.waitUntil(drawn.context.viewport.hasFocus)
    qtbot.keyClick(drawn.context.viewport, Qt.Key.Key_Escape)
    panel.controller.clear_button.click()
    assert not drawn.context.document.scene.path
    assert drawn.context.document.undo_stack.undoText() == "Remove path"


def test_escape_cancels_and_one_point_is_not_a_path(pathed: MainWindow, qtbot: QtBot) -> None:
    viewport = pathed.context.viewport
    before = pathed.context.document.scene
    for key in (Qt.Key.Key_Escape, Qt.Key.Key_Return):
        viewport.tools.path_tool.begin()
        click(qtbot, viewport, seen(viewport, 0.5, 0.5))
        qtbot.keyClick(viewport, key)
        assert not viewport.tools.path_tool.drawing
        assert viewport.overlays().draft is None
        assert pathed.context.document.scene is before


def test_waypoint_drag_is_one_step_and_escape_restores(pathed: MainWindow, qtbot: QtBot) -> None:
    viewport = pathed.context.viewport
    document = pathed.context.document
    steps = document.undo_stack.count()
    before = document.scene
    begin, end = seen(viewport, 1.0, -1.0), seen(viewport, 1.4, -0.7)
    qtbot.mouseMove(viewport, begin)
    qtbot.waitUntil(lambda: viewport.tools.path_tool.hovered == 1)
    assert viewport.hint.text().startswith("Waypoint 2 · 1.000, -1.000 m")
    drag(qtbot, viewport, begin, end)
    np.testing.assert_allclose(
        document.scene.path.waypoints_m, [PATH[0], (1.4, -0.7), *PATH[2:]], atol=0.02
    )
    assert document.undo_stack.count() == steps + 1
    assert document.undo_stack.undoText() == "Move waypoint 2"
    document.undo_stack.undo()
    assert document.scene == before
    drag(qtbot, viewport, begin, end, release=False)
    qtbot.waitUntil(lambda: document.scene != before)
    qtbot.keyClick(viewport, Qt.Key.Key_Escape)
    assert document.scene == before
    qtbot.mouseRelease(viewport, LEFT, NONE, end)
    assert document.scene == before
    assert not document.undo_stack.canUndo() or document.undo_stack.undoText() == "Path"


def test_waypoints_are_removed_by_right_click_or_delete(pathed: MainWindow, qtbot: QtBot) -> None:
    viewport = pathed.context.viewport
    document = pathed.context.document
    click(qtbot, viewport, seen(viewport, 2.0, -1.5), RIGHT)
    assert [list(point) for point in document.scene.path.waypoints_m] == [PATH[0], PATH[1], PATH[3]]
    assert document.undo_stack.undoText() == "Remove waypoint 3"
    document.set_value("path.closed", True, "Closed")
    qtbot.mouseMove(viewport, seen(viewport, *PATH[3]))
    qtbot.waitUntil(lambda: viewport.tools.path_tool.hovered == 2)
    qtbot.keyClick(viewport, Qt.Key.Key_Delete)
    assert [list(point) for point in document.scene.path.waypoints_m] == PATH[:2]
    assert not document.scene.path.closed
    viewport.tools.path_tool.remove(0)
    assert document.scene.path.waypoints_m == ()
    document.undo_stack.undo()
    pathed.context.action_registry["remove_path"].trigger()
    assert not document.scene.path
    assert document.undo_stack.undoText() == "Remove path"


def test_hidden_or_past_waypoints_are_not_edited(pathed: MainWindow, qtbot: QtBot) -> None:
    viewport = pathed.context.viewport
    before = pathed.context.document.scene
    viewport.options.set(path=False)
    drag(qtbot, viewport, seen(viewport, 1.0, -1.0), seen(viewport, 1.4, -0.7))
    click(qtbot, viewport, seen(viewport, 2.0, -1.5), RIGHT)
    assert pathed.context.document.scene is before


def test_plain_view_shows_the_path(pathed: MainWindow, qtbot: QtBot) -> None:
    viewport = pathed.context.viewport
    viewport.surface.fall_back("There is no such thing.")
    qtbot.waitUntil(lambda: viewport.settled)
    viewport.navigator.finish()

    def yellow() -> int:
        image = viewport.image().convertToFormat(viewport.image().format())
        x, y = seen(viewport, 0.5, -1.0).toTuple()  # type: ignore[misc]
        colours = [image.pixelColor(x + i, y + j) for i in range(-2, 3) for j in range(-2, 3)]
        return sum(c.red() > 150 and c.green() > 150 and c.blue() < 140 for c in colours)

    assert yellow() > 3
    viewport.options.set(path=False)
    assert yellow() == 0


def test_scene_is_framed_with_its_path(drawn: MainWindow, qtbot: QtBot) -> None:
    drawn.context.files.open(scenes_dir() / "path_following.toml")
    qtbot.waitUntil(lambda: drawn.context.viewport.settled)
    drawn.context.viewport.navigator.finish()
    for x, y in drawn.context.document.scene.path.waypoints_m:
        assert drawn.context.viewport.rect().contains(seen(drawn.context.viewport, x, y))


def double_click(qtbot: QtBot, viewport: Viewport, point: QPoint) -> None:
    """With the release that QTest omits."""
    click(qtbot, viewport, point)
    qtbot.mouseDClick(viewport, LEFT, NONE, point)
    qtbot.mouseRelease(viewport, LEFT, NONE, point)


def test_double_click_on_the_path_adds_a_waypoint(pathed: MainWindow, qtbot: QtBot) -> None:
    viewport = pathed.context.viewport
    document = pathed.context.document
    steps = document.undo_stack.count()
    for x, y, index in ((0.4, -1.0, 1), (1.5, -1.25, 3)):
        at = seen(viewport, x, y)
        double_click(qtbot, viewport, at)
        np.testing.assert_allclose(document.scene.path.waypoints_m[index], (x, y), atol=0.03)
    assert len(document.scene.path.waypoints_m) == 6
    assert document.undo_stack.count() == steps + 2
    assert document.undo_stack.undoText() == "Add waypoint 4"
    # Also between the last waypoint and the first of a closed path; next to the path it adds none.
    document.set_value("path.closed", True, "Close")
    at = seen(viewport, 1.5, -1.0)
    double_click(qtbot, viewport, at)
    np.testing.assert_allclose(document.scene.path.waypoints_m[-1], (1.5, -1.0), atol=0.03)
    before = document.scene
    at = seen(viewport, 1.5, 0.6)
    double_click(qtbot, viewport, at)
    assert document.scene.path == before.path


def test_delete_removes_the_waypoint_under_the_cursor(pathed: MainWindow, qtbot: QtBot) -> None:
    viewport = pathed.context.viewport
    document = pathed.context.document
    obstacles = len(document.scene.obstacles)
    pathed.context.selection.set([("obstacle", 0)])
    at = seen(viewport, 1.0, -1.0)
    qtbot.mouseMove(viewport, at)
    qtbot.waitUntil(
        lambda: (
            viewport.tools.path_tool.hovered == 1
            and pathed.context.action_registry["delete"].isEnabled()
        )
    )
    pathed.context.action_registry["delete"].trigger()
    assert len(document.scene.path.waypoints_m) == 3
    assert len(document.scene.obstacles) == obstacles
    qtbot.mouseMove(viewport, seen(viewport, 1.5, 0.9))
    qtbot.waitUntil(lambda: viewport.tools.path_tool.hovered == -1)
    pathed.context.action_registry["delete"].trigger()
    assert len(document.scene.obstacles) == obstacles - 1
