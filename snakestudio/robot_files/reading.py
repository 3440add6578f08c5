"""Shared parts of the readers of all formats: notes, a cache of meshes, and the geometry of the world."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from snakestudio._arrays import FloatArray
from snakestudio.inputs import InputError
from snakestudio.robot_files.description import BodyDescription, Geometry, Placement, limit_of
from snakestudio.robot_files.files import MissingFileError, resolved
from snakestudio.robot_files.meshes import Mesh, measured, read_triangles
from snakestudio.robot_files.problems import Problems
from snakestudio.text import listing

_MOST_NAMES = 5
"""Number of names that a note lists."""


def names_text(names: Iterable[str]) -> str:
    """Return the names within a sentence; the first few of many."""
    return listing(names, most=_MOST_NAMES)


class Reading:
    """State of reading a robot file.

    Parameters
    ----------
    folder : Path
        Folder of the file.

    Attributes
    ----------
    notes : list of str
        Notes on omissions and approximations, one sentence each.
    problems : Problems
        Problems of the file. A reader continues after each of them where it can.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.problems = Problems()
        self.notes: list[str] = []
        self._triangles: dict[str, FloatArray | None] = {}
        self._meshes: dict[str, Mesh | None] = {}
        self._rounded: list[str] = []
        self._missing: list[str] = []
        self._unlimited: list[str] = []
        self._zero_limits: dict[str, list[str]] = {}

    def record_rounding(self, where: str) -> None:
        """Record that angles of this element were rounded values of pi/2 or pi."""
        self._rounded.append(where)

    def largest(self, joint: str, what: str, value: float | None) -> float | None:
        """Return the largest torque or speed of a joint; None, with a note for 0, if it represents no limit.

        Exporters of CAD programs write 0 where the user gave no value. Simulators would not move such a joint.
        """
        if value == 0.0:
            self._zero_limits.setdefault(what, []).append(joint)
        return limit_of(value)

    def record_missing_limits(self, joint: str) -> None:
        """Record that a joint of a type with limits has none."""
        self._unlimited.append(joint)

    def finished_notes(self) -> tuple[str, ...]:
        """Return all notes; those that concern many elements are combined."""
        notes = list(self.notes)
        if self._rounded:
            names = names_text(list(dict.fromkeys(self._rounded)))
            notes.append(f"Angles rounded to multiples of 90°: {names}.")
        if self._unlimited:
            names = names_text(self._unlimited)
            notes.append(f"Joints without limits in the file have none here: {names}.")
        for what, joints in self._zero_limits.items():
            notes.append(
                f"A largest {what} of 0, with which a joint could not move, was treated as no limit:"
                f" {names_text(joints)}."
            )
        if self._missing:
            names = names_text(list(dict.fromkeys(self._missing)))
            notes.append(
                f"Meshes not found in or near the folder of the robot file: {names}. The sizes of their links"
                " are estimated from other geometry, the distances between joints and the inertia."
            )
        return tuple(notes)

    def triangles(self, file: str, subfolder: str = "") -> FloatArray | None:
        """Return corners (n, 3, 3) of the triangles of a mesh; None, with a note, if it is missing or cannot be read.

        Raises `InputError` if its name leads out of the robot file's folder.
        """
        key = f"{subfolder}/{file}"
        if key not in self._triangles:
            self._triangles[key] = None
            try:
                path = resolved(file, self.folder, subfolder)
            except MissingFileError:
                self._missing.append(file)
                return None
            try:
                self._triangles[key] = read_triangles(path)
            except InputError as error:
                self.notes.append(f"The mesh {file} was not used: {error.message}.")
        return self._triangles[key]

    def mesh(self, file: str, subfolder: str = "") -> Mesh | None:
        """Return a mesh of the robot file; None, with a note, if it is missing or cannot be read.

        Raises `InputError` if its name leads out of the robot file's folder.
        """
        key = f"{subfolder}/{file}"
        if key not in self._meshes:
            triangles = self.triangles(file, subfolder)
            self._meshes[key] = None if triangles is None else measured(triangles)
        return self._meshes[key]

    def mesh_geometry(
        self,
        file: str,
        scale: FloatArray,
        placement: Placement,
        subfolder: str = "",
        *,
        collides: bool = True,
    ) -> tuple[Geometry, Mesh | None]:
        """Return a mesh as geometry of a body, and the mesh itself."""
        mesh = self.mesh(file, subfolder)
        if mesh is None:
            return Geometry("mesh", (), placement, file, collides=collides), None
        mesh = mesh.scaled(scale)
        size = tuple(float(value) for value in mesh.half_sizes)
        return Geometry("mesh", size, placement.then(mesh.box), file, collides=collides), mesh


