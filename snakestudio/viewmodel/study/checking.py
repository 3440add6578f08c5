"""Check of a study while it is edited: problems with their keys, and units."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path

from snakestudio.errors import Problem, SceneError, SignalError, SnakeStudioError, StudyError
from snakestudio.kinds.reads import unused_reason
from snakestudio.model.edits import with_values
from snakestudio.model.scene import Scene
from snakestudio.model.scene_file import load_scene
from snakestudio.model.scene_file.toml_merge import tuples
from snakestudio.study.description import StudyFields, problems
from snakestudio.study.goals import unit_of
from snakestudio.study.plan import Plan
from snakestudio.study.running import columns_of, units_of
from snakestudio.study.samplers import sampler
from snakestudio.study.study_file import scene_of
from snakestudio.viewmodel.scene.message_labels import labelled


@dataclass(frozen=True, slots=True)
class StudyCheck:
    """Results of the check of a study."""

    problems: tuple[Problem, ...] = ()
    """Errors, each with its key, such as `vary[2].low`, `goals[1].measure` or `scene`."""

    notes: dict[str, str] = field(default_factory=dict)
    """Warnings by key."""

    units: dict[str, str] = field(default_factory=dict)
    """Units of measures by name, as suffixes of columns."""

    columns: tuple[str, ...] = ()
    """Columns of a run of its scene."""

    scene: Scene | None = None
    """Scene, with the fixed values if they are valid; None if it cannot be read."""

    def about(self, key: str) -> str:
        """Return all errors in a part of the study and its members, one sentence per line."""
        return self._text(problem for problem in self.problems if _within(problem.key, key))

    def of(self, key: str) -> str:
        """Return the errors of a part itself, such as a whole list, one sentence per line."""
        return self._text(problem for problem in self.problems if problem.key == key)

    def _text(self, problems: Iterable[Problem]) -> str:
        texts = [problem.sentence_for() for problem in problems]
        return "\n".join(
            texts if self.scene is None else (labelled(text, self.scene) for text in texts)
        )


def _within(key: str, part: str) -> bool:
    return key == part or key.startswith((f"{part}.", f"{part}["))


def checked(study: StudyFields, path: Path) -> StudyCheck:
    """Check a study that is, or will be, in a file."""
    errors = problems(study)
    path_of_scene = scene_of(study, path)
    try:
        scene = load_scene(path_of_scene)
    except SnakeStudioError as error:
        lines = str(error).replace(f"{path_of_scene}: ", "").splitlines()
        more = f" (and {len(lines) - 1} more)" if len(lines) > 1 else ""
        message = f"{study.scene} cannot be read: {lines[0].rstrip('.')}{more}"
        return StudyCheck(
            (*errors, Problem("error", "scene", message, "fix it, or choose another one"))
        )
    fixed = scene
    with contextlib.suppress(SceneError):  # the plan reports it
        fixed = with_values(scene, tuples(study.fixed))
    _add(errors, lambda: Plan(study, scene, path_of_scene.parent))
    units: dict[str, str] = {}
    columns: tuple[str, ...] = ()
    try:
        columns = columns_of(fixed, path_of_scene.parent)
        units, wrong = units_of(study, columns)
        errors += wrong
    except SceneError as error:
        first = (
            error.problems[0]
            if error.problems
            else Problem("error", "", str(error).rstrip("."), "")
        )
        errors.append(
            Problem(
                "error", "scene", f"{first.key}: {first.message}".removeprefix(": "), first.remedy
            )
        )
    if not errors:
        _add(errors, lambda: sampler(Plan(study, scene, path_of_scene.parent)), "search")
    notes = {}
    for number, vary in enumerate(study.vary, 1):
        whys = [why for key in vary.all_keys if (why := unused_reason(fixed, key))]
        if whys:
            notes[f"vary[{number}]"] = f"This has no effect in this scene: {whys[0]}."
    for number, goal in enumerate(study.goals, 1):
        if goal.warning:
            notes[f"goals[{number}]"] = goal.warning
    return StudyCheck(tuple(errors), notes, units, columns, fixed)


def _add(errors: list[Problem], create: Callable[[], object], at: str = "") -> None:
    """Collect the problems of creating something, without those that were reported for the same part."""
    try:
        create()
    except StudyError as error:
        parts = {problem.key.rpartition(".")[0] or problem.key for problem in errors}
        wrong = error.problems or [Problem("error", at, str(error).rstrip("."), "")]
        errors += [
            problem
            for problem in wrong
            if (problem.key.rpartition(".")[0] or problem.key) not in parts
        ]


def measure_problem(text: str, columns: Iterable[str]) -> tuple[str, str]:
    """Return the problem of a measure as a sentence ("" if it is valid), and its unit as a column suffix."""
    try:
        return "", unit_of(text, list(columns))
    except SignalError as error:
        return str(error), ""
