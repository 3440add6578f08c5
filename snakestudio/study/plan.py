"""Runs of a study: the points as values of its scene, and the repeats of each with random variations."""

from __future__ import annotations

import contextlib
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from pydantic import BaseModel

from snakestudio.errors import Problem, SceneError, StudyError
from snakestudio.kinds.plugin_kinds import require_kinds
from snakestudio.model.edits import declared, get_value, with_values
from snakestudio.model.fields import FieldDoc, field_doc
from snakestudio.model.scene import Scene
from snakestudio.model.scene_file import load_scene
from snakestudio.study.description import Jitter, Plain, StudyFields, Vary
from snakestudio.study.study_file import scene_of

_ALL = re.compile(r"\[\*\]")


class Point(NamedTuple):
    """A point of a study."""

    number: int
    """Number from 0, in the order of the search."""

    values: dict[str, Plain]
    """Scene values by key."""


class Plan:
    """A study with its scene, checked against each other.

    Raises `StudyError`, naming every missing key and every value that the scene does not accept.

    Parameters
    ----------
    scene : Scene
        Scene as in its file; the fixed values are applied here.
    base_dir : Path
        Base folder of file names in the scene.
    source : str
        Name of the study in messages.

    Attributes
    ----------
    scene : Scene
        Scene with the fixed values.
    """

    def __init__(
        self, study: StudyFields, scene: Scene, base_dir: Path, source: str = "study"
    ) -> None:
        self.study = study
        self.base_dir = base_dir
        self.source = source
        problems: list[Problem] = []
        try:
            self.scene = with_values(
                scene, {key: _listed(value) for key, value in study.fixed.items()}
            )
        except SceneError as error:
            self.scene = scene
            problems += [
                Problem("error", f"fixed.{p.key}", p.message, p.remedy) for p in error.problems
            ]
        self._present: dict[str, Any] = {}
        if not problems:
            for number, vary in enumerate(study.vary, 1):
                problems += self._problems(vary, f"vary[{number}]")
        self._jitter: list[tuple[Jitter, tuple[str, ...]]] = []
        if not problems:
            for number, jitter in enumerate(study.repeats.jitter, 1):
                keys = self._expanded(jitter.key)
                if not keys:
                    remedy = "name a numeric value of the scene"
                    what = f"{jitter.key} is not a number in the scene"
                    problems.append(Problem("error", f"repeats.jitter[{number}].key", what, remedy))
                self._jitter.append((jitter, keys))
        if problems:
            raise StudyError.of(problems, source)

    @classmethod
    def of_file(cls, study: StudyFields, path: Path) -> Plan:
        """Create the plan of a study in a file.

        Raises `SceneError` if the scene cannot be read. Raises `StudyError` if the scene
        does not exist or lacks a key. Raises `PluginError` if kinds of the scene are
        missing because a plug-in is not loaded.
        """
        scene_path = scene_of(study, path)
        if not os.path.exists(scene_path):
            remedy = "give the path of the scene, relative to the folder of the study"
            wrong = Problem("error", "scene", f"{scene_path}: there is no such file", remedy)
            raise StudyError.of([wrong], path)
        scene = load_scene(scene_path)
        require_kinds(scene, scene_path.parent, str(scene_path))
        return cls(study, scene, scene_path.parent, str(path))

    def doc(self, vary: Vary) -> FieldDoc:
        """Return the declaration of a varied value (of its first key)."""
        return field_doc(*declared(self.scene, vary.all_keys[0]))

    def _problems(self, vary: Vary, at: str) -> Iterator[Problem]:
        for key in vary.all_keys:
            try:
                declared(self.scene, key)
                present = get_value(self.scene, key)
            except SceneError as error:
                clause = (
                    error.problems[0].clause(key)
                    if error.problems
                    else f"{key}: The scene has no such key"
                )
                meant = error.problems[0].remedy if error.problems else ""
                remedy = meant if meant.startswith("did you mean") else "use a key of the scene"
                yield Problem("error", f"{at}.key", clause, remedy)
                return
            if key == "gait" and vary.values and all(isinstance(v, str) for v in vary.values):
                continue  # names of gaits of the library
            if isinstance(present, BaseModel | tuple):
                yield Problem(
                    "error", f"{at}.key", f'"{key}" is not a single value', "name a value in it"
                )
                return
            if key in Scene.model_fields:
                yield Problem(
                    "error",
                    f"{at}.key",
                    f'"{key}" only describes the scene',
                    "use a value that affects the run",
                )
                return
            if not vary.values and (
                isinstance(present, bool | str) or (present is None and not _takes_numbers(key))
            ):
                remedy = "give a list of values instead of a range"
                yield Problem("error", f"{at}.key", f'"{key}" is not a number', remedy)
                return
        for value in _tried(vary):
            try:
                self._try(vary, value)
            except SceneError as error:
                first = error.problems[0] if error.problems else None
                clause = first.clause(vary.name) if first is not None else f"{vary.name}: {error}"
                remedy = first.remedy if first is not None else ""
                yield Problem("error", f"{at}.{'values' if vary.values else 'low'}", clause, remedy)
                return

    def _try(self, vary: Vary, value: Any) -> None:
        """Check that the scene accepts a value, alone or together with a value of another varied key.

        Raises
        ------
        SceneError
        """
        values = {key: self._fitting(key, value) for key in vary.all_keys}
        try:
            self.scene_at(values)
        except SceneError:
            for other in self.study.vary:
                for alternative in _tried(other) if other is not vary else ():
                    with contextlib.suppress(SceneError):
                        self.scene_at(
                            values
                            | {key: self._fitting(key, alternative) for key in other.all_keys}
                        )
                        return
            raise

    def _fitting(self, key: str, value: Any) -> Any:
        """Convert a value to the type of its key: integers for integer keys."""
        if key not in self._present:  # cached, because it is needed for every point
            self._present[key] = _value(self.scene, key)
        present = self._present[key]
        if _is_whole(present) and isinstance(value, float):
            return round(value)
        if isinstance(present, float) and isinstance(value, int) and not isinstance(value, bool):
            return float(value)
        return value

    def _expanded(self, key: str) -> tuple[str, ...]:
        """Return the keys that match the key of a jitter and are numbers."""
        keys: tuple[str, ...] = (key,)
        if _ALL.search(key):
            keys = tuple(
                _ALL.sub(f"[{number}]", key) for number in range(1, len(self.scene.obstacles) + 1)
            )
        return tuple(each for each in keys if _is_number(_value(self.scene, each)))

    def grid_point(self, number: int) -> Point:
        """Return the point of the grid; the last value varies fastest."""
        values: dict[str, Plain] = {}
        rest = number
        for group in reversed(self.study.groups):
            count = group[0].count or 1
            rest, index = divmod(rest, count)
            for vary in group:
                values |= {
                    key: self._fitting(key, vary.step(index, count)) for key in vary.all_keys
                }
        return Point(
            number, {key: values[key] for vary in self.study.vary for key in vary.all_keys}
        )

    def point(self, number: int, places: Sequence[float]) -> Point:
        """Return the point at fractions from 0 to 1, one per group of values that vary together."""
        values: dict[str, Plain] = {}
        for group, position in zip(self.study.groups, places, strict=True):
            for vary in group:
                values |= {
                    key: self._fitting(key, vary.at(float(position))) for key in vary.all_keys
                }
        return Point(
            number, {key: values[key] for vary in self.study.vary for key in vary.all_keys}
        )

    def scene_at(self, values: Mapping[str, Any]) -> Scene:
        """Return the scene of a point.

        Raises `SceneError` if the values contradict each other.
        """
        return with_values(self.scene, dict(values)) if values else self.scene

    def repeat(self, point: Point, repeat: int) -> dict[str, Any]:
        """Return the scene values of a repeat (from 0) of a point: those of the point, with random variations.

        The variations depend only on the seed and the number of the repeat, so that they are the same
        at every point. They stay within the bounds of the scene.

        Raises
        ------
        SceneError
        """
        values: dict[str, Any] = dict(point.values)
        if not self._jitter or self.study.repeats.count == 1:
            return values
        scene = self.scene_at(point.values)
        for number, (jitter, keys) in enumerate(self._jitter):
            random = np.random.Generator(
                np.random.Philox(key=[self.study.repeats.seed, 1000 * repeat + number])
            )
            draws = (
                random.standard_normal(len(keys))
                if jitter.law == "normal"
                else random.uniform(-1, 1, len(keys))
            )
            for key, draw in zip(keys, draws, strict=True):
                present = _value(scene, key)
                if not _is_number(present):
                    continue
                spread = jitter.spread * abs(present) if jitter.relative else jitter.spread
                doc = field_doc(*declared(scene, key))
                values[key] = self._fitting(key, _within(doc, float(present + spread * draw)))
        return values


def _tried(vary: Vary) -> tuple[Any, ...]:
    return vary.values or (vary.low, vary.high)


def _value(scene: Scene, key: str) -> Any:
    try:
        return get_value(scene, key)
    except SceneError:
        return None


def _is_whole(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _is_number(value: Any) -> bool:
    return isinstance(value, float) or _is_whole(value)


def _takes_numbers(key: str) -> bool:
    """Return whether a key that the scene omits is a number, judged by its name."""
    return re.search(r"_(?:deg|m|s|nm|kg|rad|n|hz)\w*$", key) is not None


def _listed(value: Any) -> Any:
    return [_listed(each) for each in value] if isinstance(value, tuple) else value


def _within(doc: FieldDoc, value: float) -> float:
    low = doc.minimum if doc.minimum is not None else -np.inf
    high = doc.maximum if doc.maximum is not None else np.inf
    if doc.exclusive_minimum and value <= low:
        return low + 1e-6 * max(1.0, abs(low))
    return min(max(value, low), high)
