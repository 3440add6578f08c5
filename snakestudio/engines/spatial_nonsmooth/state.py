"""Variables of a run: the state, which checkpoints save, and the workspace, which they do not save."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from snakestudio._arrays import FloatArray, IntArray
from snakestudio.kernels.solid_contacts import ContactList
from snakestudio.kernels.spatial_problem import AXIS_WIDTH, GAIN_WIDTH
from snakestudio.kernels.spatial_scratch import SpatialScratch, make_spatial_scratch

# Entry of State.counts behind those in `contact_sums`.
STEADY = 8
# Entries of State.sums behind those of `contact_sums`.
GYROSCOPIC, PROJECTION, SPRING, DAMPER, DRY_FRICTION, WORST_ROW, WORST_CALL = range(7, 14)
# Entries of State.slot_sum behind the normal impulse, and behind the point.
FRICTION_X, FRICTION_Y, FRICTION_Z = range(3, 6)
WEIGHT = 9
# Entries of State.ground.
LOAD, SLIDE_X, SLIDE_Y, MOMENT_X, MOMENT_Y, LAST = range(6)
# Entries of State.impulse.
GROUND_X, GROUND_Y, GROUND_Z, OBSTACLE_X, OBSTACLE_Y, OBSTACLE_Z = range(6)
# Entries of State.turned.
COS, SIN = range(2)
# Entries of Work.axes behind those of SpatialProblem.axes.
NEW_COS, NEW_SIN, ANGLE, RATE_START, EMF, SHORT = range(AXIS_WIDTH, AXIS_WIDTH + 6)
_WIDTH = AXIS_WIDTH + 6
# Index of the first axis in Work.orientation.
BODY_X = 0
BODY_Y = 3
BODY_Z = 6
# Entries of Work.reference.
GOAL, GOAL_RATE = range(2)
# Entry of Work.command.
TORQUE = 0
# Entries of a separate quaternion.
Q_1, Q_I, Q_J, Q_K = range(4)
# Entries of Work.frame: directions along and across.
T_X, T_Y, T_Z, S_X, S_Y, S_Z = range(6)
# Entries of Work.mu.
MU_ALONG, MU_ACROSS, MU_ROLL = range(3)


class State(NamedTuple):
    """State of a run of n links and m joint axes; c is the capacity for contacts, s that for contact slots."""

    q: FloatArray
    """Centre of gravity, m, and unit quaternion w x y z of each link (P1 (4), in the program's body frame)."""

    u: FloatArray
    """Velocity in the world frame, m/s, and angular velocity in the link's own frame, rad/s (P1 (5))."""

    wrench: FloatArray
    """External force and torque on each link, world frame, N and N m."""

    motor: FloatArray
    """Torque of the motors after their lag, N m."""

    torque: FloatArray
    """Mean torque of the motors over the last step; positive torques increase the angle, N m."""

    change: FloatArray
    """Changes of the velocities of p_k and of the angular velocities in the last step, world frame."""

    angle: FloatArray
    """Angle of each joint axis at the midpoint of the last step, continuous beyond half a turn, rad."""

    turned: FloatArray
    """Cosine and sine of these angles."""

    first: IntArray
    """Contacts of link k in the last step are those from first[k] to first[k + 1]."""

    contact: IntArray
    """Link, obstacle (-1: ground), feature, and slots in the sums of row and call (-1: none) of
    each contact."""

    law: FloatArray
    """Impulses of the contacts as in `SpatialImpulses`, used for the warm start of the next solution."""

    law_before: FloatArray
    """Impulses of the contacts one step earlier; equal to `law` if there were none."""

    stick: IntArray
    """`ContactState` of each contact."""

    stop: FloatArray
    """Impulses of the laws of the joint axes, as in `SpatialImpulses`."""

    counts: IntArray
    """Counters; entries are named at the top of this module."""

    sums: FloatArray
    """Cumulative sums; entries are named at the top of this module."""

    impulse: FloatArray
    """Cumulative impulses of the ground and of obstacles on each link, world frame, N s."""

    ground: FloatArray
    """Cumulative values of the front and rear spheres' contacts with the ground: normal impulse,
    friction x, y, N s, impulse-weighted x, y of the point, N s m; and the step of the last load."""

    before: FloatArray
    """The same at the last row [0] and at the beginning of the call [1]."""

    slot_key: IntArray
    """Link, obstacle, feature and last loaded step of each contact with an obstacle since the last
    row [0] and the beginning of the call [1]."""

    slot_sum: FloatArray
    """Their normal and friction impulse (N s), impulse-weighted point, and the weight."""

    rate: FloatArray = np.zeros(0)
    """Rates of the joint axes at the end of the last step, about the axes at its midpoint, rad/s;
    computed only if `Params.extras`."""


class Work(NamedTuple):
    """Workspace of a step for n links, m joint axes, c contacts; values are at the midpoint unless stated otherwise."""

    position: FloatArray
    """Centre of gravity of each link, m."""

    turn: FloatArray
    """Quaternion of each link, not exactly of unit length, P1 (72)."""

    orientation: FloatArray
    """Body axes x (along the link), y and z of each link, in sequence."""

    w_start: FloatArray
    """Velocity of p_k and angular velocity at the beginning of the step, separately for each link."""

    free: FloatArray
    """Velocity of the centre of gravity and angular velocity without contacts, joints and
    motors."""

    torque_free: FloatArray
    """Gyroscopic torque, N m."""

    reach: FloatArray
    """As in `SpatialProblem`."""

    axes: FloatArray
    """As in `SpatialProblem`; then cosine and sine of the joint angle, the angle, rad, the joint
    rate at the beginning of the step, rad/s, the drag of the back EMF, N m s per rad/s, and the
    impulse by which the current limit reduces that of the motor, N m s."""

    end_axes: FloatArray
    """Axes, cosines and sines at the end of a step, as in `axes`."""

    reference: FloatArray
    """Reference angle and rate of the joint axes, rad and rad/s."""

    command: FloatArray
    """Torque commands of the motors, N m."""

    angle: FloatArray
    """Joint angles for a row, rad."""

    rate: FloatArray
    """Joint rates for a row, rad/s."""

    joint: FloatArray
    """Unknown impulses of the laws of the joint axes."""

    contacts: ContactList
    """Contacts of the step, link by link."""

    slots: IntArray
    """Slots of the contacts in the sums of row and call."""

    first: IntArray
    frame: FloatArray
    """Directions along and across, unit vectors."""

    mu: FloatArray
    """Friction coefficients along and across, and of rolling times the radius."""

    rows: FloatArray
    """As in `SpatialProblem`."""

    gain: FloatArray
    """As in `SpatialProblem`."""

    law: FloatArray
    """Unknown impulses of the contacts."""

    gamma_start: FloatArray
    """Normal relative velocities at the beginning of the step."""

    law_before: FloatArray
    """Impulses of the previous step, 0 for new contacts."""

    gamma: FloatArray
    """Relative velocities at the end of the step."""

    w: FloatArray
    """Velocities at the end of the step, the solution."""

    pushed: FloatArray
    """Impulses of all contacts of a link and their moment about p_k."""

    wrench: FloatArray
    """Joint impulses."""

    end: FloatArray
    """Body axes at the end of the step."""


class Workspace(NamedTuple):
    """Workspace of a step and of the solver."""

    work: Work
    scratch: SpatialScratch
    """Workspace of the solver."""


def make_state(q: FloatArray, u: FloatArray, angle: FloatArray, extra: int = 16) -> State:
    """Return the state at the start: `q` (n, 7), `u` (n, 6), joint angles (m,); space for `extra` obstacle contacts."""
    n = len(q)
    capacity = 2 * n + extra
    slots = 4 * extra
    return State(
        q=q.copy(),
        u=u.copy(),
        wrench=np.zeros((n, 6)),
        motor=np.zeros(len(angle)),
        torque=np.zeros(len(angle)),
        change=np.zeros((n, 6)),
        angle=angle.copy(),
        turned=np.column_stack([np.cos(angle), np.sin(angle)]),
        first=np.zeros(n + 1, np.int64),
        contact=np.full((capacity, 5), -1, np.int64),
        law=np.zeros((capacity, 5)),
        law_before=np.zeros((capacity, 5)),
        stick=np.zeros(capacity, np.int64),
        stop=np.zeros(len(angle)),
        counts=np.zeros(9, np.int64),
        sums=np.zeros(14),
        impulse=np.zeros((n, 6)),
        ground=np.zeros((n, 2, 6)),
        before=np.zeros((2, n, 2, 6)),
        slot_key=np.zeros((2, slots, 4), np.int64),
        slot_sum=np.zeros((2, slots, 10)),
        rate=np.zeros(len(angle)),
    )


def make_work(n: int, axes: int, capacity: int) -> Workspace:
    """Return the workspace for `n` links, `axes` joint axes and `capacity` contacts."""
    m, c = axes, capacity
    contacts = ContactList(
        link=np.zeros(c, np.int64),
        body=np.zeros(c, np.int64),
        feature=np.zeros(c, np.int64),
        gap=np.zeros(c),
        normal=np.zeros((c, 3)),
        point=np.zeros((c, 3)),
    )
    work = Work(
        position=np.zeros((n, 3)),
        turn=np.zeros((n, 4)),
        orientation=np.zeros((n, 9)),
        w_start=np.zeros((n, 6)),
        free=np.zeros((n, 6)),
        torque_free=np.zeros((n, 3)),
        reach=np.zeros((n - 1, 3)),
        axes=np.zeros((m, _WIDTH)),
        end_axes=np.zeros((m, _WIDTH)),
        reference=np.zeros((m, 2)),
        command=np.zeros((m, 1)),
        angle=np.zeros(m),
        rate=np.zeros(m),
        joint=np.zeros(m),
        contacts=contacts,
        slots=np.zeros((c, 2), np.int64),
        first=np.zeros(n + 1, np.int64),
        frame=np.zeros((c, 6)),
        mu=np.zeros((c, 3)),
        rows=np.zeros((c, 40)),
        gain=np.zeros((c, GAIN_WIDTH)),
        law=np.zeros((c, 5)),
        gamma_start=np.zeros(c),
        law_before=np.zeros((c, 5)),
        gamma=np.zeros((c, 5)),
        w=np.zeros((n, 6)),
        pushed=np.zeros((n, 6)),
        wrench=np.zeros((n - 1, 6)),
        end=np.zeros((n, 9)),
    )
    return Workspace(work, make_spatial_scratch(n, m, c))


def with_signed_laws(state: State, high: FloatArray) -> State:
    """Return `state` with signed impulses of the axes, from the present layout or an earlier one.

    Before dry friction, the impulses of joint limits were positive at either limit.

    Parameters
    ----------
    high : (m,)
        Upper limits of the axes, rad.
    """
    angle, stop = (getattr(state, name, None) for name in ("angle", "stop"))
    if not (isinstance(angle, np.ndarray) and isinstance(stop, np.ndarray)):
        return state
    if getattr(state, "rate", None) is not None and np.size(state.rate) == len(high):
        return state
    if angle.size != len(high) or stop.shape != angle.shape:
        return state
    return state._replace(stop=np.where(angle >= high.reshape(angle.shape), -1.0, 1.0) * stop)


def in_present_layout(state: State) -> State:
    """Return `state` in the present layout, from the present one or that of an earlier version.

    At first, two axes in each joint had (n - 1, 2) and (n - 1, 4) instead of (m,) and (m, 2), in
    the same memory, and there were no works of springs. Then there were neither rates of the axes
    nor works of dry friction.
    """
    state = _with_axes_in_a_row(state)
    angle, sums, rate = (getattr(state, name, None) for name in ("angle", "sums", "rate"))
    if not (isinstance(angle, np.ndarray) and isinstance(sums, np.ndarray)):
        return state
    if sums.shape != (WORST_CALL,) or not isinstance(rate, np.ndarray) or rate.size:
        return state
    return state._replace(
        sums=np.insert(sums, DRY_FRICTION, 0.0), rate=np.zeros(angle.shape, np.float64)
    )


def _with_axes_in_a_row(state: State) -> State:
    parts = {
        name: getattr(state, name, None)
        for name in ("motor", "torque", "angle", "turned", "stop", "sums")
    }
    shapes = {name: part.shape for name, part in parts.items() if isinstance(part, np.ndarray)}
    joints = (
        len(state.q) - 1
        if isinstance(getattr(state, "q", None), np.ndarray) and state.q.ndim
        else 0
    )
    pairs = dict.fromkeys(("motor", "torque", "angle", "stop"), (joints, 2))
    if shapes != {**pairs, "turned": (joints, 4), "sums": (SPRING + 2,)}:
        return state
    return state._replace(
        motor=np.ravel(state.motor),
        torque=np.ravel(state.torque),
        angle=np.ravel(state.angle),
        turned=np.reshape(state.turned, (-1, 2)),
        stop=np.ravel(state.stop),
        sums=np.insert(state.sums, SPRING, [0.0, 0.0]),
    )
