"""What the dialog before a robot is imported shows, and the time step that the scene with the robot needs."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from snakestudio.model.edits import with_values
from snakestudio.model.scene import Scene
from snakestudio.robot_files.to_scene import ImportedRobot
from snakestudio.session.scene_check import check
from snakestudio.text import counted, number_text

__all__ = ["ImportTable", "joint_table", "link_table", "summary", "with_stable_step"]


@dataclass(frozen=True, slots=True)
class ImportTable:
    """Texts of a table."""

    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


def _number(value: float | None) -> str:
    return "" if value is None else number_text(value)


def _degrees(value: float | None) -> str:
    return "" if value is None else number_text(math.degrees(value))


def link_table(imported: ImportedRobot) -> ImportTable:
    """A row for each link."""
    rows = [
        (
            str(number),
            link.name,
            _number(link.length),
            _number(link.radius),
            _number(link.half),
            _number(link.mass),
            _number(link.inertia),
            _number(link.axial),
            _number(link.centre),
            "passive" if link.wheels else "",
        )
        for number, link in enumerate(imported.links, start=1)
    ]
    columns = (
        "Link",
        "In the file",
        "Length (m)",
        "Radius (m)",
        "Contact half-length (m)",
        "Mass (kg)",
        "Inertia (kg m²)",
        "Axial inertia (kg m²)",
        "Centre of mass (m)",
        "Wheels",
    )
    return ImportTable(columns, tuple(rows))


def joint_table(imported: ImportedRobot) -> ImportTable:
    """A row for each axis."""
    rows = [
        (
            str(axis.joint + 1),
            axis.name,
            axis.kind,
            _degrees(axis.lower),
            _degrees(axis.upper),
            _number(axis.kp),
            _number(axis.kd),
            _number(axis.max_torque),
            _degrees(axis.max_speed),
            _number(axis.spring or None),
            _number(axis.damper or None),
            _degrees(axis.zero or None),
            "reversed" if axis.sign < 0 else "",
        )
        for axis in imported.axes
    ]
    columns = (
        "Joint",
        "In the file",
        "Axis",
        "Lower limit (°)",
        "Upper limit (°)",
        "Stiffness (N m/rad)",
        "Damping (N m s/rad)",
        "Largest torque (N m)",
        "Largest speed (°/s)",
        "Spring (N m/rad)",
        "Damper (N m s/rad)",
        "Zero (°)",
        "Direction",
    )
    return ImportTable(columns, tuple(rows))


def summary(imported: ImportedRobot) -> str:
    """The robot in a sentence."""
    robot = imported.robot
    kinds: Sequence[str] = [axis.kind for axis in imported.axes]
    counts = ", ".join(f"{kinds.count(kind)} {kind}" for kind in ("yaw", "pitch", "roll") if kind in kinds)
    obstacles = len(imported.obstacles)
    around = f"; {counted(obstacles, 'obstacle')}" if obstacles else ""
    return f"{robot.n_links} links, {len(kinds)} axes ({counts}), {robot.length:.3g} m, {robot.mass:.3g} kg{around}"


def with_stable_step(scene: Scene, folder: Path | None) -> tuple[Scene, tuple[str, ...]]:
    """A scene with a time step that its gains allow in every pose of its gait, and a sentence if that is another one.

    Parameters
    ----------
    scene : Scene
    folder : Path or None
        That file names in the scene are relative to.
    """
    for problem in check(scene, folder):
        if problem.key == "solver.step_s" and problem.fixes:
            changed = with_values(scene, dict(problem.fixes[0].values))
            return changed, (f"{problem.fixes[0].label}, because the gains need it.",)
    return scene, ()
