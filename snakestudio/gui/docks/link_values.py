"""What a link does just now, read from the snapshot that the viewport shows."""

from __future__ import annotations

import math

import numpy as np

from snakestudio.gui.widgets.numbers import format_number
from snakestudio.model.rotations import roll_pitch_yaw
from snakestudio.model.snapshot import GROUND, SUPPORT, Fields, Snapshot

__all__ = ["MAX_LINK_VALUES", "link_values"]

MAX_LINK_VALUES = 19
"""The most rows `link_values` gives."""


def link_values(snapshot: Snapshot, link: int, *, spatial: bool = False) -> list[tuple[str, str, str]]:
    """Name, value and unit of everything known about a link (0-based); `spatial` adds what a flat link has not."""
    rows: list[tuple[str, str, str]] = []

    def add(name: str, value: float, decimals: int, unit: str) -> None:
        rows.append((name, format_number(round(value, decimals) + 0.0, 10.0**-decimals), unit))

    valid = snapshot.valid
    if valid & Fields.POSE:
        for name, place in zip("xyz", snapshot.link_pose[link, :3], strict=True):
            add(name, float(place), 4, "m")
        roll, pitch, yaw = (math.degrees(angle) for angle in roll_pitch_yaw(snapshot.link_pose[link, 3:]))
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
        of_link, ground = c.link == link, c.other == GROUND
        force = c.force_normal + c.force_friction
        add("Obstacle force", float(np.linalg.norm(force[of_link & (c.other >= 0)].sum(axis=0))), 2, "N")
        if snapshot.body is not None:
            add("Support force", float(np.linalg.norm(force[of_link & (c.other == SUPPORT)].sum(axis=0))), 2, "N")
        if spatial:
            add("Ground load", float(np.linalg.norm(c.force_normal[of_link & ground].sum(axis=0))), 2, "N")
        add("Ground friction", float(np.linalg.norm(c.force_friction[of_link & ground].sum(axis=0))), 2, "N")
    axes = ((" yaw", 0), (" pitch", 1)) if spatial else (("", 0),)
    for side, joint in (("before", link - 1), ("behind", link)):
        if not 0 <= joint < len(snapshot.joint_angle):
            continue
        for axis, column in axes:
            if valid & Fields.JOINTS:
                add(f"Joint {side}{axis}", math.degrees(float(snapshot.joint_angle[joint, column])), 2, "°")
            if valid & Fields.TORQUE:
                add(f"Torque {side}{axis}", float(snapshot.joint_torque[joint, column]), 3, "N m")
    return rows
