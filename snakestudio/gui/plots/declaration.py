"""Declaration of the plots and the channel browser."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from PySide6.QtWidgets import QWidget

from snakestudio.gui.core.document import Document
from snakestudio.gui.core.feature import Area, DockSpec, Feature, Parts
from snakestudio.gui.core.overlaid_runs import OverlaidRuns
from snakestudio.gui.core.session_controller import SessionController
from snakestudio.gui.plots.channel_library import ChannelLibrary
from snakestudio.gui.plots.commands import PLOTS
from snakestudio.gui.plots.plot_docks import DocksContext, Panel, PlotDocks
from snakestudio.viewmodel.plots.content import Content


class _Context(DocksContext, Protocol):
    overlaid: OverlaidRuns
    plot_docks: PlotDocks


def _panel(
    session_controller: SessionController,
    document: Document,
    library: ChannelLibrary,
    contents: Sequence[Content] | None,
    title: str,
) -> Panel:
    """Return a plot panel; the plotting modules are imported with the first one."""
    from snakestudio.gui.plots.panel import PlotPanel

    return PlotPanel(session_controller, document, library, contents, title)


def _make(c: _Context) -> Parts:
    library = ChannelLibrary(c.settings, c.window)
    yield "channel_library", library
    plot_docks = PlotDocks(c, _panel, library, c.overlaid.overlaid)
    c.overlaid.changed.connect(plot_docks.overlay)
    yield "plot_docks", plot_docks


def _plots(c: _Context) -> QWidget:
    return c.plot_docks.make_first().widget()


def _channels(c: _Context) -> QWidget:
    return c.plot_docks.make_browser()


FEATURE: Feature[_Context] = Feature(
    docks=(
        DockSpec("plots", "Plots", Area.BottomDockWidgetArea, _plots, 340, 0),
        DockSpec("channels", "Channels", Area.RightDockWidgetArea, _channels, 356, 8, "parameters"),
    ),
    commands={"plots": PLOTS},
    make=_make,
    close=lambda c: c.plot_docks.close(),
)
