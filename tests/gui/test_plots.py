"""The plot panel: visible range, cursor in both directions, choice of views, export of the visible range."""

from __future__ import annotations

import csv
import itertools
import math
import re
import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QImage, QWheelEvent
from PySide6.QtWidgets import QApplication, QMessageBox, QProgressDialog
from pytestqt.qtbot import QtBot

from snakestudio._arrays import FloatArray
from snakestudio.gui.charts.axes import ChartAxis
from snakestudio.gui.charts.curve import points
from snakestudio.gui.core.document import Document
from snakestudio.gui.plots.panel import PlotPanel
from snakestudio.gui.plots.plot import LivePlot
from snakestudio.gui.plots.redraws import Redraw, Redraws
from snakestudio.model.edits import with_values
from snakestudio.model.motion import TwoWaves
from snakestudio.model.recording import Schema
from snakestudio.model.robot.joint_axes import cardan_axes
from snakestudio.model.snapshot import Fields
from snakestudio.paths import scenes_dir
from snakestudio.viewmodel.plots import csv_table
from snakestudio.viewmodel.plots.axis_scale import AxisScale
from snakestudio.viewmodel.plots.chart_data import Trace
from snakestudio.viewmodel.plots.content import Content, Curve
from snakestudio.viewmodel.plots.overlaid import OverlaidRun
from snakestudio.viewmodel.plots.plot_types import VIEWS
from snakestudio.viewmodel.plots.scale import fitted, readable, steady
from tests.gui.fake import FakeSessionController, make_recording
from tests.gui.pages.hands import double_click, move, show_widget
from tests.gui.pages.plots import PlotsPage, settle, views_offered

pytestmark = pytest.mark.gui


@pytest.fixture
def session_controller(document: Document) -> FakeSessionController:
    return FakeSessionController(make_recording(document.scene, 2000))


@pytest.fixture
def panel(qtbot: QtBot, document: Document, session_controller: FakeSessionController) -> PlotPanel:
    panel = PlotPanel(session_controller, document)  # type: ignore[arg-type]
    show_widget(qtbot, panel, 900, 400)
    settle(qtbot, panel)
    return panel


def views(panel: PlotPanel) -> list[str]:
    return [plot.view_name for plot in panel.plots]


def test_default_plots_suit_the_scene(panel: PlotPanel, document: Document) -> None:
    assert views(panel) == ["force", "joint", "speed", "position"]
    document.open(scenes_dir() / "sidewinding.toml")
    assert views(panel) == ["ground_load", "joint", "height", "position"]
    document.open(scenes_dir() / "lateral_undulation_isotropic.toml")
    assert views(panel) == ["friction", "joint", "speed", "position"]


def test_chosen_plots_stay(panel: PlotPanel, document: Document) -> None:
    panel.plots[3].choose("energy")
    document.open(scenes_dir() / "sidewinding.toml")
    assert views(panel) == ["force", "joint", "speed", "energy"]


def at(plot: LivePlot, time: float, fraction: float = 0.5) -> QPoint:
    """Position of a time in a chart."""
    area = plot.chart.area
    return QPointF(plot.chart.x_of(time), area.top() + fraction * area.height()).toPoint()


def drag(qtbot: QtBot, plot: LivePlot, start: QPoint, stop: QPoint) -> None:
    port = plot.chart.viewport()
    # The mouse moves to the start first, so that the items under it are updated before the button
    # is pressed.
    move(port, QPointF(start) + QPointF(0, 1))
    qtbot.wait(15)  # pyqtgraph handles a hundred moves a second
    move(port, start)
    qtbot.mousePress(port, Qt.MouseButton.LeftButton, pos=start)
    for fraction in (0.5, 1.0):
        qtbot.wait(15)
        move(
            port,
            QPointF(start) + fraction * (QPointF(stop) - QPointF(start)),
            held=Qt.MouseButton.LeftButton,
        )
    qtbot.mouseRelease(port, Qt.MouseButton.LeftButton, pos=stop)


def wheel(
    plot: LivePlot, where: QPoint, steps: int, modifier: Qt.KeyboardModifier | None = None
) -> None:
    event = QWheelEvent(
        QPointF(where),
        QPointF(plot.chart.viewport().mapToGlobal(where)),
        QPoint(),
        QPoint(0, 120 * steps),
        Qt.MouseButton.NoButton,
        modifier or Qt.KeyboardModifier.NoModifier,
        Qt.ScrollPhase.NoScrollPhase,
        False,
    )
    QApplication.sendEvent(plot.chart.viewport(), event)


# --- visible range --------------------------------------------------------------------------------


