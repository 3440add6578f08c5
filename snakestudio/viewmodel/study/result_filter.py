"""Filter of rows of results by a typed condition: ``net_speed > 0.1 and gait.amplitude_deg < 40``.

The condition is parsed as a signal expression, which never runs code. Columns have their names in
the table, with any characters.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np

from snakestudio._arrays import BoolArray
from snakestudio.analysis.signals.nodes import Block, Column, Node, Number, PointwiseFunction
from snakestudio.analysis.signals.reader import VOCABULARY, read
from snakestudio.errors import SignalError
from snakestudio.viewmodel.study import result_columns

_EXAMPLE = "net_speed > 0.1 and gait.amplitude_deg < 40"
_QUOTED = re.compile(r"'([^']*)'|\"([^\"]*)\"")


def rows_where(
    text: str, columns: Mapping[str, result_columns.ResultColumn], count: int
) -> BoolArray:
    """Return which rows satisfy a condition, (count,); undefined rows do not.

    Raises `SignalError` if the condition is not valid.

    Parameters
    ----------
    text : str
        Condition; quoted texts are compared with columns of texts.
    count : int
        Number of rows.
    """
    names: dict[str, str] = {}
    plain = _with_codes(text, columns)
    for name in sorted(columns, key=len, reverse=True):
        # Same length, so that positions in messages remain correct.
        placeholder = re.sub(r"\W", "_", name, flags=re.ASCII)
        placeholder = (
            placeholder
            if not placeholder[:1].isdigit() and placeholder not in names
            else "_" * len(name)
        )
        replaced = re.sub(rf"(?<![\w.]){re.escape(name)}(?!\w|\.\w|\()", placeholder, plain)
        if placeholder in names and replaced != plain:
            raise SignalError(
                f"two columns have the name '{name}'", "name one of them in the study"
            )
        names.setdefault(placeholder, name)
        plain = replaced
    vocabulary = replace(VOCABULARY, example=_EXAMPLE)
    try:
        node = read(plain, list(names), (), vocabulary=vocabulary, owner="the results", label=text)
    except SignalError as error:
        raise SignalError(
            error.message, _renamed(error.remedy, names), error.start, error.stop
        ) from None
    _only_of_a_row(node)
    if not _is_condition(node):
        raise SignalError(
            "this is a number, not a condition", "compare it, for example net_speed > 0.1"
        )
    known = {(placeholder, False): columns[name].values for placeholder, name in names.items()}
    reading: Any = SimpleNamespace(times=np.zeros(count))
    with np.errstate(all="ignore"):
        holds: BoolArray = (
            np.nan_to_num(node.values(Block(reading, 0, count, known), 0, count)) != 0.0
        )
    return holds


def _with_codes(text: str, columns: Mapping[str, result_columns.ResultColumn]) -> str:
    """Replace quoted texts, true and false with their numbers in the compared columns."""
    codes: dict[str, set[int]] = {}
    for column in columns.values():
        for number, category in enumerate(column.categories):
            codes.setdefault(category, set()).add(number)

    def code(match: re.Match[str]) -> str:
        category = next(group for group in (*match.groups(), match[0]) if group is not None)
        numbers = codes.get(category, set())
        if not numbers:
            raise SignalError(
                f'"{category}" is not a text of any column',
                f"there are {', '.join(codes) or 'none'}",
                match.start(),
                match.end(),
            )
        if len(numbers) > 1:
            compared = re.search(r"([\w.+]+)\s*[=!]=\s*$", text[: match.start()])
            column = columns.get(compared[1]) if compared is not None else None
            if column is None or category not in column.categories:
                raise SignalError(
                    f'"{category}" is in several columns', f'write COLUMN == "{category}"'
                )
            numbers = {column.categories.index(category)}
        return f"{numbers.pop()}".ljust(len(match[0]))

    text = _QUOTED.sub(code, text)
    return re.sub(r"\b(?:true|false)\b", code, text) if {"true", "false"} & set(codes) else text


def _renamed(remedy: str, names: Mapping[str, str]) -> str:
    """Return the remedy with the real names of columns instead of their substitutes."""
    for placeholder, name in names.items():
        remedy = re.sub(rf"\b{re.escape(placeholder)}\b", lambda _, name=name: name, remedy)  # type: ignore[misc]
    return remedy


def _only_of_a_row(node: Node) -> None:
    """Raise `SignalError` if an expression depends on other rows or on time."""
    if not isinstance(node, Number | Column | PointwiseFunction):
        raise SignalError(
            "a point has no time series", "use columns, numbers, + - * / ^ and comparisons"
        )
    for part in node.parts:
        _only_of_a_row(part)


def _is_condition(node: Node) -> bool:
    """Return whether an expression is a condition; comparisons and their combinations are numbers 0 or 1."""
    probe: Any = SimpleNamespace(times=np.zeros(7))
    samples = np.array([-3.7, -1.0, -0.3, 0.4, 1.9, 6.5, 41.3])
    with np.errstate(all="ignore"):
        values = node.values(Block(probe, 0, 7, dict.fromkeys(node.columns, samples)), 0, 7)
    return bool(np.isin(values[~np.isnan(values)], (0.0, 1.0)).all())
