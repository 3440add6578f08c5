"""Add the circles of a table (x, y, radius) or an SVG drawing to a scene, as a new group of cylinders."""

from __future__ import annotations

import argparse
from pathlib import Path

from snakestudio.cli.outputs import Outputs, add_force_argument, output
from snakestudio.cli.results import add_quiet_argument
from snakestudio.errors import UsageError


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of `snakestudio import-obstacles`."""
    parser.add_argument(
        "file", metavar="FILE", type=Path, help="CSV with columns x, y, radius, or SVG with circles"
    )
    parser.add_argument(
        "--into", metavar="SCENE", type=Path, required=True, help="scene to add the obstacles to"
    )
    parser.add_argument(
        "--out", metavar="NEW", type=output, help="write the result to this file instead of SCENE"
    )
    add_force_argument(parser)
    add_quiet_argument(parser)
    parser.add_argument(
        "--unit",
        choices=("m", "cm", "mm", "in", "px"),
        help="unit of the numbers (the unit stated in the file, else m)",
    )
    parser.add_argument(
        "--scale", metavar="S", type=float, default=1.0, help="factor for positions and radii (1)"
    )


def execute(options: argparse.Namespace) -> int:
    """Run `snakestudio import-obstacles`; return the exit code."""
    if not 0 < options.scale < float("inf"):
        raise UsageError(
            f"--scale {options.scale:g}: the scale must be positive. Give 10 for a drawing at 1:10."
        )
    if options.into.suffix.lower() == ".csv" or (
        options.out is not None and options.out.suffix.lower() == ".csv"
    ):
        raise UsageError("A scene with obstacles is written as TOML. Give a name ending in .toml.")

    from snakestudio.model.obstacles.importing import as_cylinders, read_circles, with_imported
    from snakestudio.model.scene_file import load_scene, read_scene_text, save_scene

    circles = read_circles(options.file)
    unit = options.unit or circles.unit
    cylinders = as_cylinders(circles, unit, options.scale, options.file.stem, str(options.file))
    scene = with_imported(load_scene(options.into), cylinders)
    target = options.out or options.into
    if target.resolve() != options.into.resolve():
        # SCENE itself is changed; the previous file is saved as SCENE~
        Outputs(options, (None, options.file), target)
    save_scene(scene, target, base=read_scene_text(options.into))
    for note in circles.notes:
        print(note)
    why = "set by --unit" if options.unit else circles.stated
    print(
        f"wrote {target}: {len(cylinders)} obstacles added, {len(scene.obstacles)} in total (unit {unit}, {why})"
    )
    return 0
