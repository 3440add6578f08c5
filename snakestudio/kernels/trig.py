"""Sine and cosine of many angles: a loop without calls, which the compiler turns into vector instructions.

The library's sincos took a seventh of a time step. Reduction and polynomials are those of
fdlibm (k_sin.c, k_cos.c); the error is about one unit in the last place of 1, and results are the
same on every machine.
"""

from __future__ import annotations

import math

from snakestudio._arrays import FloatArray
from snakestudio.kernels._jit import inlined

LARGEST = 1e5
"""Angle, rad, beyond which the library is used because the reduction here would lose digits."""

TWO_OVER_PI = 6.36619772367581382433e-01
PIO2_HEAD = 1.57079632673412561417e00
"""First 33 bits of pi/2, so that products with small integers are exact."""
PIO2_TAIL = 6.07710050650619224932e-11
ROUND = 6755399441055744.0
"""1.5 * 2^52: adding and subtracting it rounds to the nearest integer."""


@inlined
def sin_cos(angle: FloatArray, cos: FloatArray, sin: FloatArray) -> None:
    """Compute the cosine and sine of every `angle`, (n,), rad, in `cos` and `sin`."""
    n = angle.shape[0]
    small = True
    for k in range(n):
        if not abs(angle[k]) <= LARGEST:
            small = False
    if not small:
        for k in range(n):
            cos[k] = math.cos(angle[k]) if math.isfinite(angle[k]) else math.nan
            sin[k] = math.sin(angle[k]) if math.isfinite(angle[k]) else math.nan
        return
    for k in range(n):
        x = angle[k]
        quarter = (x * TWO_OVER_PI + ROUND) - ROUND
        r = (x - quarter * PIO2_HEAD) - quarter * PIO2_TAIL
        z = r * r
        s = r + r * z * (
            -1.66666666666666324348e-01
            + z
            * (
                8.33333333332248946124e-03
                + z
                * (
                    -1.98412698298579493134e-04
                    + z
                    * (
                        2.75573137070700676789e-06
                        + z * (-2.50507602534068634195e-08 + z * 1.58969099521155010221e-10)
                    )
                )
            )
        )
        c = 1.0 - (
            0.5 * z
            - z
            * z
            * (
                4.16666666666666019037e-02
                + z
                * (
                    -1.38888888888741095749e-03
                    + z
                    * (
                        2.48015872894767294178e-05
                        + z
                        * (
                            -2.75573143513906633035e-07
                            + z * (2.08757232129817482790e-09 - z * 1.13596475577881948265e-11)
                        )
                    )
                )
            )
        )
        quadrant = quarter - 4.0 * ((quarter * 0.25 + ROUND) - ROUND)  # -2, -1, 0, 1 or 2
        odd = abs(quadrant) == 1.0
        a = s if odd else c
        b = c if odd else s
        cos[k] = -a if quadrant == 1.0 or abs(quadrant) == 2.0 else a
        sin[k] = -b if quadrant == -1.0 or abs(quadrant) == 2.0 else b