def test_newest_data_stay_visible(
    qtbot: QtBot, panel: PlotPanel, session_controller: FakeSessionController
) -> None:
    assert panel.stop - panel.start == pytest.approx(10.0)
    assert panel.start < 19.99 < panel.stop
    session_controller.append(500)
    qtbot.waitUntil(lambda: panel.stop > 24.99)
    settle(qtbot, panel)
    for plot in panel.plots:
        assert plot.chart.data.stop == pytest.approx(panel.stop, abs=0.05)
        assert plot.chart.data.cursor == pytest.approx(24.99)
        for trace in plot.chart.data.traces:
            assert trace.time[-1] == pytest.approx(24.99, abs=0.05)
    panel.follow(0.0)
    settle(qtbot, panel)
    assert panel.start == 0.0
    assert panel.stop > 24.99
    panel.follow(5.0)
    assert panel.stop - panel.start == pytest.approx(5.0)


def test_pages_advance_while_data_arrive(
    qtbot: QtBot, panel: PlotPanel, session_controller: FakeSessionController
) -> None:
    session_controller.append(100)  # the view ended slightly after the newest row
    qtbot.waitUntil(lambda: panel.stop > 25.0)
    page = panel.start, panel.stop
    assert page[1] - page[0] == pytest.approx(10.0)
    settle(qtbot, panel)
    axes = [plot.chart.data.axes[0] for plot in panel.plots]
    for _ in range(4):
        session_controller.append(100)
        settle(qtbot, panel)
        qtbot.waitUntil(
            lambda: (
                panel.plots[0].chart.data.cursor
                == pytest.approx(session_controller.recording.times[-1])
            )
        )
        assert (panel.start, panel.stop) == page
    for plot, axis in zip(panel.plots[:3], axes, strict=False):
        assert plot.chart.data.axes[0] == axis
    session_controller.append(700)
    qtbot.waitUntil(lambda: panel.start > page[0])
    assert panel.start < 31.99 < panel.stop


def test_curves_equal_the_recording(
    panel: PlotPanel, session_controller: FakeSessionController
) -> None:
    assert session_controller.recording is not None
    rows = session_controller.recording.rows(0, 2000)
    joint = panel.plots[1]
    assert joint.view_name == "joint"
    angle, reference = joint.chart.data.traces
    truth = np.degrees(rows.joint_angle[:, 3])
    seen = (rows.time >= angle.time[0]) & (rows.time <= angle.time[-1])
    assert angle.low.min() == pytest.approx(truth[seen].min(), abs=0.5)
    assert angle.high.max() == pytest.approx(truth[seen].max(), abs=0.5)
    assert np.interp(15.0, angle.time, 0.5 * (angle.low + angle.high)) == pytest.approx(
        truth[1500], abs=1.0
    )
    assert reference.faint
    force = panel.plots[0].chart.data
    assert len(force.traces) == 11
    assert max(trace.high.max() for trace in force.traces) == pytest.approx(40, abs=0.1)
    assert force.axes[0].low == 0.0


def test_data_arrive_while_the_view_is_paused(
    qtbot: QtBot, panel: PlotPanel, session_controller: FakeSessionController
) -> None:
    panel.pause_button.click()
    settle(qtbot, panel)
    view = panel.start, panel.stop
    pictures = [plot.chart.data for plot in panel.plots]
    session_controller.append(300)
    qtbot.waitUntil(lambda: panel.series_cache.values_at("link_*_speed_mps", 2299) is not None)
    qtbot.waitUntil(
        lambda: panel.series_cache.envelope("link_*_speed_mps", 2290, 2300, 10) is not None
    )
    assert (panel.start, panel.stop) == view
    assert [plot.chart.data for plot in panel.plots] == pictures
    panel.pause_button.click()
    settle(qtbot, panel)
    assert panel.stop > 22.99


def test_panning_and_zooming_move_all_plots(
    qtbot: QtBot, panel: PlotPanel, session_controller: FakeSessionController
) -> None:
    first, second = panel.plots[:2]
    start, stop = panel.start, panel.stop
    drag(qtbot, first, at(first, 13.0), at(first, 15.0))
    assert not panel.following
    assert panel.start == pytest.approx(start - 2.0, abs=0.1)
    settle(qtbot, panel)
    assert second.chart.data.start == pytest.approx(panel.start, abs=0.05)
    session_controller.append(100)
    settle(qtbot, panel)
    assert panel.start == pytest.approx(start - 2.0, abs=0.1)
    fixed = 12.0
    wheel(second, at(second, fixed), 3)
    assert panel.stop - panel.start < 0.8 * (stop - start)
    settle(qtbot, panel)
    assert second.chart.x_of(fixed) == pytest.approx(at(second, fixed).x(), abs=1.5)
    double_click(first.chart.viewport(), at(first, 12.0))
    assert panel.following
    assert panel.stop > 20.99


