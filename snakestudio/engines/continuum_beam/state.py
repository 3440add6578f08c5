"""What changes during a run: the state, which checkpoints save, and the workspace, which they do not."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from snakestudio._arrays import FloatArray, IntArray
from snakestudio.model.reference import StrainReference

# Entries of State.counts.
STEP, CALL_STEPS, EVALUATIONS, OVERLOADED = range(4)
# Entries of State.sums, as the works in `ENERGY`, J.
ACTUATOR, FRICTION_WORK, GRAVITY, SUPPORT_WORK, EXTERNAL = range(5)
# Entries of State.worst since the call began.
MISMATCH, SLIP = range(2)

# Entries of a hold: whether it holds, where on the body, how fast that moves on, and how fast it
# changes.
HOLDS, AT, MOVES, GAINS = range(4)
# Entries of Knots.speed: V_o and its derivative.
V_O, A_O = range(2)
# Channels after the resultant.
AXIAL_SPEED, SLIP_SPEED, MISSED = range(6, 9)


class Knots(NamedTuple):
    """A StrainReference as kernels take it; see there."""

    time: FloatArray
    strain: FloatArray
    rate: FloatArray
    acceleration: FloatArray
    speed: FloatArray
    hold: FloatArray
    hold_twist: FloatArray


class State(NamedTuple):
    """The state of a run with n sampled cross-sections and p anchors or supports."""

    pose: FloatArray
    """g_o: position (m) and unit quaternion w x y z of the head section."""

    twist: FloatArray
    """eta_o in its own frame, m/s and rad/s; part of the state only where friction moves the
    body."""

    wrench: FloatArray
    """External force and torque on every cross-section, world frame, N and N m."""

    counts: IntArray
    sums: FloatArray
    worst: FloatArray
    """`counts`, `sums` and `worst`: the names above say which."""

    ground: FloatArray
    support: FloatArray
    """`ground` and `support`: cumulative impulses of the ground and of supports on every
    cross-section, world frame, N s."""

    hold: FloatArray
    """Cumulative impulses of every anchor or support, world frame, N s."""

    before: FloatArray
    """`ground` and `hold` at the last row [0] and at the beginning of the call [1]."""


class Work(NamedTuple):
    """Workspace of an evaluation at one instant, with m points along the body."""

    strain: FloatArray
    rate: FloatArray
    acceleration: FloatArray
    """`strain`, `rate` and `acceleration`: imposed strain and its derivatives in time."""

    speed: FloatArray
    """V_o and its derivative; NaN if the supports alone determine it."""

    hold: FloatArray
    hold_twist: FloatArray
    """`hold` and `hold_twist`: as in `StrainReference`."""

    pose: FloatArray
    """Of the head."""

    head_twist: FloatArray
    head_acceleration: FloatArray
    """`head_twist` and `head_acceleration`: eta_o and its derivative."""

    frames: FloatArray
    """Of all points, seen from the head."""

    twist: FloatArray
    """eta in the cross-sections' own frames."""

    rate_density: FloatArray
    rate_sum: FloatArray
    acceleration_density: FloatArray
    acceleration_sum: FloatArray
    """`rate_density`, `rate_sum`, `acceleration_density` and `acceleration_sum`: what adds up to
    eta and to its derivative, in the head's frame."""

    load_density: FloatArray
    load_sum: FloatArray
    """`load_density` and `load_sum`: m eta_t - ad_eta^* M eta - F in the head's frame, and its
    integral; F without what holds the body."""

    friction_density: FloatArray
    friction_sum: FloatArray
    """`friction_density` and `friction_sum`: friction alone."""

    lift: FloatArray
    """By what the load on the ground differs from the weight by length, N/m."""

    hold_frame: FloatArray
    hold_rate: FloatArray
    hold_wrench: FloatArray
    """`hold_frame`, `hold_rate` and `hold_wrench`: frames of what holds the body, `rate_sum` there,
    and its wrench in the head's frame."""

    pull: FloatArray
    """External wrenches on the cross-sections in the head's frame."""

    inertia: FloatArray
    """M_o, P5 (19)."""

    resultant: FloatArray
    """F_c, P5 (35), in the head's frame."""

    column: FloatArray
    normal: FloatArray
    target: FloatArray
    factor: FloatArray
    """`column`, `normal`, `target` and `factor`: for sharing F_c out; `row` (6 p,), `part` (6 p,),
    `amount` (6 p,), `which`, `acts` (6 p,) int, `sign` (6 p,)."""

    part: FloatArray
    amount: FloatArray
    sign: FloatArray
    which: IntArray
    acts: IntArray
    eigen: FloatArray
    """"""

    power: FloatArray
    """Entries as in `State.sums`, W."""

    figures: FloatArray
    """Entries as in `State.worst`."""

    stage: FloatArray
    """What every stage of the Runge-Kutta scheme found: local coordinates' rate and eta_o's."""

    gain_sums: FloatArray
    gain_ground: FloatArray
    gain_hold: FloatArray
    """`gain_sums`, `gain_ground` and `gain_hold`: what a step adds to the state."""

    stamp: FloatArray
    """Time of the last evaluation, and 1 if it is that of the state as it stands, s."""

    scratch: FloatArray
    """"""


