"""Two smooth functions for strain laws, with their derivatives: a bump, and a step from 0 to 1."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np

from snakestudio._arrays import FloatArray


def bump(v: FloatArray, order: int = 0) -> FloatArray:
    """Bump exp(-v^2 / (1 - v^2)) for |v| < 1, else 0 (P5 (54), corrected), or its first or second derivative.

    All its derivatives exist everywhere; its integral is 1.2069003. With q = 1 / (1 - v^2) it is
    exp(1 - q).
    """
    v = np.asarray(v, dtype=np.float64)
    inside = ~(np.abs(v) >= 1.0)  # true also where v is NaN, so that the error propagates
    u = np.where(inside, v, 0.0)
    q = 1.0 / (1.0 - u * u)
    value = np.exp(1.0 - q)
    if order == 1:
        value = -2.0 * u * q**2 * value
    elif order == 2:
        value = (4.0 * u**2 * q**4 - 2.0 * q**2 - 8.0 * u**2 * q**3) * value
    result: FloatArray = np.where(inside, value, 0.0)
    return result


def rise(v: FloatArray, order: int = 0) -> FloatArray:
    """Step from 0 (v <= 0) to 1 (v >= 1) with three continuous derivatives, or its first or second derivative.

    This is the polynomial of degree 7 whose first three derivatives vanish at both ends.
    """
    u = np.clip(np.asarray(v, dtype=np.float64), 0.0, 1.0)
    if order == 1:
        result = 140.0 * (u * (1.0 - u)) ** 3
    elif order == 2:
        result = 420.0 * (u * (1.0 - u)) ** 2 * (1.0 - 2.0 * u)
    else:
        result = u**4 * (35.0 + u * (-84.0 + u * (70.0 - 20.0 * u)))
    return np.asarray(result, dtype=np.float64)


def _numeric(function: Any, order: int) -> Any:
    return lambda v: function(v, order)


NUMERIC = {f"{f.__name__}_{order}": _numeric(f, order) for f in (bump, rise) for order in range(3)}
"""Numerical implementations of the symbolic functions, by name."""


@lru_cache(maxsize=1)
def symbolic() -> dict[str, Any]:
    """Return the functions for sympy, by name, with their first two derivatives."""
    import sympy

    def family(name: str) -> Any:
        class Second(sympy.Function):  # type: ignore[misc]
            nargs = 1

        class First(sympy.Function):  # type: ignore[misc]
            nargs = 1

            def fdiff(self, argindex: int = 1) -> Any:
                return Second(self.args[0])

        class Zeroth(sympy.Function):  # type: ignore[misc]
            nargs = 1

            def fdiff(self, argindex: int = 1) -> Any:
                return First(self.args[0])

        for order, function in enumerate((Zeroth, First, Second)):
            function.__name__ = f"{name}_{order}"
        return Zeroth

    return {name: family(name) for name in ("bump", "rise")}
