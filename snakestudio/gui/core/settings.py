"""Values stored across sessions: declared settings, groups of options, and objects that signal their changes."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import fields, replace
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from PySide6.QtCore import QByteArray, QObject, QSettings, Signal

from snakestudio.viewmodel.viewport.view_settings import MODES, SCALES, EditSettings, ViewSettings

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

C = TypeVar("C", bound="DataclassInstance")
T = TypeVar("T", bool, int, float, str, tuple[str, ...], QByteArray)

_DECLARED: dict[str, Setting[Any]] = {}


class Setting(Generic[T]):
    """A stored value.

    Raises `ValueError` if the key is already declared.

    Parameters
    ----------
    key : str
        Key in the settings file, with its group: "remote/port".
    default : bool, int, float, str, tuple of str or QByteArray
        The program's default, which also determines the type.
    title, help : str
        Name and explanation for people.
    least, most : float, optional
        Range of a number; a stored number outside of it counts as missing.
    choices : tuple of str
        Possible values of a text, if they are limited.
    remembered : bool
        Whether the program sets it, such as the last folder; the user sets the others.
    """

    def __init__(
        self,
        key: str,
        default: T,
        title: str,
        help: str,
        *,
        least: float = -math.inf,
        most: float = math.inf,
        choices: tuple[str, ...] = (),
        remembered: bool = False,
    ) -> None:
        if key in _DECLARED:
            raise ValueError(f"The setting {key} is declared twice. Choose another key.")
        _DECLARED[key] = self
        self.key = key
        self.default: T = default
        self.title = title
        self.help = help
        self.least = least
        self.most = most
        self.choices = choices
        self.remembered = remembered

    def load(self, settings: QSettings, of: str = "") -> T:
        """Return the stored value; the default if there is none or it is invalid.

        Parameters
        ----------
        of : str
            Name of the thing whose value is stored, for a setting with one value for each of them.
        """
        raw: Any = settings.value(self._place(of))
        value = None if raw is None else _converted(raw, self.default)
        return self.default if value is None or not self._allows(value) else value

    def store(self, settings: QSettings, value: T, of: str = "") -> None:
        """Store a value; see `load`."""
        stored: object = value
        settings.setValue(self._place(of), list(stored) if isinstance(stored, tuple) else stored)

    def discard(self, settings: QSettings, of: str = "") -> None:
        """Remove the stored value; see `load`."""
        settings.remove(self._place(of))

    def _place(self, of: str) -> str:
        return f"{self.key}/{of}" if of else self.key

    def _allows(self, value: Any) -> bool:
        if isinstance(value, int | float):
            return self.least <= value <= self.most
        return not self.choices or value in self.choices


def declared() -> tuple[Setting[Any], ...]:
    """All settings of the imported modules, sorted by key."""
    return tuple(_DECLARED[key] for key in sorted(_DECLARED))


def _converted(raw: Any, default: Any) -> Any:
    """Stored value in the type of the default; None if it is invalid. INI files store numbers as text."""
    if isinstance(default, bool):
        return {"true": True, "false": False}.get(str(raw).lower())
    if isinstance(default, tuple):  # Qt stores a list of one as a text
        names = [raw] if isinstance(raw, str) else raw
        return tuple(map(str, names)) if isinstance(names, list | tuple) else None
    if isinstance(default, QByteArray):
        return raw if isinstance(raw, QByteArray) else None
    try:
        return type(default)(str(raw))
    except ValueError:
        return None


class StoredRecords:
    """A stored list of records with the same fields, such as the layouts of the user.

    Parameters
    ----------
    key : str
        Group in the settings file.
    """

    def __init__(self, key: str, fields: tuple[str, ...]) -> None:
        self.key = key
        self._fields = fields

    def load(self, settings: QSettings) -> list[tuple[Any, ...]]:
        """Return the records, each with the values of all fields (None for a missing one)."""
        records = []
        for place in range(settings.beginReadArray(self.key)):
            settings.setArrayIndex(place)
            records.append(tuple(settings.value(name) for name in self._fields))
        settings.endArray()
        return records

    def store(self, settings: QSettings, records: Sequence[tuple[Any, ...]]) -> None:
        """Replace the stored records."""
        settings.remove(self.key)
        settings.beginWriteArray(self.key, len(records))
        for place, record in enumerate(records):
            settings.setArrayIndex(place)
            for name, value in zip(self._fields, record, strict=True):
                settings.setValue(name, value)
        settings.endArray()


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
        value = _converted(raw, default)
        if value is not None:
            stored[field.name] = value
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
