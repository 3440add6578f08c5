"""Tables as text, Markdown, CSV and for spreadsheets: units, digits, alignment, and untrusted texts."""

from __future__ import annotations

import csv
import io
import math

import pytest

from snakestudio.export.tables import (
    Cell,
    Column,
    Row,
    Table,
    number,
    number_cell,
    tab_separated,
    table_csv,
    table_markdown,
    table_text,
    text_cells,
)

COLUMNS = (
    Column("value", is_text=True),
    Column("fitted\nnow"),
    Column("95 % interval", parts=("low", "high"), name="interval"),
    Column("speed", "m/s"),
)


def table(*labels: str) -> Table:
    rows = [
        Row(
            (
                *text_cells(label),
                number_cell(math.pi),
                Cell("3 to 4", (3.0, 4.0)),
                number_cell(math.nan),
            ),
            unit="N m",
        )
        for label in labels
    ]
    return Table("Values", COLUMNS, tuple(rows), "Made up.")


@pytest.mark.parametrize(
    ("value", "digits", "text"),
    [
        (0.0, 4, "0"),
        (1.23456, 4, "1.235"),
        (-0.0012345, 3, "-0.00123"),
        (-0.00012345, 3, "-1.23e-4"),
        (5.175e-5, 4, "5.175e-5"),
        (147.15, 4, "147.2"),
        (1.5e7, 3, "1.50e7"),
    ],
)
def test_numbers_have_the_requested_digits(value: float, digits: int, text: str) -> None:
    assert number(value, digits) == text


def test_text_aligns_words_left_and_numbers_right() -> None:
    assert table_text(table("a", "longer")).splitlines() == [
        "Values",
        "value   unit  fitted  95 % interval  speed (m/s)",
        "                 now",
        "a       N m    3.142         3 to 4            -",
        "longer  N m    3.142         3 to 4            -",
    ]


def test_prose_is_wrapped_below_its_column() -> None:
    columns = (Column("name", is_text=True), Column("meaning", is_text=True, is_prose=True))
    lines = table_text(Table("", columns, (Row(text_cells("a", "word " * 40)),))).splitlines()
    assert len(lines) == 4
    assert lines[2].startswith("      word")


def test_spreadsheet_has_full_precision_and_interval_ends() -> None:
    head, line = tab_separated(table("a\tb")).splitlines()
    assert head.split("\t") == [
        "value",
        "unit",
        "fitted now",
        "95 % interval, low",
        "95 % interval, high",
        "speed (m/s)",
    ]
    assert line.split("\t") == ["a b", "N m", repr(math.pi), "3.0", "4.0", ""]


def test_csv_has_names_with_units_and_quotes_texts() -> None:
    names, lines = table_csv(table('a, "b"\nc'))
    assert names == ["value", "unit", "fitted_now", "interval_low", "interval_high", "speed_mps"]
    assert list(csv.reader(io.StringIO(lines))) == [
        ['a, "b"\nc', "N m", repr(math.pi), "3.0", "4.0", ""]
    ]


def test_markdown_escapes_markup() -> None:
    lines = table_markdown(table("a|b <i>*c*</i>\n# d")).splitlines()
    assert lines[0] == "| value | unit | fitted now | 95 % interval | speed (m/s) |"
    assert lines[1] == "| --- | --- | ---: | ---: | ---: |"
    assert lines[2].startswith(r"| a\|b \<i\>\*c\*\</i\> \# d | N m | 3.142 |")
    assert len(lines) == 3