def test_double_click_undoes_zooming_of_values(qtbot: QtBot, panel: PlotPanel) -> None:
    plot = panel.plots[1]
    before = plot.chart.data.axes[0].low, plot.chart.data.axes[0].high
    wheel(plot, at(plot, 15.0), 4, Qt.KeyboardModifier.ControlModifier)
    settle(qtbot, panel)
    axis = plot.chart.data.axes[0]
    assert axis.high - axis.low < 0.8 * (before[1] - before[0])
    double_click(plot.chart.viewport(), at(plot, 15.0))
    settle(qtbot, panel)
    axis = plot.chart.data.axes[0]
    assert (axis.low, axis.high) == before


# --- cursor ---------------------------------------------------------------------------------------


def test_click_sets_the_cursor_of_the_session(
    qtbot: QtBot, panel: PlotPanel, session_controller: FakeSessionController
) -> None:
    plot = panel.plots[2]
    qtbot.mouseClick(plot.chart.viewport(), Qt.MouseButton.LeftButton, pos=at(plot, 15.0))
    assert session_controller.cursor == pytest.approx(1500, abs=3)
    for other in panel.plots:
        assert other.chart.data.cursor == pytest.approx(session_controller.cursor / 100)


def test_dragging_the_cursor_scrubs(
    qtbot: QtBot, panel: PlotPanel, session_controller: FakeSessionController
) -> None:
    session_controller.set_cursor(1800)
    view = panel.start, panel.stop
    seen: list[int | None] = []
    session_controller.cursor_changed.connect(lambda: seen.append(session_controller.cursor))
    plot = panel.plots[0]
    drag(qtbot, plot, at(plot, 18.0), at(plot, 14.0))
    assert session_controller.cursor == pytest.approx(1400, abs=3)
    assert len(seen) >= 2
    assert (panel.start, panel.stop) == view


def test_time_bar_moves_the_cursor_and_the_view(
    qtbot: QtBot, panel: PlotPanel, session_controller: FakeSessionController
) -> None:
    session_controller.set_cursor(200)
    settle(qtbot, panel)
    assert panel.start <= 2.0 <= panel.stop
    plot = panel.plots[3]
    assert plot.chart.data.cursor == pytest.approx(2.0)
    texts = {text.rsplit(" ", 1)[0]: text.rsplit(" ", 1)[1] for _, text in plot.chart.data.legend}
    assert session_controller.recording is not None
    x = session_controller.recording.rows(200, 201).link_pose[0, 5, 0]
    assert float(texts["x"].replace("−", "-")) == pytest.approx(x, rel=1e-3)
    session_controller.set_cursor(None)
    settle(qtbot, panel)
    assert panel.stop > 19.99
    assert plot.chart.data.cursor == pytest.approx(19.99)


def test_arrow_keys_step_the_cursor(
    qtbot: QtBot, panel: PlotPanel, session_controller: FakeSessionController
) -> None:
    chart = panel.plots[0].chart
    chart.setFocus()
    qtbot.keyClick(chart, Qt.Key.Key_Left)
    qtbot.keyClick(chart, Qt.Key.Key_Left)
    qtbot.keyClick(chart, Qt.Key.Key_Right)
    assert session_controller.cursor == 1998
    qtbot.keyClick(chart, Qt.Key.Key_Left, Qt.KeyboardModifier.ShiftModifier)
    assert session_controller.cursor == 1988


# --- views ----------------------------------------------------------------------------------------


@pytest.fixture
def spatial(
    qtbot: QtBot, panel: PlotPanel, session_controller: FakeSessionController, document: Document
) -> PlotPanel:
    """The panel with a run in space."""
    document.set_value("model.kind", "spatial_nonsmooth", "Model")
    document.edit(document.scene.model_copy(update={"gait": TwoWaves()}), "Gait")
    session_controller.set_recording(make_recording(document.scene, 600))
    settle(qtbot, panel)
    return panel


def titles(plot: LivePlot) -> list[str]:
    plot.head.view_menu.aboutToShow.emit()
    return [action.text() for action in plot.head.view_menu.actions()]


def test_spatial_views_are_offered_only_in_space(qtbot: QtBot, panel: PlotPanel) -> None:
    assert "Height by link" not in titles(panel.plots[0])
    panel.plots[0].choose("joint", 2)
    assert [line.name for line in panel.plots[0].lines] == ["angle", "reference"]
    panel.plots[0].choose("position", 2)
    assert "z" not in [line.name for line in panel.plots[0].lines]


