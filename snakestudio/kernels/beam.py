"""Integration along a body with imposed strain: its shape, and quantities summed up from the head (P5, IV, V).

The body is divided into slices of length h with points at both ends and in the middle: m = 2 N + 1
points for N slices. All integrals along it are computed **in the head's frame**: there (6) to (8)
and (13), which transform twists and wrenches from one cross-section to the next, are plain
integrals,

    (Ad_g eta)' = Ad_g xi_t,    (Ad_g eta_t)' = Ad_g (xi_tt - ad_xi_t eta), (Ad_k^* Lambda)' =
    Ad_k^* (M eta_t - ad_eta^* M eta - F),    g = g(X) relative to the head, k = g^-1,

of order 4 by Simpson's rule. The shape is a product of exponentials, of order 4 by the Magnus
expansion, which preserves rotations.
"""

from __future__ import annotations

from snakestudio._arrays import FloatArray
from snakestudio.kernels._jit import inlined, jit
from snakestudio.kernels.frames import bracket, move_frame, unit_frame

HEAD = 0
"""Index of the first point."""

NEAR = 6
"""Number of points that `interpolate_at` uses."""


@inlined
def _magnus(
    a: FloatArray, b: FloatArray, c: FloatArray, h: float, term: FloatArray, out: FloatArray
) -> None:
    """Twist over a slice of length h with strains `a`, `b`, `c` at its start, middle and end; error of order h^5."""
    bracket(a, c, term)
    for i in range(6):
        out[i] = h / 6.0 * (a[i] + 4.0 * b[i] + c[i]) + h * h / 12.0 * term[i]


@jit
def beam_shape(strain: FloatArray, h: float, frames: FloatArray, scratch: FloatArray) -> None:
    """Compute the frames of all points relative to the head: g' = g xi^, P5 (6).

    Parameters
    ----------
    strain : (m, 6)
    h : float
        Length of a slice, m.
    frames : (m, 12)
        Filled.
    scratch : (2, 6) or more
    """
    unit_frame(frames[0])
    term = scratch[0]
    twist = scratch[1]
    for j in range(0, strain.shape[0] - 1, 2):
        a = strain[j]
        b = strain[j + 1]
        c = strain[j + 2]
        # The first half uses the parabola through all three points, so that the middle is of order
        # 4, too.
        bracket(a, b, term)
        for i in range(6):
            twist[i] = h / 24.0 * (5.0 * a[i] + 8.0 * b[i] - c[i]) + h * h / 48.0 * term[i]
        move_frame(frames[j], twist, frames[j + 1])
        _magnus(a, b, c, h, term, twist)
        move_frame(frames[j], twist, frames[j + 2])


@jit
def accumulate(density: FloatArray, h: float, total: FloatArray) -> None:
    """Integrals of `density` (m, c) from the head to every point, to `total` (m, c), by Simpson's rule."""
    width = density.shape[1]
    for i in range(width):
        total[HEAD, i] = 0.0
    for j in range(0, density.shape[0] - 1, 2):
        for i in range(width):
            a = density[j, i]
            b = density[j + 1, i]
            c = density[j + 2, i]
            total[j + 1, i] = total[j, i] + h / 24.0 * (5.0 * a + 8.0 * b - c)
            total[j + 2, i] = total[j, i] + h / 6.0 * (a + 4.0 * b + c)


@inlined
def _place(m: int, h: float, abscissa: float) -> tuple[int, float]:
    """First point of the slice that contains `abscissa`, and the position in the slice, 0 to 1."""
    slices = (m - 1) // 2
    j = min(max(int(abscissa / h), 0), slices - 1)
    return 2 * j, abscissa / h - j  # slightly beyond the body, the last slice is extrapolated


@jit
def accumulated_at(
    density: FloatArray, total: FloatArray, h: float, abscissa: float, out: FloatArray
) -> None:
    """Interpolate the integrals of `accumulate` at any abscissa, to `out` (c,)."""
    j, u = _place(density.shape[0], h, abscissa)
    # Integrals from 0 to u of the parabolas that are 1 at one of 0, 1/2, 1, and 0 at the others.
    first = u - 1.5 * u * u + 2.0 / 3.0 * u * u * u
    second = 2.0 * u * u - 4.0 / 3.0 * u * u * u
    third = -0.5 * u * u + 2.0 / 3.0 * u * u * u
    for i in range(density.shape[1]):
        out[i] = total[j, i] + h * (
            first * density[j, i] + second * density[j + 1, i] + third * density[j + 2, i]
        )


@inlined
def near(m: int, h: float, abscissa: float) -> int:
    """First of the `NEAR` points that `interpolate_at` uses."""
    return min(max(int(2.0 * abscissa / h) - (NEAR // 2 - 1), 0), m - NEAR)


@jit
def interpolate_at(
    values: FloatArray, h: float, abscissa: float, out: FloatArray, slope: FloatArray
) -> None:
    """Interpolate values and their derivatives along X, to `out` and `slope` (c,), by Lagrange polynomials."""
    begin = near(values.shape[0], h, abscissa)
    u = 2.0 * abscissa / h - begin
    for i in range(values.shape[1]):
        out[i] = slope[i] = 0.0
    for a in range(NEAR):
        weight = 1.0
        change = 0.0
        for b in range(NEAR):
            if b != a:
                change = (change * (u - b) + weight) / (a - b)
                weight *= (u - b) / (a - b)
        for i in range(values.shape[1]):
            out[i] += weight * values[begin + a, i]
            slope[i] += change * 2.0 / h * values[begin + a, i]


@jit
def frame_at(
    strain: FloatArray,
    frames: FloatArray,
    h: float,
    abscissa: float,
    out: FloatArray,
    scratch: FloatArray,
) -> None:
    """Interpolate the frame at any abscissa.

    Parameters
    ----------
    strain, frames : (m, 6), (m, 12)
        As in `beam_shape`.
    h, abscissa : float
        m.
    out : (12,)
        Filled.
    scratch : (6, 6) or more
    """
    j, u = _place(strain.shape[0], h, abscissa)
    part = u * h
    start = (j // 2) * h
    interpolate_at(strain, h, start + 0.5 * part, scratch[3], scratch[5])
    interpolate_at(strain, h, start + part, scratch[4], scratch[5])
    _magnus(strain[j], scratch[3], scratch[4], part, scratch[0], scratch[1])
    move_frame(frames[j], scratch[1], out)
