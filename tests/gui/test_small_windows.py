"""The program can be used in a small window: nothing forces it to grow, and all content is reachable."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import QMargins, QRect
from PySide6.QtWidgets import QApplication, QScrollArea, QTabBar, QWidget
from pytestqt.qtbot import QtBot

from snakestudio.gui.app import features
from snakestudio.gui.core.document import Document
from snakestudio.gui.core.feature import docks_of
from snakestudio.gui.core.selection import Selection
from snakestudio.gui.forms.number_field import NumberField
from snakestudio.gui.forms.value_row import ValueRow
from snakestudio.gui.plots.channel_browser import ChannelBrowser
from snakestudio.gui.plots.channel_library import ChannelLibrary
from snakestudio.gui.plots.derived_dialog import DerivedDialog
from snakestudio.gui.plots.panel import PlotPanel
from snakestudio.gui.robot.stop_button import StopButton
from snakestudio.gui.runs.video.dialog import VideoDialog
from snakestudio.gui.scene.inspector import Inspector
from snakestudio.gui.scene.parameters import ParameterPanels
from snakestudio.gui.scene.scene_model import ITEMS
from snakestudio.gui.shell.main_window import MainWindow, placed_within
from snakestudio.paths import bundled_scenes, scenes_dir
from snakestudio.viewmodel.plots.scale import readable
from snakestudio.viewmodel.scene.items import Item, exists
from tests.gui.conftest import fill_docks
from tests.gui.fake import FakeSessionController, make_recording
from tests.gui.pages.robot import connect_link

pytestmark = pytest.mark.gui

_SIZE = 900, 600
_PADDING = 8
"""Margin of the text in a field, px."""


def place(part: QWidget, window: QWidget) -> QRect:
    return QRect(part.mapTo(window, part.rect().topLeft()), part.size())


@pytest.fixture
def small(window: MainWindow, qtbot: QtBot) -> MainWindow:
    """A window of 900 by 600 pixels with all its panels."""
    fill_docks(window)
    window.resize(*_SIZE)
    qtbot.waitUntil(lambda: (window.width(), window.height()) == _SIZE)
    return window


def test_window_does_not_grow(small: MainWindow, qtbot: QtBot) -> None:
    qtbot.waitUntil(lambda: small.context.viewport.settled)
    hint = small.minimumSizeHint()
    assert hint.width() <= _SIZE[0]
    assert hint.height() <= _SIZE[1]
    assert (small.width(), small.height()) == _SIZE
    for part in (
        small.context.run_bar.play,
        small.context.run_bar.source,
        small.context.time_bar,
        small.context.viewport,
        small.statusBar(),
    ):
        assert small.rect().contains(place(part, small)), part
    assert place(small.context.viewport, small).height() >= 180
    qtbot.waitUntil(lambda: small.context.time_bar.track.width() >= 110)
    assert small.context.viewport.rect().contains(small.context.viewport.hint.geometry())


def test_many_plots_can_be_scrolled(small: MainWindow, qtbot: QtBot) -> None:
    panel = small.findChild(PlotPanel)
    assert isinstance(panel, PlotPanel)
    qtbot.waitUntil(lambda: len(panel.plots) >= 4 and not panel.grid.coming)
    area = panel.findChild(QScrollArea)
    assert isinstance(area, QScrollArea)
    qtbot.waitUntil(lambda: area.verticalScrollBar().maximum() > 0)
    assert small.rect().contains(place(panel, small))
    area.ensureWidgetVisible(panel.plots[-1])
    qtbot.waitUntil(lambda: not panel.plots[-1].chart.viewport().visibleRegion().isEmpty())
    for tool in (panel.follow_button, panel.pause_button, panel.window_box, panel.bar.add_button):
        assert place(panel.bar, small).contains(place(tool, small)), tool


def test_numbers_are_not_clipped(small: MainWindow, qtbot: QtBot) -> None:
    small.context.document.set_value("obstacles[3].x_m", -0.12345, "x")
    small.context.selection.set([("obstacle", 2)])
    inspector = small.findChild(Inspector)
    assert isinstance(inspector, Inspector)
    qtbot.waitUntil(lambda: inspector.reveal("obstacles[3].x_m") is not None)
    row = inspector.reveal("obstacles[3].x_m")
    assert isinstance(row, ValueRow)
    field = row.findChild(NumberField)
    assert isinstance(field, NumberField)
    qtbot.waitUntil(lambda: field.text() == "−0.12345")
    qtbot.waitUntil(
        lambda: field.width() >= field.fontMetrics().horizontalAdvance(field.text()) + 2 * _PADDING
    )


def test_panels_fit_into_their_docks(small: MainWindow, qtbot: QtBot) -> None:
    # whose panel has a choice with long words
    assert small.context.files.open(scenes_dir() / "lagrangian_undulation.toml")
    panels = small.findChild(ParameterPanels)
    assert isinstance(panels, ParameterPanels)
    area = panels.findChild(QScrollArea)
    assert isinstance(area, QScrollArea)
    content = area.widget()
    qtbot.waitUntil(lambda: bool(panels.findChildren(ValueRow)))
    assert content.minimumSizeHint().width() <= area.viewport().width()


@pytest.mark.parametrize("size", [(900, 600), (1280, 800), (1600, 1000)])
def test_docks_keep_their_widths(window: MainWindow, qtbot: QtBot, size: tuple[int, int]) -> None:
    fill_docks(window)
    window.resize(*size)
    qtbot.waitUntil(lambda: (window.width(), window.height()) == size)
    qtbot.waitUntil(lambda: window.context.viewport.settled)
    docks = window.context.docks
    sides = [docks[name] for name in ("scene", "inspector", "checks", "parameters")]
    widths = [dock.width() for dock in sides]
    # a number with many digits, a long word, a joint with limits, a label and a box with long texts
    for scene, key, value in (
        ("compliant_passage", "robot.mass_kg", 0.123456789012345),
        ("obstacle_aided", "obstacles[1].name", "obstacle_" * 8),
        ("obstacle_aided_3d", "title", "lateral_undulation_" * 6),
        ("continuum_friction", "ground.mu_along", 1 / 3),
        ("jam_resolution", "start.x_m", -1 / 7),
    ):
        window.context.document.open(scenes_dir() / f"{scene}.toml")
        window.context.document.set_value(key, value, "x")
        for item in (("robot", 0), ("ground", 0), ("start", 0), ("obstacle", 0), ("run", 0)):
            if exists(item, window.context.document.scene):  # type: ignore[arg-type]
                window.context.selection.set([item])  # type: ignore[list-item]
            QApplication.processEvents()
            assert [dock.width() for dock in sides] == widths, (scene, item)


@pytest.mark.parametrize("path", bundled_scenes().values(), ids=bundled_scenes())
def test_panels_of_every_scene_fit_into_their_docks(
    qtbot: QtBot, session_controller: FakeSessionController, path: Path
) -> None:
    document = Document()
    document.open(path)
    selection = Selection(document)
    inspector = Inspector(document, selection, session_controller)  # type: ignore[arg-type]
    panels = ParameterPanels(document, session_controller)  # type: ignore[arg-type]
    for panel in (inspector, panels):
        qtbot.addWidget(panel)
    initial = {spec.name: spec.size for spec in docks_of(features())}
    assert panels.minimumSizeHint().width() <= initial["parameters"]
    items: list[Item] = [(known[0], 0) for known in ITEMS.values()]
    for item in (*items, ("obstacle", 0), ("link", 0), ("patch", 0)):
        if exists(item, document.scene):  # type: ignore[arg-type]
            selection.set([item])  # type: ignore[list-item]
            assert inspector.minimumSizeHint().width() <= initial["inspector"], item


def test_values_of_channels_are_not_clipped(small: MainWindow, qtbot: QtBot) -> None:
    small.context.show_dock("channels")
    browser = small.findChild(ChannelBrowser)
    assert isinstance(browser, ChannelBrowser)
    qtbot.waitUntil(lambda: browser.tree.topLevelItemCount() > 0)
    group = browser.tree.topLevelItem(0)
    assert group is not None
    group.setExpanded(True)
    leaf = group.child(0)
    assert leaf is not None
    for value in (-0.0012345, -0.00012345, -12345.0):
        leaf.setText(1, readable(value, ""))
        assert browser.tree.columnWidth(1) >= browser.tree.sizeHintForColumn(1), leaf.text(1)


def test_dialogs_fit_on_a_small_screen(small: MainWindow, qtbot: QtBot, tmp_path: Path) -> None:
    derived = DerivedDialog(small.context.session_controller, ChannelLibrary(None), parent=small)
    derived.show()
    qtbot.waitExposed(derived)
    derived.resize(_SIZE[0] - 100, 100)
    qtbot.waitUntil(lambda: derived.help.geometry().top() > derived.chart.geometry().bottom())
    assert derived.help.height() >= derived.help.heightForWidth(derived.help.width())
    assert derived.chart.height() >= derived.chart.minimumHeight()
    derived.close()
    recording = make_recording(small.context.document.scene, 3)
    video = VideoDialog(
        tmp_path / "run.mp4", recording, small.context.viewport, small.context.settings, small
    )
    assert video.minimumSizeHint().width() <= _SIZE[0]
    assert video.minimumSizeHint().height() <= _SIZE[1]
    video.reject()  # closing a hidden dialog does nothing, and its preview would start after the test


def test_overlays_of_the_view_do_not_overlap(small: MainWindow) -> None:
    viewport = small.context.viewport
    forces = viewport.legends.forces
    views = viewport.buttons
    edits = viewport.tools.editor.buttons
    for one, other in ((forces, views), (forces, edits), (views, edits)):
        assert not one.geometry().intersects(other.geometry())


def test_stop_and_state_are_not_clipped(small: MainWindow, qtbot: QtBot) -> None:
    connect_link(small)
    small.context.show_dock("robot_data")
    small.context.show_dock("robot")
    try:
        stop = small.context.run_bar.findChild(StopButton)
        assert isinstance(stop, StopButton)
        qtbot.waitUntil(stop.isVisible)
        qtbot.waitUntil(lambda: small.rect().contains(place(stop, small)))
        assert (small.width(), small.height()) == _SIZE
        legends = small.context.viewport.legends
        qtbot.waitUntil(lambda: bool(legends.ghosts.entries and legends.robot.entries))
        assert legends.robot.isVisible()
        hint = small.context.viewport.hint.geometry()
        for legend in (legends.controller, legends.ghosts):
            assert not (legend.isVisible() and legend.geometry().intersects(hint))
        visible = [
            part
            for part in stop.parentWidget().children()
            if isinstance(part, QWidget) and part.isVisible()
        ]
        visible += [small.context.run_bar.play, small.context.run_bar.source]
        assert not any(
            place(one, small).intersects(place(other, small))
            for one in visible
            for other in visible
            if one is not other
        )
    finally:
        small.context.robot_controller.disconnect_robot()
    qtbot.waitUntil(small.context.run_bar.speed.isVisible)


def test_first_window_leaves_space_for_its_frame() -> None:
    frame = QMargins(4, 30, 4, 4)
    screen = QRect(60, 20, 1280, 700)
    assert placed_within(QRect(0, 0, 1600, 1000), screen, frame) == QRect(64, 50, 1272, 666)
    fits = QRect(100, 80, 900, 600)
    assert placed_within(fits, screen, frame) == fits
    assert placed_within(QRect(900, 80, 900, 600), screen, frame) == QRect(436, 80, 900, 600)


def test_titles_of_side_panels_are_readable(small: MainWindow, qtbot: QtBot) -> None:
    names = ("channels", "comparison", "experiment", "teleop", "robot")
    for name in names:
        small.context.show_dock(name)
    titles = {small.context.docks[name].windowTitle() for name in names}
    bars = [bar for bar in small.findChildren(QTabBar) if bar.parent() is small]
    bar = next(bar for bar in bars if titles <= {bar.tabText(k) for k in range(bar.count())})
    qtbot.waitUntil(lambda: small.rect().contains(place(bar, small)))
    for k in range(bar.count()):
        area = bar.tabRect(k)
        assert bar.rect().contains(area)
        assert (
            max(area.width(), area.height())
            >= bar.fontMetrics().horizontalAdvance(bar.tabText(k)) + 6
        ), bar.tabText(k)
    assert (small.width(), small.height()) == _SIZE
