"""What changes during a run: the state, which checkpoints save, and the workspace, which they do not."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from snakestudio._arrays import FloatArray, IntArray
from snakestudio.kernels.planar_problem import TURN

__all__ = ["State", "Work", "from_format_1", "make_state", "make_work", "sums_length", "wide"]


# Entries of State.counts: steps, evaluations of the equations of motion, constraints that act.
STEP, EVALUATIONS, UNCONVERGED, CALL_EVALUATIONS, CALL_STEPS, CONTACTS = range(6)
# Entries of State.figures: length of the next part of a step (s), load of a link on the ground (N
# s), worst residuals.
PART, LOAD, WORST_ROW, WORST_CALL = range(4)
# Works, where they stand in State.sums.
ACTUATOR, FRICTION, GRAVITY, OBSTACLE, STOP, EXTERNAL = range(6)
WORKS = 6
# Sides of a link.
LEFT, RIGHT = range(2)
# Columns of what an obstacle does to a side of a link: its normal force, then friction, along x and
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
    """Length of what is integrated beside the motion of `n` links.

    It is works, then impulses of the ground (n, 2), of obstacles (2, n, 4), of the joints' torques
    (n - 1,), and what accelerations make of the velocities of links across themselves (n,), while
    any link is under a constraint.
    """
    return WORKS + 2 * n + 8 * n + n - 1 + n


def wide(n: int) -> int:
    """Columns of the mass matrix of `n` links with all that stands beside it, see `Work.matrix`."""
    return 8 * (-(-(n + 1) // 8) - (-n // 8))


class State(NamedTuple):
    """The state of a run of n links.

    Attributes
    ----------
    y : (2 (n + 2),)
        theta_1 ... theta_n, p_x, p_y (rad, m; p is the centre of mass), then their derivatives.
    sums : (sums_length(n),)
        Works, J, and impulses since the start, N s, N m s, see `sums_length`.
    acts : (n,) int
        Links whose constraint acted in the last evaluation: where the search for those that act
        begins.
    met : (2, n) int
        Obstacle last met on the left and on the right of every link, -1 for none.
    touch : (2, n, 2)
        Where that was, m.
    wrench : (n, 3)
        External f_x, f_y, t_z on every link, N and N m.
    torque : (n - 1,)
        Of the joint controllers, mean over the last step; positive raises theta_{i+1} - theta_i, N
        m.
    counts, figures : (6,) int, (4,)
        The names above say which.
    before : (2, sums_length(n) + 1)
        `sums` and the load at the last row [0] and at the beginning of the interval [1].
    """

    y: FloatArray
    sums: FloatArray
    acts: IntArray
    met: IntArray
    touch: FloatArray
    wrench: FloatArray
    torque: FloatArray
    counts: IntArray
    figures: FloatArray
    before: FloatArray


class Work(NamedTuple):
    """Workspace of a step; c <= n constraints.

    Attributes
    ----------
    x, v, acceleration : (n + 2,)
        Where the equations of motion are evaluated, and what they give.
    theta : (n,)
        Directions of the links.
    turn : (2, w)
        Their cosines and sines, w = `wide`; `cos`, `sin` (n,) look into it.
    part, place, velocity, swing : (n, 2)
        What `spread_from_centre` takes and gives: places, velocities, and accelerations that
        turning alone makes.
    rates, signs : (3, w)
        Velocities of the links along and across themselves, m/s, and turn rates, rad/s, with their
        smooth signs. `along`, `across` (n,) look into it.
    force, load : (n, 2), (n,)
        Forces on the links, N, and what they and all else do along the angles, N m.
    felt : (5,)
        Of obstacles: the largest Coulomb friction, less the faster a link slides, N (what makes
        that motion stiff); a number for which links touch them on which side; shares of a part
        after which that was as before, and no more; the least distance of a link's axis from the
        core of one (`crossing.CORE`) in the present part, m.
    matrix, inverse : (n, w), (n,)
        Mass matrix of the angles and beside it what acts on them without obstacles, then the
        angles' part of every constraint; see `wide_factor`.
    reference : (n - 1, 2)
        Angle and rate that the joints shall have.
    given : (n - 1, 1)
        Torque that they are given instead, N m.
    fastest : (1,)
        Most that an end of a link moves in the present part, m/s.
    near : (2, n) int
        Obstacle on the left and on the right of every link, -1 for none.
    touch : (2, n, 2)
        Where they touch, m.
    link : (c,) int
        Links under a constraint.
    side, free, reaction : (c,)
        Which way the link is pushed (1 left, -1 right, 0 both), its normal acceleration without,
        and the push, N.
    delassus, factor : (n + 1, w), (c, c)
        Accelerations that unit pushes make, and below them those of the angles without any.
    acts, chosen : (c,) int
    rest : (c,)
        Workspace of the solution.
    held, begun : (n,) int, (n,)
        Links whose constraint has acted all through the present step, and the links' velocities
        across themselves at its beginning, m/s.
    rate_y, rate_sums : as State.y, State.sums
        Derivatives; `first_y`, `first_sums` those at the beginning of a part.
    y0, sums0 : as State.y, State.sums
        The state at the beginning of the step.
    y1, y2 : as State.y
        The last two stages.
    sums : as State.sums
        What the present part makes of them.
    """

    x: FloatArray
    v: FloatArray
    acceleration: FloatArray
    theta: FloatArray
    turn: FloatArray
    cos: FloatArray
    sin: FloatArray
    part: FloatArray
    place: FloatArray
    velocity: FloatArray
    swing: FloatArray
    rates: FloatArray
    along: FloatArray
    across: FloatArray
    signs: FloatArray
    force: FloatArray
    load: FloatArray
    felt: FloatArray
    matrix: FloatArray
    inverse: FloatArray
    reference: FloatArray
    given: FloatArray
    fastest: FloatArray
    near: IntArray
    touch: FloatArray
    link: IntArray
    side: FloatArray
    free: FloatArray
    reaction: FloatArray
    delassus: FloatArray
    factor: FloatArray
    acts: IntArray
    chosen: IntArray
    rest: FloatArray
    held: IntArray
    begun: FloatArray
    rate_y: FloatArray
    rate_sums: FloatArray
    y0: FloatArray
    y1: FloatArray
    y2: FloatArray
    first_y: FloatArray
    sums0: FloatArray
    sums: FloatArray
    first_sums: FloatArray


def from_format_1(values: dict[str, Any]) -> dict[str, Any]:
    """Fields of a state as run files of 0.1.0 have them: sums know nothing of normal velocities, which begin at 0."""
    n = len(values["acts"])
    if len(values["sums"]) < sums_length(n):
        values["sums"] = np.append(values["sums"], np.zeros(n))
        values["before"] = np.insert(values["before"], [-1] * n, 0.0, axis=1)
    return values


def make_state(q: FloatArray, u: FloatArray, weight: FloatArray) -> State:
    """State at the start of a run, from x, y, theta of every link and their derivatives, each (n, 3)."""
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
    """Workspace for `n` links."""
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
        given=np.zeros((n - 1, 1)),
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
