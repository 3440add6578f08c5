"""The present choice of what the viewport shows beside the scene; kept from session to session."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from PySide6.QtCore import QObject, QSettings, Signal

from snakestudio.gui.core.settings import load, save
from snakestudio.viewmodel.viewport.view_settings import SCALES, ViewSettings

__all__ = ["ViewOptions"]


class ViewOptions(QObject):
    """The present choices, `now`; `changed` is emitted when there are others."""

    changed = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.now = ViewSettings()

    def set(self, **changes: Any) -> None:
        """Choose otherwise; names are those of `ViewSettings`."""
        wanted = replace(self.now, **changes)
        if wanted != self.now:
            self.now = wanted
            self.changed.emit()

    def scale_arrows(self, row: str, factor: float) -> None:
        """Make the arrows of a key of `SCALES` longer (factor > 1) or shorter."""
        name = SCALES[row]
        longest, shortest = 10.0, 1e-5  # m/N: from a worm of grams to a machine of tonnes
        self.set(**{name: min(max(getattr(self.now, name) * factor, shortest), longest)})

    def save(self, settings: QSettings) -> None:
        """Keep the choices in the user's settings; what was left as it is follows the program's default."""
        save(settings, "view", self.now)

    def load(self, settings: QSettings) -> None:
        """Take the choices of last time; what cannot be understood stays as it is."""
        found = load(settings, "view", self.now)
        if found != self.now:
            self.now = found
            self.changed.emit()
