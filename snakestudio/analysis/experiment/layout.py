"""Layout of a table of measurements, as data that a dialog edits and a TOML file stores."""

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
"""Right-handed axes by the axis of the file that points up; see `Layout.axes`."""

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
"""Representations of rotations in files.

none; quaternion: w x y z; euler: roll, pitch, yaw (R = R_z R_y R_x); vertical: the angle about the
vertical alone; matrix: nine elements, row by row; vector: axis times angle; euler_xyz and the like:
angles about x, y and z, with the rotations in this order, each about the axis rotated by the previous
ones (euler_xyz: R = R_x R_y R_z).
"""

_MOST_LINKS = 10_000

_ROTATION_COLUMNS = {"none": 0, "quaternion": 4, "vertical": 1, "matrix": 9}
"""Number of columns; all other kinds have three."""


@dataclass(frozen=True, slots=True)
class BodyColumns:
    """Columns (0-based) of one body."""

    __pydantic_config__ = ConfigDict(extra="forbid")

    name: str
    x: int | None = None
    """Column of the position along the file's x axis; None: always 0."""

    y: int | None = None
    """Column of the position along the file's y axis; None: always 0."""

    z: int | None = None
    """Column of the position along the file's z axis; None: always 0."""

    rotation: RotationKind = "none"
    """A `RotationKind`."""

    rotation_columns: tuple[int, ...] = ()
    """As many as the kind requires, in its order."""

    link: int | None = None
    """0-based link on which it is mounted, -1: centre of mass, None: unknown."""

    @property
    def columns(self) -> tuple[int, ...]:
        """All columns that are read."""
        return (*(c for c in (self.x, self.y, self.z) if c is not None), *self.rotation_columns)


@dataclass(frozen=True, slots=True)
class JointColumns:
    """Columns (0-based) of the angles of one joint."""

    __pydantic_config__ = ConfigDict(extra="forbid")

    joint: int
    """0-based."""

    yaw: int | None = None
    """Column of the yaw angle; None: always 0."""

    pitch: int | None = None
    """Column of the pitch angle; None: always 0."""

    @property
    def columns(self) -> tuple[int, ...]:
        """All columns that are read."""
        return tuple(c for c in (self.yaw, self.pitch) if c is not None)


