"""Arrangements of the panels: three that come along, the user's own under names, and the last one at the next start."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from PySide6.QtCore import QByteArray, QObject, QSettings, Signal
from PySide6.QtWidgets import QMainWindow

from snakestudio.gui.forms.banner import Banner
from snakestudio.gui.shell.docking import Docks

_VERSION = 4
"""Raised when docks come or go in a way that stored layouts do not fit."""

_LAST = "window/state"
_LAST_PLOTS = "window/plots"
_SAVED = "layouts"

Stored = tuple[QByteArray, str]
"""Where the docks stand, and what the panels of plots show."""


@dataclass(frozen=True)
class Shipped:
    """A layout that comes along."""

    name: str
    tip: str
    without: tuple[str, ...]
    """Docks that are closed in it."""

    bottom: float
    """Share of the window's height that the plots get at most."""


SHIPPED = (
    Shipped(
        "Build", "A large view, scene tree and inspector; no plots", ("plots", "parameters"), 0.34
    ),
    Shipped("Run", "All panels; the default layout", (), 0.34),
    Shipped(
        "Analyse",
        "Large plots, a small view, and the parameters",
        ("scene", "inspector", "checks"),
        0.62,
    ),
)


class Layouts(QObject):
    """The arrangements of one window's panels.

    Parameters
    ----------
    plots : tuple of callable
        Gives what the panels of plots show, as a text, and has them show it again.
    banner : Banner
        Says when a layout cannot be used.

    Signals
    -------
    changed()
        One was saved or deleted.
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

    # --- those that come along --------------------------------------------------------------------

    def choose_shipped(self, name: str) -> None:
        """Arrange the panels as in the shipped layout called `name`."""
        layout = next(each for each in SHIPPED if each.name == name)
        self._window.restoreState(self._first, _VERSION)
        for dock in layout.without:
            self._docks[dock].hide()
        self._docks.size(layout.bottom)

    # --- the user's own ---------------------------------------------------------------------------

    def _stored(self) -> dict[str, Stored]:
        stored: dict[str, Stored] = {}
        for place in range(self._settings.beginReadArray(_SAVED)):
            self._settings.setArrayIndex(place)
            state = self._settings.value("state")
            if isinstance(state, QByteArray):
                stored[str(self._settings.value("name"))] = (
                    state,
                    str(self._settings.value("plots", "")),
                )
        self._settings.endArray()
        return stored

    def _store(self, layouts: dict[str, Stored]) -> None:
        self._settings.remove(_SAVED)
        self._settings.beginWriteArray(_SAVED, len(layouts))
        for place, (name, (state, plots)) in enumerate(
            sorted(layouts.items(), key=lambda item: item[0].casefold())
        ):
            self._settings.setArrayIndex(place)
            self._settings.setValue("name", name)
            self._settings.setValue("state", state)
            self._settings.setValue("plots", plots)
        self._settings.endArray()
        self.changed.emit()

    @property
    def saved(self) -> list[str]:
        """Names of the user's own layouts."""
        return list(self._stored())

    def refusal(self, name: str) -> str:
        """Why the present arrangement cannot be saved under a name, in a sentence; empty if it can."""
        if not name.strip():
            return "Give the layout a name."
        if name.strip().casefold() in (each.name.casefold() for each in SHIPPED):
            return f"{name.strip()} is the name of a built-in layout. Give another name."
        return ""

    def save(self, name: str) -> None:
        """Keep the present arrangement under a name, in place of one that has it already."""
        self._store({**self._stored(), name.strip(): self.present})

    def delete(self, name: str) -> None:
        """Forget the layout called `name`."""
        self._store({other: kept for other, kept in self._stored().items() if other != name})

    def choose(self, name: str) -> None:
        """Arrange the panels as in the saved layout called `name`; one that does not fit any more changes nothing."""
        state, plots = self._stored()[name]
        self._restore_plots(plots)
        if not self._window.restoreState(state, _VERSION):
            self._banner.say(
                "warning",
                f"The layout {name} is from another version of SnakeStudio and cannot be used. Arrange the panels "
                "and save it again.",
                [("Delete It", lambda: self._forget(name))],
            )
            return
        self._docks.set_arranging(self._docks.arranging)

    def _forget(self, name: str) -> None:
        self.delete(name)
        self._banner.clear()

    # --- from start to start ----------------------------------------------------------------------

    def restore_last(self) -> bool:
        """Arrange the panels as they were when the window was closed; False if they stand as at first.

        Call it once, when they do: shipped layouts begin from there.
        """
        self._first = self._window.saveState(_VERSION)
        state = self._settings.value(_LAST)
        if not isinstance(state, QByteArray):
            return False
        self._restore_plots(str(self._settings.value(_LAST_PLOTS, "")))
        if self._window.restoreState(state, _VERSION):
            return True
        self._banner.say(
            "info",
            "The arrangement of the panels is from another version of SnakeStudio. The default layout is shown.",
            passing=True,
        )
        return False

    @property
    def present(self) -> Stored:
        """How the panels stand, and what those of plots show."""
        return self._window.saveState(_VERSION), self._plots_state()

    def store_last(self) -> None:
        """Remember how the panels stand."""
        state, plots = self.present
        self._settings.setValue(_LAST, state)
        self._settings.setValue(_LAST_PLOTS, plots)
