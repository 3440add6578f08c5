"""A continuous body in the tree, the inspector and the selection: only its values are shown, and no others are lost."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtCore import QModelIndex
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from snakestudio.drawing.camera import Camera
from snakestudio.drawing.overlays import Overlays, Pick
from snakestudio.errors import Problem
from snakestudio.gui.core import theme
from snakestudio.gui.core.document import Document
from snakestudio.gui.core.selection import Selection
from snakestudio.gui.forms.menu import plain
from snakestudio.gui.scene.inspector import Inspector
from snakestudio.gui.scene.scene_tree import SceneTree
from snakestudio.gui.shell.main_window import MainWindow
from snakestudio.gui.viewport.surfaces.surface import FrameRequest
from snakestudio.gui.viewport.surfaces.top_view import TopView
from snakestudio.gui.viewport.viewport_api import box_around
from snakestudio.kinds.formulation import FORMULATIONS
from snakestudio.kinds.reads import belongs_elsewhere, unused_reason
from snakestudio.model.motion import GaitStart
from snakestudio.model.robot.beam import Beam
from snakestudio.model.robot.support import Friction
from snakestudio.model.scene import Scene
from snakestudio.model.snapshot import Snapshot
from snakestudio.paths import scenes_dir
from snakestudio.viewmodel.scene.items import items_of
from snakestudio.viewmodel.scene.link_values import MAX_LINK_VALUES, section_values
from snakestudio.viewmodel.scene.start_kinds import start_kinds
from tests.gui.conftest import COMPILING_MS, fill_docks
from tests.gui.fake import FakeSessionController
from tests.gui.fake_body import body_recording, body_scene
from tests.gui.pages.hands import show_widget

pytestmark = pytest.mark.gui


def texts(tree: SceneTree, parent: QModelIndex | None = None, deep: bool = True) -> list[str]:
    """Return the texts of the tree, top to bottom."""
    parent = parent or QModelIndex()
    listed: list[str] = []
    for row in range(tree.model.rowCount(parent)):
        index = tree.model.index(row, 0, parent)
        listed.append(str(tree.model.data(index)))
        if deep:
            listed += texts(tree, index)
    return listed


@pytest.mark.parametrize(
    "key",
    [
        "robot.n_links",
        "gait.amplitude_deg",
        "joint_controller.kp_nm_per_rad",
        "actuator.free_play_deg",
        "controller.kind",
        "obstacles[1].radius_m",
        "path.shape",
        "solver.tolerance",
        "solver.max_iterations",
        "solver.joints",
        "ground.mu_rolling",
        "ground.mu_along",
        "ground.stribeck_rise",
        "control.soft_start_deg",
        "ground.viscous_along_ns_per_m",
    ],
)
def test_values_ignored_by_a_body_are_hidden(key: str) -> None:
    scene = body_scene()
    assert unused_reason(scene, key)
    assert belongs_elsewhere(scene, key)


@pytest.mark.parametrize(
    "key",
    [
        "beam.length_m",
        "strain.wavelength_m",
        "support.count",
        "ground.gravity_m_s2",
        "ground.slope_deg",
        "start.x_m",
        "solver.step_s",
        "solver.error_tolerance",
        "run.duration_s",
        "control.period_s",
        "model.kind",
    ],
)
def test_values_read_by_a_body_are_shown(key: str) -> None:
    assert unused_reason(body_scene(), key) == ""


def test_ground_friction_is_shown_if_it_moves_the_body() -> None:
    scene = body_scene().model_copy(update={"support": Friction()})
    for name in ("mu_along", "mu_across", "coulomb_smoothing_m_s"):
        assert unused_reason(scene, f"ground.{name}") == ""
        assert unused_reason(body_scene(), f"ground.{name}")


@pytest.mark.parametrize("kind", [kind for kind in FORMULATIONS if kind != "continuum_beam"])
def test_links_have_no_strain_law(kind: str) -> None:
    scene = Scene(model=FORMULATIONS[kind].fields())
    for key in ("beam.radius_m", "strain.turn_per_m", "support.count"):
        assert "continuum model" in unused_reason(scene, key)


def test_tree_follows_the_model_and_undo(qtbot: QtBot) -> None:
    document = Document()
    document.new(Scene(beam=Beam(sections=5)))
    tree = SceneTree(document, Selection(document))
    qtbot.addWidget(tree)
    tree.show()
    before = texts(tree)
    assert not any("Continuum" in text or "Strain" in text for text in before)
    document.set_value("model.kind", "continuum_beam", "Model")
    after = texts(tree)
    assert after[:2] == ["Continuum body · 1 m", "Cross-sections (5)"]
    assert after[2:4] == ["Section 1 · head", "Section 2 · X = 0.250 m"]
    assert "Strain law · serpentine" in after
    assert any(text.endswith(" · rings") for text in after)
    assert not any("Obstacles" in text or "Path" in text or "Robot" in text for text in after)
    assert not tree.add_button.isVisible()
    assert tree.view.isExpanded(tree.proxy.index(0, 0)), (
        "entries expanded before are expanded again"
    )
    document.undo_stack.undo()
    assert texts(tree) == before
    assert tree.add_button.isVisible()


def test_tree_follows_the_number_of_cross_sections(qtbot: QtBot, body: Document) -> None:
    tree = SceneTree(body, Selection(body))
    qtbot.addWidget(tree)
    body.set_value("beam.sections", 7, "Sections")
    assert "Cross-sections (7)" in texts(tree)
    assert sum(text.startswith("Section") for text in texts(tree)) == 7
    body.set_value("beam.sections", 30, "Sections")
    assert sum(text.startswith("Section") for text in texts(tree)) == 30


def test_selection_drops_objects_of_the_other_model(body: Document) -> None:
    selection = Selection(body)
    selection.set([("beam", 0), ("link", 20)])
    assert len(selection.items) == 2
    selection.set([("robot", 0), ("path", 0), ("link", 21)])
    assert not selection.items
    selection.set([("strain", 0)])
    body.set_value("model.kind", "planar_nonsmooth", "Model")
    assert not selection.items


def test_section_shows_its_position_and_load() -> None:
    scene = body_scene()
    shot = body_recording(scene, 301).snapshot(300)
    rows = section_values(shot, 5)
    assert len(rows) <= MAX_LINK_VALUES
    values = {name: (float(text.replace("−", "-")), unit) for name, text, unit in rows}
    assert shot.body is not None
    assert values["X"] == (0.25, "m")
    assert values["Curvature Z"][0] == pytest.approx(shot.body.strain[5, 5], abs=1e-4)
    assert values["Torque Z"] == (pytest.approx(shot.body.wrench[5, 5], abs=1e-4), "N m")
    assert values["Force Y"] == (-1.0, "N")
    assert section_values(shot, 99) == []


def test_inspector_shows_a_section_and_the_parts_of_the_body(qtbot: QtBot, body: Document) -> None:
    selection = Selection(body)
    session_controller = FakeSessionController(body_recording(body.scene, 50))
    inspector = Inspector(body, selection, session_controller)  # type: ignore[arg-type]
    show_widget(qtbot, inspector, 288, 700)
    selection.set([("link", 3)])
    assert inspector.title.text() == "Section 4 of 21"
    assert inspector.link_values is not None
    first = inspector.link_values.cells[0][0]
    qtbot.waitUntil(lambda: first.text() == "X")
    selection.set([("beam", 0)])
    assert set(inspector.rows) == {f"beam.{name}" for name in Beam.model_fields}
    selection.set([("support", 0)])
    assert {"support.count", "support.fixed", "support.side", "support.weights"} == set(
        inspector.rows
    )
    body.set_value("support.kind", "end_anchors", "Contacts")
    assert set(inspector.rows) == {"support.period_s"}
    selection.set([("ground", 0)])
    assert "ground.gravity_m_s2" in inspector.rows
    assert "ground.mu_along" not in inspector.rows
    selection.set([("run", 0)])
    assert "solver.step_s" in inspector.rows
    assert "solver.tolerance" not in inspector.rows


def test_weights_can_be_omitted(qtbot: QtBot, body: Document) -> None:
    selection = Selection(body)
    inspector = Inspector(body, selection, FakeSessionController())  # type: ignore[arg-type]
    qtbot.addWidget(inspector)
    selection.set([("support", 0)])
    row = inspector.rows["support.weights"]
    row.field.clear()
    qtbot.keyClicks(row.field, "1 2 3 2 1\r")
    assert body.scene.support.weights == (1.0, 2.0, 3.0, 2.0, 1.0)  # type: ignore[union-attr]
    row.field.selectAll()
    qtbot.keyClicks(row.field, "\b\r")
    assert body.scene.support.weights is None  # type: ignore[union-attr]


def test_problems_lead_to_the_parts_of_the_body() -> None:
    for part in ("beam", "strain", "support"):
        assert items_of(Problem("error", f"{part}.kind", "wrong", "")) == [(part, 0)]


def test_view_frames_the_body(body: Document) -> None:
    shot = body_recording(body.scene, 2).snapshot(0)
    box = box_around(body.scene, shot, None)
    assert box is not None
    reach = 1.5 * body.scene.beam.radius_m  # the body is thicker where it is compressed
    assert np.allclose(box[0], shot.link_pose[:, :3].min(axis=0) - reach)
    assert np.allclose(box[1], shot.link_pose[:, :3].max(axis=0) + reach)


def test_start_with_link_positions_is_not_offered() -> None:
    assert list(start_kinds(body_scene())) == ["straight"]
    assert list(start_kinds(body_scene().model_copy(update={"start": GaitStart()}))) == [
        "straight",
        "gait",
    ]


def test_window_runs_a_continuous_body(qtbot: QtBot, window: MainWindow) -> None:
    """The panels change, a bundled scene runs and is edited meanwhile, and a robot with links is restored."""
    fill_docks(window)
    assert window.context.files.open(scenes_dir() / "continuum_snake_2d.toml")
    window.context.show_dock("comparison")
    session_controller = window.context.session_controller
    qtbot.waitUntil(lambda: session_controller.status.state == "ready", timeout=COMPILING_MS)
    session_controller.play_or_pause()
    qtbot.waitUntil(
        lambda: session_controller.recording is not None and len(session_controller.recording) > 60
    )
    # a changed law enters at the head
    window.context.document.set_value("strain.speed_m_s", 0.3, "Speed")
    window.context.document.set_value("support.side", "left", "Side")
    qtbot.waitUntil(
        lambda: session_controller.recording is not None and len(session_controller.recording) > 160
    )
    session_controller.play_or_pause()
    recording = session_controller.recording
    assert recording is not None
    rows = recording.rows(0, len(recording))
    assert [sorted(change.values) for change in recording.changes] == [
        ["strain.speed_m_s"],
        ["support.side"],
    ] or [sorted(change.values) for change in recording.changes] == [
        ["strain.speed_m_s", "support.side"]
    ]
    assert rows.extra[:, recording.schema.extra.index("slip_mps")].max() < 1e-3
    assert rows.solver_unconverged[-1] > 0, (
        "a body supported only on the left is refused with a message"
    )
    window.context.selection.set([("link", 5)])
    window.context.action_registry.menus["View/Trail of"].aboutToShow.emit()
    trail = [
        plain(action.text())
        for action in window.context.action_registry.menus["View/Trail of"].actions()
    ]
    assert trail[:2] == ["No Trail", "Middle Section"]
    window.context.action_registry.refresh()
    for name in ("draw_path", "select_all", "add_cylinder"):
        assert not window.context.action_registry[name].isEnabled()
    assert window.context.run_bar.model.currentData() == "continuum_beam"
    window.context.toggle_theme()
    qtbot.wait(400)
    window.context.toggle_theme()
    window.grab()
    window.context.document.new(Scene())
    window.context.action_registry.refresh()
    assert window.context.action_registry["draw_path"].isEnabled()
    assert window.context.action_registry["add_cylinder"].isEnabled()


def test_plain_view_draws_the_body(qtbot: QtBot, body: Document) -> None:
    shot = body_recording(body.scene, 2).snapshot(0)
    parent = QWidget()
    qtbot.addWidget(parent)
    parent.resize(400, 300)
    box = box_around(body.scene, shot, None)
    assert box is not None
    camera = Camera(orthographic=True).standard("top").frame(*box, 4 / 3)
    overlays = Overlays(selection=frozenset({Pick("link", 10)}))

    snapshots: list[Snapshot | None] = [shot]

    def picture(aspect: float) -> FrameRequest:
        return FrameRequest(body.scene, snapshots[-1], overlays, camera, theme.render_theme(), None)

    view = TopView(picture, "Test.", parent)
    view.resize(400, 300)
    parent.show()
    drawn = view.grab().toImage()
    ndc = camera.project(shot.link_pose[15, :3], 4 / 3)
    middle = drawn.pixelColor(round((ndc[0] + 1) * 200), round((1 - ndc[1]) * 150))
    expected = QColor.fromRgbF(*theme.render_theme().link)
    assert abs(middle.green() - expected.green()) < 12
    snapshots.append(None)
    assert view.grab().toImage() != drawn
