"""Effect of the style sheets and style attributes of a drawing on visibility and position."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from xml.etree.ElementTree import Element

_PROPERTIES = ("display", "visibility", "transform")

_SIMPLE = re.compile(r"(?P<tag>\*|[\w-]+)?(?P<rest>(?:[.#][\w-]+)*)\Z")

_Weight = tuple[bool, int, tuple[int, int, int], int]
"""Precedence: importance; attribute, sheet or style attribute; specificity; order."""


@dataclass(frozen=True, slots=True)
class _Rule:
    tag: str
    identifier: str
    classes: frozenset[str]
    specificity: tuple[int, int, int]
    order: int
    declarations: tuple[tuple[str, str, bool], ...]
    """Property, value, importance."""

    def meets(self, element: Element, classes: frozenset[str]) -> bool:
        return (
            self.tag in ("*", element.tag)
            and (not self.identifier or self.identifier == element.get("id"))
            and self.classes <= classes
        )


def apply_styles(root: Element) -> int:
    """Set `display`, `visibility` and `transform` of each element according to its styles.

    Returns
    -------
    int
        Number of ignored rules for these properties, whose selectors are not supported.
    """
    rules, n_ignored = _rules("".join(element.text or "" for element in root.iter("style")))
    index: dict[str, list[_Rule]] = {}
    for rule in rules:
        key = (
            f"#{rule.identifier}"
            if rule.identifier
            else f".{min(rule.classes)}"
            if rule.classes
            else rule.tag
        )
        index.setdefault(key, []).append(rule)
    cache: dict[tuple[str, str, str], tuple[_Rule, ...]] = {}
    for element in root.iter():
        if isinstance(element.tag, str):
            _apply(element, _matching(element, index, cache) if rules else ())
    return n_ignored


def _matching(
    element: Element,
    index: dict[str, list[_Rule]],
    cache: dict[tuple[str, str, str], tuple[_Rule, ...]],
) -> tuple[_Rule, ...]:
    identifier = element.get("id", "")
    named = identifier if f"#{identifier}" in index else ""
    key = (element.tag, element.get("class", ""), named)
    if key not in cache:
        classes = frozenset(key[1].split())
        candidates = [*index.get(element.tag, ()), *index.get("*", ()), *index.get(f"#{named}", ())]
        for name in classes:
            candidates += index.get(f".{name}", ())
        cache[key] = tuple(rule for rule in candidates if rule.meets(element, classes))
    return cache[key]


def _apply(element: Element, rules: tuple[_Rule, ...]) -> None:
    best: dict[str, tuple[_Weight, str]] = {}

    def offer(name: str, value: str, weight: _Weight) -> None:
        if name not in best or weight >= best[name][0]:
            best[name] = (weight, value)

    for rule in rules:
        for name, value, important in rule.declarations:
            offer(name, value, (important, 1, rule.specificity, rule.order))
    for name, value, important in _declarations(element.get("style", "")):
        offer(name, value, (important, 2, (0, 0, 0), 0))
    for name, (_, value) in best.items():
        element.set(name, value)


def _rules(sheet: str) -> tuple[list[_Rule], int]:
    sheet = re.sub(r"/\*.*?\*/|<!--|-->", " ", sheet, flags=re.DOTALL)
    rules: list[_Rule] = []
    n_ignored = 0
    for selectors, body in _blocks(sheet):
        declarations = tuple(_declarations(body))
        if not declarations:
            continue
        for selector in selectors.split(","):
            match = _SIMPLE.match(selector.strip())
            if match is None or not selector.strip():
                n_ignored += 1
                continue
            names = re.findall(r"[.#][\w-]+", match["rest"])
            identifiers = [name[1:] for name in names if name[0] == "#"]
            classes = frozenset(name[1:] for name in names if name[0] == ".")
            tag = match["tag"] or "*"
            specificity = (len(identifiers), len(classes), int(tag != "*"))
            identifier = identifiers[0] if identifiers else ""
            rules.append(_Rule(tag, identifier, classes, specificity, len(rules), declarations))
    return rules, n_ignored


def _blocks(sheet: str) -> Iterator[tuple[str, str]]:
    """Yield selectors and declarations; blocks of at-rules (``@media``, ``@font-face``) are skipped."""
    at = 0
    while (opening := sheet.find("{", at)) >= 0:
        selectors = sheet[at:opening].rpartition(";")[2].strip()
        depth = 1
        end = opening + 1
        while end < len(sheet) and depth:
            depth += {"{": 1, "}": -1}.get(sheet[end], 0)
            end += 1
        if not selectors.startswith("@"):
            yield selectors, sheet[opening + 1 : end - 1]
        at = end


def _declarations(text: str) -> Iterator[tuple[str, str, bool]]:
    for part in text.split(";"):
        name, colon, value = part.partition(":")
        name = name.strip().lower()
        if colon and name in _PROPERTIES:
            value, mark, _ = value.partition("!")
            yield name, value.strip(), bool(mark)
