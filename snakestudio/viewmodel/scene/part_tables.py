"""Links and joints of the robot as rows of tables: texts of cells, reasons without effect, and edits."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from snakestudio.errors import SceneError
from snakestudio.kinds.reads import readers, unused_reason
from snakestudio.model.edits.robot_tables import (
    JOINT_VALUES,
    LINK_VALUES,
    Table,
    given_values,
    usual_value,
    with_part_values,
)
from snakestudio.model.formula.quantity import NumberTextError, parse_number
from snakestudio.model.robot.overrides import JointOverride, LinkOverride
from snakestudio.model.robot.robot import Robot
from snakestudio.model.scene import Scene, structure_problems
from snakestudio.model.shared_values import DRIVE_TRAIN
from snakestudio.viewmodel.cells import CellColumn, columns_of
from snakestudio.viewmodel.numbers import parse_change

_WHOLE = {
    "length_m": "robot.link_length_m",
    "radius_m": "robot.radius_m",
    "contact_half_length_m": "robot.contact_half_length_m",
    "mass_kg": "robot.mass_kg",
    "inertia_kg_m2": "robot.inertia_kg_m2",
    "axial_inertia_kg_m2": "robot.axial_inertia_kg_m2",
    "mu_along": "ground.mu_along",
    "mu_backward": "ground.mu_backward",
    "mu_across": "ground.mu_across",
    "wheels": "robot.wheels",
    "axis_offset_m": "robot.axis_offset_m",
    "lower_limit_deg": "robot.joint_limit_deg",
    "upper_limit_deg": "robot.joint_limit_deg",
    "kp_nm_per_rad": "joint_controller.kp_nm_per_rad",
    "kd_nms_per_rad": "joint_controller.kd_nms_per_rad",
    "max_torque_nm": "actuator.max_torque_nm",
    "max_speed_deg_s": "actuator.max_speed_deg_s",
    "free_play_deg": "actuator.free_play_deg",
    **{name: f"actuator.{name}" for name in DRIVE_TRAIN},
}
"""Scene value that a value of a link or joint overrides; both have an effect in the same scenes."""

_COLUMNS: Mapping[Table, list[CellColumn]] = {
    "link": [replace(column, optional=False) for column in columns_of(LinkOverride, LINK_VALUES)],
    "joint": [
        replace(column, optional=False) for column in columns_of(JointOverride, JOINT_VALUES)
    ],
}


class Cell(NamedTuple):
    """Content of a cell."""

    text: str
    """Effective value with all digits; a dash if the joint lacks the axis."""

    short: str
    """Effective value with six digits."""

    own: bool
    """Whether the value overrides that of the robot."""

    unused: str
    """Short reason why the value has no effect; "" if it has one."""

    editable: bool
    usual: str
    """Value of the robot."""


class PartTable:
    """Table of the links or joints of a scene.

    Parameters
    ----------
    axis : str, optional
        Axis of the joints to show; all if omitted.
    """

    def __init__(self, scene: Scene, table: Table, axis: str | None = None) -> None:
        self.scene = scene
        self.table = table
        self.axis = axis if table == "joint" else None
        self.columns = _COLUMNS[table]
        self._overrides = {
            column.name: given_values(scene.robot, table, column.name) for column in self.columns
        }
        self._unused = {column.name: _unused(scene, column.name) for column in self.columns}

    @property
    def rows(self) -> int:
        """Number of links or joints."""
        return self.scene.robot.n_links if self.table == "link" else self.scene.robot.n_joints

    def row_title(self, row: int) -> str:
        """Return the number of a link or joint, with a mark for the head."""
        head = self.table == "link" and row == self.scene.robot.head_index
        return f"{row + 1} · head" if head else str(row + 1)

    def cell(self, row: int, column: CellColumn) -> Cell:
        """Return the content of a cell."""
        axes = self._axes(row, column.name)
        if not axes:
            return Cell("–", "–", False, f"joint {row + 1} has no such axis", False, "")
        override = self._overrides[column.name]
        usual = [usual_value(self.scene, self.table, row, column.name, axis) for axis in axes]
        values = [override.get((row, axis), other) for axis, other in zip(axes, usual, strict=True)]
        return Cell(
            text=_joined(column.text(value) for value in values),
            short=_joined(_short(column, value) for value in values),
            own=any((row, axis) in override for axis in axes),
            unused=self._reason(row, column.name),
            editable=True,
            usual=_joined(column.text(value) for value in usual),
        )

    def number(self, row: int, column: CellColumn) -> float:
        """Return the value of a cell with one number.

        Raises `NumberTextError` if it has no number or several.
        """
        return float(parse_number(self.cell(row, column).text))

    def own_axes(self, row: int) -> tuple[str, ...]:
        """Return the axes of a joint."""
        return self.scene.robot.joint_list[row].axes

    def _axes(self, row: int, name: str) -> tuple[str, ...]:
        if self.table == "link" or name in ("axes", "axis_offset_m"):
            return ("",)
        own = self.own_axes(row)
        return own if self.axis is None else tuple(axis for axis in own if axis == self.axis)

    def _reason(self, row: int, name: str) -> str:
        if self.table == "joint" and name != "axes":
            moved = {axis.kind for axis in self.scene.body.axes if axis.joint == row}
            own = self.own_axes(row)
            if own and not moved.intersection(own if self.axis is None else (self.axis,)):
                return "the model is planar, so only yaw axes turn"
            if name == "axis_offset_m" and not {"yaw", "pitch"} <= set(own):
                return "only between a yaw and a pitch axis"
        return self._unused[name]


def _joined(texts: Iterable[str]) -> str:
    """Return the values of the axes of a joint; a single one if they are equal."""
    return " | ".join(dict.fromkeys(text or "none" for text in texts))


def _short(column: CellColumn, value: Any) -> str:
    return column.text(
        float(f"{value:.6g}") if column.kind == "number" and value is not None else value
    )


def _unused(scene: Scene, name: str) -> str:
    key = _WHOLE.get(name, "")
    return unused_reason(scene, key) if key and readers(key) else ""


def with_texts(part: PartTable, cells: Mapping[tuple[int, str], str]) -> Scene:
    """Return the scene with typed texts in cells, by link or joint (0-based) and name.

    An empty text resets a value; ``*2`` or ``+0.1`` changes the current one.

    Raises `NumberTextError` or `SceneError` with a sentence that names the cell.
    """
    columns = {column.name: column for column in part.columns}
    changes: dict[tuple[int, str], Any] = {}
    for (row, name), text in cells.items():
        column = columns[name]
        plain = text.strip()
        if not plain or (plain == "none" and "none" not in column.choices):
            changes[row, name] = None
            continue
        try:
            change = parse_change(plain, column.doc.unit) if column.kind == "number" else None
            changes[row, name] = (
                column.value(plain) if change is None else change.of(part.number(row, column))
            )
        except NumberTextError as error:
            raise NumberTextError(
                f"{column.doc.label} of {part.table} {row + 1}: {error}"
            ) from None
    message = with_part_values(part.scene, part.table, changes, part.axis)
    if problems := structure_problems(message):
        raise SceneError(problems[0].sentence(), problems)
    return message


def pasted(
    text: str, part: PartTable, row: int, column: int, rows: Sequence[int] = ()
) -> dict[tuple[int, str], str]:
    """Return the texts by cell of a table from a spreadsheet, pasted at a cell.

    A single line fills all selected `rows`. Cells without the axis are omitted.

    Raises `NumberTextError` if the table does not fit or has decimal commas.
    """
    lines = [line.rstrip("\r").split("\t") for line in text.rstrip("\r\n").split("\n")]
    if not text.strip():
        raise NumberTextError("The clipboard has no cells. Copy some from a spreadsheet first.")
    wide = max(map(len, lines))
    if column + wide > len(part.columns):
        raise NumberTextError(
            f"The clipboard has {wide} columns, but only {len(part.columns) - column} are left from here on."
            " Paste further left."
        )
    if len(lines) == 1 and len(rows) > 1:
        targets = [(each, lines[0]) for each in rows]
    else:
        if row + len(lines) > part.rows:
            raise NumberTextError(
                f"The clipboard has {len(lines)} rows, but only {part.rows - row} {part.table}s are left from here on."
                f" Paste further up, or give the robot more links."
            )
        targets = [(row + k, line) for k, line in enumerate(lines)]
    cells: dict[tuple[int, str], str] = {}
    for target, line in targets:
        for k, cell in enumerate(line):
            at = part.columns[column + k]
            if at.kind == "number" and "," in cell:
                raise NumberTextError(
                    f"“{cell.strip()}” for {part.table} {target + 1} has a comma, which may be a decimal comma or"
                    " separate thousands. Copy the numbers with decimal points."
                )
            present = part.cell(target, at)
            if present.editable and cell.strip() not in ("–", present.text):
                cells[target, at.name] = cell
    return cells


def differences(robot: Robot) -> str:
    """Return a short text with the number of links and joints with different values; "" if there are none."""
    links = {row for name in LINK_VALUES for row, _ in given_values(robot, "link", name)}
    joints = {row for name in JOINT_VALUES for row, _ in given_values(robot, "joint", name)}
    parts = [
        f"{len(rows)} of {count} {noun}s"
        for rows, count, noun in ((links, robot.n_links, "link"), (joints, robot.n_joints, "joint"))
        if rows
    ]
    return " and ".join(parts)
