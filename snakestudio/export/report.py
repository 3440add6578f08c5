"""The report of an analysis as a value: tables, pictures, notes and provenance, whichever file it becomes."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from snakestudio._arrays import FloatArray
from snakestudio._version import __version__
from snakestudio.export.provenance import change_lines
from snakestudio.export.tables import Table, table_text
from snakestudio.model.events import Change
from snakestudio.model.scene import Scene
from snakestudio.model.scene_file import scene_hash

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Progress = Callable[[float], bool]
"""Takes the finished fraction; writing is cancelled, leaving no file, when it returns False."""


@dataclass(frozen=True, slots=True, eq=False)
class Picture:
    """A picture with its heading and caption."""

    heading: str
    caption: str
    figure: Figure


@dataclass(frozen=True, slots=True, eq=False)
class Series:
    """Time series or the like that a CSV holds, with its columns' names."""

    names: tuple[str, ...]
    """Each ends in its SI unit."""
    blocks: Callable[[], Iterable[FloatArray]]
    """Makes the rows, (k, columns) at a time."""
    n_rows: int


@dataclass(frozen=True, slots=True, eq=False)
class Report:
    """What an analysis has to report, whichever file it becomes."""

    subject: str
    """What was analysed, in a word: a file is called after the scene and this."""
    title: str
    lead: str
    """The main values in a sentence or two; empty if the tables say it."""
    tables: tuple[Table, ...]
    """The results, the most important first: its numbers are what a CSV without `series` holds."""
    scene: Scene
    scene_file: str | None = None
    """Name of the scene's file; None while it is unsaved."""
    changes: tuple[Change, ...] = ()
    """Made to the scene during the run."""
    details: tuple[Table, ...] = ()
    """On how the results came about: at the end of pages, before the results in text."""
    glossary: tuple[Table, ...] = ()
    """What names in the tables mean; on pages only."""
    notes: tuple[str, ...] = ()
    """What to know when reading the results, in sentences."""
    conclusion: str = ""
    """The outcome, with which a text ends."""
    sources: tuple[tuple[str, str], ...] = ()
    """Provenance beyond program and scene: what it is, and its value."""
    header: tuple[str, ...] = ()
    """What only the header of a CSV says, in lines: above all how to repeat it."""
    series: Callable[[], Series] | None = None
    draw: Callable[[], tuple[Picture, ...]] = field(default=tuple)
    """Draws the pictures of pages, in matplotlib's style for them."""

    @property
    def text(self) -> str:
        """The report as it is printed and copied: in a terminal its end is what stays in view."""
        parts = [self.lead] if self.lead else []
        for table in (*self.details, *self.tables):
            parts.append(table_text(table) + (f"\n{table.note}" if table.note else ""))
        if self.notes:
            parts.append("\n".join(self.notes))
        if self.conclusion:
            parts.append(self.conclusion)
        return "\n\n".join(parts)

    @property
    def provenance(self) -> tuple[tuple[str, str], ...]:
        """Where everything comes from: what it is, and its value."""
        rows = [
            ("program", f"SnakeStudio {__version__}"),
            ("scene", self.scene_file or "unsaved"),
            ("scene, SHA-256", scene_hash(self.scene)),
            ("model", f"{self.scene.model.kind}, step {self.scene.solver.step_s:g} s"),
        ]
        if self.scene.source:
            rows.append(("source of the scene", self.scene.source))
        rows += [
            ("changed in the run", line.removeprefix("# change: "))
            for line in change_lines(self.changes)
        ]
        return (*rows, *self.sources)


def scene_title(scene: Scene) -> str:
    """What the title of a report calls a scene."""
    return scene.title or "Untitled scene"
