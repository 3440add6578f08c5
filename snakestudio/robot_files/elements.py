"""Elements of XML files, read safely: no document types, so no entities, and no more or deeper than a budget allows."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from xml.parsers import expat

import numpy as np

from snakestudio._arrays import FloatArray
from snakestudio.inputs import Budget, InputError, count

_LARGEST = 1e15
"""Numbers beyond this, whatever their unit, are mistakes."""


@dataclass(slots=True)
class Element:
    """An element with what is in it; tags and attributes keep their prefixes ("xacro:macro")."""

    tag: str
    attributes: dict[str, str] = field(default_factory=dict)
    line: int = 0
    children: list[Element] = field(default_factory=list)
    text: str = ""
    """All character data directly in it."""

    def get(self, name: str, default: str = "") -> str:
        """Value of an attribute, without blanks around it."""
        return self.attributes.get(name, default).strip()

    def find(self, tag: str) -> Element | None:
        """The first child of that tag."""
        return next((child for child in self.children if child.tag == tag), None)

    def all(self, *tags: str) -> list[Element]:
        """Children of these tags, in their order."""
        return [child for child in self.children if child.tag in tags]

    def text_of(self, tag: str, default: str = "") -> str:
        """Text in the first child of that tag, without blanks around it."""
        child = self.find(tag)
        return default if child is None else child.text.strip() or default

    def iter(self) -> Iterator[Element]:
        """It and everything in it."""
        pending = [self]
        while pending:
            element = pending.pop()
            yield element
            pending.extend(reversed(element.children))

    @property
    def place(self) -> str:
        """Where it is, for messages: its line, tag and name."""
        name = f' name="{self.get("name")[:60]}"' if self.get("name") else ""
        return f"line {self.line}, <{self.tag}{name}>"


def parse_xml(data: bytes, budget: Budget) -> Element:
    """The root element of an XML file.

    Raises `InputError` if it is not well-formed, declares a document type, or is larger than the
    budget.
    """
    count(data.count(b"="), 5 * budget.values, "attributes in it", "give a file of one robot")
    parser = expat.ParserCreate()
    parser.buffer_text = True
    root = Element("")
    path = [root]
    elements = 0

    def start(tag: str, attributes: dict[str, str]) -> None:
        nonlocal elements
        elements += 1
        if elements > budget.values:
            raise InputError(
                f"it has more than {budget.values} elements", "give a file of one robot"
            )
        if len(path) > budget.depth:
            raise InputError(
                f"its elements are nested more than {budget.depth} deep", "give a file of one robot"
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
            f"line {parser.CurrentLineNumber} declares a document type (<!DOCTYPE ...>), which is not read",
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
            raise InputError("the file is empty", "give a URDF, SDF or MJCF file") from None
        reason = expat.ErrorString(error.code)
        raise InputError(
            f"line {error.lineno}, column {error.offset + 1}: this is not valid XML ({reason})",
            "check that the file is a complete URDF, SDF or MJCF file",
        ) from None
    return root.children[0]


def vector_of(text: str, size: int | tuple[int, ...], what: str) -> FloatArray:
    """Numbers separated by blanks.

    Raises `InputError` if there are more or fewer, or one is not a finite number.

    Parameters
    ----------
    size : int or tuple of int
        How many there must, or may, be.
    what : str
        Names them in messages.
    """
    sizes = (size,) if isinstance(size, int) else size
    try:
        values = [float(word) for word in text.split()]
    except ValueError:
        raise InputError(
            f'{what}: "{text.strip()[:60]}" is not a list of numbers', "correct it"
        ) from None
    if not all(math.isfinite(value) and abs(value) <= _LARGEST for value in values):
        raise InputError(
            f'{what}: "{text.strip()[:60]}" has a number that is not finite', "correct it"
        )
    if len(values) not in sizes:
        wanted = " or ".join(str(number) for number in sizes)
        raise InputError(
            f"{what}: there must be {wanted} numbers (got {len(values)})", "correct it"
        )
    return np.array(values)


def float_of(text: str, what: str) -> float:
    """One finite number.

    Raises `InputError` if it is not.
    """
    return float(vector_of(text, 1, what)[0])
