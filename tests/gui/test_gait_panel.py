"""The gait panel: the library, the two waves and the preview of the resulting shape."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QLabel
from pytestqt.qtbot import QtBot

from snakestudio.control.gaits.joint_torque import JointTorqueFields
from snakestudio.control.registry import check as check_controller
from snakestudio.errors import Problem
from snakestudio.gui.core import theme
from snakestudio.gui.core.document import Document
from snakestudio.gui.forms.editors import TextEditor
from snakestudio.gui.scene.body_shape import BodyShape
from snakestudio.gui.scene.gait_panel import GAITS, GaitPanel
from snakestudio.gui.scene.parameters import ParameterPanels
from snakestudio.gui.scene.presets import ScenePreset
from snakestudio.model.edits import with_values
from snakestudio.model.gaits import GAITS as LIBRARY
from snakestudio.model.motion import LateralUndulation, TwoWaves
from snakestudio.model.robot.pose import initial_joint_angles
from snakestudio.model.scene import Scene
from snakestudio.viewmodel.papers import cited
from tests.gui.fake import FakeSessionController, make_recording
from tests.gui.pages.hands import type_into

pytestmark = pytest.mark.gui


def library(kind: str, number: int = 0) -> ScenePreset:
    """The first gaits of the library of a kind."""
    return [entry for entry in GAITS if entry.values["gait"].kind == kind][number]


@pytest.fixture
def panel(qtbot: QtBot, document: Document) -> GaitPanel:
    panel = GaitPanel(document)
    qtbot.addWidget(panel)
    document.scene_changed.connect(lambda before, after: panel.refresh(after))
    panel.resize(320, 1100)
    panel.show()
    qtbot.waitExposed(panel)
    return panel


def pick(qtbot: QtBot, panel: GaitPanel, preset: ScenePreset) -> None:
    """Choose with the keyboard, as a user does."""
    box = panel.presets
    box.showPopup()
    index = next(i for i in range(box.count()) if box.itemText(i) == preset.name)
    while box.currentIndex() < index:
        qtbot.keyClick(box, Qt.Key.Key_Down)
        index = next(
            i for i in range(box.count()) if box.itemText(i).removeprefix("• ") == preset.name
        )
    while box.currentIndex() > index:
        qtbot.keyClick(box, Qt.Key.Key_Up)
        index = next(
            i for i in range(box.count()) if box.itemText(i).removeprefix("• ") == preset.name
        )


def test_library_has_explanations_and_sources(panel: GaitPanel) -> None:
    offered = [panel.presets.itemText(i) for i in range(panel.presets.count())]
    others = {"Table of joint angles", "Joint angles", "Backbone curve"}
    assert set(offered) == {entry.title for entry in LIBRARY} | others
    for entry in LIBRARY:
        panel.choose(next(gait for gait in GAITS if gait.name == entry.title))
        assert entry.explanation in panel.about.text()
        assert cited(entry.source) in panel.about.text()


def test_library_checks_gaits_against_the_robot(
    panel: GaitPanel, document: Document, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Some gaits have formulas, and the library that reads formulas would delay the first window."""
    checked: list[str] = []
    monkeypatch.setattr(
        "snakestudio.gui.scene.gait_panel.unsuitable",
        lambda preset, scene: checked.append(preset.name) or "",
    )
    document.set_value("gait.amplitude_deg", 33.0, "Amplitude")
    assert len(set(checked)) <= 1  # the present one
    panel.presets.showPopup()
    assert set(checked) == {entry.name for entry in LIBRARY}
    panel.presets.hidePopup()


def test_gait_of_the_library_is_one_undo_step(panel: GaitPanel, document: Document) -> None:
    for entry in GAITS:
        before = document.scene
        count = document.undo_stack.count()
        panel.choose(entry)
        assert document.scene.gait == entry.values["gait"]
        assert document.scene.control.soft_start_deg == entry.values["control.soft_start_deg"]
        assert document.undo_stack.count() == count + (document.scene != before)
    while document.undo_stack.canUndo():
        document.undo_stack.undo()
    assert document.scene.gait == LateralUndulation()


