"""The results of a study in a window: one table and four charts with linked sorting, filtering, brushing and pins."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from PySide6.QtCore import QEvent, QPoint, QPointF, Qt
from PySide6.QtGui import QContextMenuEvent, QGuiApplication, QKeyEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from snakestudio.gui.core import theme
from snakestudio.gui.study.results.results_chart import ResultsChart
from snakestudio.gui.study.results.view import StudyResultsView
from snakestudio.model.plausibility import Plausibility, Violation
from snakestudio.model.scene_file import load_scene
from snakestudio.paths import scenes_dir
from snakestudio.study.evaluate import Trace
from snakestudio.study.results import Table
from snakestudio.study.store import RunOutcome
from snakestudio.viewmodel.study.result_map import colour_ends
from tests.gui.pages.hands import move
from tests.study.made_up import (
    UNITS,
    asked_of,
    made_up_study,
    outcome_of,
    table_of,
    trace_of_key,
)

pytestmark = pytest.mark.gui

SCENE = load_scene(scenes_dir() / "lagrangian_undulation.toml")
LEFT = Qt.MouseButton.LeftButton
NONE = Qt.KeyboardModifier.NoModifier
CTRL = Qt.KeyboardModifier.ControlModifier


@pytest.fixture
def make_view(qtbot: QtBot) -> Callable[..., StudyResultsView]:
    def make(table: Table, size: tuple[int, int] = (1280, 800)) -> StudyResultsView:
        view = StudyResultsView()
        qtbot.addWidget(view)
        view.resize(*size)
        view.show_table(table, UNITS, trace_of_key, SCENE)
        view.show()
        qtbot.waitExposed(view)
        return view

    return make


@pytest.fixture
def view(make_view: Callable[..., StudyResultsView]) -> StudyResultsView:
    """Four hundred scattered points of three values with two goals; scatter and parallel coordinates are visible."""
    created = make_view(table_of(made_up_study()))
    assert created.shown_charts == ["Scatter", "Parallel"]
    return created


def place(chart: ResultsChart, row: int) -> QPoint:
    positions = chart.position_of(row)
    assert positions is not None
    return QPoint(positions.toPoint())


def drag(chart: ResultsChart, begin: QPointF, end: QPointF) -> None:
    """Press, move in steps, and release the mouse."""
    QTest.mousePress(chart.viewport(), LEFT, NONE, begin.toPoint())
    for fraction in (0.3, 0.7, 1.0):
        at = begin + fraction * (end - begin)
        QTest.mouseMove(chart.viewport(), at.toPoint())
        move(chart.viewport(), at, held=LEFT)
    QTest.mouseRelease(chart.viewport(), LEFT, NONE, end.toPoint())


def texts(view: StudyResultsView, column: str) -> list[str]:
    model = view.table.results
    at = [each.name for each in model.columns].index(column)
    return [str(model.index(line, at).data()) for line in range(model.rowCount())]


def numbers(view: StudyResultsView, column: str) -> list[float]:
    return [
        math.nan if text == "–" else float(text.replace("−", "-")) for text in texts(view, column)
    ]


# --- the table ------------------------------------------------------------------------------------


def test_click_on_a_heading_sorts_with_failures_last(view: StudyResultsView, qtbot: QtBot) -> None:
    head = view.table.horizontalHeader()
    at = [column.name for column in view.table.results.columns].index("net_speed")
    view.table.scrollTo(view.table.results.index(0, at))

    def click() -> None:
        middle = QPoint(head.sectionViewportPosition(at) + 20, head.height() // 2)
        QTest.mouseClick(head.viewport(), LEFT, NONE, middle)

    click()
    rising = [value for value in numbers(view, "net_speed") if value == value]
    assert rising == sorted(rising)
    assert numbers(view, "net_speed")[-1] != numbers(view, "net_speed")[-1]
    click()
    falling = [value for value in numbers(view, "net_speed") if value == value]
    assert falling == sorted(falling, reverse=True)
    assert "★" in texts(view, "point")[0]
    click()
    assert [text.split()[0] for text in texts(view, "point")[:3]] == ["0", "1", "2"]


def test_condition_filters_the_table_and_errors_are_shown(
    view: StudyResultsView, qtbot: QtBot
) -> None:
    qtbot.keyClicks(view.filter, "net_speed > 0.1 and gait.amplitude_deg < 40")
    assert view.problem.isHidden()
    assert 0 < view.table.results.rowCount() < 400
    assert min(numbers(view, "net_speed")) > 0.1
    assert view.count.text().startswith(f"{view.table.results.rowCount()} of 400 points")
    view.filter.setText("net_sped > 1")
    assert view.problem.text().startswith("'net_sped' at character 1 ")
    assert view.problem.text().endswith(" net_speed?")
    assert view.table.results.rowCount() == 400
    view.filter.clear()
    assert view.problem.isHidden()


def test_failed_best_and_front_rows_are_marked(view: StudyResultsView) -> None:
    results = view.linked.results
    failed = int(np.flatnonzero(results.failed)[0])
    assert texts(view, "state")[failed].startswith("failed: The solver found no impulse at 3.2 s")
    assert sum("★" in text for text in texts(view, "point")) == 1
    assert sum("◆" in text for text in texts(view, "point")) == len(results.front) - 1
    head = [view.table.results.headerData(k, Qt.Orientation.Horizontal) for k in range(6)]
    assert head == [
        "Point\n ",
        "Amplitude\n°",
        "Phase shift\n°",
        "Friction along\n ",
        "Net speed\nm/s",
        "Cost of transport\n ",
    ]
    assert view.count.text() == "400 points · 15 failed"


def test_rows_are_pinned_by_their_menu_and_stay_at_the_top(view: StudyResultsView) -> None:
    view.linked.select([200, 300])
    actions = {action.text(): action for action in view.menu().actions()}
    assert not actions["Open This Run"].isEnabled()  # of two
    assert not actions["Check Step Size"].isEnabled()
    actions["Pin to the Top"].trigger()
    view.linked.sort("net_speed", True)
    assert [text.split()[0] for text in texts(view, "point")[:2]] == ["200", "300"]
    assert "2 pinned" in view.count.text()
    assert view.linked.rows.selected_rows == [200, 300]
    {action.text(): action for action in view.menu().actions()}["Unpin"].trigger()
    assert "pinned" not in view.count.text()


def test_time_step_of_a_row_is_checked_by_its_menu(view: StudyResultsView, qtbot: QtBot) -> None:
    view.linked.select([7])
    with qtbot.waitSignal(view.check_step_requested) as signal:
        {action.text(): action for action in view.menu().actions()}["Check Step Size"].trigger()
    assert signal.args == [7]


def test_copied_rows_have_headings_units_and_all_digits(
    view: StudyResultsView, qtbot: QtBot
) -> None:
    view.linked.select([7])
    view.table.setFocus()
    qtbot.keyClick(view.table, Qt.Key.Key_C, CTRL)
    head, line = (text.split("\t") for text in QGuiApplication.clipboard().text().splitlines())
    assert head[:2] == ["Point", "Gait: Amplitude (°)"]
    assert (
        float(line[head.index("Net speed (m/s)")])
        == view.linked.results.columns["net_speed"].values[7]
    )
    assert line[-1] in ("done", "beyond limits")


# --- linked views ---------------------------------------------------------------------------------


def test_range_dragged_on_an_axis_brushes_all_views(view: StudyResultsView, qtbot: QtBot) -> None:
    chart = view.parallel.chart
    before = view.scatter.chart.grab().toImage()
    area = chart.area
    x = chart.axis_x(0)
    drag(
        chart,
        QPointF(x, area.bottom() - 0.2 * area.height()),
        QPointF(x, area.bottom() - 0.6 * area.height()),
    )
    low, high = view.linked.rows.brushes["gait.amplitude_deg"]
    amplitude = view.linked.results.columns["gait.amplitude_deg"].values
    assert low == pytest.approx(19.4, abs=0.5)
    assert high == pytest.approx(40.6, abs=0.5)
    brushed = int(((amplitude >= low) & (amplitude <= high)).sum())
    assert f"{brushed} brushed" in view.count.text()
    assert view.scatter.chart.grab().toImage() != before
    qtbot.mouseClick(view.only_brushed, LEFT)
    assert view.table.results.rowCount() == brushed

    # Move the whole range, then one of its ends.
    middle = area.bottom() - 0.4 * area.height()
    drag(chart, QPointF(x, middle), QPointF(x, middle - 0.2 * area.height()))
    moved = view.linked.rows.brushes["gait.amplitude_deg"]
    assert moved[1] - moved[0] == pytest.approx(high - low, rel=0.03)
    assert moved[0] > low + 8
    drag(
        chart,
        QPointF(x, area.bottom() - 0.8 * area.height()),
        QPointF(x, area.bottom() - 0.7 * area.height()),
    )
    assert view.linked.rows.brushes["gait.amplitude_deg"][1] < moved[1] - 3
    assert view.linked.rows.brushes["gait.amplitude_deg"][0] == pytest.approx(moved[0])
    QTest.mouseDClick(
        chart.viewport(), LEFT, NONE, QPointF(x, area.bottom() - 0.6 * area.height()).toPoint()
    )
    assert not view.linked.rows.brushes
    assert view.table.results.rowCount() == 400


def test_rows_outside_the_brush_are_faint(view: StudyResultsView) -> None:
    chart = view.scatter.chart
    chart.grab()
    view.linked.brush({"point": (0.0, 0.0)})  # all others are only faint dots
    ground = theme.colour("card")
    picture = chart.grab().toImage()
    dim = 0
    at = [place(chart, row) for row in range(1, 400) if chart.position_of(row) is not None]
    for where in at:
        dim += picture.pixelColor(where) not in (ground, theme.colour("line"))
    assert dim > 0.95 * len(at)


def test_rectangle_in_the_scatter_brushes_both_of_its_columns(
    view: StudyResultsView, qtbot: QtBot
) -> None:
    chart = view.scatter.chart
    area = chart.area
    drag(chart, QPointF(area.center()), QPointF(area.right() - 2, area.bottom() - 2))
    assert set(view.linked.rows.brushes) == {"net_speed", "cost_of_transport"}
    assert 0 < view.linked.rows.brushed.sum() < 400
    chart.setFocus()
    qtbot.keyClick(chart, Qt.Key.Key_Escape)
    assert not view.linked.rows.brushes


def test_click_selects_in_all_views_and_double_click_opens(
    view: StudyResultsView, qtbot: QtBot
) -> None:
    chart = view.scatter.chart
    best = view.linked.results.best
    assert best is not None
    QTest.mouseClick(chart.viewport(), LEFT, NONE, place(chart, best))
    assert view.linked.rows.selected_rows == [best]
    assert [index.row() for index in view.table.selectionModel().selectedRows()] == [best]
    other = int(view.linked.results.front[-1])
    QTest.mouseClick(chart.viewport(), LEFT, CTRL, place(chart, other))
    assert view.linked.rows.selected_rows == [best, other]
    opened: list[int] = []
    taken: list[int] = []
    view.open_requested.connect(opened.append)
    view.apply_requested.connect(taken.append)
    QTest.mouseDClick(chart.viewport(), LEFT, NONE, place(chart, best))
    assert opened == [best]
    view.linked.sort("net_speed", True)
    view.table.setFocus()
    view.table.selectRow(0)
    qtbot.keyClick(view.table, Qt.Key.Key_Return)
    assert opened == [best, best]
    assert view.linked.rows.selected_rows == [best]
    {action.text(): action for action in view.menu().actions()}["Apply to Scene"].trigger()
    assert taken == [best]
    chart.setFocus()
    qtbot.keyClick(chart, Qt.Key.Key_Return)
    assert opened == [best, best, best]


def test_card_shows_values_and_path_of_a_point(view: StudyResultsView, qtbot: QtBot) -> None:
    signal: list[str] = []

    def trace(key: str) -> Trace | None:
        signal.append(key)
        return trace_of_key(key)

    view.show_table(view.linked.results.table, UNITS, trace, SCENE)
    chart = view.scatter.chart
    best = view.linked.results.best
    assert best is not None
    move(chart.viewport(), QPointF(place(chart, best)))
    assert view.card.isVisible()
    assert view.card.title == f"Point {best} · best"
    assert ("Gait: Amplitude", "38.51 °", False) in view.card.lines
    assert ("Net speed", "0.2708 m/s", True) in view.card.lines
    assert len(view.card.traces) == 1
    assert view.rect().contains(view.card.geometry())
    assert view.card.grab().toImage().pixelColor(view.card.width() // 2, 40).isValid()
    move(chart.viewport(), QPointF(place(chart, best)))
    assert signal == [f"{best:06d}-0"]
    move(chart.viewport(), QPointF(2, 2))
    assert view.card.isHidden()
    failed = int(np.flatnonzero(view.linked.results.failed)[0])
    view.linked.hovered.emit(failed, view.mapToGlobal(QPoint(50, 50)))
    assert view.card.sentence.startswith("The solver found no impulse")
    for row in range(100, 300):
        view.linked.hovered.emit(row, view.mapToGlobal(QPoint(50, 50)))
    view.linked.hovered.emit(best, view.mapToGlobal(QPoint(1270, 790)))
    assert signal.count(f"{best:06d}-0") == 2  # it was discarded in between
    assert view.rect().contains(view.card.geometry())


def test_hovering_a_line_finds_its_point(view: StudyResultsView) -> None:
    chart = view.parallel.chart
    best = view.linked.results.best
    assert best is not None
    view.linked.brush({"point": (best, best)})
    heights = [
        chart.area.bottom() - chart.scale(axis).at(column.values[best]) * chart.area.height()
        for axis, column in enumerate(chart.columns)
    ]
    at = QPointF((chart.axis_x(2) + chart.axis_x(3)) / 2, (heights[2] + heights[3]) / 2)
    assert chart.row_at(at) == best
    assert chart.row_at(QPointF(at.x(), chart.area.top() + 1)) == -1


def test_axes_are_reordered_by_drag_and_hidden_by_menu(
    view: StudyResultsView,
) -> None:
    chart = view.parallel.chart
    names = [column.name for column in chart.columns]
    drag(chart, QPointF(chart.axis_x(0), 14), QPointF(chart.axis_x(2), 14))
    assert [column.name for column in chart.columns] == [names[1], names[2], names[0], *names[3:]]
    view.show_table(view.linked.results.table, UNITS, trace_of_key, SCENE)
    assert [column.name for column in chart.columns][2] == names[0]
    view.parallel.show_axis(names[0], False)
    assert names[0] not in [column.name for column in chart.columns]


# --- keys -----------------------------------------------------------------------------------------


@pytest.fixture
def grid(make_view: Callable[..., StudyResultsView]) -> StudyResultsView:
    """Five amplitudes and five phases; point 5 a + p has the a-th and the p-th, and only 24 has failed."""
    view = make_view(
        table_of(made_up_study(("amplitude", "phase"), 1, search='kind = "grid"', steps=5))
    )
    assert np.flatnonzero(view.linked.results.failed).tolist() == [24]
    return view


def keyed(chart: ResultsChart, keys: str) -> list[int]:
    """Return the current row after each of some keys, l, r, u, d; checks that the card is next to it."""
    codes = {"l": Qt.Key.Key_Left, "r": Qt.Key.Key_Right, "u": Qt.Key.Key_Up, "d": Qt.Key.Key_Down}
    positions = []
    for key in keys:
        QTest.keyClick(chart, codes[key])
        positions.append(chart.hover_row)
    return positions


@pytest.mark.parametrize("look", ["dark", "light"])
def test_tab_focuses_every_chart_and_shows_the_point(
    view: StudyResultsView, qtbot: QtBot, qapp: QApplication, look: str
) -> None:
    theme.apply(qapp, look)
    view.activateWindow()
    accent = theme.colour("accent").rgb()
    for name in ("Map", "Scatter", "Parallel", "Convergence"):
        view.show_chart(name)
        chart = view.charts[name]
        before = chart.previousInFocusChain()
        while not (before.focusPolicy() & Qt.FocusPolicy.TabFocus and before.isVisible()):
            before = before.previousInFocusChain()
        before.setFocus()
        qtbot.waitUntil(before.hasFocus)
        assert chart.grab().toImage().pixel(1, chart.height() // 2) != accent
        QTest.keyClick(before, Qt.Key.Key_Tab)
        qtbot.waitUntil(chart.hasFocus)
        assert chart.grab().toImage().pixel(1, chart.height() // 2) == accent
        assert chart.accessibleName() == name
    theme.apply(qapp, "dark")


def test_arrows_move_between_cells_with_the_card(grid: StudyResultsView) -> None:
    grid.show_chart("Map")
    chart = grid.map.chart
    grid.linked.select([12])
    assert keyed(chart, "r") == [12], "the first key shows the current point"
    assert grid.card.isVisible()
    assert keyed(chart, "rurlddl") == [17, 18, 23, 18, 17, 16, 11]
    assert grid.card.title.startswith("Point 11")
    surroundings = grid.card.geometry().adjusted(-40, -40, 40, 40)
    assert surroundings.contains(grid.mapFromGlobal(chart.mapToGlobal(place(chart, 11))))
    assert keyed(chart, "rrruuu")[-3:] == [22, 23, 24], "also to a failed one, and no further"
    assert grid.card.sentence.startswith("The solver found no impulse")
    grid.linked.brush({"gait.amplitude_deg": (10.0, 30.0)})
    assert keyed(chart, "lllr") == [9, 4, 4, 9], "among the brushed points"


def test_arrows_step_along_a_curve(make_view: Callable[..., StudyResultsView]) -> None:
    view = make_view(
        table_of(made_up_study(("amplitude",), 1, search='kind = "grid"', steps=21)), (500, 1200)
    )
    view.show_chart("Map")
    view.linked.select([3])
    assert keyed(view.map.chart, "lrrrl") == [3, 4, 5, 6, 5], "however steep it is"


def test_arrows_step_to_the_nearest_dot_on_that_side(grid: StudyResultsView) -> None:
    grid.show_chart("Scatter")
    grid.scatter.x_box.choose("gait.amplitude_deg")
    grid.scatter.y_box.choose("gait.phase_shift_deg")
    grid.linked.select([6])
    assert keyed(grid.scatter.chart, "rruldd") == [6, 11, 12, 7, 6, 5]
    grid.scatter.y_box.choose("net_speed")
    before = place(grid.scatter.chart, 5)
    (row,) = keyed(grid.scatter.chart, "u")
    assert place(grid.scatter.chart, row).y() < before.y()


def test_overlapping_dots_are_all_reached(
    make_view: Callable[..., StudyResultsView],
) -> None:
    view = make_view(table_of(made_up_study(("model", "switch"), 1, search='kind = "grid"')))
    view.show_chart("Scatter")
    view.scatter.x_box.choose("model.kind")
    view.scatter.y_box.choose("model.kind")
    view.linked.select([0])
    assert keyed(view.scatter.chart, "rrrrrrr") == [0, 1, 2, 3, 4, 5, 5]
    assert keyed(view.scatter.chart, "llllll") == [4, 3, 2, 1, 0, 0]


def test_arrows_follow_the_order_in_which_points_were_tried(grid: StudyResultsView) -> None:
    grid.show_chart("Convergence")
    grid.linked.select([21])
    assert keyed(grid.convergence.chart, "rrrrrdl") == [21, 22, 23, 24, 24, 23, 22]


def test_arrows_go_up_and_down_an_axis_and_from_axis_to_axis(view: StudyResultsView) -> None:
    chart = view.parallel.chart
    speed = [column.name for column in chart.columns].index("net_speed")
    values = view.linked.results.columns["net_speed"].values
    best = int(np.nanargmax(values))
    view.linked.select([best])
    assert keyed(chart, "r" * (speed + 1)) == [best] * (speed + 1)
    assert view.mapFromGlobal(chart.mapToGlobal(place(chart, best))).x() == pytest.approx(
        view.parallel.mapTo(view, QPoint(0, 0)).x() + chart.axis_x(speed), abs=1
    )
    order = [row for row in np.argsort(-values, kind="stable").tolist() if np.isfinite(values[row])]
    assert keyed(chart, "udddu") == [best, *order[1:4], order[2]]
    assert keyed(chart, "l" * 9) == [order[2]] * 9
    assert place(chart, order[2]).x() == round(chart.axis_x(0))


def test_keys_act_on_the_current_point(view: StudyResultsView, qtbot: QtBot) -> None:
    chart = view.scatter.chart
    best = view.linked.results.best
    assert best is not None
    opened: list[int] = []
    menus: list[QPoint] = []
    view.open_requested.connect(opened.append)
    view.linked.menu_requested.connect(menus.append)
    keyed(chart, "u")
    qtbot.keyClick(chart, Qt.Key.Key_Return)
    assert opened == [best], "without a selection the keys start at the best point"
    qtbot.keyClick(chart, Qt.Key.Key_Space)
    (other,) = keyed(chart, "l")
    assert other != best
    qtbot.keyClick(chart, Qt.Key.Key_Space)
    assert view.linked.rows.selected_rows == [best, other]
    qtbot.keyClick(chart, Qt.Key.Key_Space)
    assert view.linked.rows.selected_rows == [best]
    qtbot.keyClick(chart, Qt.Key.Key_P)
    assert view.linked.rows.pins == (other,)
    assert "1 pinned" in view.count.text()
    qtbot.keyClick(chart, Qt.Key.Key_P)
    assert view.linked.rows.pins == ()
    event = QContextMenuEvent(QContextMenuEvent.Reason.Keyboard, QPoint(0, 0), QPoint(0, 0))
    QApplication.sendEvent(chart, event)
    assert view.linked.rows.selected_rows == [other]
    assert menus == [chart.mapToGlobal(place(chart, other))]
    QApplication.activePopupWidget().hide()
    assert keyed(chart, "l") == [other], "the menu keeps the current point"
    qtbot.keyClick(chart, Qt.Key.Key_Escape)
    assert view.card.isHidden()


def test_charts_override_shortcuts_of_the_window(view: StudyResultsView) -> None:
    for key, own in (
        (Qt.Key.Key_Space, True),
        (Qt.Key.Key_Left, True),
        (Qt.Key.Key_P, True),
        (Qt.Key.Key_F6, False),
    ):
        for modifiers in (NONE, CTRL):
            event = QKeyEvent(QEvent.Type.ShortcutOverride, key, modifiers)
            event.ignore()
            QApplication.sendEvent(view.scatter.chart, event)
            assert event.isAccepted() == (own and modifiers == NONE)


def test_current_point_stays_while_runs_finish(
    make_view: Callable[..., StudyResultsView], qtbot: QtBot
) -> None:
    study = made_up_study()
    view = make_view(table_of(study, 300, completed=200))
    chart = view.scatter.chart
    view.activateWindow()
    chart.setFocus()
    qtbot.waitUntil(chart.hasFocus)
    row = keyed(chart, "ulll")[-1]
    assert row != view.linked.results.best
    view.show_table(table_of(study, 300, completed=260), UNITS, trace_of_key, SCENE)
    assert chart.hover_row == row
    assert view.card.isVisible()
    view.table.setFocus()
    assert view.card.isHidden()


# --- charts ---------------------------------------------------------------------------------------


def test_front_is_drawn_where_both_columns_are_goals(view: StudyResultsView) -> None:
    chart = view.scatter.chart
    assert sorted(chart.front_rows().tolist()) == sorted(view.linked.results.front.tolist())
    view.scatter.y_box.choose("gait.amplitude_deg")
    assert not len(chart.front_rows())


def test_map_shows_the_best_over_hidden_values(
    make_view: Callable[..., StudyResultsView],
) -> None:
    view = make_view(
        table_of(
            made_up_study(("amplitude", "phase", "friction"), 1, search='kind = "grid"', steps=5)
        )
    )
    view.show_chart("Map")
    assert view.map.fixed_label.text() == "over Friction along"
    assert view.map.over_box.box.currentText() == "Best"
    cells = view.map.chart.cells
    assert cells is not None
    assert cells.values.shape == (5, 5)
    best = view.linked.results.best
    assert best is not None
    at = place(view.map.chart, best)
    assert view.map.chart.row_at(QPointF(at)) == best
    view.map.fix("ground.mu_along", 1.0)
    assert view.map.fixed_label.text() == "Friction along = 1"
    slow = view.map.chart.row_at(QPointF(at))
    assert view.linked.results.columns["ground.mu_along"].values[slow] == 1.0
    view.map.fix("ground.mu_along", None)
    view.linked.brush({"ground.mu_along": (0.9, 1.1)})  # the map shows the brushed points
    assert view.map.chart.row_at(QPointF(at)) == slow
    view.linked.clear_brushes()
    view.map.x_box.choose("ground.mu_along")
    assert view.map.y_box.value in ("gait.amplitude_deg", "gait.phase_shift_deg")


def test_map_of_one_value_is_a_curve(make_view: Callable[..., StudyResultsView]) -> None:
    view = make_view(table_of(made_up_study(("amplitude",), 1, search='kind = "grid"', steps=21)))
    view.show_chart("Map")
    assert view.map.y_box.isHidden()
    assert view.map.chart.nothing() == ""
    best = view.linked.results.best
    assert best is not None
    assert view.map.chart.row_at(QPointF(place(view.map.chart, best))) == best


def test_optimisers_convergence_is_the_best_so_far(
    make_view: Callable[..., StudyResultsView],
) -> None:
    table = table_of(made_up_study(goals=2, search='kind = "nsga2"\npoints = 96'))
    view = make_view(table)
    view.show_chart("Convergence")
    chart = view.convergence.chart
    np.testing.assert_array_equal(chart.best, table.convergence)
    view.convergence.goal_box.choose("cost_of_transport")
    known = chart.best[np.isfinite(chart.best)]
    assert (np.diff(known) <= 0).all()
    counts = table.counts & np.isfinite(table["cost_of_transport"])
    assert known[-1] == table["cost_of_transport"][counts].min()


def test_generations_and_restarts_are_marked(
    make_view: Callable[..., StudyResultsView],
) -> None:
    study = made_up_study(goals=1, search='kind = "cma_es"\npoints = 100')
    view = make_view(table_of(study, begun=((0, 7), (28, 14), (84, 28))))
    view.show_chart("Convergence")
    chart = view.convergence.chart
    marks = chart.generations()
    x = [chart.position_of(row).x() for row in range(100)]  # type: ignore[union-attr]
    expected = [7, 14, 21, 28, 42, 56, 70, 84]
    assert [at for at, _ in marks] == pytest.approx(
        [(x[first - 1] + x[first]) / 2 for first in expected]
    )
    assert [is_restart for _, is_restart in marks] == [first in (28, 84) for first in expected]
    assert chart.told_of_generations() == "generations of 7, restarts with 14, 28"
    assert "restart" in chart.toolTip()
    view.show_table(table_of(study, 24, begun=((0, 24),)), UNITS, trace_of_key, SCENE)
    assert chart.generations() == []
    assert chart.told_of_generations() == ""
    assert chart.toolTip() == ""


def test_dense_generations_are_not_drawn(
    make_view: Callable[..., StudyResultsView],
) -> None:
    study = made_up_study(goals=1, search='kind = "cma_es"\npoints = 4000')
    view = make_view(table_of(study, begun=((0, 7), (14, 14), (700, 500))), (420, 760))
    view.show_chart("Convergence")
    chart = view.convergence.chart
    marks = chart.generations()
    firsts = [
        round((at - chart.area.left()) / chart.area.width() * 1.02 * 4000 - 0.5) for at, _ in marks
    ]
    assert firsts == [700, 1200, 1700, 2200, 2700, 3200, 3700], (
        "only the beginning differs between the first searches"
    )
    assert min(np.diff([at for at, _ in marks])) >= 6.0
    assert marks[0][1]


@pytest.mark.parametrize(
    ("vary", "goals", "search"),
    [
        (("amplitude", "phase"), 0, 'kind = "grid"'),
        (("amplitude", "phase", "friction"), 3, 'kind = "random"\npoints = 60'),
        (("model", "switch"), 1, 'kind = "grid"'),
        (("model",), 2, 'kind = "grid"'),
        (("amplitude", "model"), 1, 'kind = "random"\npoints = 40'),
    ],
)
@pytest.mark.parametrize("look", ["dark", "light"])
def test_every_chart_can_show_every_kind_of_study(
    make_view: Callable[..., StudyResultsView],
    qapp: QApplication,
    vary: tuple[str, ...],
    goals: int,
    search: str,
    look: str,
) -> None:
    theme.apply(qapp, look)
    view = make_view(table_of(made_up_study(vary, goals, search=search)))
    for name in ("Map", "Scatter", "Parallel", "Convergence"):
        view.show_chart(name)
        chart = view.charts[name]
        picture = chart.grab().toImage()
        inks = {
            picture.pixel(x, y)
            for x in range(0, picture.width(), 3)
            for y in range(0, picture.height(), 3)
        }
        assert len(inks) > 3, (name, chart.nothing())
    if not goals:
        assert view.convergence.chart.nothing().startswith("This study")
    theme.apply(qapp, "dark")


def test_error_in_a_chart_is_reported(
    view: StudyResultsView, monkeypatch: pytest.MonkeyPatch, qtbot: QtBot
) -> None:
    """Qt ends the program if an exception passes through its scene, or if an image is deleted during painting."""
    chart = view.scatter.chart
    for name in ("draw_lines", "draw_marks"):
        with monkeypatch.context() as patch:
            patch.setattr(chart, name, lambda painter: 1 / 0)
            chart.refresh()
            with qtbot.capture_exceptions() as exceptions:
                chart.grab()
            assert {kind for kind, *_ in exceptions} == {ZeroDivisionError}
    chart.grab()


# --- during a run ---------------------------------------------------------------------------------


def test_empty_results_name_the_remedy(
    make_view: Callable[..., StudyResultsView],
) -> None:
    study = made_up_study()
    view = make_view(Table(study, []))
    assert view.empty.isVisible()
    assert "Run the study" in view.empty.text()
    view.linked.hovered.emit(3, QPoint(5, 5))
    view.filter.setText("net_speed > 0.2")
    view.show_table(table_of(study, 50), UNITS, trace_of_key, SCENE)
    assert not view.empty.isVisible()
    assert view.table.results.rowCount() < 50  # the condition applies from the first row on


IMPLAUSIBLE = Plausibility(
    (
        Violation(
            "joint_torque", "joint torque", 0.9, 500.0, 50.0, "Joint 7 winds up.", "Limit it."
        ),
    ),
    ("joint_torque",),
)


@pytest.fixture
def doubtful(make_view: Callable[..., StudyResultsView]) -> StudyResultsView:
    """The grid with results of which only point 7, which is by far the fastest, is not plausible."""
    study = made_up_study(("amplitude", "phase"), 1, search='kind = "grid"', steps=5)
    runs = []
    for request in asked_of(study, 24):
        outcome = outcome_of(study, request)
        if request.point == 7:
            measures = 9.0, *outcome.measures[1:]
            outcome = replace(outcome, measures=measures, plausibility=IMPLAUSIBLE)
        runs.append((request, outcome))
    view = make_view(Table(study, runs))
    view.show_chart("Map")
    return view


def test_implausible_point_is_hatched_and_not_the_best(doubtful: StudyResultsView) -> None:
    results = doubtful.linked.results
    assert results.best not in (None, 7)
    cells = doubtful.map.chart.cells
    assert cells is not None
    assert cells.left_out.sum() == 1
    assert cells.rows[cells.left_out].tolist() == [7]
    assert not cells.beyond[cells.left_out].any()
    assert doubtful.map.chart.colour_ends[1] < 1.0
    assert texts(doubtful, "state")[7] == "not plausible: Joint 7 winds up."
    assert "1 not plausible" in doubtful.count.text()


def test_implausible_points_can_be_included_in_a_view(
    doubtful: StudyResultsView, qtbot: QtBot
) -> None:
    assert doubtful.plausibility_row.isVisible()
    assert "1 of 24 runs is not plausible: joint torque." in doubtful.plausibility_label.text()
    qtbot.mouseClick(doubtful.include_button, LEFT)
    assert doubtful.linked.results.best == 7
    assert doubtful.map.chart.colour_ends[1] < 1.0, "a single outlier does not span the colours"
    cells = doubtful.map.chart.cells
    assert cells is not None
    assert not cells.left_out.any()
    qtbot.mouseClick(doubtful.include_button, LEFT)
    assert doubtful.linked.results.best != 7


def test_plausible_results_have_no_note(grid: StudyResultsView) -> None:
    assert not grid.plausibility_row.isVisible()


def test_card_states_why_a_point_is_not_plausible(doubtful: StudyResultsView) -> None:
    doubtful.card.show_row(doubtful.linked.results, 7, QPoint(0, 0))
    assert "not plausible" in doubtful.card.title
    assert doubtful.card.sentence == "Joint 7 winds up."


@pytest.mark.parametrize(("values", "ends"), [((0.0, 1.0, 2.0), (0.0, 2.0)), ((), (0.0, 1.0))])
def test_few_values_span_the_colours(values: tuple[float, ...], ends: tuple[float, float]) -> None:
    assert colour_ends(np.array(values))[:2] == ends


def test_outliers_do_not_span_the_colours() -> None:
    values = np.append(np.linspace(0.0, 1.0, 40), [50.0, np.nan])
    assert colour_ends(values)[:2] == (0.0, 1.0)
    left_out = values == 1.0
    assert colour_ends(values, left_out)[1] < 1.0
    assert colour_ends(values, np.ones(len(values), np.bool_))[:2] == (0.0, 1.0)


def test_only_failed_runs_are_explained(
    make_view: Callable[..., StudyResultsView],
) -> None:
    study = made_up_study()
    nans = tuple(math.nan for _ in study.measured)
    rows = [
        (run, RunOutcome(run.key, "refused", "ground.mu_along is not positive.", nans))
        for run in asked_of(study, 12)
    ]
    view = make_view(Table(study, rows))
    assert "12 points" in view.failure_label.text()
    assert "ground.mu_along is not positive" in view.failure_label.text()
    for chart in (view.map.chart, view.scatter.chart, view.parallel.chart, view.convergence.chart):
        assert "failed" in chart.nothing()
    assert view.table.results.rowCount() == 12
    assert texts(view, "state")[0] == "refused: ground.mu_along is not positive."


def test_choices_stay_while_runs_finish(
    make_view: Callable[..., StudyResultsView], qtbot: QtBot
) -> None:
    study = made_up_study()
    view = make_view(table_of(study, 300, completed=200))
    view.table.sortByColumn(4, Qt.SortOrder.DescendingOrder)
    view.filter.setText("net_speed > 0.01")
    chosen = sorted(view.linked.rows.visible[[3, 8]].tolist())
    view.linked.select(chosen)
    view.linked.pin([150], True)
    view.linked.brush({"gait.amplitude_deg": (20.0, 45.0)})
    view.scatter.x_box.choose("gait.phase_shift_deg")
    view.table.verticalScrollBar().setValue(9)
    visible = view.shown_charts
    for completed in range(210, 301, 30):
        view.show_table(table_of(study, 300, completed=completed), UNITS, trace_of_key, SCENE)
    assert view.linked.rows.selected_rows == chosen
    assert texts(view, "point")[0].startswith("150")
    positions = numbers(view, "net_speed")[1:]
    assert positions == sorted(positions, reverse=True)
    assert len(positions) > 100
    assert view.scatter.x_box.value == "gait.phase_shift_deg"
    assert view.table.verticalScrollBar().value() == 9
    assert view.shown_charts == visible
    lines = [index.row() for index in view.table.selectionModel().selectedRows()]
    assert sorted(view.table.results.row_at(line) for line in lines) == chosen


def test_other_study_has_no_choices(make_view: Callable[..., StudyResultsView]) -> None:
    view = make_view(table_of(made_up_study()))
    view.linked.select([20])
    view.linked.pin([150], True)
    view.linked.brush({"net_speed": (0.0, 0.1)})
    view.linked.sort("net_speed", True)
    view.show_table(table_of(made_up_study(("amplitude", "model"), 1)), UNITS, trace_of_key, SCENE)
    rows = view.linked.rows
    assert (rows.selected, rows.pins, rows.brushes, rows.sorted_by) == ((), (), {}, None)
    assert view.table.horizontalHeader().sortIndicatorSection() == -1
    assert view.parallel.chart.columns[1].name == "model.kind"
    assert view.map.y_box.value == "model.kind"
    assert texts(view, "point")[0] == "0"


def test_all_lines_are_drawn_after_changes(
    make_view: Callable[..., StudyResultsView], qtbot: QtBot
) -> None:
    view = make_view(table_of(made_up_study(search='kind = "random"\npoints = 3000')))
    qtbot.waitUntil(lambda: view.parallel.chart.complete)
    area = view.parallel.chart.area
    x = view.parallel.chart.axis_x(1)
    drag(view.parallel.chart, QPointF(x, area.bottom() - 5), QPointF(x, area.top() + 5))
    assert not view.parallel.chart.complete
    qtbot.waitUntil(lambda: view.parallel.chart.complete)


# --- narrow and wide ------------------------------------------------------------------------------


def test_number_of_charts_depends_on_the_width(
    make_view: Callable[..., StudyResultsView], qtbot: QtBot
) -> None:
    view = make_view(table_of(made_up_study()), (420, 760))
    assert view.width() == 420
    assert view.shown_charts == ["Scatter"]
    qtbot.mouseClick(view.chips["Map"], LEFT)
    assert view.shown_charts == ["Map"]
    assert not view.scatter.isVisible()
    assert view.map.isVisible()
    assert view.width() == 420
    view.resize(1280, 800)
    qtbot.waitUntil(lambda: view.scatter.isVisible())
    assert view.shown_charts == ["Map", "Scatter", "Parallel"]
    qtbot.mouseClick(view.chips["Parallel"], LEFT)
    assert view.shown_charts == ["Map", "Scatter"]


def test_low_dock_shows_the_table_as_a_view(
    make_view: Callable[..., StudyResultsView], qtbot: QtBot
) -> None:
    view = make_view(table_of(made_up_study()), (420, 400))
    assert view.shown_charts == ["Scatter"]
    assert not view.table.isVisible()
    assert view.scatter.height() > 300
    # as narrow as a dock can be: the longest word is elided, without overlaps
    view.resize(250, 400)
    chips = list(view.chips.values())
    qtbot.waitUntil(
        lambda: all(one.geometry().right() < other.x() for one, other in itertools.pairwise(chips))
    )
    assert chips[-1].geometry().right() < 250
    assert chips[0].width() > chips[0].fontMetrics().horizontalAdvance("Map")
    view.resize(420, 400)
    qtbot.mouseClick(view.chips["Scatter"], LEFT)
    assert view.shown_charts == ["Scatter"], "a click on the only visible chart changes nothing"
    assert view.chips["Scatter"].isChecked()
    qtbot.mouseClick(view.chips["Table"], LEFT)
    assert view.shown_charts == ["Table"]
    qtbot.waitUntil(lambda: view.table.height() > 270)
    assert not view.scatter.isVisible()
    view.linked.select([7])
    view.resize(1280, 400)  # low, but wide
    qtbot.waitUntil(lambda: view.scatter.isVisible())
    assert view.shown_charts == ["Scatter", "Parallel", "Table"]
    assert view.table.x() < view.table.window().width()
    view.resize(1280, 800)
    qtbot.waitUntil(lambda: not view.chips["Table"].isVisible())
    assert view.shown_charts == ["Scatter", "Parallel"]
    assert view.table.isVisible()
    assert (
        view.table.mapTo(view, QPoint(0, 0)).y()
        > view.scatter.mapTo(view, QPoint(0, 0)).y() + view.scatter.height()
    )
    assert view.table.width() > 1200
    assert [index.row() for index in view.table.selectionModel().selectedRows()] == [7]
    view.show_chart("Scatter", False)
    view.show_chart("Parallel", False)
    assert view.shown_charts == ["Parallel"], "the table below is not a chart"
