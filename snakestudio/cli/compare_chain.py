"""Hold chains of rigid links against the continuous body of a scene, and tell how they converge to it."""

from __future__ import annotations

import argparse
from pathlib import Path

from snakestudio.cli.outputs import Outputs, add_force_argument, output
from snakestudio.cli.shared import ProgressLine, add_scene_arguments, assignments, warm_up
from snakestudio.errors import UsageError

__all__ = ["add_arguments", "execute"]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of `snakestudio compare chain`."""
    add_scene_arguments(parser)
    parser.add_argument("--links", metavar="N,N,...", help="numbers of links (8,16,... up to 256; under friction 64)")
    parser.add_argument(
        "--at", metavar="S", type=float, action="append", default=[],
        help="simulated time to compare at, as often as needed (half of the run if left out)",
    )  # fmt: skip
    parser.add_argument(
        "--own-axes", action="store_true", help="let rings push along the axes of the link they are on (order 1)"
    )
    parser.add_argument("--csv", metavar="F", type=output, help="write all joints of all chains as CSV")
    add_force_argument(parser)


def execute(options: argparse.Namespace) -> int:
    """Carry out `snakestudio compare chain`."""
    values = assignments(options.values)
    links = _links(options.links)

    from snakestudio import api
    from snakestudio.analysis.comparison.models import chosen_kinds

    outputs = Outputs(options, (options.scene,), options.csv)
    scene, base_dir, _ = api.prepare(options.scene, options.duration, options.rate, values)
    outputs.spare_files_of(scene, base_dir)
    line = ProgressLine()
    if scene.body.strained:
        warm_up(chosen_kinds(scene), line)
    name = Path(options.scene).name
    comparison = api.compare_scene_chain(
        scene, links, options.at, base_dir, name, line.reporter("simulating"), options.own_axes
    )
    line.clear()
    assert comparison is not None, "nothing cancels it"
    print(f"{name}:\n\n{comparison}")
    if options.csv is not None:
        with outputs.place(options.csv) as path:
            comparison.to_csv(path)
        print(f"\nwrote {options.csv}")
    return 0


def _links(text: str | None) -> tuple[int, ...]:
    """Numbers between commas."""
    if text is None:
        return ()
    try:
        return tuple(int(part) for part in text.split(","))
    except ValueError:
        raise UsageError(f"--links {text}: write numbers between commas, like 8,16,32.") from None
