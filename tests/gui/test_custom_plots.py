"""Plots of selected channels: over time, overlaid, spectra, strips; spans, derived channels, arrangements."""

from __future__ import annotations

import csv
import json
import math
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QMimeData, QPointF, QSettings, Qt
from PySide6.QtGui import QDragEnterEvent, QDropEvent, QGuiApplication
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from snakestudio.gui.core.document import Document
from snakestudio.gui.plots.channel_browser import ChannelBrowser
from snakestudio.gui.plots.channel_library import ChannelLibrary, DerivedChannel
from snakestudio.gui.plots.derived_dialog import DerivedDialog
from snakestudio.gui.plots.drop import drag_data
from snakestudio.gui.plots.panel import PlotPanel
from snakestudio.gui.plots.plot import LivePlot
from snakestudio.gui.plots.plot_docks import show_preset
from snakestudio.gui.plots.plot_menu import curve_menu
from snakestudio.gui.plots.sets import PRESETS, PlotSets
from snakestudio.model.edits import with_value
from snakestudio.viewmodel.plots.channels import catalogue, families
from snakestudio.viewmodel.plots.content import Content, Curve, read_content, write_content
from snakestudio.viewmodel.plots.overlaid import OverlaidRun
from tests.gui.fake import FakeSessionController, make_recording
from tests.gui.pages.hands import move, show_widget
from tests.gui.pages.parts import suggestions
from tests.gui.pages.plots import settle

pytestmark = pytest.mark.gui


@pytest.fixture
def session_controller(document: Document) -> FakeSessionController:
    return FakeSessionController(make_recording(document.scene, 1200))


@pytest.fixture
def library(tmp_path: Path) -> ChannelLibrary:
    return ChannelLibrary(QSettings(str(tmp_path / "derived.ini"), QSettings.Format.IniFormat))


@pytest.fixture
def panel(
    qtbot: QtBot,
    document: Document,
    session_controller: FakeSessionController,
    library: ChannelLibrary,
) -> PlotPanel:
    panel = PlotPanel(session_controller, document, library, [Content("time")])  # type: ignore[arg-type]
    qtbot.addWidget(panel, before_close_func=lambda widget: widget.close_down())
    panel.resize(900, 400)
    panel.show()
    qtbot.waitExposed(panel)
    panel.follow(0.0)
    settle(qtbot, panel)
    return panel


def drop(target: QWidget, data: QMimeData) -> None:
    """Drag over a widget and drop, with Qt's events."""
    position = QPointF(target.rect().center())
    copy = Qt.DropAction.CopyAction
    left = Qt.MouseButton.LeftButton
    none = Qt.KeyboardModifier.NoModifier
    enter = QDragEnterEvent(position.toPoint(), copy, data, left, none)
    QApplication.sendEvent(target, enter)
    assert enter.isAccepted()
    QApplication.sendEvent(target, QDropEvent(position, copy, data, left, none))


def names(plot: LivePlot) -> list[str]:
    return [trace.name for trace in plot.chart.data.traces]


# --- channels -------------------------------------------------------------------------------------


def test_catalogue_has_all_columns_in_groups(session_controller: FakeSessionController) -> None:
    assert session_controller.recording is not None
    result = catalogue(session_controller.recording.schema)
    assert result["link_6_x_m"].group == ("Links", "Link 6")
    assert result["joint_4_yaw_ref_rad"].unit == "rad"
    assert result["link_3_obstacle_force_n"].group == ("Links", "Link 3")
    assert "time_s" not in result
    assert families(tuple(result))["joint_*_yaw_torque_nm"][9] == "joint_10_yaw_torque_nm"


def test_dropped_channels_become_curves_of_the_recording(
    qtbot: QtBot, panel: PlotPanel, session_controller: FakeSessionController
) -> None:
    plot = panel.plots[0]
    drop(plot, drag_data(["link_6_x_m", "com_vx_mps"]))
    settle(qtbot, panel)
    assert names(plot) == ["link 6 x", "CoM vx"]
    assert [trace.axis for trace in plot.chart.data.traces] == [0, 1]
    assert session_controller.recording is not None
    truth = session_controller.recording.rows(0, 1200).link_pose[:, 5, 0]
    trace = plot.chart.data.traces[0]
    middle = np.interp(trace.time, session_controller.recording.times, truth)
    assert np.abs(0.5 * (trace.low + trace.high) - middle).max() < 0.01