def test_other_kind_has_its_sliders(qtbot: QtBot, panel: GaitPanel, document: Document) -> None:
    assert not any(key.startswith("gait.pitch_") for key in panel.rows)
    document.set_value("model.kind", "spatial_nonsmooth", "Model")
    pick(qtbot, panel, library("two_waves"))
    assert set(panel.rows) == {f"gait.{name}" for name in TwoWaves.model_fields if name != "kind"}
    titles = [
        label.text() for label in panel.findChildren(QLabel) if label.property("role") == "group"
    ]
    assert titles == ["Horizontal wave", "Vertical wave", "Phase between"]
    row = panel.rows["gait.pitch_amplitude_deg"]
    type_into(row.field, "17")
    assert document.scene.gait.pitch.amplitude == pytest.approx(17 * 3.141592653589793 / 180)
    document.undo_stack.undo()
    document.undo_stack.undo()
    assert not any(key.startswith("gait.pitch_") for key in panel.rows)


def test_changed_gait_is_marked_and_restored(
    qtbot: QtBot, panel: GaitPanel, document: Document
) -> None:
    chosen = library("two_waves")
    panel.choose(chosen)
    assert not panel.presets.changed
    assert not panel.back.isVisible()
    document.set_value("gait.pitch_phase_deg", 33.0, "Phase")
    assert panel.presets.changed
    assert panel.presets.currentText().startswith("•")
    assert "Modified preset" in panel.about.text()
    assert panel.rows["gait.pitch_phase_deg"].reset_button.isVisible()
    qtbot.mouseClick(panel.back, Qt.MouseButton.LeftButton)
    assert document.scene.gait == chosen.values["gait"]
    assert not panel.presets.changed


def test_row_is_reset_to_the_chosen_gait(
    qtbot: QtBot, panel: GaitPanel, document: Document
) -> None:
    document.set_value("model.kind", "spatial_nonsmooth", "Model")
    chosen = library("two_waves")
    panel.choose(chosen)
    document.set_value("gait.pitch_amplitude_deg", 71.5, "Pitch")
    qtbot.mouseClick(panel.rows["gait.pitch_amplitude_deg"].reset_button, Qt.MouseButton.LeftButton)
    assert document.scene.gait == chosen.values["gait"]


def test_planar_model_marks_the_vertical_wave_as_ignored(
    panel: GaitPanel, document: Document
) -> None:
    panel.choose(library("two_waves"))
    row = panel.rows["gait.pitch_amplitude_deg"]
    assert panel.hint_message.isVisible()
    assert "vertical wave" in panel.hint_message.text()
    assert row.field.property("unused")
    assert "spatial" in row.unused
    assert not panel.rows["gait.amplitude_deg"].field.property("unused")
    document.set_value("model.kind", "spatial_nonsmooth", "Model")
    assert not panel.hint_message.isVisible()
    assert not row.field.property("unused")


def test_vertical_wave_is_added_and_removed(
    qtbot: QtBot, panel: GaitPanel, document: Document
) -> None:
    document.set_value("gait.amplitude_deg", 33.0, "Amplitude")
    document.set_value("gait.phase_shift_deg", -61.0, "Shift")
    before = document.scene.gait
    qtbot.mouseClick(panel.wave_button, Qt.MouseButton.LeftButton)
    gait = document.scene.gait
    assert isinstance(gait, TwoWaves)
    assert (gait.amplitude_deg, gait.phase_shift_deg, gait.pitch_phase_shift_deg) == (
        33.0,
        -61.0,
        -61.0,
    )
    qtbot.mouseClick(panel.wave_button, Qt.MouseButton.LeftButton)
    assert document.scene.gait == before
    document.undo_stack.undo()
    assert isinstance(document.scene.gait, TwoWaves)


