"""Fuzzy search: texts that match a few letters of their words, in any order of the words, with scores."""

from __future__ import annotations

from dataclasses import dataclass

_START = 100.0
_WORD = 80.0
_INSIDE = 40.0
_INITIALS = 60.0
_SCATTERED = 10.0


@dataclass(frozen=True, slots=True)
class Match:
    """Match of a text with a query."""

    score: float
    """Score; larger is better."""

    letters: frozenset[int]
    """Positions of the matching letters."""


def match(query: str, text: str) -> Match | None:
    """Match `text` with a query; None if it lacks one of the words of the query.

    Scores decrease in this order: start of the text, start of a word, initials of words, letters
    within a word, letters in sequence. Of equal matches, the shortest text is best.
    """
    folded = text.casefold()
    if len(folded) != len(text):  # some letters fold to two, which would shift positions
        folded = text.lower() if len(text.lower()) == len(text) else text
    score = 0.0
    letters: set[int] = set()
    for term in query.casefold().split():
        best = _match_word(term, folded)
        if best is None:
            return None
        score += best[0]
        letters.update(best[1])
    return Match(score - 0.1 * len(text), frozenset(letters))


def _match_word(term: str, text: str) -> tuple[float, list[int]] | None:
    starts = [
        index
        for index, letter in enumerate(text)
        if letter.isalnum() and not text[index - 1 : index].isalnum()
    ]
    places = [index for index in starts if text.startswith(term, index)]
    if places:
        return (_START if places[0] == 0 else _WORD), list(range(places[0], places[0] + len(term)))
    if len(term) > 1 and (initials := _in_turn(term, text, starts)) is not None:
        return _INITIALS, initials
    inside = text.find(term)
    if inside >= 0:
        return _INSIDE, list(range(inside, inside + len(term)))
    if len(term) > 2 and (scattered := _in_turn(term, text, range(len(text)))) is not None:
        width = scattered[-1] - scattered[0] + 1
        if width <= 3 * len(term):
            return _SCATTERED * len(term) / width, scattered
    return None


def _in_turn(term: str, text: str, places: range | list[int]) -> list[int] | None:
    """Return the first positions of `places` that have the letters of `term` in sequence."""
    positions: list[int] = []
    for index in places:
        if text[index] == term[len(positions)]:
            positions.append(index)
            if len(positions) == len(term):
                return positions
    return None
