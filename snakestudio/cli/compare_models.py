"""Run a scene in several models side by side, and tell how far they are apart."""

from __future__ import annotations

import argparse
from pathlib import Path

from snakestudio.cli.outputs import Outputs, add_force_argument, output
from snakestudio.cli.shared import ProgressLine, add_scene_arguments, assignments, warm_up
from snakestudio.errors import PhysicsError, UsageError

__all__ = ["add_arguments", "execute"]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of `snakestudio compare models`."""
    add_scene_arguments(parser)
    parser.add_argument(
        "kinds",
        metavar="MODEL",
        nargs="*",
        default=[],
        help="models to run it in, the one that the others are compared with first (all, the scene's own first)",
    )
    parser.add_argument("--csv", metavar="F", type=output, help="write the course of all values and differences as CSV")
    add_force_argument(parser)


def execute(options: argparse.Namespace) -> int:
    """Carry out `snakestudio compare models`."""
    values = assignments(options.values)

    from snakestudio import api
    from snakestudio.analysis.comparison.models import chosen_kinds, refusals

    outputs = Outputs(options, (options.scene,), options.csv)
    scene, base_dir, changes = api.prepare(options.scene, options.duration, options.rate, values)
    outputs.spare_files_of(scene, base_dir)
    kinds = chosen_kinds(scene, options.kinds)
    why = {kind: refusals(scene, kind, base_dir) for kind in kinds}
    able = [kind for kind in kinds if not why[kind]]
    if len(able) < 2:
        raise UsageError(_too_few(able, why))
    line = ProgressLine()
    warm_up(dict.fromkeys(able), line)
    name = Path(options.scene).name
    comparison = api.compare_scene(
        scene, kinds, base_dir, changes, name, line.reporter("simulating", scene.run.duration_s)
    )
    line.clear()
    assert comparison is not None, "nothing cancels it"
    print(f"{name}:\n\n{comparison}")
    if options.csv is not None:
        with outputs.place(options.csv) as path:
            comparison.to_csv(path)
        print(f"\nwrote {options.csv}: {len(comparison.data.times)} rows")
    failures = [f"{run.label}: {run.failure}" for run in comparison.data.ran if run.failure]
    if failures:
        raise PhysicsError("\n".join(failures))
    return 0


def _too_few(able: list[str], why: dict[str, tuple[str, ...]]) -> str:
    """Why there is nothing to compare, a sentence a line."""
    if not any(why.values()):
        return f"{able[0]} alone cannot be compared; give at least two models."
    head = f"only {able[0]} can run this scene" if able else "no model can run this scene"
    reasons = [f"{kind}: {sentence}" for kind, sentences in why.items() for sentence in sentences]
    return "\n".join([f"There is nothing to compare: {head}.", *reasons])
