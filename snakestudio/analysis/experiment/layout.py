"""Layout: how a table of measurements is to be read, as data that a dialog edits and a TOML file keeps."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import ConfigDict, TypeAdapter, ValidationError

from snakestudio.errors import ExperimentError
from snakestudio.inputs import LAYOUT, MEASUREMENT, InputError, parse_toml, read_text
from snakestudio.model.atomic import write_atomically
from snakestudio.model.tables.units import (
    LENGTH_UNITS,
    AngleUnit,
    LengthUnit,
    TimeUnit,
    length_unit_of,
)
from snakestudio.model.validation_messages import problem_of

AXES = {"z": "+x+y+z", "y": "+x-z+y", "x": "+y+z+x"}
"""Right-handed ways to stand upright, by the axis of the file that points up; see `Layout.axes`."""

RotationKind = Literal[
    "none",
    "quaternion",
    "euler",
    "vertical",
    "matrix",
    "vector",
    "euler_xyz",
    "euler_xzy",
    "euler_yxz",
    "euler_yzx",
    "euler_zxy",
    "euler_zyx",
]
"""How a file gives rotations.

none; quaternion: w x y z; euler: roll, pitch, yaw (R = R_z R_y R_x); vertical: the angle about the
vertical alone; matrix: nine elements, row by row; vector: axis times angle; euler_xyz and the like:
angles about x, y and z, the rotations in that order, each about the axis that the ones before it
have turned (euler_xyz: R = R_x R_y R_z).
"""

_MOST_LINKS = 10_000

_ROTATION_COLUMNS = {"none": 0, "quaternion": 4, "vertical": 1, "matrix": 9}
"""All others take three."""


@dataclass(frozen=True, slots=True)
class BodyColumns:
    """Which columns (0-based) hold one body."""

    __pydantic_config__ = ConfigDict(extra="forbid")

    name: str
    x: int | None = None
    y: int | None = None
    z: int | None = None
    """`x`, `y` and `z`: columns of its position along the file's axes; None: 0 all along."""

    rotation: RotationKind = "none"
    """A `RotationKind`."""

    rotation_columns: tuple[int, ...] = ()
    """As many as the kind needs, in its order."""

    link: int | None = None
    """0-based link that it sits on, -1: centre of mass, None: unknown."""

    @property
    def columns(self) -> tuple[int, ...]:
        """All columns it needs."""
        return (*(c for c in (self.x, self.y, self.z) if c is not None), *self.rotation_columns)


@dataclass(frozen=True, slots=True)
class JointColumns:
    """Which columns (0-based) hold the angles of one joint."""

    __pydantic_config__ = ConfigDict(extra="forbid")

    joint: int
    """0-based."""

    yaw: int | None = None
    pitch: int | None = None
    """`yaw` and `pitch`: columns; None: 0 all along."""

    @property
    def columns(self) -> tuple[int, ...]:
        """All columns it needs."""
        return tuple(c for c in (self.yaw, self.pitch) if c is not None)


