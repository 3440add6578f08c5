"""Views of a run for other programs: joints, poses and values as ROS 2 messages.

Every row is a message of each topic. These messages are never read here.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from snakestudio.model.columns import column_values, filled_columns
from snakestudio.model.recording import ContactRows, Rows, Schema
from snakestudio.model.snapshot import Fields
from snakestudio.runfile.mcap.cdr import MESSAGE_HEAD, Template
from snakestudio.runfile.mcap.definitions import JOINT_STATE, POSE_STAMPED, TF_MESSAGE, figures
from snakestudio.runfile.mcap.format import nanoseconds

WORLD = "world"
_SHAPE = "robot"
"""Reference frames of the links: the world, or a frame of the robot if its pose is unknown."""

_FIGURE = re.compile(r"com_|contact_|contacts_closed|energy_|work_|solver_")
_ROS_POSE = [0, 1, 2, 4, 5, 6, 3]
"""Position and quaternion in the order of ROS: x y z, then x y z w."""

_OF_ROWS = tuple(field.name for field in fields(Rows) if field.name != "contacts")
_FIELD_NAME = re.compile(r"[a-z](?:_?[a-z0-9])*")


@dataclass(frozen=True, slots=True)
class View:
    """One topic for other programs."""

    topic: str
    definition: tuple[str, str]
    """Name and text of its type."""

    template: Template
    fill: Callable[[NDArray[Any], Rows, NDArray[np.float64]], None]
    """Writes rows, and their values, into the same number of messages."""

    def message(self, row: Rows, numbers: NDArray[np.float64]) -> bytes:
        """Encode one row, and its values (1, m), as a single CDR message, independent of a file."""
        records = self.template.records(0, nanoseconds(row.time))
        self.fill(records, row, numbers)
        return records.tobytes()[MESSAGE_HEAD.size :]


class Views:
    """The topics of a run with a given schema.

    Parameters
    ----------
    head : int
        Index of the head link.
    shapes : bool
        Whether links of a robot with unknown pose are shown, too, in the frame of the
        robot.
    """

    def __init__(self, schema: Schema, head: int, *, shapes: bool = False) -> None:
        self._schema = schema
        self._figures = _figure_names(schema)
        self._waiting: list[Rows] = []
        self._row_before: Rows | None = None
        self._written = 0
        self.views: list[View] = []
        if schema.axes and Fields.JOINTS in schema.valid:
            self.views.append(
                _joints("/joint_states", schema, ("joint_angle", "joint_rate", "joint_torque"))
            )
        if schema.axes and Fields.REFERENCE in schema.valid:
            self.views.append(
                _joints("/joint_references", schema, ("joint_angle_ref", "joint_rate_ref"))
            )
        if Fields.POSE in schema.valid:
            self.views += [_transforms(schema, WORLD), _head_pose(head)]
        elif shapes and Fields.SHAPE in schema.valid:
            self.views.append(_transforms(schema, _SHAPE))
        if self._figures:
            self.views.append(_figures_view(self._figures))

    @property
    def figures(self) -> tuple[str, ...]:
        """Names of the columns in `/figures`."""
        return self._figures

    def __len__(self) -> int:
        """Number of pending messages per topic."""
        return sum(map(len, self._waiting))

    def add(self, rows: Rows) -> None:
        """Add the next rows."""
        if not self.views or not len(rows):
            return
        columns: dict[str, Any] = {name: getattr(rows, name).copy() for name in _OF_ROWS}
        self._waiting.append(Rows(**columns, contacts=ContactRows.none(len(rows))))

    def messages(self, channels: list[int]) -> list[tuple[int, NDArray[Any]]]:
        """Return the pending messages by channel, as MCAP records; `channels` are the channel numbers of `views`."""
        if not self._waiting:
            return []
        rows = Rows.concatenate(self._waiting)
        numbers = np.zeros((len(rows), 0))
        if self._figures:
            numbers = column_values(self._schema, rows, self._row_before, self._figures)
        time = nanoseconds(rows.time)
        messages = []
        for view, channel in zip(self.views, channels, strict=True):
            records = view.template.records(channel, time, self._written)
            view.fill(records, rows, numbers)
            messages.append((channel, records))
        return messages

    def done(self) -> None:
        """Clear the pending messages after they have been written."""
        if self._waiting:
            last = self._waiting[-1]
            self._written += len(self)
            self._row_before = last.slice(len(last) - 1, len(last))
            self._waiting = []


def _figure_names(schema: Schema) -> tuple[str, ...]:
    names = [name for name in filled_columns(schema) if _FIGURE.match(name) or name in schema.extra]
    held = re.compile(r"contact_\d")  # the individual anchors of a continuous body
    return tuple(name for name in names if _FIELD_NAME.fullmatch(name) and not held.match(name))


def _header(template: Template) -> None:
    template.stamp("stamp")
    template.text(WORLD)


def _joints(topic: str, schema: Schema, names: tuple[str, ...]) -> View:
    """Return the view of angles, rates and torques of all joints; references have no torques."""
    joints = [axis.name for axis in schema.axes]
    template = Template()
    _header(template)
    template.length(len(joints))
    for joint in joints:
        template.text(joint)
    for name in names:
        template.numbers(name, len(joints))
    for _ in range(3 - len(names)):
        template.length(0)

    def fill(records: NDArray[Any], rows: Rows, numbers: NDArray[np.float64]) -> None:
        for name in names:
            records[name] = getattr(rows, name)

    return View(topic, JOINT_STATE, template, fill)


def part_names(schema: Schema) -> list[str]:
    """Return the names of the links, or cross-sections, as frames."""
    part = "section" if schema.sections else "link"
    return [f"{part}_{i + 1}" for i in range(schema.n_links)]


def _transforms(schema: Schema, parent: str) -> View:
    """Return the view of the poses of all links, or cross-sections."""
    template = Template()
    template.length(schema.n_links)
    for i, name in enumerate(part_names(schema)):
        template.stamp(f"stamp_{i}")
        template.text(parent)
        template.text(name)
        template.number(f"pose_{i}", "<f8", (7,))

    def fill(records: NDArray[Any], rows: Rows, numbers: NDArray[np.float64]) -> None:
        poses = rows.link_pose[:, :, _ROS_POSE]
        for i in range(schema.n_links):
            records[f"pose_{i}"] = poses[:, i]

    return View("/tf", TF_MESSAGE, template, fill)


def _head_pose(head: int) -> View:
    template = Template()
    _header(template)
    template.number("pose", "<f8", (7,))

    def fill(records: NDArray[Any], rows: Rows, numbers: NDArray[np.float64]) -> None:
        records["pose"] = rows.link_pose[:, head, _ROS_POSE]

    return View("/head_pose", POSE_STAMPED, template, fill)


def _figures_view(names: tuple[str, ...]) -> View:
    template = Template()
    _header(template)
    template.number("values", "<f8", (len(names),))

    def fill(records: NDArray[Any], rows: Rows, numbers: NDArray[np.float64]) -> None:
        records["values"] = numbers

    return View("/figures", figures(names), template, fill)