def test_third_unit_is_refused_with_a_message(qtbot: QtBot, panel: PlotPanel) -> None:
    plot = panel.plots[0]
    assert plot.add_channels(("link_6_x_m", "com_vx_mps"))
    with qtbot.waitSignal(panel.refused) as refusal:
        drop(plot, drag_data(["joint_4_yaw_rad"]))
    assert "already shows m and m/s" in refusal.args[0]
    assert "joint 4 yaw" in refusal.args[0]
    assert len(plot.content.curves) == 2


def test_channels_dropped_next_to_plots_get_a_new_plot(qtbot: QtBot, panel: PlotPanel) -> None:
    panel.grid.zone.show()
    drop(panel.grid.zone, drag_data(["solver_residual"]))
    assert [plot.content.names for plot in panel.plots] == [(), ("solver_residual",)]
    settle(qtbot, panel)
    assert names(panel.plots[1]) == ["solver residual"]
    panel.grid.remove(panel.plots[0])
    assert len(panel.plots) == 1


def test_browser_finds_shows_values_and_adds(
    qtbot: QtBot,
    panel: PlotPanel,
    session_controller: FakeSessionController,
    library: ChannelLibrary,
) -> None:
    browser = ChannelBrowser(session_controller, library, lambda key, row: None)  # type: ignore[arg-type]
    show_widget(qtbot, browser, 320, 500)
    qtbot.keyClicks(browser.search, "l6 obstacle fy")
    item = browser.tree.topLevelItem(0)
    assert item is not None
    session_controller.set_cursor(500)
    # The mean of 20 (1 + sin(2 t - 5)) over the previous row.
    t = 5.0
    force = 20 * (1 - (math.cos(2 * t - 5) - math.cos(2 * (t - 0.01) - 5)) / 0.02)
    qtbot.waitUntil(lambda: item.text(1) == f"{force:.4g}")
    requests: list[tuple[str, ...]] = []
    browser.add_requested.connect(requests.append)
    position = browser.tree.visualItemRect(item).center()
    port = browser.tree.viewport()
    qtbot.mouseClick(port, Qt.MouseButton.LeftButton, pos=position)
    qtbot.mouseDClick(port, Qt.MouseButton.LeftButton, pos=position)
    assert requests == [("link_6_obstacle_fy_n",)]
    assert browser.tree.mimeData([item]).text() == "link_6_obstacle_fy_n"
    browser.search.clear()
    assert browser.tree.topLevelItem(0).text(0) == "Centre of mass"


def test_curves_are_removed_and_reordered_in_the_legend(qtbot: QtBot, panel: PlotPanel) -> None:
    plot = panel.plots[0]
    plot.add_channels(("link_1_x_m", "link_2_x_m", "link_3_x_m"))
    settle(qtbot, panel)
    menu = curve_menu(plot, 1)
    assert menu is not None
    next(action for action in menu.actions() if action.text() == "Move Up").trigger()
    assert plot.content.names == ("link_2_x_m", "link_1_x_m", "link_3_x_m")
    settle(qtbot, panel)
    menu = curve_menu(plot, 0)
    assert menu is not None
    next(action for action in menu.actions() if action.text() == "Remove").trigger()
    assert plot.content.names == ("link_1_x_m", "link_3_x_m")


def test_logarithmic_axis_reports_hidden_values(qtbot: QtBot, panel: PlotPanel) -> None:
    plot = panel.plots[0]
    plot.show_content(Content("time", curves=(Curve("solver_residual"),), log=True))
    settle(qtbot, panel)
    axis = plot.chart.data.axes[0]
    assert axis.decades
    assert (axis.low, axis.high) == (-11.0, -9.0)
    plot.show_content(Content("time", curves=(Curve("work_friction_j"),), log=True))
    settle(qtbot, panel)
    assert "positive" in plot.chart.data.note


# --- other kinds ----------------------------------------------------------------------------------


