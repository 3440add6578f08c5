"""Vocabulary of a format: what a reader uses, ignores with a note, and skips because it has no effect here.

A vocabulary has a rule for each element. A rule lists the attributes and the children of the element; what it
does not list is unknown, and is reported too. `notes_on` compares a file with the vocabulary of its format.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import Enum
from types import MappingProxyType

from snakestudio.robot_files.elements import Element
from snakestudio.robot_files.problems import Problems
from snakestudio.text import counted, listing, quoted, shortened

ANY = "*"
"""Name of an entry for all names that have no entry."""

_MOST_IGNORED = 12
_MOST_UNKNOWN = 40
"""Numbers of items that a sentence lists."""


class Treatment(Enum):
    """Treatment of an attribute or element that needs no note."""

    USED = "used"
    """Its value is read. The children of a used element are compared with its rule."""

    WITHOUT_EFFECT = "without effect"
    """It does not influence the robot or its motion, such as a colour. Its content is skipped."""


USED = Treatment.USED
WITHOUT_EFFECT = Treatment.WITHOUT_EFFECT


@dataclass(frozen=True, slots=True)
class Ignored:
    """Treatment of an attribute or element that is not read although it influences the robot or its motion.

    A note reports it unless its value is a default, or `matters` returns False. Entries with the same `because`
    share a note.
    """

    because: str
    """Reason, which ends "Ignored because ..."."""

    defaults: tuple[str, ...] = ()
    """Values that change nothing. Numbers are compared as such, as far as the file gives them: "0.02" equals
    "0.02 1"."""

    matters: Callable[[Element], bool] | None = None
    """Whether the attribute of this element, or this element itself, has an effect."""

    def reported(self, value: str, element: Element) -> bool:
        """Return whether a value needs a note."""
        if any(_equal(value, default) for default in self.defaults):
            return False
        return self.matters is None or self.matters(element)


@dataclass(frozen=True, slots=True)
class Refused:
    """Treatment of an element without which the robot cannot be read."""

    remedy: str
    """What to do, for the message."""


AnyTreatment = Treatment | Ignored | Refused


@dataclass(frozen=True, slots=True)
class Rule:
    """Attributes and children of an element."""

    attributes: Mapping[str, AnyTreatment] = field(default_factory=lambda: MappingProxyType({}))
    children: Mapping[str, AnyTreatment] = field(default_factory=lambda: MappingProxyType({}))
    once: frozenset[str] = frozenset()
    """Children of which only the first one is read; the others are reported."""

    def with_more(self, other: Rule) -> Rule:
        """Return the entries of both rules; those of `other` take precedence."""
        return Rule(
            {**self.attributes, **other.attributes},
            {**self.children, **other.children},
            self.once | other.once,
        )


Vocabulary = Mapping[str, Rule]
"""Rules by tag. An entry "parent.tag" takes precedence over "tag" for elements in that parent. An element
without a rule has no attributes and no children."""


def rule(
    used: str = "",
    without_effect: str = "",
    ignored: Mapping[str, Ignored] = MappingProxyType({}),
    children: str = "",
    children_without_effect: str = "",
    children_ignored: Mapping[str, Ignored | Refused] = MappingProxyType({}),
    once: str = "",
) -> Rule:
    """Rule from names separated by spaces: first three for attributes, then three for children."""
    return Rule(
        _treatments(used, without_effect, ignored),
        _treatments(children, children_without_effect, children_ignored),
        frozenset(once.split()),
    )


def rule_of(vocabulary: Vocabulary, parent: str, tag: str) -> Rule:
    """Rule of an element with this tag in a parent with that tag."""
    return vocabulary.get(f"{parent}.{tag}") or vocabulary.get(tag) or Rule()


def notes_on(root: Element, vocabulary: Vocabulary) -> tuple[str, ...]:
    """Return the sentences on everything in a file that its reader ignores or does not know.

    Raises `ProblemsError` with all elements that are refused.

    Parameters
    ----------
    root : Element
        Root of the file after all includes, macros and default classes are replaced by what they contain.
    vocabulary : Vocabulary
        Rules of the format; the root element has the rule of its tag.
    """
    ignored: dict[str, _Items] = {}
    unknown = _Items()
    problems = Problems()
    pending = [(root, rule_of(vocabulary, "", root.tag))]
    while pending:
        element, own = pending.pop()
        for name, value in element.attributes.items():
            treatment = own.attributes.get(name) or own.attributes.get(ANY)
            if treatment is None and not name.startswith("xmlns"):
                unknown.add_attribute(element, name)
            elif isinstance(treatment, Ignored) and treatment.reported(value.strip(), element):
                ignored.setdefault(treatment.because, _Items()).add_attribute(element, name)
        if own.children and element.text.strip():
            unknown.add_text(element)
        seen: set[str] = set()
        inner = []
        for child in element.children:
            treatment = own.children.get(child.tag) or own.children.get(ANY)
            repeated = child.tag in own.once and child.tag in seen
            seen.add(child.tag)
            if isinstance(treatment, Refused):
                problems.add(f"{child.location}: <{child.tag}> is not supported", treatment.remedy)
            if treatment is None:
                unknown.add_element(child, element)
            elif repeated:
                because = f"only the first <{child.tag}> of <{element.tag}> is used"
                ignored.setdefault(because, _Items()).add_element(child, element)
            elif treatment is USED:
                inner.append((child, rule_of(vocabulary, element.tag, child.tag)))
            elif isinstance(treatment, Ignored) and treatment.reported(child.text.strip(), child):
                ignored.setdefault(treatment.because, _Items()).add_element(child, element)
        pending += reversed(inner)
    problems.check()
    result = [
        f"Ignored because {because}: {items.text(_MOST_IGNORED)}."
        for because, items in ignored.items()
    ]
    if unknown:
        result.append(f"Ignored because they are unknown: {unknown.text(_MOST_UNKNOWN)}.")
    return tuple(result)


class _Items:
    """Attributes and elements of a note, counted by their names."""

    def __init__(self) -> None:
        self._attributes: dict[tuple[str, str], list[Element]] = {}
        self._elements: dict[tuple[str, str], list[Element]] = {}
        self._texts: list[Element] = []

    def __bool__(self) -> bool:
        return bool(self._attributes or self._elements or self._texts)

    def add_attribute(self, element: Element, name: str) -> None:
        self._attributes.setdefault((name, element.tag), []).append(element)

    def add_element(self, element: Element, parent: Element) -> None:
        self._elements.setdefault((element.tag, parent.tag), []).append(element)

    def add_text(self, element: Element) -> None:
        """Add text between elements, where the format has none."""
        self._texts.append(element)

    def text(self, most: int) -> str:
        texts = [
            f"the text {quoted(element.text.strip())} in {_named(element)} ({_line(element)})"
            for element in self._texts
        ]
        for (tag, parent), elements in self._elements.items():
            value = shortened(elements[0].text.strip())
            if len(elements) > 1:
                texts.append(f"{counted(len(elements), f'<{tag}> element')} in <{parent}>")
            elif value and not elements[0].children:
                texts.append(f"<{tag}> {value} in <{parent}> ({_line(elements[0])})")
            else:
                texts.append(f"{_named(elements[0])} in <{parent}> ({_line(elements[0])})")
        for (name, tag), elements in self._attributes.items():
            values = {element.attributes[name].strip() for element in elements}
            text = f'{name}="{shortened(values.pop())}"' if len(values) == 1 else name
            if len(elements) > 1:
                texts.append(f"{text} of {counted(len(elements), f'<{tag}> element')}")
            else:
                texts.append(f"{text} of {_named(elements[0])} ({_line(elements[0])})")
        return listing(texts, most=most)


def _named(element: Element) -> str:
    name = element.attributes.get("name")
    return f'<{element.tag} name="{shortened(name)}">' if name else f"<{element.tag}>"


def _line(element: Element) -> str:
    return f"{element.file}, line {element.line}" if element.file else f"line {element.line}"


def _treatments(
    used: str, without_effect: str, ignored: Mapping[str, Ignored | Refused]
) -> Mapping[str, AnyTreatment]:
    result: dict[str, AnyTreatment] = dict.fromkeys(used.split(), USED)
    result |= dict.fromkeys(without_effect.split(), WITHOUT_EFFECT)
    for names, treatment in ignored.items():
        result |= dict.fromkeys(names.split(), treatment)
    return MappingProxyType(result)


def _equal(value: str, default: str) -> bool:
    if value == default:
        return True
    parts = value.split()
    expected = default.split()
    if not parts or len(parts) > len(expected):
        return False
    try:
        return all(float(a) == float(b) for a, b in zip(parts, expected, strict=False))
    except ValueError:
        return False
