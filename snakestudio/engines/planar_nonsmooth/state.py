"""Variables of a run: the state, which checkpoints save, and the workspace, which they do not save."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from snakestudio._arrays import FloatArray, IntArray
from snakestudio.kernels.axes import X
from snakestudio.kernels.planar_problem import LAW_WIDTH
from snakestudio.kernels.planar_scratch import ChainScratch, make_scratch

# Entries of State.sums behind those in `contact_sums`.
PROJECTION, SPRING, DAMPER, WORST_ROW, WORST_CALL = range(7, 12)
# Entry of State.slot_key behind those of `contact_sums`.
STICKS = 4
# Entries of State.slot_sum.
NORMAL_X, NORMAL_Y, POINT_X, POINT_Y, WEIGHT, FRICTION_X, FRICTION_Y = range(7)
# Entry of Work.command.
COMMAND = 0
# Entries of State.impulse.
GROUND_X, GROUND_Y, OBSTACLE_X, OBSTACLE_Y, GROUND_Z = range(5)


class State(NamedTuple):
    """State of a run of n links; c is the capacity for obstacle contacts, s that for contact slots."""

    q: FloatArray
    """x, y, theta of each link, m and rad."""

    u: FloatArray
    """vx, vy, omega of each link, m/s and rad/s."""

    wrench: FloatArray
    """External f_x, f_y, t_z on each link, N and N m."""

    torque: FloatArray
    """Torques of the joint controllers in the last step; positive torques increase theta_{i+1} - theta_i, N m."""

    friction: FloatArray
    """Friction impulses of the last step (`ChainImpulses`), the warm start of the next solution."""

    stop: FloatArray
    """Stop impulses of the last step, the warm start of the next solution."""

    stick: IntArray
    """`ContactState` of each link on the ground."""

    contact: IntArray
    """Obstacle contacts of the last step, ascending by link: link, obstacle, feature (0 on a
    cylinder, as in `stadium_rectangle` on a box) and slots in the sums of row and call (-1:
    none)."""

    normal: FloatArray
    """Normal impulses of these contacts, N s."""

    tangent: FloatArray
    """Friction impulses of these contacts, N s."""

    counts: IntArray
    """Counters; entries are named at the top of this module."""

    sums: FloatArray
    """Cumulative sums; entries are named at the top of this module."""

    impulse: FloatArray
    """Cumulative impulses on each link, world frame: friction x, y, obstacles x, y, load on the
    ground, N s."""

    before: FloatArray
    """Friction impulses and load at the last row [0] and at the beginning of the call [1]."""

    slot_key: IntArray
    """Link, obstacle, feature, last loaded step and `ContactState` in it, of each contact since the
    last row [0] and the beginning of the call [1]."""

    slot_sum: FloatArray
    """Their normal impulse x, y (N s), impulse-weighted point x, y, the weight, and friction
    impulse x, y (N s)."""


class Work(NamedTuple):
    """Workspace of a step."""

    theta: FloatArray
    """Directions of the links at the midpoint, rad."""

    cos: FloatArray
    """Cosines of `theta`."""

    sin: FloatArray
    """Sines of `theta`."""

    theta_end: FloatArray
    """Directions of the links at the end of the step, rad."""

    cos_end: FloatArray
    """Cosines of `theta_end`."""

    sin_end: FloatArray
    """Sines of `theta_end`."""

    reference: FloatArray
    """Reference angle and rate of the joints."""

    command: FloatArray
    """Torque commands of the motors, N m."""

    torque: FloatArray
    """Motor torques at zero rate, without springs and dampers."""

    drag: FloatArray
    """Decrease of the motor torques per unit rate (see `motor_torque`), without springs and
    dampers."""

    spring: FloatArray
    """Torque of spring and damper for zero rate at the end of the step, N m, and the decrease of
    their impulse per unit rate, N m s."""

    total: FloatArray
    """Decrease of the impulse of motor, spring and damper per unit rate, N m s; infinite for a fixed joint."""

    load: FloatArray
    """Radii of the friction discs, N s."""

    pressed: FloatArray
    """Impulses of the ground's normal force, N s: the disc radii without the increase of friction near rest."""

    law: FloatArray
    """Friction on the ground at the links; see `ChainProblem`."""

    u_free: FloatArray
    """Velocities without contacts."""

    u: FloatArray
    """Velocities of the solution."""

    friction: FloatArray
    """Unknown friction impulses of the ground."""

    normal: FloatArray
    """Unknown normal impulses of obstacles."""

    tangent: FloatArray
    """Unknown friction impulses of obstacles."""

    stop: FloatArray
    """Unknown impulses of stops."""

    contact: IntArray
    """Active obstacle contacts, as in `State.contact`."""

    link: IntArray
    """Links of these contacts."""

    rows: FloatArray
    """Force directions, see `ChainProblem`."""

    point: FloatArray
    """Contact points."""

    stops: FloatArray
    """Joints at their stops."""

    joint: FloatArray
    """Joint impulses."""

    active: IntArray
    """Number of obstacle contacts of the step, and number of those with friction."""


