"""What a link does just now, read from the snapshot that the viewport shows."""

from __future__ import annotations

import math

import numpy as np

from snakestudio.gui.widgets.numbers import format_number
from snakestudio.model.snapshot import Fields, Snapshot

__all__ = ["link_values"]


def link_values(snapshot: Snapshot, link: int) -> list[tuple[str, str, str]]:
    """Name, value and unit of everything known about a link (0-based)."""
    rows: list[tuple[str, str, str]] = []

    def add(name: str, value: float, decimals: int, unit: str) -> None:
        rows.append((name, format_number(round(value, decimals) + 0.0, 10.0**-decimals), unit))

    valid = snapshot.valid
    if valid & Fields.POSE:
        x, y, z, qw, qx, qy, qz = (float(v) for v in snapshot.link_pose[link])
        add("x", x, 4, "m")
        add("y", y, 4, "m")
        add("z", z, 4, "m")
        add("Heading", math.degrees(math.atan2(2 * (qx * qy + qw * qz), 1 - 2 * (qy * qy + qz * qz))), 2, "°")
    if valid & Fields.TWIST:
        velocity = snapshot.link_twist[link]
        add("Speed", float(np.linalg.norm(velocity[:3])), 4, "m/s")
        add("Turn rate", math.degrees(float(velocity[5])), 2, "°/s")
    if valid & Fields.CONTACTS:
        c = snapshot.contacts
        of_link = c.link == link
        force = c.force_normal + c.force_friction
        add("Obstacle force", float(np.linalg.norm(force[of_link & (c.other >= 0)].sum(axis=0))), 2, "N")
        add("Ground friction", float(np.linalg.norm(c.force_friction[of_link & (c.other < 0)].sum(axis=0))), 2, "N")
    for side, joint in (("before", link - 1), ("behind", link)):
        if not 0 <= joint < len(snapshot.joint_angle):
            continue
        if valid & Fields.JOINTS:
            add(f"Joint {side}", math.degrees(float(snapshot.joint_angle[joint, 0])), 2, "°")
        if valid & Fields.TORQUE:
            add(f"Torque {side}", float(snapshot.joint_torque[joint, 0]), 3, "N m")
    return rows
