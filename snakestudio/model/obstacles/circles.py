"""Circles as files of other programs give them, before they are obstacles, and how mistakes in such a file are said."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from snakestudio.errors import Problem, SceneError

__all__ = ["MAX_OBSTACLES", "Circle", "Circles", "refuse"]

MAX_OBSTACLES = 20_000
_MOST = 20


class Circle(NamedTuple):
    """A circle as a file gives it: centre and radius in the file's unit, and where in the file it stands."""

    x: float
    y: float
    radius: float
    where: str
    name: str = ""


class Circles(NamedTuple):
    """What was found in a file.

    Attributes
    ----------
    circles : tuple of Circle
    unit : str
        Key of `UNITS`: what the file says, or what is usual if it says nothing.
    stated : str
        Where the unit comes from, for people ("as the column names say").
    notes : tuple of str
        What was left out, a sentence each.
    """

    circles: tuple[Circle, ...]
    unit: str
    stated: str
    notes: tuple[str, ...] = ()


def refuse(source: str, mistakes: Sequence[str]) -> SceneError:
    """The error that names every mistake found in a file, a line each."""
    shown = list(mistakes[:_MOST])
    if len(mistakes) > _MOST:
        shown.append(f"... and {len(mistakes) - _MOST} more mistakes.")
    return SceneError("\n".join(f"{source}: {line}" for line in shown), [Problem("error", "", m, "") for m in mistakes])