def knots_of(reference: StrainReference) -> Knots:
    """The arrays that kernels read, as they are compiled for."""
    return Knots(
        *(
            np.require(getattr(reference, name), np.float64, ["C", "W"])
            for name in ("time", "strain", "rate", "acceleration", "speed", "hold", "hold_twist")
        )
    )


def make_state(pose: FloatArray, twist: FloatArray, n: int, p: int) -> State:
    """State at the start of a run, from pose (7,) and twist (6,) of the head section."""
    return State(
        pose=pose.copy(),
        twist=twist.copy(),
        wrench=np.zeros((n, 6)),
        counts=np.zeros(4, np.int64),
        sums=np.zeros(5),
        worst=np.zeros(2),
        ground=np.zeros((n, 3)),
        support=np.zeros((n, 3)),
        hold=np.zeros((p, 3)),
        before=np.zeros((2, n + p, 3)),
    )


def make_work(m: int, n: int, p: int) -> Work:
    """Workspace for m points, n cross-sections, p anchors or supports."""
    q = max(6 * p, 1)
    along = {
        name: np.zeros((m, 6))
        for name in (
            "strain",
            "rate",
            "acceleration",
            "twist",
            "rate_density",
            "rate_sum",
            "acceleration_density",
            "acceleration_sum",
            "load_density",
            "load_sum",
            "friction_density",
            "friction_sum",
        )
    }
    return Work(
        **along,
        lift=np.zeros(m),
        speed=np.zeros(2),
        hold=np.zeros((p, 4)),
        hold_twist=np.zeros((p, 12)),
        pose=np.zeros(7),
        head_twist=np.zeros(6),
        head_acceleration=np.zeros(6),
        frames=np.zeros((m, 12)),
        hold_frame=np.zeros((p, 12)),
        hold_rate=np.zeros((p, 6)),
        hold_wrench=np.zeros((p, 6)),
        pull=np.zeros((n, 6)),
        inertia=np.zeros((6, 6)),
        resultant=np.zeros(6),
        column=np.zeros((q, 6)),
        normal=np.zeros((q, q)),
        target=np.zeros(q),
        factor=np.zeros((q, q)),
        part=np.zeros(q),
        amount=np.zeros(q),
        sign=np.zeros(q),
        which=np.zeros(q, np.int64),
        acts=np.zeros(q, np.int64),
        eigen=np.zeros((2, 6, 6)),
        power=np.zeros(5),
        figures=np.zeros(2),
        stage=np.zeros((6, 12)),
        gain_sums=np.zeros(5),
        gain_ground=np.zeros((n, 3)),
        gain_hold=np.zeros((p, 3)),
        stamp=np.zeros(2),
        scratch=np.zeros((12, 12)),
    )
