"""Reference of the environments in the documentation, generated from the declarations of tasks."""

from __future__ import annotations

import inspect
import re
from itertools import groupby

from snakestudio.gym.task import Entry
from snakestudio.gym.task_registry import BUNDLED, make_task
from snakestudio.model.documentation import with_section

_UNITS = {
    "rad": "rad",
    "rad_s": "rad/s",
    "torque_nm": "N m",
    "n": "N",
    "m": "m",
    "m_s": "m/s",
    "hz": "Hz",
    "sin": "",
    "cos": "",
}


def with_environments(text: str) -> str:
    """Return a page with the reference of all environments between its two marks.

    Raises `ValueError` if the page has no marks.
    """
    return with_section(text, "environments", "\n\n".join(map(_section, BUNDLED)))


def _section(name: str) -> str:
    task = make_task(name, 1, {}).task
    text = inspect.getdoc(type(task)) or ""
    facts = (
        f"Control period: {task.dt:g} s ({task.frame_skip} time steps). Friction of every episode: ±"
        f"{100 * task.friction_jitter:g} %. Start: ±{task.position_jitter_m:g} m along x and y, "
        f"±{task.heading_jitter_deg:g}°."
    )
    return "\n\n".join(
        [
            f"### {name}",
            text,
            facts,
            _table("Action", task.actions),
            _table("Observation", task.observations),
        ]
    )


def _table(title: str, entries: tuple[Entry, ...]) -> str:
    rows = [f"| {title} | Name | Unit | Range |", "| --- | --- | --- | --- |"]
    first = 0
    for _, group in groupby(entries, key=_pattern):
        similar = list(group)
        last = first + len(similar) - 1
        names = f"`{similar[0].name}`" + (f" to `{similar[-1].name}`" if last > first else "")
        index = f"{first} to {last}" if last > first else f"{first}"
        low, high = similar[0].low, similar[0].high
        rows.append(f"| {index} | {names} | {_unit(similar[0].name)} | {low:g} to {high:g} |")
        first = last + 1
    return "\n".join(rows)


def _pattern(entry: Entry) -> str:
    """Return the name without the joint or link, which entries of one row have in common."""
    return re.sub(r"^(joint|link)_\d+(_yaw|_pitch|_roll)?", r"\1", entry.name)


def _unit(name: str) -> str:
    fitting = [ending for ending in _UNITS if name.endswith(f"_{ending}")]
    return _UNITS[max(fitting, key=len)]
