"""Values stored across sessions: declared settings, groups of options, and objects that signal their changes."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import fields, replace
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, TypeVar

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
        raw: Any = settings.value(self._key_of(of))
        value = None if raw is None else _converted(raw, self.default)
        return self.default if value is None or not self._allows(value) else value

    def store(self, settings: QSettings, value: T, of: str = "") -> None:
        """Store a value; see `load`."""
        stored: object = value
        settings.setValue(self._key_of(of), list(stored) if isinstance(stored, tuple) else stored)

    def discard(self, settings: QSettings, of: str = "") -> None:
        """Remove the stored value; see `load`."""
        settings.remove(self._key_of(of))

    def _key_of(self, of: str) -> str:
        return f"{self.key}/{of}" if of else self.key

    def _allows(self, value: Any) -> bool:
        if isinstance(value, int | float):
            return self.least <= value <= self.most
        return not self.choices or value in self.choices


def declared() -> tuple[Setting[Any], ...]:
    """Return all settings of the imported modules, sorted by key."""
    return tuple(_DECLARED[key] for key in sorted(_DECLARED))


def _converted(raw: Any, default: Any) -> Any:
    """Return the stored value in the type of the default; None if it is invalid. INI files store numbers as text."""
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
    title, help : str
        See `Setting`.
    """

    def __init__(self, key: str, fields: tuple[str, ...], title: str, help: str) -> None:
        declared: Setting[tuple[str, ...]] = Setting(key, (), title, help, remembered=True)
        self.key = declared.key
        self._fields = fields

    def load(self, settings: QSettings) -> list[tuple[Any, ...]]:
        """Return the records, each with the values of all fields (None for a missing one)."""
        records = []
        for index in range(settings.beginReadArray(self.key)):
            settings.setArrayIndex(index)
            records.append(tuple(settings.value(name) for name in self._fields))
        settings.endArray()
        return records

    def store(self, settings: QSettings, records: Sequence[tuple[Any, ...]]) -> None:
        """Replace the stored records."""
        settings.remove(self.key)
        settings.beginWriteArray(self.key, len(records))
        for index, record in enumerate(records):
            settings.setArrayIndex(index)
            for name, value in zip(self._fields, record, strict=True):
                settings.setValue(name, value)
        settings.endArray()


class Text(NamedTuple):
    """Name, explanation and range of an option, as in `Setting`."""

    title: str
    help: str
    least: float = -math.inf
    most: float = math.inf
    choices: tuple[str, ...] = ()


class StoredOptions(Generic[C]):
    """Options that are stored together: each field of a dataclass is a setting of a group.

    Raises `ValueError` if a field has no text.

    Parameters
    ----------
    group : str
        Group in the settings file.
    usual : dataclass
        The program's defaults.
    texts : mapping of str to Text
        Texts of all fields by name.
    """

    def __init__(self, group: str, usual: C, texts: Mapping[str, Text]) -> None:
        names = [field.name for field in fields(usual)]
        if sorted(names) != sorted(texts):
            raise ValueError(f"The texts of {group} are not those of its fields. Give {names}.")
        self.usual = usual
        self._settings: dict[str, Setting[Any]] = {
            name: Setting(
                f"{group}/{name}",
                getattr(usual, name),
                text.title,
                text.help,
                least=text.least,
                most=text.most,
                choices=text.choices,
                remembered=True,
            )
            for name, text in texts.items()
        }

    def load(self, settings: QSettings) -> C:
        """Return the stored options; missing and invalid ones have the program's defaults."""
        stored = {name: each.load(settings) for name, each in self._settings.items()}
        return replace(self.usual, **stored)

    def store(self, settings: QSettings, options: C) -> None:
        """Store options; unchanged ones are not stored and follow the program's defaults."""
        for name, each in self._settings.items():
            value = getattr(options, name)
            if value == each.default:
                each.discard(settings)
            else:
                each.store(settings, value)


