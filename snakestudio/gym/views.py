"""The state that tasks see: that of one simulation or of all worlds of a batch, in the same arrays."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from snakestudio._arrays import FloatArray
from snakestudio.api.batch import Batch
from snakestudio.api.simulation import Simulation
from snakestudio.model.snapshot import Contacts


class View(NamedTuple):
    """States of n worlds with l links and m joint axes; arrays are read and never kept."""

    link_pose: FloatArray
    """(n, l, 7): m, unit quaternion w x y z."""

    joint_angle: FloatArray
    """(n, m), rad."""

    joint_rate: FloatArray
    """(n, m), rad/s."""

    joint_torque: FloatArray
    """(n, m), N m."""

    obstacle_force: FloatArray
    """(n, l, 3): mean force of the obstacles on every link over the last control period, world
    frame, N; 0 where an episode begins."""


def simulation_view(simulation: Simulation, begins: bool = False) -> View:
    """The view of a simulation, one world; forces are 0 where an episode begins."""
    state = simulation.state
    force = np.zeros((1, len(state.link_pose), 3))
    contacts = Contacts.none() if begins else state.contacts
    at_obstacle = contacts.other >= 0
    if at_obstacle.any():
        loads = contacts.force_normal[at_obstacle] + contacts.force_friction[at_obstacle]
        np.add.at(force[0], contacts.link[at_obstacle], loads)
    return View(
        state.link_pose[None],
        state.joint_angle[None],
        state.joint_rate[None],
        state.joint_torque[None],
        force,
    )


def batch_view(batch: Batch, impulse_before: FloatArray, period: float) -> View:
    """The view of a batch.

    Parameters
    ----------
    impulse_before : (n, l, 3) array
        `batch.state.impulse_obstacle` as it was when the control period began, N s.
    period : float
        s.
    """
    state = batch.state
    force = (state.impulse_obstacle - impulse_before) / period
    return View(state.link_pose, state.joint_angle, state.joint_rate, state.joint_torque, force)


def headings(link_pose: FloatArray) -> FloatArray:
    """Direction in which the axis of every link points, (n, l), rad."""
    w, x, y, z = (link_pose[..., k] for k in range(3, 7))
    heading: FloatArray = np.arctan2(2.0 * (x * y + w * z), 1.0 - 2.0 * (y * y + z * z))
    return heading
