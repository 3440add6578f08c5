"""Variables of a run: the state, which checkpoints save, and the workspace, which they do not save."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from snakestudio._arrays import FloatArray, IntArray
from snakestudio.model.reference import StrainReference

# Entries of State.counts.
STEP, CALL_STEPS, EVALUATIONS, OVERLOADED = range(4)
# Entries of State.sums, in the order of the works in `ENERGY`, J.
ACTUATOR, FRICTION_WORK, GRAVITY, SUPPORT_WORK, EXTERNAL = range(5)
# Entries of State.worst, since the beginning of the call.
MISMATCH, SLIP = range(2)

# Entries of a hold: active or not, abscissa, rate of the abscissa, and rate of that rate.
HOLDS, AT, MOVES, GAINS = range(4)
# Entries of Knots.speed: V_o and its derivative.
V_O, A_O = range(2)
# Channels behind the resultant.
AXIAL_SPEED, SLIP_SPEED, MISSED = range(6, 9)


class Knots(NamedTuple):
    """Arrays of a `StrainReference`, as kernels take them; see there."""

    time: FloatArray
    strain: FloatArray
    rate: FloatArray
    acceleration: FloatArray
    speed: FloatArray
    hold: FloatArray
    hold_twist: FloatArray


class State(NamedTuple):
    """State of a run with n sampled cross-sections and p anchors or supports."""

    pose: FloatArray
    """g_o: position (m) and unit quaternion w x y z of the head section."""

    twist: FloatArray
    """eta_o in its own frame, m/s and rad/s; part of the state only if friction moves the body."""

    wrench: FloatArray
    """External force and torque on each cross-section, world frame, N and N m."""

    counts: IntArray
    """Counters; entries are named at the top of this module."""

    sums: FloatArray
    """Cumulative sums; entries are named at the top of this module."""

    worst: FloatArray
    """Worst values; entries are named at the top of this module."""

    ground: FloatArray
    """Cumulative impulse of the ground on each cross-section, world frame, N s."""

    support: FloatArray
    """Cumulative impulse of the supports on each cross-section, world frame, N s."""

    hold: FloatArray
    """Cumulative impulse of each anchor or support, world frame, N s."""

    before: FloatArray
    """`ground` and `hold` at the last row [0] and at the beginning of the call [1]."""


class Work(NamedTuple):
    """Workspace of an evaluation at one instant, with m points along the body."""

    strain: FloatArray
    """Imposed strain."""

    rate: FloatArray
    """First time derivative of the imposed strain."""

    acceleration: FloatArray
    """Second time derivative of the imposed strain."""

    speed: FloatArray
    """V_o and its derivative; NaN if it is determined by the supports alone."""

    hold: FloatArray
    """As in `StrainReference`."""

    hold_twist: FloatArray
    """As in `StrainReference`."""

    pose: FloatArray
    """Pose of the head."""

    head_twist: FloatArray
    """eta_o."""

    head_acceleration: FloatArray
    """Time derivative of eta_o."""

    frames: FloatArray
    """Frames of all points in the head's frame."""

    twist: FloatArray
    """eta in the frames of the cross-sections."""

    rate_density: FloatArray
    """Integrand of eta, in the head's frame."""

    rate_sum: FloatArray
    """Integral of eta, in the head's frame."""

    acceleration_density: FloatArray
    """Integrand of the time derivative of eta, in the head's frame."""

    acceleration_sum: FloatArray
    """Integral of the time derivative of eta, in the head's frame."""

    load_density: FloatArray
    """m eta_t - ad_eta^* M eta - F in the head's frame; F without supports."""

    load_sum: FloatArray
    """Integral of `load_density`."""

    friction_density: FloatArray
    """Part of `load_density` due to friction."""

    friction_sum: FloatArray
    """Integral of `friction_density`."""

    lift: FloatArray
    """Difference between the load on the ground and the weight per length, N/m."""

    hold_frame: FloatArray
    """Frames of supports and anchors."""

    hold_rate: FloatArray
    """`rate_sum` at the supports and anchors."""

    hold_wrench: FloatArray
    """Wrenches of supports and anchors, in the head's frame."""

    pull: FloatArray
    """External wrenches on the cross-sections in the head's frame."""

    inertia: FloatArray
    """M_o, P5 (19)."""

    resultant: FloatArray
    """F_c, P5 (35), in the head's frame."""

    column: FloatArray
    """Unit wrenches of the supports in the head's frame, moments divided by the length."""

    normal: FloatArray
    """Matrix of the least-squares problem that distributes F_c to one-sided supports."""

    target: FloatArray
    """Its right-hand side."""

    factor: FloatArray
    """Its factor."""

    part: FloatArray
    amount: FloatArray
    sign: FloatArray
    which: IntArray
    acts: IntArray
    eigen: FloatArray
    """Matrix and eigenvectors of the distribution of F_c."""

    power: FloatArray
    """Powers in the order of `State.sums`, W."""

    figures: FloatArray
    """Values in the order of `State.worst`."""

    stage: FloatArray
    """Rates of the local coordinates and of eta_o in each stage of the Runge-Kutta scheme."""

    gain_sums: FloatArray
    """Increment of `State.sums` in a step."""

    gain_ground: FloatArray
    """Increment of `State.ground` in a step."""

    gain_hold: FloatArray
    """Increment of the impulses of supports and anchors in a step."""

    stamp: FloatArray
    """Time of the last evaluation, s, and 1 if that evaluation is of the present state."""

    scratch: FloatArray
    """Scratch space."""


def knots_of(reference: StrainReference) -> Knots:
    """Return the arrays of a reference in the type that the kernels are compiled for."""
    return Knots(
        *(
            np.require(getattr(reference, name), np.float64, ["C", "W"])
            for name in ("time", "strain", "rate", "acceleration", "speed", "hold", "hold_twist")
        )
    )


def make_state(pose: FloatArray, twist: FloatArray, n: int, p: int) -> State:
    """Return the state at the start of a run, from pose (7,) and twist (6,) of the head section."""
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
    """Return the workspace for m points, n cross-sections, p anchors or supports."""
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