def test_custom_gait_is_not_in_the_library(panel: GaitPanel, document: Document) -> None:
    own = document.scene.model_copy(
        update={"gait": LateralUndulation(amplitude_deg=12.3, offset_deg=1.7)}
    )
    document.new(own)
    panel.reset()
    panel.refresh(document.scene)
    assert panel.presets.currentIndex() == -1
    assert not panel.back.isVisible()


def test_gait_of_the_library_is_recognised_by_its_waves(
    panel: GaitPanel, document: Document
) -> None:
    entry = next(gait for gait in GAITS if gait.values["control.soft_start_deg"] > 0)
    document.new(document.scene.model_copy(update={"gait": entry.values["gait"]}))
    panel.reset()
    panel.refresh(document.scene)
    assert panel.presets.currentText() == f"• {entry.name}"
    assert panel.soft_start.reset_button.isVisible()
    panel.choose(entry)
    assert panel.presets.currentText() == entry.name


# --- the preview ----------------------------------------------------------------------------------


def pixels(shape: BodyShape, role: str, top: int, bottom: int) -> int:
    """Number of pixels with a colour of the palette between two heights."""
    image = shape.grab().toImage()
    colour = theme.colour(role)

    def alike(pixel: QColor) -> bool:
        return max(abs(pixel.red() - colour.red()), abs(pixel.blue() - colour.blue())) < 8

    rows = range(top, min(bottom, image.height()))
    return sum(alike(image.pixelColor(x, y)) for x in range(image.width()) for y in rows)


def test_vertical_wave_is_shown_in_a_spatial_view(
    qtbot: QtBot,
    panels: ParameterPanels,
    document: Document,
    session_controller: FakeSessionController,
) -> None:
    shape = panels.gait.shape
    low = shape.height()
    assert not shape.shows_space
    panels.gait.choose(library("two_waves"))
    qtbot.waitUntil(lambda: shape.reference is not None)
    assert not shape.shows_space, "the planar model stays flat"
    document.set_value("model.kind", "spatial_nonsmooth", "Model")
    session_controller.set_recording(make_recording(document.scene, 50))
    qtbot.waitUntil(lambda: shape.shows_space)
    qtbot.waitUntil(lambda: shape.height() > low + 40)
    qtbot.waitUntil(lambda: pixels(shape, "accent", low + 16, 400) > 40)
    session_controller.set_recording(None)
    document.set_value("model.kind", "planar_nonsmooth", "Model")
    qtbot.waitUntil(lambda: shape.height() == low)


def test_dragging_a_slider_updates_the_preview(
    qtbot: QtBot,
    panels: ParameterPanels,
    document: Document,
    session_controller: FakeSessionController,
) -> None:
    document.set_value("model.kind", "spatial_nonsmooth", "Model")
    panels.gait.choose(library("two_waves"))
    session_controller.set_recording(make_recording(document.scene, 50))
    shape = panels.gait.shape
    qtbot.waitUntil(lambda: shape.shows_space and shape.reference is not None)
    heights = []
    slider = panels.gait.rows["gait.pitch_amplitude_deg"].slider
    assert slider is not None
    for position in (5, 20, 40):
        slider.move_to(position)
        qtbot.wait(120)
        shape.grab()
        assert shape.reference is not None
        heights.append(float(shape.reference.joints[:, 2].max()))
    assert heights == sorted(heights)
    assert heights[2] > heights[0] + 0.02
    assert session_controller.recording is not None


