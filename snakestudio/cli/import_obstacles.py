"""Add the circles of a table (x, y, radius) or an SVG drawing to a scene, as cylinders in a group of their own."""

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
        "--into", metavar="SCENE", type=Path, required=True, help="scene that gets the obstacles"
    )
    parser.add_argument(
        "--out", metavar="NEW", type=output, help="write the result there instead of into SCENE"
    )
    add_force_argument(parser)
    add_quiet_argument(parser)
    parser.add_argument(
        "--unit",
        choices=("m", "cm", "mm", "in", "px"),
        help="unit of the numbers (what the file says; else m)",
    )
    parser.add_argument(
        "--scale", metavar="S", type=float, default=1.0, help="factor for positions and radii (1)"
    )


def execute(options: argparse.Namespace) -> int:
    """Carry out `snakestudio import-obstacles`."""
    if not 0 < options.scale < float("inf"):
        raise UsageError(
            f"--scale {options.scale:g}: the scale must be positive; give 10 for a drawing at 1:10."
        )
    if options.into.suffix.lower() == ".csv" or (
        options.out is not None and options.out.suffix.lower() == ".csv"
    ):
        raise UsageError("a scene with obstacles is written as TOML; give a name ending in .toml.")

    from snakestudio.model.obstacles.importing import as_cylinders, read_circles, with_imported
    from snakestudio.model.scene_file import load_scene, read_scene_text, save_scene

    found = read_circles(options.file)
    unit = options.unit or found.unit
    cylinders = as_cylinders(found, unit, options.scale, options.file.stem, str(options.file))
    scene = with_imported(load_scene(options.into), cylinders)
    target = options.out or options.into
    if target.resolve() != options.into.resolve():
        # SCENE itself is to be changed, and stays beside as SCENE~
        Outputs(options, (None, options.file), target)
    save_scene(scene, target, base=read_scene_text(options.into))
    for note in found.notes:
        print(note)
    why = "as --unit says" if options.unit else found.stated
    print(
        f"wrote {target}: {len(cylinders)} more obstacles, {len(scene.obstacles)} in all (unit {unit}, {why})"
    )
    return 0
