"""Variables of a run: the state, which checkpoints save, and the workspace, which they do not save."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from snakestudio._arrays import FloatArray, IntArray
from snakestudio.kernels.planar_problem import TURN

# Entries of State.counts.
STEP, CALL_STEPS = range(2)
# Entries of State.sums (works, J, and the mean weight of a link on the ground, N s) and of
# Work.power.
ACTUATOR, VISCOUS, COULOMB, GRAVITY, EXTERNAL, LOAD = range(6)
STOP = 5
# Additional entry in widened states; see `State`.
PASSIVE_WORK = 6
LIFTED = 7
# Columns of a row's energies behind the first two.
BY_ACTUATORS, BY_FRICTION, BY_GRAVITY, BY_OTHERS, BY_VISCOUS, BY_COULOMB, BY_STOPS = range(2, 9)
# Entry of the last line of State.before.
PRESSED = 0


class State(NamedTuple):
    """State of a run of n links."""

    x: FloatArray
    """theta_1 ... theta_n, p_x, p_y, rad and m; p is the centre of mass."""

    v: FloatArray
    """Time derivative of `x`."""

    wrench: FloatArray
    """External f_x, f_y, t_z on each link, N and N m."""

    torque: FloatArray
    """Torques of the joint controllers, mean over the last step; positive torques increase
    theta_{i+1} - theta_i, N m."""

    counts: IntArray
    """Counters; entries are named at the top of this module."""

    sums: FloatArray
    """Cumulative sums; entries are named at the top of this module. For robots with passive joints
    or varying loads, it ends with the work of springs, dampers and stops, J, and the difference
    between the impulses of load and weight of each link, N s: now, at the last row, and at the
    beginning of the call."""

    impulse: FloatArray
    """Cumulative impulse of the ground on each link along x and y, world frame, N s."""

    before: FloatArray
    """Values of `impulse` at the last row [0] and at the beginning of the call [1]; the last line
    begins with the load."""


class Work(NamedTuple):
    """Workspace of a step.

    Attributes
    ----------
    x, v, acceleration : (n + 2,)
        State of a stage of the Runge-Kutta scheme, and its accelerations.
    theta, cos, sin : (n,)
        Directions of the links.
    part, place : (n, 2)
        Input and output of `spread_from_centre`: for velocities, or for positions in a row.
    friction, force : (n, 2)
        Friction on each link, and the sum of external forces on it, world frame, N.
    matrix, bias, load : (n, n), (n,), (n,)
        Mass matrix of the angles, C x', and generalized forces on the angles without those of the
        joints.
    reference : (n - 1, 2)
        Reference angle and rate of the joints.
    command : (n - 1, 1)
        Commanded accelerations of the joints, or torque commands, rad/s^2 or N m.
    torque : (n - 1,)
        Torques of the joint controllers.
    limit, coulomb : (n, 3)
        Largest Coulomb friction of each link, columns as in `kernels.smooth_friction`; the same
        where both directions are independent, else 0, N.
    lift : (n,)
        Difference between load and weight of each link, N.
    power : (6,)
        Powers, W; the entries are named at the top of this module.
    gain_x, gain_v, gain_sums, gain_impulse, gain_torque, gain_lift : (n + 2,), (n + 2,), (6,), (n,
    2), (n - 1,), (n,)
        Increments of the state in the step; for the torque, its impulse, N m s.
    """

    x: FloatArray
    v: FloatArray
    acceleration: FloatArray
    theta: FloatArray
    cos: FloatArray
    sin: FloatArray
    part: FloatArray
    place: FloatArray
    friction: FloatArray
    force: FloatArray
    matrix: FloatArray
    bias: FloatArray
    load: FloatArray
    reference: FloatArray
    command: FloatArray
    torque: FloatArray
    limit: FloatArray
    coulomb: FloatArray
    lift: FloatArray
    power: FloatArray
    gain_x: FloatArray
    gain_v: FloatArray
    gain_sums: FloatArray
    gain_impulse: FloatArray
    gain_torque: FloatArray
    gain_lift: FloatArray


def make_state(q: FloatArray, u: FloatArray, weight: FloatArray) -> State:
    """Return the state at the start of a run, from x, y, theta of each link and their derivatives, each (n, 3).

    `weight` (n,) is the mass of each link relative to the mean.
    """
    n = len(q)
    return State(
        x=np.concatenate([q[:, TURN], (weight[:, None] * q[:, :2]).mean(axis=0)]),
        v=np.concatenate([u[:, TURN], (weight[:, None] * u[:, :2]).mean(axis=0)]),
        wrench=np.zeros((n, 3)),
        torque=np.zeros(n - 1),
        counts=np.zeros(2, np.int64),
        sums=np.zeros(6),
        impulse=np.zeros((n, 2)),
        before=np.zeros((2, n + 1, 2)),
    )


def widened(state: State) -> State:
    """Return a state with space for the sums of passive joints and of varying loads."""
    n = len(state.impulse)
    if len(state.sums) > PASSIVE_WORK:
        return state
    return state._replace(sums=np.concatenate([state.sums, np.zeros(1 + 3 * n)]))


def make_work(n: int) -> Work:
    """Return the workspace for `n` links."""
    return Work(
        x=np.zeros(n + 2),
        v=np.zeros(n + 2),
        acceleration=np.zeros(n + 2),
        theta=np.zeros(n),
        cos=np.zeros(n),
        sin=np.zeros(n),
        part=np.zeros((n, 2)),
        place=np.zeros((n, 2)),
        friction=np.zeros((n, 2)),
        force=np.zeros((n, 2)),
        matrix=np.zeros((n, n)),
        bias=np.zeros(n),
        load=np.zeros(n),
        reference=np.zeros((n - 1, 2)),
        command=np.zeros((n - 1, 1)),
        torque=np.zeros(n - 1),
        limit=np.zeros((n, 3)),
        coulomb=np.zeros((n, 3)),
        lift=np.zeros(n),
        power=np.zeros(6),
        gain_x=np.zeros(n + 2),
        gain_v=np.zeros(n + 2),
        gain_sums=np.zeros(6),
        gain_impulse=np.zeros((n, 2)),
        gain_torque=np.zeros(n - 1),
        gain_lift=np.zeros(n),
    )
