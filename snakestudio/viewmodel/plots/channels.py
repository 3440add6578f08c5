"""What plots, the channel browser and read-outs show of a recording, by name, and where its values come from.

A channel is one column: a name is what is kept of it in layouts and files, and while it is dragged.
Plots keep series: columns whose values are worked out and remembered together. A series is called
by the names of its columns, by the key of a quantity that has many ("link_*_z_m"), or by the
expression of a derived channel.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from snakestudio._arrays import FloatArray
from snakestudio.model.column_units import unit_of
from snakestudio.model.columns import column_names, values_of
from snakestudio.model.quantities import Column, Piece, columns_of, numbered
from snakestudio.model.recording import Schema

if TYPE_CHECKING:
    from snakestudio.analysis.signals import Signal

_SIGNAL = "signal:"
_ORDER = (
    "Centre of mass",
    "Head",
    "Links",
    "Joints",
    "Contacts",
    "Sections",
    "Anchors and supports",
    "Body",
    "Energy and work",
    "Solver",
    "Controller",
)
"""Groups of the channel browser, from the top; others stand behind them."""

_FAMILY_BYTES = 48 * 1024 * 1024
_COLUMN_BYTES = 16 * 1024 * 1024
"""What a column that somebody chose takes at most: over five hours at full detail at 100 rows a
second."""


@dataclass(frozen=True, slots=True)
class Channel:
    """Something that can be plotted."""

    name: str
    """As in a CSV."""

    unit: str
    group: tuple[str, ...]
    """Where it stands in the browser, from the top: ("Links", "Link 6")."""

    series: str
    """Key of the series that holds it alone."""

    help: str = ""
    """What its values are, in a few words; "" for a derived channel."""


@lru_cache(maxsize=8)
def _channels(columns: tuple[Column, ...]) -> dict[str, Channel]:
    found = [
        Channel(
            column.name,
            unit_of(column.name),
            column.group,
            series_key((column.name,)),
            column.quantity.help,
        )
        for column in columns
        if column.filled and column.group
    ]
    return {channel.name: channel for channel in sorted(found, key=_place)}


def catalogue(schema: Schema) -> dict[str, Channel]:
    """All of a recording by name, in the order of the browser: the columns of its CSV, and what is shown beside them.

    What the source does not fill is left out.
    """
    return _channels(tuple(columns_of(schema).by_name.values()))


def _place(channel: Channel) -> tuple[int, int]:
    found = numbered(channel.name)
    group = channel.group[0]
    return _ORDER.index(group) if group in _ORDER else len(_ORDER), 0 if found is None else found[1]


def families(names: Sequence[str]) -> dict[str, tuple[str, ...]]:
    """What every link (joint, section, anchor) has, by "link_*_x_m": the names, in the order of their numbers."""
    members: dict[str, list[tuple[int, str]]] = {}
    for name in names:
        found = numbered(name)
        if found is not None:
            part, number, what = found
            members.setdefault(f"{part}_*_{what}", []).append((number, name))
    return {
        family: tuple(name for _, name in sorted(of))
        for family, of in members.items()
        if len(of) > 1
    }


@dataclass(frozen=True, slots=True)
class Series:
    """Columns of runs of a schema that are worked out and kept together, a row for every row of the recording."""

    names: tuple[str, ...]
    columns: tuple[Column, ...]
    """() of a derived channel, which is not worked out from rows alone, as filters look at rows
    around them."""

    limit: int
    """Bytes that the plots keep of it at most."""

    def values(self, piece: Piece) -> FloatArray:
        """Values of some rows, (k, columns)."""
        return values_of(self.columns, piece)


def series_key(names: Sequence[str]) -> str:
    """Key of the series that holds some columns."""
    return ",".join(names)


def signal_key(name: str, text: str) -> str:
    """Key of the series of a channel called `name` that an expression over the columns gives."""
    return f"{_SIGNAL}{name}={text}"


def is_signal(key: str) -> bool:
    """Whether a key is that of a derived channel."""
    return key.startswith(_SIGNAL)


@lru_cache(maxsize=1024)
def series_of(key: str, schema: Schema) -> Series:
    """The series of a key, of runs of a schema.

    Raises `KeyError` if they have no such columns.
    """
    if is_signal(key):
        return Series((key.removeprefix(_SIGNAL).partition("=")[0],), (), _COLUMN_BYTES)
    known = columns_of(schema)
    if key in known.by_key:
        columns = known.by_key[key]
        return Series(tuple(column.name for column in columns), columns, _FAMILY_BYTES)
    names = tuple(key.split(","))
    return Series(names, tuple(known.by_name[name] for name in names), len(names) * _COLUMN_BYTES)


def is_given(key: str, schema: Schema) -> bool:
    """Whether recordings of a schema tell a series: one over another run may be of another robot."""
    try:
        return all(column.filled for column in series_of(key, schema).columns)
    except KeyError:
        return False


@lru_cache(maxsize=256)
def signal_of(key: str, schema: Schema, other: Schema | None = None) -> Signal | None:
    """The expression of a key; None of a series that rows tell.

    Raises `SignalError` if the run has no such columns, or the expression is wrong.

    Parameters
    ----------
    other : Schema, optional
        Of the run that expressions call the other one.
    """
    if not is_signal(key):
        return None
    from snakestudio.analysis.signals import (
        compile_signal,
    )  # filters take long to import, and few runs need them

    text = key.removeprefix(_SIGNAL).partition("=")[2]
    return compile_signal(text, column_names(schema), () if other is None else column_names(other))