def test_drag_shows_later_times(qtbot: QtBot, panels: ParameterPanels, document: Document) -> None:
    shape = panels.gait.shape
    qtbot.waitUntil(lambda: shape.reference is not None)
    assert shape.reference is not None
    now = shape.reference.joints.copy()
    qtbot.mousePress(shape, Qt.MouseButton.LeftButton, pos=QPoint(60, 40))
    qtbot.mouseMove(shape, QPoint(60 + round(0.3 * shape.width()), 40))
    shape.grab()
    # Half of the full range of the drag is half a period: the wave is inverted.
    assert shape.ahead == pytest.approx(0.5 * 360 / 80, abs=0.05)
    assert abs(shape.reference.joints - now).max() > 0.05
    qtbot.mouseRelease(shape, Qt.MouseButton.LeftButton, pos=QPoint(150, 40))
    shape.grab()
    assert shape.ahead == 0.0
    assert shape.reference.joints == pytest.approx(now)


def test_drag_turns_the_spatial_view(qtbot: QtBot) -> None:
    shape = BodyShape()
    qtbot.addWidget(shape)
    shape.show_state(
        with_values(Scene(), {"model.kind": "spatial_nonsmooth", "gait.kind": "two_waves"}), None
    )
    shape.resize(300, shape.sizeHint().height())
    shape.show()
    qtbot.waitExposed(shape)
    before = (shape.azimuth, shape.elevation)
    seen = shape.grab().toImage()
    position = QPoint(100, shape.height() - 30)
    qtbot.mousePress(shape, Qt.MouseButton.LeftButton, pos=position)
    qtbot.mouseMove(shape, position + QPoint(40, 10))
    qtbot.mouseRelease(shape, Qt.MouseButton.LeftButton, pos=position + QPoint(40, 10))
    assert shape.azimuth != before[0]
    assert shape.elevation > before[1]
    assert shape.ahead == 0.0
    assert shape.grab().toImage() != seen
    qtbot.mouseDClick(shape, Qt.MouseButton.LeftButton, pos=position)
    assert (shape.azimuth, shape.elevation) == before


def test_preview_needs_no_snapshot(qtbot: QtBot) -> None:
    shape = BodyShape()
    qtbot.addWidget(shape)
    shape.show_state(Scene(), None)
    shape.resize(300, 84)
    shape.grab()
    assert shape.reference is not None
    assert shape.reference.joints.shape == (12, 3)


def test_controller_without_gait_shows_only_the_shape(panel: GaitPanel, document: Document) -> None:
    document.set_value("controller.kind", "leader_follower", "Lead")
    hidden = (panel.presets, panel.wave_button, panel.soft_start, panel.rows["gait.amplitude_deg"])
    assert not any(widget.isVisible() for widget in hidden)
    assert panel.shape.isVisible()
    assert "does not use the gait" in panel.about.text()
    document.set_value("controller.kind", "none", "Alone")
    assert all(widget.isVisible() for widget in hidden)
    assert "does not use the gait" not in panel.about.text()


def test_soft_start_is_in_the_gait_section(qtbot: QtBot, document: Document) -> None:
    panels = ParameterPanels(document, FakeSessionController())
    qtbot.addWidget(panels)
    panels.show()
    assert panels.gait.soft_start.isVisible()
    document.set_value("controller.kind", "leader_follower", "Lead")
    assert not panels.gait.soft_start.isVisible()


@pytest.fixture
def torques(panel: GaitPanel, document: Document) -> GaitPanel:
    panel.torque_button.click()
    assert isinstance(document.scene.gait, JointTorqueFields)
    return panel


def test_torques_replace_angles_in_one_step(torques: GaitPanel, document: Document) -> None:
    before = initial_joint_angles(document.scene)
    assert not check_controller(document.scene)
    assert list(torques.rows) == ["gait.torque_nm", "gait.pitch_torque_nm"]
    assert not torques.shape.isVisible()
    assert not torques.wave_button.isVisible()
    assert "torques" in torques.about.text()
    torques.torque_button.click()
    assert isinstance(document.scene.gait, LateralUndulation)
    assert torques.shape.isVisible()
    document.undo_stack.undo()
    document.undo_stack.undo()
    assert isinstance(document.scene.gait, LateralUndulation)
    # it has the same position as before
    assert initial_joint_angles(document.scene) == pytest.approx(before, abs=1e-6)
    pressed = next(gait for gait in GAITS if gait.values["gait"].kind == "two_waves")
    torques.torque_button.click()
    torques.choose(pressed)
    assert document.scene.gait.kind == "two_waves"


