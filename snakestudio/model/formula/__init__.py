"""Typed formulas: differentiated and compiled to numpy, once per text.

sympy is slow to import, so it is only imported when the first formula is read.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from snakestudio.errors import FormulaError
from snakestudio.model.formula.reader import expression
from snakestudio.model.robot.smooth_steps import NUMERIC

__all__ = ["ACCELERATION", "SPEED", "Formula", "Number", "primitive", "read"]

Number = NDArray[np.float64] | np.float64
"""Operands of a formula: numpy arrays or scalars, which do not raise at poles."""

SPEED = "_speed"
ACCELERATION = "_acceleration"
"""Names of ds/dt and its derivative among the operands of a formula; users cannot type them."""

LARGEST_EXPONENT = 40
"""Largest exponent of a power of a power."""

MOST_CALLS = 9_000_000
"""Number of calls and returns after which processing a formula is aborted, some seconds. Calls are
counted instead of timed, so that all machines reject the same formulas."""

QUICK = 100
"""Number of characters up to which every formula is fast; counting calls would double its time."""


@dataclass(frozen=True, eq=False, slots=True)
class Formula:
    """Formula that is ready for evaluation."""

    expression: Any
    uses: frozenset[str]
    """Names that it depends on."""

    order: tuple[str, ...]
    """Names of its operands."""

    function: Callable[..., Any]
    """Compiled function of these operands."""

    parts: tuple[Any, ...] = ()
    """Symbolic results of `at`."""

    @property
    def zero(self) -> bool:
        """Whether it is identically 0."""
        return bool(self.expression == 0)

    def at(self, values: Mapping[str, Number]) -> tuple[Number, Number, Number, Number]:
        """Value, total first and second time derivative, and slope along X, where s = X + integral of the speed.

        Parameters
        ----------
        values : mapping
            Broadcastable arrays for each name in `order`. At poles of the formula the result is not
            finite.
        """
        with np.errstate(all="ignore"):
            value, rate, acceleration, slope = self.function(*(values[name] for name in self.order))
        return value, rate, acceleration, slope


def read(
    text: str,
    unit: str,
    names: Mapping[str, str],
    zero: frozenset[str] = frozenset(),
    elsewhere: Mapping[str, str] | None = None,
) -> Formula:
    """Parse `text` as a formula; the parameters are those of `formula.reader.expression`.

    Raises `FormulaError` if it is unusable.
    """
    result = _read(
        text, unit, tuple(names.items()), zero.intersection(names), tuple((elsewhere or {}).items())
    )
    if isinstance(result, FormulaError):
        raise FormulaError(result.message, result.remedy, result.start, result.stop)
    return result


def _too_long() -> FormulaError:
    return FormulaError(
        "the formula takes too long to differentiate",
        "simplify it, especially nested terms",
    )


class _TooLongError(BaseException):
    """Derives from BaseException, so that no caller in between handles it as its own error."""


@contextmanager
def _counted(quick: bool = False) -> Iterator[None]:
    """Limit the calls in the block, raising FormulaError beyond; `quick` blocks are not counted.

    If another profiler is active, nothing is counted, because Python supports only one.
    """
    import sympy  # noqa: F401  (so that the import is not counted)

    if quick or sys.getprofile() is not None:
        yield
        return
    left = MOST_CALLS

    def count(frame: Any, event: str, value: Any) -> None:
        nonlocal left
        left -= 1
        if left < 0:
            raise _TooLongError

    def dropped(lost: sys.UnraisableHookArgs) -> None:
        # An exception cannot be raised out of a finalizer, and Python ends the counting with it: it is
        # raised soon after.
        nonlocal left
        if isinstance(lost.exc_value, _TooLongError):
            left = 10  # enough calls to leave this function
            sys.setprofile(count)
        else:
            others(lost)

    others = sys.unraisablehook
    sys.unraisablehook = dropped
    sys.setprofile(count)
    try:
        yield
    except _TooLongError:
        raise _too_long() from None
    finally:
        sys.setprofile(None)
        sys.unraisablehook = others


@lru_cache(maxsize=512)
def _read(
    text: str,
    unit: str,
    names: tuple[tuple[str, str], ...],
    zero: frozenset[str],
    elsewhere: tuple[tuple[str, str], ...],
) -> Formula | FormulaError:
    try:
        with _counted(len(text) <= QUICK):
            return formula_of(text, unit, names, zero, elsewhere)
    except FormulaError as error:  # cached as well, because some take seconds to reject
        return error.with_traceback(None)


def formula_of(
    text: str,
    unit: str,
    names: tuple[tuple[str, str], ...],
    zero: frozenset[str],
    elsewhere: tuple[tuple[str, str], ...],
) -> Formula:
    import sympy

    refused = FormulaError(
        "the formula has no finite real value",
        "avoid 1/0, and roots and logarithms of negative numbers",
    )
    try:
        term = sympy.sympify(expression(text, unit, dict(names), zero, dict(elsewhere)))
        t, x, s, v, a = (
            sympy.Symbol(name, real=True) for name in ("t", "X", "s", SPEED, ACCELERATION)
        )
        rate = term.diff(t) + v * term.diff(s)
        second = rate.diff(t) + v * rate.diff(s) + a * rate.diff(v)
        parts = [term, rate, second, term.diff(x) + term.diff(s)]
        # at the kink of an absolute value
        parts = [part.replace(sympy.DiracDelta, lambda *_: sympy.S.Zero) for part in parts]
        for part in parts:
            if part.has(sympy.zoo, sympy.nan, sympy.oo, -sympy.oo, sympy.I):
                raise refused
            if any(
                p.exp.is_Number and abs(p.exp) > LARGEST_EXPONENT for p in part.atoms(sympy.Pow)
            ):
                raise FormulaError(
                    "its powers are too large", f"keep exponents below {LARGEST_EXPONENT}"
                )
        used = set().union(*(part.free_symbols for part in parts))
        symbols = sorted(used, key=lambda symbol: str(symbol.name))
        function = sympy.lambdify(
            symbols, parts, modules=[NUMERIC, "numpy"], cse=True, docstring_limit=0
        )
    except FormulaError:
        raise
    except (
        RecursionError
    ) as error:  # depends on the caller's stack depth, so the error is that of too many calls
        raise _too_long() from error
    # Any sympy failure rejects the formula; sympy raises NotImplementedError for unsupported cases.

    except (ArithmeticError, AttributeError, TypeError, ValueError, NotImplementedError) as error:
        raise refused from error
    uses = frozenset(str(symbol.name) for symbol in term.free_symbols)
    return Formula(
        term, uses, tuple(str(symbol.name) for symbol in symbols), function, tuple(parts)
    )


@lru_cache(maxsize=64)
def primitive(formula: Formula) -> Formula | None:
    """Return the integral of the formula over t from 0, if the formula is a polynomial of t of limited length."""
    try:
        with _counted():
            return _integral(formula)
    except FormulaError:
        return None


def _integral(formula: Formula) -> Formula | None:
    import sympy

    t = sympy.Symbol("t", real=True)
    if not formula.expression.is_polynomial(t):
        return None
    terms = sympy.Poly(formula.expression, t).all_coeffs()
    integral = sum(
        term * t ** (power + 1) / (power + 1) for power, term in enumerate(reversed(terms))
    )
    symbols = (
        sorted(integral.free_symbols, key=lambda symbol: str(symbol.name)) if terms != [0] else []
    )
    function = sympy.lambdify(symbols, [integral, 0, 0, 0], modules="numpy", docstring_limit=0)
    return Formula(integral, formula.uses, tuple(str(symbol.name) for symbol in symbols), function)
