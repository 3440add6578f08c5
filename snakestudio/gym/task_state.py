"""State that tasks read, in the same arrays for one simulation and for all worlds of a batch."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from snakestudio._arrays import FloatArray
from snakestudio.api.batch import Batch
from snakestudio.api.simulation import Simulation
from snakestudio.model.field_docs import with_field_docs
from snakestudio.model.snapshot import Contacts


@with_field_docs
@dataclass(frozen=True, slots=True)
class TaskState:
    """States of n worlds with l links and m joint axes; arrays are only valid until the next step."""

    time: FloatArray
    """Simulated time, (n,), s."""

    link_pose: FloatArray
    """Position of the centre of gravity (m) and unit quaternion w x y z of each link, world frame,
    (n, l, 7). The x axis of a link points to the next link."""

    link_twist: FloatArray
    """Velocity of the centre of gravity (m/s) and angular velocity (rad/s) of each link, world frame,
    (n, l, 6)."""

    joint_angle: FloatArray
    """Joint angles, (n, m), rad."""

    joint_rate: FloatArray
    """Joint rates, (n, m), rad/s."""

    joint_torque: FloatArray
    """Motor torques in the last time step, (n, m), N m; positive torque increases the angle."""

    obstacle_force: FloatArray
    """Mean force of the obstacles on each link over the last control period, world frame, (n, l, 3), N;
    0 at the start of an episode."""


def simulation_state(simulation: Simulation, begins: bool = False) -> TaskState:
    """Return the state of one simulation; forces are 0 at the start of an episode."""
    state = simulation.state
    contacts = Contacts.none() if begins else state.contacts
    force = contacts.force_of_obstacles(len(state.link_pose))[None]
    return TaskState(
        np.array([simulation.time]),
        state.link_pose[None],
        state.link_twist[None],
        state.joint_angle[None],
        state.joint_rate[None],
        state.joint_torque[None],
        force,
    )


def batch_state(batch: Batch, impulse_before: FloatArray, period: float) -> TaskState:
    """Return the states of a batch.

    Parameters
    ----------
    impulse_before : (n, l, 3) array
        `batch.state.impulse_obstacle` at the start of the control period, N s.
    period : float
        Control period, s.
    """
    state = batch.state
    return TaskState(
        state.time,
        state.link_pose,
        state.link_twist,
        state.joint_angle,
        state.joint_rate,
        state.joint_torque,
        (state.impulse_obstacle - impulse_before) / period,
    )
