"""Edits of values that differ between links or between joints, stored as compact tables.

An edit sets values of single links or joints. It changes the tables that already set these values,
adds one if that is shorter, and leaves others unchanged. Values that equal the default without a
table are omitted.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Any, Literal, NamedTuple, TypeVar

from pydantic import ValidationError

from snakestudio.errors import Problem, SceneError
from snakestudio.model.edits import tree, with_values
from snakestudio.model.fields import field_doc
from snakestudio.model.robot.overrides import (
    AXES,
    JointOverride,
    LinkOverride,
    override_problems,
    selected,
    values_of,
)
from snakestudio.model.robot.robot import Robot
from snakestudio.model.robot.trimming import with_axes_of
from snakestudio.model.scene import Scene
from snakestudio.model.shared_values import DRIVE_TRAIN
from snakestudio.model.validation_messages import problem_of

Table = Literal["link", "joint"]

LINK_VALUES = tuple(name for name in LinkOverride.model_fields if name != "index")
JOINT_VALUES = tuple(name for name in JointOverride.model_fields if name not in ("index", "only"))

_WHOLE_JOINT = ("axes", "axis_offset_m")
"""Values of a joint that do not belong to one of its axes."""

Override = LinkOverride | JointOverride
Cell = tuple[int, str]
"""0-based link or joint, and the axis of a value ("" for links and whole joints)."""

Values = dict[Cell, Any]
"""Values set by tables for one name."""

_AnyOverride = TypeVar("_AnyOverride", LinkOverride, JointOverride)


class _Entry(NamedTuple):
    """Value for some links or joints in one table."""

    where: int | str
    only: str | None
    value: Any


def given_values(robot: Robot, table: Table, name: str) -> Values:
    """Values set by the tables for `name`, by link or joint and axis; values of joints for each of yaw, pitch, roll."""
    return dict(_explicit(robot, table).get(name, {}))


@lru_cache(maxsize=16)
def _explicit(robot: Robot, table: Table) -> dict[str, Values]:
    overrides: Sequence[Override] = robot.link if table == "link" else robot.joint
    return _resolved(overrides, _count(robot, table))


def _count(robot: Robot, table: Table) -> int:
    return robot.n_links if table == "link" else robot.n_joints


def _resolved(overrides: Iterable[Override], count: int) -> dict[str, Values]:
    values: dict[str, Values] = {}
    for override in overrides:
        rows = selected(override.index, count)
        for name, value in values_of(override):
            column = values.setdefault(name, {})
            for axis in _axes_of(override, name):
                column.update(((row, axis), value) for row in rows)
    return values


def _axes_of(override: Override, name: str) -> tuple[str, ...]:
    """Return the axes that a table's value applies to."""
    if isinstance(override, LinkOverride) or name in _WHOLE_JOINT:
        return ("",)
    return AXES if override.only is None else (override.only,)


def usual_value(scene: Scene, table: Table, row: int, name: str, axis: str = "") -> Any:
    """Return the value of a link or joint (0-based) if no table sets it, or None.

    For friction of a link that is the ground's, for its inertia it follows from mass and size.

    """
    robot = scene.robot
    if table == "link":
        return _usual_of_link(scene, row, name)
    gains = scene.joint_controller
    motors = scene.actuator
    limit = robot.joint_limit_deg
    pitch = axis == "pitch"
    values: dict[str, Any] = {
        "axis_offset_m": robot.axis_offset_m,
        "lower_limit_deg": None if limit is None else -limit,
        "upper_limit_deg": limit,
        "kp_nm_per_rad": gains.kp[pitch],
        "kd_nms_per_rad": gains.kd[pitch],
        "max_torque_nm": motors.max_torque_nm,
        "max_speed_deg_s": motors.max_speed_deg_s,
        "free_play_deg": motors.free_play_deg,
        "spring_nm_per_rad": 0.0,
        "damper_nms_per_rad": 0.0,
        "rest_deg": 0.0,
        **{name: getattr(motors, name) for name in DRIVE_TRAIN},
        "reversed": False,
        "zero_deg": 0.0,
    }
    if name == "axes":
        return robot.joints if robot.joints != "alternating" else ("yaw", "pitch")[row % 2]
    return values[name]


