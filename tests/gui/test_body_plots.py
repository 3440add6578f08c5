"""Plots of a continuous body: profiles, maps over body and time, supports; and no plots of joints."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from snakestudio.gui.core import theme
from snakestudio.gui.core.document import Document
from snakestudio.gui.plots.panel import PlotPanel
from snakestudio.gui.plots.plot import LivePlot
from snakestudio.model.robot.support import Friction
from snakestudio.model.scene import Scene
from snakestudio.viewmodel.plots.overlaid import OverlaidRun
from snakestudio.viewmodel.plots.plot_types import VIEWS, default_views
from tests.gui.fake import FakeSessionController, make_recording
from tests.gui.fake_body import HOLDS, body_recording, body_rows, body_scene, torque
from tests.gui.pages.hands import show_widget
from tests.gui.pages.plots import parts_offered, settle, views_offered

pytestmark = pytest.mark.gui

ROWS = 1000


@pytest.fixture
def session_controller(body: Document) -> FakeSessionController:
    return FakeSessionController(body_recording(body.scene, ROWS))


@pytest.fixture
def panel(qtbot: QtBot, body: Document, session_controller: FakeSessionController) -> PlotPanel:
    panel = PlotPanel(session_controller, body)  # type: ignore[arg-type]
    show_widget(qtbot, panel, 1000, 460)
    settle(qtbot, panel)
    return panel


def names(panel: PlotPanel) -> list[str]:
    return [plot.view_name for plot in panel.plots]


def offered(plot: LivePlot) -> set[str]:
    return {str(action.data()) for action in views_offered(plot)}


def at(plot: LivePlot, abscissa: float) -> QPoint:
    """Position of an abscissa in a profile."""
    area = plot.chart.area
    return QPointF(plot.chart.x_of(abscissa), area.center().y()).toPoint()


def test_default_plots_suit_the_model(panel: PlotPanel) -> None:
    assert names(panel) == ["profile", "body_torque", "supports", "position"]
    assert panel.plots[0].title.endswith(", C_Z")
    assert panel.plots[3].title == "Position, section 1"


def test_straight_body_has_no_torque_plot(qtbot: QtBot, body: Document) -> None:
    body.set_value("beam.group", "R", "Line")
    panel = PlotPanel(FakeSessionController(body_recording(body.scene, 5)), body)  # type: ignore[arg-type]
    qtbot.addWidget(panel)
    assert names(panel) == ["profile", "body_force", "supports", "position"]
    assert panel.plots[0].title.endswith(", N_X")
    assert default_views(body.scene.model_copy(update={"support": Friction()}))[2] == "speed"


def test_plots_follow_a_change_between_body_and_links(
    qtbot: QtBot, panel: PlotPanel, session_controller: FakeSessionController
) -> None:
    session_controller.set_recording(make_recording(Scene(), 20))
    assert names(panel) == ["friction", "joint", "speed", "position"]
    panel.plots[2].choose("energy")
    session_controller.set_recording(body_recording(body_scene(), 20))
    assert names(panel) == ["profile", "body_torque", "energy", "position"], (
        "plots that suit both stay"
    )
    settle(qtbot, panel)


def test_only_existing_quantities_are_offered(panel: PlotPanel) -> None:
    views = offered(panel.plots[3])
    assert {
        "profile",
        "body_torque",
        "body_force",
        "body_curvature",
        "body_stretch",
        "supports",
        "axial",
    } <= views
    assert {"joint", "torque", "force", "force_map", "force_stacked", "cross_track"}.isdisjoint(
        views
    )
    schema = make_recording(Scene(), 2).schema
    assert not any(
        view.suits(schema) or view.possible(schema) for view in VIEWS.values() if view.of == "body"
    )


def test_links_are_named_sections(panel: PlotPanel) -> None:
    plot = panel.plots[2]
    plot.choose("speed", 4)
    assert [line.name for line in plot.lines] == ["CoM", "section 5"]
    assert plot.head.index_button.text() == "section 5 ▾"
    assert [action.text() for action in parts_offered(plot)][-1] == "Section 21"
    plot.choose("contact_force")
    assert plot.lines[0].name == "section 1"


@pytest.mark.parametrize("palette", ["dark", "light"])
def test_every_view_of_a_body_draws(qtbot: QtBot, panel: PlotPanel, palette: str) -> None:
    app = QApplication.instance()
    assert isinstance(app, QApplication)
    theme.apply(app, palette)
    try:
        plot = panel.plots[1]
        for name in sorted(name for name, view in VIEWS.items() if view.of == "body"):
            plot.choose(name, 2 if VIEWS[name].chooser == "link" else 0)
            panel.apply_theme()
            settle(qtbot, panel)
            picture = plot.chart.data
            assert picture.traces or picture.heat is not None, name
            image = plot.chart.grab().toImage()
            columns, rows = range(60, image.width() - 50), range(34, image.height() - 24)
            assert len({image.pixel(x, y) for x in columns for y in rows}) >= 3, name
    finally:
        theme.apply(app, "dark")


def test_profile_is_the_wrench_at_the_cursor(
    qtbot: QtBot, panel: PlotPanel, session_controller: FakeSessionController
) -> None:
    plot = panel.plots[0]
    abscissa = np.array(body_scene().beam.abscissas)
    for row in (ROWS - 1, 250, 700):
        session_controller.set_cursor(row)
        picture = plot.chart.data  # immediately, without waiting for the next redraw
        assert np.allclose(picture.traces[0].time, abscissa)
        assert np.allclose(picture.traces[0].low, torque(np.array(row / 100), abscissa), atol=1e-6)
    assert (picture.start, picture.stop) == (0.0, 1.0)
    assert (0.0, "") in picture.levels, "the zero line"


def test_axis_of_a_profile_contains_the_whole_run(
    qtbot: QtBot, panel: PlotPanel, session_controller: FakeSessionController
) -> None:
    plot = panel.plots[0]
    seen = set()
    for row in range(0, ROWS, 100):
        session_controller.set_cursor(row)
        axis = plot.chart.data.axes[0]
        seen.add((axis.low, axis.high))
    assert len(seen) == 1, "the range does not change"
    rows = body_rows(body_scene(), 0, ROWS).wrench[:, :, 5]
    low, high = seen.pop()
    assert low <= rows.min() < rows.max() <= high


def test_profile_follows_a_run(
    qtbot: QtBot, panel: PlotPanel, session_controller: FakeSessionController
) -> None:
    assert session_controller.recording is not None
    session_controller.recording.append(body_rows(body_scene(), ROWS, ROWS + 300))
    abscissa = np.array(body_scene().beam.abscissas)
    expected = torque(np.array((ROWS + 299) / 100), abscissa)
    qtbot.waitUntil(
        lambda: np.allclose(panel.plots[0].chart.data.traces[0].low, expected, atol=1e-6)
    )


def test_anchors_are_marked_at_their_positions(panel: PlotPanel) -> None:
    ticks = panel.plots[0].chart.data.ticks
    assert [abscissa for abscissa, _ in ticks] == pytest.approx([0.2, 0.5, 0.8])
    assert [active for _, active in ticks] == [True, True, False]
    assert panel.plots[0].chart.ticks.isVisible()
    assert not panel.plots[1].chart.ticks.isVisible()


def test_mouse_in_a_profile_sets_no_time(
    qtbot: QtBot, panel: PlotPanel, session_controller: FakeSessionController
) -> None:
    plot = panel.plots[0]
    assert any("peak" in text for _, text in plot.chart.data.legend)
    qtbot.mouseMove(plot.chart.viewport(), at(plot, 0.5))
    qtbot.waitUntil(lambda: plot.chart.data.cursor is not None)
    assert plot.chart.data.cursor == pytest.approx(0.5, abs=0.01)
    assert "at 0.5 m" in plot.chart.data.legend[0][1]
    qtbot.mouseClick(plot.chart.viewport(), Qt.MouseButton.LeftButton, pos=at(plot, 0.25))
    qtbot.wait(QApplication.doubleClickInterval() // 4)
    assert session_controller.cursor is None, "the axis shows positions"
    qtbot.keyClick(plot.chart, Qt.Key.Key_Left)
    assert session_controller.cursor == ROWS - 2


def test_drag_in_a_profile_does_not_pan(qtbot: QtBot, panel: PlotPanel) -> None:
    plot = panel.plots[0]
    before = panel.start, panel.stop
    viewport = plot.chart.viewport()
    qtbot.mousePress(viewport, Qt.MouseButton.LeftButton, pos=at(plot, 0.3))
    qtbot.mouseMove(viewport, at(plot, 0.7))
    qtbot.mouseRelease(viewport, Qt.MouseButton.LeftButton, pos=at(plot, 0.7))
    assert (panel.start, panel.stop) == before
    assert plot.chart.view.viewRange()[0] == [0.0, 1.0]


def test_profile_is_exported_as_drawn(
    panel: PlotPanel, session_controller: FakeSessionController, tmp_path: Path
) -> None:
    session_controller.set_cursor(400)
    plot = panel.plots[0]
    panel.export(plot, tmp_path / "profile.csv")
    lines = (tmp_path / "profile.csv").read_text(encoding="utf-8").splitlines()
    assert "t = 4.000 s" in lines[1]
    table = list(csv.reader(lines[2:]))
    assert table[0] == ["x_m", "lambda_cz_nm"]
    values = np.array(table[1:], float)
    abscissa = np.array(body_scene().beam.abscissas)
    assert np.allclose(values[:, 0], abscissa)
    assert np.allclose(values[:, 1], torque(np.array(4.0), abscissa), atol=1e-6)
    panel.export(plot, tmp_path / "profile.png")
    assert not QImage(str(tmp_path / "profile.png")).isNull()
    panel.export(plot, tmp_path / "profile.svg")
    text = (tmp_path / "profile.svg").read_text(encoding="utf-8")
    assert panel.plots[0].title in text
    assert sorted(entry.name for entry in tmp_path.iterdir()) == [
        "profile.csv",
        "profile.png",
        "profile.svg",
    ]


def test_map_is_exported_like_any_plot(qtbot: QtBot, panel: PlotPanel, tmp_path: Path) -> None:
    panel.export(panel.plots[1], tmp_path / "map.csv")
    qtbot.waitUntil(lambda: not panel.exporter.busy and (tmp_path / "map.csv").exists())
    header = (tmp_path / "map.csv").read_text(encoding="utf-8").splitlines()[2].split(",")
    assert header[:2] == ["time_s", "section_1_lambda_cz_nm"]
    assert len(header) == 22


def test_map_has_the_head_on_top_and_both_signs(panel: PlotPanel) -> None:
    picture = panel.plots[1].chart.data
    assert picture.heat is not None
    assert picture.heat.signed
    assert np.nanmin(picture.heat.values) < 0 < np.nanmax(picture.heat.values)
    assert np.nanmax(np.abs(picture.heat.values)) <= picture.heat.top
    labels = picture.axes[0].labels
    assert labels is not None
    assert labels[0] == (20.5, "head 0")
    assert labels[-1] == (pytest.approx(0.5), "1 m")
    assert picture.unit == "full scale ±0.3 N m"


def test_quantities_are_chosen_by_their_symbols(qtbot: QtBot, panel: PlotPanel) -> None:
    plot = panel.plots[0]
    texts = [action.text() for action in parts_offered(plot)]
    assert texts == [
        "C_Z",
        "|C|",
        "C_Y",
        "C_X",
        "N_X",
        "N_Y",
        "N_Z",
        "|N|",
        "K_Z",
        "K_Y",
        "K_X",
        "Γ_X − 1",
    ]
    plot.head.index_menu.actions()[8].trigger()
    settle(qtbot, panel)
    rows = body_rows(body_scene(), ROWS - 1, ROWS)
    assert np.allclose(plot.chart.data.traces[0].low, rows.strain[0, :, 5], atol=1e-5)
    assert plot.chart.data.unit == "1/m"


def test_supports_are_plotted_over_time(qtbot: QtBot, panel: PlotPanel) -> None:
    picture = panel.plots[2].chart.data
    assert [trace.name for trace in picture.traces] == [f"contact {i + 1}" for i in range(HOLDS)]
    first = picture.traces[0]
    assert np.allclose(0.5 * (first.low + first.high), np.abs(3 * np.sin(first.time)), atol=0.05)
    panel.plots[2].choose("axial")
    settle(qtbot, panel)
    slip = panel.plots[2].chart.data.traces[1]
    assert np.allclose(0.5 * (slip.low + slip.high), 2 * np.sin(slip.time), atol=0.05)


def test_other_runs_are_overlaid_on_a_profile(
    qtbot: QtBot, panel: PlotPanel, session_controller: FakeSessionController
) -> None:
    other = body_scene(sections=9, length=0.8)
    chain = make_recording(Scene(), 300)
    panel.overlay(
        [
            OverlaidRun("short", "#ff00ff", body_recording(other, 500)),
            OverlaidRun("links", "#00ff00", chain),
        ]
    )
    settle(qtbot, panel)
    session_controller.set_cursor(300)
    picture = panel.plots[0].chart.data
    assert [trace.colour for trace in picture.traces][1:] == ["#ff00ff"], "links have no fields"
    abscissa = np.array(other.beam.abscissas)
    assert np.allclose(picture.traces[1].time, abscissa)
    assert np.allclose(picture.traces[1].low, torque(np.array(3.0), abscissa), atol=1e-6)
    session_controller.set_cursor(900)
    assert len(panel.plots[0].chart.data.traces) == 1, "a curve ends with its run"
