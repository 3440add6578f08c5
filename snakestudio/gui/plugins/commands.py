"""Commands of plug-ins."""

from __future__ import annotations

from typing import Protocol

from snakestudio.gui.core.command import Command, Context
from snakestudio.gui.plugins.plugin_controller import PluginController

_MENU = "Simulation/Plug-ins"


class PluginContext(Context, Protocol):
    """Context of these commands."""

    plugins: PluginController

    def show_plugin_log(self) -> None:
        """Show the plug-in log."""


def _show_manager(c: PluginContext) -> None:
    from snakestudio.gui.plugins.manager import PluginManager

    manager = c.window.findChild(PluginManager) or PluginManager(c.plugins, c.document, c.window)
    manager.refresh()
    manager.show()
    manager.raise_()
    manager.activateWindow()


PLUGINS: tuple[Command[PluginContext], ...] = (
    Command(
        "plugins",
        _MENU,
        "Plug-in Manager...",
        _show_manager,
        long=True,
        tip="Load, trust, reload and write plug-ins with your own gaits, controllers and more",
    ),
    Command(
        "plugin_log",
        _MENU,
        "Plug-in Log",
        lambda c: c.show_plugin_log(),
        tip="Show tracebacks and printed output of plug-ins",
    ),
)
"""Commands of plug-ins."""
