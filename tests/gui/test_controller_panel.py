"""The controller section: its kinds, rows from the declarations, values that wait for a reset or have no effect."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from snakestudio.control.controllers.heading import HeadingFields
from snakestudio.control.controllers.leader_follower import LeaderFollowerFields
from snakestudio.control.controllers.path_following import PathFollowingFields
from snakestudio.control.controllers.strain_follower import StrainFollowerFields
from snakestudio.control.controllers.teleoperation import TeleoperationFields
from snakestudio.gui.core import theme
from snakestudio.gui.core.document import Document
from snakestudio.gui.forms.editors import ChoiceEditor, SwitchEditor
from snakestudio.gui.scene.controller_panel import ControllerPanel
from snakestudio.gui.scene.parameters import ParameterPanels
from snakestudio.kinds.controller import CONTROLLERS
from snakestudio.model.edits import tree
from snakestudio.model.scene import Scene
from snakestudio.session.runner import Runner
from tests.gui.fake import FakeSessionController
from tests.gui.pages.hands import type_into
from tests.gui.pages.parts import label

pytestmark = pytest.mark.gui


def pick(qtbot: QtBot, panel: ControllerPanel, kind: str) -> None:
    """Choose with the keyboard, as a user does."""
    panel.box.setFocus()
    while panel.box.currentIndex() != panel.box.findData(kind):
        down = panel.box.currentIndex() < panel.box.findData(kind)
        qtbot.keyClick(panel.box, Qt.Key.Key_Down if down else Qt.Key.Key_Up)


def test_every_controller_of_the_scene_is_offered() -> None:
    laws = (
        HeadingFields,
        LeaderFollowerFields,
        PathFollowingFields,
        StrainFollowerFields,
        TeleoperationFields,
    )
    others = {
        "none",
        "compliance",
        "hopf_oscillators",
        "joint_targets",
        "matsuoka_oscillators",
        "phase_oscillators",
    }
    assert set(CONTROLLERS) == {law.model_fields["kind"].default for law in laws} | others


def test_change_of_controller_is_one_undo_step(
    qtbot: QtBot, panels: ParameterPanels, document: Document
) -> None:
    panel = panels.controller
    before = document.scene
    assert not panel.rows
    pick(qtbot, panel, "heading")
    assert document.scene.controller == HeadingFields()
    assert set(panel.rows) == {f"controller.{n}" for n in HeadingFields.model_fields if n != "kind"}
    assert document.undo_stack.count() == 1
    document.set_value("controller.gain", 0.9, "Gain")
    pick(qtbot, panel, "path_following")
    assert document.scene.controller == PathFollowingFields(gain=0.9), "shared values stay"
    assert document.undo_stack.count() == 3
    for _ in range(3):
        document.undo_stack.undo()
    assert document.scene == before
    assert panel.box.currentData() == "none"
    assert not panel.rows


def test_rows_edit_numbers_choices_and_switches(
    qtbot: QtBot, panels: ParameterPanels, document: Document
) -> None:
    panel = panels.controller
    pick(qtbot, panel, "leader_follower")
    row = panels.rows["controller.speed_m_s"]
    type_into(row.field, "0.35")
    begins = panel.rows["controller.begins"]
    jams = panel.rows["controller.jam_resolution"]
    assert isinstance(begins.editor, ChoiceEditor)
    assert isinstance(jams.editor, SwitchEditor)
    qtbot.keyClick(begins.field, Qt.Key.Key_Up)
    assert jams.field.isChecked()
    qtbot.keyClick(jams.field, Qt.Key.Key_Space)
    assert document.scene.controller == LeaderFollowerFields(
        speed_m_s=0.35, begins="left", jam_resolution=False
    )
    document.undo_stack.undo()
    assert jams.field.isChecked()


def test_values_without_effect_are_locked(
    qtbot: QtBot, panels: ParameterPanels, document: Document
) -> None:
    panel = panels.controller
    pick(qtbot, panel, "leader_follower")
    document.set_value("start.kind", "straight", "Start")
    frequency = panels.rows["gait.frequency_deg_s"]
    assert "controller" in frequency.unused
    assert (
        label(frequency).text().startswith(f"<span style='color:{theme.current().dim}'>Frequency")
    ), "it can be read"
    assert panels.rows["control.start_delay_s"].unused
    assert not panels.rows["controller.jam_gain_rad_per_n"].unused
    document.set_value("controller.jam_resolution", False, "Off")
    assert "jam resolution" in panels.rows["controller.jam_gain_rad_per_n"].unused
    assert not panels.rows["controller.jam_angle_deg"].unused
    pick(qtbot, panel, "path_following")
    assert not panels.rows["gait.frequency_deg_s"].unused
    assert "smooth paths" in panels.rows["controller.curve_gain"].unused
    document.set_value("path.shape", "spline", "Spline")
    assert not panels.rows["controller.curve_gain"].unused


def test_values_waiting_for_a_reset_are_marked(
    qtbot: QtBot, panels: ParameterPanels, session_controller: FakeSessionController
) -> None:
    panel = panels.controller
    pick(qtbot, panel, "leader_follower")
    assert not panel.message.text()
    # The keys are those that a run refuses.
    other = Scene.model_validate({**dict(Scene()), "controller": LeaderFollowerFields()})
    runner = Runner(Scene())
    session_controller.status.pending = tuple(runner.apply(other))
    session_controller.status_changed.emit(session_controller.status)
    assert "reset" in panel.message.text()
    session_controller.status.pending = ("controller.begins",)
    session_controller.status_changed.emit(session_controller.status)
    assert not panel.message.text()
    assert "reset" in panel.rows["controller.begins"].message.text()


def test_path_is_described_for_following_controllers(
    qtbot: QtBot, panels: ParameterPanels, document: Document
) -> None:
    panel = panels.controller
    assert not panel.path_part.isVisible()
    pick(qtbot, panel, "path_following")
    assert panel.path_part.isVisible()
    assert "no path yet" in panel.path_about.text()
    assert not panel.clear_button.isVisible()
    with qtbot.waitSignal(panel.draw_requested):
        qtbot.mouseClick(panel.draw_button, Qt.MouseButton.LeftButton)
    document.set_value("path.waypoints_m", [[0.0, 0.0], [1.0, 0.0], [2.0, 2.0]], "Path")
    assert panel.path_about.text().startswith("3 waypoints.")
    shape, closed = panel.path_rows
    assert isinstance(closed.editor, SwitchEditor)
    qtbot.keyClick(closed.field, Qt.Key.Key_Space)
    assert isinstance(shape.editor, ChoiceEditor)
    qtbot.keyClick(shape.field, Qt.Key.Key_Down)
    path = tree(document.scene.path)
    assert path == {
        "waypoints_m": [[0.0, 0.0], [1.0, 0.0], [2.0, 2.0]],
        "shape": "spline",
        "closed": True,
    }
    pick(qtbot, panel, "none")
    assert "not used by" in panel.path_about.text()
    # Two points make no closed path: this is reported at the switch, and nothing changes.
    document.set_value("path.closed", False, "Open")
    document.set_value("path.waypoints_m", [[0.0, 0.0], [1.0, 0.0]], "Path")
    qtbot.keyClick(closed.field, Qt.Key.Key_Space)
    assert "A closed path needs at least 3" in closed.message.text()
    assert not closed.field.isChecked()
    assert not document.scene.path.closed


def test_program_of_a_driven_robot_is_described(
    panels: ParameterPanels, document: Document
) -> None:
    document.set_value("controller.kind", "teleoperation", "Controller")
    panels.controller.refresh(document.scene)
    assert "Its program" not in panels.controller.about.text()
    assert set(panels.controller.rows) == {
        f"controller.{n}" for n in TeleoperationFields.model_fields
    } - {
        "controller.kind",
        "controller.program",
    }
    document.set_value(
        "controller.program", [{"time_s": 1.0, "speed": 1.0}, {"time_s": 2.5}], "Program"
    )
    panels.controller.refresh(document.scene)
    assert panels.controller.about.text().endswith("Its program has 2 commands, the last at 2.5 s.")
