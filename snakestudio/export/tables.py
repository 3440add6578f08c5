"""Tables as values: displayed in the window, printed on the command line, and written to all report formats."""

from __future__ import annotations

import csv
import io
import math
import re
import textwrap
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

MISSING = "-"
"""Text of a cell without a value, or whose value cannot be determined."""

_LINE = 90
"""Characters per line of prose in a text table."""

_SUFFIXES = {"°": "deg", "°/s": "degps", "m/s": "mps", "%": "percent"}
"""Units in column names that are not just the unit in lower case."""


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a table."""

    title: str
    """Title; a line break splits it into two lines where space is limited."""
    unit: str = ""
    """Unit of all its cells; a unit that differs by row is in `Row.unit`."""
    is_text: bool = False
    """Whether it contains left-aligned text instead of numbers."""
    is_prose: bool = False
    """Whether its texts are sentences, which are wrapped."""
    parts: tuple[str, ...] = ()
    """Names of the values in a cell with several, such as the ends of an interval."""
    name: str = ""
    """Name in a CSV, without the unit; derived from the title if empty."""
    is_main: bool = False
    """Whether it is the main result: bold in the window."""
    tip: str = ""
    """Description in a sentence."""

    @property
    def one_line(self) -> str:
        """Title without line breaks."""
        return " ".join(self.title.split())

    @property
    def heading(self) -> str:
        """Title in one line, with the unit."""
        return f"{self.one_line} ({self.unit})" if self.unit else self.one_line

    @property
    def titles(self) -> tuple[str, ...]:
        """Headings of its values, one per part."""
        if not self.parts:
            return (self.heading,)
        return tuple(
            f"{self.one_line}, {part}" + (f" ({self.unit})" if self.unit else "")
            for part in self.parts
        )

    @property
    def names(self) -> tuple[str, ...]:
        """Names of its values in a CSV, one per part."""
        own = self.name or _identifier(self.one_line)
        unit = f"_{_suffix(self.unit)}" if self.unit else ""
        return tuple(f"{own}_{_identifier(part)}{unit}" for part in self.parts) or (f"{own}{unit}",)


@dataclass(frozen=True, slots=True)
class Cell:
    """A cell of a table: its text, and the exact values."""

    text: str
    values: tuple[float, ...] = ()
    """In the unit of the column or row, with all digits; empty for text."""
    role: str = ""
    """Colour of the text in the window, as a name in the palette."""

    @property
    def value(self) -> float:
        """Sort key of the cell; NaN if it has no number."""
        return self.values[0] if self.values else math.nan


@dataclass(frozen=True, slots=True)
class Row:
    """A row of a table."""

    cells: tuple[Cell, ...]
    unit: str = ""
    """Unit of its numbers, if rows have different units."""
    tip: str = ""
    """Description of the row, in one or more lines."""
    is_summary: bool = False
    """Whether it stays below the other rows when they are sorted."""


@dataclass(frozen=True, slots=True)
class Table:
    """A table with its heading."""

    heading: str
    columns: tuple[Column, ...]
    rows: tuple[Row, ...]
    note: str = ""
    """Remarks on its values, below the table."""
    may_have_units: bool = False
    """Whether there is a unit column even if no row has a unit, so that files always have the same
    columns."""

    @property
    def has_units(self) -> bool:
        """Whether rows have their own units."""
        return self.may_have_units or any(row.unit for row in self.rows)

    @property
    def label_column(self) -> int:
        """Index of the last of the leading text columns, which is followed by the unit."""
        count = next(
            (k for k, column in enumerate(self.columns) if not column.is_text), len(self.columns)
        )
        return max(0, count - 1)

    @property
    def n_left(self) -> int:
        """Number of leading left-aligned columns of `head` and `texts`."""
        return self.label_column + 1 + self.has_units

    def head(self) -> tuple[str, ...]:
        """Return the headings of the columns, including that of the units of the rows."""
        return self._with_unit([column.heading for column in self.columns], "unit")

    def texts(self) -> list[tuple[str, ...]]:
        """Return the texts of all rows, including their units."""
        return [self._with_unit([cell.text for cell in row.cells], row.unit) for row in self.rows]

    def _with_unit(self, texts: list[str], unit: str) -> tuple[str, ...]:
        at = self.label_column + 1
        return (*texts[:at], unit, *texts[at:]) if self.has_units else tuple(texts)


def text_cells(*texts: str, role: str = "") -> tuple[Cell, ...]:
    """Return the cells with texts."""
    return tuple(Cell(text, role=role) for text in texts)


def number(value: float, digits: int = 4) -> str:
    """Return a value for tables, in few characters."""
    if value == 0 or 1e-3 <= abs(value) < 1e5:
        return f"{value:.{digits}g}"
    mantissa, _, exponent = f"{value:.{digits - 1}e}".partition("e")
    return f"{mantissa}e{int(exponent)}"


def number_cell(value: float, digits: int = 4, role: str = "") -> Cell:
    """Return a cell with a number; a dash if it is not finite."""
    return Cell(number(value, digits) if math.isfinite(value) else MISSING, (value,), role)


# --- as text --------------------------------------------------------------------------------------


def aligned(rows: Sequence[tuple[str, ...]], left: int = 1) -> str:
    """Cells in columns separated by two spaces; the first `left` columns are left-aligned, the others right-aligned."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = []
    for row in rows:
        cells = [
            cell.ljust(width) if index < left else cell.rjust(width)
            for index, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        lines.append("  ".join(cells).rstrip())
    return "\n".join(lines)


def table_text(table: Table) -> str:
    """Return a table as text lines under its heading."""
    titles = table._with_unit(
        [f"{column.title}{_in_brackets(column.unit)}" for column in table.columns], "unit"
    )
    depth = max(title.count("\n") for title in titles) + 1
    heads = [title.split("\n") for title in titles]
    rows = [tuple(head[k] if k < len(head) else "" for head in heads) for k in range(depth)]
    for texts in table.texts():
        rows += _wrapped(table, texts)
    block = aligned(rows, table.n_left)
    return f"{table.heading}\n{block}" if table.heading else block


def _in_brackets(unit: str) -> str:
    return f" ({unit})" if unit else ""


def _wrapped(table: Table, texts: tuple[str, ...]) -> list[tuple[str, ...]]:
    """Return the lines of a row: several if its last cell contains long prose."""
    if not table.columns[-1].is_prose:
        return [texts]
    first, *others = textwrap.wrap(texts[-1], _LINE) or [""]
    blank = ("",) * (len(texts) - 1)
    return [(*texts[:-1], first), *((*blank, line) for line in others)]


def table_markdown(table: Table) -> str:
    """Return a table in Markdown, without its heading."""
    rules = ["---" if index < table.n_left else "---:" for index in range(len(table.head()))]
    lines = [_markdown_row(table.head()), f"| {' | '.join(rules)} |"]
    lines += [_markdown_row(texts) for texts in table.texts()]
    return "\n".join(lines)


def _markdown_row(cells: Iterable[str]) -> str:
    return f"| {' | '.join(markdown_text(' '.join(cell.split())).replace('|', chr(92) + '|') for cell in cells)} |"


def markdown_text(text: str) -> str:
    """User or file text in Markdown, escaped."""
    return re.sub(r"([\\`*_\[\]<>#])", r"\\\1", text)


# --- with every digit -----------------------------------------------------------------------------


def tab_separated(table: Table, rows: Iterable[int] | None = None) -> str:
    """Return the rows of a table (all if omitted) for spreadsheets: columns separated by tabs, with all digits.

    The head has the column names with their units; the ends of an interval are separate columns.
    """
    chosen = table.rows if rows is None else [table.rows[index] for index in rows]
    lines = [_flat(table, [column.titles for column in table.columns], "unit")]
    lines += [_exact_row(table, row) for row in chosen]
    return "\n".join("\t".join(" ".join(cell.split()) for cell in line) for line in lines) + "\n"


def table_csv(table: Table) -> tuple[list[str], str]:
    """Return the column names and lines of a table as CSV: numbers with all digits, empty cells for missing values."""
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    for row in table.rows:
        writer.writerow(_exact_row(table, row))
    return _flat(table, [column.names for column in table.columns], "unit"), buffer.getvalue()


def _exact_row(table: Table, row: Row) -> list[str]:
    groups = []
    for column, cell in zip(table.columns, row.cells, strict=True):
        if cell.values:
            groups.append(
                tuple(repr(float(value)) if math.isfinite(value) else "" for value in cell.values)
            )
        else:
            text = "" if cell.text == MISSING else cell.text
            groups.append((text,) + ("",) * (len(column.parts) - 1))
    return _flat(table, groups, row.unit)


def _flat(table: Table, groups: Sequence[Sequence[str]], unit: str) -> list[str]:
    """Return the cells of all columns, with the unit after the label columns."""
    at = table.label_column + 1
    middle = [[unit]] if table.has_units else []
    return [cell for group in (*groups[:at], *middle, *groups[at:]) for cell in group]


def _identifier(text: str) -> str:
    return re.sub(r"\W+", "_", text.lower().replace("%", "percent")).strip("_")


def _suffix(unit: str) -> str:
    return _SUFFIXES.get(unit, _identifier(unit))