def _usual_of_link(scene: Scene, row: int, name: str) -> Any:
    robot = scene.robot
    ground = scene.ground
    values = {
        "length_m": robot.link_length_m,
        "radius_m": robot.radius_m,
        "contact_half_length_m": robot.contact_half_length_m,
        "mass_kg": robot.mass_kg,
        "centre_of_mass_m": 0.0,
        "mu_along": ground.mu_along,
        "mu_across": ground.mu_across,
        "wheels": robot.wheels,
    }
    if name in values:
        return values[name]
    by_name = _explicit(robot, "link")
    if name == "mu_backward":
        own = by_name.get("mu_along", {}).get((row, ""))
        return (
            own
            if own is not None
            else ground.mu_along
            if ground.mu_backward is None
            else ground.mu_backward
        )
    size = {
        each: by_name.get(each, {}).get((row, ""), values[each])
        for each in ("mass_kg", "length_m", "radius_m")
    }
    alike = Robot(
        n_links=1,
        link=(LinkOverride(index=1, **size),),
        **{
            each: getattr(robot, each)
            for each in (
                "link_length_m",
                "radius_m",
                "mass_kg",
                "inertia_kg_m2",
                "axial_inertia_kg_m2",
            )
        },
    )
    return alike.links[0].inertia if name == "inertia_kg_m2" else alike.links[0].axial_inertia


def with_part_values(
    scene: Scene, table: Table, changes: Mapping[tuple[int, str], Any], only: str | None = None
) -> Scene:
    """Return the scene with other values of some links or joints.

    Raises `SceneError` if a value is invalid, or there is no such link or joint.

    Parameters
    ----------
    changes : mapping of (int, str) to value
        By 0-based link or joint and the value's name in `LinkOverride` or `JointOverride`; None
        removes the value from the tables.
    only : str, optional
        Axis of the joints that the values apply to; all axes if omitted.
    """
    robot = scene.robot
    count = _count(scene.robot, table)
    names = LINK_VALUES if table == "link" else JOINT_VALUES
    for row, name in changes:
        if not 0 <= row < count:
            raise _refused(
                f"robot.{table}",
                f"there is no {table} {row + 1}",
                f"use a number from 1 to {count}",
            )
        if name not in names:
            raise _refused(
                f"robot.{table}",
                f'"{name}" is not a value of a {table}',
                f"use one of {', '.join(names)}",
            )
    columns: dict[str, dict[int, Any]] = {}
    for (row, name), value in changes.items():
        columns.setdefault(name, {})[row] = (
            None if value is None else _checked(table, row, name, value)
        )
    overrides: list[Any] = list(robot.link if table == "link" else robot.joint)
    edited = scene
    # Dependencies come first: inertia depends on mass and size, values of axes on the axes.
    for name in sorted(columns, key=names.index):
        target = _target(edited, table, name, columns[name], only)
        overrides = _with_column(overrides, edited.robot, table, name, target)
        field = {"link": tuple(overrides)} if table == "link" else {"joint": tuple(overrides)}
        edited = edited.model_copy(update={"robot": edited.robot.model_copy(update=field)})
    if table == "joint":
        overrides = list(with_axes_of(overrides, edited.robot))
    return with_values(scene, {f"robot.{table}": [tree(override) for override in overrides]})


def _checked(table: Table, row: int, name: str, value: Any) -> Any:
    model: type[Override] = LinkOverride if table == "link" else JointOverride
    try:
        return getattr(model.model_validate({"index": row + 1, name: value}), name)
    except ValidationError as error:
        problem = problem_of(error.errors(include_url=False)[0], model)
        label = field_doc(model, name).label.lower()
        where = f"{label} of {table} {row + 1}"
        raise _refused(f"robot.{table}", problem.clause(where), problem.remedy) from None


def _refused(key: str, message: str, remedy: str = "") -> SceneError:
    problem = Problem("error", key, message, remedy)
    return SceneError.of([problem])


def _target(
    scene: Scene, table: Table, name: str, values: Mapping[int, Any], only: str | None
) -> Values:
    """Return the values that the tables must set."""
    robot = scene.robot
    target = given_values(robot, table, name)
    for row, value in values.items():
        if table == "link" or name in _WHOLE_JOINT:
            axes: tuple[str, ...] = ("",)
            own = axes
        else:
            axes = AXES if only is None else (only,)
            own = tuple(axis for axis in axes if axis in robot.joint_list[row].axes) or axes
        usual = value is None or all(
            _is_usual(scene, table, row, name, axis, value) for axis in own
        )
        for axis in axes:
            if usual:
                target.pop((row, axis), None)
            else:
                target[row, axis] = value
    return target