def test_spatial_run_shows_pitch_and_height(
    qtbot: QtBot, spatial: PlotPanel, session_controller: FakeSessionController
) -> None:
    plot = spatial.plots[0]
    assert {"Height by link", "Roll, pitch, yaw"} <= set(titles(plot))
    assert session_controller.recording is not None
    rows = session_controller.recording.rows(0, 600)
    plot.choose("joint", 2)
    settle(qtbot, spatial)
    assert [line.name for line in plot.lines] == ["yaw", "yaw ref", "pitch", "pitch ref"]
    pitch = plot.chart.data.traces[2]
    truth = np.degrees(rows.joint_angle[:, 5])
    assert np.interp(3.0, pitch.time, 0.5 * (pitch.low + pitch.high)) == pytest.approx(
        truth[300], abs=0.5
    )
    plot.choose("torque", 2)
    settle(qtbot, spatial)
    assert [line.name for line in plot.lines] == ["yaw", "pitch"]
    torque = spatial.series_cache.values_at("joint_*_pitch_torque_nm", 300)
    assert torque is not None
    assert torque[plot.lines[1].column] == pytest.approx(rows.joint_torque[300, 5], rel=1e-5)
    plot.choose("height")
    settle(qtbot, spatial)
    assert len(plot.chart.data.traces) == 11
    highest = max(trace.high.max() for trace in plot.chart.data.traces)
    assert highest == pytest.approx(0.0725, abs=1e-4)
    plot.choose("attitude", 4)
    settle(qtbot, spatial)
    assert [line.name for line in plot.lines] == ["roll", "pitch", "yaw"]


def test_spatial_forces_have_three_components(
    qtbot: QtBot, spatial: PlotPanel, session_controller: FakeSessionController
) -> None:
    for plot, view in zip(
        spatial.plots, ("contact_force", "ground_load", "friction", "contacts"), strict=True
    ):
        plot.choose(view)
    settle(qtbot, spatial)
    # The synthetic ground gives (-1.3, 0, 6.69) N, obstacles 20 (1 + sin(2 t - link)) N across,
    # averaged over a row.
    before = 2.99
    now = 3.0
    obstacle = 20 * (1 - (np.cos(2 * now - 4) - np.cos(2 * before - 4)) / 2 / (now - before))
    expected = {
        "contact_force": math.hypot(1.3, obstacle, 6.69),
        "ground_load": 6.69,
        "ground_friction": 1.3,
    }
    for what, value in expected.items():
        row = spatial.series_cache.values_at(f"link_*_{what}_n", 300)
        assert row is not None
        assert row[4] == pytest.approx(value, rel=1e-4), what
    assert spatial.series_cache.values_at("contacts_closed", 300) == pytest.approx([3.0])


def test_solver_plot_shows_residual_and_iterations(qtbot: QtBot, panel: PlotPanel) -> None:
    plot = panel.plots[0]
    plot.choose("solver")
    settle(qtbot, panel)
    assert [line.name for line in plot.lines] == [
        "residual",
        "iterations",
        "unconverged",
        "contacts",
    ]
    picture = plot.chart.data
    assert picture.axes[0].decades
    assert [level for level, _ in picture.levels] == [-8.0]
    # 92 iterations in the 40 steps between two rows, and no unconverged steps.
    assert panel.series_cache.values_at("solver_iterations", 700) == pytest.approx([2.3])
    assert panel.series_cache.values_at("solver_unconverged", 700) == pytest.approx([0.0])


STEERED = ("heading_rad", "heading_ref_rad", "gait_offset_rad", "cross_track_m")


def test_views_of_controllers_are_offered_with_them(
    qtbot: QtBot, panel: PlotPanel, document: Document, session_controller: FakeSessionController
) -> None:
    plot = panel.plots[0]

    def offered() -> set[str]:
        return {action.text() for action in views_offered(plot)}

    steered = {"Heading", "Cross-track error"}
    assert not offered() & steered
    session_controller.recording = make_recording(document.scene, 500, STEERED)
    session_controller.recording_changed.emit()
    assert offered() >= steered
    plot.choose("cross_track")
    panel.plots[1].choose("heading")
    settle(qtbot, panel)
    (trace,) = plot.chart.data.traces
    np.testing.assert_allclose(trace.high, 4 * np.sin(trace.time), atol=0.05)
    names = [trace.name for trace in panel.plots[1].chart.data.traces]
    assert names == ["heading", "ref", "offset"]
    offset = panel.plots[1].chart.data.traces[2]
    np.testing.assert_allclose(offset.high, np.degrees(3 * np.sin(offset.time)), atol=2.0)


