"""New results of a study, read in the background from its store, only if there are more."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from snakestudio.errors import StudyError
from snakestudio.study.evaluate import Trace
from snakestudio.study.results import Table
from snakestudio.study.running import results_of, units_of_results
from snakestudio.study.store import Store, store_path


class StoredResults(NamedTuple):
    """Results of a study so far."""

    number: int
    """Number that increases with every new result."""

    table: Table
    units: Mapping[str, str]
    """Units of goals and limits by name, as suffixes of columns."""


def newer_results(study: Path, before: int | None = None) -> StoredResults | None:
    """Return the results of the study in a file; None if there are none, or no newer ones than `before`.

    Raises `StudyError` if the store cannot be read.
    """
    path = store_path(study)
    if not os.path.isfile(path):
        return None
    with Store(path) as store:
        if "study" not in store.about():
            return None  # the store was just created
        number = store.last_number()
    if number == before:
        return None
    return StoredResults(number, results_of(study), units_of_results(study))


def trace_of(study: Path, key: str) -> Trace | None:
    """Return path and final pose of a run of the study in a file; None if they are not saved."""
    try:
        with Store(store_path(study)) as store:
            data = store.trace(key)
    except StudyError:
        return None
    return Trace.unpacked(data) if data is not None else None
