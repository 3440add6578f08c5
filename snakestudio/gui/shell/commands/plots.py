"""What the View menu has of plots."""

from __future__ import annotations

from snakestudio.gui.plots.content import Content
from snakestudio.gui.plots.sets import PRESETS, Preset
from snakestudio.gui.shell.commands.command import Command, line

__all__ = ["PLOTS"]

_MENU = "View/Plots"


def _preset(preset: Preset) -> Command:
    name = preset.name.lower().replace(" ", "_")
    return Command(
        f"plots_{name}", _MENU, preset.name, lambda w: w.plot_docks.show_preset(preset.name), icon="statistics",
        tip=preset.tip,
    )  # fmt: skip


PLOTS: tuple[Command, ...] = (
    Command(
        "new_plot_panel", _MENU, "New Plot Panel", lambda w: w.plot_docks.new_panel([Content("time")]),
        icon="plot-add", tip="A dock of its own with plots; it can be moved, floated and closed",
    ),
    Command(
        "derived_channel", _MENU, "Derived Channel ...", lambda w: w.plot_docks.derive(), icon="derived", long=True,
        tip="Make a channel from others: expressions, filters, derivatives, differences between runs",
    ),
    Command(
        "channels", _MENU, "Channels", lambda w: w.show_dock("channels"), icon="search",
        tip="Everything that can be plotted, to be dragged into plots",
    ),
    line(_MENU),
    *(_preset(preset) for preset in PRESETS),
)  # fmt: skip
"""Commands for plots, in the order of the menu."""
