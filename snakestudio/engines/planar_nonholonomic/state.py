"""Variables of a run: the state, which checkpoints save, and the workspace, which they do not save."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from snakestudio._arrays import FloatArray, IntArray
from snakestudio.kernels.planar_problem import TURN

# Entries of State.counts: steps, evaluations of the equations of motion, active constraints.
STEP, EVALUATIONS, UNCONVERGED, CALL_EVALUATIONS, CALL_STEPS, CONTACTS = range(6)
# Entries of State.figures: length of the next part of a step (s), load of a link on the ground (N
# s), worst residuals.
PART, LOAD, WORST_ROW, WORST_CALL = range(4)
# Entries of State.sums: works.
ACTUATOR, FRICTION, GRAVITY, OBSTACLE, STOP, EXTERNAL = range(6)
WORKS = 6
# Sides of a link.
LEFT, RIGHT = range(2)
# Columns of the forces of an obstacle on a side of a link: normal force, then friction, along x and
# y.
NORMAL = 0
RUBBING = 2
# Coordinates on the ground.
X, Y = range(2)
# Rows of Work.turn, and of Work.rates and Work.signs.
COS, SIN = range(2)
ALONG, ACROSS, TURNING = range(3)
# Entries of Work.felt.
HOLD, TOUCHING, UNCHANGED, CHANGED, TO_CORE = range(5)


def sums_length(n: int) -> int:
    """Return the number of integrated quantities of `n` links in addition to their motion.

    These are works, then impulses of the ground (n, 2), of obstacles (2, n, 4), of joint torques
    (n - 1,), and the integrals of the links' lateral accelerations (n,), while any link is under a
    constraint.
    """
    return WORKS + 2 * n + 8 * n + n - 1 + n


def wide(n: int) -> int:
    """Return the number of columns of the augmented mass matrix of `n` links; see `Work.matrix`."""
    return 8 * (-(-(n + 1) // 8) - (-n // 8))


class State(NamedTuple):
    """State of a run of n links."""

    y: FloatArray
    """theta_1 ... theta_n, p_x, p_y (rad, m; p is the centre of mass), then their derivatives."""

    sums: FloatArray
    """Works, J, and impulses since the start, N s, N m s; see `sums_length`."""

    acts: IntArray
    """Links whose constraint was active in the last evaluation: initial guess of the active set."""

    met: IntArray
    """Last obstacle on the left and on the right of each link, -1 for none."""

    touch: FloatArray
    """Points of these contacts, m."""

    wrench: FloatArray
    """External f_x, f_y, t_z on each link, N and N m."""

    torque: FloatArray
    """Torques of the joint controllers, mean over the last step; positive torques increase
    theta_{i+1} - theta_i, N m."""

    counts: IntArray
    """Counters; entries are named at the top of this module."""

    figures: FloatArray
    """Sums and statistics; entries are named at the top of this module."""

    before: FloatArray
    """`sums` and the load at the last row [0] and at the beginning of the interval [1]."""


class Work(NamedTuple):
    """Workspace of a step; c <= n constraints."""

    x: FloatArray
    """Coordinates, input of the equations of motion."""

    v: FloatArray
    """Velocities, input of the equations of motion."""

    acceleration: FloatArray
    """Result of the equations of motion."""

    theta: FloatArray
    """Directions of the links."""

    turn: FloatArray
    """Cosines and sines of the directions, w = `wide`; `cos`, `sin` (n,) are views of its rows."""

    cos: FloatArray
    sin: FloatArray
    part: FloatArray
    """Directions of the links, or their time derivatives; input of `spread_from_centre`."""

    place: FloatArray
    """Positions of the links from `spread_from_centre`."""

    velocity: FloatArray
    """Velocities of the links from `spread_from_centre`."""

    swing: FloatArray
    """Accelerations of the links due to rotation, from `spread_from_centre`."""

    rates: FloatArray
    """Velocities of the links along and across themselves, m/s, and angular velocities, rad/s."""

    along: FloatArray
    """View of the first row of `rates`. Shape (n,)."""

    across: FloatArray
    """View of the second row of `rates`. Shape (n,)."""

    signs: FloatArray
    """Smooth signs of `rates`."""

    force: FloatArray
    """Forces on the links, N."""

    load: FloatArray
    """Generalized forces on the angles, of `force` and all others together, N m."""

    felt: FloatArray
    """Values about obstacles in the present part: the largest Coulomb friction, reduced by the
    sliding speed of the link, N (a measure of stiffness); a number that encodes which links touch
    obstacles on which side; fractions of the part up to which and from which that changed; the
    smallest distance of a link's axis from a core (`crossing.CORE`), m."""

    matrix: FloatArray
    """Mass matrix of the angles, augmented by the loads on them without obstacles, then by the
    angles' part of each constraint; see `wide_factor`."""

    inverse: FloatArray
    """1 / D of its factorisation; see `wide_factor`."""

    reference: FloatArray
    """Reference angle and rate of the joints."""

    command: FloatArray
    """Torque commands of the joints, N m."""

    fastest: FloatArray
    """Largest speed of a link's end in the present part, m/s."""

    near: IntArray
    """Obstacle on the left and on the right of each link, -1 for none."""

    touch: FloatArray
    """Contact points, m."""

    link: IntArray
    """Links under a constraint."""

    side: FloatArray
    """Direction in which the link is pushed: 1 left, -1 right, 0 both."""

    free: FloatArray
    """Normal acceleration of the link without the constraint."""

    reaction: FloatArray
    """Reaction, N."""

    delassus: FloatArray
    """Accelerations due to unit reactions, and below them those of the angles without any
    reaction."""

    factor: FloatArray
    """Cholesky factor of its part for the active constraints."""

    acts: IntArray
    chosen: IntArray
    rest: FloatArray
    """Workspace of the solver."""

    held: IntArray
    """Links whose constraint has been active during the whole step."""

    begun: FloatArray
    """Lateral velocities of the links at the beginning of the step, m/s."""

    rate_y: FloatArray
    """Time derivative of the state at the newest stage."""

    rate_sums: FloatArray
    """Time derivative of the sums at the newest stage."""

    y0: FloatArray
    """State at the beginning of the step."""

    y1: FloatArray
    """State at the newest stage."""

    y2: FloatArray
    """State at the stage before."""

    first_y: FloatArray
    """Time derivative of the state at the beginning of a part."""

    sums0: FloatArray
    """Sums at the beginning of the step."""

    sums: FloatArray
    """Values of `State.sums` after the present part."""

    first_sums: FloatArray


