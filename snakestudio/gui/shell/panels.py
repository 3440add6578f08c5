"""List of the docks around the viewport, and the construction of each panel once the window is on screen."""

from __future__ import annotations

import re
from typing import Any

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QDockWidget, QScrollArea, QWidget

from snakestudio.errors import Problem
from snakestudio.gui.forms.sections import Section
from snakestudio.gui.plots.plot_docks import Panel
from snakestudio.gui.shell.context import Context
from snakestudio.gui.shell.docking import DockSpec
from snakestudio.model.edits.robot_tables import Table
from snakestudio.model.robot.overrides import selected

_Area = Qt.DockWidgetArea

_TREE_KEYS = (
    "delete",
    "duplicate",
    "select_all",
    "rename",
    "hide",
    "show_all",
    "select_group",
    "select_kind",
    "select_inverse",
)
"""Commands whose shortcuts also work in the scene tree."""

_TREE_MENU = (
    "duplicate",
    "array",
    "",
    "rename",
    "group",
    "ungroup",
    "lock",
    "hide",
    "show_all",
    "Edit/Align",
    "",
    "select_group",
    "select_kind",
    "select_inverse",
    "select_all",
    "",
    "delete",
)
"""Entries of the Edit menu in the tree's menu: commands, submenus, and "" for separators."""


def _scene_tree(c: Context) -> QWidget:
    from snakestudio.gui.scene.scene_tree import SceneTree

    table = c.action_registry
    entries = [
        table.menus[name] if "/" in name else table[name] if name else None for name in _TREE_MENU
    ]
    tree = SceneTree(c.document, c.selection, c.obstacles, menu_entries=entries)
    tree.view.addActions([table[name] for name in _TREE_KEYS])
    return tree


def _history(c: Context) -> QWidget:
    from snakestudio.gui.scene.history_panel import HistoryPanel

    return HistoryPanel(c.document)


def _runs(c: Context) -> QWidget:
    from snakestudio.gui.runs.run_panel import RunPanel

    panel = RunPanel(c.run_archiver.library, c.run_archiver, c.pinned_runs, c.banners.files)
    panel.open_requested.connect(c.open_runs.open)
    panel.scene_requested.connect(c.open_runs.open_scene)
    panel.deleting.connect(c.open_runs.close_file)
    c.closing.connect(panel.close_reading)
    return panel


def _inspector(c: Context) -> QWidget:
    from snakestudio.gui.scene.inspector import Inspector

    inspector = Inspector(c.document, c.selection, c.session_controller)
    inspector.parts_asked.connect(lambda table, row: _open_parts(c, table, row))
    c.viewport.tools.patch_tool.added.connect(lambda key: _open_value(c, key))
    return inspector


def _links_and_joints(c: Context) -> QWidget:
    from snakestudio.gui.scene.part_table import LinksAndJoints

    return LinksAndJoints(c.document)


def _checks(c: Context) -> QWidget:
    from snakestudio.gui.scene.checks import Checks

    checks = Checks(c.document, c.session_controller, c.selection)
    checks.problem_activated.connect(lambda problem: _open_problem(c, problem))
    return checks


def _parameters(c: Context) -> QWidget:
    from snakestudio.gui.scene.parameters import ParameterPanels

    panels = ParameterPanels(c.document, c.session_controller)
    panels.controller.draw_asked.connect(c.viewport.tools.path_tool.begin)
    panels.controller.clear_asked.connect(c.viewport.tools.path_tool.clear)
    return panels


def plot_panel(*arguments: Any) -> Panel:
    """Return a plot panel; the plotting modules are imported with the first one."""
    from snakestudio.gui.plots.panel import PlotPanel

    return PlotPanel(*arguments)


def _plots(c: Context) -> QWidget:
    return c.plot_docks.make_first().widget()


def _channels(c: Context) -> QWidget:
    return c.plot_docks.make_browser()


def _comparison(c: Context) -> QWidget:
    from snakestudio.gui.analysis.comparison.panel import ComparisonPanel

    panel = ComparisonPanel(c.comparer, c.document, c.exporter)
    panel.closed.connect(c.docks["comparison"].close)
    return panel


def _experiment(c: Context) -> QWidget:
    from snakestudio.gui.analysis.experiment.panel import ExperimentPanel

    panel = ExperimentPanel(c.experiments, c.document, c.exporter)
    panel.closed.connect(c.docks["experiment"].close)
    panel.import_asked.connect(c.experiment_files.ask)
    panel.example_asked.connect(c.experiment_files.example)
    return panel


def _plugin_log(c: Context) -> QWidget:
    from snakestudio.gui.plugins.log_panel import PluginLogPanel

    return PluginLogPanel(c.plugins, c.session_controller)


def _teleop(c: Context) -> QWidget:
    from snakestudio.gui.robot.teleop.panel import TeleopPanel

    return TeleopPanel(c.teleop_feature)


def _robot(c: Context) -> QWidget:
    from snakestudio.gui.robot.panel import RobotPanel

    return RobotPanel(
        c.robot_controller, c.robot_feature.ask_connect, c.robot_feature.record_frames
    )


def _robot_data(c: Context) -> QWidget:
    from snakestudio.gui.robot.data_panel import DataPanel

    return DataPanel(c.robot_controller, c.robot_feature.log)


