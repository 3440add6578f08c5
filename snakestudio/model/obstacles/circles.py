"""Circles imported from files of other programs, parsed from tables, and the reporting of errors in such files.

A table has x, y and radius, with any delimiter, header and unit.
"""

from __future__ import annotations

import csv
import math
import re
from collections.abc import Sequence
from typing import NamedTuple

from snakestudio.errors import Problem, SceneError
from snakestudio.inputs import count

MAX_OBSTACLES = 20_000
_MOST = 20


class Circle(NamedTuple):
    """Circle in a file: centre and radius in the file's unit, and its location in the file."""

    x: float
    y: float
    radius: float
    where: str
    name: str = ""


class Circles(NamedTuple):
    """Content of an imported file."""

    circles: tuple[Circle, ...]
    unit: str
    """Key of `UNITS`: the unit stated in the file, or the default."""

    stated: str
    """Origin of the unit, for users ("as the column names show")."""

    notes: tuple[str, ...] = ()
    """Sentences on ignored content."""


def refuse(source: str, mistakes: Sequence[str]) -> SceneError:
    """Return the error that lists the problems of a file, one per line."""
    lines = list(mistakes[:_MOST])
    if len(mistakes) > _MOST:
        lines.append(f"... and {len(mistakes) - _MOST} more problems.")
    return SceneError(
        "\n".join(f"{source}: {line}" for line in lines),
        [Problem("error", "", m, "") for m in mistakes],
    )


_LONGEST_LINE = 10_000
_DELIMITERS = (";", "\t", ",", " ")
_COLUMN = re.compile(
    r"(?:cent(?:er|re)|position|pos)?[ _]*(?P<what>x|y|radius|rad|r|diameter|dia|d|name|label)"
    r"[ _]*[(\[]?(?P<unit>mm|cm|m|in)?[)\]]?\Z"
)
_MEANING = {"rad": "radius", "r": "radius", "dia": "diameter", "d": "diameter", "label": "name"}
_NUMBER = re.compile(r"[+-]?(\d+([.,]\d*)?|[.,]\d+)([eE][+-]?\d+)?\Z")


def circles_of_csv(text: str, source: str) -> Circles:
    """Read circles from a table: ``x, y, radius``, or columns named by a header (``x_mm``, ``diameter [cm]``).

    Empty lines and lines that start with # are skipped. With delimiters other than the comma, numbers
    can have decimal commas.

    Raises `SceneError` with every invalid line; nothing is imported then.
    """
    lines = [
        (number, line)
        for number, line in enumerate(text.splitlines(), 1)
        if line.strip() and not line.lstrip().startswith("#")
    ]
    if not lines:
        raise refuse(source, ["the file contains no obstacles; add lines of x, y, radius."])
    count(len(lines), 2 * MAX_OBSTACLES, "lines in it")
    if max(len(line) for _, line in lines) > _LONGEST_LINE:
        raise refuse(
            source,
            [f"a line is longer than {_LONGEST_LINE} characters; use lines of x, y, radius."],
        )
    delimiter = _delimiter(lines[0][1])
    rows = [(number, _cells(line, delimiter)) for number, line in lines]
    columns = ["x", "y", "radius"]
    unit = ""
    notes: list[str] = []
    first_line, first = rows[0]
    if not any(_NUMBER.match(cell) for cell in first):
        columns, unit, notes = _header(first, first_line, source)
        rows = rows[1:]
        if not rows:
            raise refuse(
                source,
                [f"line {first_line} is a header without rows; add lines of x, y, radius."],
            )
    circles = []
    mistakes = []
    for number, cells in rows:
        try:
            circles.append(_circle(cells, columns, delimiter, f"line {number}"))
        except ValueError as error:
            mistakes.append(f"line {number}: {error}.")
    if mistakes:
        raise refuse(source, mistakes)
    stated = "from the column names" if unit else "the default because the file states none"
    return Circles(tuple(circles), unit or "m", stated, tuple(notes))


def _delimiter(line: str) -> str:
    return next((mark for mark in _DELIMITERS if mark in line.strip()), ",")


def _cells(line: str, delimiter: str) -> list[str]:
    if delimiter == " ":
        return line.split()
    try:
        return [
            cell.strip()
            for cell in next(csv.reader([line], delimiter=delimiter, skipinitialspace=True))
        ]
    except csv.Error:
        return [line]  # a line that is not a row of numbers is reported later


def _header(cells: list[str], line: int, source: str) -> tuple[list[str], str, list[str]]:
    """Return the meaning of each column ("" if ignored), their unit, and notes on ignored columns."""
    columns = []
    units = set()
    unknown = []
    for cell in cells:
        match = _COLUMN.match(cell.strip().lower())
        what = _MEANING.get(match["what"], match["what"]) if match else ""
        if not what or what in columns:
            columns.append("")
            unknown.append(cell or "(no name)")
            continue
        columns.append(what)
        if match and match["unit"]:
            units.add(match["unit"])
    missing = [name for name in "xy" if name not in columns]
    mistakes = [
        f"line {line}: there is no column {name}; name the columns x, y, radius."
        for name in missing
    ]
    if not {"radius", "diameter"} & set(columns):
        mistakes.append(
            f"line {line}: there is no column radius or diameter; name the columns x, y, radius."
        )
    if len(units) > 1:
        mistakes.append(
            f"line {line}: the columns have several units ({', '.join(sorted(units))}); use one unit for all columns."
        )
    if mistakes:
        raise refuse(source, mistakes)
    notes = [f"Ignored columns: {', '.join(unknown)}."] if unknown else []
    return columns, units.pop() if units else "", notes


def _circle(cells: list[str], columns: list[str], delimiter: str, where: str) -> Circle:
    if len(cells) != len(columns):
        expected = ", ".join(name or "..." for name in columns)
        raise ValueError(f"{len(cells)} values instead of {len(columns)} ({expected})")
    fields = dict(zip(columns, cells, strict=True))
    radius = (
        _number(fields["radius"], "radius", delimiter)
        if "radius" in fields
        else 0.5 * _number(fields["diameter"], "diameter", delimiter)
    )
    if radius <= 0:
        named = "radius" if "radius" in fields else "diameter"
        raise ValueError(f"the {named} {fields[named]} must be greater than 0")
    x, y = _number(fields["x"], "x", delimiter), _number(fields["y"], "y", delimiter)
    return Circle(x, y, radius, where, fields.get("name", ""))


def _number(text: str, name: str, delimiter: str) -> float:
    if _NUMBER.match(text) and not (delimiter == "," and "," in text):
        number = float(text.replace(",", "."))
        if math.isfinite(number):
            return number
    raise ValueError(f'{name} "{text}" is not a number' if text else f"{name} is missing")
