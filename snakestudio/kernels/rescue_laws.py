"""Contact laws smoothed by tau > 0: their errors at a point, and their slopes there.

With y = P - r gamma the exact laws are P_N = max(y_N, 0) and P_T = y_T P_N / max(P_N, |y_T|).
The smoothed first law is phi(y_N) = (y_N + sqrt(y_N^2 + 4 tau^2)) / 2, and the maximum in the
friction law is smoothed in the same way.
"""

from __future__ import annotations

import math

from snakestudio._arrays import FloatArray
from snakestudio.kernels._jit import inlined, jit
from snakestudio.kernels.rescue_points import (
    DISC_T,
    DISC_V,
    JOINT_K,
    JOINT_Q,
    JOINT_S,
    K_1N,
    K_2N,
    K_11,
    K_12,
    K_21,
    K_22,
    K_N,
    Q_1,
    Q_2,
    Q_N,
    S_1,
    S_2,
    S_N,
    Point,
    RescueScratch,
)
from snakestudio.kernels.spatial_problem import (
    GAIN_N,
    GAIN_T,
    GAIN_V,
    IMPULSE_HIGH,
    IMPULSE_LOW,
    LAW_GAIN,
    LAW_N,
    LAW_T,
    LAW_V,
    REBOUND,
    SHARE_MINUS,
    SHARE_PLUS,
    SpatialProblem,
)


@inlined
def _phi(y: float, tau: float) -> tuple[float, float, float]:
    """Smoothed max(y, 0), its slope, and its derivative by ln tau."""
    if tau == 0.0:
        return (y, 1.0, 0.0) if y > 0.0 else (0.0, 0.0, 0.0)
    root = math.sqrt(y * y + 4.0 * tau * tau)
    per_root = 1.0 / root
    # Avoids the difference of two nearly equal numbers where y is negative.
    value = 0.5 * (y + root) if y > 0.0 else 2.0 * tau * tau / (root - y)
    return value, value * per_root, 2.0 * tau * tau * per_root


@inlined
def _within(y: float, low: float, high: float, tau: float) -> tuple[float, float, float]:
    """Smoothed projection of y on [low, high], of which one may be infinite; slope and derivative as of `_phi`."""
    if high == math.inf:
        value, slope, growth = _phi(y - low, tau)
        return low + value, slope, growth
    if low == -math.inf:
        value, slope, growth = _phi(high - y, tau)
        return high - value, slope, -growth
    above, over, growth_above = _phi(y - high, tau)
    below, under, growth_below = _phi(low - y, tau)
    return y - above + below, 1.0 - over - under, growth_below - growth_above


@inlined
def _point(
    at: Point,
    anchor: FloatArray,
    c: int,
    i: int,
    gain: float,
    tau: float,
    shift: float,
    plus: float,
    minus: float,
) -> tuple[float, float, float, float, float, float]:
    """The point y of the disc of laws i and i + 1 of contact c.

    `plus` and `minus` are the shares of law i (see `prox.halves`). If one of them is 0, the
    impulse along is one-sided and is smoothed like a normal impulse.

    Returns
    -------
    (float, float, float, float, float, float)
        y, N s; the unit of impulse i; the slopes of y_1 by this impulse and by
        -gain gamma_i; and the derivative of y_1 by ln tau.
    """
    impulse = at.contact[c, i]
    p2 = at.contact[c, i + 1]
    gamma_1: float = at.gamma[c, i]
    y2 = p2 - shift * (p2 - anchor[c, i + 1]) - gain * at.gamma[c, i + 1]
    p1 = impulse - shift * (impulse - anchor[c, i])
    if plus == 0.0 or minus == 0.0:
        only = max(plus, minus)
        if only == 0.0:
            return 0.0, y2, 1.0, 0.0, 0.0, 0.0
        sign = 1.0 if plus > 0.0 else -1.0
        value, slope, growth = _phi(sign * (p1 / only - gain * only * gamma_1), tau)
        return sign * value, y2, only, slope, only * slope, sign * growth
    towards_plus = impulse > 0.0 or (impulse == 0.0 and gamma_1 < 0.0)
    own, other = (plus, minus) if towards_plus else (minus, plus)
    y1 = p1 / own - gain * own * gamma_1
    stretch = 1.0
    pull = own
    crosses = y1 < 0.0 if towards_plus else y1 > 0.0
    if crosses:  # it continues in the scale of the other side
        stretch = other / own
        y1 *= stretch
        pull *= stretch
    return y1, y2, own, stretch, pull, 0.0


Load = tuple[float, float, float, float]
"""Load of a disc: the smoothed load (its radius), N s, its slope by y_N, its derivative by
ln tau, and the gain of the normal law."""

Smoothing = tuple[float, float, float, float]
"""tau, reduction, shift and loss as in `linearise`."""


