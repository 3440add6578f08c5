"""Repetition of a run of a study from its results, and comparison with them, bit for bit."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from snakestudio.errors import SignalError, StudyError
from snakestudio.model.column_units import unit_text
from snakestudio.model.recording import Recording
from snakestudio.model.scene import Scene
from snakestudio.session.offline import OfflineRun, run_offline
from snakestudio.study.description import StudyFields
from snakestudio.study.evaluate import files_of
from snakestudio.study.goals import measured, title_of
from snakestudio.study.results import Table
from snakestudio.study.run_key import code_hash, run_key, study_hash
from snakestudio.study.running import scene_of_run
from snakestudio.study.store import RunOutcome, RunRequest, Store, store_path
from snakestudio.text import measure_text, number_text


@dataclass(frozen=True, slots=True)
class RepeatedRun:
    """Repeated run."""

    recording: Recording
    same: bool
    """Whether its measures equal those of the study bit for bit."""

    verdict: str
    """Result of the comparison as a sentence, with the cause of a difference."""


def run_name(path: Path, table: Table, row: int, repeat: int = 0) -> str:
    """Return the name of a run of a study, such as "friction, point 12, repeat 2 of 5"."""
    repeats = table.rows[row]
    name = f"{path.name.removesuffix('.toml').removesuffix('.study')}, point {repeats[0][0].point}"
    return name if len(repeats) == 1 else f"{name}, repeat {repeat + 1} of {len(repeats)}"


def values_of(table: Table, row: int) -> dict[str, Any]:
    """Return fixed and varied scene values of a point, by key, without the jitter of repeats."""
    changes = table.rows[row][0][0].changes
    keys = [key for vary in table.study.vary for key in vary.all_keys]
    return {**table.study.fixed, **{key: changes[key] for key in keys if key in changes}}


def run_again(
    path: Path,
    table: Table,
    units: Mapping[str, str],
    row: int,
    repeat: int,
    ready: Callable[[str], bool],
    progress: Callable[[float], bool],
) -> RepeatedRun | None:
    """Repeat a run.

    Raises `StudyError` if the run cannot be repeated. Raises `SceneError` if the scene can no
    longer run.

    Parameters
    ----------
    path : Path
        Study file.
    units : mapping
        Of goals and limits by name, as endings of columns.
    row, repeat : int
        Row of the table, and number of the repeat, from 0.
    ready : callable
        Receives the formulation before its engine is needed; returns False to cancel.
    progress : callable
        Receives the finished fraction repeatedly; returns False to cancel.

    Returns
    -------
    AgainRun or None
        None if it was cancelled.
    """
    request, outcome = table.rows[row][repeat]
    _check(outcome, run_name(path, table, row, repeat))
    assert outcome is not None
    with Store(store_path(path)) as store:
        about = store.about()
    scene, base_dir = scene_of_run(path, table.study, about.get("scene", ""), request)
    changed = _changed(table.study, scene, base_dir, request, about.get("code", ""))
    if not ready(scene.model.kind):
        return None
    ran = run_offline(scene, base_dir, progress=progress)
    if ran.cancelled:
        return None
    return _judged(table.study, outcome, ran, changed, units)


def _check(outcome: RunOutcome | None, name: str) -> None:
    if outcome is None:
        raise StudyError(f"{name} has not been run yet. Run or resume the study.")
    if outcome.state == "refused":
        raise StudyError(f"{name} could not run. {outcome.sentence}")
    if outcome.state == "killed":
        raise StudyError(
            f"{name} is not repeated here, because it could crash the window. {outcome.sentence} Apply its values"
            " to the scene, and make the scene smaller first."
        )


def _changed(
    study: StudyFields, scene: Scene, base_dir: Path, request: RunRequest, code: str
) -> str:
    """Change since the study was run, as the start of a sentence; "" if there is none.

    Raises `SceneError` if a file of the scene is missing.
    """
    _, files = files_of(scene, base_dir)
    measures = tuple(part.measure for part in study.measured)
    if run_key(study_hash(measures, files), scene) == request.key:
        return ""
    if code != code_hash():
        return "The program has changed since this study was run"
    return "A file that the scene names has changed since this study was run"


def _judged(
    study: StudyFields, outcome: RunOutcome, ran: OfflineRun, changed: str, units: Mapping[str, str]
) -> RepeatedRun:
    """Return the result of the comparison of a repeated run with the study."""
    failure = "" if ran.ok else ran.message
    numbers = tuple[float, ...]()
    if ran.ok:
        try:
            numbers = measured([part.measure for part in study.measured], ran.recording)
        except SignalError as error:
            failure = str(error)
    if failure or outcome.state == "failed":
        same = bool(failure) and outcome.state == "failed" and failure.startswith(outcome.sentence)
        sentence = f"It fails as it did in the study: {outcome.sentence}"
        if not same:
            before = (
                f"failed ({outcome.sentence.rstrip('.')})" if outcome.state == "failed" else "ended"
            )
            sentence = f"In the study this run {before}, but now it {f'fails: {failure}' if failure else 'ends.'}"
    else:
        same = np.array(numbers).tobytes() == np.array(outcome.measures).tobytes()
        sentence = "Repeated bit for bit: all measures equal those of the study."
        if not same:
            sentence = f"The measures differ from those of the study: {_difference(study, outcome, numbers, units)}."
    if changed and same:
        sentence = (
            f"{changed}, but this run is still the same, bit for bit."
            if outcome.state == "done"
            else sentence
        )
    elif changed:
        sentence = f"{changed}. {sentence} Run the study again to update its results."
    elif not same:
        sentence += " The program is the same, but another type of processor may have computed it."
    return RepeatedRun(ran.recording, same, sentence)


def _difference(
    study: StudyFields, outcome: RunOutcome, numbers: tuple[float, ...], units: Mapping[str, str]
) -> str:
    """Return the first different measure with its new and old values, with enough digits to show the difference."""
    for part, now, before in zip(study.measured, numbers, outcome.measures, strict=True):
        if np.float64(now).tobytes() != np.float64(before).tobytes():
            unit = unit_text(units.get(part.called, ""))
            digits = next(
                (d for d in range(4, 17) if number_text(now, d) != number_text(before, d)), 17
            )
            texts = [measure_text(value, unit, digits) for value in (now, before)]
            return f"{part.name or title_of(part.measure)} is {texts[0]}, but was {texts[1]}"
    return ""
