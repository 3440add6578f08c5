"""Comparison of a vocabulary with what a reader really reads."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from snakestudio.robot_files import vocabulary as declared
from snakestudio.robot_files.elements import Element
from snakestudio.robot_files.vocabulary import ANY, USED, Vocabulary, rule_of


class Reads:
    """What readers read, by the key of the rule of the element."""

    def __init__(self) -> None:
        self._reads: list[tuple[Element, str]] = []
        self._keys: dict[int, str] = {}
        self._elements: list[Element] = []  # kept, so that no id is used twice

    def add(self, element: Element, name: str) -> None:
        self._reads.append((element, name))

    def number(self, root: Element, vocabulary: Vocabulary) -> None:
        """Assign the keys of their rules to all used elements of a file."""
        pending = [(root, root.tag)]
        while pending:
            element, key = pending.pop()
            self._keys[id(element)] = key
            self._elements.append(element)
            for child in element.children:
                if rule_of(vocabulary, "", key).children.get(child.tag) is USED:
                    own = f"{element.tag}.{child.tag}"
                    pending.append((child, own if own in vocabulary else child.tag))

    def attributes(self) -> set[tuple[str, str]]:
        """Keys and attributes that were read."""
        return {(self._keys.get(id(element), element.tag), name) for element, name in self._reads}


@contextmanager
def recorded_reads(monkeypatch: pytest.MonkeyPatch, reader: object) -> Iterator[Reads]:
    """Record the reads of attributes in a reader module, whose `notes_on` gets the expanded file."""
    reads = Reads()
    get = Element.get

    def recording_get(element: Element, name: str, default: str = "") -> str:
        reads.add(element, name)
        return get(element, name, default)

    def numbering_notes(root: Element, vocabulary: Vocabulary) -> tuple[str, ...]:
        reads.number(root, vocabulary)
        return declared.notes_on(root, vocabulary)

    with monkeypatch.context() as patch:
        patch.setattr(Element, "get", recording_get)
        patch.setattr(reader, "notes_on", numbering_notes)
        yield reads


def unread_attributes(vocabulary: Vocabulary, reads: Reads) -> set[str]:
    """Attributes that are declared as used but were not read, as "key.attribute"."""
    used = {
        (key, name)
        for key, own in vocabulary.items()
        for name, treatment in own.attributes.items()
        if treatment is USED
    }
    return {f"{key} {name}" for key, name in used - reads.attributes()}


def schema_of(path: Path) -> dict[str, Element]:
    """Elements of a schema by name: a name a line with its attributes, indented by two spaces in its parent.

    The first line of the file states its source. "&name" is a reference to the element of that name.
    """
    result: dict[str, Element] = {}
    trail: list[Element] = []
    for line in path.read_text(encoding="utf-8").splitlines()[1:]:
        tag, *attributes = line.split()
        element = Element(tag, dict.fromkeys(attributes, ""))
        depth = (len(line) - len(line.lstrip())) // 2
        trail = [*trail[:depth], element]
        if depth:
            trail[-2].children.append(element)
        else:
            result[tag] = element
    return result


def undeclared(
    schema: dict[str, Element], root: str, vocabulary: Vocabulary
) -> tuple[int, list[str]]:
    """Number of elements that were compared, and names in the schema that a vocabulary lacks."""
    missing: list[str] = []
    compared: set[tuple[str, str]] = set()
    pending = [("", schema[root])]
    while pending:
        parent, element = pending.pop()
        if (parent, element.tag) in compared:
            continue
        compared.add((parent, element.tag))
        own = rule_of(vocabulary, parent, element.tag)
        missing += [
            f"{name} of <{element.tag}> in <{parent}>"
            for name in element.attributes
            if name not in own.attributes and ANY not in own.attributes
        ]
        for child in element.children:
            tag = child.tag.removeprefix("&")
            treatment = own.children.get(tag) or own.children.get(ANY)
            if treatment is None:
                missing.append(f"<{tag}> in <{element.tag}>")
            elif treatment is USED:
                inner = schema[tag] if child.tag.startswith("&") else child
                pending.append((element.tag, inner))
    return len(compared), sorted(missing)