@inlined
def _linearise_disc(
    at: Point,
    anchor: FloatArray,
    c: int,
    i: int,
    gain: float,
    load: Load,
    smoothing: Smoothing,
    law: FloatArray,
    d: int,
    plus: float,
    minus: float,
) -> float:
    """Linearise the disc of laws i and i + 1 of contact c into law[c, d:]; return the square of its error.

    `plus` and `minus` are as in `_point`.
    """
    radius, slope, growth, gain_n = load
    tau, reduction, shift, loss = smoothing
    keep = 1.0 - reduction
    y1, y2, size, stretch, pull, along = _point(at, anchor, c, i, gain, tau, shift, plus, minus)
    per_size = 1.0 / size
    p1 = per_size * at.contact[c, i]
    p2 = at.contact[c, i + 1]
    norm = math.sqrt(y1 * y1 + y2 * y2 + tau * tau)
    k_radius = k_norm = grown = per_norm = 0.0
    if tau == 0.0:
        k = 1.0
        if norm > radius:
            per_norm = 1.0 / norm
            k = radius * per_norm
            k_radius = per_norm
            k_norm = -radius * per_norm * per_norm
    else:
        # k = R / M with M = (R + |y| + root) / 2, the smoothed maximum of R and |y|.
        apart = radius - norm
        root = math.sqrt(apart * apart + 4.0 * tau * tau)
        inverse = 2.0 / (radius + norm + root)
        per_root = 1.0 / root
        per_norm = 1.0 / norm
        k = radius * inverse
        lean = 0.5 * apart * per_root
        k_radius = inverse * (1.0 - k * (0.5 + lean))
        k_norm = -k * inverse * (0.5 - lean)
        grown = k_radius * growth + tau * tau * (k_norm * per_norm - 2.0 * k * inverse * per_root)
    f1, f2 = p1 - k * y1, p2 - k * y2
    u1, u2 = y1 * per_norm, y2 * per_norm
    n1, n2 = k_radius * slope * y1, k_radius * slope * y2
    e11 = k + k_norm * y1 * u1
    e21 = k_norm * y2 * u1
    d11 = stretch * e11
    d12 = k_norm * y1 * u2
    d21 = stretch * e21
    d22 = k + k_norm * y2 * u2
    # C^-1 with C = 1 - keep D
    c11 = 1.0 - keep * d11
    c12 = -keep * d12
    c21 = -keep * d21
    c22 = 1.0 - keep * d22
    inverse = 1.0 / (c11 * c22 - c12 * c21)
    i11 = c22 * inverse
    i12 = -c12 * inverse
    i21 = -c21 * inverse
    i22 = c11 * inverse
    push_n, push_s = keep * law[c, Q_N], keep * law[c, S_N]
    a1, a2 = n1 * push_n - f1, n2 * push_n - f2
    law[c, d + Q_1] = size * (i11 * a1 + i12 * a2)
    law[c, d + Q_2] = i21 * a1 + i22 * a2
    away_1 = per_size * (at.contact[c, i] - anchor[c, i])
    away_2 = p2 - anchor[c, i + 1]
    a1 = n1 * push_s + grown * y1 + e11 * along - loss * (d11 * away_1 + d12 * away_2)
    a2 = n2 * push_s + grown * y2 + e21 * along - loss * (d21 * away_1 + d22 * away_2)
    law[c, d + S_1] = size * (i11 * a1 + i12 * a2)
    law[c, d + S_2] = i21 * a1 + i22 * a2
    stiff = gain_n + keep * law[c, K_N]
    law[c, d + K_1N] = size * (stiff * (i11 * n1 + i12 * n2))
    law[c, d + K_2N] = stiff * (i21 * n1 + i22 * n2)
    law[c, d + K_11] = size * (pull * (gain * (i11 * e11 + i12 * e21)))
    law[c, d + K_12] = size * (gain * (i11 * d12 + i12 * d22))
    law[c, d + K_21] = pull * (gain * (i21 * e11 + i22 * e21))
    law[c, d + K_22] = gain * (i21 * d12 + i22 * d22)
    square: float = f1 * f1 + f2 * f2
    return square


