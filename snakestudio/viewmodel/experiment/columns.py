"""Column mapping of a measured table, as edited in the import dialog, and conversion to a layout."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from snakestudio.analysis.experiment.layout import BodyColumns, JointColumns, Layout, RotationKind

POSITION_PARTS = ("x", "y", "z")
ROTATION_PARTS = {
    "quaternion": ("qw", "qx", "qy", "qz"),
    "euler": ("roll", "pitch", "yaw"),
    "vertical": ("yaw",),
    "matrix": tuple(f"r{row}{column}" for row in "123" for column in "123"),
    "vector": ("rx", "ry", "rz"),
}
"""Parts of a rotation by kind of rotation, in order; all kinds that begin with "euler" have the same
parts."""

JOINT_PARTS = ("yaw", "pitch")


@dataclass(frozen=True, slots=True)
class Meaning:
    """Meaning of a column."""

    kind: str = ""
    """"", "time", "body" or "joint"."""

    index: int = 0
    """0-based index of the body or joint."""

    part: str = ""
    """One of `POSITION_PARTS` or `ROTATION_PARTS` for a body, or of `JOINT_PARTS` for a joint."""


UNUSED = Meaning()
TIME = Meaning("time")


@dataclass(frozen=True, slots=True)
class MeasuredBody:
    """Tracked body: its name, and the link that carries it, as in `BodyColumns.link`."""

    name: str
    link: int | None = None


def meanings_of(layout: Layout, n_columns: int) -> tuple[list[Meaning], list[MeasuredBody]]:
    """Return the meanings of `n_columns` columns in a layout, and the bodies that it names."""
    meanings: dict[int, Meaning] = {}
    if layout.time_column is not None:
        meanings[layout.time_column] = TIME
    for index, body in enumerate(layout.bodies):
        for part in POSITION_PARTS:
            column = getattr(body, part)
            if column is not None:
                meanings[column] = Meaning("body", index, part)
        parts = _parts(body.rotation)
        for column, part in zip(body.rotation_columns, parts, strict=False):
            meanings[column] = Meaning("body", index, part)
    for joint in layout.joints:
        for part in JOINT_PARTS:
            column = getattr(joint, part)
            if column is not None:
                meanings[column] = Meaning("joint", joint.joint, part)
    return (
        [meanings.get(column, UNUSED) for column in range(n_columns)],
        [MeasuredBody(body.name, body.link) for body in layout.bodies],
    )


def layout_of(base: Layout, meanings: Sequence[Meaning], bodies: Sequence[MeasuredBody]) -> Layout:
    """Return a layout with these columns and bodies, otherwise like `base`; bodies without columns are omitted."""
    where = {meaning: column for column, meaning in enumerate(meanings) if meaning.kind}
    columns_of_bodies = []
    for index, body in enumerate(bodies):
        columns = {
            meaning.part: column
            for meaning, column in where.items()
            if meaning.kind == "body" and meaning.index == index
        }
        if not columns:
            continue
        before = base.bodies[index].rotation if index < len(base.bodies) else "none"
        rotation = _rotation(columns, before)
        turned = tuple(columns[part] for part in _parts(rotation) if part in columns)
        x, y, z = (columns.get(part) for part in POSITION_PARTS)
        columns_of_bodies.append(BodyColumns(body.name, x, y, z, rotation, turned, body.link))
    joints = sorted({meaning.index for meaning in where if meaning.kind == "joint"})
    return replace(
        base,
        time_column=where.get(TIME),
        bodies=tuple(columns_of_bodies),
        joints=tuple(
            JointColumns(joint, *(where.get(Meaning("joint", joint, part)) for part in JOINT_PARTS))
            for joint in joints
        ),
    )


def _parts(rotation: RotationKind) -> tuple[str, ...]:
    return (
        ROTATION_PARTS["euler" if rotation.startswith("euler") else rotation]
        if rotation != "none"
        else ()
    )


def _rotation(columns: dict[str, int], before: RotationKind) -> RotationKind:
    """Return the kind of a body's rotation from the parts that have columns; an order of rotations is preserved."""
    for kind in ("quaternion", "matrix", "vector"):
        if columns.keys() & set(ROTATION_PARTS[kind]):
            return kind
    if columns.keys() & {"roll", "pitch"}:
        return before if before.startswith("euler") else "euler"
    return "vertical" if "yaw" in columns else "none"
