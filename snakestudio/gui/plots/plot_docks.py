"""The plot panels of a window: the permanent one and any number of others, stored in layouts."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Protocol

from PySide6.QtCore import QObject, SignalInstance
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QWidget

from snakestudio.gui.core.command import Context
from snakestudio.gui.core.document import Document
from snakestudio.gui.core.session_controller import SessionController
from snakestudio.gui.forms.banner import Banners
from snakestudio.gui.forms.name_dialog import NameDialog
from snakestudio.gui.plots.channel_library import ChannelLibrary
from snakestudio.gui.plots.panel_bar import PanelBar
from snakestudio.gui.plots.sets import PRESETS, PlotPreset, PlotSets, contents_of, contents_text
from snakestudio.model.recording import Schema
from snakestudio.viewmodel.plots.content import Content
from snakestudio.viewmodel.plots.overlaid import OverlaidRun
from snakestudio.viewmodel.plots.plot_types import VIEWS
from snakestudio.viewmodel.plots.series_cache import SeriesCache

if TYPE_CHECKING:
    from snakestudio.gui.plots.channel_browser import ChannelBrowser


class Panel(Protocol):
    """Members of `plots.panel.PlotPanel` that are needed to arrange panels."""

    bar: PanelBar
    series_cache: SeriesCache
    library: ChannelLibrary

    @property
    def refused(self) -> SignalInstance: ...

    @property
    def focused(self) -> SignalInstance: ...

    @property
    def as_scene(self) -> bool: ...

    @property
    def contents(self) -> list[Content]: ...

    @property
    def focused_plot(self) -> TakesChannels | None: ...

    def show_contents(self, contents: Sequence[Content]) -> None: ...

    def show_gradually(self, contents: Sequence[Content]) -> None: ...

    def show_scene(self) -> None: ...

    def add_channels(self, names: tuple[str, ...]) -> None: ...

    def show_focus(self, visible: bool) -> None: ...

    def show_zone(self, visible: bool) -> None: ...

    def widget(self) -> QWidget: ...

    def overlay(self, runs: Iterable[OverlaidRun]) -> None: ...

    def close_down(self) -> None: ...


class TakesChannels(Protocol):
    """A plot to which channels can be added."""

    def add_channels(self, names: tuple[str, ...]) -> object: ...


def _of(preset: PlotPreset, panel: Panel, schema: Schema) -> list[Content]:
    """Return the contents of a preset that the run has channels for."""
    known = panel.library.of(schema)
    return [
        content
        for content in preset.contents(schema)
        if (
            VIEWS[content.view].suits(schema)
            if content.kind == "view"
            else set(content.names) & known.keys()
        )
    ]


def show_preset(panel: Panel, name: str) -> None:
    """Show a built-in plot layout; emit a message if the run has no channels for it."""
    preset = next(each for each in PRESETS if each.name == name)
    recording = panel.series_cache.recording
    if recording is None:
        panel.refused.emit("There is no run yet. Start one, then choose a plot layout.")
        return
    for channel in preset.derived(recording):
        panel.library.put(channel)
    contents = _of(preset, panel, recording.schema)
    if contents:
        panel.show_gradually(contents)
    else:
        panel.refused.emit(f"This run has no channels for {name}. Choose another plot layout.")


class SetsMenu(QObject):
    """Fills the menu of plot layouts in a panel's bar when it opens."""

    def __init__(self, panel: Panel, sets: PlotSets) -> None:
        super().__init__(panel.bar)
        self._panel = panel
        self._sets = sets
        panel.bar.sets_menu.aboutToShow.connect(self._fill)

    def _fill(self) -> None:
        panel = self._panel
        sets = self._sets
        menu = self._panel.bar.sets_menu
        menu.clear()
        self._add("Default for This Scene", panel.show_scene)
        menu.addSeparator()
        for preset in PRESETS:
            self._add(preset.name, lambda name=preset.name: show_preset(panel, name)).setToolTip(
                preset.tip
            )
        if sets.names:
            menu.addSeparator()
            for name in sets.names:
                self._add(
                    name.replace("&", "&&"), lambda name=name: panel.show_gradually(sets.load(name))
                )
        menu.addSeparator()
        self._add("Save Plot Layout...", self.save)
        delete = menu.addMenu("Delete Plot Layout")
        delete.setEnabled(bool(sets.names))
        for name in sets.names:
            delete.addAction(name.replace("&", "&&")).triggered.connect(
                lambda _=False, name=name: sets.delete(name)
            )

    def _add(self, text: str, run: object) -> QAction:
        action = self._panel.bar.sets_menu.addAction(text)
        assert callable(run)
        action.triggered.connect(lambda _=False: run())
        return action

    def save(self) -> None:
        """Ask for a name, and save the plots of the panel under it."""
        dialog = NameDialog(
            self._sets.names,
            self._sets.refusal,
            self._panel.bar,
            of="plot layout",
            explanation="Saves what every plot of this panel shows, including derived channels.",
        )
        if dialog.exec():
            self._sets.save(dialog.name, self._panel.contents)
        dialog.deleteLater()