@jit
def linearise(
    problem: SpatialProblem,
    at: Point,
    tau: float,
    reduction: float,
    shift: float,
    factor: float,
    loss: float,
    s: RescueScratch,
) -> float:
    """Linearise all laws, smoothed by `tau` (N s), at a point; return the sum of squares of their errors, N^2 s^2.

    `factor` multiplies all gains. `shift` is the compliance of the contacts, as a fraction of the
    difference of their impulses from those of `s.anchor`, and `loss` its derivative by ln tau. A
    contact without a normal gain has a given load: its normal impulse.
    """
    squares = 0.0
    law = s.law
    anchor = s.anchor
    smoothing = tau, reduction, shift, loss
    for c in range(problem.first[problem.axis.shape[0]]):
        gain = factor * problem.gain[c, GAIN_N]
        p = at.contact[c, LAW_N]
        radius = p
        slope = 0.0
        growth = 0.0
        if gain > 0.0:
            away = p - anchor.contact[c, LAW_N]
            radius, slope, growth = _phi(p - shift * away - gain * at.gamma[c, LAW_N], tau)
            growth -= slope * loss * away
        error = p - radius
        inverse = 1.0 / (1.0 - (1.0 - reduction) * slope)
        law[c, K_N] = inverse * slope * gain
        law[c, Q_N] = -inverse * error
        law[c, S_N] = inverse * growth
        squares += error * error
        load = radius, slope, growth, gain
        gain_t, gain_v = factor * problem.gain[c, GAIN_T], factor * problem.gain[c, GAIN_V]
        if gain_t > 0.0:
            squares += _linearise_disc(
                at,
                anchor.contact,
                c,
                LAW_T,
                gain_t,
                load,
                smoothing,
                law,
                DISC_T,
                problem.gain[c, SHARE_PLUS],
                problem.gain[c, SHARE_MINUS],
            )
        if gain_v > 0.0:
            squares += _linearise_disc(
                at,
                anchor.contact,
                c,
                LAW_V,
                gain_v,
                load,
                smoothing,
                law,
                DISC_V,
                1.0,
                1.0,
            )
    if problem.n_laws > 0:
        per_length = 0.5 / problem.half
        soft = tau / per_length
        for j in range(problem.axes.shape[0]):
            low, high = problem.axes[j, IMPULSE_LOW], problem.axes[j, IMPULSE_HIGH]
            if low < high:
                gain = factor * problem.axes[j, LAW_GAIN]
                p = at.joint[j]
                away = p - anchor.joint[j]
                y = p - shift * away - gain * (at.rate[j] - problem.axes[j, REBOUND])
                value, slope, growth = _within(y, low, high, soft)
                growth -= slope * loss * away
                inverse = 1.0 / (1.0 - (1.0 - reduction) * slope)
                s.joint[j, JOINT_K] = inverse * slope * gain
                s.joint[j, JOINT_Q] = -inverse * (p - value)
                s.joint[j, JOINT_S] = inverse * growth
                squares += ((p - value) * per_length) ** 2
    return squares


@inlined
def _disc_error(
    at: Point,
    anchor: FloatArray,
    c: int,
    i: int,
    gain: float,
    radius: float,
    tau: float,
    shift: float,
    plus: float,
    minus: float,
) -> float:
    """Square of the error, as in `_linearise_disc`, without slopes."""
    y1, y2, size, _, _, _ = _point(at, anchor, c, i, gain, tau, shift, plus, minus)
    norm = math.sqrt(y1 * y1 + y2 * y2 + tau * tau)
    k = radius / norm if norm > radius else 1.0
    if tau > 0.0:
        apart = radius - norm
        k = 2.0 * radius / (radius + norm + math.sqrt(apart * apart + 4.0 * tau * tau))
    f1 = at.contact[c, i] / size - k * y1
    f2 = at.contact[c, i + 1] - k * y2
    square: float = f1 * f1 + f2 * f2
    return square


@jit
def squared_error(
    problem: SpatialProblem, at: Point, tau: float, shift: float, factor: float, s: RescueScratch
) -> float:
    """Sum of squares, as in `linearise`, without slopes, which trial points do not need."""
    squares = 0.0
    anchor = s.anchor
    for c in range(problem.first[problem.axis.shape[0]]):
        gain = factor * problem.gain[c, GAIN_N]
        p = at.contact[c, LAW_N]
        radius = p
        if gain > 0.0:
            radius, _, _ = _phi(
                p - shift * (p - anchor.contact[c, LAW_N]) - gain * at.gamma[c, LAW_N], tau
            )
        squares += (p - radius) * (p - radius)
        gain_t, gain_v = factor * problem.gain[c, GAIN_T], factor * problem.gain[c, GAIN_V]
        if gain_t > 0.0:
            plus = problem.gain[c, SHARE_PLUS]
            minus = problem.gain[c, SHARE_MINUS]
            squares += _disc_error(
                at, anchor.contact, c, LAW_T, gain_t, radius, tau, shift, plus, minus
            )
        if gain_v > 0.0:
            squares += _disc_error(
                at, anchor.contact, c, LAW_V, gain_v, radius, tau, shift, 1.0, 1.0
            )
    if problem.n_laws > 0:
        per_length = 0.5 / problem.half
        for j in range(problem.axes.shape[0]):
            low, high = problem.axes[j, IMPULSE_LOW], problem.axes[j, IMPULSE_HIGH]
            if low < high:
                p = at.joint[j]
                away = p - anchor.joint[j]
                gain = factor * problem.axes[j, LAW_GAIN]
                y = p - shift * away - gain * (at.rate[j] - problem.axes[j, REBOUND])
                value, _, _ = _within(y, low, high, tau / per_length)
                squares += ((p - value) * per_length) ** 2
    return squares
