"""Tables of editors: rows show values and return them; Tab, messages, reset and removal work row by row."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QContextMenuEvent
from PySide6.QtWidgets import QApplication, QLineEdit, QToolButton, QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from snakestudio.gui.forms.editors import ShownText
from snakestudio.gui.forms.field_table import FieldTable, TableColumn
from snakestudio.gui.forms.form_fields import Choice, FormField, fields_of, form_field
from snakestudio.gui.forms.menu import Menu, plain

pytestmark = pytest.mark.gui


def sides(peg: Peg) -> list[Choice]:
    return [Choice(side, side) for side in ("left", "right") if peg.name != "middle"]


@dataclass(frozen=True)
class Peg:
    name: str = form_field("first", "", max_length=8)
    unit: str = form_field("mm", "", editor=ShownText)
    radius: float = form_field(5.0, "", name="Radius", minimum=0.0, live=False)
    side: str | None = form_field(
        "left", "", choices=sides, visible_if=lambda peg: bool(sides(peg))
    )


COLUMNS = {
    "name": TableColumn("Name", stretch=1),
    "radius": TableColumn("Radius", is_right=True),
    "unit": TableColumn(),
    "side": TableColumn("Side"),
}


@pytest.fixture
def table(qtbot: QtBot) -> Iterator[FieldTable[Peg]]:
    """A table of two rows, and a field after it that was created before the rows."""
    window = QWidget()
    qtbot.addWidget(window)
    table = FieldTable[Peg](COLUMNS, remove="Remove this peg")
    layout = QVBoxLayout(window)
    layout.addWidget(table)
    behind = QLineEdit()
    behind.setObjectName("behind")
    layout.addWidget(behind)
    for peg in (Peg(), Peg("second", radius=7.0, side="right")):
        table.add_row(peg, fields_of(peg))
    window.show()
    qtbot.waitExposed(window)
    yield table
    window.close()


def test_rows_show_values_and_return_them(table: FieldTable[Peg], qtbot: QtBot) -> None:
    assert [row.values for row in table.rows] == [Peg(), Peg("second", radius=7.0, side="right")]
    row = table.rows[1]
    with qtbot.waitSignal(table.changed):
        qtbot.keyClicks(row.widget_of("name"), "!")
    assert row.values == Peg("second!", radius=7.0, side="right")
    pegs = [Peg("third"), Peg("fourth"), Peg("fifth")]
    table.show_rows(pegs, [fields_of(peg) for peg in pegs])
    assert [row.values for row in table.rows] == pegs


def test_setting_values_emits_no_change(table: FieldTable[Peg], qtbot: QtBot) -> None:
    pegs = [Peg("third"), Peg("fourth", side="right")]
    with qtbot.assertNotEmitted(table.changed):
        table.show_rows(pegs, [fields_of(peg) for peg in pegs])
    assert [row.values for row in table.rows] == pegs


def test_conditions_and_choices_follow_the_row(table: FieldTable[Peg]) -> None:
    first, second = table.rows
    first.widget_of("name").setText("middle")
    assert not first.widget_of("side").isVisible()
    assert second.widget_of("side").isVisible()
    first.widget_of("name").setText("end")
    assert first.widget_of("side").isVisible()
    assert first.values.side == "left"


def test_problem_names_the_first_wrong_field(table: FieldTable[Peg], qtbot: QtBot) -> None:
    radius = table.rows[1].widget_of("radius")
    qtbot.keyClicks(radius, "-3")
    assert not table.commit()
    assert "Radius must be at least 0" in table.problem
    assert radius.accessibleDescription() == table.problem
    assert table.rows[1].values.radius == 7.0
    radius.setText("4")
    radius.setModified(True)
    assert table.commit()
    assert table.problem == ""
    assert table.rows[1].values.radius == 4.0


def test_tab_goes_row_by_row(table: FieldTable[Peg]) -> None:
    table.add_row(Peg("third"), fields_of(Peg()))
    expected = []
    for row in table.rows:
        expected += [row.widget_of(name) for name in ("name", "radius", "side")]
        expected.append(
            next(button for button in buttons(table) if near(button, row.widget_of("name")))
        )
    behind = table.window().findChild(QLineEdit, "behind")
    visited = [table.rows[0].widget_of("name")]
    while visited[-1] is not behind:
        following = visited[-1].nextInFocusChain()
        while not (following.focusPolicy() & Qt.FocusPolicy.TabFocus and following.isVisible()):
            following = following.nextInFocusChain()
        visited.append(following)
    assert visited == [*expected, behind]


def buttons(table: FieldTable[Peg]) -> list[QToolButton]:
    return table.findChildren(QToolButton)


def near(button: QWidget, field: QWidget) -> bool:
    """Whether a button is in the row of a field."""
    QApplication.processEvents()
    return abs(button.geometry().center().y() - field.geometry().center().y()) < 10


def test_menu_resets_a_field_to_its_initial_value(table: FieldTable[Peg], qtbot: QtBot) -> None:
    row = table.rows[1]
    row.widget_of("side").setCurrentIndex(0)
    position = row.widget_of("side").geometry().center()
    reason = QContextMenuEvent.Reason.Mouse
    table.contextMenuEvent(QContextMenuEvent(reason, position, table.mapToGlobal(position)))
    menu = QApplication.activePopupWidget()
    assert isinstance(menu, Menu)
    (action,) = menu.actions()
    assert plain(action.text()) == "Reset to right"
    with qtbot.waitSignal(table.changed):
        action.trigger()
    menu.close()
    assert row.values.side == "right"


def test_removing_a_row_keeps_the_others(table: FieldTable[Peg], qtbot: QtBot) -> None:
    first, second = table.rows
    with qtbot.waitSignal(table.changed):
        qtbot.mouseClick(buttons(table)[0], Qt.MouseButton.LeftButton)
    assert table.rows == [second]
    assert first.widget_of("name").isHidden()


def test_fields_can_differ_from_row_to_row(table: FieldTable[Peg]) -> None:
    fields: dict[str, FormField] = {"name": fields_of(Peg())["name"]}
    row = table.add_row(replace(Peg(), radius=9.0), fields)
    assert set(row.editors) == {"name"}
    assert row.values.radius == 9.0