@dataclass(frozen=True, slots=True)
class Layout:
    """How a table of text is to be read."""

    __pydantic_config__ = ConfigDict(extra="forbid")

    delimiter: str = ","
    """"," or ";" or a tab, or " " for any white space."""

    decimal: Literal[".", ","] = "."
    """"." or ","."""

    header_rows: int = 1
    """Lines before the first one of numbers. Lines behind it that are empty or begin with ``#`` are
    passed over."""

    row_lines: int | None = None
    """How many lines behind the header belong to the table; None: all to the end of the file."""

    time_column: int | None = 0
    """0-based; None: rows follow each other at `rate_hz`."""

    nanoseconds_column: int | None = None
    """0-based column of nanoseconds that are added to the time (stamps in two columns, as ROS
    writes them)."""

    time_unit: TimeUnit = "s"
    """One of `TIME_UNITS`."""

    rate_hz: float | None = None
    """Rows or frames a second, where the time is counted in them."""

    length_unit: LengthUnit = "m"
    angle_unit: AngleUnit = "rad"
    """`length_unit` and `angle_unit`: one of `LENGTH_UNITS` and of `ANGLE_UNITS`."""

    axes: str = "+x+y+z"
    """Which axes of the file are x, y and z (up) of the world, each with its sign: "+x+y+z",
    "+x-z+y" with y up."""

    bodies: tuple[BodyColumns, ...] = ()
    joints: tuple[JointColumns, ...] = ()
    zero_is_missing: bool = True
    """Whether a position of exactly 0, 0, 0 means that the body was not seen."""

    max_gap_s: float = 0.5
    """Gaps up to this long are filled by interpolation (and marked), s."""

    def problems(self) -> tuple[str, ...]:
        """What keeps this layout from being read, one sentence each; empty if nothing does."""
        found = []
        if self.delimiter not in (",", ";", "\t", " "):
            found.append(
                f"The delimiter {self.delimiter!r} is not known; give comma, semicolon, tab or blank."
            )
        if self.delimiter == self.decimal:
            found.append("Comma cannot be both delimiter and decimal mark; give another delimiter.")
        if self.time_column is None and not self.rate_hz:
            found.append(
                "There is no time column and no rate; choose the column of the time or give the rate in Hz."
            )
        elif self.time_unit in ("frame", "timecode") and not self.rate_hz:
            found.append("The time is counted in frames; give their rate in Hz.")
        if self.rate_hz is not None and not 1e-6 < self.rate_hz < 1e6:
            found.append(f"The rate {self.rate_hz:g} Hz must be positive, and less than 1 MHz.")
        if not self.bodies:
            found.append(
                "No column holds a position; choose the columns of x and y of at least one body."
            )
        for body in self.bodies:
            if sum(c is not None for c in (body.x, body.y, body.z)) < 2:
                found.append(
                    f"{body.name}: two or three columns of its position are needed; choose them."
                )
            needed = _ROTATION_COLUMNS.get(body.rotation, 3)
            if len(body.rotation_columns) != needed:
                found.append(
                    f"{body.name}: a rotation as {body.rotation} takes {needed} columns; choose them."
                )
        columns = [c for body in self.bodies for c in body.columns] + [
            c for joint in self.joints for c in joint.columns
        ]
        columns += [self.time_column or 0, self.nanoseconds_column or 0]
        if not 0 <= min(columns) <= max(columns) < MEASUREMENT.columns:
            found.append(
                f"Columns are counted from 0 to at most {MEASUREMENT.columns - 1}; choose others."
            )
        numbers = [b.link for b in self.bodies if b.link is not None] + [
            joint.joint for joint in self.joints
        ]
        if numbers and not -1 <= min(numbers) <= max(numbers) < _MOST_LINKS:
            found.append(
                f"Links and joints are counted from 0 to at most {_MOST_LINKS - 1}; choose others."
            )
        if self.header_rows < 0:
            found.append(f"header_rows must be 0 or more (got {self.header_rows}).")
        if self.row_lines is not None and self.row_lines < 1:
            found.append(f"row_lines must be 1 or more (got {self.row_lines}).")
        if not 0.0 <= self.max_gap_s < math.inf:
            found.append(f"The longest gap {self.max_gap_s:g} s is none; give 0 or more.")
        try:
            axes_matrix(self.axes)
        except ExperimentError as error:
            found.append(str(error))
        return tuple(found)


def length_unit(path: Path, text: str) -> LengthUnit:
    """The unit of length that a file names.

    Raises `ExperimentError` if it is not known.
    """
    unit = length_unit_of(text)
    if unit is None:
        known = ", ".join(LENGTH_UNITS)
        raise ExperimentError(
            f'{path}: the unit of length "{text.strip()}" is not known. Export the file in one of {known}.'
        )
    return unit


def axes_matrix(axes: str) -> NDArray[np.float64]:
    """The matrix (3, 3) that leads from the file's axes to the world's.

    Raises `ExperimentError` if `axes` is not written like "+x-z+y".
    """
    matrix = np.zeros((3, 3))
    letters = axes[1::2]
    if len(axes) != 6 or sorted(letters) != ["x", "y", "z"] or set(axes[::2]) - {"+", "-"}:
        raise ExperimentError(
            f'The axes "{axes}" are not understood; write each once with its sign, like "+x-z+y".'
        )
    for row in range(3):
        matrix[row, "xyz".index(letters[row])] = 1.0 if axes[2 * row] == "+" else -1.0
    return matrix


def layout_to_toml(layout: Layout) -> str:
    """A layout as the text of a TOML file."""
    import tomlkit

    def plain(value: Any) -> Any:
        if isinstance(value, dict):
            return {key: plain(part) for key, part in value.items() if part is not None}
        return [plain(part) for part in value] if isinstance(value, list | tuple) else value

    values = plain(asdict(layout))
    if layout.time_column is None:
        values["time_column"] = "none"
    return tomlkit.dumps(values)


def layout_from_toml(text: str, source: str = "the layout") -> Layout:
    """The layout that a TOML text tells.

    Raises `ExperimentError`: naming every key that is wrong.
    """
    try:
        values = parse_toml(text, LAYOUT)
    except InputError as error:
        raise ExperimentError(f"{source}: {error}") from None
    if values.get("time_column") == "none":
        values["time_column"] = None
    try:
        return TypeAdapter(Layout).validate_python(values)
    except ValidationError as error:
        problems = [problem_of(detail, Layout) for detail in error.errors()]
        raise ExperimentError(
            "\n".join(f"{source}: {problem.sentence()}" for problem in problems)
        ) from None


def load_layout(path: str | Path) -> Layout:
    """The layout in a TOML file.

    Raises `ExperimentError` if it cannot be read.
    """
    try:
        text = read_text(Path(path), LAYOUT)
    except InputError as error:
        raise ExperimentError(f"{path}: {error}") from None
    return layout_from_toml(text, str(path))


def save_layout(path: str | Path, layout: Layout) -> None:
    """Write a layout as a TOML file.

    Raises `ExperimentError` if it cannot be written.
    """
    try:
        write_atomically(Path(path), layout_to_toml(layout).encode())
    except OSError as error:
        raise ExperimentError(
            f"{path}: the layout cannot be written ({error.strerror}); choose another file."
        ) from None
