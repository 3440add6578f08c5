"""The docks around the viewport: one list says what stands where, and each is filled after the window is on screen."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QDockWidget, QMainWindow, QTabWidget, QWidget

from snakestudio.gui.core.theme import scaled
from snakestudio.gui.forms.dock_title import DockTitle

if TYPE_CHECKING:
    from snakestudio.gui.shell.main_window import MainWindow

__all__ = ["DOCKS", "DockSpec", "make_docks", "size_docks"]

_Area = Qt.DockWidgetArea

_TREE_KEYS = (
    "delete", "duplicate", "select_all", "rename", "hide", "show_all", "select_group", "select_kind", "select_inverse",
)  # fmt: skip
"""Commands whose keys work in the scene tree, too."""

_TREE_MENU = (
    "duplicate", "array", "", "rename", "group", "ungroup", "lock", "hide", "show_all", "Edit/Align", "",
    "select_group", "select_kind", "select_inverse", "select_all", "", "delete",
)  # fmt: skip
"""What the tree's menu has of the Edit menu: commands, submenus, and "" for lines."""

_BOTTOM_SHARE = 0.34
"""Share of the window's height that a dock at the bottom gets at most: the viewport matters more."""


def _scene_tree(w: MainWindow) -> QWidget:
    from snakestudio.gui.scene.scene_tree import SceneTree

    tree = SceneTree(w.document, w.selection, w.obstacles)
    table = w.actions_table
    tree.addActions([table[name] for name in _TREE_KEYS])
    tree.menu_entries = [table.menus[name] if "/" in name else table[name] if name else None for name in _TREE_MENU]
    return tree


def _history(w: MainWindow) -> QWidget:
    from snakestudio.gui.scene.history_panel import HistoryPanel

    return HistoryPanel(w.document)


def _runs(w: MainWindow) -> QWidget:
    from snakestudio.gui.runs.run_panel import RunPanel

    panel = RunPanel(w.keeper.library, w.keeper, w.beside, w.banners.files)
    panel.open_asked.connect(w.open_runs.open)
    panel.scene_asked.connect(w.open_runs.open_scene)
    panel.deleting.connect(w.open_runs.forget)
    w.closing.connect(panel.close_reading)
    return panel


def _inspector(w: MainWindow) -> QWidget:
    from snakestudio.gui.scene.inspector import Inspector

    return Inspector(w.document, w.selection, w.bridge)


def _checks(w: MainWindow) -> QWidget:
    from snakestudio.gui.scene.checks import Checks
    from snakestudio.gui.shell.open_problem import open_problem

    checks = Checks(w.document, w.bridge, w.selection)
    checks.asked.connect(lambda problem: open_problem(w, problem))
    return checks


def _parameters(w: MainWindow) -> QWidget:
    from snakestudio.gui.scene.parameters import ParameterPanels

    panels = ParameterPanels(w.document, w.bridge)
    panels.controller.draw_asked.connect(w.viewport.path_tool.begin)
    panels.controller.clear_asked.connect(w.viewport.path_tool.clear)
    return panels


def _plots(w: MainWindow) -> QWidget:
    return w.plot_docks.make_first()


def _channels(w: MainWindow) -> QWidget:
    return w.plot_docks.make_browser()


def _comparison(w: MainWindow) -> QWidget:
    from snakestudio.gui.analysis.comparison.panel import ComparisonPanel

    panel = ComparisonPanel(w.comparer, w.document, lambda: w.exporter.busy)
    panel.csv_asked.connect(w.exporter.ask_comparison)
    w.exporter.changed.connect(panel.refresh)
    panel.closed.connect(w.docks["comparison"].close)
    return panel


def _experiment(w: MainWindow) -> QWidget:
    from snakestudio.gui.analysis.experiment.panel import ExperimentPanel

    panel = ExperimentPanel(w.experiments, w.document)
    panel.closed.connect(w.docks["experiment"].close)
    panel.import_asked.connect(w.experiment_files.ask)
    panel.example_asked.connect(w.experiment_files.example)
    panel.report_asked.connect(w.exporter.ask_report)
    return panel


def _teleop(w: MainWindow) -> QWidget:
    from snakestudio.gui.robot.teleop.panel import TeleopPanel

    return TeleopPanel(w.teleoperation)


def _robot(w: MainWindow) -> QWidget:
    from snakestudio.gui.robot.panel import RobotPanel

    return RobotPanel(w.robot, w.robot_in_window)


def _robot_data(w: MainWindow) -> QWidget:
    from snakestudio.gui.robot.data_panel import DataPanel

    return DataPanel(w.robot, w.robot_in_window.log)


