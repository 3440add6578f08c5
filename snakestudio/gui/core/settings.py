"""Options stored across sessions: frozen dataclasses of plain values, and objects that signal changes."""

from __future__ import annotations

import math
from dataclasses import fields, replace
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from PySide6.QtCore import QObject, QSettings, Signal

from snakestudio.viewmodel.viewport.view_settings import MODES, SCALES, EditSettings, ViewSettings

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

C = TypeVar("C", bound="DataclassInstance")


def save(settings: QSettings, group: str, choices: DataclassInstance) -> None:
    """Store options under a group's name; unchanged ones are not stored and follow the program's defaults."""
    for field in fields(choices):
        chosen = getattr(choices, field.name)
        if chosen == field.default:
            settings.remove(f"{group}/{field.name}")
        else:
            settings.setValue(f"{group}/{field.name}", chosen)


def load(settings: QSettings, group: str, choices: C) -> C:
    """Return the stored options; invalid ones keep their values from `choices`."""
    stored: dict[str, Any] = {}
    for field in fields(choices):
        default = getattr(choices, field.name)
        raw: Any = settings.value(f"{group}/{field.name}")
        if raw is None:
            continue
        try:
            stored[field.name] = (
                str(raw).lower() == "true" if isinstance(default, bool) else type(default)(raw)
            )
        except (TypeError, ValueError):
            continue
    return replace(choices, **stored)


class Options(QObject, Generic[C]):
    """Present options `now`; `changed` is emitted when they change.

    Parameters
    ----------
    group : str
        Settings group.
    usual : dataclass
        The program's defaults.
    """

    changed = Signal()

    def __init__(self, group: str, usual: C, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._group = group
        self.now = usual

    def set(self, **changes: Any) -> None:
        """Change options by the names of their fields."""
        self._replace(replace(self.now, **changes))

    def save(self, settings: QSettings) -> None:
        """Store the options in the user's settings; unchanged ones follow the program's defaults."""
        save(settings, self._group, self.now)

    def load(self, settings: QSettings) -> None:
        """Load the stored options; invalid ones are ignored."""
        self._replace(self._sensible(load(settings, self._group, self.now)))

    def _sensible(self, choices: C) -> C:
        return choices

    def _replace(self, choices: C) -> None:
        if choices != self.now:
            self.now = choices
            self.changed.emit()


class ViewOptions(Options[ViewSettings]):
    """Options of what the viewport shows in addition to the scene."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__("view", ViewSettings(), parent)

    def scale_arrows(self, row: str, factor: float) -> None:
        """Make the arrows of a key of `SCALES` longer (factor > 1) or shorter."""
        name = SCALES[row]
        # m/N: for robots from grams to tonnes
        longest = 10.0
        shortest = 1e-5
        self.set(**{name: min(max(getattr(self.now, name) * factor, shortest), longest)})


class EditorOptions(Options[EditSettings]):
    """Options of moving items in the viewport."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__("editor", EditSettings(), parent)

    def toggle(self, name: str) -> None:
        """Toggle an option that is on or off."""
        self.set(**{name: not getattr(self.now, name)})

    def next_mode(self) -> None:
        """Switch to the next mode: move, turn, scale, move ..."""
        self.set(gizmo=True, mode=MODES[(MODES.index(self.now.mode) + 1) % len(MODES)])

    def _sensible(self, choices: EditSettings) -> EditSettings:
        usual = EditSettings()
        for name in ("grid_m", "angle_deg", "factor"):
            value = getattr(choices, name)
            if not (math.isfinite(value) and value > 0):
                choices = replace(choices, **{name: getattr(usual, name)})
        return choices if choices.mode in MODES else replace(choices, mode=usual.mode)
