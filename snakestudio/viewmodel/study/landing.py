"""What has landed in a study's store, read beside the window, and only when there is more."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from snakestudio.errors import StudyError
from snakestudio.study.evaluate import Trace
from snakestudio.study.results import Table
from snakestudio.study.running import results_of, units_of_results
from snakestudio.study.store import Store, store_path


class Landed(NamedTuple):
    """What a study has found so far."""

    number: int
    """Larger than before when there is more."""

    table: Table
    units: Mapping[str, str]
    """Endings of columns, by goals and limits."""


def landed(study: Path, before: int | None = None) -> Landed | None:
    """What the study in a file has found so far; None if there is nothing, or nothing but what was there `before`.

    Raises `StudyError` if the store cannot be read.
    """
    path = store_path(study)
    if not path.is_file():
        return None
    with Store(path) as store:
        if "study" not in store.about():
            return None  # it has just been made
        number = store.landed()
    if number == before:
        return None
    return Landed(number, results_of(study), units_of_results(study))


def trace_of(study: Path, key: str) -> Trace | None:
    """Way and last posture of a run of the study in a file; None where none is kept."""
    try:
        with Store(store_path(study)) as store:
            data = store.trace(key)
    except StudyError:
        return None
    return Trace.unpacked(data) if data is not None else None
