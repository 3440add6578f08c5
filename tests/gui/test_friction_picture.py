"""The image of the ground's friction in the window: its rows, its entry in the tree, and the plain view."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from PySide6.QtCore import QModelIndex, Qt
from PySide6.QtWidgets import QFileDialog, QWidget
from pytestqt.qtbot import QtBot

from snakestudio.drawing.camera import Camera
from snakestudio.drawing.overlays import Overlays
from snakestudio.gui.core import theme
from snakestudio.gui.core.document import Document
from snakestudio.gui.core.selection import Selection
from snakestudio.gui.forms.editors import TextEditor
from snakestudio.gui.scene.inspector import Inspector
from snakestudio.gui.scene.scene_model import SceneModel
from snakestudio.gui.viewport.surfaces.surface import FrameRequest
from snakestudio.gui.viewport.surfaces.top_view import TopView
from snakestudio.model.scene_file import load_scene
from snakestudio.model.world import GroundPicture
from tests.gui.fake import FakeSessionController
from tests.gui.pages.hands import show_widget

pytestmark = pytest.mark.gui


@pytest.fixture
def on_disk(document: Document, tmp_path: Path) -> Document:
    """A scene in a folder with an image, black on the left and white on the right."""
    (tmp_path / "maps").mkdir()
    Image.fromarray(np.array([[0] * 8 + [255] * 8] * 8, np.uint8)).save(
        tmp_path / "maps" / "floor.png"
    )
    document.save(tmp_path / "scene.toml")
    return document


def ground_index(model: SceneModel) -> QModelIndex:
    """Index of the entry of the ground."""
    world = next(index for index in model.nodes_open_at_first if model.data(index) == "World")
    return model.index(0, 0, world)


def test_picture_is_chosen_edited_saved_and_removed(
    qtbot: QtBot,
    on_disk: Document,
    session_controller: FakeSessionController,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    document = on_disk
    selection = Selection(on_disk)
    inspector = Inspector(document, selection, session_controller)  # type: ignore[arg-type]
    show_widget(qtbot, inspector, 320, 1200)
    tree = SceneModel(document, lambda *_: True, lambda *_: True, lambda *_: True)
    selection.set([("ground", 0)])
    row = inspector.rows["ground.picture.file"]
    assert isinstance(row.editor, TextEditor)
    assert row.editor.clear_button is not None
    assert not row.editor.clear_button.isVisibleTo(row)
    assert "ground.picture.black" not in inspector.rows
    assert tree.data(ground_index(tree), Qt.ItemDataRole.ToolTipRole) is None
    monkeypatch.setattr(
        QFileDialog, "getOpenFileName", lambda *_: (str(tmp_path / "maps" / "floor.png"), "")
    )
    qtbot.mouseClick(row.editor.browse_button, Qt.MouseButton.LeftButton)
    assert document.scene.ground.picture == GroundPicture(file="maps/floor.png")
    assert document.undo_stack.undoText() == "Change file of the friction image"
    assert {f"ground.picture.{name}" for name in GroundPicture.model_fields} <= set(inspector.rows)
    assert tree.data(ground_index(tree)).endswith(" · image")
    document.set_value("ground.picture.black", 0.3, "Black")
    tip = tree.data(ground_index(tree), Qt.ItemDataRole.ToolTipRole)
    assert tip.startswith("Friction image maps/floor.png: ")
    assert all(f"by {factor} where" in tip for factor in ("0.3", "1"))
    document.save(tmp_path / "scene.toml")
    assert load_scene(tmp_path / "scene.toml").ground.picture == GroundPicture(
        file="maps/floor.png", black=0.3
    )
    row = inspector.rows["ground.picture.file"]
    assert isinstance(row.editor, TextEditor)
    assert row.editor.clear_button is not None
    assert row.editor.clear_button.isVisibleTo(row)
    qtbot.mouseClick(row.editor.clear_button, Qt.MouseButton.LeftButton)
    assert document.scene.ground.picture == GroundPicture()
    assert "ground.picture.black" not in inspector.rows
    document.save(tmp_path / "scene.toml")
    assert "picture" not in (tmp_path / "scene.toml").read_text()
    document.undo_stack.undo()
    assert document.scene.ground.picture.black == 0.3


def test_plain_view_tints_the_slippery_half_dark(qtbot: QtBot, on_disk: Document) -> None:
    on_disk.set_value("obstacles", [], "Obstacles")
    on_disk.set_value("ground.picture", {"file": "maps/floor.png", "width_m": 1.2}, "Picture")
    camera = (
        Camera(orthographic=True).standard("top").frame((-1.0, -0.7, 0.0), (1.0, 0.7, 0.0), 4 / 3)
    )
    parent = QWidget()
    qtbot.addWidget(parent)
    parent.resize(400, 300)

    def request(aspect: float) -> FrameRequest:
        overlays = Overlays(show_grid=False)
        return FrameRequest(
            on_disk.scene, None, overlays, camera, theme.render_theme(), on_disk.base_dir
        )

    view = TopView(request, "Test.", parent)
    view.resize(400, 300)
    parent.show()
    drawn = view.grab().toImage()

    def light(x: float) -> int:
        ndc = camera.project((x, 0.2, 0.0), 4 / 3)
        return drawn.pixelColor(round((ndc[0] + 1) * 200), round((1 - ndc[1]) * 150)).lightness()

    assert light(-0.3) < light(0.9) < light(0.3)
