"""Shortest tables for values of links and joints: the common value, and exceptions by index or range."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import Any, TypeVar

T = TypeVar("T", bound=Hashable)

_SAME = 1e-6
"""Relative tolerance for numbers that are equal except for rounding."""

_EXACT = 1e-13
_MOST = 0.6
"""Fraction of the odd or even entries from which their most common value is written for all of them,
followed by exceptions."""


def plain(value: float) -> float:
    """Return a number with as few digits as possible except for rounding: 0.3 for 0.30000000000000004."""
    for digits in (4, 6, 8, 10, 12, 15):
        short = float(f"{value:.{digits}g}")
        if abs(short - value) <= _EXACT * abs(value):
            return short
    return float(value)


def unified(values: Sequence[float]) -> list[float]:
    """Return the numbers with rounding differences removed."""
    result: list[float] = []
    seen: list[float] = []
    for value in values:
        twin = next(
            (other for other in seen if abs(other - value) <= _SAME * max(abs(other), abs(value))),
            None,
        )
        if twin is None:
            twin = plain(value)
            seen.append(twin)
        result.append(twin)
    return result


def most_common(values: Iterable[T]) -> T:
    """Return the most frequent value; the first of several."""
    return Counter(values).most_common(1)[0][0]


def tables(
    differences: Mapping[Hashable, Mapping[int, Any]], count: int, usual: Mapping[Hashable, Any]
) -> list[Any]:
    """Return the entries for values that differ.

    Parameters
    ----------
    differences : mapping
        For each field, the values by 0-based index that differ from the common one.
    count : int
        Number of links or joints.
    usual : mapping
        The common value of each field; needed for exceptions within the odd or even ones.

    Returns
    -------
    list of (index, values)
        Indices in the form used in scenes, and their values by field; wider ranges first.
    """
    entries: dict[int | str, dict[Hashable, Any]] = {}
    for field, values in differences.items():
        for index, value in _entries(values, count, usual.get(field)):
            entries.setdefault(index, {})[field] = value
    return sorted(entries.items(), key=lambda entry: _order(entry[0]))


def _order(index: int | str) -> tuple[int, int]:
    if isinstance(index, int):
        return 2, index
    if index in ("all", "odd", "even"):
        return 0, ("all", "odd", "even").index(index)
    return 1, int(index.partition("-")[0])


def _entries(values: Mapping[int, Any], count: int, usual: Any) -> list[tuple[int | str, Any]]:
    left = dict(values)
    result: list[tuple[int | str, Any]] = []
    if count >= 2 and len(left) == count and len(set(left.values())) == 1:
        return [("all", next(iter(left.values())))]
    for parity, first in (("odd", 0), ("even", 1)):
        members = list(range(first, count, 2))
        if len(members) < 2:
            continue
        inside = [left[k] for k in members if k in left]
        if not inside:
            continue
        value = most_common(inside)
        having = [k for k in members if left.get(k, usual) == value]
        exceptions = [k for k in members if left.get(k, usual) != value]
        if usual is None and any(k not in left for k in exceptions):
            continue  # a missing value cannot be restored
        alone = len(_runs([k for k in left if left[k] == value]))
        if len(having) < _MOST * len(members) or alone <= 1 + len(exceptions):
            continue
        result.append((parity, value))
        for k in having:
            left.pop(k, None)
        for k in exceptions:
            left.setdefault(k, usual)
    for value in dict.fromkeys(left.values()):
        for begin, end in _runs([k for k in left if left[k] == value]):
            result.append((begin + 1 if begin == end else f"{begin + 1}-{end + 1}", value))
    return result


def _runs(indices: Iterable[int]) -> list[tuple[int, int]]:
    """Return the ranges of consecutive indices."""
    runs: list[tuple[int, int]] = []
    for k in sorted(indices):
        if runs and runs[-1][1] == k - 1:
            runs[-1] = runs[-1][0], k
        else:
            runs.append((k, k))
    return runs
