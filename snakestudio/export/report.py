"""Report of an analysis as a value, independent of the file format: tables, pictures, notes and provenance."""

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
"""Called with the finished fraction; writing is cancelled without a file when it returns False."""


@dataclass(frozen=True, slots=True, eq=False)
class Picture:
    """A picture with its heading and caption."""

    heading: str
    caption: str
    figure: Figure


@dataclass(frozen=True, slots=True, eq=False)
class Series:
    """Data of a CSV such as time series, with column names."""

    names: tuple[str, ...]
    """Each ends in an SI unit."""
    blocks: Callable[[], Iterable[FloatArray]]
    """Returns the rows, (k, columns) at a time."""
    n_rows: int


@dataclass(frozen=True, slots=True, eq=False)
class Report:
    """Content of a report, independent of the file format."""

    subject: str
    """Subject in one word: file names consist of the scene and this."""
    title: str
    lead: str
    """The main values in one or two sentences; empty if the tables are sufficient."""
    tables: tuple[Table, ...]
    """Results, the most important first: a CSV without `series` contains the first table."""
    scene: Scene
    scene_file: str | None = None
    """Name of the scene's file; None if it is unsaved."""
    changes: tuple[Change, ...] = ()
    """Changes of the scene during the run."""
    details: tuple[Table, ...] = ()
    """Additional tables, at the end of pages and before the results in text."""
    glossary: tuple[Table, ...] = ()
    """Explanations of names in the tables; on pages only."""
    notes: tuple[str, ...] = ()
    """Remarks on the results."""
    conclusion: str = ""
    """Final statement of a text report."""
    sources: tuple[tuple[str, str], ...] = ()
    """Provenance in addition to program and scene: name and value."""
    header: tuple[str, ...] = ()
    """Lines for the header of a CSV only, above all how to repeat the analysis."""
    series: Callable[[], Series] | None = None
    draw: Callable[[], tuple[Picture, ...]] = field(default=tuple)
    """Draws the pictures of pages, in their matplotlib style."""

    @property
    def text(self) -> str:
        """The report as it is printed and copied: in a terminal its end remains visible."""
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
        """Provenance: name and value."""
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
    """Return the title of a scene in reports."""
    return scene.title or "Untitled scene"