def test_path_following_scene_shows_the_error(panel: PlotPanel, document: Document) -> None:
    document.open(scenes_dir() / "path_following.toml")
    assert views(panel) == ["cross_track", "heading", "speed", "position"]


def test_jams_are_marked_on_the_speed(
    qtbot: QtBot, panel: PlotPanel, document: Document, session_controller: FakeSessionController
) -> None:
    # "controller_state" is sin t here: above 0.5 from pi/6 to 5 pi/6, and again one period later.
    session_controller.recording = make_recording(document.scene, 1000, ("controller_state",))
    session_controller.recording_changed.emit()
    plot = panel.plots[0]
    plot.choose("speed", 2)
    settle(qtbot, panel)
    marks = plot.chart.data.marks
    assert [mark.begins for mark in marks] == [True, False] * 2
    turns = np.array([1, 5, 13, 17]) * np.pi / 6
    assert [mark.time for mark in marks] == pytest.approx(turns, abs=0.05)
    curve = plot.chart.data.traces[0]
    assert curve.name == "CoM"
    for mark in marks:
        assert mark.value == pytest.approx(np.interp(mark.time, curve.time, curve.high), abs=1e-3)
    assert len(plot.chart.marks.data) == 4
    texts = [text for _, text in plot.chart.data.legend]
    assert texts[:2] == ["▼ jam", "▲ resolved"]
    plot.choose("position", 2)
    settle(qtbot, panel)
    assert not plot.chart.data.marks
    assert not len(plot.chart.marks.data)


def test_leader_follower_scene_shows_speed_first(panel: PlotPanel, document: Document) -> None:
    document.open(scenes_dir() / "jam_resolution.toml")
    assert views(panel)[0] == "speed"


def test_every_view_is_drawn(qtbot: QtBot, panel: PlotPanel) -> None:
    plot = panel.plots[0]
    for name in sorted(
        name for name, view in VIEWS.items() if not view.columns and view.of != "body"
    ):
        plot.choose(name, 2)
        settle(qtbot, panel)
        picture = plot.chart.data
        if VIEWS[name].style == "heat":
            assert picture.heat is not None, name
            assert picture.heat.values.shape[1] == 11, name
            assert np.nanmax(picture.heat.values) <= picture.heat.top, name
        else:
            assert picture.traces, name
        for trace in picture.traces:
            axis = picture.axes[trace.axis]
            assert np.nanmin(trace.low) >= axis.low - 1e-6 * abs(axis.low) - 1e-12, name
            assert np.nanmax(trace.high) <= axis.high + 1e-6 * abs(axis.high) + 1e-12, name
        image = plot.chart.grab().toImage().convertToFormat(QImage.Format.Format_RGB32)
        pixels = np.frombuffer(image.constBits(), np.uint32).reshape(image.height(), image.width())
        # Every pixel: a horizontal line is one pixel thick.
        colours = np.unique(pixels[34:-24, 60:-50])
        assert len(colours) >= 3, f"{name}: the ground, the grid, and a curve"


def test_menus_select_views(qtbot: QtBot, panel: PlotPanel) -> None:
    plot = panel.plots[0]
    plot.head.view_menu.aboutToShow.emit()
    next(a for a in plot.head.view_menu.actions() if a.text() == "Torque").trigger()
    assert plot.view_name == "torque"
    assert "joint_*_yaw_torque_nm" in plot.series
    plot.head.index_menu.aboutToShow.emit()
    assert len(plot.head.index_menu.actions()) == 10
    next(a for a in plot.head.index_menu.actions() if a.text() == "Joint 7").trigger()
    assert plot.index == 6
    settle(qtbot, panel)
    assert plot.title == "Torque, joint 7"


def test_only_visible_series_are_computed(qtbot: QtBot, panel: PlotPanel) -> None:
    for plot in panel.plots:
        plot.choose("energy")
    settle(qtbot, panel)
    assert panel.series_cache.envelope("energy_kinetic_j", 0, 100, 10) is not None
    assert panel.series_cache.envelope("link_*_speed_mps", 0, 100, 10) is None


