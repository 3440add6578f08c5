"""Trend and oscillation of a track: its mean motion, and the oscillation about it at the frequency of the gait.

The quantities used in the experiments of the papers: average speed (P2 VIII-D), "the same trend and
approximate frequency", a steady turn to one side (P1 VIII-E). A track in the plane, z = x + iy, is
modelled as

    z(t) = a + v t + c t^2 / 2 + sum over h = 1, 2 of P_h exp(i h w t) + Q_h exp(-i h w t),

fitted by least squares; w minimizes the misfit with h = 1 alone (with both, w / 2 would fit
equally well). So the oscillation does not affect the trend, even if only a few periods were measured.
Direction and speed are those of v, at the middle of the time; the turning rate is Im(c / v).
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from snakestudio._arrays import FloatArray

ComplexArray = NDArray[np.complex128]

_LEAST_PERIODS = 1.5
"""Smallest number of periods for a frequency."""

_FASTEST_HZ = 5.0
_FEW = 60.0
"""Up to this many distinguishable frequencies, all are tried by least squares."""

_EXPLAINED = 0.5
"""Fraction of the rest without the trend that an oscillation must explain."""


@dataclass(frozen=True, slots=True)
class Trend:
    """Trend of a track."""

    speed: float
    """m/s."""

    direction: float
    """Angle from the x axis, rad."""

    turning: float
    """Rate of change of the direction, rad/s, positive to the left."""

    frequency: float
    """Frequency of the oscillation, Hz; NaN if there is none."""

    amplitude: float
    """Half the length of the ellipse of the fundamental, m; NaN if there is none."""


def trend_of(time: FloatArray, position: FloatArray, near_hz: float | None = None) -> Trend:
    """Return the trend of a track.

    Parameters
    ----------
    time : (k,) array
        s, at least 8 of them.
    position : (k, 2) or (k, 3) array
        m.
    near_hz : float, optional
        The frequency is searched within 40 % of this; over the whole range if omitted.
    """
    at = time - 0.5 * (time[0] + time[-1])
    z = position[:, 0] + 1j * position[:, 1]
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
        ):  # if there are many frequencies, the strongest one is found first
            strongest = _strongest(at, z, low, high)
            low = max(low, strongest - 1.0 / span)
            high = min(high, strongest + 1.0 / span)
        # Four times finer than the frequency resolution of a record of this length.
        grid = np.linspace(low, high, max(5, math.ceil(4.0 * span * (high - low)) + 1))
        values = [_fit(at, z, float(f), 1)[1] for f in grid]
        best = int(np.argmin(values))
        bounds = grid[max(0, best - 1)], grid[min(len(grid) - 1, best + 1)]
        from scipy.optimize import minimize_scalar

        optimum = minimize_scalar(
            lambda f: _fit(at, z, float(f), 1)[1],
            bounds=bounds,
            method="bounded",
            options={"xatol": 1e-7},
        )
        swinging, left = _fit(at, z, float(optimum.x), 2)
        if misfit > 0.0 and left < (1.0 - _EXPLAINED) * misfit:
            solution = swinging
            frequency = float(optimum.x)
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
    """Return the coefficients a, v, c, P_1, Q_1, P_2, Q_2 by least squares, and the remaining mean square."""
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
    """Return the frequency, Hz, in a range, with the largest power after a parabola is subtracted from the track."""
    k = len(at)
    even = np.linspace(at[0], at[-1], k)
    matrix = np.stack([np.ones(k), at, at * at], axis=1).astype(np.complex128)
    rest = z - matrix @ np.linalg.lstsq(matrix, z, rcond=None)[0]
    wave = np.interp(even, at, rest.real) + 1j * np.interp(even, at, rest.imag)
    size = 4 * k
    power = np.abs(np.fft.fft(wave * np.hanning(k), size)) ** 2
    both = (
        power[1 : size // 2] + power[-1 : -(size // 2) : -1]
    )  # the ellipse may turn in both directions
    frequency = np.arange(1, size // 2) / (size * float(even[1] - even[0]))
    inside = (frequency >= low) & (frequency <= high)
    return float(frequency[inside][np.argmax(both[inside])]) if inside.any() else 0.5 * (low + high)


def path_direction(
    time: FloatArray, position: FloatArray, at: FloatArray, period: float, otherwise: float
) -> FloatArray:
    """Return unit vectors (k, 2) along the path of a run at the times `at`, with its oscillation smoothed out.

    Within half a period of the ends of the run, the direction is that of the middle of the last whole
    period: averaging over less than a period would leave part of the oscillation.

    Parameters
    ----------
    time : (n,) array
        Times of the run's rows, s.
    position : (n, 3) array
    at : (k,) array
    period : float
        Averaging time of the path, s: a period of the gait.
    otherwise : float
        Direction, rad, if the robot does not move.
    """
    even = np.linspace(time[0], time[-1], max(16, min(len(time), 4000)))
    half = max(1, round(0.5 * period / float(even[1] - even[0])))
    straight = np.array([math.cos(otherwise), math.sin(otherwise)])
    if 2 * half + 3 > len(even):
        return np.tile(straight, (len(at), 1))
    track = np.stack([np.interp(even, time, position[:, axis]) for axis in (0, 1)], axis=1)
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
