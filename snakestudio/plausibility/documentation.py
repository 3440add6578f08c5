"""Tables of all plausibility checks for the documentation."""

from __future__ import annotations

from snakestudio.model.documentation import with_section
from snakestudio.plausibility.checks import CHECKS


def with_checks(page: str) -> str:
    """Return a page with the tables of all checks between their marks.

    Raises `ValueError` if the page lacks the marks.
    """
    rows = (
        f"| `{check.name}` | {check.help} | {check.bound}. | {check.remedy} |"
        for check in CHECKS.values()
    )
    head = ("| Check | Meaning | Bound | Remedy |", "| --- | --- | --- | --- |")
    return with_section(page, "plausibility checks", "\n".join((*head, *rows)))
