"""Imposed strain and positions of holds at any time between the knots of a reference."""

from __future__ import annotations

from snakestudio.engines.continuum_beam.state import A_O, AT, GAINS, HOLDS, MOVES, V_O, Knots, Work
from snakestudio.kernels._jit import inlined, jit


@inlined
def find_knot(knots: Knots, time: float, hint: int) -> int:
    """Return the index of the last knot at or before `time`, up to rounding, searched from `hint` on."""
    last = knots.time.shape[0] - 1
    slack = 1e-9 * (knots.time[last] - knots.time[0])
    k: int = min(max(hint, 0), last)
    while k > 0 and knots.time[k] > time + slack:
        k -= 1
    while k < last and knots.time[k + 1] <= time + slack:
        k += 1
    return k


@jit
def fill_reference(knots: Knots, time: float, hint: int, holding: int, work: Work) -> int:
    """Fill strain, rates, speed and holds in `work` for `time`; return the knot before it, for the next search.

    Between knots, the strain is the quintic Hermite polynomial of strain, rate and acceleration at
    both knots, so that the three are consistent; at a knot it is the knot's. Holds move from the
    previous knot with their rates; whether they are active is defined by knot `holding`, because
    this changes only at knots and a step has one set of holds.
    """
    k = find_knot(knots, time, hint)
    last = knots.time.shape[0] - 1
    since = time - knots.time[k]
    span = knots.time[k + 1] - knots.time[k] if k < last else 1.0
    if abs(since) < 1e-9 * span or k == last:
        since = 0.0
        for j in range(work.strain.shape[0]):
            for e in range(6):
                work.strain[j, e] = knots.strain[k, j, e]
                work.rate[j, e] = knots.rate[k, j, e]
                work.acceleration[j, e] = knots.acceleration[k, j, e]
    else:
        u = since / span
        for j in range(work.strain.shape[0]):
            for e in range(6):
                # x(u) = sum c_i u^i with u in units of the span.
                x0 = knots.strain[k, j, e]
                x1 = knots.strain[k + 1, j, e]
                v0 = knots.rate[k, j, e] * span
                v1 = knots.rate[k + 1, j, e] * span
                a0 = 0.5 * knots.acceleration[k, j, e] * span * span
                a1 = 0.5 * knots.acceleration[k + 1, j, e] * span * span
                d = x1 - x0 - v0 - a0
                f = v1 - v0 - 2.0 * a0
                g = a1 - a0
                c3 = 10.0 * d - 4.0 * f + g
                c4 = -15.0 * d + 7.0 * f - 2.0 * g
                c5 = 6.0 * d - 3.0 * f + g
                work.strain[j, e] = x0 + u * (v0 + u * (a0 + u * (c3 + u * (c4 + u * c5))))
                work.rate[j, e] = (
                    v0 + u * (2.0 * a0 + u * (3.0 * c3 + u * (4.0 * c4 + u * 5.0 * c5)))
                ) / span
                work.acceleration[j, e] = (
                    (2.0 * a0 + u * (6.0 * c3 + u * (12.0 * c4 + u * 20.0 * c5))) / span / span
                )
    speed = knots.speed[k, V_O]
    growth = knots.speed[k, A_O]
    work.speed[0] = speed + since * growth
    work.speed[1] = growth
    for i in range(work.hold.shape[0]):
        holds = knots.hold[holding, i, HOLDS]
        # A support that releases or leaves the body before the end of the step is extrapolated from
        # the beginning of the step.
        base = k if holds < 0.5 or knots.hold[k, i, HOLDS] > 0.5 else holding
        moved = time - knots.time[base]
        at = knots.hold[base, i, AT]
        moves = knots.hold[base, i, MOVES]
        gains = knots.hold[base, i, GAINS]
        work.hold[i, HOLDS] = holds
        work.hold[i, AT] = at + moved * (moves + 0.5 * moved * gains)
        work.hold[i, MOVES] = moves + moved * gains
        work.hold[i, GAINS] = gains
        for e in range(6):
            work.hold_twist[i, e] = (
                knots.hold_twist[base, i, e] + moved * knots.hold_twist[base, i, 6 + e]
            )
            work.hold_twist[i, 6 + e] = knots.hold_twist[base, i, 6 + e]
    return k
