"""Channels of a recording for plots, the channel browser and read-outs, and the series of their values.

A channel is one column; layouts, files and drags contain its name. Plots cache series: columns
whose values are computed and stored together. The key of a series is the names of its columns, the
key of a quantity with many columns ("link_*_z_m"), or the expression of a derived channel.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from snakestudio._arrays import FloatArray
from snakestudio.model.column_help import ENERGY_HELP
from snakestudio.model.column_units import unit_of
from snakestudio.model.columns import Column, column_names, columns_of, values_of
from snakestudio.model.piece import Piece
from snakestudio.model.quantities import numbered
from snakestudio.model.recording import Schema

if TYPE_CHECKING:
    from snakestudio.analysis.signals import Signal

_SIGNAL = "signal:"
_ORDER = (
    "Centre of mass",
    "Heading",
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
"""Groups of the channel browser from the top; other groups follow them."""

_FAMILY_BYTES = 48 * 1024 * 1024
_COLUMN_BYTES = 16 * 1024 * 1024
"""Memory limit of a chosen column, bytes: over five hours in full detail at 100 rows per second."""


@dataclass(frozen=True, slots=True)
class Channel:
    """Column that can be plotted."""

    name: str
    """Name as in a CSV."""

    unit: str
    group: tuple[str, ...]
    """Path in the channel browser: ("Links", "Link 6")."""

    series: str
    """Key of the series of this channel alone."""

    help: str = ""
    """Short description of the values; "" for a derived channel."""


@lru_cache(maxsize=8)
def _channels(columns: tuple[Column, ...]) -> dict[str, Channel]:
    channels = [
        Channel(
            column.name,
            unit_of(column.name),
            column.group,
            series_key((column.name,)),
            ENERGY_HELP.get(column.name, column.quantity.help),
        )
        for column in columns
        if column.filled and column.group
    ]
    return {channel.name: channel for channel in sorted(channels, key=_sort_key)}


def catalogue(schema: Schema) -> dict[str, Channel]:
    """Return all channels by name, in the order of the browser: CSV columns and additional ones.

    Columns that the source does not fill are omitted.
    """
    return _channels(tuple(columns_of(schema).by_name.values()))


def _sort_key(channel: Channel) -> tuple[int, int]:
    parts = numbered(channel.name)
    group = channel.group[0]
    return _ORDER.index(group) if group in _ORDER else len(_ORDER), 0 if parts is None else parts[1]


def families(names: Sequence[str]) -> dict[str, tuple[str, ...]]:
    """Return the names of the same column of all links (joints, sections, anchors), by "link_*_x_m"."""
    members: dict[str, list[tuple[int, str]]] = {}
    for name in names:
        parts = numbered(name)
        if parts is not None:
            part, number, what = parts
            members.setdefault(f"{part}_*_{what}", []).append((number, name))
    return {
        family: tuple(name for _, name in sorted(of))
        for family, of in members.items()
        if len(of) > 1
    }


@dataclass(frozen=True, slots=True)
class Series:
    """Columns of runs with a schema that are computed and stored together, one row per recorded row."""

    names: tuple[str, ...]
    columns: tuple[Column, ...]
    """Columns of the series; () for a derived channel, whose filters also need neighbouring rows."""

    limit: int
    """Memory limit of the series in plots, bytes."""

    def values(self, piece: Piece) -> FloatArray:
        """Return the values of some rows, (k, columns)."""
        return values_of(self.columns, piece)


def series_key(names: Sequence[str]) -> str:
    """Return the key of the series of some columns."""
    return ",".join(names)


def signal_key(name: str, text: str) -> str:
    """Return the key of the series of a derived channel `name` with an expression over the columns."""
    return f"{_SIGNAL}{name}={text}"


def is_signal(key: str) -> bool:
    """Return whether a key is that of a derived channel."""
    return key.startswith(_SIGNAL)


@lru_cache(maxsize=1024)
def series_of(key: str, schema: Schema) -> Series:
    """Return the series of a key for runs with a schema.

    Raises `KeyError` if the schema lacks the columns.
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
    """Return whether recordings with a schema have a series; overlaid runs can be of other robots."""
    try:
        return all(column.filled for column in series_of(key, schema).columns)
    except KeyError:
        return False


@lru_cache(maxsize=256)
def signal_of(key: str, schema: Schema, other: Schema | None = None) -> Signal | None:
    """Return the expression of a key; None for a series of recorded columns.

    Raises `SignalError` if the run lacks the columns or the expression is invalid.

    Parameters
    ----------
    other : Schema, optional
        Schema of the run that expressions call the other one.
    """
    if not is_signal(key):
        return None
    from snakestudio.analysis.signals import (
        compile_signal,
    )  # filters are slow to import and rarely needed

    text = key.removeprefix(_SIGNAL).partition("=")[2]
    return compile_signal(text, column_names(schema), () if other is None else column_names(other))
