"""Cells of text tables, whatever their delimiter and decimal mark: lines into cells, and cells into numbers."""

from __future__ import annotations

import csv
import math
import re

MISSING = frozenset(
    {"", "nan", "na", "n/a", "null", "none", "-", "--", "missing", "inf", "-inf", "#n/a"}
)
"""Cells (small letters) that tell that there is no value."""

_NUMBER = {
    ".": re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?\Z"),
    ",": re.compile(r"[+-]?(\d+(,\d*)?|,\d+)([eE][+-]?\d+)?\Z"),
}
_CUT = re.compile(r"\d[,;\t]|[,;\t]\d|[;\t]")
"""In a cell: it holds several numbers."""
_DELIMITERS = ("\t", ";", ",", " ")
_LOOKED_AT = 60
"""Lines that a guess looks at, from the end of the file's beginning: headers do not reach so
far."""
_LOOKED_AT_CHARACTERS = 100_000
"""Characters of them: of lines with very many columns a few tell enough."""
_FEWEST = 4


def decoded(data: bytes) -> str | None:
    """The text of a table: UTF-8 or UTF-16 with its mark, or Latin-1 as older programs write; None if it is not text.

    Its lines end in a line feed.
    """
    if data[:2] in (b"\xff\xfe", b"\xfe\xff"):
        text = data.decode("utf-16", errors="replace")
    elif b"\0" in data[:4096]:
        return None
    else:
        try:
            text = data.decode("utf-8-sig")
        except UnicodeDecodeError:
            text = data.decode("latin-1")
    return text.replace("\r\n", "\n").replace("\r", "\n") if "\r" in text else text


def beginning_of(lines: list[str], most: int, characters: int) -> list[str]:
    """The first lines, so many at most and no more characters than that in all; a few in any case."""
    total = 0
    for i, line in enumerate(lines[:most]):
        total += len(line)
        if total > characters and i >= _FEWEST:
            return lines[:i]
    return lines[:most]


def cells(line: str, delimiter: str) -> list[str]:
    """The cells of a line; a blank as delimiter stands for any white space."""
    if delimiter == " ":
        return line.split()
    if '"' in line:
        return [
            cell.strip()
            for cell in next(csv.reader([line], delimiter=delimiter, skipinitialspace=True), [])
        ]
    return [cell.strip() for cell in line.split(delimiter)]


def is_number(cell: str, decimal: str) -> bool:
    """Whether a cell is written as a number."""
    return _NUMBER[decimal].match(cell) is not None


def number(cell: str, decimal: str) -> float:
    """The number in a cell; NaN where it tells that there is none.

    Raises `ValueError` if it is neither.
    """
    if is_number(cell, decimal):
        value = float(cell.replace(",", "."))
        if math.isfinite(value):
            return value
    if cell.lower() in MISSING:
        return math.nan
    raise ValueError(cell)


def delimiter_and_decimal(lines: list[str]) -> tuple[str, str]:
    """What separates the cells of these lines, and the whole from the fraction.

    What leaves most cells that are numbers, in most columns, is right. A text is none the worse for
    being a text, but one that holds another delimiter seems to be cut at the wrong places.
    """
    full = [line for line in lines if line.strip() and not line.lstrip().startswith("#")]
    tail = full[max(0, min(len(full) - _LOOKED_AT, 20)) :]
    tail = beginning_of(tail, _LOOKED_AT, _LOOKED_AT_CHARACTERS)
    best = -math.inf
    chosen = (",", ".")
    for delimiter in _DELIMITERS:
        for decimal in ".,":
            if delimiter == decimal:
                continue
            good = columns = wrong = fractions = 0
            widths: dict[int, int] = {}
            for line in tail:
                row = cells(line[:_LOOKED_AT_CHARACTERS], delimiter)
                columns += len(row)
                widths[len(row)] = widths.get(len(row), 0) + 1
                for cell in row:
                    if is_number(cell, decimal):
                        good += 1
                        fractions += decimal in cell
                    elif cell.lower() not in MISSING:
                        wrong += _CUT.search(cell) is not None
            if columns < 2 * len(tail):  # a table has two columns at least
                continue
            even = max(widths.values()) / len(tail)
            # Of two marks that both read every cell, the one that cells have is the decimal one.
            score = (good - 3.0 * wrong) / max(1, len(tail)) * even + (0.01 if fractions else 0.0)
            if score > best:
                best = score
                chosen = (delimiter, decimal)
    return chosen
