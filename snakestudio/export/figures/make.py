"""Makes all figures of a paper: each required run is simulated once, then all figures are drawn."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from snakestudio.analysis.experiment.alignment import AlignmentOptions, align
from snakestudio.drawing.style import LIGHT
from snakestudio.errors import UsageError
from snakestudio.export.figures.figure import (
    MeasuredTrack,
    Need,
    Origin,
    PaperFigure,
    columns,
    printed,
    save,
)
from snakestudio.export.figures.parts import (
    EXPERIMENT,
    RUN,
    link_track,
    plan_axes,
    pose_at,
    subtitle,
    time_axes,
)
from snakestudio.export.plan_drawing import draw_outlines, draw_robot
from snakestudio.export.printing import FORMATS
from snakestudio.model.capture import Capture
from snakestudio.model.columns import column_names, filled_columns
from snakestudio.model.edits import with_values
from snakestudio.model.recording import Recording
from snakestudio.model.scene import Scene
from snakestudio.model.scene_file import load_scene
from snakestudio.paths import scenes_dir

if TYPE_CHECKING:
    from matplotlib.figure import Figure

PAPERS = {
    "P1": "Transeth, Leine, Glocker, Pettersen 2008: 3D non-smooth model",
    "P2": "Transeth, Leine, Glocker, Pettersen, Liljebäck 2008: obstacle-aided locomotion",
    "P3": "Liljebäck, Pettersen, Stavdahl: jam resolution",
    "P4": "Rezapour, Pettersen, Liljebäck, Gravdahl, Kelasidi 2014: path following, planar Lagrangian model",
    "P5": "Boyer, Ali, Porez 2012: macro-continuous dynamics",
}
"""Papers whose figures can be made."""

TRACKED_LINK = 5
"""Link (0-based) whose track the figures of P1 and P2 compare with an experiment."""


def figures_of_paper(paper: str, only: Sequence[str] = ()) -> tuple[PaperFigure, ...]:
    """Return the figures of a paper, or those with the numbers `only`.

    Raises `UsageError` if there is no such paper or figure.
    """
    key = paper.upper()
    if key not in PAPERS:
        raise UsageError(f"There is no paper {paper}. Choose one of {', '.join(PAPERS)}.")
    figures: tuple[PaperFigure, ...] = import_module(
        f"snakestudio.export.figures.paper{key[1:]}"
    ).FIGURES
    known = {figure.number: figure for figure in figures}
    for number in only:
        if number not in known:
            raise UsageError(
                f"Figure {number} of {key} is not available. Choose from {', '.join(known)}."
            )
    return tuple(known[number] for number in only) if only else figures


def needed(figures: Sequence[PaperFigure]) -> tuple[Need, ...]:
    """Return the runs that figures require, without duplicates."""
    return tuple(dict.fromkeys(need for figure in figures for need in figure.needs))


def prepared(need: Need) -> tuple[Scene, Path]:
    """Return the scene of a run, and its file."""
    path = scenes_dir() / f"{need.scene}.toml"
    scene = load_scene(path)
    return (with_values(scene, dict(need.values)) if need.values else scene), path


@dataclass(frozen=True)
class FigureOutput:
    """Folder and format of figures to write."""

    folder: Path
    suffix: str = ".pdf"
    """".pdf", ".svg" or ".png"."""

    def __post_init__(self) -> None:
        if self.suffix not in FORMATS:
            raise UsageError(
                f"Figures cannot be written as {self.suffix}. Choose one of {', '.join(FORMATS)}."
            )


def draw_figure(
    path: Path,
    figure: PaperFigure,
    runs: Sequence[tuple[Recording, str | None]],
    title: str,
    measured: Sequence[MeasuredTrack] = (),
) -> Path:
    """Write a figure to a file.

    Raises `ExportError` if it cannot be written.

    Parameters
    ----------
    path : Path
        Its extension determines the format.
    runs : sequence of (Recording, str or None)
        The runs that it requires, with the names of their scene files.
    title : str
        Title of the file, such as "Figure 6 of P1".
    measured : sequence of MeasuredTrack
        Tracks to draw on the figures that support them.
    """
    tracks = measured if figure.takes_measured else ()
    with printed(figure.width_mm, figure.height_mm) as page:
        figure.draw(page, [recording for recording, _ in runs], tracks)
        return save(path, page, Origin(title, figure.caption, runs))


def write_run_figures(
    target: FigureOutput,
    recording: Recording,
    scene_file: str | None,
    measured: Sequence[MeasuredTrack] = (),
    progress: Callable[[float], bool] | None = None,
) -> list[Path]:
    """Write all figures of a run: those of the papers that use its scene, and the general ones.

    Raises `ExportError` if one cannot be written.

    Returns
    -------
    list of Path
        Written files; those so far if `progress` returned False.
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
        path = target.folder / f"{name}{target.suffix}"
        written.append(draw_figure(path, figure, [(recording, scene_file)], title, measured))
        if progress is not None and not progress((number + 1) / len(jobs)):
            break
    return written