@dataclass(frozen=True, slots=True)
class Layout:
    """Layout of a text table."""

    __pydantic_config__ = ConfigDict(extra="forbid")

    delimiter: str = ","
    """"," or ";" or a tab, or " " for any white space."""

    decimal: Literal[".", ","] = "."
    """"." or ","."""

    header_rows: int = 1
    """Number of lines before the first row of numbers. Empty lines and lines with ``#`` after it are
    skipped."""

    row_lines: int | None = None
    """Number of lines after the header that belong to the table; None: all to the end of the file."""

    time_column: int | None = 0
    """0-based; None: the rows are sampled at `rate_hz`."""

    nanoseconds_column: int | None = None
    """0-based column of nanoseconds that are added to the time (time stamps in two columns, as in ROS
    files)."""

    time_unit: TimeUnit = "s"
    """One of `TIME_UNITS`."""

    rate_hz: float | None = None
    """Rows or frames per second, if the time is counted in them."""

    length_unit: LengthUnit = "m"
    """One of `LENGTH_UNITS`."""

    angle_unit: AngleUnit = "rad"
    """One of `ANGLE_UNITS`."""

    axes: str = "+x+y+z"
    """Axes of the file that are x, y and z (up) of the world, each with its sign: "+x+y+z", or "+x-z+y"
    with y up."""

    bodies: tuple[BodyColumns, ...] = ()
    joints: tuple[JointColumns, ...] = ()
    zero_is_missing: bool = True
    """Whether a position of exactly 0, 0, 0 means that the body was not visible."""

    max_gap_s: float = 0.5
    """Longest gap that is filled by interpolation (and marked), s."""

    def problems(self) -> tuple[str, ...]:
        """Return the problems that prevent reading, one message each; empty if there are none."""
        problems = []
        if self.delimiter not in (",", ";", "\t", " "):
            problems.append(
                f"The delimiter {self.delimiter!r} is unknown. Choose comma, semicolon, tab or space."
            )
        if self.delimiter == self.decimal:
            problems.append(
                "A comma cannot be both delimiter and decimal mark. Choose another delimiter."
            )
        if self.time_column is None and not self.rate_hz:
            problems.append(
                "There is no time column and no rate. Choose the time column, or set the rate in Hz."
            )
        elif self.time_unit in ("frame", "timecode") and not self.rate_hz:
            problems.append(
                "The time is counted in frames, but there is no rate. Set the rate in Hz."
            )
        if self.rate_hz is not None and not 1e-6 < self.rate_hz < 1e6:
            problems.append(
                f"The rate must be positive and less than 1 MHz (got {self.rate_hz:g} Hz)."
            )
        if not self.bodies:
            problems.append(
                "No column holds a position. Choose the columns of x and y of at least one body."
            )
        for body in self.bodies:
            if sum(c is not None for c in (body.x, body.y, body.z)) < 2:
                problems.append(f"{body.name}: A position needs two or three columns. Choose them.")
            needed = _ROTATION_COLUMNS.get(body.rotation, 3)
            if len(body.rotation_columns) != needed:
                problems.append(
                    f"{body.name}: A rotation as {body.rotation} needs {needed} columns. Choose them."
                )
        columns = [c for body in self.bodies for c in body.columns] + [
            c for joint in self.joints for c in joint.columns
        ]
        columns += [self.time_column or 0, self.nanoseconds_column or 0]
        if not 0 <= min(columns) <= max(columns) < MEASUREMENT.columns:
            problems.append(
                f"Column numbers must be between 0 and {MEASUREMENT.columns - 1}. Choose others."
            )
        numbers = [b.link for b in self.bodies if b.link is not None] + [
            joint.joint for joint in self.joints
        ]
        if numbers and not -1 <= min(numbers) <= max(numbers) < _MOST_LINKS:
            problems.append(
                f"Link and joint numbers must be between 0 and {_MOST_LINKS - 1}. Choose others."
            )
        if self.header_rows < 0:
            problems.append(f"header_rows must be 0 or more (got {self.header_rows}).")
        if self.row_lines is not None and self.row_lines < 1:
            problems.append(f"row_lines must be 1 or more (got {self.row_lines}).")
        if not 0.0 <= self.max_gap_s < math.inf:
            problems.append(f"The longest gap must be 0 s or more (got {self.max_gap_s:g} s).")
        try:
            axes_matrix(self.axes)
        except ExperimentError as error:
            problems.append(str(error))
        return tuple(problems)


def length_unit(path: Path, text: str) -> LengthUnit:
    """Return the unit of length named in a file.

    Raises `ExperimentError` if it is unknown.
    """
    unit = length_unit_of(text)
    if unit is None:
        known = ", ".join(LENGTH_UNITS)
        raise ExperimentError(
            f'{path}: The unit of length "{text.strip()}" is unknown. Export the file in one of {known}.'
        )
    return unit


def axes_matrix(axes: str) -> NDArray[np.float64]:
    """Return the matrix (3, 3) from the file's axes to the world's.

    Raises `ExperimentError` if `axes` does not have the form "+x-z+y".
    """
    matrix = np.zeros((3, 3))
    letters = axes[1::2]
    if len(axes) != 6 or sorted(letters) != ["x", "y", "z"] or set(axes[::2]) - {"+", "-"}:
        raise ExperimentError(
            f'The axes "{axes}" are invalid. Write each axis once with its sign, like "+x-z+y".'
        )
    for row in range(3):
        matrix[row, "xyz".index(letters[row])] = 1.0 if axes[2 * row] == "+" else -1.0
    return matrix


def layout_to_toml(layout: Layout) -> str:
    """Return a layout as the text of a TOML file."""
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
    """Return the layout in a TOML text.

    Raises `ExperimentError` that names each invalid key.
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
    """Return the layout in a TOML file.

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
            f"{path}: The layout cannot be written ({error.strerror}). Choose another file."
        ) from None
