"""Rows of results by what somebody types: ``net_speed > 0.1 and gait.amplitude_deg < 40``.

The text is read by the language of signals, which never runs anything; a column may be called by
its name in the table, whatever characters that has.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np

from snakestudio._arrays import BoolArray
from snakestudio.analysis.signals.nodes import Block, Column, Node, Number, Pointwise
from snakestudio.analysis.signals.reader import VOCABULARY, read
from snakestudio.errors import SignalError
from snakestudio.viewmodel.study import result_columns

_EXAMPLE = "net_speed > 0.1 and gait.amplitude_deg < 40"
_QUOTED = re.compile(r"'([^']*)'|\"([^\"]*)\"")


def rows_where(text: str, columns: Mapping[str, result_columns.Column], count: int) -> BoolArray:
    """Which rows fit a condition, (count,); those of which it cannot be said do not.

    Raises `SignalError` if it is none, in a sentence.

    Parameters
    ----------
    text : str
        Quoted texts are compared with columns of texts.
    count : int
        Rows that there are.
    """
    names: dict[str, str] = {}
    plain = _with_codes(text, columns)
    for name in sorted(columns, key=len, reverse=True):
        # Of the same length, so that places in sentences stay true.
        word = re.sub(r"\W", "_", name, flags=re.ASCII)
        word = word if not word[:1].isdigit() and word not in names else "_" * len(name)
        replaced = re.sub(rf"(?<![\w.]){re.escape(name)}(?!\w|\.\w|\()", word, plain)
        if word in names and replaced != plain:
            raise SignalError(
                f"'{name}' is called as another column is", "give one of them a name in the study"
            )
        names.setdefault(word, name)
        plain = replaced
    vocabulary = replace(VOCABULARY, example=_EXAMPLE)
    try:
        node = read(plain, list(names), (), vocabulary=vocabulary, owner="the results", shown=text)
    except SignalError as error:
        raise SignalError(
            error.message, _renamed(error.remedy, names), error.start, error.stop
        ) from None
    _only_of_a_row(node)
    if not _is_condition(node):
        raise SignalError("this is a number, not a condition", "compare it, like net_speed > 0.1")
    known = {(word, False): columns[name].values for word, name in names.items()}
    reading: Any = SimpleNamespace(times=np.zeros(count))
    with np.errstate(all="ignore"):
        holds: BoolArray = (
            np.nan_to_num(node.values(Block(reading, 0, count, known), 0, count)) != 0.0
        )
    return holds


def _with_codes(text: str, columns: Mapping[str, result_columns.Column]) -> str:
    """Quoted texts, and true and false, as the numbers that they have in the columns they are compared with."""
    codes: dict[str, set[int]] = {}
    for column in columns.values():
        for number, word in enumerate(column.categories):
            codes.setdefault(word, set()).add(number)

    def code(match: re.Match[str]) -> str:
        word = next(group for group in (*match.groups(), match[0]) if group is not None)
        found = codes.get(word, set())
        if not found:
            raise SignalError(
                f'"{word}" is no text of any column',
                f"there are {', '.join(codes) or 'none'}",
                match.start(),
                match.end(),
            )
        if len(found) > 1:
            beside = re.search(r"([\w.+]+)\s*[=!]=\s*$", text[: match.start()])
            column = columns.get(beside[1]) if beside is not None else None
            if column is None or word not in column.categories:
                raise SignalError(f'"{word}" is in several columns', f'write COLUMN == "{word}"')
            found = {column.categories.index(word)}
        return f"{found.pop()}".ljust(len(match[0]))

    text = _QUOTED.sub(code, text)
    return re.sub(r"\b(?:true|false)\b", code, text) if {"true", "false"} & set(codes) else text


def _renamed(remedy: str, names: Mapping[str, str]) -> str:
    """A remedy with the columns' own names instead of the words that stand for them in the text."""
    for word, name in names.items():
        remedy = re.sub(rf"\b{re.escape(word)}\b", lambda _, name=name: name, remedy)  # type: ignore[misc]
    return remedy


def _only_of_a_row(node: Node) -> None:
    """Refuse what looks at other rows, or at time."""
    if not isinstance(node, Number | Column | Pointwise):
        raise SignalError(
            "a point has no course in time", "use columns, numbers, + - * / ^ and comparisons"
        )
    for part in node.parts:
        _only_of_a_row(part)


def _is_condition(node: Node) -> bool:
    """Whether it is true or false: comparisons, and what joins them, are plain numbers that are 0 or 1."""
    probe: Any = SimpleNamespace(times=np.zeros(7))
    samples = np.array([-3.7, -1.0, -0.3, 0.4, 1.9, 6.5, 41.3])
    with np.errstate(all="ignore"):
        values = node.values(Block(probe, 0, 7, dict.fromkeys(node.columns, samples)), 0, 7)
    return bool(np.isin(values[~np.isnan(values)], (0.0, 1.0)).all())
