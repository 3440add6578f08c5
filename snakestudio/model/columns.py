"""The named columns of a run: the ones that users' scripts rely on (CSV, `run["link_6_x_m"]`).

Sums since the start of the run, as a recording keeps them, become means since the row before. What the source of a run
does not fill (`Schema.valid`) is NaN: a robot on CAN has columns of contact forces, too, but nobody measured them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cache

import numpy as np
from numpy.typing import NDArray

from snakestudio._arrays import FloatArray
from snakestudio.model.recording import HOLD_COLUMNS, Recording, Rows, Schema
from snakestudio.model.robot.strain import COMPONENTS
from snakestudio.model.snapshot import Fields, mass_shares

__all__ = ["column_names", "column_values", "columns_between", "filled_columns", "table"]

Column = Callable[["_Part"], FloatArray]

_PIECE = 4096
"""Rows that are taken at a time where only some columns of them are wanted."""

_WORK_FIRST = ("kinetic", "potential", "work_actuator", "work_friction")


class _Part:
    """Some rows, with the interval before each: `span` is 0 where there is none."""

    def __init__(self, rows: Rows, before: Rows | None) -> None:
        self.rows = rows
        self._before = before if before is not None else rows.slice(0, 1)
        self.span = self.difference(lambda r: r.time)
        self.steps = self.difference(lambda r: r.steps)

    def difference(self, of: Callable[[Rows], NDArray[np.generic]]) -> FloatArray:
        values = np.concatenate([of(self._before), of(self.rows)]).astype(np.float64)
        return np.diff(values)

    def mean(self, of: Callable[[Rows], FloatArray]) -> FloatArray:
        return np.divide(self.difference(of), self.span, out=np.zeros(len(self.span)), where=self.span > 0)


def _unknown(part: _Part) -> FloatArray:
    """Values of a column that the source of a run does not fill."""
    return np.full(len(part.rows), np.nan)


@cache
def _columns(schema: Schema) -> dict[str, Column]:
    n, joints = schema.n_links, schema.n_joints
    shares = mass_shares(n, bool(schema.sections))
    axes = [("yaw", 0), ("pitch", 1)] if schema.has_pitch else [("yaw", 0)]
    columns: dict[str, Column] = {"time_s": lambda p: p.rows.time}

    def add(name: str, needs: Fields, column: Column) -> None:
        columns[name] = column if needs in schema.valid else _unknown

    for i in range(n):
        for k, name in enumerate(("x_m", "y_m", "z_m", "qw", "qx", "qy", "qz")):
            add(f"link_{i + 1}_{name}", Fields.POSE, lambda p, i=i, k=k: p.rows.link_pose[:, i, k])  # type: ignore[misc]
    for i in range(joints):
        joint = f"joint_{i + 1}"
        for attribute, ending, needs in (
            ("joint_angle", "rad", Fields.JOINTS),
            ("joint_angle_ref", "ref_rad", Fields.REFERENCE),
            ("joint_rate", "rate_radps", Fields.JOINTS),
            ("joint_torque", "torque_nm", Fields.TORQUE),
        ):
            for axis, a in axes:
                add(
                    f"{joint}_{axis}_{ending}",
                    needs,
                    lambda p, i=i, a=a, attribute=attribute: getattr(p.rows, attribute)[:, i, a],  # type: ignore[misc]
                )
    for k, axis in enumerate("xyz"):
        add(f"com_{axis}_m", Fields.POSE, lambda p, k=k: p.rows.link_pose[:, :, k] @ shares)  # type: ignore[misc]
    for k, axis in enumerate("xyz"):
        add(f"com_v{axis}_mps", Fields.TWIST, lambda p, k=k: p.rows.link_twist[:, :, k] @ shares)  # type: ignore[misc]
    for other in ("obstacle", "ground"):
        for k, axis in enumerate("xyz"):
            add(
                f"contact_{other}_f{axis}_n",
                Fields.CONTACTS,
                lambda p, k=k, other=other: p.mean(  # type: ignore[misc]
                    lambda r: getattr(r, f"impulse_{other}")[:, :, k].sum(axis=1)
                ),
            )
    for i in range(n):
        for other in ("obstacle", "ground"):
            for k, axis in enumerate("xyz"):
                add(
                    f"link_{i + 1}_{other}_f{axis}_n",
                    Fields.CONTACTS,
                    lambda p, i=i, k=k, other=other: p.mean(lambda r: getattr(r, f"impulse_{other}")[:, i, k]),  # type: ignore[misc]
                )
    add("contacts_closed", Fields.CONTACTS, lambda p: p.rows.contacts_closed.astype(np.float64))

    def energy(name: str) -> None:
        index = schema.energy.index(name)
        column = f"{name}_j" if name.startswith("work") else f"energy_{name}_j"
        add(column, Fields.ENERGY, lambda p: p.rows.energy[:, index])

    for name in _WORK_FIRST:
        if name in schema.energy:
            energy(name)
    add("solver_residual", Fields.SOLVER, lambda p: p.rows.solver_residual)
    add(
        "solver_iterations",
        Fields.SOLVER,
        lambda p: np.divide(
            p.difference(lambda r: r.solver_iterations), p.steps, out=np.zeros(len(p.steps)), where=p.steps > 0
        ),
    )
    add("solver_unconverged", Fields.SOLVER, lambda p: p.difference(lambda r: r.solver_unconverged))
    # What the models add stands behind what is fixed.
    for i in range(n):
        for k, name in enumerate(("vx_mps", "vy_mps", "vz_mps", "wx_radps", "wy_radps", "wz_radps")):
            add(f"link_{i + 1}_{name}", Fields.TWIST, lambda p, i=i, k=k: p.rows.link_twist[:, i, k])  # type: ignore[misc]
    for name in schema.energy:
        if name not in _WORK_FIRST:
            energy(name)
    for k, axis in enumerate("xyz"):  # an impact has no acceleration; the mean since the row before there is always
        add(f"head_a{axis}_mps2", Fields.TWIST, lambda p, k=k: p.mean(lambda r: r.link_twist[:, schema.head, k]))  # type: ignore[misc]
    for i in range(len(schema.sections)):
        for k, name in enumerate(COMPONENTS):
            add(f"section_{i + 1}_{name}", Fields.NONE, lambda p, i=i, k=k: p.rows.strain[:, i, k])  # type: ignore[misc]
        for k, name in enumerate(("nx_n", "ny_n", "nz_n", "cx_nm", "cy_nm", "cz_nm")):
            add(f"section_{i + 1}_lambda_{name}", Fields.TORQUE, lambda p, i=i, k=k: p.rows.wrench[:, i, k])  # type: ignore[misc]
    for i in range(schema.n_holds):
        for k, name in enumerate(HOLD_COLUMNS):
            add(f"contact_{i + 1}_{name}", Fields.CONTACTS, lambda p, i=i, k=k: p.rows.hold[:, i, k])  # type: ignore[misc]
    for k, name in enumerate(schema.extra):
        add(name, Fields.NONE, lambda p, k=k: p.rows.extra[:, k])  # type: ignore[misc]
    return columns


def column_names(schema: Schema) -> tuple[str, ...]:
    """Names of all columns, in the order of a CSV."""
    return tuple(_columns(schema))


def filled_columns(schema: Schema) -> tuple[str, ...]:
    """Names of the columns that the source of a run fills, in the order of a CSV."""
    return tuple(name for name, column in _columns(schema).items() if column is not _unknown)


def table(recording: Recording, names: tuple[str, ...] | None = None) -> Iterator[FloatArray]:
    """The columns of a recording, some rows at a time.

    Parameters
    ----------
    recording : Recording
    names : tuple of str, optional
        Columns; all of them if left out.

    Yields
    ------
    (rows, columns) array

    Raises
    ------
    KeyError
        If there is no such column.
    """
    chosen = names if names is not None else column_names(recording.schema)
    before: Rows | None = None
    for rows in recording.chunks():
        yield column_values(recording.schema, rows, before, chosen)
        before = rows.slice(len(rows) - 1, len(rows))


def column_values(schema: Schema, rows: Rows, before: Rows | None, names: Sequence[str]) -> FloatArray:
    """Some columns of some rows.

    Parameters
    ----------
    schema : Schema
    rows : Rows
    before : Rows or None
        The row before them, if there is one: means are taken since then.
    names : sequence of str

    Returns
    -------
    (rows, columns) array

    Raises
    ------
    KeyError
        If there is no such column.
    """
    columns, part = _columns(schema), _Part(rows, before)
    return np.stack([columns[name](part) for name in names], axis=1)


def columns_between(recording: Recording, names: tuple[str, ...], start: int, stop: int) -> FloatArray:
    """Some columns of the rows `start` to `stop`; the rows themselves are read piece by piece.

    Parameters
    ----------
    recording : Recording
    names : tuple of str
    start, stop : int
        Rows that the recording has.

    Returns
    -------
    (stop - start, columns) array

    Raises
    ------
    KeyError
        If there is no such column.
    """
    values = np.empty((stop - start, len(names)))
    before: Rows | None = recording.rows(start - 1, start) if 0 < start < stop else None
    first = start
    while first < stop:
        last = min((first // _PIECE + 1) * _PIECE, stop)  # whole chunks of the recording, none of them twice
        rows = recording.rows(first, last)
        values[first - start : last - start] = column_values(recording.schema, rows, before, names)
        before, first = rows.slice(len(rows) - 1, len(rows)), last
    return values