_FIRST = "plots"


class Docks(Protocol):
    """Docks that can hold more panels."""

    def __contains__(self, name: str) -> bool:
        """Whether a dock of that name exists."""
        ...

    def add(self, name: str, title: str, content: QWidget, *, tab_with: str) -> None:
        """Show a panel in a new dock, tabbed with another one."""
        ...

    def remove(self, name: str) -> None:
        """Delete a dock."""
        ...


class DocksContext(Context, Protocol):
    """Context with notices, and docks for more panels."""

    banners: Banners

    @property
    def docks(self) -> Docks: ...


class PlotDocks(QObject):
    """All plot panels of one window.

    Parameters
    ----------
    context : Context
        Context with notices, and docks for more panels.
    new_panel : callable
        Makes a panel (`plots.panel.PlotPanel`) with its title; without contents it shows the default
        views for the scene.
    overlaid : callable
        Returns the overlaid runs.
    """

    def __init__(
        self,
        context: DocksContext,
        new_panel: Callable[
            [SessionController, Document, ChannelLibrary, Sequence[Content] | None, str], Panel
        ],
        library: ChannelLibrary,
        overlaid: Callable[[], list[OverlaidRun]],
    ) -> None:
        super().__init__(context.window)
        self._new_panel = new_panel
        self._context = context
        self.library = library
        self._overlaid = overlaid
        self.sets = PlotSets(context.settings, self.library, self)
        self.panels: dict[str, Panel] = {}
        self._focused_name = _FIRST
        self._pending: str | None = None

    # --- panels -----------------------------------------------------------------------------------

    def make_first(self) -> Panel:
        """Make the panel of the permanent dock."""
        panel = self._make(_FIRST, "Plots", None)
        if self._pending is not None:
            self._fill(panel, self._pending)
            self._pending = None
        return panel

    def new_panel(self, contents: Sequence[Content] = ()) -> Panel:
        """Add a panel in a new dock."""
        number = 2
        while f"{_FIRST}_{number}" in self._context.docks:
            number += 1
        return self._add_dock(number, contents)

    def _add_dock(self, number: int, contents: Sequence[Content]) -> Panel:
        name = f"{_FIRST}_{number}"
        title = f"Plots {number}"
        panel = self._make(name, title, contents)
        self._context.docks.add(name, title, panel.widget(), tab_with=_FIRST)
        panel.bar.set_closable(lambda: self.remove_panel(name))
        self._focus_on(name)
        return panel

    def remove_panel(self, name: str) -> None:
        """Remove a panel."""
        self.panels.pop(name).close_down()
        if self._focused_name == name:
            self._focused_name = _FIRST
        self._context.docks.remove(name)

    def _make(self, name: str, title: str, contents: Sequence[Content] | None) -> Panel:
        context = self._context
        panel = self._new_panel(
            context.session_controller, context.document, self.library, contents, title
        )
        panel.refused.connect(
            lambda sentence: context.banners.edits.show_notice("info", sentence, passing=True)
        )
        panel.focused.connect(lambda: self._focus_on(name))
        SetsMenu(panel, self.sets)
        panel.overlay(self._overlaid())
        self.panels[name] = panel
        panel.show_focus(self._focused_name == name)
        return panel

    def overlay(self) -> None:
        """Update the overlaid runs in all panels."""
        runs = self._overlaid()
        for panel in self.panels.values():
            panel.overlay(runs)

    def _focus_on(self, name: str) -> None:
        self._focused_name = name
        for other, panel in self.panels.items():
            panel.show_focus(other == name)

    @property
    def focused(self) -> Panel | None:
        """The panel that was clicked last."""
        return self.panels.get(self._focused_name) or self.panels.get(_FIRST)

    # --- channels ---------------------------------------------------------------------------------

    def make_browser(self) -> ChannelBrowser:
        """Make the channel browser."""
        from snakestudio.gui.plots.channel_browser import ChannelBrowser

        browser = ChannelBrowser(self._context.session_controller, self.library, self._known)
        browser.add_requested.connect(self.add)
        browser.new_plot_requested.connect(self.add_in_new_plot)
        browser.derive_requested.connect(self.derive)
        browser.dragging.connect(self._show_zones)
        return browser

    def _show_zones(self, on: bool) -> None:
        for panel in self.panels.values():
            panel.show_zone(on)

    def _known(self, key: str, row: int) -> float | None:
        for panel in self.panels.values():
            values = panel.series_cache.values_at(key, row)
            if values is not None:
                return float(values[0])
        return None

    def add(self, names: tuple[str, ...]) -> None:
        """Show channels in the active plot."""
        panel = self.focused
        if panel is None:
            return
        plot = panel.focused_plot
        if plot is None:
            panel.add_channels(names)
        else:
            plot.add_channels(names)

    def add_in_new_plot(self, names: tuple[str, ...]) -> None:
        """Show channels in a new plot."""
        if self.focused is not None:
            self.focused.add_channels(names)

    def derive(self, name: str = "") -> None:
        """Show the dialog of the derived channel `name`, or of a new one."""
        from snakestudio.gui.plots.derived_dialog import DerivedDialog

        previous = self._context.window.findChild(DerivedDialog)
        if previous is not None:
            previous.close()
        overlaid = self._overlaid()
        other = overlaid[0].recording if overlaid else None
        dialog = DerivedDialog(
            self._context.session_controller, self.library, name, other, self._context.window
        )
        dialog.accepted_channel.connect(lambda name: self.add_in_new_plot((name,)))
        dialog.show()

    def show_preset(self, name: str) -> None:
        """Show a built-in plot layout in the panel that was clicked last."""
        if self.focused is not None:
            self._context.show_dock(
                next(key for key, panel in self.panels.items() if panel is self.focused)
            )
            show_preset(self.focused, name)

    # --- stored state -----------------------------------------------------------------------------

    def state(self) -> str:
        """Return the contents of all panels as JSON; "" for the first one if it shows the default views."""
        written = {
            name: ""
            if name == _FIRST and panel.as_scene
            else contents_text(panel.contents, self.library)
            for name, panel in self.panels.items()
        }
        if self._pending is not None and _FIRST not in written:
            written[_FIRST] = self._pending
        return json.dumps(written)

    def restore(self, state: str) -> None:
        """Restore exactly the panels of a state; call before the window restores its docks."""
        try:
            written = json.loads(state)
        except ValueError:
            return
        if not isinstance(written, dict):
            return
        contents = {name: text for name, text in written.items() if isinstance(text, str)}
        for name in [name for name in self.panels if name != _FIRST and name not in contents]:
            self.remove_panel(name)
        for name, text in contents.items():
            number = re.fullmatch(rf"{_FIRST}_(\d+)", name)
            if name == _FIRST and name not in self.panels:
                self._pending = text
            elif name in self.panels:
                self._fill(self.panels[name], text)
            elif number:
                self._add_dock(int(number[1]), contents_of(text, self.library))

    def _fill(self, panel: Panel, text: str) -> None:
        if text:
            panel.show_contents(contents_of(text, self.library))
        else:
            panel.show_scene()

    def close(self) -> None:
        """Stop computations in threads."""
        for panel in self.panels.values():
            panel.close_down()
