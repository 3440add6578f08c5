"""Declared values as text, in the cells of tables and in text fields."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel

from snakestudio.model.field_kind import Kind, field_kind
from snakestudio.model.fields import FieldDoc, field_doc
from snakestudio.model.formula.quantity import NumberTextError, parse_number, parse_numbers
from snakestudio.text import MINUS, exact_text

_HEX = {"mask", "code"}
_WORDS = {True: "yes", False: "no", None: ""}


@dataclass(frozen=True)
class CellColumn:
    """Column of a table of parts: one field of each part; or the same field in a row of a form."""

    name: str
    """Key in the file."""

    doc: FieldDoc
    kind: Kind
    """Type of value; parts are a nested table, of which the names are listed."""

    optional: bool
    """Whether the value can be omitted."""

    choices: tuple[Any, ...] = ()
    """Values of a choice."""

    @property
    def heading(self) -> str:
        """Label and unit."""
        return f"{self.doc.label} [{self.doc.unit}]" if self.doc.unit else self.doc.label

    def text(self, value: Any) -> str:
        """Return the text of a value in its cell."""
        if value is None:
            return ""
        if self.kind == "parts":
            return ", ".join(str(getattr(part, "signal", part)) for part in value)
        if self.kind == "names":
            return ", ".join(value)
        if self.kind == "pairs":
            return ", ".join(f"{name} = {_plain(each)}" for name, each in value.items())
        if self.kind in ("span", "numbers"):
            return " ".join(exact_text(number) for number in value)
        if self.kind == "points":
            return "; ".join(" ".join(exact_text(number) for number in point) for point in value)
        if self.kind == "switch":
            return _WORDS[value]
        if self.kind == "integer":
            return f"0x{value:X}" if self.name in _HEX else str(value)
        if self.kind == "number":
            return exact_text(value)
        return str(value)

    def value(self, text: str) -> Any:
        """Return the value of a typed text.

        Raises `NumberTextError` with the reason if the text is not valid.
        """
        plain = text.strip()
        if not plain and self.optional:
            return None
        if self.kind == "names":
            return tuple(dict.fromkeys(name for each in plain.split(",") if (name := each.strip())))
        if self.kind == "pairs":
            return _pairs(plain)
        if self.kind == "span":
            numbers = parse_numbers(plain)
            if len(numbers) != 2:
                raise NumberTextError(f"{self.doc.label} must be two numbers, the smaller first.")
            return tuple(float(number) for number in numbers)
        if self.kind == "numbers":
            return parse_numbers(plain)
        if self.kind == "points":
            return _points(plain)
        if self.kind == "integer":
            return self._integer(plain)
        if self.kind == "number":
            return float(parse_number(plain, self.doc.unit))
        if self.kind == "switch":
            return self._switch(plain)
        if self.kind == "choice":
            return self._choice(plain)
        return plain

    def _integer(self, text: str) -> int:
        digits = text.lower().replace("_", "")
        base = {"0x": 16, "0b": 2}.get(digits[:2], 0)
        if base:
            try:
                return int(digits, base)
            except ValueError:
                raise NumberTextError(f"{text} is not a number.") from None
        number = parse_number(text, self.doc.unit)
        if number != round(number):
            raise NumberTextError(f"{self.doc.label} must be a whole number (got {text}).")
        return round(number)

    def _switch(self, text: str) -> bool:
        lower = text.lower()
        if lower in ("yes", "true", "on", "1"):
            return True
        if lower in ("no", "false", "off", "0"):
            return False
        raise NumberTextError(f"{self.doc.label} must be yes or no.")

    def _choice(self, text: str) -> Any:
        spoken = {str(choice).lower(): choice for choice in self.choices}
        key = (
            text.lower().replace(" ", "_").lstrip("+")
            if text.lower() not in spoken
            else text.lower()
        )
        if key not in spoken:
            raise NumberTextError(
                f"{self.doc.label} must be one of {', '.join(str(choice) for choice in self.choices)}."
            )
        return spoken[key]


def columns_of(model: type[BaseModel], names: Sequence[str] | None = None) -> list[CellColumn]:
    """Return the columns for the declared fields of a part.

    Parameters
    ----------
    names : sequence of str, optional
        Fields in the order of the columns; all if omitted.
    """
    return [column_of(model, name) for name in (names if names is not None else model.model_fields)]


def column_of(model: type[BaseModel], name: str) -> CellColumn:
    """Return the column for a declared field of a part."""
    kind, optional, choices = field_kind(model, name)
    return CellColumn(name, field_doc(model, name), kind, optional, choices)


def _plain(value: Any) -> str:
    """Return the value of a pair as text, in quotation marks if it would be parsed as another type."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return exact_text(value)
    plain = str(value)
    unlike = set(plain) & set(',"\\') or plain != plain.strip() or _number_or_text(plain) != plain
    return json.dumps(plain, ensure_ascii=False) if unlike or not plain else plain


def _points(text: str) -> tuple[tuple[float, float], ...]:
    """Parse ``0 0; 1.5 0``: coordinates separated by a space, points by a semicolon."""
    numbers = parse_numbers(text)
    if len(numbers) % 2:
        raise NumberTextError("A point needs two numbers, x and y, such as 0 0; 1.5 0; 3 2.")
    return tuple(zip(numbers[::2], numbers[1::2], strict=True))


_QUOTED = r'"(?:[^"\\]|\\.)*"'
_PAIR = re.compile(rf'\s*([^\s,="][^,="]*?)\s*=\s*({_QUOTED}|[^\s,"][^,"]*?)\s*(?:,|$)')
"""A name and a number, a word, a formula, or any text in quotation marks."""


def _pairs(text: str) -> dict[str, Any]:
    """Parse ``Mode = 3, Node = node, Do = "Clear, then arm"``; values are numbers, formulas or texts."""
    pairs: dict[str, Any] = {}
    rest = text
    while rest.strip(", \t"):
        rest = rest.lstrip(", \t")
        pair = _PAIR.match(rest)
        if pair is None:
            part = rest.split(",", 1)[0].strip()
            raise NumberTextError(
                f"{part} is not a name and a value. Write pairs such as Mode = 3, Speed = 100."
            )
        pairs[pair[1]] = _number_or_text(pair[2])
        rest = rest[pair.end() :]
    return pairs


def _number_or_text(text: str) -> Any:
    if text in ("true", "false"):
        return text == "true"
    try:
        return json.loads(text.replace(MINUS, "-"), parse_constant=str)
    except ValueError:
        return text.strip('"')
