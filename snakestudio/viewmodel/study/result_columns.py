"""Columns of the results of a study for display: titles, units, numbers, and texts as numbered categories."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np

from snakestudio._arrays import FloatArray
from snakestudio.errors import SceneError
from snakestudio.model.column_units import parted, unit_of, unit_text
from snakestudio.model.edits import declared
from snakestudio.model.fields import field_doc
from snakestudio.model.labels import label_of
from snakestudio.model.scene import Scene
from snakestudio.study.description import Goal, Limit, StudyFields, Vary
from snakestudio.study.goals import title_of
from snakestudio.study.results import Table
from snakestudio.text import number_text
from snakestudio.viewmodel.plots.axis_scale import AxisScale

Role = Literal["point", "varied", "goal", "limit", "state", "other"]

STATES = (
    "done",
    "beyond limits",
    "not plausible",
    "waiting",
    "failed",
    "refused",
    "killed",
)
"""States of a point, in the order of the categories of the column ``state``; a point has the worst state
of its repeats."""


@dataclass(frozen=True, slots=True)
class ResultColumn:
    """Column of results."""

    name: str
    """Name in the table."""

    title: str
    """Heading for display."""

    unit: str
    """Unit for display; plain numbers and texts have none."""

    role: Role
    values: FloatArray
    """Numbers, or numbers of categories of texts and truth values. NaN where there is none. Shape (n,)."""

    categories: tuple[str, ...] = ()
    """Categories in their order; empty for numbers."""

    grid: tuple[float, ...] = ()
    """All values of a grid, including those without results yet; empty for other searches."""

    log: bool = False
    """Whether the scale is logarithmic."""

    better: int = 0
    """Whether larger is better (1), smaller (-1), or neither."""

    short: str = ""
    """Short and unique title for narrow spaces."""

    def scale(self, space: float = 0.03) -> AxisScale:
        """Return a scale that shows all its values, with the fraction `space` free at both ends."""
        if self.categories:
            return AxisScale.of_categories(self.categories)
        values = np.concatenate([self.values, self.grid]) if self.grid else self.values
        return AxisScale.around(values, space, log=self.log)

    @property
    def heading(self) -> str:
        """Title with unit."""
        return f"{self.title} in {self.unit}" if self.unit else self.title

    def text(self, value: float) -> str:
        """Return a value as text without the unit."""
        if self.categories:
            return self.categories[int(value)] if 0 <= value < len(self.categories) else "–"
        if self.name == "seconds" and math.isfinite(value):
            return f"{value:.2f}"
        return number_text(value)

    def text_with_unit(self, value: float) -> str:
        """Return a value as text with the unit."""
        text = self.text(value)
        return f"{text} {self.unit}" if self.unit and text != "–" else text


def value_titles(study: StudyFields, scene: Scene | None) -> dict[str, str]:
    """Return the titles of the varied values, by name in the table."""
    return {vary.name: _title(vary, scene or Scene()) for vary in study.vary}


def _title(vary: Vary, scene: Scene) -> str:
    labels = [_label(scene, key) for key in vary.all_keys]
    heads = {label.partition(": ")[0] for label in labels}
    if len(labels) > 1 and len(heads) == 1 and all(": " in label for label in labels):
        return f"{heads.pop()}: {' = '.join(label.partition(': ')[2] for label in labels)}"
    return " = ".join(labels)


def _label(scene: Scene, key: str) -> str:
    """Return the label of a value, even if the scene does not have it."""
    known = label_of(scene, key)
    if known != key:
        return known
    owner, _, name = key.rpartition(".")
    return (
        f"{owner.capitalize()}: {parted(name)[0].replace('_', ' ').capitalize()}" if owner else key
    )


def columns_of(
    table: Table, units: Mapping[str, str], scene: Scene | None = None
) -> dict[str, ResultColumn]:
    """Return all columns of a table by name, in display order.

    Parameters
    ----------
    units : mapping
        Units of goals and limits by name, as suffixes of columns.
    scene : Scene, optional
        Scene of the study, for the labels of its values.
    """
    study = table.study
    titles = value_titles(study, scene)
    columns = [ResultColumn("point", "Point", "", "point", table["point"].astype(np.float64))]
    columns += [
        _varied(
            study,
            vary,
            table[vary.name],
            titles[vary.name],
            _unit(scene or Scene(), vary.all_keys[0]),
        )
        for vary in study.vary
    ]
    for part in study.measured:
        unit = unit_text(units.get(part.called, ""))
        better = 0 if isinstance(part, Limit) else 1 if part.aim == "maximise" else -1
        role: Role = "limit" if isinstance(part, Limit) else "goal"
        columns.append(
            ResultColumn(
                part.called, _called(study, part), unit, role, table[part.called], better=better
            )
        )
    columns.append(ResultColumn("seconds", "Time to run", "s", "other", table["seconds"]))
    columns.append(ResultColumn("state", "State", "", "state", _states(table), STATES))
    tails = [column.title.partition(": ")[2] or column.title for column in columns]
    return {
        column.name: replace(column, short=tail if tails.count(tail) == 1 else column.title)
        for column, tail in zip(columns, tails, strict=True)
    }


def _called(study: StudyFields, part: Goal | Limit) -> str:
    title = part.name or title_of(part.measure)
    usual = "mean" if isinstance(part, Goal) else "worst"
    return (
        f"{title}, {part.over}"
        if study.repeats.count > 1 and part.over != usual and not part.name
        else title
    )


def _unit(scene: Scene, key: str) -> str:
    """Return the declared unit of a value, or the suffix of its key if the scene does not have it."""
    try:
        return field_doc(*declared(scene, key)).unit
    except SceneError:
        return unit_of(key)


def _varied(
    study: StudyFields, vary: Vary, values: np.ndarray, title: str, unit: str
) -> ResultColumn:
    log = vary.scale == "log"
    steps: Sequence[Any] = vary.values
    if not steps and study.search.kind == "grid" and vary.steps is not None:
        steps = [vary.step(index, vary.steps) for index in range(vary.steps)]
    if values.dtype != np.object_ and all(_is_number(step) for step in steps):
        grid = tuple(sorted(float(step) for step in steps))
        if (
            len(values) and grid and not np.isin(values, grid).all()
        ):  # if the values must be whole numbers
            grid = tuple(sorted({float(value) for value in np.union1d(np.round(grid), values)}))
        return ResultColumn(vary.name, title, unit, "varied", values, grid=grid, log=log)
    if all(value is None or _is_number(value) for value in values) and all(
        _is_number(step) for step in steps
    ):
        numbers = np.array([math.nan if value is None else value for value in values], np.float64)
        return ResultColumn(vary.name, title, unit, "varied", numbers, log=log)
    texts = [_text(step) for step in steps]
    texts = list(dict.fromkeys([*texts, *(_text(value) for value in values if value is not None)]))
    places = {text: number for number, text in enumerate(texts)}
    codes = np.array(
        [math.nan if value is None else places[_text(value)] for value in values], np.float64
    )
    return ResultColumn(
        vary.name, title, unit, "varied", codes, tuple(texts), tuple(map(float, range(len(texts))))
    )


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float | np.number) and not isinstance(value, bool | np.bool_)


def _text(value: Any) -> str:
    """Return the text of a value of a list, as in the study file."""
    if isinstance(value, bool | np.bool_):
        return "true" if value else "false"
    return number_text(float(value), 12) if _is_number(value) else str(value)


def _states(table: Table) -> FloatArray:
    n_limits = len(table.study.limits)
    states = np.where(table["within_limits"] | (n_limits == 0), 0.0, 1.0)
    states[table.implausible] = STATES.index("not plausible")
    repeats = np.array([len(row) for row in table.rows], np.int64)
    states[table["runs"] < repeats] = STATES.index("waiting")
    for row in np.flatnonzero(table["failed"] > 0):
        worst = max((STATES.index(o.state) for _, o in table.rows[row] if o is not None), default=0)
        states[row] = float(worst)
    return states
