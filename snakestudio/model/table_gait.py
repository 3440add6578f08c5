"""The gait that is a table of joint angles, and what its file makes of it."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import Any, Literal

import numpy as np

from snakestudio._arrays import BoolArray, FloatArray
from snakestudio.errors import Problem, SceneError
from snakestudio.inputs import local_path
from snakestudio.model.fields import value
from snakestudio.model.motion import GaitFields
from snakestudio.model.scene import Scene
from snakestudio.model.tables.joint_angles import JointTable, TableError, read_joint_table
from snakestudio.model.tables.trajectory import Trajectory


class TableFields(GaitFields):
    """Joint angles from a file: a row for every time, a column for every joint axis."""

    files = ("file",)

    kind: Literal["table"] = value("table", label="Gait", help="Kind of gait")
    file: str = value(
        "",
        label="File",
        help="CSV file with times and joint angles, relative to the scene file",
        max_length=1000,
    )
    unit: Literal["auto", "deg", "rad"] = value(
        "auto",
        label="Unit",
        help="Unit of the angles; auto: as the header says, or as their range makes plain",
    )
    rate_hz: float | None = value(
        None,
        label="Rate",
        unit="Hz",
        help="Rows a second, in place of a column of times; that column if left out",
        gt=0,
        le=1e5,
        slider=(1, 500),
    )
    loop: bool = value(
        False, label="Loop", help="Play the table again and again; else the last row is held"
    )
    blend_s: float = value(
        0.5,
        label="Return time",
        unit="s",
        help="Time from the last row to the first one in a loop whose ends do not meet",
        gt=0,
        le=100,
        slider=(0.05, 3),
    )
    speed: float = value(
        1.0,
        label="Speed",
        help="Speed at which the table is played (1: as recorded, 0: stopped)",
        ge=0,
        le=100,
        slider=(0, 3),
        live=True,
    )

    def first_angles(self, scene: Any, base_dir: Path | None) -> FloatArray | None:
        """The first row of the table."""
        return trajectory(scene, base_dir).first

    def moved_axes(self, scene: Any, base_dir: Path | None) -> BoolArray | None:
        """Axes whose column has another angle than 0."""
        moved: BoolArray = (joint_table(scene, base_dir).angle != 0.0).any(axis=0)
        return moved


def joint_table(scene: Scene, base_dir: Path | None = None) -> JointTable:
    """The angles of all axes of the scene's body, as the scene counts them.

    Raises `SceneError` if the file cannot be used.
    """
    gait = scene.gait
    assert isinstance(gait, TableFields)
    if not gait.file:
        raise _mistake("file", "no table is chosen", "give a CSV file of joint angles")
    axes = scene.body.axes
    ignored = [axis for axis in scene.robot.axes if axis not in axes]
    try:
        table = read_joint_table(
            local_path(gait.file, base_dir), axes, gait.unit, gait.rate_hz, ignored
        )
    except TableError as error:
        raise _mistake(error.key, error.message, error.remedy) from None
    if table.own:
        return table
    values = scene.axis_values
    return table._replace(angle=values.sign * table.angle + values.zero)


def _mistake(name: str, message: str, remedy: str) -> SceneError:
    problem = Problem("error", f"gait.{name}", message, remedy)
    return SceneError.of([problem])


def trajectory(scene: Scene, base_dir: Path | None = None) -> Trajectory:
    """The motion that the scene's table makes at speed 1.

    Raises `SceneError` if the file cannot be used.
    """
    gait = scene.gait
    assert isinstance(gait, TableFields)
    table = joint_table(scene, base_dir)
    key = (
        table.time.tobytes(),
        table.angle.tobytes(),
        table.angle.shape[1],
        gait.loop,
        gait.blend_s,
    )
    return _trajectory(*key)


@lru_cache(maxsize=4)
def _trajectory(time: bytes, angle: bytes, axes: int, loop: bool, blend: float) -> Trajectory:
    return Trajectory(
        np.frombuffer(time), np.frombuffer(angle).reshape(-1, axes), loop=loop, blend=blend
    )
