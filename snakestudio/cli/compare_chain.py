"""Compare chains of rigid links with the continuous body of a scene, and show their convergence to it."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

from snakestudio.cli.outputs import Outputs, add_force_argument, output
from snakestudio.cli.reports import (
    add_report_argument,
    check_report_ending,
    deliver_comparison,
)
from snakestudio.cli.results import add_json_argument, add_quiet_argument
from snakestudio.cli.shared import ProgressLine, add_scene_arguments, assignments, warm_up
from snakestudio.errors import UsageError

if TYPE_CHECKING:
    from snakestudio.analysis.comparison.chain_data import ChainComparison


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of `snakestudio compare chain`."""
    add_scene_arguments(parser)
    parser.add_argument(
        "--links",
        metavar="N,N,...",
        help="numbers of links (8,16,... up to 256; under friction 64)",
    )
    parser.add_argument(
        "--at",
        metavar="S",
        type=float,
        action="append",
        default=[],
        help="simulated time of the comparison (can be repeated; half of the run if omitted)",
    )
    parser.add_argument(
        "--own-axes",
        action="store_true",
        help="rings push along the axes of the link they are on (order 1)",
    )
    parser.add_argument(
        "--csv", metavar="F", type=output, help="write all joints of all chains as CSV"
    )
    add_report_argument(parser)
    add_force_argument(parser)
    add_json_argument(parser)
    add_quiet_argument(parser)


def execute(options: argparse.Namespace) -> int:
    """Run `snakestudio compare chain`; return the exit code."""
    values = assignments(options.values)
    links = _links(options.links)

    from snakestudio import api
    from snakestudio.analysis.comparison.models import chosen_kinds

    check_report_ending(options)
    outputs = Outputs(options, (options.scene,), options.csv, options.report)
    scene, base_dir, _ = api.prepare(options.scene, options.duration, options.rate, values)
    outputs.spare_files_of(scene, base_dir)
    line = ProgressLine(options)
    if scene.body.strained:
        warm_up(chosen_kinds(scene), line)
    name = Path(options.scene).name
    comparison = api.compare_scene_chain(
        scene, links, options.at, base_dir, name, line.reporter("simulating"), options.own_axes
    )
    line.clear()
    assert comparison is not None, "cannot be cancelled"
    deliver_comparison(
        comparison, name, options, outputs, lambda: _values(options, comparison.data)
    )
    return 0


def _values(options: argparse.Namespace, data: ChainComparison) -> dict[str, Any]:
    """Return the comparison for scripts; errors are relative to the body, path errors in m."""
    chains = [
        {
            "links": count,
            "path_error_m": data.path_errors[row],
            "at": [
                {
                    "time_s": time,
                    "speed_error": data.speed_errors[row, column],
                    "errors": {
                        part.name: data.errors[row, column, k] for k, part in enumerate(data.parts)
                    },
                }
                for column, time in enumerate(data.times)
            ],
        }
        for row, count in enumerate(data.links)
    ]
    return {
        "scene": options.scene,
        "free": data.free,
        "chains": chains,
        "files": {"csv": options.csv, "report": options.report},
    }


def _links(text: str | None) -> tuple[int, ...]:
    if text is None:
        return ()
    try:
        return tuple(int(part) for part in text.split(","))
    except ValueError:
        raise UsageError(
            f"--links {text}: give numbers separated by commas, such as 8,16,32."
        ) from None