def test_formula_of_torques_is_applied_or_refused(
    qtbot: QtBot, torques: GaitPanel, document: Document
) -> None:
    row = torques.rows["gait.torque_nm"]
    assert row.field.text() == JointTorqueFields(kind="joint_torque").torque_nm
    for text in ("0.3*sin(q)", "0.3*sin(t*i/n)"):
        type_into(row.field, text)
        if "q" in text:
            assert row.problem.startswith(
                "'q' at character 9 is not known. Use t, i, n, pi and the functions "
            )
    assert row.problem == ""
    assert document.scene.gait == JointTorqueFields(kind="joint_torque", torque_nm="0.3*sin(t*i/n)")


def test_formula_of_angles_is_chosen_applied_or_refused(
    qtbot: QtBot, panel: GaitPanel, document: Document
) -> None:
    document.edit(with_values(document.scene, {"gait.kind": "joint_angle"}), "Gait")
    assert list(panel.rows) == ["gait.angle_deg", "gait.pitch_angle_deg"]
    assert panel.names_button.isVisible()
    row = panel.rows["gait.angle_deg"]
    for text in ("30*sin(q)", "30*sin(t - i)"):
        type_into(row.field, text)
        assert ("'q'" in row.problem) == ("q" in text)
    assert document.scene.gait.angle_deg == "30*sin(t - i)"
    assert not [each for each in check_controller(document.scene) if each.severity == "error"]


def test_values_ignored_with_torques_are_muted(torques: GaitPanel, document: Document) -> None:
    pitch = torques.rows["gait.pitch_torque_nm"]
    assert pitch.field.property("unused")
    assert pitch.field.isEnabled()
    assert pitch.note.text() == "Only in the spatial model"
    assert "torques" in torques.lead_in.unused
    document.edit(with_values(document.scene, {"model.kind": "spatial_nonsmooth"}), "Model")
    assert not pitch.field.property("unused")
    assert not pitch.note.isVisible()


def test_torques_are_not_offered_with_a_controller(panel: GaitPanel, document: Document) -> None:
    document.edit(with_values(document.scene, {"controller.kind": "heading"}), "Controller")
    assert not panel.torque_button.isVisible()
    document.edit(with_values(document.scene, {"controller.kind": "none"}), "Controller")
    assert panel.torque_button.isVisible()


def test_pending_values_and_problems_are_shown(torques: GaitPanel) -> None:
    finding = Problem("error", "gait.torque_nm", "there is no value", "avoid 1/0")
    torques.show_pending({"gait"}, [finding])
    assert "reset" in torques.message.text()
    assert torques.rows["gait.torque_nm"].problem == "There is no value. Avoid 1/0."
    torques.show_pending((), ())
    assert torques.message.text() == torques.rows["gait.torque_nm"].problem == ""


# --- compound serpenoids and tables ---------------------------------------------------------------


def test_compound_serpenoid_has_groups_and_an_envelope(
    qtbot: QtBot, panel: GaitPanel, document: Document
) -> None:
    document.edit(with_values(document.scene, {"model.kind": "spatial_nonsmooth"}), "Model")
    panel.choose(library("compound_serpenoid"))
    titles = [
        label.text() for label in panel.findChildren(QLabel) if label.property("role") == "group"
    ]
    assert titles == ["Lateral (odd joints)", "Vertical (even joints)", "Between the waves"]
    assert not panel.wave_button.isVisible()
    row = panel.rows["gait.envelope"]
    for text in ("1 + q", "0.5 + n/N"):
        type_into(row.field, text)
        assert bool(row.problem) == ("q" in text)
    assert document.scene.gait.envelope == "0.5 + n/N"
    assert panel.presets.currentText() == "• Sidewinding (compound)"


