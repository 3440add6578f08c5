"""Buffer that collects rows in growing arrays until they fill a block."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from snakestudio.model.recording import ContactRows, Rows

_COLUMNS = tuple(f.name for f in fields(Rows) if f.name != "contacts")

_OF_CONTACTS = tuple(f.name for f in fields(ContactRows) if f.name != "count")


class RowBuffer:
    """Buffer for rows that arrive a few at a time; stored rows do not move, so that views stay valid.

    Parameters
    ----------
    capacity : int
        Initial capacity in rows.
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
        capacity = len(self._contacts.get("link", ()))
        last = self._contact_count + len(contacts.link)
        if last > capacity:
            capacity = max(2 * last, 256)
        for name in _OF_CONTACTS:
            _put(self._contacts, name, getattr(contacts, name), self._contact_count, capacity)
        self._count = count
        self._contact_count = last

    def rows(self) -> Rows:
        """Return all rows (views, no copies)."""
        columns = {name: self._columns[name][: self._count] for name in _COLUMNS}
        contacts = {name: self._contacts[name][: self._contact_count] for name in _OF_CONTACTS}
        return Rows(
            **columns,
            contacts=ContactRows(count=self._contacts["count"][: self._count], **contacts),
        )


def _put(
    arrays: dict[str, NDArray[Any]], name: str, values: NDArray[Any], start: int, capacity: int
) -> None:
    """Write `values` from `start` on into an array with space for `capacity` rows."""
    old = arrays.get(name)
    if old is None or len(old) < capacity:
        grown = np.empty((capacity, *values.shape[1:]), values.dtype)
        if old is not None:
            grown[:start] = old[:start]
        arrays[name] = old = grown
    old[start : start + len(values)] = values