def test_new_run_starts_empty(
    qtbot: QtBot, panel: PlotPanel, session_controller: FakeSessionController, document: Document
) -> None:
    session_controller.set_cursor(500)
    small = document.scene.model_copy(
        update={"robot": document.scene.robot.model_copy(update={"n_links": 4})}
    )
    session_controller.set_recording(make_recording(small, 100))
    settle(qtbot, panel)
    assert panel.start == 0.0
    assert len(panel.plots[0].chart.data.traces) == 4
    assert panel.plots[2].index == 3  # there is no link 6
    session_controller.set_recording(None)
    settle(qtbot, panel)
    assert all(not plot.chart.data.traces for plot in panel.plots)


def test_hidden_panel_computes_nothing(panel: PlotPanel) -> None:
    timer = PlotsPage(panel).redraw_timer
    assert timer.isActive()
    panel.hide()
    assert not timer.isActive()


# --- export ---------------------------------------------------------------------------------------


def test_csv_contains_the_visible_range(
    qtbot: QtBot, panel: PlotPanel, session_controller: FakeSessionController, tmp_path: Path
) -> None:
    panel.set_view(3.0, 15.0)
    settle(qtbot, panel)
    path = tmp_path / "joint.csv"
    panel.export(panel.plots[1], path)
    qtbot.waitUntil(lambda: not panel.exporter.busy)
    lines = path.read_text(encoding="utf-8").splitlines()
    assert lines[0].startswith("# SnakeStudio")
    rows = list(csv.reader(line for line in lines if not line.startswith("#")))
    assert rows[0] == ["time_s", "joint_4_yaw_deg", "joint_4_yaw_ref_deg"]
    assert float(rows[1][0]) == pytest.approx(3.0)
    assert float(rows[-1][0]) == pytest.approx(15.0)
    assert len(rows) == 1 + 1201
    assert session_controller.recording is not None
    angle = session_controller.recording.rows(700, 701).joint_angle[0, 3]
    assert math.radians(float(rows[1 + 400][1])) == pytest.approx(angle, rel=1e-12)
    assert sorted(p.name for p in tmp_path.iterdir()) == ["joint.csv"]


def test_images_contain_the_visible_range(qtbot: QtBot, panel: PlotPanel, tmp_path: Path) -> None:
    plot = panel.plots[1]
    panel.export(plot, tmp_path / "plot.png")
    panel.export(plot, tmp_path / "plot.svg")
    image = QImage(str(tmp_path / "plot.png"))
    assert image.width() == 2 * (plot.chart.width() + 16)
    accent = QImage(1, 1, QImage.Format.Format_RGB32)
    accent.fill(plot.lines[0].colour)
    assert any(
        image.pixel(x, y) == accent.pixel(0, 0)
        for x in range(100, image.width() - 60)
        for y in range(80, 200, 4)
    )
    text = (tmp_path / "plot.svg").read_text(encoding="utf-8")
    assert "Angle and reference, joint 4" in text
    # Curves are vectors in pixels of the page, all of them on the page.
    lines = [
        group
        for group in re.findall(r"<polyline[^>]*points=\"([^\"]*)\"", text)
        if group.count(",") > 100
    ]
    assert len(lines) == 2
    for line in lines:
        places = np.array([list(map(float, pair.split(","))) for pair in line.split()])
        assert places.min() > 0.0
        assert places[:, 0].max() < plot.chart.width() + 16
        assert places[:, 1].max() < plot.chart.height() + 16


@pytest.mark.parametrize("suffix", ["png", "svg", "csv"])
def test_export_to_a_symbolic_link_keeps_the_link(
    qtbot: QtBot, panel: PlotPanel, tmp_path: Path, suffix: str
) -> None:
    link = tmp_path / f"link.{suffix}"
    real = tmp_path / "real"
    real.write_bytes(b"old")
    real.chmod(0o640)
    link.symlink_to("real")
    panel.export(panel.plots[1], link)
    qtbot.waitUntil(lambda: not panel.exporter.busy and real.stat().st_size > 1000)
    assert link.is_symlink()
    assert real.stat().st_mode & 0o777 == 0o640
    assert sorted(entry.name for entry in tmp_path.iterdir()) == [link.name, "real"]


