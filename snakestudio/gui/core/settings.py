"""Choices kept from session to session: frozen dataclasses of plain values, and who tells that there are others."""

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
    """Keep choices under a group's name; what was left as it is follows the program's default."""
    for field in fields(choices):
        chosen = getattr(choices, field.name)
        if chosen == field.default:
            settings.remove(f"{group}/{field.name}")
        else:
            settings.setValue(f"{group}/{field.name}", chosen)


def load(settings: QSettings, group: str, choices: C) -> C:
    """The choices of last time; what cannot be understood stays as it is."""
    found: dict[str, Any] = {}
    for field in fields(choices):
        default = getattr(choices, field.name)
        raw: Any = settings.value(f"{group}/{field.name}")
        if raw is None:
            continue
        try:
            found[field.name] = (
                str(raw).lower() == "true" if isinstance(default, bool) else type(default)(raw)
            )
        except (TypeError, ValueError):
            continue
    return replace(choices, **found)


class Options(QObject, Generic[C]):
    """Present choices, `now`; `changed` is emitted when there are others.

    Parameters
    ----------
    group : str
        Under which they are kept.
    usual : dataclass
        The program's default.
    """

    changed = Signal()

    def __init__(self, group: str, usual: C, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._group = group
        self.now = usual

    def set(self, **changes: Any) -> None:
        """Choose otherwise, by names of fields."""
        self._take(replace(self.now, **changes))

    def save(self, settings: QSettings) -> None:
        """Keep the choices in the user's settings; what was left as it is follows the program's default."""
        save(settings, self._group, self.now)

    def load(self, settings: QSettings) -> None:
        """Take the choices of last time; what cannot be understood, or makes no sense, stays as it is."""
        self._take(self._sensible(load(settings, self._group, self.now)))

    def _sensible(self, found: C) -> C:
        return found

    def _take(self, wanted: C) -> None:
        if wanted != self.now:
            self.now = wanted
            self.changed.emit()


class ViewOptions(Options[ViewSettings]):
    """What the viewport shows beside the scene."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__("view", ViewSettings(), parent)

    def scale_arrows(self, row: str, factor: float) -> None:
        """Make the arrows of a key of `SCALES` longer (factor > 1) or shorter."""
        name = SCALES[row]
        # m/N: from a worm of grams to a machine of tonnes
        longest = 10.0
        shortest = 1e-5
        self.set(**{name: min(max(getattr(self.now, name) * factor, shortest), longest)})


class EditorOptions(Options[EditSettings]):
    """How things are moved in the viewport."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__("editor", EditSettings(), parent)

    def toggle(self, name: str) -> None:
        """Switch one of the choices that are on or off."""
        self.set(**{name: not getattr(self.now, name)})

    def next_mode(self) -> None:
        """Move, turn, scale, move ..."""
        self.set(gizmo=True, mode=MODES[(MODES.index(self.now.mode) + 1) % len(MODES)])

    def _sensible(self, found: EditSettings) -> EditSettings:
        usual = EditSettings()
        for name in ("grid_m", "angle_deg", "factor"):
            value = getattr(found, name)
            if not (math.isfinite(value) and value > 0):
                found = replace(found, **{name: getattr(usual, name)})
        return found if found.mode in MODES else replace(found, mode=usual.mode)
