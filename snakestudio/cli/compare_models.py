"""Run a scene in several models, and compare the results."""

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
from snakestudio.cli.shared import (
    ProgressLine,
    add_scene_arguments,
    assignments,
    plausibility_values,
    warm_up,
)
from snakestudio.errors import PhysicsError, UsageError

if TYPE_CHECKING:
    from snakestudio.analysis.comparison.models import ModelComparison


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of `snakestudio compare models`."""
    add_scene_arguments(parser)
    parser.add_argument(
        "kinds",
        metavar="MODEL",
        nargs="*",
        default=[],
        help="models to run; each is compared with the first (all models, the scene's model first)",
    )
    parser.add_argument(
        "--csv",
        metavar="F",
        type=output,
        help="write the time series of all values and differences as CSV",
    )
    add_report_argument(parser)
    add_force_argument(parser)
    add_json_argument(parser)
    add_quiet_argument(parser)


def execute(options: argparse.Namespace) -> int:
    """Run `snakestudio compare models`; return the exit code."""
    values = assignments(options.values)

    from snakestudio import api
    from snakestudio.analysis.comparison.models import chosen_kinds, refusals

    check_report_ending(options)
    outputs = Outputs(options, (options.scene,), options.csv, options.report)
    scene, base_dir, changes = api.prepare(options.scene, options.duration, options.rate, values)
    outputs.spare_files_of(scene, base_dir)
    kinds = chosen_kinds(scene, options.kinds)
    why = {kind: refusals(scene, kind, base_dir) for kind in kinds}
    able = [kind for kind in kinds if not why[kind]]
    if len(able) < 2:
        raise UsageError(_too_few(able, why))
    line = ProgressLine(options)
    warm_up(dict.fromkeys(able), line)
    name = Path(options.scene).name
    comparison = api.compare_scene(
        scene, kinds, base_dir, changes, name, line.reporter("simulating", scene.run.duration_s)
    )
    line.clear()
    assert comparison is not None, "nothing cancels it"
    rows = f": {len(comparison.data.times)} rows"
    deliver_comparison(
        comparison, name, options, outputs, lambda: _values(options, comparison.data), rows
    )
    failures = [f"{run.label}: {run.failure}" for run in comparison.data.ran if run.failure]
    if failures:
        raise PhysicsError("\n".join(failures))
    return 0


def _values(options: argparse.Namespace, data: ModelComparison) -> dict[str, Any]:
    """Return the comparison for scripts; differences are values of the model minus values of the reference."""
    reference = data.reference
    models = [
        {
            "model": run.label,
            "refusals": run.refusals,
            "failure": run.failure or None,
            "notes": run.notes,
            "plausibility": plausibility_values(run.recording),
            "step_s": run.scene.solver.step_s,
            "simulated_s": run.end if run.recording is not None else None,
            "processor_s": run.engine_seconds if run.recording is not None else None,
            "differences": {
                name: {"end": difference.end, "worst": difference.worst, "rms": difference.rms}
                for name, difference in data.differences.get(run.label, {}).items()
            },
        }
        for run in data.runs
    ]
    return {
        "scene": options.scene,
        "reference": None if reference is None else reference.label,
        "models": models,
        "files": {"csv": options.csv, "report": options.report},
    }


def _too_few(able: list[str], why: dict[str, tuple[str, ...]]) -> str:
    """Return the reasons why there is nothing to compare, one per line."""
    if not any(why.values()):
        return f"{able[0]} alone cannot be compared. Give at least two models."
    head = f"only {able[0]} can run this scene" if able else "no model can run this scene"
    reasons = [f"{kind}: {sentence}" for kind, sentences in why.items() for sentence in sentences]
    return "\n".join([f"There is nothing to compare: {head}.", *reasons])
