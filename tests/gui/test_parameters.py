"""The parameter panels: sliders, typed numbers, presets and values that wait for a reset."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from snakestudio.gui.core import theme
from snakestudio.gui.core.document import Document
from snakestudio.gui.forms.sections import Section
from snakestudio.gui.forms.slider import ValueSlider
from snakestudio.gui.forms.value_row import ValueRow
from snakestudio.gui.scene.gait_panel import GAITS
from snakestudio.gui.scene.parameters import ParameterPanels
from snakestudio.model.fields import field_doc
from snakestudio.model.obstacles.shapes.cylinder import Cylinder
from snakestudio.paths import scenes_dir
from snakestudio.session import live_edit
from tests.gui.fake import FakeSessionController
from tests.gui.pages.hands import type_into

pytestmark = pytest.mark.gui


def slider_of(row: ValueRow) -> ValueSlider:
    assert row.slider is not None
    return row.slider


def drag(qtbot: QtBot, slider: ValueSlider, *shares: float) -> None:
    """Press at the first share of the width, move over the others, release at the last."""
    points = [
        QPoint(round(7 + fraction * (slider.width() - 14)), slider.height() // 2)
        for fraction in shares
    ]
    qtbot.mousePress(slider, Qt.MouseButton.LeftButton, pos=points[0])
    for point in points[1:]:
        qtbot.mouseMove(slider, point)
    qtbot.mouseRelease(slider, Qt.MouseButton.LeftButton, pos=points[-1])


def test_drag_is_live_and_one_undo_step(
    qtbot: QtBot, panels: ParameterPanels, document: Document
) -> None:
    row = panels.rows["gait.amplitude_deg"]
    seen: list[float] = []
    document.scene_changed.connect(lambda before, after: seen.append(after.gait.amplitude_deg))
    drag(qtbot, slider_of(row), 0.5, 0.6, 0.7, 0.8)
    assert len(seen) >= 3
    assert seen == sorted(seen)
    assert document.scene.gait.amplitude_deg == pytest.approx(72, abs=1)
    assert document.undo_stack.count() == 1
    document.undo_stack.undo()
    assert document.scene.gait.amplitude_deg == 40.0
    assert row.field.text() == "40.0"
    drag(qtbot, slider_of(row), 0.2, 0.3)
    drag(qtbot, slider_of(row), 0.5, 0.6)
    assert document.undo_stack.count() == 2


def test_pressing_the_handle_off_centre_changes_nothing(
    qtbot: QtBot, panels: ParameterPanels, document: Document
) -> None:
    slider = slider_of(panels.rows["gait.amplitude_deg"])
    handle = 7 + slider.value() / slider.maximum() * (slider.width() - 14)
    qtbot.mouseClick(
        slider, Qt.MouseButton.LeftButton, pos=QPoint(round(handle) + 5, slider.height() // 2)
    )
    assert document.scene.gait.amplitude_deg == 40.0
    assert document.undo_stack.count() == 0


def test_typed_number_can_exceed_the_slider(
    qtbot: QtBot, panels: ParameterPanels, document: Document
) -> None:
    row = panels.rows["joint_controller.kp_nm_per_rad"]
    type_into(row.field, "2*1000")
    assert document.scene.joint_controller.kp_nm_per_rad == 2000.0
    assert slider_of(row).value() == slider_of(row).maximum()
    assert document.undo_stack.undoText() == "Change stiffness"


def test_invalid_number_changes_nothing(
    qtbot: QtBot, panels: ParameterPanels, document: Document
) -> None:
    row = panels.rows["ground.mu_along"]
    type_into(row.field, "-0.1")
    assert row.message.isVisible()
    assert "at least 0" in row.message.text()
    assert document.scene.ground.mu_along == 0.2
    assert document.undo_stack.count() == 0
    qtbot.keyClick(row.field, Qt.Key.Key_Escape)
    assert not row.message.isVisible()
    assert row.field.text() == "0.200"


def test_contradicting_values_are_refused_at_the_field(
    qtbot: QtBot, panels: ParameterPanels, document: Document
) -> None:
    row = panels.rows["solver.step_s"]
    type_into(row.field, "0.0003")
    assert "whole number" in row.message.text()
    assert document.scene.solver.step_s == 0.00025
    type_into(row.field, "1/5000")
    assert document.scene.solver.step_s == 1 / 5000
    assert not row.message.isVisible()


def test_reset_restores_the_preset(
    qtbot: QtBot, panels: ParameterPanels, document: Document
) -> None:
    row = panels.rows["gait.amplitude_deg"]
    assert not row.reset_button.isVisible()
    document.set_value("gait.amplitude_deg", 55.0, "test")
    assert row.reset_button.isVisible()
    assert panels.gait.presets.changed
    qtbot.mouseClick(row.reset_button, Qt.MouseButton.LeftButton)
    assert document.scene.gait.amplitude_deg == 40.0
    assert not row.reset_button.isVisible()
    assert not panels.gait.presets.changed


def test_preset_is_one_undo_step(qtbot: QtBot, panels: ParameterPanels, document: Document) -> None:
    document.set_value("gait.offset_deg", 5.0, "test")
    count = document.undo_stack.count()
    box = panels.gait.presets
    box.setFocus()
    index = box.currentIndex()
    qtbot.keyClick(box, Qt.Key.Key_Down)
    assert box.currentIndex() == index + 1
    assert document.scene.gait == GAITS[index + 1].values["gait"]
    assert document.undo_stack.count() == count + 1
    document.undo_stack.undo()
    assert document.scene.gait.offset_deg == 5.0
    assert box.changed


def test_value_waiting_for_a_reset_is_marked(
    panels: ParameterPanels, session_controller: FakeSessionController
) -> None:
    row = panels.rows["run.log_rate_hz"]
    assert not row.message.isVisible()
    session_controller.set_status(pending=("run.log_rate_hz",))
    assert row.message.isVisible()
    assert "next reset" in row.message.text()
    session_controller.set_status(pending=())
    assert not row.message.isVisible()


def test_section_can_be_collapsed(qtbot: QtBot, panels: ParameterPanels) -> None:
    row = panels.rows["ground.mu_along"]
    section = next(s for s in panels.findChildren(Section) if s.isAncestorOf(row))
    section.toggle()
    assert not row.isVisible()
    section.toggle()
    assert row.isVisible()


def test_tooltips_are_those_of_the_declaration(panels: ParameterPanels) -> None:
    tip = panels.rows["gait.phase_shift_deg"].field.toolTip()
    for part in ("Phase shift", "δ", "−180", "180", "°", "gait.phase_shift_deg"):
        assert part in tip
    assert "reset" in panels.rows["run.log_rate_hz"].field.toolTip()


def test_live_values_are_applied_during_a_run(panels: ParameterPanels) -> None:
    for key, row in panels.rows.items():
        live = key.split(".")[0] in live_edit._PARTS or key in live_edit._KEYS
        # The energy of the run would jump with the inertia.
        assert row.doc.live == (live and key != "actuator.rotor_inertia_kg_m2"), key
    for name in ("x_m", "y_m", "radius_m", "height_m", "friction", "name"):
        assert field_doc(Cylinder, name).live == ("obstacles" in live_edit._PARTS)


def test_panel_adopts_the_light_theme(panels: ParameterPanels) -> None:
    app = QApplication.instance()
    assert isinstance(app, QApplication)
    before = app.styleSheet(), app.palette()
    try:
        theme.apply(app, "light")
        assert theme.LIGHT.dim in panels.rows["gait.amplitude_deg"].field.toolTip()
    finally:
        theme.apply(app, "dark")
        app.setStyleSheet(before[0])
        app.setPalette(before[1])


def test_shape_is_drawn(
    panels: ParameterPanels, session_controller: FakeSessionController, qtbot: QtBot
) -> None:
    accent = theme.colour("accent").rgb()

    def accent_pixels() -> int:
        image = panels.gait.shape.grab().toImage()
        return sum(
            image.pixel(x, y) == accent
            for x in range(0, image.width(), 2)
            for y in range(0, image.height(), 2)
        )

    qtbot.waitUntil(lambda: accent_pixels() > 20)
    session_controller.set_recording(None)
    qtbot.waitUntil(lambda: accent_pixels() == 0)


def test_values_of_the_lagrangian_model_are_shown_only_there(
    panels: ParameterPanels, document: Document
) -> None:
    keys = (
        "ground.viscous_along_ns_per_m",
        "ground.viscous_across_ns_per_m",
        "joint_controller.linearization_kp_per_s2",
    )
    assert not any(panels.rows[key].isVisibleTo(panels) for key in keys)
    assert not panels.rows["joint_controller.law"].isVisibleTo(panels)
    document.open(scenes_dir() / "lagrangian_undulation.toml")
    assert all(panels.rows[key].isVisibleTo(panels) for key in keys)
    assert panels.rows["joint_controller.law"].isVisibleTo(panels)
    stiffness = panels.rows["joint_controller.kp_nm_per_rad"]
    assert "PD control" in stiffness.unused
    panels.rows["joint_controller.law"].field.setCurrentIndex(
        panels.rows["joint_controller.law"].field.findData("pd")
    )
    panels.rows["joint_controller.law"].field.activated.emit(
        panels.rows["joint_controller.law"].field.currentIndex()
    )
    assert document.scene.joint_controller.law == "pd"
    assert stiffness.unused == ""
    gain = panels.rows["joint_controller.linearization_kp_per_s2"]
    assert "feedback linearization" in gain.unused