def test_tracks_are_drawn_to_scale_with_obstacles(
    qtbot: QtBot, panel: PlotPanel, session_controller: FakeSessionController
) -> None:
    plot = panel.plots[0]
    plot.show_content(Content.tracks((6,), centre=True))
    settle(qtbot, panel)
    picture = plot.chart.data
    assert names(plot) == ["link 6", "CoM"]
    assert session_controller.recording is not None
    pose = session_controller.recording.rows(0, 1200).link_pose
    assert picture.traces[0].time == pytest.approx(pose[:, 5, 0], abs=1e-5)
    assert picture.traces[0].low == pytest.approx(pose[:, 5, 1], abs=1e-5)
    assert len(picture.outlines) == len(session_controller.recording.scene.obstacles)
    area = plot.chart.area
    axis = picture.axes[0]
    assert (picture.stop - picture.start) / area.width() == pytest.approx(
        (axis.high - axis.low) / area.height()
    )
    # A click on the track sets the time at which the robot was there.
    goal = pose[700, 5]
    x = area.left() + (goal[0] - picture.start) / (picture.stop - picture.start) * area.width()
    y = area.bottom() - (goal[1] - axis.low) / (axis.high - axis.low) * area.height()
    qtbot.mouseClick(plot.chart.viewport(), Qt.MouseButton.LeftButton, pos=QPointF(x, y).toPoint())
    assert session_controller.cursor is not None
    near = pose[session_controller.cursor]
    assert (
        min(np.hypot(*(near[5, :2] - goal[:2])), np.hypot(*(near[:, :2].mean(axis=0) - goal[:2])))
        < 0.03
    )
    settle(qtbot, panel)
    dot = plot.chart.data.dots[0]
    assert (dot.x, dot.y) == pytest.approx(tuple(near[5, :2]), abs=1e-5)


def test_spectrum_finds_the_gait(
    qtbot: QtBot, panel: PlotPanel, document: Document, tmp_path: Path
) -> None:
    plot = panel.plots[0]
    plot.show_content(Content("spectrum", curves=(Curve("joint_4_yaw_rad"),), window="flattop"))
    panel.set_view(0.0, 12.0)
    settle(qtbot, panel)
    gait = document.scene.gait
    peak = plot.chart.data.dots[0]
    assert peak.x == pytest.approx(gait.omega / (2 * math.pi), abs=0.05)
    assert peak.y == pytest.approx(gait.amplitude, rel=0.02)
    panel.export(plot, tmp_path / "spectrum.csv")
    table = [
        line.split(",")
        for line in (tmp_path / "spectrum.csv").read_text().splitlines()
        if line[0] != "#"
    ]
    assert table[0] == ["frequency_hz", "joint_4_yaw_rad"]
    assert max(table[1:], key=lambda row: float(row[1]))[0] == repr(peak.x)


def test_strips_show_any_quantity_of_the_links(
    qtbot: QtBot, panel: PlotPanel, session_controller: FakeSessionController
) -> None:
    plot = panel.plots[0]
    plot.show_content(
        Content("heat", curves=tuple(Curve(f"link_{i + 1}_ground_fx_n") for i in range(11)))
    )
    settle(qtbot, panel)
    heat = plot.chart.data.heat
    assert heat is not None
    assert heat.values.shape[1] == 11
    assert np.nanmedian(heat.values) == pytest.approx(-1.3, rel=1e-3)


def test_runs_are_overlaid_in_every_kind(
    qtbot: QtBot,
    panel: PlotPanel,
    document: Document,
    session_controller: FakeSessionController,
    tmp_path: Path,
) -> None:
    other = make_recording(document.scene, 900)
    panel.overlay([OverlaidRun("Run B", "#ff00ff", other)])
    for content in (
        Content("time", curves=(Curve("link_6_x_m"),)),
        Content.tracks((6,)),
        Content("spectrum", curves=(Curve("joint_4_yaw_rad"),)),
    ):
        panel.plots[0].show_content(content)
        settle(qtbot, panel)
        qtbot.waitUntil(lambda: not panel.overlays[0].series_cache.missing)
        settle(qtbot, panel)
        # The rows of the other run are drawn at the panel's next update.
        chart = panel.plots[0].chart
        qtbot.waitUntil(
            lambda chart=chart: [t.colour for t in chart.data.traces].count("#ff00ff") == 1
        )  # type: ignore[misc]
    panel.plots[0].show_content(Content("time", curves=(Curve("link_6_x_m"),)))
    panel.set_view(8.0, 10.0)
    panel.export(panel.plots[0], tmp_path / "both.csv")
    qtbot.waitUntil(lambda: not panel.exporter.busy)
    text = (tmp_path / "both.csv").read_text(encoding="utf-8")
    table = list(csv.reader(line for line in text.splitlines() if not line.startswith("#")))
    assert table[0] == ["time_s", "link_6_x_m", "run_b.link_6_x_m"]
    assert float(table[1][2]) == pytest.approx(float(table[1][1]), rel=1e-12)
    assert table[-1][2] == ""  # it ended at 9 s
    panel.overlay([])


