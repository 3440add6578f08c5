"""Typed formulas: differentiated and compiled to numpy, once for every text.

sympy is slow to import, so it is imported when the first formula is read.
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
"""What a formula is evaluated with: arrays or numpy's numbers, which do not raise where a formula
has a pole."""

SPEED = "_speed"
ACCELERATION = "_acceleration"
"""Names of ds/dt and its derivative among the values a formula is evaluated with; nobody can type
them."""

LARGEST_EXPONENT = 40
"""Powers of powers beyond this are refused."""

MOST_CALLS = 9_000_000
"""Calls and returns after which a formula is given up, some seconds: counted, not timed, so that
what one machine takes no other refuses."""

QUICK = 100
"""Characters up to which a formula takes no second whatever it says: to count would double its time
for nothing."""


@dataclass(frozen=True, eq=False, slots=True)
class Formula:
    """A formula that is ready for numbers."""

    expression: Any
    uses: frozenset[str]
    """Names it depends on."""

    order: tuple[str, ...]
    """Names of the values it is evaluated with."""

    function: Callable[..., Any]
    """Of these values."""

    parts: tuple[Any, ...] = ()
    """What `at` gives."""

    @property
    def zero(self) -> bool:
        """Whether it is 0 whatever its names are."""
        return bool(self.expression == 0)

    def at(self, values: Mapping[str, Number]) -> tuple[Number, Number, Number, Number]:
        """Value, total first and second derivative in time, and along X, where s = X + integral of the speed.

        Parameters
        ----------
        values : mapping
            Arrays that fit together for every name in `order`. Where the formula has a pole, so has
            the result.
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
    """The formula that `text` is; its parameters are those of `formula.reader.expression`.

    Raises `FormulaError` if it cannot be used.
    """
    found = _read(
        text, unit, tuple(names.items()), zero.intersection(names), tuple((elsewhere or {}).items())
    )
    if isinstance(found, FormulaError):
        raise FormulaError(found.message, found.remedy, found.start, found.stop)
    return found


def _too_long() -> FormulaError:
    return FormulaError(
        "it takes too long to differentiate",
        "make it simpler, above all what lies in each other in it",
    )


class _TooLongError(BaseException):
    """Nothing on the way may take it for one of its own errors."""


@contextmanager
def _counted(quick: bool = False) -> Iterator[None]:
    """See that what is done inside ends, with a FormulaError if it must; what is `quick` anyway need not be watched.

    Under somebody else's profiler nothing is counted: there is room for one only.
    """
    import sympy  # noqa: F401  (not at the formula's expense)

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
        # Out of a finalizer nothing can be raised, and Python ends the counting with it: it is
        # raised soon after.
        nonlocal left
        if isinstance(lost.exc_value, _TooLongError):
            left = 10  # the way out of here
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
    except FormulaError as error:  # kept as well: some take seconds to refuse
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
        "it has no finite real value", "avoid 1/0, and roots and logarithms of negative numbers"
    )
    try:
        made = sympy.sympify(expression(text, unit, dict(names), zero, dict(elsewhere)))
        t, x, s, v, a = (
            sympy.Symbol(name, real=True) for name in ("t", "X", "s", SPEED, ACCELERATION)
        )
        rate = made.diff(t) + v * made.diff(s)
        second = rate.diff(t) + v * rate.diff(s) + a * rate.diff(v)
        parts = [made, rate, second, made.diff(x) + made.diff(s)]
        # at the kink of a modulus
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
    ) as error:  # how soon depends on who asks, so it is no other verdict than that of the calls
        raise _too_long() from error
    # Whatever sympy stumbles over is refused; NotImplementedError is what it raises where it knows
    # no way.
    except (ArithmeticError, AttributeError, TypeError, ValueError, NotImplementedError) as error:
        raise refused from error
    uses = frozenset(str(symbol.name) for symbol in made.free_symbols)
    return Formula(
        made, uses, tuple(str(symbol.name) for symbol in symbols), function, tuple(parts)
    )


@lru_cache(maxsize=64)
def primitive(formula: Formula) -> Formula | None:
    """Its integral over t from 0, if it is a polynomial of t, and no endless one."""
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
    made = sum(term * t ** (power + 1) / (power + 1) for power, term in enumerate(reversed(terms)))
    symbols = sorted(made.free_symbols, key=lambda symbol: str(symbol.name)) if terms != [0] else []
    function = sympy.lambdify(symbols, [made, 0, 0, 0], modules="numpy", docstring_limit=0)
    return Formula(made, formula.uses, tuple(str(symbol.name) for symbol in symbols), function)
