"""Makes all figures of a paper: each run that is needed is made once, then every figure is drawn from its runs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path

from snakestudio.errors import UsageError
from snakestudio.export.figures.any_run import figures_of
from snakestudio.export.figures.figure import Measured, Need, Origin, PaperFigure, printed, save
from snakestudio.export.printing import FORMATS
from snakestudio.model.edits import with_values
from snakestudio.model.recording import Recording
from snakestudio.model.scene import Scene
from snakestudio.model.scene_file import load_scene
from snakestudio.paths import scenes_dir

__all__ = [
    "PAPERS",
    "TRACKED_LINK",
    "Wanted",
    "draw_figure",
    "figures_of_paper",
    "needed",
    "prepared",
    "write_run_figures",
]

PAPERS = {
    "P1": "Transeth, Leine, Glocker, Pettersen 2008: 3D non-smooth model",
    "P2": "Transeth, Leine, Glocker, Pettersen, Liljebäck 2008: obstacle-aided locomotion",
    "P3": "Liljebäck, Pettersen, Stavdahl: jam resolution",
    "P4": "Rezapour, Pettersen, Liljebäck, Gravdahl, Kelasidi 2014: path following, planar Lagrangian model",
    "P5": "Boyer, Ali, Porez 2012: macro-continuous dynamics",
}
"""The papers whose figures can be made."""

TRACKED_LINK = 5
"""The link (0-based) whose track the figures of P1 and P2 compare with an experiment."""


def figures_of_paper(paper: str, only: Sequence[str] = ()) -> tuple[PaperFigure, ...]:
    """The figures of a paper, or those of the numbers `only`.

    Raises
    ------
    UsageError
        If there is no such paper or figure.
    """
    key = paper.upper()
    if key not in PAPERS:
        raise UsageError(f"{paper}: give one of the papers {', '.join(PAPERS)}.")
    figures: tuple[PaperFigure, ...] = import_module(f"snakestudio.export.figures.paper{key[1:]}").FIGURES
    known = {figure.number: figure for figure in figures}
    for number in only:
        if number not in known:
            raise UsageError(f"figure {number} of {key} cannot be made; there are {', '.join(known)}.")
    return tuple(known[number] for number in only) if only else figures


def needed(figures: Sequence[PaperFigure]) -> tuple[Need, ...]:
    """The runs that figures need, each once."""
    return tuple(dict.fromkeys(need for figure in figures for need in figure.needs))


def prepared(need: Need) -> tuple[Scene, Path]:
    """The scene of a run, and its file."""
    path = scenes_dir() / f"{need.scene}.toml"
    scene = load_scene(path)
    return (with_values(scene, dict(need.values)) if need.values else scene), path


@dataclass(frozen=True)
class Wanted:
    """How and where figures are written.

    Attributes
    ----------
    folder : Path
    suffix : str
        ".pdf", ".svg" or ".png".
    """

    folder: Path
    suffix: str = ".pdf"

    def __post_init__(self) -> None:
        if self.suffix not in FORMATS:
            raise UsageError(f"figures as {self.suffix}: give one of {', '.join(FORMATS)}.")


def draw_figure(
    path: Path,
    figure: PaperFigure,
    runs: Sequence[tuple[Recording, str | None]],
    title: str,
    measured: Sequence[Measured] = (),
) -> Path:
    """Draw a figure into a file.

    Parameters
    ----------
    path : Path
        Its suffix says the format.
    figure : PaperFigure
    runs : sequence of (Recording, str or None)
        As many as it needs, with the names of their scene files.
    title : str
        Of the file, as "Figure 6 of P1".
    measured : sequence of Measured
        Tracks to be drawn over those figures that take them.

    Raises
    ------
    ExportError
        If it cannot be written.
    """
    tracks = measured if figure.takes_measured else ()
    with printed(figure.width_mm, figure.height_mm) as page:
        figure.draw(page, [recording for recording, _ in runs], tracks)
        return save(path, page, Origin(title, figure.caption, runs))


def write_run_figures(
    wanted: Wanted,
    recording: Recording,
    scene_file: str | None,
    measured: Sequence[Measured] = (),
    progress: Callable[[float], bool] | None = None,
) -> list[Path]:
    """Write every figure that a run can be drawn as: those of the papers whose scene it is of, and the general ones.

    Returns
    -------
    list of Path
        What was written; those made until then if `progress` asked to stop.

    Raises
    ------
    ExportError
        If one cannot be written.
    """
    stem = Path(scene_file).stem if scene_file else "run"
    jobs = [(f"{stem}_{figure.number}", figure, figure.caption) for figure in figures_of(recording)]
    for paper in PAPERS:
        jobs += [
            (f"{stem}_{paper}_fig_{figure.number}", figure, figure.title(paper))
            for figure in figures_of_paper(paper)
            if [need.scene for need in figure.needs] == [stem] and not figure.needs[0].values
        ]
    written = []
    for number, (name, figure, title) in enumerate(jobs):
        path = wanted.folder / f"{name}{wanted.suffix}"
        written.append(draw_figure(path, figure, [(recording, scene_file)], title, measured))
        if progress is not None and not progress((number + 1) / len(jobs)):
            break
    return written