def _is_usual(scene: Scene, table: Table, row: int, name: str, axis: str, value: Any) -> bool:
    if name == "mu_along" and scene.ground.mu_backward is not None:
        return False  # a link that sets it also slides backward with it
    usual = usual_value(scene, table, row, name, axis)
    if isinstance(usual, bool | str) or usual is None:
        return bool(usual == value)
    return isinstance(value, int | float) and math.isclose(usual, value, rel_tol=1e-12, abs_tol=0.0)


# --- tables ---------------------------------------------------------------------------------------


def _with_column(
    overrides: list[Any], robot: Robot, table: Table, name: str, target: Values
) -> list[Any]:
    """Return the tables changed so that one value is as in `target`, in the shortest form."""
    count = _count(robot, table)
    before = _resolved(overrides, count).get(name, {})
    if before == target:
        return overrides
    options = [
        _appended(overrides, count, table, name, before, target),
        _rewritten(overrides, robot, table, name, target, _layered),
        _rewritten(overrides, robot, table, name, target, _split),
    ]
    usable = [
        option
        for option in options
        if option is not None and not override_problems(option, count, table)
    ]
    return min(
        usable,
        key=lambda option: (
            len(option),
            sum(name in override.model_fields_set for override in option),
        ),
    )


def _changed(override: _AnyOverride, **values: Any) -> _AnyOverride:
    """Return the table with other values; None removes one. The values are validated with the whole scene."""
    merged = {name: getattr(override, name) for name in override.model_fields_set} | values
    return type(override).model_construct(
        {name for name, value in merged.items() if value is not None},
        **{name: value for name, value in merged.items() if value is not None},
    )


def _empty(override: Override) -> bool:
    return not any(True for _ in values_of(override))


def _appended(
    overrides: list[Any], count: int, table: Table, name: str, before: Values, target: Values
) -> list[Any] | None:
    """Tables whose value changes as a whole are edited, and tables for the rest appended; None if impossible."""
    giver: dict[Cell, int] = {}
    for number, override in enumerate(overrides):
        if getattr(override, name) is not None:
            rows = selected(override.index, count)
            giver.update(((row, axis), number) for axis in _axes_of(override, name) for row in rows)
    cells: dict[int, list[Cell]] = {}
    for cell, number in giver.items():
        cells.setdefault(number, []).append(cell)
    result = list(overrides)
    for number, own in cells.items():
        values = [target.get(cell) for cell in own]
        if values[0] != before[own[0]] and all(value == values[0] for value in values):
            result[number] = _changed(result[number], **{name: values[0]})
    result = [override for override in result if not _empty(override)]
    present = _resolved(result, count).get(name, {})
    if any(cell not in target for cell in present):
        return None
    rest = {cell: value for cell, value in target.items() if present.get(cell) != value}
    for entry in _split(rest, count, _per_axis(table, name)):
        result.append(_table(table, entry, name))
    return result if _resolved(result, count).get(name, {}) == target else None


def _rewritten(
    overrides: list[Any], robot: Robot, table: Table, name: str, target: Values, arrange: Arrange
) -> list[Any] | None:
    """Return the tables in which only new entries, or tables of the same links or joints, set the value."""
    count = _count(robot, table)
    result = [_changed(override, **{name: None}) for override in overrides]
    emptied = [_empty(new) and not _empty(old) for new, old in zip(result, overrides, strict=True)]
    alike: dict[tuple[range, str | None], list[int]] = {}
    for number, override in enumerate(result):
        alike.setdefault(
            (selected(override.index, count), getattr(override, "only", None)), []
        ).append(number)
    first = 0
    for entry in arrange(target, count, _per_axis(table, name)):
        numbers = alike.get((selected(entry.where, count), entry.only), [])
        free = (each for each in numbers if each >= first and getattr(result[each], name) is None)
        index = next(free, len(result))
        if index == len(result):
            result.append(_table(table, entry, name))
            emptied.append(False)
        else:
            result[index] = _changed(result[index], **{name: entry.value})
        if arrange is _layered:
            first = index + 1  # later entries are exceptions from this one
    result = [
        override
        for override, was_emptied in zip(result, emptied, strict=True)
        if not (was_emptied and _empty(override))
    ]
    return result if _resolved(result, count).get(name, {}) == target else None


