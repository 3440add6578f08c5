"""Rows that come in parts, until they make a block: large parts stay as they came, single rows are gathered."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from snakestudio.model.recording import ContactRows, Rows

__all__ = ["RowParts"]

# Rows gathered in arrays that grow, until they make a block.

_COLUMNS = tuple(f.name for f in fields(Rows) if f.name != "contacts")
_OF_CONTACTS = tuple(f.name for f in fields(ContactRows) if f.name != "count")


class RowBuffer:
    """Rows that come a few at a time; those that are in it do not move, so that views of them stay right.

    Parameters
    ----------
    capacity : int
        Rows to make room for at first.
    """

    def __init__(self, capacity: int) -> None:
        self._capacity = capacity
        self._count = 0
        self._contact_count = 0
        self._columns: dict[str, NDArray[Any]] = {}
        self._contacts: dict[str, NDArray[Any]] = {}

    def __len__(self) -> int:
        return self._count

    def append(self, rows: Rows) -> None:
        """Add rows at the end."""
        count = self._count + len(rows)
        if count > self._capacity:
            self._capacity = max(2 * self._capacity, count)
        for name in _COLUMNS:
            _put(self._columns, name, getattr(rows, name), self._count, self._capacity)
        contacts = rows.contacts
        _put(self._contacts, "count", contacts.count, self._count, self._capacity)
        room = len(self._contacts.get("link", ()))
        last = self._contact_count + len(contacts.link)
        if last > room:
            room = max(2 * last, 256)
        for name in _OF_CONTACTS:
            _put(self._contacts, name, getattr(contacts, name), self._contact_count, room)
        self._count = count
        self._contact_count = last

    def rows(self) -> Rows:
        """All of them (views, no copies)."""
        columns = {name: self._columns[name][: self._count] for name in _COLUMNS}
        contacts = {name: self._contacts[name][: self._contact_count] for name in _OF_CONTACTS}
        return Rows(
            **columns,
            contacts=ContactRows(count=self._contacts["count"][: self._count], **contacts),
        )


def _put(
    arrays: dict[str, NDArray[Any]], name: str, values: NDArray[Any], start: int, capacity: int
) -> None:
    """Write `values` from `start` on into an array that has room for `capacity`."""
    old = arrays.get(name)
    if old is None or len(old) < capacity:
        grown = np.empty((capacity, *values.shape[1:]), values.dtype)
        if old is not None:
            grown[:start] = old[:start]
        arrays[name] = old = grown
    old[start : start + len(values)] = values


# Rows that come in parts, until they make a block: large parts stay as they came, single rows are
# gathered.

_LARGE = 16
"""Rows of a part that are worth keeping as they came: copying them costs more than handling one
part more."""

_FIRST_ROOM = 16


class RowParts:
    """Rows in the order in which they came; those that are in it do not move, so that views of them stay right."""

    def __init__(self) -> None:
        self._parts: list[Rows | RowBuffer] = []
        self._firsts: list[int] = []
        self._count = 0

    def __len__(self) -> int:
        return self._count

    def append(self, rows: Rows) -> None:
        """Add rows at the end; large parts are kept as they are."""
        last = self._parts[-1] if self._parts else None
        if len(rows) < _LARGE and isinstance(last, RowBuffer):
            last.append(rows)
        else:
            self._firsts.append(self._count)
            if len(rows) < _LARGE:
                gathering = RowBuffer(_FIRST_ROOM)
                gathering.append(rows)
                self._parts.append(gathering)
            else:
                self._parts.append(rows)
        self._count += len(rows)

    def rows(self) -> Rows:
        """All of them, joined; at least one."""
        return Rows.concatenate(
            [part if isinstance(part, Rows) else part.rows() for part in self._parts]
        )

    def part_with(self, row: int) -> tuple[int, Rows]:
        """The part that a row is in, and the number of its first row."""
        number = bisect_right(self._firsts, row) - 1
        part = self._parts[number]
        return self._firsts[number], part if isinstance(part, Rows) else part.rows()
