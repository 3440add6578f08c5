"""A shape from a separate file in the window: palette, menus, tree, inspector, view, gizmo and undo support it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt
from pytestqt.qtbot import QtBot

from snakestudio.drawing.camera import Camera
from snakestudio.drawing.gizmo import handles
from snakestudio.gui.forms.editors import NumberEditor
from snakestudio.gui.forms.menu import plain
from snakestudio.gui.scene.inspector import Inspector
from snakestudio.gui.scene.palette import Palette
from snakestudio.gui.scene.scene_tree import SceneTree
from snakestudio.gui.shell.main_window import MainWindow
from snakestudio.model.edits import tree
from snakestudio.model.scene import Scene
from snakestudio.plugins.loading import load, unload
from tests.gui.conftest import fill_docks
from tests.gui.test_editor import drag
from tests.gui.test_viewport import LEFT, NONE

pytestmark = pytest.mark.gui


@pytest.fixture
def window(make_window: Callable[[], MainWindow], qtbot: QtBot) -> Iterator[MainWindow]:
    """A window that starts when fences are available, with an empty scene."""
    load(Path(__file__).parent.parent / "toys" / "fence.py")
    created = make_window()
    fill_docks(created)
    created.context.document.new(Scene())
    created.context.session_controller.close()
    qtbot.waitUntil(lambda: created.context.viewport.settled)
    yield created
    unload("fence")


def test_custom_shape_works_like_built_in_ones(window: MainWindow, qtbot: QtBot) -> None:
    document = window.context.document
    selection = window.context.selection
    viewport = window.context.viewport
    before = document.scene
    assert plain(window.context.action_registry["add_fence"].text()) == "Fence"
    palette = window.findChild(Palette)
    assert palette is not None
    qtbot.mouseClick(palette.buttons["fence"], LEFT)
    assert [o.kind for o in document.scene.obstacles] == ["fence"]
    assert selection.items == {("obstacle", 0)}
    assert document.undo_stack.undoText() == "Add fence"
    index = window.findChild(SceneTree).model.index_of(("obstacle", 0))  # type: ignore[union-attr]
    assert index.data() == "Fence 1"
    assert "1 m between posts" in index.data(Qt.ItemDataRole.ToolTipRole)

    inspector = window.findChild(Inspector)
    assert inspector is not None
    for name in ("length_m", "height_m", "strength_m"):
        row = inspector.rows[name]
        assert isinstance(row.editor, NumberEditor)
        assert row.field.doc.slider == (0.01, 2)
    document.set_value("obstacles[1].length_m", 0.6, "Length")
    document.set_value("obstacles[1].x_m", 0.0, "x")
    document.set_value("obstacles[1].y_m", 0.0, "y")
    assert inspector.rows["length_m"].field.value == 0.6  # type: ignore[union-attr]

    viewport.navigator.jump(Camera((0.0, 0.0, 0.0), 3.0).standard("top"))
    with qtbot.waitSignal(viewport.frame_drawn):
        viewport.refresh()
    image = viewport.image()
    ratio = image.width() / viewport.width()
    seen = [
        image.pixelColor((viewport.pixel((x, y, 0.2)) * ratio).toPoint()).getRgb()[:3]
        for x, y in ((0.3, 0.0), (-0.3, 0.0), (0.1, 0.0), (0.1, 0.2))
    ]
    floor = np.array(seen.pop())
    assert all(np.abs(np.array(colour) - floor).max() > 20 for colour in seen), (
        "both posts and the rail are drawn"
    )

    selection.clear()
    qtbot.mouseClick(viewport, LEFT, NONE, viewport.pixel((0.15, 0.0, 0.2)).toPoint())
    assert selection.items == {("obstacle", 0)}, "picked by its rail"
    viewport.tools.editor.options.set(mode="move", gizmo=True)
    gizmo = viewport.overlays().gizmo
    assert gizmo is not None
    handle = next(h for h in handles(gizmo, viewport.navigator.camera) if h.name == "x")
    begin = viewport.pixel(tuple(map(float, handle.points[-1]))).toPoint()  # type: ignore[arg-type]
    shift = viewport.pixel((0.5, 0.0, 0.2)) - viewport.pixel((0.0, 0.0, 0.2))
    drag(qtbot, viewport, begin, begin + QPoint(round(shift.x()), round(shift.y())))
    moved = tree(document.scene.obstacles[0])
    assert moved["x_m"] == pytest.approx(0.5, rel=0.1)
    assert moved["y_m"] == 0.0
    while document.undo_stack.canUndo():
        document.undo_stack.undo()
    assert document.scene == before
