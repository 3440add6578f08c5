"""Figures of a paper: number, required runs and drawing function; and the page on which they are drawn."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from snakestudio._arrays import FloatArray
from snakestudio.export.files import replacing
from snakestudio.export.printing import PLAIN, about_file, printed_suffix, save_figure
from snakestudio.export.provenance import header_lines
from snakestudio.model.columns import table
from snakestudio.model.recording import Recording

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_STYLE: Any = {
    **PLAIN,
    "axes.labelsize": 7.0,
    "axes.titlesize": 7.0,
    "legend.fontsize": 6.5,
    "lines.linewidth": 1.0,
    "xtick.direction": "in",
    "ytick.direction": "in",
    "xtick.major.size": 2.5,
    "ytick.major.size": 2.5,
    "legend.frameon": False,
    "legend.handlelength": 2.2,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "path.simplify": True,
    "text.parse_math": True,
    "mathtext.fontset": "dejavusans",
}


@dataclass(frozen=True)
class Need:
    """A run that is required by a figure."""

    scene: str
    """Name of an included scene, without extension."""

    values: tuple[tuple[str, object], ...] = ()
    """Scene values that replace those of the file, by dotted key."""


@dataclass(frozen=True)
class MeasuredTrack:
    """A measured track in the times and positions of the run with which it is drawn."""

    label: str
    time: FloatArray
    """s. Shape (k,)."""

    position: FloatArray
    """m; NaN where nothing was measured. Shape (k, 3)."""


Draw = Callable[["Figure", Sequence[Recording], Sequence[MeasuredTrack]], None]


@dataclass(frozen=True)
class PaperFigure:
    """One figure."""

    number: str
    """Number in the paper, or a name if it has none."""

    caption: str
    """Description in a sentence."""

    needs: tuple[Need, ...]
    """Required runs."""

    draw: Draw
    """Draws the runs on an empty figure, with measured tracks if given."""

    width_mm: float = 88.0
    height_mm: float = 60.0
    takes_measured: bool = False
    """Whether measured tracks are drawn."""

    def title(self, paper: str) -> str:
        """Return the title of its file: "Figure 6 of P1"."""
        return (
            f"Figure {self.number} of {paper}"
            if self.number.isdigit()
            else f"{paper}: {self.number}"
        )


@dataclass(frozen=True)
class Origin:
    """Origin of the runs of a figure, for its metadata."""

    title: str
    caption: str
    runs: Sequence[tuple[Recording, str | None]]
    """Runs with the names of their scene files."""

    def metadata(self, suffix: str) -> dict[str, str | None]:
        """Return the metadata of the file; the keywords contain everything that reproduces its runs."""
        lines = "\n\n".join(
            "\n".join(header_lines(run, scene_file)) for run, scene_file in self.runs
        )
        return about_file(suffix, self.title, self.caption, lines)


def columns(recording: Recording, *names: str) -> tuple[FloatArray, ...]:
    """Return the named columns of a run, each (rows,).

    Raises `KeyError` if there is no such column.
    """
    return tuple(np.concatenate(list(table(recording, names))).T)


@contextmanager
def printed(width_mm: float, height_mm: float) -> Iterator[Figure]:
    """An empty figure of this size, in the style of all figures."""
    import matplotlib
    from matplotlib.figure import Figure

    with matplotlib.rc_context(_STYLE):
        yield Figure(figsize=(width_mm / 25.4, height_mm / 25.4), layout="constrained")


def save(path: Path, figure: Figure, origin: Origin) -> Path:
    """Write a figure as PDF, SVG or PNG, by file extension; the same runs give the same bytes.

    Raises `ExportError` if it cannot be written, or has another extension.
    """
    suffix = printed_suffix(path, "figures")
    with replacing(path) as partial:
        save_figure(figure, partial.path, dpi=300, metadata=origin.metadata(suffix))
    return path