def test_cancelled_export_leaves_the_old_file(
    qtbot: QtBot, panel: PlotPanel, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "joint.csv"
    path.write_bytes(b"old")
    cancelled = threading.Event()
    curve_table = csv_table.curve_table

    def table_once_cancelled(*args: Any) -> Iterator[FloatArray]:
        cancelled.wait()
        return curve_table(*args)

    monkeypatch.setattr(csv_table, "curve_table", table_once_cancelled)
    panel.export(panel.plots[1], path)
    assert panel.exporter.busy
    panel.findChildren(QProgressDialog)[0].canceled.emit()  # like its button
    cancelled.set()
    qtbot.waitUntil(lambda: not panel.exporter.busy)
    assert path.read_bytes() == b"old"
    assert [entry.name for entry in tmp_path.iterdir()] == ["joint.csv"]


def test_failed_export_is_reported(qtbot: QtBot, panel: PlotPanel, tmp_path: Path) -> None:
    panel.export(panel.plots[1], tmp_path / "missing" / "joint.csv")
    qtbot.waitUntil(lambda: bool(panel.findChildren(QMessageBox)))
    box = panel.findChildren(QMessageBox)[0]
    assert "cannot be written" in box.text()
    assert not panel.exporter.busy
    box.close()


# --- pieces ---------------------------------------------------------------------------------------


def test_axes_end_at_round_numbers() -> None:
    assert fitted(0.3, 37.0, from_zero=True, least=1.0) == (0.0, 40.0)
    assert fitted(-21.0, 26.0, from_zero=False, least=1.0) == (-40.0, 40.0)
    assert fitted(0.0, 0.0, from_zero=True, least=1.0) == (0.0, 1.0)
    low, high = fitted(5.0, 5.0, from_zero=False, least=0.1)
    assert low < 5.0 < high
    assert readable(math.nan, "N") == "–"


def test_suitable_value_axis_is_not_changed() -> None:
    assert steady(0.0, 30.0, (0.0, 40.0)) == (0.0, 40.0)
    assert steady(0.0, 50.0, (0.0, 40.0)) == (0.0, 50.0)
    assert steady(0.0, 10.0, (0.0, 40.0)) == (0.0, 10.0)
    assert steady(0.0, 10.0, None) == (0.0, 10.0)


def test_curve_keeps_its_peaks_without_zigzag() -> None:
    time = np.arange(400.0)
    flat = np.full(400, 50.0)
    xs, ys = points(Trace(time, flat, flat.copy(), ""))
    assert len(xs) == 400
    upper = flat.copy()
    upper[200] = 95.0  # one bin with a large peak
    xs, ys = points(Trace(time, flat, upper, ""))
    assert ys.max() == 95.0
    assert np.all(np.diff(xs) > 0)
    ramp = np.linspace(0, 3192, 400)
    for low in (ramp, -ramp):  # steep: each bin is a band, and the line must not go back
        xs, ys = points(Trace(time, low, low + 8.0, ""))
        assert np.all(np.diff(ys) >= -1e-9) or np.all(np.diff(ys) <= 1e-9)
        assert np.all(np.diff(xs) > 0)


def test_ticks_are_round_numbers(qtbot: QtBot) -> None:
    axis = ChartAxis("bottom", 20, "s")
    assert axis.tickStrings([-0.25, 0.0, 0.25], 1.0, 0.05) == ["−0.25", "0", "0.25 s"]
    decades = ChartAxis("left", 48)
    decades.setGeometry(0.0, 0.0, 48.0, 160.0)
    decades.show_as(True, None)
    for low, high, texts in (
        (-10.0, -8.0, ["10⁻¹⁰", "10⁻⁹", "10⁻⁸"]),
        (-8.2, -8.0, ["7·10⁻⁹", "8·10⁻⁹", "9·10⁻⁹", "10⁻⁸"]),
        (-2.0, 0.0, ["0.01", "0.1", "1"]),
    ):
        decades.setRange(low, high)
        assert [text for _, text in decades.visible_labels()] == texts


@pytest.mark.parametrize(
    ("scale", "width", "texts"),
    [
        (AxisScale(0.005, 0.278), 240.0, ["0.05", "0.10", "0.15", "0.20", "0.25"]),
        (AxisScale(0.01, 1.0, log=True), 120.0, ["0.01", "0.1", "1"]),
        (AxisScale(2.1, 4.4, log=True), 120.0, ["3", "4"]),
        (AxisScale.of_categories(("x", "y", "z")), 240.0, ["x", "y", "z"]),
        (AxisScale.of_categories(("x", "y", "z")), 100.0, ["x", "z"]),
        (
            AxisScale.of_categories(("planar_nonsmooth", "spatial")),
            120.0,
            ["planar_…", "spatial"],
        ),
    ],
)
def test_axis_shows_ticks_of_its_scale(
    qtbot: QtBot, scale: AxisScale, width: float, texts: list[str]
) -> None:
    axis = ChartAxis("bottom", 44, density=2.0)
    axis.setGeometry(0.0, 0.0, width, 44.0)
    axis.show_scale(scale, "Title")
    assert [text for _, text in axis.visible_labels()] == texts


@pytest.mark.parametrize("height", [20.0, 35.0, 49.0, 120.0])
def test_numbers_of_an_axis_never_overlap(qtbot: QtBot, height: float) -> None:
    axis = ChartAxis("left", 48)
    axis.setGeometry(0.0, 0.0, 48.0, height)
    for low, high in ((0.0, 1.0), (0.0, 0.1), (-20.2, -18.9), (0.0, 60.0), (-1e-9, 3.0)):
        axis.setRange(low, high)
        places = axis.places()
        assert len(places) >= min(2, height / 25)
        assert np.all(np.diff(places) * height / (high - low) >= axis.line_height)
    axis.show_as(False, [(float(k), f"{k}") for k in range(20)])
    axis.setRange(0.0, 20.0)
    positions = np.array([position for position, _ in axis.visible_labels()])
    assert len(positions) >= 1
    assert np.all(np.diff(positions) * height / 20.0 >= axis.line_height)
    assert positions[0] == 0.0


def test_run_of_fewer_links_is_overlaid_by_one_of_more(qtbot: QtBot, document: Document) -> None:
    """Values that only the overlaid run has are read from that run."""
    eleven = document.scene
    ten = with_values(eleven, {"robot.n_links": 10})
    last = Content("time", curves=(Curve("joint_10_yaw_rad"),))
    plots = [
        last,
        replace(last, kind="spectrum"),
        Content("xy", curves=(Curve("joint_10_yaw_rad", "joint_9_yaw_rad"),)),
    ]
    session_controller = FakeSessionController(make_recording(eleven, 200))
    panel = PlotPanel(session_controller, document, contents=plots)  # type: ignore[arg-type]
    show_widget(qtbot, panel, 900, 400)
    panel.overlay([OverlaidRun("Eleven", "#fc60cc", make_recording(eleven, 200))])
    settle(qtbot, panel)
    session_controller.set_recording(make_recording(ten, 200))
    settle(qtbot, panel)
    assert [len(plot.chart.data.traces) for plot in panel.plots[::2]] == [1, 1]
    panel.close_down()


def test_curves_of_other_runs_are_dashed(
    panel: PlotPanel, document: Document, qtbot: QtBot
) -> None:
    other = make_recording(document.scene, 2000)
    panel.overlay([OverlaidRun("Other", "#fc60cc", other)])
    settle(qtbot, panel)
    for plot in panel.plots:
        traces = plot.chart.data.traces
        curves = plot.chart.curves
        for trace, curve in zip(traces, curves, strict=False):
            assert trace.dashed is (trace.colour == "#fc60cc")
            dashed = curve.opts["pen"].style() == Qt.PenStyle.CustomDashLine
            assert dashed is trace.dashed
    assert any(trace.dashed for plot in panel.plots for trace in plot.chart.data.traces)


def test_new_data_are_drawn_at_the_same_time_in_all_plots(panel: PlotPanel, qtbot: QtBot) -> None:
    """Otherwise their cursors would show different times during playback."""
    PlotsPage(panel).hold()
    seconds = itertools.count(1)
    # Every plot takes a second: one per turn.
    redraws = Redraws(lambda: float(next(seconds)))
    redraws.mark(panel.plots, Redraw.LONGER)
    turns = 0
    while redraws.stale:
        redraws.draw((panel.start, panel.stop), 12.0 + turns, 1200 + 100 * turns)
        turns += 1
    assert turns == len(panel.plots) > 2
    assert {plot.chart.data.cursor for plot in panel.plots} == {12.0}
    # Data that arrive meanwhile are drawn in the next cycle.
    redraws.mark(panel.plots, Redraw.LONGER)
    redraws.draw((panel.start, panel.stop), 13.0, 1300)
    redraws.mark(panel.plots, Redraw.LONGER)
    while redraws.stale:
        redraws.draw((panel.start, panel.stop), 14.0, 1400)
    assert {plot.chart.data.cursor for plot in panel.plots} == {14.0}


def test_torque_driven_joints_have_no_references() -> None:
    led = Schema(5, cardan_axes(4), ())
    schema = Schema(5, cardan_axes(4), (), valid=Fields.ALL & ~Fields.REFERENCE)
    assert [line.name for line in VIEWS["joint"].lines(led, 1)] == [
        "yaw",
        "yaw ref",
        "pitch",
        "pitch ref",
    ]
    assert VIEWS["joint"].possible(schema)
    assert [line.name for line in VIEWS["joint"].lines(schema, 1)] == ["yaw", "pitch"]


def test_axis_caches_a_limited_number_of_sizes(qapp: QApplication) -> None:
    axis = ChartAxis("bottom", 20)
    for number in range(1000):
        axis._text_size(f"{number}")
    assert len(axis._sizes) <= 256
