"""Encoding of rows as messages of a run file, exact to the bit.

A block is one message whose fields are the columns of `Rows`, flattened with the row as the fastest
index: the history of every value is then contiguous, which compresses well; constant values take
almost no space. The definition of the message (`definition`) names every column, its shape and its
meaning, so that any reader of ROS 2 messages can read the run without this program.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from snakestudio.model.recording import HOLD_COLUMNS, ContactRows, Rows, Schema
from snakestudio.model.robot.joint_axes import from_pairs
from snakestudio.model.robot.robot import Axis
from snakestudio.runfile.mcap.cdr import HEADER, MESSAGE_HEAD, align

_TYPES = {
    "float64": "<f8",
    "float32": "<f4",
    "int64": "<i8",
    "int32": "<i4",
    "uint8": "|u1",
    "bool": "|b1",
}

_MEANING = {
    "time": "s",
    "link_pose": "of each link: place of its centre of gravity (m), unit quaternion w x y z",
    "link_twist": "of each link: velocity (m/s), angular velocity (rad/s), world frame",
    "joint_angle": "of each joint axis, as named in the metadata (rad)",
    "joint_rate": "rad/s",
    "joint_angle_ref": "rad",
    "joint_rate_ref": "rad/s",
    "joint_torque": "N m",
    "impulse_obstacle": "on each link since the start of the run, world frame (N s)",
    "impulse_ground": "on each link since the start of the run, world frame (N s)",
    "contacts_closed": "closed contacts at that instant",
    "energy": "J, works since the start of the run; named in the metadata",
    "solver_residual": "worst since the row before",
    "solver_iterations": "since the start of the run",
    "solver_unconverged": "steps, since the start of the run",
    "steps": "since the start of the run",
    "extra": "named in the metadata",
    "strain": "of each cross-section (rad/m, 1)",
    "wrench": "of each cross-section: force (N), couple (N m)",
    "hold": "of each anchor or support",
    "contact_count": "contacts of each row; they follow one after the other",
    "contact_link": "0-based",
    "contact_other": "0-based obstacle, or a negative number: ground, support",
    "contact_state": "0 open, 1 stick, 2 slip",
    "contact_point": "world frame (m)",
    "contact_impulse_normal": "on the link since the row before, world frame (N s)",
    "contact_impulse_friction": "on the link since the row before, world frame (N s)",
}


_OF_ROWS = tuple(field.name for field in fields(Rows) if field.name != "contacts")
_OF_CONTACTS = tuple(field.name for field in fields(ContactRows))
_NAMES = _OF_ROWS + tuple(f"contact_{name}" for name in _OF_CONTACTS)


def _row_columns(rows: Rows) -> Iterator[tuple[str, NDArray[Any]]]:
    for name in _OF_ROWS:
        yield name, getattr(rows, name)
    for name in _OF_CONTACTS:
        yield f"contact_{name}", getattr(rows.contacts, name)


_WHOLE = frozenset(
    {
        "contacts_closed",
        "solver_iterations",
        "solver_unconverged",
        "steps",
        "contact_count",
        "contact_link",
        "contact_other",
        "contact_state",
    }
)
"""Integer columns; all others are floating-point."""


_OF_JOINTS = ("joint_angle", "joint_rate", "joint_angle_ref", "joint_rate_ref", "joint_torque")


def _shapes(schema: Schema) -> dict[str, tuple[int, ...]]:
    """Return the shapes of the values of a row; columns not listed here are scalars."""
    n = schema.n_links
    sections = len(schema.sections)
    return {
        "link_pose": (n, 7),
        "link_twist": (n, 6),
        "impulse_obstacle": (n, 3),
        "impulse_ground": (n, 3),
        "energy": (len(schema.energy),),
        "extra": (len(schema.extra),),
        "strain": (sections, 6),
        "wrench": (sections, 6),
        "hold": (schema.n_holds, len(HOLD_COLUMNS)),
        "contact_point": (3,),
        "contact_impulse_normal": (3,),
        "contact_impulse_friction": (3,),
        **dict.fromkeys(_OF_JOINTS, (len(schema.axes),)),
    }


@dataclass(frozen=True, slots=True)
class Columns:
    """Columns of the blocks of a file, in the order of the message."""

    columns: tuple[tuple[str, str, tuple[int, ...]], ...]
    """Name, type as in a ROS 2 message, and shape of one row's (or contact's) value."""

    pairs: tuple[Axis, ...] | None = None
    """Joint axes of a file of an old version, which stores yaw and pitch of every joint, whether
    it has both or not. None if there is one value per axis."""

    @classmethod
    def of(cls, rows: Rows) -> Columns:
        """Return the columns of given rows.

        Raises `ValueError` if a message does not support the type of a column.
        """
        columns = []
        for name, values in _row_columns(rows):
            kind = values.dtype.name
            if kind not in _TYPES:
                raise ValueError(f"{name}: a run file does not support columns of type {kind}")
            columns.append((name, kind, tuple(values.shape[1:])))
        return cls(tuple(columns))

    @classmethod
    def from_plain(cls, plain: Any) -> Columns:
        """Create columns from the output of `plain`.

        Raises `ValueError`, `TypeError` or `KeyError` if it is invalid.
        """
        columns = tuple(
            (str(name), str(kind), tuple(int(size) for size in shape))
            for name, kind, shape in plain
        )
        if tuple(name for name, _, _ in columns) != _NAMES or any(
            kind not in _TYPES for _, kind, _ in columns
        ):
            raise ValueError("unknown columns")
        if any(size < 0 for _, _, shape in columns for size in shape):
            raise ValueError("negative shape")
        return cls(columns)

    def of_schema(self, schema: Schema) -> Columns:
        """Return these columns if they match a schema.

        Raises `ValueError` if they do not.
        """
        expected = _shapes(schema)
        pairs = any(name in _OF_JOINTS and len(shape) == 2 for name, _, shape in self.columns)
        if pairs:
            expected |= dict.fromkeys(_OF_JOINTS, (schema.n_joints, 2))
        for name, kind, shape in self.columns:
            if shape != expected.get(name, ()):
                raise ValueError(f"{name} has a different shape from the schema")
            if (np.dtype(_TYPES[kind]).kind == "f") != (name not in _WHOLE):
                raise ValueError(f"{name} has a different number type")
        if self.columns[0][1] != "float64":
            raise ValueError("times do not have eight bytes")
        return replace(self, pairs=schema.axes) if pairs else self

    def plain(self) -> list[list[Any]]:
        """Return the columns as lists, for JSON."""
        return [[name, kind, list(shape)] for name, kind, shape in self.columns]

    @property
    def row_bytes(self) -> int:
        """Size of one row without its contacts."""
        return sum(
            int(np.prod(shape, dtype=np.int64)) * np.dtype(_TYPES[kind]).itemsize
            for name, kind, shape in self.columns
            if not name.startswith("contact_") or name == "contact_count"
        )

    def in_message(self) -> Iterator[tuple[str, np.dtype[Any], tuple[int, ...]]]:
        """Yield the columns of the message, without empty ones (the joints of a robot with one link)."""
        for name, kind, shape in self.columns:
            if 0 not in shape:
                yield name, np.dtype(_TYPES[kind]), shape


def definition(columns: Columns) -> str:
    """Return the definition of the message in ROS 2 syntax (``ros2msg``)."""
    lines = [
        "# Some rows of a run, exactly as they were recorded. k: rows, m: contacts of all these rows.",
        "# Shapes are given in C order: the last index is the one that changes fastest.",
        "uint64 first_row  # number of the first of these rows in the run",
    ]
    for name, dtype, shape in columns.in_message():
        count = "m" if name.startswith("contact_") and name != "contact_count" else "k"
        sizes = ", ".join([*map(str, shape), count])
        lines.append(f"{dtype.name}[] {name}  # ({sizes}) {_MEANING[name]}")
    return "\n".join(lines) + "\n"


class Scratch:
    """Reusable buffer: touching new memory pages for every block would take longer than filling them."""

    def __init__(self) -> None:
        self._memory = np.empty(0, np.uint8)

    def of(self, size: int) -> NDArray[np.uint8]:
        """Return a view of `size` bytes with arbitrary content; invalidates earlier views."""
        if len(self._memory) < size:
            self._memory = np.empty(size + size // 4, np.uint8)
        return self._memory[:size]


def encode(
    columns: Columns,
    rows: Rows,
    first_row: int,
    channel: int,
    sequence: int,
    log_time: int,
    scratch: Scratch | None = None,
) -> memoryview:
    """Encode `rows` as an MCAP message record.

    Parameters
    ----------
    columns : Columns
        Columns of the file's blocks.
    first_row : int
        Number of the first row in the run.
    channel, sequence, log_time : int
        Values of the record's header; ns.
    scratch : Scratch, optional
        Buffer for the record; the result is valid until the next record in it.
    """
    values = dict(_row_columns(rows))
    places = []
    end = 8
    for name, dtype, shape in columns.in_message():
        array = values[name]
        size = array.size
        length = align(end, 4)
        start = align(length + 4, dtype.itemsize) if size else length + 4
        places.append((array, dtype, shape, end, length, start))
        end = start + size * dtype.itemsize
    origin = MESSAGE_HEAD.size + len(HEADER)
    shift = -origin % 8  # numpy copies faster to aligned numbers
    buffer = (scratch or Scratch()).of(shift + origin + end)
    message = buffer.data[shift:]
    MESSAGE_HEAD.pack_into(
        message, 0, 0x05, len(message) - 9, channel, sequence, log_time, log_time
    )
    message[MESSAGE_HEAD.size : origin] = HEADER
    struct.pack_into("<Q", message, origin, first_row)
    body = buffer[shift + origin :]
    for array, dtype, shape, before, length, start in places:
        message[origin + before : origin + start] = bytes(start - before)
        struct.pack_into("<I", message, origin + length, array.size)
        if array.size:
            part = body[start : start + array.size * dtype.itemsize]
            part.view(dtype).reshape(*shape, len(array))[...] = array.transpose(
                *range(1, array.ndim), 0
            )
    return message


def head_bytes(n_rows: int) -> int:
    """Number of bytes of a message record with `n_rows` rows that `decode_head` needs, including the header."""
    return MESSAGE_HEAD.size + len(HEADER) + 16 + 8 * n_rows


def decode_head(body: NDArray[np.uint8]) -> tuple[int, NDArray[np.float64]] | None:
    """Return the first row and times from the first bytes of a block; None if there are too few.

    `body` is the message after the encapsulation header; time is its first column.
    """
    if len(body) < 16:
        return None
    first, count = struct.unpack_from("<QI", body.data)
    if len(body) < 16 + 8 * count:
        return None
    return first, body[16 : 16 + 8 * count].view("<f8").astype(np.float64)


def decode(columns: Columns, body: NDArray[np.uint8]) -> Rows:
    """Decode the rows in a message, starting after the encapsulation header.

    Raises `ValueError` if it is damaged.
    """
    offset = 8
    arrays: dict[str, NDArray[Any]] = {}
    for name, kind, shape in columns.columns:
        dtype = np.dtype(_TYPES[kind])
        if 0 in shape:
            arrays[name] = np.zeros((0, *shape), dtype)
            continue
        length = align(offset, 4)
        if length + 4 > len(body):
            raise ValueError("the block ends early")
        (size,) = struct.unpack_from("<I", body.data, length)
        offset = align(length + 4, dtype.itemsize) if size else length + 4
        each = int(np.prod(shape, dtype=np.int64))
        if size % each or offset + size * dtype.itemsize > len(body):
            raise ValueError(f"{name} does not fit")
        part = (
            body[offset : offset + size * dtype.itemsize].view(dtype).reshape(*shape, size // each)
        )
        arrays[name] = np.ascontiguousarray(np.moveaxis(part, -1, 0))
        offset += size * dtype.itemsize
    return _rows(columns, arrays)


def _rows(columns: Columns, arrays: dict[str, NDArray[Any]]) -> Rows:
    n_rows = len(arrays["time"])
    n_contacts = int(arrays["contact_count"].sum(dtype=np.int64))
    if n_contacts < 0 or (n_rows and arrays["contact_count"].min() < 0):
        raise ValueError("the number of contacts is negative")
    for name, _, shape in columns.columns:
        expected = n_contacts if name.startswith("contact_") and name != "contact_count" else n_rows
        if 0 in shape:
            arrays[name] = np.zeros((expected, *shape), arrays[name].dtype)
        elif len(arrays[name]) != expected:
            raise ValueError(f"{name} has a different length from the rows")
    if columns.pairs is not None:
        arrays |= {name: from_pairs(arrays[name], columns.pairs) for name in _OF_JOINTS}
    contacts = ContactRows(*(arrays[f"contact_{name}"] for name in _OF_CONTACTS))
    return Rows(**{name: arrays[name] for name in _OF_ROWS}, contacts=contacts)
