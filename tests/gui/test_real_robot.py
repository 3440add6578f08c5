"""The real robot: switched on and off by one click, with unused values muted and explained."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from pydantic import BaseModel
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from snakestudio.gui.core.document import Document
from snakestudio.gui.scene.parameters import ParameterPanels
from snakestudio.gui.scene.presets import AIKO, IDEAL
from snakestudio.kinds.formulation import FORMULATIONS
from snakestudio.kinds.reads import unused_reason
from snakestudio.model.edits import get_value, with_values
from snakestudio.model.fields import field_doc
from snakestudio.model.robot.robot import Actuator
from snakestudio.model.scene import Scene
from snakestudio.session.runner import Runner
from tests.gui.fake import FakeSessionController
from tests.gui.pages.hands import show_widget, type_into
from tests.gui.pages.parts import label

pytestmark = pytest.mark.gui


@pytest.fixture
def panels(
    qtbot: QtBot, document: Document, session_controller: FakeSessionController
) -> ParameterPanels:
    document.set_value("model.kind", "spatial_nonsmooth", "Model")
    return show_widget(qtbot, ParameterPanels(document, session_controller), 340, 1900)  # type: ignore[arg-type]


def test_robot_is_ideal_and_section_collapsed_at_first(
    panels: ParameterPanels, document: Document
) -> None:
    assert IDEAL.holds(document.scene)
    assert IDEAL.holds(Scene())
    assert panels.real_robot.is_folded
    assert panels.real_robot.buttons["Ideal"].isChecked()


def test_click_toggles_the_real_robot(
    qtbot: QtBot, panels: ParameterPanels, document: Document
) -> None:
    section = panels.real_robot
    before = document.scene
    section.toggle()
    count = document.undo_stack.count()
    qtbot.mouseClick(section.buttons["As Aiko"], Qt.MouseButton.LeftButton)
    scene = document.scene
    # P1, VIII-F: 3 to 5 degrees of backlash, 22 mm between the axes, 10 Hz, 0.05 to 0.15 s late.
    assert scene.actuator == Actuator(free_play_deg=4.0, max_torque_nm=4.0, time_constant_s=0.002)
    assert scene.robot.axis_offset_m == 0.022
    assert scene.ground.stribeck_rise == 0.2
    assert (scene.control.set_point_period_s, scene.control.start_delay_s) == (0.1, 0.1)
    assert document.undo_stack.count() == count + 1
    assert section.buttons["As Aiko"].isChecked()
    assert not section.buttons["Ideal"].isChecked()
    assert section.rows["actuator.free_play_deg"].field.text() == "4.00"
    document.set_value("actuator.free_play_deg", 3.0, "Free play")
    assert not any(button.isChecked() for button in section.buttons.values())
    qtbot.mouseClick(section.buttons["Ideal"], Qt.MouseButton.LeftButton)
    assert document.scene == before
    document.undo_stack.undo()
    document.undo_stack.undo()
    assert AIKO.holds(document.scene)


def test_torque_limit_corresponds_to_six_watts() -> None:
    fastest = np.radians(40) * np.radians(80)  # P2's gait, rad/s
    assert AIKO.values["actuator.max_torque_nm"] == pytest.approx(0.65 * 6.0 / fastest, rel=0.01)


def test_scene_of_a_real_robot_opens_expanded(panels: ParameterPanels, document: Document) -> None:
    document.new(AIKO.applied(document.scene))
    assert not panels.real_robot.is_folded
    document.new(IDEAL.applied(document.scene))
    assert panels.real_robot.is_folded


def test_values_ignored_by_a_smooth_model_are_muted_and_editable(
    panels: ParameterPanels, document: Document
) -> None:
    row = panels.rows["actuator.free_play_deg"]
    assert row.slider is not None
    assert not row.field.property("unused")
    document.set_value("model.kind", "planar_lagrangian", "Model")
    assert row.field.property("unused")
    assert row.slider.property("unused")
    type_into(row.field, "2")
    assert document.scene.actuator.free_play_deg == 2.0
    assert row.slider.value() > 0
    document.undo_stack.undo()
    assert "only in the planar non-smooth and spatial models" in label(row).text()
    assert "only in the planar non-smooth and spatial models" in row.field.toolTip()
    assert not panels.rows["control.start_delay_s"].field.property("unused")
    document.undo_stack.undo()
    assert not row.field.property("unused")


def test_unused_values_are_reset(qtbot: QtBot, panels: ParameterPanels, document: Document) -> None:
    row = panels.rows["actuator.free_play_deg"]
    document.set_value("actuator.free_play_deg", 4.0, "Free play")
    document.set_value("model.kind", "planar_lagrangian", "Model")
    assert row.unused
    row.set_default(0.0)
    assert row.reset_button is not None
    assert not row.reset_button.isHidden()
    row.reset_button.click()
    assert document.scene.actuator.free_play_deg == 0.0


OTHER: dict[str, object] = {
    "ground.coulomb_law": "tanh",
    "ground.friction_factor": "0.5",
    "ground.load_factor": "0.5",
    "ground.patch": [
        {"points_m": [[-9, -9], [9, -9], [9, 9], [-9, 9]], "mu_along": 0.5, "mu_across": 0.9}
    ],
    "solver.joints": "implicit",
    "solver.tolerance": 1e-10,
    "solver.max_iterations": 7,
    "solver.error_tolerance": 0.01,
    "joint_controller.law": "feedback_linearization",
}


def _other(scene: Scene, key: str) -> object:
    """Return another valid value."""
    if key in OTHER:
        return OTHER[key]
    value = get_value(scene, key)
    if isinstance(value, BaseModel):
        return value
    part, _, name = key.partition(".")
    most = field_doc(type(getattr(scene, part)), name).maximum
    other = 0.5 if value is None else 2.0 * value + 0.3
    return other if other <= most else 0.5 * most


@pytest.mark.parametrize(
    ("kind", "fewest"),
    [
        ("planar_nonsmooth", 16),
        ("spatial_nonsmooth", 10),
        ("planar_lagrangian", 18),
        ("planar_nonholonomic", 15),
    ],
)
def test_engines_ignore_unused_values(kind: Any, fewest: int) -> None:
    scene = Scene(model=FORMULATIONS[kind].fields())
    unused = [key for key in _every_key(scene) if unused_reason(scene, key)]
    assert len(unused) >= fewest
    other = with_values(scene, {key: _other(scene, key) for key in unused})
    runs = []
    for each in (scene, other):
        runner = Runner(each)
        runner.advance(200)
        runs.append(runner.latest.link_pose)
    assert np.array_equal(*runs)


def _every_key(scene: Scene) -> list[str]:
    parts = ("robot", "ground", "joint_controller", "actuator", "control", "solver")
    return [f"{part}.{name}" for part in parts for name in type(getattr(scene, part)).model_fields]