class Options(QObject, Generic[C]):
    """Present options `now`; `changed` is emitted when they change.

    Parameters
    ----------
    stored : StoredOptions
        Their settings.
    """

    changed = Signal()

    def __init__(self, stored: StoredOptions[C], parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._stored = stored
        self.now = stored.usual

    def set(self, **changes: Any) -> None:
        """Change options by the names of their fields."""
        self._replace(replace(self.now, **changes))

    def save(self, settings: QSettings) -> None:
        """Store the options in the user's settings; unchanged ones follow the program's defaults."""
        self._stored.store(settings, self.now)

    def load(self, settings: QSettings) -> None:
        """Load the stored options; invalid ones are ignored."""
        self._replace(self._stored.load(settings))

    def _replace(self, choices: C) -> None:
        if choices != self.now:
            self.now = choices
            self.changed.emit()


_LARGEST = 1e9
_SMALLEST = 1e-9
"""Least positive value of a step or a scale."""

_VIEW = StoredOptions(
    "view",
    ViewSettings(),
    {
        "forces": Text("Obstacle Forces", "Whether arrows of obstacle forces are shown"),
        "friction": Text("Friction Forces", "Whether arrows of friction forces are shown"),
        "force_scale": Text("Force Scale", "Length of arrows of forces, m/N", _SMALLEST),
        "friction_scale": Text("Friction Scale", "Length of arrows of friction, m/N", _SMALLEST),
        "ground_forces": Text("Ground Forces", "Whether arrows of ground forces are shown"),
        "ground_scale": Text("Ground Scale", "Length of arrows of ground forces, m/N", _SMALLEST),
        "trail": Text("Trail", "Whether the trail of a link is shown"),
        "trail_link": Text("Trail Link", "Link with the trail, from 0; -1 for the middle one"),
        "path": Text("Path", "Whether the path is shown"),
        "contact_points": Text("Contact Points", "Whether contact points are shown"),
        "centre_of_mass": Text("Centre of Mass", "Whether the centre of mass is shown"),
        "joint_axes": Text("Joint Axes", "Whether joint axes are shown"),
        "reference_ghost": Text("Reference Ghost", "Whether the reference pose is shown"),
        "grid": Text("Grid", "Whether the grid of the ground is shown"),
        "see_through": Text("See-through Obstacles", "Whether obstacles are translucent"),
        "drafting": Text("Rulers and Dimensions", "Whether they are shown in the view from above"),
        "body_quantity": Text("Body Colour", "Quantity that colours a continuous body"),
        "support_torques": Text("Support Torques", "Whether arrows of support torques are shown"),
    },
)
_EDITOR = StoredOptions(
    "editor",
    EditSettings(),
    {
        "gizmo": Text("Gizmo", "Whether the gizmo is shown"),
        "mode": Text("Gizmo Mode", "What the gizmo does", choices=MODES),
        "on": Text("Snap", "Whether moving snaps"),
        "grid": Text("Snap to Grid", "Whether positions snap to a grid"),
        "grid_m": Text("Grid Spacing", "Spacing of the grid, m", _SMALLEST, _LARGEST),
        "angles": Text("Snap Angles", "Whether angles snap to steps"),
        "angle_deg": Text("Angle Step", "Step of angles, degrees", _SMALLEST, _LARGEST),
        "factors": Text("Snap Factors", "Whether factors snap to steps"),
        "factor": Text("Factor Step", "Step of factors", _SMALLEST, _LARGEST),
        "objects": Text("Snap to Obstacles", "Whether edges and centres snap to other obstacles"),
    },
)


class ViewOptions(Options[ViewSettings]):
    """Options of the items that the viewport shows in addition to the scene."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(_VIEW, parent)

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
        super().__init__(_EDITOR, parent)

    def toggle(self, name: str) -> None:
        """Toggle an option that is on or off."""
        self.set(**{name: not getattr(self.now, name)})

    def next_mode(self) -> None:
        """Switch to the next mode: move, turn, scale, move ..."""
        self.set(gizmo=True, mode=MODES[(MODES.index(self.now.mode) + 1) % len(MODES)])
