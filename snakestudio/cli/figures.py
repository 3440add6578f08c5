"""Reproduce the figures of a paper from runs of the bundled scenes, as vector PDF (or SVG, PNG)."""

from __future__ import annotations

import argparse
from pathlib import Path

from snakestudio.cli.outputs import folder_for_outputs
from snakestudio.cli.results import add_quiet_argument
from snakestudio.cli.shared import ProgressLine, warm_up
from snakestudio.errors import PhysicsError


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of `snakestudio figures`."""
    parser.add_argument("paper", metavar="PAPER", help="P1, P2, P3, P4 or P5")
    parser.add_argument(
        "--only",
        metavar="N,N",
        default="",
        help="numbers of the figures (names for P4; all figures if omitted)",
    )
    parser.add_argument(
        "--out", metavar="FOLDER", type=Path, help="folder to write to (figures/PAPER)"
    )
    parser.add_argument(
        "--experiment",
        metavar="F",
        type=Path,
        action="append",
        default=[],
        help="measured track (CSV, TSV, TRC, C3D) to overlay on figures of comparisons; choose them with --only",
    )
    parser.add_argument("--format", metavar="KIND", default="pdf", help="pdf, svg or png (pdf)")
    add_quiet_argument(parser)


def execute(options: argparse.Namespace) -> int:
    """Run `snakestudio figures`; return the exit code."""
    from snakestudio import api
    from snakestudio.analysis.experiment.importing import read_capture
    from snakestudio.export.figures.make import (
        TRACKED_LINK,
        FigureOutput,
        draw_figure,
        figures_of_paper,
        laid_over,
        needed,
        prepared,
    )
    from snakestudio.model.recording import Recording

    paper = options.paper.upper()
    figures = figures_of_paper(
        paper, [number.strip() for number in options.only.split(",") if number.strip()]
    )
    output = FigureOutput(
        options.out or Path("figures") / paper, f".{options.format.lower().lstrip('.')}"
    )
    folder_for_outputs(output.folder)
    captures = [read_capture(path) for path in options.experiment]
    needs = needed(figures)
    scenes = {need: prepared(need) for need in needs}
    line = ProgressLine(options)
    warm_up(dict.fromkeys(scene.model.kind for scene, _ in scenes.values()), line)
    runs: dict[object, tuple[Recording, str | None]] = {}
    for need, (scene, path) in scenes.items():
        progress = line.reporter(f"simulating {path.name}", scene.run.duration_s)
        run = api.simulate_scene(scene, path.parent, scene_file=path.name, progress=progress)
        line.clear()
        if run.failure:
            raise PhysicsError(f"{path.name}: {run.failure}")
        runs[need] = run.recording, path.name
    for figure in figures:
        path = output.folder / f"{paper}_fig_{figure.number}{output.suffix}"
        drawn = [runs[need] for need in figure.needs]
        tracks = laid_over(drawn[0][0], captures, TRACKED_LINK) if figure.takes_measured else []
        draw_figure(path, figure, drawn, figure.title(paper), tracks)
        print(f"wrote {path}: {figure.caption}")
    return 0
