"""All channels of a recording with those that the user has derived from them: where plots look up names."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass

from PySide6.QtCore import QObject, QSettings, Signal

from snakestudio.model.recording import Schema
from snakestudio.viewmodel.plots.channels import Channel, catalogue, signal_key

DERIVED = "Derived"
"""Group of derived channels in the browser."""

_KEPT = "plots/derived"


@dataclass(frozen=True, slots=True)
class Derived:
    """A channel computed from others."""

    name: str
    """A word that no column of a run has, best ending in the unit."""

    text: str
    """Expression over the columns of a run."""

    unit: str = ""


class Library(QObject):
    """Names to plot by.

    Parameters
    ----------
    settings : QSettings, optional
        Where the user's derived channels are kept; nowhere if left out.

    Signals
    -------
    changed()
        A derived channel came, went or is another one.
    """

    changed = Signal()

    def __init__(self, settings: QSettings | None = None, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._settings = settings
        self._derived: dict[str, Derived] = {}
        if settings is not None:
            self._derived = {
                each.name: each for each in read_derived(str(settings.value(_KEPT, "")))
            }

    @property
    def derived(self) -> tuple[Derived, ...]:
        """The derived channels, in the order in which they were made."""
        return tuple(self._derived.values())

    def __getitem__(self, name: str) -> Derived:
        return self._derived[name]

    def __contains__(self, name: object) -> bool:
        return name in self._derived

    def put(self, made: Derived, instead_of: str = "") -> None:
        """Keep a derived channel, in place of one of that name or of another one."""
        if instead_of and instead_of != made.name and instead_of in self._derived:
            self._derived = {
                (made.name if name == instead_of else name): (made if name == instead_of else each)
                for name, each in self._derived.items()
                if name != made.name
            }
        self._derived[made.name] = made
        self._store()

    def add(self, channels: Iterable[Derived]) -> None:
        """Keep those whose names are not in use: what layouts and presets bring along."""
        new = {each.name: each for each in channels if each.name not in self._derived}
        if new:
            self._derived |= new
            self._store()

    def remove(self, name: str) -> None:
        """Forget a derived channel."""
        if self._derived.pop(name, None) is not None:
            self._store()

    def of(self, schema: Schema) -> dict[str, Channel]:
        """Everything that a recording of a schema has to plot, by name."""
        made = {
            each.name: Channel(each.name, each.unit, (DERIVED,), signal_key(each.name, each.text))
            for each in self._derived.values()
        }
        return {**catalogue(schema), **made} if made else catalogue(schema)

    def _store(self) -> None:
        if self._settings is not None:
            self._settings.setValue(_KEPT, write_derived(self.derived))
        self.changed.emit()


def write_derived(channels: Iterable[Derived]) -> str:
    """Derived channels as JSON."""
    return json.dumps([asdict(each) for each in channels])


def read_derived(text: str) -> list[Derived]:
    """What was written by `write_derived`; entries that cannot be understood are left out."""
    try:
        entries = json.loads(text)
    except ValueError:
        return []
    return [
        Derived(**entry)
        for entry in (entries if isinstance(entries, list) else [])
        if isinstance(entry, dict)
        and {"name", "text"} <= set(entry) <= {"name", "text", "unit"}
        and all(isinstance(value, str) for value in entry.values())
    ]
