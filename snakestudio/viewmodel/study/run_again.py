"""A run of a study made again from what its results keep, to the last bit, and whether that is what came out."""

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
from snakestudio.study.store import Asked, Outcome, Store, store_path
from snakestudio.text import measure_text, number_text


@dataclass(frozen=True, slots=True)
class AgainRun:
    """A run that was made again."""

    recording: Recording
    same: bool
    """Whether what is measured of it is what the study has, bit for bit."""

    said: str
    """That, in a sentence, and what has changed if it is not."""


def run_name(path: Path, table: Table, row: int, repeat: int = 0) -> str:
    """What a run of a study is called: "friction, point 12, repeat 2 of 5"."""
    repeats = table.rows[row]
    name = f"{path.name.removesuffix('.toml').removesuffix('.study')}, point {repeats[0][0].point}"
    return name if len(repeats) == 1 else f"{name}, repeat {repeat + 1} of {len(repeats)}"


def values_of(table: Table, row: int) -> dict[str, Any]:
    """Scene values of a point, by key: what is fixed in the study, and what varies; not what differs in repeats."""
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
) -> AgainRun | None:
    """Make a run again.

    Raises `StudyError` if there is nothing to be made again, in a sentence. Raises `SceneError` if
    the scene cannot be run any more.

    Parameters
    ----------
    path : Path
        The study's file.
    units : mapping
        Of goals and limits by name, as endings of columns.
    row, repeat : int
        From 0.
    ready : callable
        Gets a formulation before its engine is needed; False stops.
    progress : callable
        Gets the finished fraction every now and then; the run is stopped when it returns False.

    Returns
    -------
    AgainRun or None
        None if it was stopped.
    """
    asked, outcome = table.rows[row][repeat]
    _check(outcome, run_name(path, table, row, repeat))
    assert outcome is not None
    with Store(store_path(path)) as store:
        about = store.about()
    scene, base_dir = scene_of_run(path, table.study, about.get("scene", ""), asked)
    changed = _changed(table.study, scene, base_dir, asked, about.get("code", ""))
    if not ready(scene.model.kind):
        return None
    ran = run_offline(scene, base_dir, progress=progress)
    if ran.cancelled:
        return None
    return _judged(table.study, outcome, ran, changed, units)


def _check(outcome: Outcome | None, name: str) -> None:
    if outcome is None:
        raise StudyError(f"{name} has not been run yet; run the study, or let it go on.")
    if outcome.state == "refused":
        raise StudyError(f"{name} could not be run: {outcome.sentence}")
    if outcome.state == "killed":
        raise StudyError(
            f"{name} is not made again here, where it could take the window with it. {outcome.sentence} Take its values"
            " over, and make the scene smaller first."
        )


def _changed(study: StudyFields, scene: Scene, base_dir: Path, asked: Asked, code: str) -> str:
    """What is not as it was when the study was run, as the beginning of a sentence; "" if all is.

    Raises `SceneError` if a file that the scene names is gone.
    """
    _, files = files_of(scene, base_dir)
    measures = tuple(part.measure for part in study.measured)
    if run_key(study_hash(measures, files), scene) == asked.key:
        return ""
    if code != code_hash():
        return "The program has changed since this study was run"
    return "A file that the scene names has changed since this study was run"


def _judged(
    study: StudyFields, outcome: Outcome, ran: OfflineRun, changed: str, units: Mapping[str, str]
) -> AgainRun:
    """What the run is beside what the study has of it."""
    failure = "" if ran.ok else ran.message
    numbers = tuple[float, ...]()
    if ran.ok:
        try:
            numbers = measured([part.measure for part in study.measured], ran.recording)
        except SignalError as error:
            failure = str(error)
    if failure or outcome.state == "failed":
        same = bool(failure) and outcome.state == "failed" and failure.startswith(outcome.sentence)
        said = f"It fails as it did in the study: {outcome.sentence}"
        if not same:
            before = (
                f"failed ({outcome.sentence.rstrip('.')})" if outcome.state == "failed" else "ended"
            )
            said = f"In the study this run {before}, and now it {f'fails: {failure}' if failure else 'ends.'}"
    else:
        same = np.array(numbers).tobytes() == np.array(outcome.measures).tobytes()
        said = "Made again bit for bit: all that is measured of it is what the study has."
        if not same:
            said = f"What is measured of it is not what the study has: {_difference(study, outcome, numbers, units)}."
    if changed and same:
        said = (
            f"{changed}; this run is still the same, bit for bit."
            if outcome.state == "done"
            else said
        )
    elif changed:
        said = f"{changed}. {said} Run the study again to have it as it is now."
    elif not same:
        said += " The program is the same: another kind of processor may have computed it."
    return AgainRun(ran.recording, same, said)


def _difference(
    study: StudyFields, outcome: Outcome, numbers: tuple[float, ...], units: Mapping[str, str]
) -> str:
    """The first measure that differs, as it is and was, with as many digits as show it."""
    for part, now, before in zip(study.measured, numbers, outcome.measures, strict=True):
        if np.float64(now).tobytes() != np.float64(before).tobytes():
            unit = unit_text(units.get(part.called, ""))
            digits = next(
                (d for d in range(4, 17) if number_text(now, d) != number_text(before, d)), 17
            )
            told = [measure_text(value, unit, digits) for value in (now, before)]
            return f"{part.name or title_of(part.measure)} is {told[0]}, and was {told[1]}"
    return ""
