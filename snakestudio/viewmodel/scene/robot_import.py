"""Content of the dialog for robot imports."""

from __future__ import annotations

import math
from collections.abc import Sequence

from snakestudio.export.tables import Cell, Column, Row, Table, text_cells
from snakestudio.robot_files.to_scene import ImportedRobot
from snakestudio.text import counted, number_text

_NONE = Cell("")


def _number(value: float | None) -> Cell:
    return _NONE if value is None else Cell(number_text(value), (value,))


def _degrees(value: float | None) -> Cell:
    return _NONE if value is None else _number(math.degrees(value))


def link_table(imported: ImportedRobot) -> Table:
    """Return a table with one row per link."""
    rows = []
    for index, link in enumerate(imported.links, start=1):
        cells = (
            Cell(str(index), (index,)),
            *text_cells(link.name),
            _number(link.length),
            _number(link.radius),
            _number(link.half),
            _number(link.mass),
            _number(link.inertia),
            _number(link.axial),
            _number(link.centre),
            *text_cells("passive" if link.wheels else ""),
        )
        rows.append(Row(cells))
    columns = (
        Column("Link", is_text=True),
        Column("In the file", is_text=True),
        Column("Length", "m"),
        Column("Radius", "m"),
        Column("Contact\nhalf-length", "m"),
        Column("Mass", "kg"),
        Column("Inertia", "kg m²"),
        Column("Axial\ninertia", "kg m²"),
        Column("Centre\nof mass", "m"),
        Column("Wheels", is_text=True),
    )
    return Table("Links", columns, tuple(rows))


def joint_table(imported: ImportedRobot) -> Table:
    """Return a table with one row per joint axis."""
    rows = []
    for axis in imported.axes:
        joint = axis.joint + 1
        cells = (
            Cell(str(joint), (joint,)),
            *text_cells(axis.name, axis.kind),
            _degrees(axis.lower),
            _degrees(axis.upper),
            _number(axis.kp),
            _number(axis.kd),
            _number(axis.max_torque),
            _degrees(axis.max_speed),
            _number(axis.spring or None),
            _number(axis.damper or None),
            _degrees(axis.zero or None),
            *text_cells("reversed" if axis.sign < 0 else ""),
        )
        rows.append(Row(cells))
    columns = (
        Column("Joint", is_text=True),
        Column("In the file", is_text=True),
        Column("Axis", is_text=True),
        Column("Lower\nlimit", "°"),
        Column("Upper\nlimit", "°"),
        Column("Stiffness\n", "N m/rad"),
        Column("Damping\n", "N m s/rad"),
        Column("Largest\ntorque", "N m"),
        Column("Largest\nspeed", "°/s"),
        Column("Spring\n", "N m/rad"),
        Column("Damper\n", "N m s/rad"),
        Column("Zero", "°"),
        Column("Direction", is_text=True),
    )
    return Table("Joints", columns, tuple(rows))


def summary(imported: ImportedRobot) -> str:
    """Return a summary of the robot as one line."""
    robot = imported.robot
    kinds: Sequence[str] = [axis.kind for axis in imported.axes]
    counts = ", ".join(
        f"{kinds.count(kind)} {kind}" for kind in ("yaw", "pitch", "roll") if kind in kinds
    )
    obstacles = len(imported.obstacles)
    around = f"; {counted(obstacles, 'obstacle')}" if obstacles else ""
    return f"{robot.n_links} links, {len(kinds)} axes ({counts}), {robot.length:.3g} m, {robot.mass:.3g} kg{around}"