def bare_branches(
    below: Mapping[str, Sequence[str]], is_empty: Callable[[str], bool]
) -> frozenset[str]:
    """Return the names of bodies that have neither mass nor geometry, and carry only such bodies.

    Parameters
    ----------
    below : mapping
        Names of the bodies that each body carries directly.
    is_empty : callable
        Whether the body with a name has neither.
    """
    above = {child: parent for parent, children in below.items() for child in children}
    full: set[str] = set()
    for name in below:
        current: str | None = None if is_empty(name) else name
        while current is not None and current not in full:
            full.add(current)
            current = above.get(current)
    return frozenset(below) - full


def gravity_on(
    bodies: Sequence[BodyDescription],
    off: Sequence[float],
    gravity: tuple[float, float, float],
    reading: Reading,
) -> tuple[float, float, float]:
    """Gravity on the robot: reduced if it is so on all of its masses, with a note if it is so on some of them.

    Parameters
    ----------
    bodies : sequence of BodyDescription
        All bodies; the robot is the tree with the most joints that turn.
    off : sequence of float
        Part of gravity that does not act on a body, for each body: True or 1 for all of it.
    gravity : tuple of float
        Gravity of the file, m/s^2.
    """
    root = list(range(len(bodies)))
    axes = [0] * len(bodies)
    for index, body in enumerate(bodies):
        if body.parent >= 0:
            root[index] = root[body.parent]
            axes[root[index]] += sum(joint.kind in ("hinge", "ball") for joint in body.joints)
    if not bodies or not any(off):
        return gravity
    robot = axes.index(max(axes))
    heavy = [
        index
        for index, body in enumerate(bodies)
        if root[index] == robot and body.inertial is not None and body.inertial.mass > 0
    ]
    without = [bodies[index].name for index in heavy if off[index]]
    if not without:
        return gravity
    parts = {float(off[index]) for index in heavy}
    if len(parts) > 1:
        reading.notes.append(
            "The file disables or reduces gravity on these links; in the scene it acts on them fully:"
            f" {names_text(without)}."
        )
        return gravity
    left = 1.0 - parts.pop()
    reading.notes.append(
        "Gravity does not act on the robot in the file, so gravity was set to 0."
        if left == 0.0
        else f"Gravity on the robot is {left:.3g} times that of the file, because all its links compensate a part."
    )
    x, y, z = gravity
    return left * x, left * y, left * z


def world_geometry(
    bodies: Sequence[BodyDescription],
) -> tuple[list[BodyDescription], list[Geometry]]:
    """Bodies without those that are fixed to the world and carry no moving body, and the geometry of the latter.

    A body without joints whose parent is the world is fixed; the base of a robot that is fixed to the
    world carries joints and is kept.
    """
    children: list[list[int]] = [[] for _ in bodies]
    for index, body in enumerate(bodies):
        if body.parent >= 0:
            children[body.parent].append(index)
    carries = [bool(body.joints) for body in bodies]
    for index in reversed(range(len(bodies))):
        carries[index] = carries[index] or any(carries[child] for child in children[index])
    static = [False] * len(bodies)
    placements: list[Placement] = []
    for index, body in enumerate(bodies):
        outer = Placement() if body.parent < 0 else placements[body.parent]
        placements.append(outer.then(body.placement))
        static[index] = (
            not body.joints and not carries[index] and (body.parent < 0 or static[body.parent])
        )
    world = [
        _moved(geometry, placements[index])
        for index, body in enumerate(bodies)
        if static[index]
        for geometry in body.geometries
    ]
    numbers = np.cumsum([not each for each in static]) - 1
    remaining = [
        BodyDescription(
            body.name,
            -1 if body.parent < 0 else int(numbers[body.parent]),
            body.placement,
            body.inertial,
            body.geometries,
            body.joints,
        )
        for index, body in enumerate(bodies)
        if not static[index]
    ]
    return remaining, world


def _moved(geometry: Geometry, outer: Placement) -> Geometry:
    axis = geometry.friction_axis
    turned = None if axis is None else outer.rotation @ axis
    return replace(geometry, placement=outer.then(geometry.placement), friction_axis=turned)
