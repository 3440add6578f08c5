"""Rows for one value: input, refusals, several items, reset, and lock."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest
from pydantic import BaseModel
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QContextMenuEvent
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from snakestudio.gui.forms.binding import ABSENT, SEVERAL, Binding
from snakestudio.gui.forms.editors import make_editor
from snakestudio.gui.forms.form_fields import field_for
from snakestudio.gui.forms.row_layouts import INSPECTOR, PANEL, RowLayout
from snakestudio.gui.forms.value_row import ValueRow
from snakestudio.model.fields import FieldDoc, field_doc
from snakestudio.model.ground_path import GroundPath
from snakestudio.model.motion import JointAnglesStart, LateralUndulation
from snakestudio.model.robot.robot import Robot
from tests.gui.pages.hands import show_widget, type_into
from tests.gui.pages.parts import label

pytestmark = pytest.mark.gui


class Memory(Binding):
    """Values of some items in memory, which refuses what `refused` returns a message about."""

    def __init__(self, doc: FieldDoc, values: Sequence[Any], refused: str = "") -> None:
        super().__init__([f"item[{i + 1}]" for i in range(len(values))], doc, doc.default)
        self.items = list(values)
        self.refused = refused
        self.reason = ""
        self.lock = ""
        self.edits: list[tuple[list[Any], bool]] = []
        self.gestures = 0

    @property
    def unused(self) -> str:
        return self.reason

    @property
    def locked(self) -> str:
        return self.lock

    def value(self) -> Any:
        if not self.items:
            return ABSENT
        return self.items[0] if len(set(self.items)) == 1 else SEVERAL

    def values(self) -> list[Any]:
        return list(self.items)

    def apply_each(self, values: Sequence[Any], *, again: bool = False) -> str:
        self.edits.append((list(values), again))
        if not self.refused:
            self.items = list(values)
        return self.refused

    def begin_gesture(self) -> None:
        self.gestures += 1

    def open_menu(self, row: QWidget, event: QContextMenuEvent) -> None:
        pass


def row_of(
    qtbot: QtBot,
    model: type[BaseModel],
    name: str,
    *values: Any,
    layout: RowLayout = INSPECTOR,
    refused: str = "",
) -> tuple[ValueRow, Memory]:
    """Return the row of a declared value, shown, and the items that it edits."""
    memory = Memory(field_doc(model, name), values, refused)
    editor = make_editor(field_for(model, name, live=False), memory.value())
    row = ValueRow(editor, memory, layout=layout)
    return show_widget(qtbot, row, 320, 60), memory


def test_refused_number_is_tried_only_when_it_is_entered(qtbot: QtBot) -> None:
    row, memory = row_of(qtbot, LateralUndulation, "amplitude_deg", 40.0, refused="Too steep.")
    type_into(row.field, "50")
    assert (row.problem, row.message.text()) == ("Too steep.", "Too steep.")
    assert len(memory.edits) == 1
    qtbot.keyClicks(row.field, "1")
    assert row.problem == ""
    assert len(memory.edits) == 1, "typing applies nothing"
    qtbot.keyClick(row.field, Qt.Key.Key_Escape)
    assert row.field.text() == "40.0"


@pytest.mark.parametrize(
    ("model", "name", "value", "text", "entered"),
    [
        (Robot, "name", "Aiko", "Kulko ", "Kulko"),
        (JointAnglesStart, "joint_angles_deg", (1.0, 2.0), "10 -20", (10.0, -20.0)),
        (GroundPath, "waypoints_m", (), "0 0; 1.5 2", ((0.0, 0.0), (1.5, 2.0))),
    ],
)
def test_text_becomes_the_declared_type(
    qtbot: QtBot, model: type[BaseModel], name: str, value: Any, text: str, entered: Any
) -> None:
    row, memory = row_of(qtbot, model, name, value)
    type_into(row.field, text)
    assert memory.items == [entered]
    assert row.message.isHidden()


def test_emptied_list_is_omitted_if_it_is_optional(qtbot: QtBot) -> None:
    row, memory = row_of(qtbot, JointAnglesStart, "joint_pitch_deg", (1.0,))
    row.field.selectAll()
    for key in (Qt.Key.Key_Delete, Qt.Key.Key_Return):
        qtbot.keyClick(row.field, key)
    assert memory.items == [None]


def test_text_that_is_not_a_list_is_refused_and_restored(qtbot: QtBot) -> None:
    row, memory = row_of(qtbot, GroundPath, "waypoints_m", ((0.0, 0.0), (1.0, 0.0)))
    type_into(row.field, "0 0; 1")
    assert "two numbers" in row.problem
    assert row.field.property("problem")
    assert row.field.text() == "0 0; 1 0"
    assert memory.edits == []


def test_items_that_differ_are_mixed_and_changed_relatively(qtbot: QtBot) -> None:
    row, memory = row_of(qtbot, Robot, "n_links", 5, 8)
    assert row.field.placeholderText() == "mixed"
    type_into(row.field, "*1.5")
    assert memory.items == [8, 12], "whole numbers are rounded"
    type_into(row.field, "-10000")
    assert "at least" in row.problem
    assert memory.items == [8, 12]
    type_into(row.field, "7")
    assert memory.items == [7, 7]


def test_choice_of_items_that_differ_is_mixed(qtbot: QtBot) -> None:
    row, memory = row_of(qtbot, Robot, "head", "first", "last")
    assert row.field.currentIndex() == -1
    row.field.setCurrentIndex(1)
    assert memory.items == ["last", "last"]


def test_switch_of_items_that_differ_is_partial(qtbot: QtBot) -> None:
    row, memory = row_of(qtbot, GroundPath, "closed", True, False)
    assert row.field.checkState() is Qt.CheckState.PartiallyChecked
    qtbot.mouseClick(row.field, Qt.MouseButton.LeftButton, pos=QPoint(8, row.field.height() // 2))
    assert memory.items == [True, True]
    assert row.field.checkState() is Qt.CheckState.Checked


@pytest.mark.parametrize("layout", [INSPECTOR, PANEL], ids=["inspector", "panel"])
def test_unused_value_is_muted_explained_and_editable(qtbot: QtBot, layout: RowLayout) -> None:
    row, memory = row_of(qtbot, LateralUndulation, "amplitude_deg", 40.0, layout=layout)
    memory.reason = "only on slopes"
    row.refresh()
    assert row.field.property("unused")
    assert memory.reason in label(row).text()
    assert memory.reason in row.field.toolTip()
    type_into(row.field, "50")
    assert memory.items == [50.0]
    memory.reason = ""
    row.refresh()
    assert not row.field.property("unused")
    assert "only" not in label(row).text()


def test_reset_is_offered_while_the_value_differs(qtbot: QtBot) -> None:
    row, memory = row_of(qtbot, LateralUndulation, "amplitude_deg", 33.0, layout=PANEL)
    assert row.reset_button is not None
    assert row.reset_button.isVisible()
    row.set_default(33.0)
    assert not row.reset_button.isVisible()
    row.set_default(20.0)
    assert "20" in row.reset_button.toolTip()
    row.reset_button.click()
    assert memory.items == [20.0]
    assert not row.reset_button.isVisible()


def test_slider_drag_is_one_gesture(qtbot: QtBot) -> None:
    row, memory = row_of(qtbot, LateralUndulation, "amplitude_deg", 40.0, layout=PANEL)
    assert row.slider is not None
    row.slider.began.emit()
    for position in (60, 61, 62):
        row.slider.move_to(position)
    assert memory.gestures == 1
    assert [again for _, again in memory.edits] == [True] * 3
    assert row.field.value == memory.items[0]


def test_locked_value_is_disabled(qtbot: QtBot) -> None:
    row, memory = row_of(qtbot, Robot, "name", "Aiko")
    memory.lock = "Armed."
    row.refresh()
    assert not row.field.isEnabled()
    memory.lock = ""
    row.refresh()
    assert row.field.isEnabled()


def test_removed_item_leaves_the_row_unchanged(qtbot: QtBot) -> None:
    row, memory = row_of(qtbot, Robot, "name", "Aiko")
    memory.items = []
    row.refresh()
    assert row.field.text() == "Aiko"