# --- spans ----------------------------------------------------------------------------------------


def test_shift_and_drag_selects_a_span_with_statistics(
    qtbot: QtBot, panel: PlotPanel, session_controller: FakeSessionController
) -> None:
    plot = panel.plots[0]
    plot.add_channels(("link_6_obstacle_fy_n",))
    settle(qtbot, panel)
    port = plot.chart.viewport()
    area = plot.chart.area
    shift = Qt.KeyboardModifier.ShiftModifier
    left = Qt.MouseButton.LeftButton

    def move_to(time: float, held: Qt.MouseButton) -> None:
        position = QPointF(plot.chart.x_of(time), area.center().y())
        move(port, position, held=held, modifiers=shift)

    move_to(2.0, Qt.MouseButton.NoButton)
    begin = QPointF(plot.chart.x_of(2.0), area.center().y()).toPoint()
    qtbot.mousePress(port, left, shift, begin)
    for time in (4.0, 6.0, 8.0):
        qtbot.wait(15)  # pyqtgraph handles a hundred moves a second
        move_to(time, left)
    qtbot.mouseRelease(
        port, left, shift, QPointF(plot.chart.x_of(8.0), area.center().y()).toPoint()
    )
    assert panel.span is not None
    assert panel.span == pytest.approx((2.0, 8.0), abs=0.05)
    assert panel.strip.isVisible()
    qtbot.waitUntil(lambda: panel.strip.settled and len(panel.strip.figures) == 1)
    assert session_controller.recording is not None
    rows = session_controller.recording.rows(0, 1200)
    force = np.diff(rows.impulse_obstacle[:, 5, 1], prepend=np.nan) / 0.01
    seen = force[(rows.time >= panel.span[0]) & (rows.time <= panel.span[1])]
    result = panel.strip.figures[0]
    assert result.mean == pytest.approx(seen.mean(), rel=1e-9)
    assert result.peak_to_peak == pytest.approx(np.ptp(seen), rel=1e-9)
    assert result.dominant_hz == pytest.approx(1 / math.pi, rel=0.1)
    panel.strip.copy()
    header, row = (line.split("\t") for line in QGuiApplication.clipboard().text().splitlines())
    assert dict(zip(header, row, strict=True))["mean"] == repr(result.mean)
    panel.bar.statistics_button.click()
    assert panel.span is None
    assert not panel.strip.isVisible()


# --- derived --------------------------------------------------------------------------------------


def test_derived_channels_grow_with_the_run(
    qtbot: QtBot,
    panel: PlotPanel,
    session_controller: FakeSessionController,
    library: ChannelLibrary,
) -> None:
    library.put(
        DerivedChannel("error_rad", "lowpass(joint_4_yaw_rad - joint_4_yaw_ref_rad, 5)", "rad")
    )
    plot = panel.plots[0]
    plot.add_channels(("error_rad",))
    settle(qtbot, panel)
    key = plot.lines[0].series
    session_controller.append(300)
    qtbot.waitUntil(lambda: panel.series_cache.known(key)[1] == 1500)
    assert session_controller.recording is not None
    rows = session_controller.recording.rows(0, 1500)
    error = rows.joint_angle[:, 3] - rows.joint_angle_ref[:, 3]
    result = panel.series_cache.samples(key, 0, 1500, 1)
    assert result is not None
    # A wave of 0.8 Hz or less passes: it must not change where the run continued.
    assert np.abs(result.values[100:-100, 0] - error[100:-100]).max() < 0.02 * np.abs(error).max()


