"""The table of results: its order, copied text, accessible texts, and its size."""

from __future__ import annotations

import math

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from snakestudio.export.tables import Cell, Column, Row, Table, number_cell, text_cells
from snakestudio.gui.forms.table import TableView

pytestmark = pytest.mark.gui

COLUMNS = (
    Column("", is_text=True, name="quantity"),
    Column("worst", tip="Largest difference"),
    Column("speed", "m/s"),
)


def row(label: str, worst: float, speed: Cell, *, is_summary: bool = False) -> Row:
    return Row(
        (*text_cells(label), number_cell(worst), speed), "N m", f"<b>{label}</b>", is_summary
    )


TABLE = Table(
    "Loads",
    COLUMNS,
    (
        row("ten", 10.0, number_cell(-1.25)),
        row("nine", 9.0, Cell("unknown")),
        row("missing", math.nan, number_cell(3.0)),
        row("all", -99.0, Cell(""), is_summary=True),
    ),
)


@pytest.fixture
def view(qtbot: QtBot) -> TableView:
    view = TableView("Loads", fits=True)
    qtbot.addWidget(view)
    view.resize(400, 200)
    view.show_table(TABLE)
    view.show()
    return view


def labels(view: TableView) -> list[str]:
    return [texts[0] for texts in view.texts]


def click_heading(view: TableView, column: int) -> None:
    head = view.horizontalHeader()
    position = head.rect().topLeft()
    position.setX(head.sectionViewportPosition(column) + head.sectionSize(column) // 2)
    position.setY(head.height() // 2)
    QTest.mouseClick(head.viewport(), Qt.MouseButton.LeftButton, pos=position)


def test_cells_have_units_and_typographic_signs(view: TableView) -> None:
    assert view.texts[0] == ["ten, N m", "10", "\N{MINUS SIGN}1.25"]
    assert view.texts[2][1] == "\N{EN DASH}"
    right = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
    model = view.table_model
    assert model.index(0, 1).data(Qt.ItemDataRole.TextAlignmentRole) == right
    assert model.headerData(2, Qt.Orientation.Horizontal) == "speed (m/s)"


def test_headings_sort_by_value_and_restore_the_order(view: TableView) -> None:
    original = labels(view)
    click_heading(view, 1)
    assert labels(view) == ["nine, N m", "ten, N m", "missing, N m", "all, N m"]
    click_heading(view, 1)
    assert labels(view) == ["ten, N m", "nine, N m", "missing, N m", "all, N m"]
    assert str(view.table_model.headerData(1, Qt.Orientation.Horizontal)).startswith("worst ")
    click_heading(view, 1)
    assert labels(view) == original
    click_heading(view, 2)
    assert labels(view)[:3] == ["ten, N m", "missing, N m", "nine, N m"], "numbers before text"


def test_sorting_keeps_the_selection_and_lasts(view: TableView) -> None:
    view.selectRow(1)
    click_heading(view, 1)
    assert [index.row() for index in view.selectionModel().selectedRows()] == [0]
    view.show_table(Table("Loads", COLUMNS, TABLE.rows[:2]))
    assert labels(view) == ["nine, N m", "ten, N m"]


def test_new_values_keep_order_and_selection(view: TableView) -> None:
    click_heading(view, 1)
    view.selectRow(0)
    nine = row("nine", 9.5, Cell(""))
    ten = row("ten", 1.0, Cell(""))
    view.show_table(Table("Loads", COLUMNS, (ten, nine, *TABLE.rows[2:])))
    assert labels(view)[:2] == ["ten, N m", "nine, N m"]
    assert [index.row() for index in view.selectionModel().selectedRows()] == [1], "that of nine"


def test_ctrl_c_copies_the_selected_rows_exactly(view: TableView, qtbot: QtBot) -> None:
    view.selectRow(0)
    qtbot.keyClick(view, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    assert QGuiApplication.clipboard().text().splitlines() == [
        "\tunit\tworst\tspeed (m/s)",
        "ten\tN m\t10.0\t-1.25",
    ]
    view.clearSelection()
    qtbot.keyClick(view, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    assert len(QGuiApplication.clipboard().text().splitlines()) == 5


def test_screen_readers_get_the_meaning_of_numbers(view: TableView) -> None:
    index = view.table_model.index(0, 2)
    assert (
        index.data(Qt.ItemDataRole.AccessibleTextRole)
        == "ten,\N{NO-BREAK SPACE}N m, speed (m/s): \N{MINUS SIGN}1.25"
    )
    click_heading(view, 2)
    head = view.table_model.headerData(
        2, Qt.Orientation.Horizontal, Qt.ItemDataRole.AccessibleTextRole
    )
    assert head == "speed (m/s), sorted ascending"


def test_tooltips_show_plain_texts(view: TableView) -> None:
    tip = view.table_model.index(0, 1).data(Qt.ItemDataRole.ToolTipRole)
    assert "&lt;b&gt;ten&lt;/b&gt;" in tip
    assert "10 N m" in tip


def test_fitting_table_has_the_height_of_its_rows(view: TableView) -> None:
    wide = view.height()
    label = "a label of many words that has no space in one line of a narrow panel"
    view.show_table(Table("Loads", COLUMNS, (row(label, 1.0, Cell("")), *TABLE.rows)))
    view.resize(view.minimumSizeHint().width(), view.height())
    assert view.height() > wide + 2 * view.fontMetrics().height()
    last = view.visualRect(view.table_model.index(4, 2))
    assert view.viewport().rect().contains(last)
    assert view.horizontalHeader().length() <= view.viewport().width()
