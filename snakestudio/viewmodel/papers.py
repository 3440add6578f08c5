"""Citations of the papers in texts of the window: authors and years instead of the numbers of the documentation."""

from __future__ import annotations

import re

PAPERS = {
    "P1": "Transeth et al. 2008b",
    "P2": "Transeth et al. 2008a",
    "P3": "Liljebäck et al. 2009",
    "P4": "Rezapour et al. 2014",
    "P5": "Boyer et al. 2012",
}
"""Authors and years by the number in README and documentation."""

_NUMBER = re.compile(rf"\b({'|'.join(PAPERS)})\b")


def cited(text: str) -> str:
    """Return a text with authors and years instead of numbers of papers."""
    return _NUMBER.sub(lambda match: PAPERS[match[1]], text)


def short_name(paper: str) -> str:
    """Return the first author and the year of a paper, for buttons: "Boyer 2012"."""
    return PAPERS[paper].replace(" et al.", "")