class Workspace(NamedTuple):
    """Workspace of a step and of the solver."""

    work: Work
    scratch: ChainScratch
    """Workspace of the solver."""


def make_state(q: FloatArray, u: FloatArray, capacity: int = 16) -> State:
    """Return the state at the start of a run; arrays are in C order, for which the kernels are compiled."""
    n = len(q)
    slots = 4 * capacity
    return State(
        q=np.array(q, order="C"),
        u=np.array(u, order="C"),
        wrench=np.zeros((n, 3)),
        torque=np.zeros(n - 1),
        friction=np.zeros((n, 2)),
        stop=np.zeros(n - 1),
        stick=np.zeros(n, np.int64),
        contact=np.full((capacity, 5), -1, np.int64),
        normal=np.zeros(capacity),
        tangent=np.zeros(capacity),
        counts=np.zeros(8, np.int64),
        sums=np.zeros(12),
        impulse=np.zeros((n, 5)),
        before=np.zeros((2, n, 3)),
        slot_key=np.zeros((2, slots, 5), np.int64),
        slot_sum=np.zeros((2, slots, 7)),
    )


def make_work(n: int, capacity: int) -> Workspace:
    """Return the workspace for `n` links and `capacity` obstacle contacts."""
    j = n - 1
    c = capacity
    work = Work(
        theta=np.zeros(n),
        cos=np.zeros(n),
        sin=np.zeros(n),
        theta_end=np.zeros(n),
        cos_end=np.zeros(n),
        sin_end=np.zeros(n),
        reference=np.zeros((j, 2)),
        command=np.zeros((j, 1)),
        torque=np.zeros(j),
        drag=np.zeros(j),
        spring=np.zeros((j, 2)),
        total=np.zeros(j),
        load=np.zeros(n),
        pressed=np.zeros(n),
        law=np.zeros((n, LAW_WIDTH)),
        u_free=np.zeros((n, 3)),
        u=np.zeros((n, 3)),
        friction=np.zeros((n, 2)),
        normal=np.zeros(c),
        tangent=np.zeros(c),
        stop=np.zeros(j),
        contact=np.zeros((c, 5), np.int64),
        link=np.zeros(c, np.int64),
        rows=np.zeros((c, 6)),
        point=np.zeros((c, 2)),
        stops=np.zeros(j),
        joint=np.zeros((j, 2)),
        active=np.zeros(2, np.int64),
    )
    return Workspace(work, make_scratch(n, capacity))


def with_loads_by_link(state: State) -> State:
    """Return `state` in the present layout, from the present one or that of version 0.2 and before.

    In the latter, all links had one load, whose sum was in `sums`, and there were no works of
    springs.
    """
    names = ("q", "sums", "impulse", "before")
    shapes = [getattr(getattr(state, name, None), "shape", ()) for name in names]
    n = shapes[0][0] if shapes[0] else 0
    if shapes[1:] != [(11,), (n, 4), (2, n + 1, 2)]:
        return state
    load = state.sums[8]
    earlier = state.before[:, n, X]
    return state._replace(
        sums=np.concatenate([state.sums[:8], np.zeros(2), state.sums[9:]]),
        impulse=np.column_stack([state.impulse, np.full(n, load)]),
        before=np.concatenate(
            [state.before[:, :n], np.repeat(earlier, n).reshape(2, n, 1)], axis=2
        ),
    )
