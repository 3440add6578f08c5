"""State for tasks, in the same arrays for one simulation and for all worlds of a batch."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from snakestudio._arrays import FloatArray
from snakestudio.api.batch import Batch
from snakestudio.api.simulation import Simulation
from snakestudio.model.snapshot import Contacts


class View(NamedTuple):
    """States of n worlds with l links and m joint axes; arrays are only valid until the next step."""

    link_pose: FloatArray
    """Position (m) and unit quaternion w x y z of each link, (n, l, 7)."""

    joint_angle: FloatArray
    """Joint angles, (n, m), rad."""

    joint_rate: FloatArray
    """Joint rates, (n, m), rad/s."""

    joint_torque: FloatArray
    """Motor torques, (n, m), N m."""

    obstacle_force: FloatArray
    """Mean force of the obstacles on each link over the last control period, world frame, (n, l, 3), N;
    0 at the start of an episode."""


def simulation_view(simulation: Simulation, begins: bool = False) -> View:
    """Return the view of one simulation; forces are 0 at the start of an episode."""
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
    """Return the view of a batch.

    Parameters
    ----------
    impulse_before : (n, l, 3) array
        `batch.state.impulse_obstacle` at the start of the control period, N s.
    period : float
        Control period, s.
    """
    state = batch.state
    force = (state.impulse_obstacle - impulse_before) / period
    return View(state.link_pose, state.joint_angle, state.joint_rate, state.joint_torque, force)


def headings(link_pose: FloatArray) -> FloatArray:
    """Return the direction of the axis of each link, (n, l), rad."""
    w, x, y, z = (link_pose[..., k] for k in range(3, 7))
    heading: FloatArray = np.arctan2(2.0 * (x * y + w * z), 1.0 - 2.0 * (y * y + z * z))
    return heading