def _per_axis(table: Table, name: str) -> bool:
    return table == "joint" and name not in _WHOLE_JOINT


def _table(table: Table, entry: _Entry, name: str) -> Any:
    values = {"index": entry.where, name: entry.value}
    if table == "link":
        return LinkOverride.model_construct(set(values), **values)
    if entry.only is not None:
        values["only"] = entry.only
    return JointOverride.model_construct(set(values), **values)


Arrange = Callable[[Values, int, bool], list[_Entry]]
"""Entries that set values of a given number of links or joints, per axis or not."""


def _columns(target: Values, per_axis: bool) -> list[tuple[str | None, dict[int, Any]]]:
    """Return the values by row: those shared by all axes, then those of single axes."""
    if not per_axis:
        return [(None, {row: value for (row, _), value in target.items()})]
    shared: dict[int, Any] = {}
    single: dict[str, dict[int, Any]] = {axis: {} for axis in AXES}
    for row in sorted({row for row, _ in target}):
        values = [target.get((row, axis)) for axis in AXES]
        if all(value == values[0] for value in values):
            shared[row] = values[0]
        else:
            for axis, value in zip(AXES, values, strict=True):
                if value is not None:
                    single[axis][row] = value
    return [(None, shared), *single.items()]


def _split(target: Values, count: int, per_axis: bool) -> list[_Entry]:
    """Return the entries such that no two apply to the same link or joint and axis."""
    return [
        _Entry(index, only, value)
        for only, column in _columns(target, per_axis)
        for value, rows in _by_value(column)
        for index in _indices(rows, count)
    ]


def _layered(target: Values, count: int, per_axis: bool) -> list[_Entry]:
    """Return the most frequent value for all, for every other or for a range, followed by exceptions."""
    entries = []
    for only, column in _columns(target, per_axis):
        backgrounds = [range(count), range(0, count, 2), range(1, count, 2)]
        if column:
            backgrounds.append(range(min(column), max(column) + 1))
        best = [
            _Entry(index, only, value)
            for value, rows in _by_value(column)
            for index in _indices(rows, count)
        ]
        for rows in backgrounds:
            if not len(rows) or any(row not in column for row in rows):
                continue
            commonest = Counter(column[row] for row in rows).most_common(1)[0][0]
            rest = {
                row: value for row, value in column.items() if row not in rows or value != commonest
            }
            layered = [_Entry(_indices(list(rows), count)[0], only, commonest)]
            layered += [
                _Entry(index, only, value)
                for value, of in _by_value(rest)
                for index in _indices(of, count)
            ]
            if len(layered) < len(best):
                best = layered
        entries += best
    return entries


def _by_value(column: Mapping[int, Any]) -> list[tuple[Any, list[int]]]:
    """Return the rows by value, in the order of the first row."""
    rows: dict[tuple[type, Any], list[int]] = {}
    for row in sorted(column):
        rows.setdefault((type(column[row]), column[row]), []).append(row)
    return [(value, of) for (_, value), of in rows.items()]


def _indices(rows: list[int], count: int) -> list[int | str]:
    """Return the smallest set of indices that selects exactly these rows (0-based, ascending)."""
    if not rows:
        return []
    if len(rows) == count and count > 1:
        return ["all"]
    spellings = [_runs(rows)]
    if count > 2:
        for keyword, every in (("odd", range(0, count, 2)), ("even", range(1, count, 2))):
            if 1 < len(every) <= len(rows) and set(every) <= set(rows):
                spellings.append([keyword, *_runs([row for row in rows if row not in every])])
    return min(spellings, key=len)


def _runs(rows: list[int]) -> list[int | str]:
    runs: list[list[int]] = []
    for row in rows:
        if runs and row == runs[-1][-1] + 1:
            runs[-1].append(row)
        else:
            runs.append([row])
    return [run[0] + 1 if len(run) == 1 else f"{run[0] + 1}-{run[-1] + 1}" for run in runs]
