"""Trend and oscillation of a track: where it goes on the whole, and how it swings about that at the gait's frequency.

What the papers' experiments are argued by: average speed (P2 VIII-D), "the same trend and
approximate frequency", a steady turn to one side (P1 VIII-E). A track in the plane, z = x + iy, is
taken as

    z(t) = a + v t + c t^2 / 2 + sum over h = 1, 2 of P_h exp(i h w t) + Q_h exp(-i h w t),

fitted by least squares; w is where the misfit with h = 1 alone is least (with both, half of it
would do as well). So the swing does not leak into the trend, however few periods were seen.
Direction and speed are those of v, in the middle of the time; it turns at Im(c / v).
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from snakestudio._arrays import FloatArray

ComplexArray = NDArray[np.complex128]

_LEAST_PERIODS = 1.5
"""Periods that have to be seen before a frequency is told."""

_FASTEST_HZ = 5.0
_FEW = 60.0
"""So many frequencies that a record tells apart are all tried by least squares."""

_EXPLAINED = 0.5
"""Share of what the trend leaves that an oscillation has to explain before a frequency is told."""


@dataclass(frozen=True, slots=True)
class Trend:
    """How a track goes on the whole."""

    speed: float
    """m/s."""

    direction: float
    """Angle from the x axis, rad."""

    turning: float
    """How fast the direction changes, rad/s, positive to the left."""

    frequency: float
    """Of the oscillation, Hz; NaN where there is none to be told."""

    amplitude: float
    """Half the length of the ellipse that its fundamental describes, m; NaN likewise."""


def trend_of(time: FloatArray, place: FloatArray, near_hz: float | None = None) -> Trend:
    """The trend of a track.

    Parameters
    ----------
    time : (k,) array
        s, at least 8 of them.
    place : (k, 2) or (k, 3) array
        m.
    near_hz : float, optional
        The frequency is sought within 40 % of this; anywhere if left out.
    """
    at = time - 0.5 * (time[0] + time[-1])
    z = place[:, 0] + 1j * place[:, 1]
    span = float(time[-1] - time[0])
    low = _LEAST_PERIODS / span
    high = min(_FASTEST_HZ, 0.25 * (len(time) - 1) / span)
    if near_hz is not None:
        low, high = max(low, 0.6 * near_hz), min(high, 1.4 * near_hz)
    plain, misfit = _fit(at, z, 0.0, 0)
    frequency = amplitude = math.nan
    solution = plain
    if high > low:
        if (
            span * (high - low) > _FEW
        ):  # among so many frequencies the strongest one is sought first
            strongest = _strongest(at, z, low, high)
            low = max(low, strongest - 1.0 / span)
            high = min(high, strongest + 1.0 / span)
        # As fine as a record of this length tells frequencies apart, four times over.
        grid = np.linspace(low, high, max(5, math.ceil(4.0 * span * (high - low)) + 1))
        values = [_fit(at, z, float(f), 1)[1] for f in grid]
        best = int(np.argmin(values))
        bounds = grid[max(0, best - 1)], grid[min(len(grid) - 1, best + 1)]
        from scipy.optimize import minimize_scalar

        found = minimize_scalar(
            lambda f: _fit(at, z, float(f), 1)[1],
            bounds=bounds,
            method="bounded",
            options={"xatol": 1e-7},
        )
        swinging, left = _fit(at, z, float(found.x), 2)
        if misfit > 0.0 and left < (1.0 - _EXPLAINED) * misfit:
            solution = swinging
            frequency = float(found.x)
            amplitude = float(abs(solution[3]) + abs(solution[4]))
    velocity = complex(solution[1])
    bend = complex(solution[2])
    turning = (bend / velocity).imag if abs(velocity) > 1e-9 else 0.0
    return Trend(
        abs(velocity), math.atan2(velocity.imag, velocity.real), turning, frequency, amplitude
    )


def _fit(
    at: FloatArray, z: ComplexArray, frequency: float, harmonics: int
) -> tuple[ComplexArray, float]:
    """Coefficients a, v, c, P_1, Q_1, P_2, Q_2 by least squares, and the mean square that is left."""
    columns: list[NDArray[np.generic]] = [np.ones(len(at)), at, 0.5 * at * at]
    for harmonic in range(1, harmonics + 1):
        wave = np.exp(2j * math.pi * harmonic * frequency * at)
        columns += [wave, wave.conj()]
    matrix = np.stack(columns, axis=1).astype(np.complex128)
    solution: ComplexArray = np.asarray(
        np.linalg.lstsq(matrix, z, rcond=None)[0], dtype=np.complex128
    )
    rest = z - matrix @ solution
    return solution, float(np.vdot(rest, rest).real) / len(at)


def _strongest(at: FloatArray, z: ComplexArray, low: float, high: float) -> float:
    """The frequency, Hz, between two with the largest power in what a parabola leaves of a track."""
    k = len(at)
    even = np.linspace(at[0], at[-1], k)
    matrix = np.stack([np.ones(k), at, at * at], axis=1).astype(np.complex128)
    rest = z - matrix @ np.linalg.lstsq(matrix, z, rcond=None)[0]
    wave = np.interp(even, at, rest.real) + 1j * np.interp(even, at, rest.imag)
    size = 4 * k
    power = np.abs(np.fft.fft(wave * np.hanning(k), size)) ** 2
    both = power[1 : size // 2] + power[-1 : -(size // 2) : -1]  # the ellipse turns either way
    frequency = np.arange(1, size // 2) / (size * float(even[1] - even[0]))
    inside = (frequency >= low) & (frequency <= high)
    return float(frequency[inside][np.argmax(both[inside])]) if inside.any() else 0.5 * (low + high)


def path_direction(
    time: FloatArray, place: FloatArray, at: FloatArray, period: float, otherwise: float
) -> FloatArray:
    """Unit vectors (k, 2) along the path of a run at the times `at`, its oscillation smoothed away.

    Within half a period of the run's ends the direction is that where the last whole period has its
    middle: less than a period would leave some of the oscillation.

    Parameters
    ----------
    time : (n,) array
        Times of the run's rows, s.
    place : (n, 3) array
    at : (k,) array
    period : float
        The path is averaged over so long, s: a period of the gait.
    otherwise : float
        Direction, rad, where the robot goes nowhere.
    """
    even = np.linspace(time[0], time[-1], max(16, min(len(time), 4000)))
    half = max(1, round(0.5 * period / float(even[1] - even[0])))
    straight = np.array([math.cos(otherwise), math.sin(otherwise)])
    if 2 * half + 3 > len(even):
        return np.tile(straight, (len(at), 1))
    track = np.stack([np.interp(even, time, place[:, axis]) for axis in (0, 1)], axis=1)
    sums = np.cumsum(np.concatenate([np.zeros((1, 2)), track]), axis=0)
    smooth = (sums[2 * half + 1 :] - sums[: -2 * half - 1]) / (2 * half + 1)
    middle = even[half:-half]
    rate = np.gradient(smooth, middle, axis=0)
    chosen = np.stack([np.interp(at, middle, rate[:, axis]) for axis in (0, 1)], axis=1)
    size = np.linalg.norm(chosen, axis=1, keepdims=True)
    still = size[:, 0] < 0.05 * float(np.median(size)) + 1e-9
    direction: FloatArray = np.divide(chosen, size, out=np.zeros_like(chosen), where=size > 0.0)
    direction[still] = straight
    return direction
