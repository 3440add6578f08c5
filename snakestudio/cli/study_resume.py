"""Continue a study that was started and has not finished."""

from __future__ import annotations

import argparse
import os
from pathlib import Path

from snakestudio.cli import study_run
from snakestudio.errors import UsageError

add_arguments = study_run.add_arguments


def execute(options: argparse.Namespace) -> int:
    """Run `snakestudio study resume`; return the exit code."""
    from snakestudio.study.store import store_path

    path = Path(options.study)
    if not os.path.isfile(store_path(path)):
        raise UsageError(
            f"{path}: this study was never started. Start it with 'snakestudio study run {path}'."
        )
    return study_run.carry_out(options, path)
