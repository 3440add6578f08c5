"""Friction laws of the ground beyond one disc: direction-dependent, per component, or along the unit velocity.

All three laws are written in the coordinates of `ChainImpulses.friction`, so that the impulse on a
link is linear in them; only this module uses the shares of the larger coefficient along the link
that a force in either direction can reach. With s = (P_1 / share, P_2), where `share` belongs to
the direction of P_1, and N the load:

- HALVES: two half ellipses, joined where there is no force along. Where P_1 > 0 the normal of the
  ellipse is that of the disc |s| <= N, if the velocity along is also multiplied by the share:
  -(share gamma_1, gamma_2) in N_disc(s).
- UNIT_VELOCITY: the force is -N v / |v|, each component multiplied by its coefficient: -v in
  N_disc(s), with v unscaled. Sticking inside the ellipse, slip along v instead of the normal:
  no maximal dissipation, no symmetry.
- BOX: P_1 from -share N to share N, P_2 from -N to N, independently.

A direction of HALVES without friction (a ratchet) leaves an interval across: no force acts along
the link.
"""

from __future__ import annotations

import math

from snakestudio._arrays import FloatArray
from snakestudio.kernels._jit import jit
from snakestudio.kernels.axes import X, Y
from snakestudio.kernels.planar_chain import B_X, B_Y, SKEW, XX, XY, YY
from snakestudio.kernels.planar_problem import (
    ACROSS,
    AGAINST,
    ALONG,
    B_1,
    B_2,
    BOX,
    CURVE,
    FORCE_1,
    FORCE_2,
    HALVES,
    HOLD_1,
    HOLD_2,
    PROX,
    PUSH_1,
    PUSH_2,
    RATE_1,
    RATE_2,
    SOFT,
    UNIT_VELOCITY,
    WITH,
    ChainImpulses,
    ChainProblem,
)
from snakestudio.kernels.planar_scratch import BETA, GAMMA_1, GAMMA_2, N_1, N_2, NORM, SIDE

APART = -1.0
"""Value of SIDE if each component has a separate interval."""


@jit
def choose_side(
    kind: int, plus: float, minus: float, p: float, gamma: float, prox_r: float
) -> tuple[float, float]:
    """The point y_1 = s_1 - r gamma_s of the disc, and the share of its side (0: no force along the link).

    The initial side is that of the force, or the one opposite to the velocity if there is no force.
    A point that crosses to the other side continues in the scale of that side.
    """
    up = p > 0.0 or (p == 0.0 and gamma < 0.0)
    own, other = (plus, minus) if up else (minus, plus)
    if own == 0.0:
        # The force must vanish; a force on the other side starts if the link slides that way.
        y = -prox_r * other * gamma
        return (y, other) if (y < 0.0) == up and y != 0.0 else (0.0, 0.0)
    y = p / own - prox_r * (own if kind == HALVES else 1.0) * gamma
    if (y < 0.0) if up else (y > 0.0):
        if other == 0.0:
            return 0.0, 0.0
        return (y * other / own if kind == HALVES else y), other
    return y, own


@jit
def bound(side: float, law: FloatArray, k: int, kind: int, radius: float) -> float:
    """Largest impulse along link k in direction +1 or -1, if components are treated separately."""
    if kind != BOX:
        return 0.0
    largest: float = radius * (law[k, WITH] if side > 0.0 else law[k, AGAINST])
    return largest


@jit
def evaluate_directional(
    problem: ChainProblem, impulses: ChainImpulses, friction: FloatArray
) -> tuple[float, float]:
    """Natural maps of the friction on the ground: the largest, N s, and the sum of squares, N^2 s^2."""
    worst = squares = 0.0
    law = problem.law
    kind = problem.kind
    for k in range(law.shape[0]):
        radius = problem.load[k]
        prox_r = law[k, PROX]
        if prox_r <= 0.0 or radius <= 0.0:
            continue
        p1, p2 = impulses.friction[k, ALONG], impulses.friction[k, ACROSS]
        g1, g2 = friction[k, GAMMA_1], friction[k, GAMMA_2]
        y1, y2 = p1 - prox_r * g1, p2 - prox_r * g2
        side = 0.0
        if kind != BOX:
            y1, side = choose_side(kind, law[k, WITH], law[k, AGAINST], p1, g1, prox_r)
        if side > 0.0:
            norm = math.sqrt(y1 * y1 + y2 * y2)
            friction[k, NORM] = norm
            friction[k, SIDE] = side
            near_1, near_2 = y1, y2
            if norm > radius:
                n1, n2 = y1 / norm, y2 / norm
                friction[k, N_1] = n1
                friction[k, N_2] = n2
                near_1, near_2 = radius * n1, radius * n2
            d1 = p1 - side * near_1
            d2 = p2 - near_2
            if kind == HALVES:
                d1 /= side
        else:
            friction[k, SIDE] = APART
            friction[k, N_1] = y1
            friction[k, N_2] = y2
            d1 = p1 - min(
                max(y1, -bound(-1.0, law, k, kind, radius)), bound(1.0, law, k, kind, radius)
            )
            d2 = p2 - min(max(y2, -radius), radius)
        square = d1 * d1 + d2 * d2
        squares += square
        worst = max(worst, square)
    return math.sqrt(worst), squares