def _track(figure: Figure, runs: Sequence[Recording], measured: Sequence[MeasuredTrack]) -> None:
    recording = runs[0]
    axes = plan_axes(figure.add_subplot(), recording)
    end = float(recording.times[-1])
    draw_outlines(axes, recording.scene, pose_at(recording, 0.0), LIGHT.link)
    draw_robot(axes, recording.scene, pose_at(recording, end))
    middle = (recording.schema.n_links + 1) // 2
    link_track(axes, recording, middle, measured)
    axes.autoscale_view()
    part = "section" if recording.schema.sections else "link"
    subtitle(axes, f"start (outline), end ({end:g} s) and path of {part} {middle}")


def _velocity(figure: Figure, runs: Sequence[Recording], measured: Sequence[MeasuredTrack]) -> None:
    time, vx, vy = columns(runs[0], "time_s", "com_vx_mps", "com_vy_mps")
    axes = figure.add_subplot()
    axes.plot(time, vx, color=RUN, label="along x")
    axes.plot(time, vy, color=EXPERIMENT, label="along y")
    axes.set_xlim(time[0], time[-1])
    axes.set_xlabel("time / s")
    axes.set_ylabel("velocity of the centre of mass / m s$^{-1}$")
    axes.legend(loc="best")


def _joints(figure: Figure, runs: Sequence[Recording], measured: Sequence[MeasuredTrack]) -> None:
    recording = runs[0]
    # one axis per joint
    first = list({axis.joint: axis for axis in reversed(recording.schema.axes)}.values())[::-1]
    selected = [
        first[at]
        for at in sorted(
            {round(index) for index in np.linspace(0, len(first) - 1, min(len(first), 3))}
        )
    ]
    every = time_axes(figure, [f"joint {axis.joint + 1} / °" for axis in selected])
    for axes, axis in zip(every, selected, strict=True):
        time, ref, angle = columns(recording, "time_s", f"{axis.name}_ref_rad", f"{axis.name}_rad")
        axes.plot(time, np.degrees(ref), "--", color=EXPERIMENT, label="reference")
        axes.plot(time, np.degrees(angle), color=RUN, label="angle")
        axes.set_xlim(time[0], time[-1])
    every[0].legend(loc="best", ncols=2)


def _forces(figure: Figure, runs: Sequence[Recording], measured: Sequence[MeasuredTrack]) -> None:
    kinds = [
        kind
        for kind in ("obstacle", "ground")
        if f"contact_{kind}_fx_n" in column_names(runs[0].schema)
    ]
    every = time_axes(figure, [f"{kind} / N" for kind in kinds])
    for axes, kind in zip(every, kinds, strict=True):
        time, fx, fy = columns(runs[0], "time_s", f"contact_{kind}_fx_n", f"contact_{kind}_fy_n")
        axes.plot(time, fx, color=RUN, linewidth=0.8, label="along x")
        axes.plot(time, fy, color=EXPERIMENT, linewidth=0.8, label="along y")
        axes.set_xlim(time[0], time[-1])
    every[0].legend(loc="best", ncols=2)


def _energies(figure: Figure, runs: Sequence[Recording], measured: Sequence[MeasuredTrack]) -> None:
    names = [name for name in column_names(runs[0].schema) if name.startswith(("energy_", "work_"))]
    axes = figure.add_subplot()
    time, *all_values = columns(runs[0], "time_s", *names)
    for name, values in zip(names, all_values, strict=True):
        if np.abs(values).max(initial=0.0) > 0.0:
            axes.plot(time, values, linewidth=0.9, label=name.removesuffix("_j").replace("_", " "))
    axes.set_xlim(time[0], time[-1])
    axes.set_xlabel("time / s")
    axes.set_ylabel("energy, work / J")
    axes.legend(loc="best", ncols=2)


def figures_of(recording: Recording) -> tuple[PaperFigure, ...]:
    """Figures that a run can be drawn as; those without data (such as the forces on a real robot) are omitted."""
    filled = set(filled_columns(recording.schema))
    figures = {
        "link_1_x_m": PaperFigure(
            "track", "Path of the robot from above", (), _track, 140.0, 80.0, takes_measured=True
        ),
        "com_vx_mps": PaperFigure("velocity", "Velocity of the centre of mass", (), _velocity),
        "joint_1_yaw_rad": PaperFigure(
            "joints", "Joint angles and their references", (), _joints, height_mm=90.0
        ),
        "contact_ground_fx_n": PaperFigure(
            "forces", "Contact forces on the whole robot", (), _forces, height_mm=75.0
        ),
        "energy_kinetic_j": PaperFigure("energies", "Energies and works", (), _energies),
    }
    return tuple(figure for needed, figure in figures.items() if needed in filled)


def laid_over(
    recording: Recording,
    captures: Sequence[Capture],
    link: int,
    options: AlignmentOptions | None = None,
) -> list[MeasuredTrack]:
    """Return the measured tracks of a link (0-based) in the times and positions of a run.

    Raises `ExportError` if they overlap too little with the run.
    """
    tracks = []
    for capture in captures:
        aligned = align(recording, capture, options).apply(capture)
        body = aligned.body_on(link)
        # figures interpret text between dollar signs as mathematics
        label = capture.name.replace("$", r"\$")
        tracks.append(
            MeasuredTrack(label, aligned.time, aligned.position[:, 0 if body is None else body])
        )
    return tracks
