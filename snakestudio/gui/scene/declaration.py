"""Declaration of the scene: tree, inspector, parameters, checks, and commands on obstacles."""

from __future__ import annotations

import re
from typing import Protocol

from PySide6.QtCore import QPointF, QRect, Qt, SignalInstance
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QDockWidget, QMenu, QScrollArea, QWidget

from snakestudio.drawing.camera import Camera
from snakestudio.errors import Problem
from snakestudio.gui.core.feature import Area, DockSpec, Feature, Parts
from snakestudio.gui.forms.banner import Banners
from snakestudio.gui.forms.sections import Section
from snakestudio.gui.scene.commands import (
    ARRANGE,
    CONTINUUM,
    DUPLICATE,
    HISTORY,
    SELECT,
    SceneContext,
    adding,
)
from snakestudio.gui.scene.obstacle_commands import ObstacleCommands
from snakestudio.model.edits.robot_tables import Table
from snakestudio.model.robot.overrides import selected

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


class _Actions(Protocol):
    menus: dict[str, QMenu]

    def __getitem__(self, name: str) -> QAction: ...


class _PathTool(Protocol):
    def begin(self) -> object: ...

    def clear(self) -> object: ...


class _PatchTool(Protocol):
    @property
    def added(self) -> SignalInstance: ...


class _Tools(Protocol):
    @property
    def path_tool(self) -> _PathTool: ...

    @property
    def patch_tool(self) -> _PatchTool: ...


class _Navigator(Protocol):
    @property
    def camera(self) -> Camera: ...


class _Drop(Protocol):
    @property
    def dropped(self) -> SignalInstance: ...


class _View(Protocol):
    @property
    def tools(self) -> _Tools: ...

    @property
    def drop(self) -> _Drop: ...

    @property
    def navigator(self) -> _Navigator: ...

    def frame_selection(self) -> object: ...

    def rect(self) -> QRect: ...

    def pixel(self, point: tuple[float, float, float]) -> QPointF: ...


class _Docks(Protocol):
    def __getitem__(self, name: str) -> QDockWidget: ...


class _Context(SceneContext, Protocol):
    banners: Banners

    @property
    def docks(self) -> _Docks: ...

    @property
    def action_registry(self) -> _Actions: ...

    @property
    def viewport(self) -> _View: ...


def _make(c: _Context) -> Parts:
    viewport = c.viewport
    obstacles = ObstacleCommands(
        c.document,
        c.selection,
        lambda: c.session_controller.displayed,
        lambda: viewport.navigator.camera.target[:2],
        lambda sentence: c.banners.edits.show_notice("info", sentence, passing=True),
        lambda x, y: viewport.rect().contains(viewport.pixel((x, y, 0.0)).toPoint()),
    )
    viewport.drop.dropped.connect(lambda name, x, y: obstacles.add(name, (x, y)))
    yield "obstacles", obstacles


def _scene_tree(c: _Context) -> QWidget:
    from snakestudio.gui.scene.scene_tree import SceneTree

    table = c.action_registry
    entries = [
        table.menus[name] if "/" in name else table[name] if name else None for name in _TREE_MENU
    ]
    tree = SceneTree(c.document, c.selection, c.obstacles, menu_entries=entries)
    tree.view.addActions([table[name] for name in _TREE_KEYS])
    return tree


def _history(c: _Context) -> QWidget:
    from snakestudio.gui.scene.history_panel import HistoryPanel

    return HistoryPanel(c.document)


def _inspector(c: _Context) -> QWidget:
    from snakestudio.gui.scene.inspector import Inspector

    inspector = Inspector(c.document, c.selection, c.session_controller)
    inspector.parts_requested.connect(lambda table, row: _open_parts(c, table, row))
    c.viewport.tools.patch_tool.added.connect(lambda key: _open_value(c, key))
    return inspector


def _links_and_joints(c: _Context) -> QWidget:
    from snakestudio.gui.scene.part_table import LinksAndJoints

    return LinksAndJoints(c.document)


def _checks(c: _Context) -> QWidget:
    from snakestudio.gui.scene.checks import Checks

    checks = Checks(c.document, c.session_controller, c.selection)
    checks.problem_activated.connect(lambda problem: _open_problem(c, problem))
    return checks


def _parameters(c: _Context) -> QWidget:
    from snakestudio.gui.scene.parameters import ParameterPanels

    panels = ParameterPanels(c.document, c.session_controller)
    panels.controller.draw_requested.connect(c.viewport.tools.path_tool.begin)
    panels.controller.clear_requested.connect(c.viewport.tools.path_tool.clear)
    return panels


def _open_parts(c: _Context, table: Table, row: int, name: str = "") -> None:
    """Show a link or joint (0-based) in its table."""
    from snakestudio.gui.scene.part_table import LinksAndJoints

    c.show_dock("parts")
    panel = c.docks["parts"].widget()
    if isinstance(panel, LinksAndJoints):
        panel.select_part(table, row, name)


_PART_KEY = re.compile(r"robot\.(link|joint)\[(\d+)\](?:\.(\w+))?\Z")


def _open_problem(c: _Context, problem: Problem) -> None:
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


def _open_value(c: _Context, key: str) -> None:
    """Show the row of a scene key in the inspector."""
    from snakestudio.gui.scene.inspector import Inspector

    inspector = c.docks["inspector"].widget()
    form_row = inspector.reveal(key) if isinstance(inspector, Inspector) else None
    if form_row is not None:
        _show(c.docks["inspector"], form_row)


def _first_row(c: _Context, table: Table, number: int) -> int:
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


FEATURE: Feature[_Context] = Feature(
    docks=(
        DockSpec("scene", "Scene", Area.LeftDockWidgetArea, _scene_tree, 288),
        DockSpec("history", "History", Area.LeftDockWidgetArea, _history, 288, 8, "scene"),
        DockSpec("inspector", "Inspector", Area.LeftDockWidgetArea, _inspector, 288, 8),
        DockSpec("checks", "Checks", Area.LeftDockWidgetArea, _checks, 288),
        DockSpec("parameters", "Parameters", Area.RightDockWidgetArea, _parameters, 356, 0),
        DockSpec(
            "parts",
            "Links and Joints",
            Area.BottomDockWidgetArea,
            _links_and_joints,
            340,
            0,
            "plots",
        ),
    ),
    commands={
        "history": HISTORY,
        "add": adding,
        "duplicate": DUPLICATE,
        "arrange": ARRANGE,
        "select": SELECT,
        "continuum": CONTINUUM,
    },
    make=_make,
)
