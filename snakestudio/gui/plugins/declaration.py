"""Declaration of plug-ins."""

from __future__ import annotations

from typing import Protocol

from PySide6.QtWidgets import QStatusBar, QWidget

from snakestudio.gui.core.feature import Area, DockSpec, Feature, Parts
from snakestudio.gui.core.robot_controller import RobotController
from snakestudio.gui.forms.banner import Banners
from snakestudio.gui.plugins.commands import PLUGINS, PluginContext
from snakestudio.gui.plugins.plugin_controller import PluginController
from snakestudio.gui.plugins.stuck_notice import StuckNotice


class _Context(PluginContext, Protocol):
    banners: Banners

    @property
    def robot_controller(self) -> RobotController: ...

    @property
    def status_bar(self) -> QStatusBar: ...


def _make(c: _Context) -> Parts:
    plugins = PluginController(
        c.document,
        c.session_controller,
        c.banners.plugins,
        c.settings,
        c.window,
        lambda: c.robot_controller.movable,
        c.show_plugin_log,
    )
    c.status_bar.insertPermanentWidget(1, StuckNotice(plugins, c.status_bar))
    yield "plugins", plugins


def _log(c: _Context) -> QWidget:
    from snakestudio.gui.plugins.log_panel import PluginLogPanel

    return PluginLogPanel(c.plugins, c.session_controller)


FEATURE: Feature[_Context] = Feature(
    docks=(
        DockSpec("plugin_log", "Plug-in Log", Area.BottomDockWidgetArea, _log, 340, 8, "plots"),
    ),
    commands={"plugins": PLUGINS},
    make=_make,
    close=lambda c: c.plugins.close(),
)
