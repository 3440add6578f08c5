"""Current values of a link, from the snapshot that the viewport shows."""

from __future__ import annotations

import math

import numpy as np

from snakestudio.model.robot.robot import Axis
from snakestudio.model.rotations import roll_pitch_yaw
from snakestudio.model.snapshot import GROUND, SUPPORT, Fields, Snapshot
from snakestudio.text import exact_text

MAX_LINK_VALUES = 25
"""Largest number of rows of `link_values` and `section_values`."""

_STRAINS = ("Stretch", "Shear Y", "Shear Z", "Twist", "Curvature Y", "Curvature Z")
_WRENCH = ("Axial force", "Force Y", "Force Z", "Torsion", "Torque Y", "Torque Z")

Row = tuple[str, str, str]


def _row(name: str, value: float, decimals: int, unit: str) -> Row:
    return name, exact_text(round(value, decimals) + 0.0, 10.0**-decimals), unit


def link_values(
    snapshot: Snapshot, link: int, axes: tuple[Axis, ...], *, spatial: bool = False
) -> list[Row]:
    """Return name, value and unit of all known values of a link (0-based) and its joints with these axes.

    `spatial` adds values that a planar link lacks.
    """
    rows: list[Row] = []

    def add(name: str, value: float, decimals: int, unit: str) -> None:
        rows.append(_row(name, value, decimals, unit))

    valid = snapshot.valid
    if valid & Fields.POSE:
        for name, position in zip("xyz", snapshot.link_pose[link, :3], strict=True):
            add(name, float(position), 4, "m")
        roll, pitch, yaw = (
            math.degrees(angle) for angle in roll_pitch_yaw(snapshot.link_pose[link, 3:])
        )
        add("Heading", yaw, 2, "°")
        if spatial:
            add("Pitch", pitch, 2, "°")
            add("Roll", roll, 2, "°")
    if valid & Fields.TWIST:
        velocity = snapshot.link_twist[link]
        add("Speed", float(np.linalg.norm(velocity[:3])), 4, "m/s")
        turn = float(np.linalg.norm(velocity[3:])) if spatial else float(velocity[5])
        add("Turn rate", math.degrees(turn), 2, "°/s")
    if valid & Fields.CONTACTS:
        c = snapshot.contacts
        of_link = c.link == link
        ground = c.other == GROUND
        force = c.force_normal + c.force_friction
        add(
            "Obstacle force",
            float(np.linalg.norm(force[of_link & (c.other >= 0)].sum(axis=0))),
            2,
            "N",
        )
        if snapshot.body is not None:
            add(
                "Support force",
                float(np.linalg.norm(force[of_link & (c.other == SUPPORT)].sum(axis=0))),
                2,
                "N",
            )
        if spatial:
            add(
                "Ground load",
                float(np.linalg.norm(c.force_normal[of_link & ground].sum(axis=0))),
                2,
                "N",
            )
        add(
            "Ground friction",
            float(np.linalg.norm(c.force_friction[of_link & ground].sum(axis=0))),
            2,
            "N",
        )
    for side, joint in (("before", link - 1), ("behind", link)):
        for entry, axis in enumerate(axes):
            if axis.joint != joint:
                continue
            about = f" {axis.kind}" if spatial else ""
            if valid & Fields.JOINTS:
                add(
                    f"Joint {side}{about}", math.degrees(float(snapshot.joint_angle[entry])), 2, "°"
                )
            if valid & Fields.TORQUE:
                add(f"Torque {side}{about}", float(snapshot.joint_torque[entry]), 3, "N m")
    return rows


def section_values(snapshot: Snapshot, section: int) -> list[Row]:
    """Return name, value and unit of all known values of a cross-section (0-based) of a continuous body."""
    body = snapshot.body
    if body is None or not 0 <= section < len(body.abscissa):
        return []
    rows = [_row("X", float(body.abscissa[section]), 4, "m")]
    if snapshot.valid & Fields.POSE:
        position = snapshot.link_pose[section, :3]
        rows += [
            _row(name, float(value), 4, "m") for name, value in zip("xyz", position, strict=True)
        ]
        roll, pitch, yaw = (
            math.degrees(angle) for angle in roll_pitch_yaw(snapshot.link_pose[section, 3:])
        )
        rows += [
            _row("Heading", yaw, 2, "°"),
            _row("Pitch", pitch, 2, "°"),
            _row("Roll", roll, 2, "°"),
        ]
    if snapshot.valid & Fields.TWIST:
        rows.append(
            _row("Speed", float(np.linalg.norm(snapshot.link_twist[section, :3])), 4, "m/s")
        )
    units = ("", "", "", "1/m", "1/m", "1/m")
    strains = zip(_STRAINS, body.strain[section], units, strict=True)
    rows += [_row(name, float(value), 4 if unit else 5, unit) for name, value, unit in strains]
    if snapshot.valid & Fields.TORQUE:
        wrench = zip(_WRENCH, body.wrench[section], ("N",) * 3 + ("N m",) * 3, strict=True)
        rows += [_row(name, float(value), 4, unit) for name, value, unit in wrench]
    return rows
