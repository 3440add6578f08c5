"""Continue a study that was started and has not finished."""

from __future__ import annotations

import argparse
from pathlib import Path

from snakestudio.cli import study_run
from snakestudio.errors import UsageError

add_arguments = study_run.add_arguments


def execute(options: argparse.Namespace) -> int:
    """Carry out `snakestudio study resume`."""
    from snakestudio.study.store import store_path

    path = Path(options.study)
    if not store_path(path).is_file():
        raise UsageError(
            f"{path}: this study was never begun; 'snakestudio study run {path}' begins it."
        )
    return study_run.carry_out(options, path)
