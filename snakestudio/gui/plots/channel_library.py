"""Library of the channels of a recording and the derived channels of the user, by name."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass

from PySide6.QtCore import QObject, QSettings, Signal

from snakestudio.gui.core.settings import Setting
from snakestudio.model.recording import Schema
from snakestudio.viewmodel.plots.channels import Channel, catalogue, signal_key

DERIVED = "Derived"
"""Group of derived channels in the browser."""

_DERIVED = Setting(
    "plots/derived",
    "",
    "Derived channels",
    "Channels that the user derived, as JSON",
    remembered=True,
)


@dataclass(frozen=True, slots=True)
class DerivedChannel:
    """A channel computed from others."""

    name: str
    """Name that differs from all columns of a run, preferably with the unit as suffix."""

    text: str
    """Expression over the columns of a run."""

    unit: str = ""


class ChannelLibrary(QObject):
    """The channels that can be plotted, by name.

    Parameters
    ----------
    settings : QSettings, optional
        Storage of the user's derived channels; if omitted, they are not stored.

    Signals
    -------
    changed()
        A derived channel was added, removed or changed.
    """

    changed = Signal()

    def __init__(self, settings: QSettings | None = None, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._settings = settings
        self._derived: dict[str, DerivedChannel] = {}
        if settings is not None:
            self._derived = {each.name: each for each in read_derived(_DERIVED.load(settings))}

    @property
    def derived(self) -> tuple[DerivedChannel, ...]:
        """The derived channels, in the order of their creation."""
        return tuple(self._derived.values())

    def __getitem__(self, name: str) -> DerivedChannel:
        return self._derived[name]

    def __contains__(self, name: object) -> bool:
        return name in self._derived

    def put(self, channel: DerivedChannel, instead_of: str = "") -> None:
        """Store a derived channel, replacing the one of its name or the one named `instead_of`."""
        if instead_of and instead_of != channel.name and instead_of in self._derived:
            self._derived = {
                (channel.name if name == instead_of else name): (
                    channel if name == instead_of else each
                )
                for name, each in self._derived.items()
                if name != channel.name
            }
        self._derived[channel.name] = channel
        self._store()

    def add(self, channels: Iterable[DerivedChannel]) -> None:
        """Add the channels of a layout or preset whose names are not in use."""
        new = {each.name: each for each in channels if each.name not in self._derived}
        if new:
            self._derived |= new
            self._store()

    def remove(self, name: str) -> None:
        """Remove a derived channel."""
        if self._derived.pop(name, None) is not None:
            self._store()

    def of(self, schema: Schema) -> dict[str, Channel]:
        """Return all channels of a recording with the given schema, by name."""
        derived = {
            each.name: Channel(each.name, each.unit, (DERIVED,), signal_key(each.name, each.text))
            for each in self._derived.values()
        }
        return {**catalogue(schema), **derived} if derived else catalogue(schema)

    def _store(self) -> None:
        if self._settings is not None:
            _DERIVED.store(self._settings, write_derived(self.derived))
        self.changed.emit()


def write_derived(channels: Iterable[DerivedChannel]) -> str:
    """Return derived channels as JSON."""
    return json.dumps([asdict(each) for each in channels])


def read_derived(text: str) -> list[DerivedChannel]:
    """Return the derived channels written by `write_derived`; invalid entries are skipped."""
    try:
        entries = json.loads(text)
    except ValueError:
        return []
    return [
        DerivedChannel(**entry)
        for entry in (entries if isinstance(entries, list) else [])
        if isinstance(entry, dict)
        and {"name", "text"} <= set(entry) <= {"name", "text", "unit"}
        and all(isinstance(value, str) for value in entry.values())
    ]
