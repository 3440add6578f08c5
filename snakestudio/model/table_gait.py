"""Gait that plays a table of joint angles, and the motion read from its file."""

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
    """Joint angles from a file: a row for each time, a column for each joint axis."""

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
        help="Unit of the angles; auto: from the header or the range of values",
    )
    rate_hz: float | None = value(
        None,
        label="Rate",
        unit="Hz",
        help="Rows per second, instead of a time column; the time column is used if omitted",
        gt=0,
        le=1e5,
        slider=(1, 500),
    )
    loop: bool = value(False, label="Loop", help="Repeat the table; otherwise the last row is held")
    blend_s: float = value(
        0.5,
        label="Return time",
        unit="s",
        help="Time from the last row to the first one in a loop whose ends differ",
        gt=0,
        le=100,
        slider=(0.05, 3),
    )
    speed: float = value(
        1.0,
        label="Speed",
        help="Playback speed (1: as recorded, 0: stopped)",
        ge=0,
        le=100,
        slider=(0, 3),
        live=True,
    )

    def first_angles(self, scene: Any, base_dir: Path | None) -> FloatArray | None:
        """Return the first row of the table."""
        return trajectory(scene, base_dir).first

    def moved_axes(self, scene: Any, base_dir: Path | None) -> BoolArray | None:
        """Return the mask of the axes whose column contains a nonzero angle."""
        moved: BoolArray = (joint_table(scene, base_dir).angle != 0.0).any(axis=0)
        return moved


def joint_table(scene: Scene, base_dir: Path | None = None) -> JointTable:
    """Return the angles of all axes of the scene's body, with the scene's signs and zeros.

    Raises `SceneError` if the file is unusable.
    """
    gait = scene.gait
    assert isinstance(gait, TableFields)
    if not gait.file:
        raise _mistake("file", "no table is chosen", "choose a CSV file of joint angles")
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
    """Return the motion of the scene's table at speed 1.

    Raises `SceneError` if the file is unusable.
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