@jit
def linearise_directional(
    problem: ChainProblem, impulses: ChainImpulses, friction: FloatArray, local: FloatArray
) -> bool:
    """Add the friction on the ground to the local matrices, including skew parts; return whether any is nonzero."""
    skew = False
    law = problem.law
    kind = problem.kind
    for k in range(law.shape[0]):
        radius = problem.load[k]
        if law[k, PROX] <= 0.0 or radius <= 0.0:
            continue
        cos, sin = problem.cos[k], problem.sin[k]
        p1, p2 = impulses.friction[k, ALONG], impulses.friction[k, ACROSS]
        g1, g2 = friction[k, GAMMA_1], friction[k, GAMMA_2]
        side = friction[k, SIDE]
        f1 = law[k, FORCE_1] * p1 - law[k, PUSH_1] * g1
        f2 = law[k, FORCE_2] * p2 - law[k, PUSH_2] * g2
        hold_1, hold_2 = law[k, HOLD_1], law[k, HOLD_2]
        if side == APART:
            y1, y2 = friction[k, N_1], friction[k, N_2]
            low = -bound(-1.0, law, k, kind, radius)
            high = bound(1.0, law, k, kind, radius)
            if y1 <= low or y1 >= high:
                f1 = law[k, FORCE_1] * min(max(y1, low), high)
                hold_1 = 0.0
            if abs(y2) > radius:
                f2 = law[k, FORCE_2] * (radius if y2 > 0.0 else -radius)
                hold_2 = 0.0
        elif friction[k, NORM] > radius:
            n1, n2 = friction[k, N_1], friction[k, N_2]
            share = side if kind == HALVES else 1.0  # factor of the velocity along, in the disc
            beta = 1.0 / ((friction[k, NORM] - radius) * law[k, CURVE] / radius + law[k, SOFT])
            friction[k, BETA] = beta
            pull = beta * ((n1 * p2 - n2 * p1 / side) * law[k, SOFT] - (n1 * g2 - n2 * share * g1))
            force_1 = side * law[k, FORCE_1]
            force_2 = law[k, FORCE_2]
            f1 = force_1 * (n1 * radius - n2 * pull)
            f2 = force_2 * (n2 * radius + n1 * pull)
            hold_1 = hold_2 = 0.0
            w1 = -force_1 * n2
            w2 = force_2 * n1
            v1 = -share * law[k, RATE_1] * n2
            v2 = law[k, RATE_2] * n1
            wx = w1 * cos - w2 * sin
            wy = w1 * sin + w2 * cos
            vx = v1 * cos - v2 * sin
            vy = v1 * sin + v2 * cos
            local[k, XX] += beta * wx * vx
            local[k, XY] += 0.5 * beta * (wx * vy + wy * vx)
            local[k, YY] += beta * wy * vy
            if kind == UNIT_VELOCITY:
                local[k, SKEW] += 0.5 * beta * (wx * vy - wy * vx)
                skew = True
        local[k, XX] += hold_1 * cos * cos + hold_2 * sin * sin
        local[k, XY] += (hold_1 - hold_2) * cos * sin
        local[k, YY] += hold_1 * sin * sin + hold_2 * cos * cos
        local[k, B_X] += f1 * cos - f2 * sin
        local[k, B_Y] += f1 * sin + f2 * cos
    return skew


@jit
def update_directional(
    problem: ChainProblem, impulses: ChainImpulses, friction: FloatArray, du: FloatArray
) -> None:
    """Apply the full Newton step: scaled sliding velocities by the increments of all links, then impulses."""
    law = problem.law
    kind = problem.kind
    for k in range(law.shape[0]):
        radius = problem.load[k]
        if law[k, PROX] <= 0.0 or radius <= 0.0:
            continue
        cos = problem.cos[k]
        sin = problem.sin[k]
        dx = du[k, X]
        dy = du[k, Y]
        p1, p2 = impulses.friction[k, ALONG], impulses.friction[k, ACROSS]
        g1 = friction[k, GAMMA_1] + law[k, RATE_1] * (cos * dx + sin * dy)
        g2 = friction[k, GAMMA_2] + law[k, RATE_2] * (cos * dy - sin * dx)
        friction[k, GAMMA_1] = g1
        friction[k, GAMMA_2] = g2
        side = friction[k, SIDE]
        held_1, held_2 = p1 - law[k, B_1] * g1, p2 - law[k, B_2] * g2
        if side == APART:
            y1, y2 = friction[k, N_1], friction[k, N_2]
            low = -bound(-1.0, law, k, kind, radius)
            high = bound(1.0, law, k, kind, radius)
            if y1 <= low or y1 >= high:
                held_1 = min(max(y1, low), high)
            if abs(y2) > radius:
                held_2 = radius if y2 > 0.0 else -radius
        elif friction[k, NORM] > radius:
            n1, n2 = friction[k, N_1], friction[k, N_2]
            share = side if kind == HALVES else 1.0
            pull = friction[k, BETA] * (
                (n1 * p2 - n2 * p1 / side) * law[k, SOFT] - (n1 * g2 - n2 * share * g1)
            )
            held_1 = side * (n1 * radius - n2 * pull)
            held_2 = n2 * radius + n1 * pull
        impulses.friction[k, ALONG] = held_1
        impulses.friction[k, ACROSS] = held_2
