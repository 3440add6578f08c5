"""Cells of text tables with any delimiter and decimal mark: splitting of lines, and parsing of numbers."""

from __future__ import annotations

import csv
import math
import re

MISSING = frozenset(
    {"", "nan", "na", "n/a", "null", "none", "-", "--", "missing", "inf", "-inf", "#n/a"}
)
"""Cells (lower case) that mean a missing value."""

_NUMBER = {
    ".": re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?\Z"),
    ",": re.compile(r"[+-]?(\d+(,\d*)?|,\d+)([eE][+-]?\d+)?\Z"),
}
_CUT = re.compile(r"\d[,;\t]|[,;\t]\d|[;\t]")
"""Pattern of a cell that contains several numbers."""
_DELIMITERS = ("\t", ";", ",", " ")
_LOOKED_AT = 60
"""Lines used to guess the format, from the end of the file's beginning: headers do not extend that
far."""
_LOOKED_AT_CHARACTERS = 100_000
"""Largest number of characters of these lines: of lines with many columns a few suffice."""
_FEWEST = 4


def decoded(data: bytes) -> str | None:
    """Text of a table: UTF-8 or UTF-16 with a byte order mark, or Latin-1 as from older programs; None if not text.

    Lines end in a line feed.
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
    """Return first lines, limited in number and total characters, but always a few."""
    total = 0
    for i, line in enumerate(lines[:most]):
        total += len(line)
        if total > characters and i >= _FEWEST:
            return lines[:i]
    return lines[:most]


def cells(line: str, delimiter: str) -> list[str]:
    """Return the cells of a line; a space as delimiter means any white space."""
    if delimiter == " ":
        return line.split()
    if '"' in line:
        return [
            cell.strip()
            for cell in next(csv.reader([line], delimiter=delimiter, skipinitialspace=True), [])
        ]
    return [cell.strip() for cell in line.split(delimiter)]


def is_number(cell: str, decimal: str) -> bool:
    """Return whether a cell contains a number."""
    return _NUMBER[decimal].match(cell) is not None


def number(cell: str, decimal: str) -> float:
    """Return the number in a cell; NaN if it is marked as missing.

    Raises `ValueError` otherwise.
    """
    if is_number(cell, decimal):
        value = float(cell.replace(",", "."))
        if math.isfinite(value):
            return value
    if cell.lower() in MISSING:
        return math.nan
    raise ValueError(cell)


def delimiter_and_decimal(lines: list[str]) -> tuple[str, str]:
    """Return the delimiter of the cells in these lines, and decimal mark.

    The best guess leaves the most numeric cells in the most columns. Text cells do not count against a
    guess, but cells that contain another delimiter suggest wrong splitting.
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
            if columns < 2 * len(tail):  # a table has at least two columns
                continue
            even = max(widths.values()) / len(tail)
            # If two decimal marks read every cell, the one that occurs in cells is right.
            score = (good - 3.0 * wrong) / max(1, len(tail)) * even + (0.01 if fractions else 0.0)
            if score > best:
                best = score
                chosen = (delimiter, decimal)
    return chosen
