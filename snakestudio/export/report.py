"""What a report says, whichever file it becomes: pictures, tables, notes and where all of it comes from."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["Picture", "Report", "Table"]


@dataclass(frozen=True, slots=True)
class Table:
    """A table: a heading, rows of cells of which the first is the head, how many columns stand to the left."""

    heading: str
    rows: tuple[tuple[str, ...], ...]
    left: int
    about: str = ""


@dataclass(frozen=True, slots=True, eq=False)
class Picture:
    """A picture with its heading and caption."""

    heading: str
    caption: str
    figure: Figure


@dataclass(frozen=True, slots=True, eq=False)
class Report:
    """What a report says, whichever file it becomes.

    Attributes
    ----------
    title, lead : str
        What was compared; the main figures in a sentence.
    pictures : tuple of Picture
    tables : tuple of Table
    notes : tuple of str
        What was done on import and in aligning.
    provenance : tuple of (str, str)
        Where run and data come from: what it is, and its value.
    scene : str
        The scene as TOML, so that the run can be made again.
    """

    title: str
    lead: str
    pictures: tuple[Picture, ...]
    tables: tuple[Table, ...]
    notes: tuple[str, ...]
    provenance: tuple[tuple[str, str], ...]
    scene: str
