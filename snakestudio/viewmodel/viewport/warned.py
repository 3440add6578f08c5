"""What stands where it cannot be, as far as the session has found it: the viewport outlines it while one builds."""

from __future__ import annotations

from collections.abc import Sequence

from snakestudio.drawing.overlays import Pick
from snakestudio.errors import Problem

__all__ = ["warned"]


def warned(problems: Sequence[Problem]) -> tuple[Pick, ...]:
    """The obstacles and links that errors are about."""
    errors = [problem for problem in problems if problem.severity == "error"]
    obstacles = {Pick("obstacle", index) for problem in errors for index in problem.obstacles}
    links = {Pick("link", index) for problem in errors for index in problem.links}
    return tuple(sorted(obstacles | links, key=lambda pick: (pick.kind, pick.index)))
