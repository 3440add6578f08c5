"""Draw the plan of a scene to scale: obstacles, the robot at its start and the path, seen from above."""

from __future__ import annotations

import argparse

from snakestudio.cli.outputs import Outputs, add_force_argument, output
from snakestudio.cli.shared import assignments

__all__ = ["add_arguments", "execute"]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of `snakestudio plan`."""
    parser.add_argument("scene", metavar="SCENE", help="scene file, or a CSV of a run of it")
    parser.add_argument("file", metavar="FILE", type=output, help="figure to write: .svg, .png or .pdf")
    parser.add_argument("--width-mm", metavar="N", type=float, default=180.0, help="width of the sheet (180)")
    add_force_argument(parser)
    parser.add_argument("--names", action="store_true", help="write the obstacles' names beside them")
    parser.add_argument(
        "--set", metavar="KEY=VALUE", action="append", default=[], dest="values",
        help="replace a scene value, e.g. --set start.heading_deg=30 (as often as needed)",
    )  # fmt: skip


def execute(options: argparse.Namespace) -> int:
    """Carry out `snakestudio plan`."""
    values = assignments(options.values)
    outputs = Outputs(options, (options.scene,), options.file)

    from snakestudio import api

    with outputs.place(options.file) as file:
        api.plan(options.scene, file, width_mm=options.width_mm, names=options.names, **values)
    print(f"wrote {options.file}")
    return 0
