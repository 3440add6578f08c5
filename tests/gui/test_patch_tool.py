"""Patches of friction in the viewport: drawn by corners, dragged, removed; every change is one undo step."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from snakestudio.gui.scene.inspector import Inspector
from snakestudio.gui.shell.main_window import MainWindow
from tests.gui.conftest import COMPILING_MS, fill_docks
from tests.gui.pages.hands import move
from tests.gui.test_path_tool import click, seen
from tests.gui.test_viewport import LEFT, NONE, RIGHT, drag

pytestmark = pytest.mark.gui

CORNERS = [(0.3, -1.2), (1.3, -1.2), (1.3, -0.6)]


def test_patch_is_drawn_dragged_and_removed_with_undo(drawn: MainWindow, qtbot: QtBot) -> None:
    viewport = drawn.context.viewport
    document = drawn.context.document
    qtbot.waitUntil(
        lambda: drawn.context.session_controller.status.state == "ready", timeout=COMPILING_MS
    )
    viewport.navigator.view("top")
    viewport.navigator.finish()
    viewport.frame_all(at_once=True)
    before = document.scene
    steps = document.undo_stack.count()
    drawn.context.action_registry["draw_patch"].trigger()
    assert "corner" in viewport.hint.text()
    for x, y in CORNERS:
        click(qtbot, viewport, seen(viewport, x, y))
    qtbot.keyClick(viewport, Qt.Key.Key_Return)
    (patch,) = document.scene.ground.patch
    np.testing.assert_allclose(patch.points_m, CORNERS, atol=0.02)
    assert patch.mu_along == before.ground.mu_along
    assert document.undo_stack.count() == steps + 1

    def is_drawn() -> bool:
        return viewport.scene.ground.patch == document.scene.ground.patch

    qtbot.waitUntil(is_drawn)
    point = seen(viewport, *CORNERS[1])
    drag(qtbot, viewport, point, seen(viewport, 1.6, -1.0), LEFT)
    np.testing.assert_allclose(document.scene.ground.patch[0].points_m[1], (1.6, -1.0), atol=0.03)
    assert document.undo_stack.count() == steps + 2
    qtbot.waitUntil(is_drawn)
    corner = seen(viewport, *document.scene.ground.patch[0].points_m[0])
    qtbot.mousePress(viewport, RIGHT, NONE, corner)
    assert viewport.overlays().corner == 0
    assert viewport.hint.text().startswith("Patch 1, corner 1")
    qtbot.mouseRelease(viewport, RIGHT, NONE, corner)
    assert document.scene.ground.patch == ()  # two corners are not a patch
    for _ in range(3):
        document.undo_stack.undo()
    assert document.scene == before


def test_drag_draws_a_rectangle_whose_friction_can_be_typed(
    drawn: MainWindow, qtbot: QtBot
) -> None:
    viewport = drawn.context.viewport
    document = drawn.context.document
    fill_docks(drawn, "inspector")
    drawn.activateWindow()
    viewport.navigator.view("top")
    viewport.navigator.finish()
    viewport.frame_all(at_once=True)
    camera = viewport.navigator.camera
    drawn.context.action_registry["draw_patch"].trigger()
    assert viewport.hint.text().startswith("Drag: rectangle")
    begin, end = seen(viewport, 1.3, -0.6), seen(viewport, 0.3, -1.2)
    qtbot.mousePress(viewport, LEFT, NONE, begin)
    move(viewport, (begin + end) / 2, held=LEFT)
    move(viewport, end, held=LEFT)
    draft = viewport.overlays().draft
    assert draft is not None
    assert len(draft.waypoints_m) == 5
    qtbot.mouseRelease(viewport, LEFT, NONE, end)
    assert viewport.navigator.camera == camera
    (patch,) = document.scene.ground.patch
    rectangle = [(0.3, -1.2), (1.3, -1.2), (1.3, -0.6), (0.3, -0.6)]
    np.testing.assert_allclose(patch.points_m, rectangle, atol=0.02)
    assert drawn.context.selection.patches == (0,)
    assert not viewport.tools.patch_tool.drawing
    inspector = drawn.context.docks["inspector"].widget()
    assert isinstance(inspector, Inspector)
    row = inspector.rows["ground.patch[1].mu_along"]
    qtbot.waitUntil(row.field.hasFocus)
    field = row.field.lineEdit() if hasattr(row.field, "lineEdit") else row.field
    field.selectAll()
    qtbot.keyClicks(row.field, "0.7")
    qtbot.keyClick(row.field, Qt.Key.Key_Return)
    assert document.scene.ground.patch[0].mu_along == 0.7


def test_hints_of_drawing_fit_a_small_view(drawn: MainWindow, qtbot: QtBot) -> None:
    viewport = drawn.context.viewport
    drawn.resize(1280, 800)
    qtbot.waitUntil(lambda: drawn.width() == 1280)
    for name in ("draw_patch", "draw_path"):
        drawn.context.action_registry[name].trigger()
        assert viewport.hint.text() == viewport.tools.hint, "not elided"
        click(qtbot, viewport, viewport.rect().center())
        assert viewport.hint.text() == viewport.tools.hint
        qtbot.keyClick(viewport, Qt.Key.Key_Escape)
