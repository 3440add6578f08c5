"""Compare a run with measured tracks of a real robot."""

from __future__ import annotations

import argparse
from contextlib import ExitStack, closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

from snakestudio.cli.outputs import Outputs, add_force_argument, output
from snakestudio.cli.reports import add_report_argument, check_report_ending, deliver_comparison
from snakestudio.cli.results import add_json_argument, add_quiet_argument
from snakestudio.cli.shared import (
    ProgressLine,
    add_scene_arguments,
    assignments,
    plausibility_values,
    warm_up,
)
from snakestudio.errors import PhysicsError, UsageError

if TYPE_CHECKING:
    from snakestudio import api
    from snakestudio.analysis.experiment.comparison import ExperimentComparison
    from snakestudio.analysis.experiment.figures import Figure


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of `snakestudio compare experiment`."""
    add_scene_arguments(parser)
    parser.add_argument(
        "experiments",
        metavar="EXPERIMENT",
        nargs="+",
        type=Path,
        help="trials: CSV, TSV, TRC or C3D files",
    )
    parser.add_argument(
        "--layout",
        metavar="F.toml",
        type=Path,
        help="layout of the tables (detected if omitted)",
    )
    parser.add_argument(
        "--write-layout",
        metavar="F.toml",
        type=output,
        help="write the layout of the first file, for editing",
    )
    parser.add_argument(
        "--offset-bounds",
        metavar=("A", "B"),
        nargs=2,
        type=float,
        default=(-0.5, 0.5),
        help="bounds of the time offset, s (-0.5 0.5); equal bounds fix it",
    )
    parser.add_argument(
        "--no-heading",
        action="store_true",
        help="do not rotate the tracks; use when their axes are those of the run",
    )
    parser.add_argument(
        "--no-position",
        action="store_true",
        help="do not shift the tracks; use when their origin is that of the run",
    )
    parser.add_argument(
        "--over",
        metavar="S",
        type=float,
        help="align with the first S seconds only (the whole run)",
    )
    parser.add_argument(
        "--link", metavar="N", type=int, help="link to compare, from 1; 0 is the centre of mass"
    )
    parser.add_argument(
        "--csv",
        metavar="F",
        type=output,
        help="write both tracks and their errors over time as CSV",
    )
    add_report_argument(parser)
    add_force_argument(parser)
    add_json_argument(parser)
    add_quiet_argument(parser)


def execute(options: argparse.Namespace) -> int:
    """Run `snakestudio compare experiment`; return the exit code."""
    values = assignments(options.values)
    _plausible(options)

    from snakestudio import api
    from snakestudio.analysis.experiment.importing import guess_layout
    from snakestudio.analysis.experiment.layout import load_layout, save_layout

    check_report_ending(options)
    read = (options.scene, *options.experiments, options.layout)
    outputs = Outputs(options, read, options.csv, options.report, options.write_layout)
    layout = load_layout(options.layout) if options.layout is not None else None
    if options.write_layout is not None:
        save_layout(options.write_layout, layout or guess_layout(options.experiments[0]))
        print(f"wrote {options.write_layout}")
    captures = [api.load_experiment(path, layout) for path in options.experiments]
    line = ProgressLine(options)
    name = Path(options.scene).name
    with ExitStack() as stack:
        run = _run(options, values, line, stack)
        comparison = api.compare_experiment(
            run,
            captures,
            offset_bounds=tuple(options.offset_bounds),
            align_position=not options.no_position,
            align_heading=not options.no_heading,
            over=options.over,
            link=options.link,
        )
        deliver_comparison(
            comparison,
            name,
            options,
            outputs,
            lambda: _values(options, comparison.data, run.failure),
        )
        if run.failure:
            raise PhysicsError(run.failure)
    return 0


def _values(
    options: argparse.Namespace, data: ExperimentComparison, failure: str
) -> dict[str, Any]:
    """Return the comparison for scripts, in SI units."""
    trials = [
        {"experiment": path, "values": _figures(trial.figures)}
        for path, trial in zip(options.experiments, data.trials, strict=True)
    ]
    return {
        "scene": options.scene,
        "failure": failure or None,
        "plausibility": plausibility_values(data.recording),
        "trials": trials,
        "together": _figures(data.together),
        "files": {"csv": options.csv, "report": options.report, "layout": options.write_layout},
    }


def _figures(figures: dict[str, Figure]) -> dict[str, dict[str, float]]:
    return {
        name: {
            "run": one.run,
            "experiment": one.experiment,
            "error": one.value,
            "low": one.low,
            "high": one.high,
        }
        for name, one in figures.items()
    }


def _run(
    options: argparse.Namespace, values: dict[str, Any], line: ProgressLine, stack: ExitStack
) -> api.Run:
    """Return the recorded run unchanged; run a scene, or a recorded run with changed values."""
    from snakestudio import api
    from snakestudio.runfile.mcap import open_run

    path = Path(options.scene)
    if (
        path.suffix.lower() == ".mcap"
        and not values
        and options.duration is None
        and options.rate is None
    ):
        recording = stack.enter_context(closing(open_run(path)))
        return api.Run(recording, recording.info.scene_file or None, base_dir=recording.base_dir)
    scene, base_dir, changes = api.prepare(options.scene, options.duration, options.rate, values)
    warm_up([scene.model.kind], line)
    run = api.simulate_scene(
        scene, base_dir, changes, path.name, line.reporter("simulating", scene.run.duration_s)
    )
    line.clear()
    return run


def _plausible(options: argparse.Namespace) -> None:
    low, high = options.offset_bounds
    if not low <= high:
        raise UsageError(f"--offset-bounds {low:g} {high:g}: give the smaller one first.")
    if options.link is not None and options.link < 0:
        raise UsageError(
            f"--link {options.link}: links are numbered from 1; 0 is the centre of mass."
        )
    if options.over is not None and not options.over > 0:
        raise UsageError(f"--over {options.over:g}: give a positive time in seconds.")
