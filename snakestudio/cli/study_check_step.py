"""Check the time step of a point of a study: how far the result depends on the time step."""

from __future__ import annotations

import argparse
from pathlib import Path

from snakestudio.cli.shared import ProgressLine, warm_up
from snakestudio.cli.study_options import study_file
from snakestudio.errors import PhysicsError


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of `snakestudio study check-step`."""
    study_file(parser)
    parser.add_argument(
        "--row",
        metavar="N",
        type=int,
        help="row of the results as 'study export' writes them, from 0 (the best point)",
    )


def execute(options: argparse.Namespace) -> int:
    """Run `snakestudio study check-step`; return the exit code."""
    from snakestudio import api

    study = api.Study(Path(options.study))
    scene, base_dir, row = study.scene_of(options.row)
    line = ProgressLine(options)
    warm_up([scene.model.kind], line)
    check = api.check_scene_step_size(scene, base_dir, (), line.reporter("checking the time step"))
    line.clear()
    assert check is not None, "cannot be cancelled"
    print(f"{Path(options.study).name}, row {row}:\n\n{check}")
    if check.data.runs[0].failure:
        raise PhysicsError(check.data.runs[0].failure)
    return 0
