"""Content of a study figure: the columns on the axes, and thus curves, a map or a scatter plot."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from snakestudio.errors import StudyError
from snakestudio.model.edits import declared
from snakestudio.model.fields import field_doc
from snakestudio.model.labels import label_of
from snakestudio.model.scene import Scene
from snakestudio.study.description import GOALS_OF, Vary
from snakestudio.study.export import units_in
from snakestudio.study.goals import title_of
from snakestudio.study.results import Table
from snakestudio.text import measure_text

MOST_PANELS = 12
"""Largest number of panels in a figure; more are not readable on a page."""

Kind = Literal["curves", "map", "scatter", "values"]


@dataclass(frozen=True, slots=True)
class FigureColumns:
    """Columns named by the user; "" for an automatic choice."""

    x: str = ""
    y: str = ""
    colour: str = ""


@dataclass(frozen=True, slots=True)
class FigureContent:
    """Content of a figure."""

    kind: Kind
    """Curves over one value, a map over two, a scatter plot of any two columns, or a measure over each
    value."""

    x: str
    y: tuple[str, ...]
    """Columns on the vertical axis; several are drawn below each other."""

    colour: str = ""
    """"" for none."""

    panels: tuple[str, ...] = ()
    """Varied values with one panel per combination."""


def _varied(table: Table) -> list[str]:
    """Return the columns of the varied values; of values that vary together only the first."""
    return [group[0].name for group in table.study.groups]


def _existing(table: Table, name: str) -> str:
    """Find a column by its name, by a key in it, or by its ending.

    Raises `StudyError` unless exactly one matches.
    """
    if not name or name in table:
        return name
    within = [column for column in table if name in column.split("+")]
    ending = [
        column for column in table if any(part.endswith(f".{name}") for part in column.split("+"))
    ]
    meant = within or ending
    if len(meant) != 1:
        problem = "matches several columns" if meant else "is not a column of the results"
        raise StudyError(f"{name} {problem}. Give one of: {', '.join(meant or table)}.")
    return meant[0]


def chosen(table: Table, named: FigureColumns) -> FigureContent:
    """Choose the content of a figure, with the named columns, if any.

    One varied value gives curves, two or more of a grid a map, two goals of an optimiser the front, and
    one goal of an optimiser the goal over each value.

    Raises `StudyError` if a column is missing, there are too many panels, or nothing to show.
    """
    study = table.study
    varied = _varied(table)
    x, y, colour = (_existing(table, name) for name in (named.x, named.y, named.colour))
    goals = [goal.called for goal in study.goals]
    measured = goals or [limit.called for limit in study.limits]
    if not measured and not (x and y):
        raise StudyError(
            "The study has no measures. Add a goal, or name the columns with --x and --y."
        )
    grid = study.search.kind == "grid"
    if not x and not y:
        if len(goals) > 1 and (study.search.kind in GOALS_OF or not grid) and not colour:
            return FigureContent(
                "scatter", goals[0], (goals[1],), goals[2] if len(goals) > 2 else ""
            )
        if len(varied) == 1 and not colour:
            return FigureContent("curves", varied[0], tuple(measured))
        if not grid or len(varied) < 2:
            return FigureContent("values", "", (measured[0],), colour)
        x, y = varied[0], varied[1]
        if colour in (x, y):
            y = measured[0]
            colour = colour
            x = next(name for name in varied if name != colour)
    elif not x:
        x = next((name for name in varied if name != y), "point")
    elif not y:
        y = next((name for name in varied if grid and name != x), "") if colour in measured else ""
        y = y or next((name for name in measured if name != x), measured[0])
    rest = tuple(name for name in varied if name not in (x, y, colour))
    if grid and x in varied and y in varied:
        return _with_panels(table, FigureContent("map", x, (y,), colour or measured[0], rest))
    if grid and x in varied:
        if not colour and rest:
            colour = rest[0]
            rest = rest[1:]
        if not colour or colour in varied:
            return _with_panels(table, FigureContent("curves", x, (y,), colour, rest))
    return FigureContent("scatter", x, (y,), colour)


def _with_panels(table: Table, content: FigureContent) -> FigureContent:
    count = len(panels_of(table, content))
    if count > MOST_PANELS:
        names = ", ".join(content.panels)
        raise StudyError(
            f"{names} would need {count} panels, more than {MOST_PANELS}. Name two other columns with --x"
            " and --y."
        )
    return content


def panels_of(table: Table, content: FigureContent) -> list[tuple[object, ...]]:
    """Return the values of each panel; one empty tuple if there is a single panel."""
    if not content.panels:
        return [()]
    return list(dict.fromkeys(zip(*(table[name].tolist() for name in content.panels), strict=True)))


def vary_of(table: Table, name: str) -> Vary | None:
    """Return the varied value of a column; None for other columns."""
    return next((vary for vary in table.study.vary if vary.name == name), None)


def labelled(table: Table, scene: Scene, units: dict[str, str]) -> dict[str, str]:
    """Return the axis labels of all columns, such as "Gait: Amplitude / °".

    Parameters
    ----------
    scene : Scene
        Scene of the study, which declares labels and units of the values.
    units : dict
        Unit suffixes of goals and limits, by name.
    """
    written = units_in(table, units, scene)
    labels = {
        "point": "point",
        "runs": "runs",
        "failed": "failed runs",
        "within_limits": "within the limits",
    }
    labels["seconds"] = "computing time"
    labels["plausibility"] = "plausibility"
    for vary in table.study.vary:
        labels[vary.name] = label_of(scene, vary.all_keys[0])
    for part in table.study.measured:
        labels[part.called] = title_of(part.measure) if not part.name else part.name
    texts = {}
    for name in table:
        unit = written.get(name, "1")
        texts[name] = labels.get(name, name) + (f" / {unit}" if unit not in ("", "1") else "")
    return texts


def value_text(scene: Scene, vary: Vary, value: object) -> str:
    """Return a value as text for a panel title or legend: "Phase shift -50 °"."""
    doc = field_doc(*declared(scene, vary.all_keys[0]))
    if isinstance(value, float | int | np.floating):
        return f"{doc.label} {measure_text(float(value), doc.unit, 6)}"
    return f"{doc.label} {value} {doc.unit}".rstrip()