def test_suitable_gaits_are_first_and_others_give_a_reason(
    panel: GaitPanel, document: Document
) -> None:
    box = panel.presets
    box.showPopup()
    names = [box.itemText(i).removeprefix("• ") for i in range(box.count())]
    assert names.index("Eel-like") < names.index("Sidewinding")
    assert "pitch axes" in box.reasons["Sidewinding"]
    panel.choose(library("two_waves"))
    assert box.reasons[box.preset.name] in panel.about.text()  # type: ignore[union-attr]
    document.set_value("model.kind", "spatial_nonsmooth", "Model")
    names = [box.itemText(i).removeprefix("• ") for i in range(box.count())]
    own = [entry.title for entry in LIBRARY if not entry.robot]
    assert names[: len(own)] == own
    assert all("needs 40 joints" in reason for reason in box.reasons.values())
    box.hidePopup()


def test_library_is_searched_by_words(qtbot: QtBot, panel: GaitPanel, document: Document) -> None:
    document.set_value("model.kind", "spatial_nonsmooth", "Model")
    box = panel.presets
    box.showPopup()
    assert box.search is not None
    qtbot.keyClicks(box.search, "snakelib_ros2 slither")
    view = box.view()
    visible = [box.itemText(i) for i in range(box.count()) if not view.isRowHidden(i)]
    assert visible == ["Slithering (ReU)", "Slithering (SEA)", "Slithering (R-Snake)"]
    qtbot.keyClick(box.search, Qt.Key.Key_Down)
    qtbot.keyClick(box.search, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: box.currentText() == "Slithering (SEA)")
    preset = next(entry for entry in LIBRARY if entry.name == "sea_slithering")
    assert document.scene.gait == preset.gait
    box.showPopup()
    assert not box.search.text()
    assert not any(view.isRowHidden(i) for i in range(box.count()))
    box.hidePopup()


@pytest.mark.parametrize("name", ["Backbone curve", "Turn in place (ReU)"])
def test_other_kinds_of_gaits_have_a_preview(
    qtbot: QtBot, panels: ParameterPanels, document: Document, name: str
) -> None:
    document.set_value("model.kind", "spatial_nonsmooth", "Model")
    panel = panels.gait
    panel.presets.activated.emit(panel.presets.findText(name))
    assert panel.shape.isVisible()
    qtbot.waitUntil(lambda: panel.shape.reference is not None)
    panel.shape.grab()
    first = panel.shape.reference
    assert first is not None
    assert np.ptp(first.joints[:, 1]) > 0.05
    panel.shape.ahead = 0.4
    panel.shape.grab()
    assert panel.shape.reference is not None
    assert np.abs(panel.shape.reference.joints - first.joints).max() > 0.01


def test_gait_table_is_edited_previewed_and_checked(
    qtbot: QtBot, panel: GaitPanel, document: Document, tmp_path: Path
) -> None:
    time = np.linspace(0.0, 1.0, 11)
    np.savetxt(
        tmp_path / "log.csv",
        np.column_stack([time, np.outer(np.sin(time), np.full(10, 30.0))]),
        delimiter=",",
    )
    panel.presets.activated.emit(panel.presets.findText("Table of joint angles"))
    assert panel.preview.isVisible()
    assert panel.preview.text == "no table"
    row = panel.rows["gait.file"]
    assert isinstance(row.editor, TextEditor)
    for name, text in (
        ("none.csv", "the file "),
        ("log.csv", "11 rows, 1 s at 10 Hz, 10 axes, ±25.2°"),
    ):
        type_into(row.field, str(tmp_path / name))
        assert panel.preview.text.startswith(text)
    empty = panel.preview.grab().toImage()
    assert max(empty.pixelColor(x, 50).saturation() for x in range(empty.width())) > 60
    panel.show_pending({"gait.file"}, ())
    assert "reset" in panel.message.text()
