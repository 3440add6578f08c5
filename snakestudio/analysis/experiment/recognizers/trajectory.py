"""Trajectories without a row of names: TUM (time, position, quaternion) and KITTI (poses as matrices).

Tables with column names, such as EuRoC and ROS files, are read by the recognizer of tables.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from snakestudio._arrays import FloatArray
from snakestudio.analysis.experiment.layout import BodyColumns, Layout
from snakestudio.analysis.experiment.recognizers.reading import (
    Reading,
    data_rows,
    is_unit_quaternion,
    upright_axes,
    values_of,
)
from snakestudio.analysis.experiment.rotation_kinds import rotation_matrices
from snakestudio.model.tables.cells import delimiter_and_decimal, is_number
from snakestudio.model.tables.clock import stamp_unit

_TUM = 8
_KITTI = 12
_UPRIGHT = 0.9
_UPSIDE_DOWN = -0.5
"""Mean cosine between the vertical and the z axis of the body below which it is upside down."""


def recognize_trajectory(lines: list[str]) -> Reading | None:
    """Recognize a trajectory without names; None if it is not one."""
    first = next(
        (i for i, line in enumerate(lines) if line.strip() and not line.lstrip().startswith("#")),
        None,
    )
    if first is None:
        return None
    delimiter, decimal = delimiter_and_decimal(lines[first : first + 100])
    rows = data_rows(lines, first, delimiter)
    if len(rows[-1]) < len(rows[0]):
        rows = rows[:-1]  # the last line is incomplete
    if (
        len(rows) < 3
        or {len(row) for row in rows} - {_TUM, _KITTI}
        or len({len(row) for row in rows}) != 1
    ):
        return None
    if not all(is_number(cell, decimal) for cell in rows[0]) or _has_names(
        lines[:first], delimiter, len(rows[0])
    ):
        return None
    values = values_of(rows, len(rows[0]), decimal)
    layout = Layout(
        delimiter=delimiter,
        decimal="," if decimal == "," else ".",
        header_rows=first,
        zero_is_missing=False,
    )
    return _tum(values, layout) if len(rows[0]) == _TUM else _kitti(values, layout)


def _has_names(header: list[str], delimiter: str, width: int) -> bool:
    """Return whether the last comment contains column names."""
    from snakestudio.model.tables.cells import cells

    comment = next((line for line in reversed(header) if line.strip()), "").lstrip("# ")
    return len(cells(comment, delimiter)) == width


def _tum(values: FloatArray, layout: Layout) -> Reading | None:
    time = values[:, 0]
    quaternion = values[:, 4:]
    if not np.all(np.diff(time) > 0.0) or not is_unit_quaternion(quaternion):
        return None
    remarks = []
    last = _up(quaternion[:, [3, 0, 1, 2]])
    first = _up(quaternion)
    w_first = last < _UPSIDE_DOWN and first > _UPRIGHT
    columns = (4, 5, 6, 7) if w_first else (7, 4, 5, 6)
    order = "qw qx qy qz" if w_first else "qx qy qz qw"
    remarks.append(
        f"The columns have no names; they are read as time, x, y, z and {order}"
        + (
            ", because the body would be upside down with qw last."
            if w_first
            else ", the order of the TUM format."
        )
    )
    unit = stamp_unit(float(time[0]))
    if unit is None:
        unit = "s"
        remarks.append("The unit of time is not stated; the times are read as seconds.")
    bodies = (BodyColumns("Body", 1, 2, 3, "quaternion", columns),)
    axes, doubts = upright_axes(bodies, values, "z")
    layout = replace(layout, time_column=0, time_unit=unit, bodies=bodies, axes=axes)
    step = float(np.median(np.diff(time)))
    questions: tuple[str, ...] = ()
    if unit == "s" and step >= 1.0:
        questions = (
            f"The unit of time is not stated, and the times are {step:g} apart. Give the unit in a layout.",
        )
    return Reading(
        "Trajectory, TUM",
        layout,
        ("trajectory",),
        remarks=(*remarks, *doubts),
        questions=questions,
        unit_stated=True,
    )


def _up(quaternion: FloatArray) -> float:
    """Return the mean cosine between the vertical and the z axis of the body, for quaternions w x y z."""
    known = quaternion[np.isfinite(quaternion).all(axis=1) & (np.abs(quaternion).sum(axis=1) > 0.0)]
    return float(rotation_matrices("quaternion", known)[:, 2, 2].mean())


def _kitti(values: FloatArray, layout: Layout) -> Reading | None:
    matrix = values.reshape(len(values), 3, 4)[:, :, :3]
    if (
        not np.isfinite(matrix).all()
        or np.abs(matrix @ matrix.transpose(0, 2, 1) - np.eye(3)).max() > 0.02
    ):
        return None
    bodies = (BodyColumns("Body", 3, 7, 11, "matrix", (0, 1, 2, 4, 5, 6, 8, 9, 10)),)
    axes, doubts = upright_axes(bodies, values, "z")
    layout = replace(layout, time_column=None, bodies=bodies, axes=axes)
    question = "A KITTI trajectory has poses without times. Give the rate in a layout."
    return Reading(
        "Trajectory, KITTI", layout, ("trajectory",), remarks=doubts, questions=(question,)
    )
