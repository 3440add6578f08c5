"""Fit scene values (friction, delay, backlash ...) so that the simulation matches measured runs of the robot."""

from __future__ import annotations

import argparse
import math
from pathlib import Path
from typing import TYPE_CHECKING, Any

from snakestudio.cli.outputs import Outputs, add_force_argument, output
from snakestudio.cli.results import add_json_argument, add_quiet_argument, print_json
from snakestudio.cli.shared import ProgressLine, add_set_argument, assignments, scene_path, warm_up
from snakestudio.cli.study_options import add_cluster_arguments, workers_of
from snakestudio.errors import UsageError

if TYPE_CHECKING:
    from snakestudio.analysis.fitting import FitProgress, FitResult


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of `snakestudio fit`."""
    parser.add_argument(
        "scene",
        metavar="SCENE",
        type=scene_path,
        help="scene of the measured runs: its file or name",
    )
    parser.add_argument(
        "experiments",
        metavar="EXPERIMENT",
        nargs="+",
        help="measured run: CSV, TSV, TRC or C3D; FILE@SCENE.toml if it belongs to another scene",
    )
    parser.add_argument(
        "--free",
        metavar="KEY=LOW:HIGH",
        action="append",
        default=[],
        help="value to fit, e.g. --free ground.mu_along=0.05:0.5 (can be repeated); :log at the end for a"
        " logarithmic scale, KEY+KEY for values that stay equal",
    )
    parser.add_argument("--method", default="auto", help="auto (the default), least_squares or cma")
    parser.add_argument(
        "--seed", metavar="N", type=int, default=1, help="random seed of CMA-ES (default: 1)"
    )
    parser.add_argument(
        "--evaluations", metavar="N", type=int, help="largest number of evaluations"
    )
    add_cluster_arguments(parser)
    parser.add_argument(
        "--offset",
        metavar=("LOW", "HIGH"),
        nargs=2,
        type=float,
        help="bounds of the clock offset of the measurement, s (-0.5 0.5; 0 0 if the start delay is fitted)",
    )
    parser.add_argument(
        "--no-align",
        action="store_true",
        help="do not align measured positions: they are in the frame of the scene",
    )
    add_set_argument(parser)
    parser.add_argument(
        "--out", metavar="F", type=output, help="write the scene with the fitted values"
    )
    parser.add_argument(
        "--report",
        metavar="F",
        type=output,
        help="draw before and after (.pdf, .png, .svg), or write a report with tables (.html, .md)",
    )
    add_force_argument(parser)
    add_json_argument(parser)
    add_quiet_argument(parser)


def execute(options: argparse.Namespace) -> int:
    """Run `snakestudio fit`; return the exit code."""
    values = assignments(options.values)
    if not options.free:
        raise UsageError(
            "There is no value to fit. Give at least one, such as --free ground.mu_along=0.05:0.5."
        )
    if options.evaluations is not None and options.evaluations < 1:
        raise UsageError(f"--evaluations {options.evaluations}: give an integer of at least 1.")
    workers = workers_of(options, least=0)

    from snakestudio import api
    from snakestudio.analysis.experiment.importing import read_capture
    from snakestudio.analysis.fitting import offset_bounds, parse_free, trial_of
    from snakestudio.api.fitting import fit_trials
    from snakestudio.export.printing import FORMATS as DRAWINGS
    from snakestudio.export.report_files import PAGES
    from snakestudio.model.scene_file import read_scene_text

    endings = tuple(dict.fromkeys((*DRAWINGS, *PAGES)))
    if options.report is not None and options.report.suffix.lower() not in endings:
        raise UsageError(
            f"--report {options.report}: give the file one of the suffixes {', '.join(endings)}."
        )
    read = [part for text in options.experiments for part in (text, *text.rsplit("@", 1))]
    outputs = Outputs(options, (options.scene, *read), options.out, options.report)
    parameters = [parse_free(text) for text in options.free]
    bounds = (
        offset_bounds(parameters)
        if options.offset is None
        else (options.offset[0], options.offset[1])
    )
    scene, base_dir, _ = api.prepare(options.scene, values=values)
    trials = []
    for text in options.experiments:
        file, at, other = text.rpartition("@")
        elsewhere = bool(at) and other.lower().endswith(".toml")
        own, own_dir = api.prepare(other, values=values)[:2] if elsewhere else (scene, base_dir)
        capture = read_capture(file if elsewhere else text)
        for note in capture.notes:
            print(f"{capture.name}: {note}")
        trials.append(trial_of(capture, own, own_dir, bounds, not options.no_align))
    line = ProgressLine(options)
    warm_up(dict.fromkeys(trial.scene.model.kind for trial in trials), line)
    report = line.reporter("fitting")

    def show_progress(progress: FitProgress) -> bool:
        best = f", {1000.0 * progress.history[-1].cost:.4g} mm" if progress.history else ""
        return report(
            progress.fraction, f"{progress.doing}: {progress.evaluations} evaluations{best}"
        )

    fitted = fit_trials(
        scene,
        trials,
        parameters,
        options.method,
        options.seed,
        options.evaluations,
        workers,
        show_progress,
    )
    line.clear()
    if not options.json:
        print(fitted)
    if options.out is not None:
        with outputs.target(options.out) as file:
            api.save_scene(fitted.scene, file, read_scene_text(Path(options.scene)))
        print(f"\nwrote {options.out}")
    if options.report is not None:
        with outputs.target(options.report) as file:
            write = (
                fitted.to_picture if options.report.suffix.lower() in DRAWINGS else fitted.to_report
            )
            write(file)
        print(f"wrote {options.report}")
    if options.json:
        print_json(options, _values(options, fitted.data))
    return 0


def _values(options: argparse.Namespace, data: FitResult) -> dict[str, Any]:
    """Return the fit for scripts, with 95 % confidence intervals."""
    parameters = [
        {
            "name": one.name,
            "keys": one.keys,
            "start": data.start[one.name],
            "value": data.values[one.name],
            "interval": data.intervals.get(one.name),
        }
        for one in data.parameters
    ]
    return {
        "scene": options.scene,
        "method": data.method,
        "evaluations": data.evaluations,
        "stopped": data.stopped,
        "cost_before_m": data.cost_before,
        "cost_after_m": data.cost_after,
        "parameters": parameters,
        "correlation": [
            [value if math.isfinite(value) else None for value in row]
            for row in data.correlation.tolist()
        ],
        "notes": data.notes,
        "files": {"scene": options.out, "report": options.report},
    }
