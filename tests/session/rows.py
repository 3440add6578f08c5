"""Rows in which every number encodes its row and column, for the tests of recordings."""

from __future__ import annotations

from dataclasses import fields

import numpy as np

from snakestudio.model.recording import ContactRows, Recording, Rows, Schema
from snakestudio.model.robot.joint_axes import yaw_axes
from snakestudio.model.robot.robot import Robot
from snakestudio.model.scene import Scene

SCENE = Scene(robot=Robot(n_links=3))
SCHEMA = Schema(3, yaw_axes(2), ("kinetic", "potential", "work_actuator", "work_friction"))


def make_rows(start: int, stop: int) -> Rows:
    """Rows in which every number encodes its row and column; row i has i % 4 contacts."""
    k = stop - start
    index = np.arange(start, stop, dtype=float)

    def column(*shape: int) -> np.ndarray:
        return (
            index.reshape(k, *[1] * len(shape))
            + np.arange(int(np.prod(shape))).reshape(shape) / 1000
        )

    count = (np.arange(start, stop) % 4).astype(np.int32)
    owner = np.repeat(index, count)
    contacts = ContactRows(
        count,
        owner.astype(np.int32),
        (owner % 7).astype(np.int32),
        np.ones(len(owner), np.int32),
        owner[:, None] + np.array([0.1, 0.2, 0.3]),
        owner[:, None] * np.ones(3),
        -owner[:, None] * np.ones(3),
    )
    steps = np.arange(start, stop, dtype=np.int64)
    return Rows(
        time=index / 100,
        link_pose=column(3, 7),
        link_twist=column(3, 6),
        joint_angle=column(2),
        joint_rate=column(2),
        joint_angle_ref=column(2),
        joint_rate_ref=column(2),
        joint_torque=column(2),
        impulse_obstacle=column(3, 3),
        impulse_ground=column(3, 3),
        contacts_closed=count,
        energy=column(4),
        solver_residual=index * 1e-12,
        solver_iterations=3 * steps,
        solver_unconverged=steps // 10,
        steps=40 * steps,
        extra=np.zeros((k, 0)),
        strain=np.zeros((k, 0, 6)),
        wrench=np.zeros((k, 0, 6)),
        hold=np.zeros((k, 0, 14)),
        contacts=contacts,
    )


def assert_equal(rows: Rows, expected: Rows) -> None:
    for field in fields(Rows):
        if field.name != "contacts":
            np.testing.assert_array_equal(
                getattr(rows, field.name), getattr(expected, field.name), field.name
            )
    for field in fields(ContactRows):
        np.testing.assert_array_equal(
            getattr(rows.contacts, field.name), getattr(expected.contacts, field.name)
        )


def whole(recording: Recording) -> Rows:
    """All rows of a recording."""
    return recording.rows(0, len(recording))
