"""Commands for plots in the View menu."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from snakestudio.gui.core.command import Command, Context, line
from snakestudio.gui.plots.sets import PRESETS, PlotPreset
from snakestudio.viewmodel.plots.content import Content

_MENU = "View/Plots"


class _Plots(Protocol):
    """Members of `PlotDocks` that these commands use."""

    def new_panel(self, contents: Sequence[Content]) -> object: ...

    def derive(self) -> None: ...

    def show_preset(self, name: str) -> None: ...


class PlotsContext(Context, Protocol):
    """Context of these commands."""

    @property
    def plot_docks(self) -> _Plots:
        """The plots."""
        ...


def _preset(preset: PlotPreset) -> Command[PlotsContext]:
    name = preset.name.lower().replace(" ", "_")
    return Command(
        f"plots_{name}",
        _MENU,
        preset.name,
        lambda c: c.plot_docks.show_preset(preset.name),
        icon="statistics",
        tip=preset.tip,
    )


PLOTS: tuple[Command[PlotsContext], ...] = (
    Command(
        "new_plot_panel",
        _MENU,
        "New Plot Panel",
        lambda c: c.plot_docks.new_panel([Content("time")]),
        icon="plot-add",
        tip="Add a dock with plots, which can be moved, floated and closed",
    ),
    Command(
        "derived_channel",
        _MENU,
        "Derived Channel...",
        lambda c: c.plot_docks.derive(),
        icon="derived",
        long=True,
        tip="Derive a channel from others by expressions, filters, derivatives or differences between runs",
    ),
    Command(
        "channels",
        _MENU,
        "Channels",
        lambda c: c.show_dock("channels"),
        icon="search",
        tip="List all channels that can be plotted; drag them onto plots",
    ),
    line(_MENU),
    *(_preset(preset) for preset in PRESETS),
)
"""Commands for plots, in the order of the menu."""