def from_format_1(values: dict[str, Any]) -> dict[str, Any]:
    """Return the fields of a state in run files of 0.1.0, whose sums have no normal velocities; these start at 0."""
    n = len(values["acts"])
    if len(values["sums"]) < sums_length(n):
        values["sums"] = np.append(values["sums"], np.zeros(n))
        values["before"] = np.insert(values["before"], [-1] * n, 0.0, axis=1)
    return values


def make_state(q: FloatArray, u: FloatArray, weight: FloatArray) -> State:
    """Return the state at the start of a run, from x, y, theta of each link and their derivatives, each (n, 3)."""
    n = len(q)
    length = sums_length(n)
    centre, speed = ((weight[:, None] * values[:, :2]).mean(axis=0) for values in (q, u))
    return State(
        y=np.concatenate([q[:, TURN], centre, u[:, TURN], speed]),
        sums=np.zeros(length),
        acts=np.zeros(n, np.int64),
        met=np.full((2, n), -1, np.int64),
        touch=np.zeros((2, n, 2)),
        wrench=np.zeros((n, 3)),
        torque=np.zeros(n - 1),
        counts=np.zeros(6, np.int64),
        figures=np.zeros(4),
        before=np.zeros((2, length + 1)),
    )


def make_work(n: int) -> Work:
    """Return the workspace for `n` links."""
    length = 2 * (n + 2)
    sums = sums_length(n)
    width = wide(n)
    turn = np.zeros((2, width))
    rates = np.zeros((3, width))
    return Work(
        x=np.zeros(n + 2),
        v=np.zeros(n + 2),
        acceleration=np.zeros(n + 2),
        theta=np.zeros(n),
        turn=turn,
        cos=turn[COS, :n],
        sin=turn[SIN, :n],
        part=np.zeros((n, 2)),
        place=np.zeros((n, 2)),
        velocity=np.zeros((n, 2)),
        swing=np.zeros((n, 2)),
        rates=rates,
        along=rates[ALONG, :n],
        across=rates[ACROSS, :n],
        signs=np.zeros((3, width)),
        force=np.zeros((n, 2)),
        load=np.zeros(n),
        felt=np.zeros(5),
        matrix=np.zeros((n, width)),
        inverse=np.zeros(n),
        reference=np.zeros((n - 1, 2)),
        command=np.zeros((n - 1, 1)),
        fastest=np.zeros(1),
        near=np.zeros((2, n), np.int64),
        touch=np.zeros((2, n, 2)),
        link=np.zeros(n, np.int64),
        side=np.zeros(n),
        free=np.zeros(n),
        reaction=np.zeros(n),
        delassus=np.zeros((n + 1, width)),
        factor=np.zeros((n, n)),
        acts=np.zeros(n, np.int64),
        chosen=np.zeros(n, np.int64),
        rest=np.zeros(n),
        held=np.zeros(n, np.int64),
        begun=np.zeros(n),
        rate_y=np.zeros(length),
        rate_sums=np.zeros(sums),
        y0=np.zeros(length),
        y1=np.zeros(length),
        y2=np.zeros(length),
        first_y=np.zeros(length),
        sums0=np.zeros(sums),
        sums=np.zeros(sums),
        first_sums=np.zeros(sums),
    )
