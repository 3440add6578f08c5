"""How things are moved in the viewport, as the user chose it: the gizmo and what is snapped to."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

from PySide6.QtCore import QObject, QSettings, Signal

from snakestudio.gui.core.settings import load, save

__all__ = ["MODES", "EditSettings", "EditorOptions"]

MODES = ("move", "turn", "scale")
"""What the gizmo does, in the order in which a key goes through them."""


@dataclass(frozen=True, slots=True)
class EditSettings:
    """The choices.

    Attributes
    ----------
    gizmo : bool
        Whether it is shown.
    mode : str
        One of `MODES`.
    on : bool
        Whether moving snaps; holding Ctrl inverts it.
    grid, angles, factors : bool
        Whether places go to a grid, angles and factors in steps.
    grid_m, angle_deg, factor : float
        The steps.
    objects : bool
        Whether edges and middles go to those of other obstacles.
    """

    gizmo: bool = True
    mode: str = "move"
    on: bool = False
    grid: bool = True
    grid_m: float = 0.05
    angles: bool = True
    angle_deg: float = 15.0
    factors: bool = True
    factor: float = 0.1
    objects: bool = True


class EditorOptions(QObject):
    """The present choices, `now`; `changed` is emitted when there are others."""

    changed = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.now = EditSettings()

    def set(self, **changes: Any) -> None:
        """Choose otherwise; names are those of `EditSettings`."""
        wanted = replace(self.now, **changes)
        if wanted != self.now:
            self.now = wanted
            self.changed.emit()

    def toggle(self, name: str) -> None:
        """Switch one of the choices that are on or off."""
        self.set(**{name: not getattr(self.now, name)})

    def next_mode(self) -> None:
        """Move, turn, scale, move ..."""
        self.set(gizmo=True, mode=MODES[(MODES.index(self.now.mode) + 1) % len(MODES)])

    def save(self, settings: QSettings) -> None:
        """Keep the choices in the user's settings."""
        save(settings, "editor", self.now)

    def load(self, settings: QSettings) -> None:
        """Take the choices of last time, as far as they make sense."""
        found, usual = load(settings, "editor", self.now), EditSettings()
        for name in ("grid_m", "angle_deg", "factor"):
            value = getattr(found, name)
            if not (math.isfinite(value) and value > 0):
                found = replace(found, **{name: getattr(usual, name)})
        if found.mode not in MODES:
            found = replace(found, mode=usual.mode)
        if found != self.now:
            self.now = found
            self.changed.emit()
