"""Draw the plan of a scene to scale, seen from above: obstacles, the robot at its start and the path."""

from __future__ import annotations

import argparse

from snakestudio.cli.outputs import Outputs, add_force_argument, output
from snakestudio.cli.results import add_json_argument, add_quiet_argument, print_json
from snakestudio.cli.shared import SCENE_HELP, add_set_argument, assignments, scene_path


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of `snakestudio plan`."""
    parser.add_argument(
        "scene", metavar="SCENE", type=scene_path, help=f"{SCENE_HELP}; or a CSV of a run of it"
    )
    parser.add_argument(
        "file", metavar="FILE", type=output, help="figure to write: .svg, .png or .pdf"
    )
    parser.add_argument(
        "--width-mm", metavar="N", type=float, default=180.0, help="width of the sheet (180)"
    )
    add_force_argument(parser)
    parser.add_argument("--names", action="store_true", help="write the names next to obstacles")
    add_set_argument(parser, "start.heading_deg=30")
    add_json_argument(parser)
    add_quiet_argument(parser)


def execute(options: argparse.Namespace) -> int:
    """Run `snakestudio plan`; return the exit code."""
    values = assignments(options.values)
    outputs = Outputs(options, (options.scene,), options.file)

    from snakestudio import api

    with outputs.target(options.file) as file:
        api.plan(options.scene, file, width_mm=options.width_mm, names=options.names, **values)
    print(f"wrote {options.file}")
    if options.json:
        print_json(options, {"scene": options.scene, "file": options.file})
    return 0
