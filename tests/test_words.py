"""Bars of the word list in strings, docstrings, comments, pages and names.

`python -m tests.words` prints all counts, `python -m tests.words KIND` every hit of a kind with the
words to use.
"""

from __future__ import annotations

import pytest

from tests.words import KINDS, ROOT, hits_in

BARS = {
    "strings": 3,
    "docstrings": 1,
    "comments": 0,
    "pages": 0,
    "names": 21,
}
"""Most hits of each kind. They only fall."""

SHOWN = 12


@pytest.mark.parametrize("kind", KINDS)
def test_listed_words_do_not_spread(kind: str) -> None:
    hits = [*KINDS[kind]()]
    if len(hits) > BARS[kind]:
        listed = "\n  ".join(map(str, hits[:SHOWN]))
        pytest.fail(
            f"{kind}: {len(hits)} hits, where {BARS[kind]} are allowed:\n  {listed}\n"
            f"`python -m tests.words {kind}` lists all.",
            pytrace=False,
        )


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("Mend the file, once more.", 2),
        ("There is no file, and there are no folders.", 0),
        ("The file is no scene.", 1),
        ("It stands still: an understandable standard.", 1),
        ("The recommended amendment", 0),
    ],
)
def test_listed_word_is_found_where_it_is_not_allowed(text: str, count: int) -> None:
    assert len([*hits_in(text, ROOT / "README.md", 1)]) == count


def test_hit_names_its_line_and_the_replacement() -> None:
    (hit,) = hits_in("One line.\nMend it.", ROOT / "README.md", 10)

    assert str(hit) == "README.md:11: 'One line. Mend it.': fix, repair"