def test_dialog_checks_completes_and_saves(
    qtbot: QtBot, session_controller: FakeSessionController, library: ChannelLibrary
) -> None:
    dialog = DerivedDialog(session_controller, library)  # type: ignore[arg-type]
    dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose, on=False)
    show_widget(qtbot, dialog)
    qtbot.keyClicks(dialog.name_field, "lift_m")
    qtbot.keyClicks(dialog.field, "link_66_x_m")
    qtbot.waitUntil(lambda: "link_66_x_m" in dialog.sentence.text())
    assert not dialog.keep_button.isEnabled()
    dialog.field.clear()
    qtbot.keyClicks(dialog.field, "link_6_y")
    qtbot.waitUntil(suggestions(dialog.field).isVisible)
    qtbot.keyClick(dialog.field, Qt.Key.Key_Return)
    assert dialog.field.text() == "link_6_y_m"
    dialog.field.wrap("{0} - at({0}, 0)")
    assert dialog.field.text() == "link_6_y_m - at(link_6_y_m, 0)"
    qtbot.waitUntil(dialog.keep_button.isEnabled)
    qtbot.waitUntil(lambda: bool(dialog.chart.data.traces))
    assert dialog.sentence.text() == "Unit: m."
    created: list[str] = []
    dialog.accepted_channel.connect(created.append)
    qtbot.mouseClick(dialog.keep_button, Qt.MouseButton.LeftButton)
    assert created == ["lift_m"]
    assert library["lift_m"] == DerivedChannel("lift_m", "link_6_y_m - at(link_6_y_m, 0)", "m")
    assert not dialog.isVisible()


def test_run_of_another_robot_can_be_overlaid(
    qtbot: QtBot,
    panel: PlotPanel,
    session_controller: FakeSessionController,
    document: Document,
    library: ChannelLibrary,
) -> None:
    """With runs of eleven and of ten links, each shows its own links, whichever one is the overlay."""
    eleven = session_controller.recording
    assert eleven is not None
    ten = make_recording(with_value(document.scene, "robot.n_links", 10), 600)
    library.put(DerivedChannel("last_m", "link_11_y_m - link_1_y_m", "m"))
    panel.show_contents(
        [
            Content("time", curves=(Curve("link_11_x_m"),)),
            Content("time", curves=(Curve("link_2_x_m"), Curve("last_m"))),
            Content.tracks((1, 11)),
        ]
    )
    panel.overlay([OverlaidRun("eleven", "#ff8800", eleven)])
    settle(qtbot, panel)
    session_controller.set_recording(ten)
    panel.follow(0.0)
    settle(qtbot, panel)
    assert [len(plot.lines) for plot in panel.plots] == [0, 2, 2]
    assert [[len(over) for _, over in plot.overlaid] for plot in panel.plots] == [[1], [2], [4]]
    assert len(panel.plots[0].chart.data.traces) == 1, "the run with eleven links"
    panel.overlay([OverlaidRun("ten", "#ff8800", ten)])
    session_controller.set_recording(eleven)
    panel.follow(0.0)
    settle(qtbot, panel)
    assert [len(plot.lines) for plot in panel.plots] == [1, 2, 4]
    assert [[len(over) for _, over in plot.overlaid] for plot in panel.plots] == [[0], [2], [2]]


# --- arrangements ---------------------------------------------------------------------------------


@pytest.mark.parametrize("name", [preset.name for preset in PRESETS])
def test_every_preset_shows_its_plots(qtbot: QtBot, panel: PlotPanel, name: str) -> None:
    show_preset(panel, name)
    # the plots are created in sequence, so that the window stays responsive
    assert len(panel.contents) >= 3
    settle(qtbot, panel)
    assert len(panel.plots) >= 3
    for plot in panel.plots:
        picture = plot.chart.data
        assert picture.traces or picture.heat is not None, plot.title
        assert "Not in this run" not in picture.note


def test_plots_are_saved_with_their_derived_channels(panel: PlotPanel, tmp_path: Path) -> None:
    settings = QSettings(str(tmp_path / "sets.ini"), QSettings.Format.IniFormat)
    panel.library.put(DerivedChannel("error_rad", "joint_4_yaw_rad - joint_4_yaw_ref_rad", "rad"))
    contents = [
        Content.tracks((1, 6)),
        Content("time", curves=(Curve("error_rad"),), log=True),
        Content.of_view("energy"),
    ]
    PlotSets(settings, panel.library).save("Mine", contents)
    elsewhere = ChannelLibrary()
    sets = PlotSets(settings, elsewhere)
    assert sets.names == ["Mine"]
    assert sets.load("Mine") == contents
    assert "error_rad" in elsewhere
    assert "built-in" in sets.refusal("solver")


def test_unknown_contents_are_ignored() -> None:
    content = Content("xy", curves=(Curve("a_m", "b_m"),), equal=True)
    written = json.loads(json.dumps(write_content(content)))
    assert read_content(written) == content
    assert read_content({**written, "equal": "yes"}) is None
    assert read_content({"kind": "view", "view": "gone"}) is None
    assert read_content({"kind": "time", "curves": [{"name": 3}]}) is None
    assert read_content([]) is None