@dataclass(frozen=True)
class DockSpec:
    """One dock.

    Attributes
    ----------
    name : str
        Its name in stored layouts.
    title : str
    area : Qt.DockWidgetArea
    make : callable
        Makes its content; imports what that needs.
    size : int
        Width (at a side) or height (at the bottom) at first, px.
    gap : int or None
        Room above a content that has a heading of its own, px; None for content that needs the dock's title.
    behind : str
        Name of the dock whose place it shares, as a tab; it is there only when it is asked for.
    """

    name: str
    title: str
    area: _Area
    make: Callable[[MainWindow], QWidget]
    size: int
    gap: int | None = None
    behind: str = ""


DOCKS = (
    DockSpec("scene", "Scene", _Area.LeftDockWidgetArea, _scene_tree, 288),
    DockSpec("history", "History", _Area.LeftDockWidgetArea, _history, 288, gap=8, behind="scene"),
    DockSpec("runs", "Runs", _Area.LeftDockWidgetArea, _runs, 288, gap=8, behind="scene"),
    DockSpec("inspector", "Inspector", _Area.LeftDockWidgetArea, _inspector, 288, gap=8),
    DockSpec("checks", "Checks", _Area.LeftDockWidgetArea, _checks, 288),
    DockSpec("parameters", "Parameters", _Area.RightDockWidgetArea, _parameters, 356, gap=0),
    DockSpec("plots", "Plots", _Area.BottomDockWidgetArea, _plots, 340, gap=0),
    DockSpec("channels", "Channels", _Area.RightDockWidgetArea, _channels, 356, gap=8, behind="parameters"),
    DockSpec("comparison", "Comparison", _Area.RightDockWidgetArea, _comparison, 356, gap=8, behind="parameters"),
    DockSpec("experiment", "Experiment", _Area.RightDockWidgetArea, _experiment, 356, gap=8, behind="parameters"),
    DockSpec("teleop", "Teleoperation", _Area.RightDockWidgetArea, _teleop, 356, gap=8, behind="parameters"),
    DockSpec("robot", "Robot", _Area.RightDockWidgetArea, _robot, 356, gap=8, behind="parameters"),
    DockSpec("robot_data", "Robot Data", _Area.BottomDockWidgetArea, _robot_data, 340, gap=8, behind="plots"),
)
"""All docks, from the first to be filled to the last: what is quick to make and needed first comes first."""


def make_docks(window: MainWindow) -> dict[str, QDockWidget]:
    """The docks of a window, still empty."""
    window.setCorner(Qt.Corner.BottomLeftCorner, _Area.LeftDockWidgetArea)
    window.setCorner(Qt.Corner.BottomRightCorner, _Area.RightDockWidgetArea)
    window.setDockNestingEnabled(True)
    window.setTabPosition(_Area.AllDockWidgetAreas, QTabWidget.TabPosition.North)
    # Beside each other the titles of so many would be a letter or two.
    window.setTabPosition(_Area.RightDockWidgetArea, QTabWidget.TabPosition.East)
    docks: dict[str, QDockWidget] = {}
    for spec in DOCKS:
        dock = QDockWidget(spec.title, window)
        dock.setObjectName(f"dock_{spec.name}")
        dock.setWidget(QWidget(dock))
        dock.setTitleBarWidget(DockTitle(dock, spec.gap))
        dock.setHidden(bool(spec.behind))  # before it joins the others, or a tab bar stays in the window's corner
        window.addDockWidget(spec.area, dock)
        if spec.behind:
            window.tabifyDockWidget(docks[spec.behind], dock)
        docks[spec.name] = dock
    return docks


def size_docks(window: QMainWindow, docks: dict[str, QDockWidget], bottom_share: float = _BOTTOM_SHARE) -> None:
    """Give the docks the sizes they have at first; the window must have its own already.

    Parameters
    ----------
    window : QMainWindow
    docks : dict of str to QDockWidget
    bottom_share : float
        Share of the window's height that a dock at the bottom gets: at most, or as much if that is more than its size.
    """
    for orientation, areas in (
        (Qt.Orientation.Horizontal, (_Area.LeftDockWidgetArea, _Area.RightDockWidgetArea)),
        (Qt.Orientation.Vertical, (_Area.BottomDockWidgetArea,)),
    ):
        chosen = [spec for spec in DOCKS if spec.area in areas and not spec.behind]
        sizes = [scaled(spec.size) for spec in chosen]
        if orientation is Qt.Orientation.Vertical:
            share = round(bottom_share * window.height())
            sizes = [share if bottom_share > _BOTTOM_SHARE else min(size, share) for size in sizes]
        window.resizeDocks([docks[spec.name] for spec in chosen], sizes, orientation)
    left = [docks[name] for name in ("scene", "inspector", "checks")]
    window.resizeDocks(left, [400, 330, 140], Qt.Orientation.Vertical)
