"""Safe parser of XML files: no document types, so no entities, and limits on size and depth."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from xml.parsers import expat

import numpy as np

from snakestudio._arrays import FloatArray
from snakestudio.inputs import Budget, InputError, count, utf8_xml
from snakestudio.model.tables.cells import is_number

_LARGEST = 1e15
"""Largest plausible number in any unit."""

_NOT_FINITE = ("inf", "infinity", "nan")


@dataclass(slots=True)
class Element:
    """An element with its content; tags and attributes keep their prefixes ("xacro:macro")."""

    tag: str
    attributes: dict[str, str] = field(default_factory=dict)
    line: int = 0
    children: list[Element] = field(default_factory=list)
    text: str = ""
    """Character data directly in the element."""

    file: str = ""
    """Name of the file, if it is not the robot file itself."""

    def get(self, name: str, default: str = "") -> str:
        """Return the value of an attribute without surrounding whitespace."""
        return self.attributes.get(name, default).strip()

    def find(self, tag: str) -> Element | None:
        """Return the first child with this tag."""
        return next((child for child in self.children if child.tag == tag), None)

    def all(self, *tags: str) -> list[Element]:
        """Return the children with these tags, in order."""
        return [child for child in self.children if child.tag in tags]

    def text_of(self, tag: str, default: str = "") -> str:
        """Return the text of the first child with this tag, without surrounding whitespace."""
        child = self.find(tag)
        return default if child is None else child.text.strip() or default

    def iter(self) -> Iterator[Element]:
        """Yield the element and all its descendants."""
        pending = [self]
        while pending:
            element = pending.pop()
            yield element
            pending.extend(reversed(element.children))

    @property
    def location(self) -> str:
        """Location for messages: file if it is an included one, line, tag and name."""
        name = f' name="{self.get("name")[:60]}"' if self.get("name") else ""
        return f"{self.file + ', ' if self.file else ''}line {self.line}, <{self.tag}{name}>"


def parse_xml(data: bytes, budget: Budget) -> Element:
    """Parse an XML file and return its root element.

    Raises `InputError` if it is not well-formed, declares a document type, or exceeds the
    budget.
    """
    data = utf8_xml(data)
    count(data.count(b"="), 5 * budget.values, "attributes in it", "choose a file of one robot")
    parser = expat.ParserCreate("UTF-8")
    parser.buffer_text = True
    root = Element("")
    path = [root]
    elements = 0

    def start(tag: str, attributes: dict[str, str]) -> None:
        nonlocal elements
        elements += 1
        if elements > budget.values:
            raise InputError(
                f"it has more than {budget.values} elements", "choose a file of one robot"
            )
        if len(path) > budget.depth:
            raise InputError(
                f"its elements are nested more than {budget.depth} deep",
                "choose a file of one robot",
            )
        element = Element(tag, attributes, parser.CurrentLineNumber)
        path[-1].children.append(element)
        path.append(element)

    def end(_tag: str) -> None:
        path.pop()

    def characters(text: str) -> None:
        path[-1].text += text

    def document_type(*_declaration: object) -> None:
        raise InputError(
            f"line {parser.CurrentLineNumber} declares a document type (<!DOCTYPE ...>), which is not allowed",
            "remove the declaration and the entities it defines",
        )

    parser.StartElementHandler = start
    parser.EndElementHandler = end
    parser.CharacterDataHandler = characters
    parser.StartDoctypeDeclHandler = document_type
    try:
        parser.Parse(data, True)
    except expat.ExpatError as error:
        if not data.strip():
            raise InputError("the file is empty", "choose a URDF, SDF or MJCF file") from None
        reason = expat.ErrorString(error.code)
        raise InputError(
            f"line {error.lineno}, column {error.offset + 1}: this is not valid XML ({reason})",
            "check that the file is a complete URDF, SDF or MJCF file",
        ) from None
    return root.children[0]


def vector_of(text: str, size: int | tuple[int, ...], what: str) -> FloatArray:
    """Parse numbers separated by whitespace.

    Raises `InputError` if the count is wrong, or one is not a finite number.

    Parameters
    ----------
    size : int or tuple of int
        Allowed counts.
    what : str
        Name for messages.
    """
    sizes = (size,) if isinstance(size, int) else size
    parts = text.split()
    if not all(_is_plain(part) or part.lower().lstrip("+-") in _NOT_FINITE for part in parts):
        expected = "a number" if sizes == (1,) else "a list of numbers"
        raise InputError(f'{what}: "{text.strip()[:60]}" is not {expected}', "correct it")
    values = [float(part) for part in parts]
    if not all(math.isfinite(value) and abs(value) <= _LARGEST for value in values):
        raise InputError(
            f'{what}: "{text.strip()[:60]}" has a number that is not finite', "correct it"
        )
    if len(values) not in sizes:
        allowed = " or ".join(str(number) for number in sizes)
        raise InputError(
            f"{what}: {allowed} numbers are required (got {len(values)})", "correct it"
        )
    return np.array(values)


def _is_plain(part: str) -> bool:
    """Return whether a text is a number to all programs: Python alone reads 0_2, or digits of other scripts."""
    return part.isascii() and is_number(part, ".")


def float_of(text: str, what: str) -> float:
    """Parse one finite number.

    Raises `InputError` if it is not.
    """
    return float(vector_of(text, 1, what)[0])