def _study(c: Context) -> QWidget:
    from snakestudio.gui.study.panel import StudyPanel

    panel = StudyPanel(c.study.open_study, c.study.runner, c.document, c.study, c.settings)
    panel.closed.connect(c.docks["study"].close)
    return panel


def _open_parts(c: Context, table: Table, row: int, name: str = "") -> None:
    """Show a link or joint (0-based) in its table."""
    from snakestudio.gui.scene.part_table import LinksAndJoints

    c.show_dock("parts")
    panel = c.docks["parts"].widget()
    if isinstance(panel, LinksAndJoints):
        panel.select_part(table, row, name)


_PART_KEY = re.compile(r"robot\.(link|joint)\[(\d+)\](?:\.(\w+))?\Z")


def _open_problem(c: Context, problem: Problem) -> None:
    """Show the subject of a problem: point the camera at it, or move the keyboard focus to the field of the value.

    Selectable items are selected already.
    """
    from snakestudio.gui.scene.parameters import ParameterPanels

    if problem.obstacles or problem.links:
        c.viewport.frame_selection()
    if not problem.key:
        return
    if match := _PART_KEY.match(problem.key):
        table: Table = "link" if match[1] == "link" else "joint"
        _open_parts(c, table, _first_row(c, table, int(match[2]) - 1), match[3] or "")
        return
    panels = c.docks["parameters"].widget()
    rows = (
        {**panels.rows, **panels.ground_formulas.rows}
        if isinstance(panels, ParameterPanels)
        else {}
    )
    row = rows.get(problem.key)
    if row is not None and not row.isHidden():
        _show(c.docks["parameters"], row)
        return
    _open_value(c, problem.key)


def _open_value(c: Context, key: str) -> None:
    """Show the row of a scene key in the inspector."""
    from snakestudio.gui.scene.inspector import Inspector

    inspector = c.docks["inspector"].widget()
    form_row = inspector.reveal(key) if isinstance(inspector, Inspector) else None
    if form_row is not None:
        _show(c.docks["inspector"], form_row)


def _first_row(c: Context, table: Table, number: int) -> int:
    """Return the first link or joint (0-based) of a table (0-based)."""
    robot = c.document.scene.robot
    tables = robot.link if table == "link" else robot.joint
    rows = selected(tables[number].index, robot.n_links if table == "link" else robot.n_joints)
    return rows[0] if len(rows) else 0


def _show(dock: QDockWidget, row: QWidget) -> None:
    """Show a row, unfold its sections, and move the keyboard focus to its field."""
    dock.show()
    dock.raise_()
    above = row.parentWidget()
    while above is not None and above is not dock:
        if isinstance(above, Section) and above.is_folded:
            above.toggle()
        if isinstance(above, QScrollArea):
            above.ensureWidgetVisible(row, 0, 40)
        above = above.parentWidget()
    (getattr(row, "field", None) or row).setFocus(Qt.FocusReason.OtherFocusReason)


DOCKS: tuple[DockSpec[Context], ...] = (
    DockSpec("scene", "Scene", _Area.LeftDockWidgetArea, _scene_tree, 288),
    DockSpec("history", "History", _Area.LeftDockWidgetArea, _history, 288, gap=8, behind="scene"),
    DockSpec("runs", "Runs", _Area.LeftDockWidgetArea, _runs, 288, gap=8, behind="scene"),
    DockSpec("inspector", "Inspector", _Area.LeftDockWidgetArea, _inspector, 288, gap=8),
    DockSpec("checks", "Checks", _Area.LeftDockWidgetArea, _checks, 288),
    DockSpec("parameters", "Parameters", _Area.RightDockWidgetArea, _parameters, 356, gap=0),
    DockSpec("plots", "Plots", _Area.BottomDockWidgetArea, _plots, 340, gap=0),
    DockSpec(
        "parts",
        "Links and Joints",
        _Area.BottomDockWidgetArea,
        _links_and_joints,
        340,
        gap=0,
        behind="plots",
    ),
    DockSpec(
        "channels",
        "Channels",
        _Area.RightDockWidgetArea,
        _channels,
        356,
        gap=8,
        behind="parameters",
    ),
    DockSpec(
        "comparison",
        "Comparison",
        _Area.RightDockWidgetArea,
        _comparison,
        356,
        gap=8,
        behind="parameters",
    ),
    DockSpec(
        "experiment",
        "Experiment",
        _Area.RightDockWidgetArea,
        _experiment,
        356,
        gap=8,
        behind="parameters",
    ),
    DockSpec("study", "Study", _Area.RightDockWidgetArea, _study, 356, gap=8, behind="parameters"),
    DockSpec(
        "teleop",
        "Teleoperation",
        _Area.RightDockWidgetArea,
        _teleop,
        356,
        gap=8,
        behind="parameters",
    ),
    DockSpec("robot", "Robot", _Area.RightDockWidgetArea, _robot, 356, gap=8, behind="parameters"),
    DockSpec(
        "robot_data",
        "Robot Data",
        _Area.BottomDockWidgetArea,
        _robot_data,
        340,
        gap=8,
        behind="plots",
    ),
    DockSpec(
        "plugin_log",
        "Plug-in Log",
        _Area.BottomDockWidgetArea,
        _plugin_log,
        340,
        gap=8,
        behind="plots",
    ),
)
"""All docks in the order in which they are filled: those that are fast to make and needed first come
first."""
