"""Layouts of the panels: three built-in ones, those saved by the user, and the last one, restored at the next start."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from PySide6.QtCore import QByteArray, QObject, QSettings, Signal
from PySide6.QtWidgets import QMainWindow

from snakestudio.gui.core.settings import Setting, StoredRecords
from snakestudio.gui.forms.banner import Banner
from snakestudio.gui.shell.docking import Docks

_VERSION = 4
"""Version of stored layouts, incremented when changes of the docks make stored layouts unusable."""

_LAST = Setting(
    "window/state", QByteArray(), "Layout", "Arrangement of the panels", remembered=True
)
_LAST_PLOTS = Setting("window/plots", "", "Plots", "Contents of the plot panels", remembered=True)
_SAVED = StoredRecords(
    "layouts", ("name", "state", "plots"), "Saved Layouts", "Arrangements saved under a name"
)

Stored = tuple[QByteArray, str]
"""State of the docks, and contents of the plot panels."""


@dataclass(frozen=True)
class BuiltInLayout:
    """A built-in layout."""

    name: str
    tip: str
    without: tuple[str, ...]
    """Docks that are closed in this layout."""

    bottom: float
    """Largest share of the window's height for the plots."""


SHIPPED = (
    BuiltInLayout(
        "Build", "A large view, scene tree and inspector; no plots", ("plots", "parameters"), 0.34
    ),
    BuiltInLayout("Run", "All panels; the default layout", (), 0.34),
    BuiltInLayout(
        "Analyse",
        "Large plots, a small view, and the parameters",
        ("scene", "inspector", "checks"),
        0.62,
    ),
)


class Layouts(QObject):
    """The layouts of one window's panels.

    Parameters
    ----------
    plots : tuple of callable
        Returns the contents of the plot panels as text, and restores them from it.
    banner : Banner
        Shows when a layout cannot be used.

    Signals
    -------
    changed()
        A layout was saved or deleted.
    """

    changed = Signal()

    def __init__(
        self,
        window: QMainWindow,
        docks: Docks,
        plots: tuple[Callable[[], str], Callable[[str], None]],
        banner: Banner,
        settings: QSettings,
    ) -> None:
        super().__init__(window)
        self._window = window
        self._docks = docks
        self._plots_state, self._restore_plots = plots
        self._banner = banner
        self._settings = settings
        self._first = QByteArray()

    # --- built-in layouts -------------------------------------------------------------------------

    def choose_shipped(self, name: str) -> None:
        """Arrange the panels as in the built-in layout `name`."""
        layout = next(each for each in SHIPPED if each.name == name)
        self._window.restoreState(self._first, _VERSION)
        for dock in layout.without:
            self._docks[dock].hide()
        self._docks.size(layout.bottom)

    # --- saved layouts ----------------------------------------------------------------------------

    def _stored(self) -> dict[str, Stored]:
        return {
            str(name): (state, str(plots or ""))
            for name, state, plots in _SAVED.load(self._settings)
            if isinstance(state, QByteArray)
        }

    def _store(self, layouts: dict[str, Stored]) -> None:
        in_order = sorted(layouts.items(), key=lambda item: item[0].casefold())
        _SAVED.store(self._settings, [(name, *stored) for name, stored in in_order])
        self.changed.emit()

    @property
    def saved(self) -> list[str]:
        """Names of the layouts saved by the user."""
        return list(self._stored())

    def refusal(self, name: str) -> str:
        """Return why the present layout cannot be saved under a name; "" if it can."""
        if not name.strip():
            return "Give the layout a name."
        if name.strip().casefold() in (each.name.casefold() for each in SHIPPED):
            return f"{name.strip()} is the name of a built-in layout. Give another name."
        return ""

    def save(self, name: str) -> None:
        """Save the present layout under a name, replacing one of the same name."""
        self._store({**self._stored(), name.strip(): self.present})

    def delete(self, name: str) -> None:
        """Delete the saved layout `name`."""
        self._store({other: stored for other, stored in self._stored().items() if other != name})

    def choose(self, name: str) -> None:
        """Arrange the panels as in the saved layout `name`; an incompatible one changes nothing."""
        state, plots = self._stored()[name]
        self._restore_plots(plots)
        if not self._window.restoreState(state, _VERSION):
            self._banner.show_notice(
                "warning",
                f"The layout {name} is from another version of SnakeStudio and cannot be used. Arrange the panels "
                "and save it again.",
                [("Delete It", lambda: self._delete_incompatible(name))],
            )
            return
        self._docks.set_arranging(self._docks.arranging)

    def _delete_incompatible(self, name: str) -> None:
        self.delete(name)
        self._banner.clear()

    # --- last layout ------------------------------------------------------------------------------

    def restore_last(self) -> bool:
        """Arrange the panels as they were when the window was closed; return False if the initial layout stays.

        Call it once, in the initial layout, from which the built-in layouts are derived.
        """
        self._first = self._window.saveState(_VERSION)
        state = _LAST.load(self._settings)
        if state.isEmpty():
            return False
        self._restore_plots(_LAST_PLOTS.load(self._settings))
        if self._window.restoreState(state, _VERSION):
            return True
        self._banner.show_notice(
            "info",
            "The arrangement of the panels is from another version of SnakeStudio. The default layout is shown.",
            passing=True,
        )
        return False

    @property
    def present(self) -> Stored:
        """State of the docks, and contents of the plot panels."""
        return self._window.saveState(_VERSION), self._plots_state()

    def store_last(self) -> None:
        """Store the present layout as the last one."""
        state, plots = self.present
        _LAST.store(self._settings, state)
        _LAST_PLOTS.store(self._settings, plots)
