"""Create the file of a study of a scene: what varies and what is measured; edit it as needed."""

from __future__ import annotations

import argparse
import os
from pathlib import Path

from snakestudio.cli.outputs import Outputs, add_force_argument, output
from snakestudio.cli.results import add_quiet_argument
from snakestudio.cli.shared import SCENE_HELP
from snakestudio.errors import UsageError
from snakestudio.paths import find_scene


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of `snakestudio study new`."""
    parser.add_argument("scene", metavar="SCENE", help=SCENE_HELP)
    parser.add_argument(
        "file", metavar="FILE", nargs="?", type=output, help="the study's file (SCENE.study.toml)"
    )
    parser.add_argument(
        "--vary",
        metavar="KEY=LOW:HIGH:STEPS",
        action="append",
        default=[],
        help="value to vary: gait.amplitude_deg=10:60:11, with :log for a logarithmic scale, or a list such as"
        " ground.mu_across=0.2,0.8, or the key alone for an automatic range (can be repeated)",
    )
    for aim in ("maximise", "minimise"):
        parser.add_argument(
            f"--{aim}",
            metavar="MEASURE",
            action="append",
            default=[],
            help="goal: net_speed, cost_of_transport ..., or an expression (can be repeated)",
        )
    parser.add_argument(
        "--goal",
        metavar="MEASURE",
        action="append",
        default=[],
        help="goal in the usual direction of the measure: costs are minimised, all others are maximised",
    )
    parser.add_argument(
        "--search",
        metavar="KIND",
        default="grid",
        help="grid, random, latin_hypercube, sobol, cma_es, nsga2 or tpe",
    )
    parser.add_argument(
        "--points", metavar="N", type=int, help="number of points, unless the search is a grid"
    )
    add_force_argument(parser)
    add_quiet_argument(parser)


def execute(options: argparse.Namespace) -> int:
    """Run `snakestudio study new`; return the exit code."""
    from snakestudio.model.scene_file import load_scene
    from snakestudio.study.begin import begun
    from snakestudio.study.plan import Plan
    from snakestudio.study.running import check_measures
    from snakestudio.study.study_file import save_study, scene_named_from

    name = Path(options.scene)
    scene_path = find_scene(name)
    # a bundled scene is studied in the current folder
    path = options.file or Path(f"{name.with_suffix('')}.study.toml")
    if os.path.exists(path) and not options.force:
        raise UsageError(f"{path} already exists. Give another name, or --force to replace it.")
    Outputs(options, (scene_path,), path)
    scene = load_scene(scene_path)
    study = begun(
        scene,
        scene_named_from(path.parent, options.scene),
        options.vary,
        options.maximise,
        options.minimise,
        options.search,
        options.points,
        options.goal,
    )
    check_measures(Plan(study, scene, scene_path.parent, str(path)))
    save_study(study, path)
    print(
        f"wrote {path}: {study.n_points} points, {study.n_runs} runs; run it with 'snakestudio study run {path}'"
    )
    return 0
