"""Formulas of scenes, with units, converted to sympy expressions."""

from __future__ import annotations

import ast
import math
import operator
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple, NoReturn

import numpy as np

from snakestudio.errors import FormulaError
from snakestudio.model.formula.expressions import Interpreter, Limits, Vocabulary
from snakestudio.model.robot.smooth_steps import bump, rise, symbolic
from snakestudio.text import counted, shortened

# Parts of a typed formula have a value, a unit (unknown if a number can provide any), and a size.


Unit = tuple[float, float] | None
"""Exponents of metre and second; None if unknown, because a number was multiplied in."""

PLAIN: Unit = (0.0, 0.0)

Size = tuple[int, int, int]
"""Approximate numbers of terms of a part, and of its first and second derivative."""

UNITS: dict[str, Unit] = {
    "any": None,
    "": PLAIN,
    "m": (1.0, 0.0),
    "s": (0.0, 1.0),
    "1/m": (-1.0, 0.0),
    "1/s": (0.0, -1.0),
    "rad/s": (0.0, -1.0),
    "m/s": (1.0, -1.0),
    "m/s^2": (1.0, -2.0),
}
"""Units by their names in scenes; "any" is for numbers that need no division by a unit."""


def combined(a: Unit, b: Unit, sign: float = 1.0) -> Unit:
    """Return the unit of a product (`sign` 1) or quotient (-1)."""
    return None if a is None or b is None else (a[0] + sign * b[0], a[1] + sign * b[1])


def raised(a: Unit, exponent: float) -> Unit:
    """Return the unit of a power."""
    return None if a is None else (a[0] * exponent, a[1] * exponent)


def spoken(unit: Unit) -> str:
    """Return the unit as text for users."""
    if unit is None:
        return "any unit"
    names = {value: name for name, value in reversed(UNITS.items()) if name != "rad/s"}
    if unit in names:
        return names[unit] or "no unit"
    return " ".join(
        f"{symbol}^{power:g}" for symbol, power in zip(("m", "s"), unit, strict=True) if power
    )


def product_size(a: Size, b: Size) -> Size:
    """Return the size of a product, or of a function of a term."""
    return a[0] + b[0], a[1] + b[1] + a[0] + b[0], a[2] + b[2] + 2 * (a[1] + b[1]) + a[0] + b[0]


GROWTH = 3000
"""Largest number of terms of the second derivative."""

FUNCTIONS: dict[str, Callable[[float], float]] = {
    **{
        name: getattr(math, name)
        for name in (
            "sin",
            "cos",
            "tan",
            "asin",
            "acos",
            "atan",
            "sinh",
            "cosh",
            "tanh",
            "exp",
            "log",
            "sqrt",
        )
    },
    "bump": lambda v: float(bump(np.float64(v))),  # type: ignore[arg-type]
    "rise": lambda v: float(rise(np.float64(v))),  # type: ignore[arg-type]
}
"""Functions of one number, for numbers."""


def expression(
    text: str,
    unit: str,
    names: Mapping[str, str],
    zero: frozenset[str],
    elsewhere: Mapping[str, str],
) -> Any:
    """Convert `text` to a sympy expression with symbols of the same names.

    Raises `FormulaError` if it is unusable.

    Parameters
    ----------
    unit : str
        Required unit; a name in `UNITS`.
    names : mapping of str to str
        Allowed names and their units.
    zero : frozenset of str
        Names that are 0 in this scene.
    elsewhere : mapping of str to str
        Names allowed in other formulas, and the remedy for each.
    """
    term = _Formula(names, zero, elsewhere).read(text)
    if term.unit is not None and term.unit != UNITS[unit] and term.number != 0.0:
        required = spoken(UNITS[unit])
        remedy = (
            "use a dimensionless number"
            if not unit
            else f"multiply it by a number or a constant to get {required}"
        )
        message = (
            f"'{shortened(text.strip())}' is in {spoken(term.unit)}, but {required} is required"
        )
        raise FormulaError(message, remedy)
    return term.expression


class _Term(NamedTuple):
    expression: Any
    unit: Unit
    number: float | None  # value if the term is a number
    size: Size


class _Formula(Interpreter[_Term]):
    """Builds a sympy term; numbers stay separate as long as they are numbers."""

    vocabulary = Vocabulary(
        example="10*cos(2*pi*X/l)",
        operators={
            "+": operator.add,
            "-": operator.sub,
            "*": operator.mul,
            "/": operator.truediv,
            "**": operator.pow,
        },
        limits=Limits(characters=500, exponent=20),  # longer ones take too long to differentiate
    )

    def __init__(
        self, names: Mapping[str, str], zero: frozenset[str], elsewhere: Mapping[str, str]
    ) -> None:
        import sympy

        super().__init__()
        self.functions = {name: f"{name}(x) with a number for x" for name in FUNCTIONS}
        self._sympy = sympy
        self._names = names
        self._zero = zero
        self._elsewhere = elsewhere

    def constant(self, value: _Term) -> float | None:
        return value.number

    def number(self, tree: ast.expr, value: float) -> _Term:
        return self._number_in(tree, value, None)

    def _number_in(self, tree: ast.expr, value: float, unit: Unit) -> _Term:
        """Return the term of a number; 17 digits, so that numpy receives the exact value."""
        value = self.finite(tree, value)
        is_exact = value in (-1.0, 0.0, 1.0)
        number = self._sympy.Integer(int(value)) if is_exact else self._sympy.Float(value, 17)
        return _Term(number, unit, value, (1, 0, 0))

    def name(self, tree: ast.expr, name: str) -> _Term:
        if name == "pi":
            return self._number_in(tree, math.pi, PLAIN)
        if name in self._names:
            unit = UNITS[self._names[name]]
            if name in self._zero:
                return self._number_in(tree, 0.0, unit)
            return _Term(self._sympy.Symbol(name, real=True), unit, None, (1, 1, 1))
        if name in self._elsewhere:
            self.refuse(tree, "cannot be used here", self._elsewhere[name])
        known = [*self._names, "pi"]
        self.unknown_name(
            tree,
            name,
            known,
            remedy=f"use {', '.join(known)} and the functions {', '.join(FUNCTIONS)}",
        )

    def not_a_function(self, tree: ast.Call, name: str) -> NoReturn:
        if name in self._names or name == "pi":
            self.refuse(tree.func, "is not a function", "write * between factors")
        super().not_a_function(tree, name)

    def sign(self, tree: ast.UnaryOp, symbol: str, value: _Term) -> _Term:
        if value.number is not None:
            return self._number_in(tree, -value.number, value.unit)
        return value._replace(expression=-value.expression)

    def operation(self, tree: ast.BinOp, symbol: str, left: _Term, right: _Term) -> _Term:
        unit = self._unit(tree, symbol, left, right)
        if symbol in ("+", "-"):
            growth = tuple(x + y for x, y in zip(left.size, right.size, strict=True))
        else:
            growth = product_size(left.size, right.size)
        if max(growth) > GROWTH:
            raise FormulaError("the formula is too long to differentiate", "simplify it")
        if left.number is not None and right.number is not None:
            return self._number_in(
                tree, self._folded(tree, symbol, left.number, right.number), unit
            )
        if symbol == "/" and right.number == 0.0:
            self.refuse(tree, "divides by zero", "change the divisor")
        exponent = right.expression
        if symbol == "**" and right.number is not None and right.number == int(right.number):
            exponent = self._sympy.Integer(int(right.number))
        value = self.vocabulary.operators[symbol](left.expression, exponent)
        return _Term(value, unit, None, (growth[0], growth[1], growth[2]))

    def _unit(self, tree: ast.BinOp, symbol: str, left: _Term, right: _Term) -> Unit:
        """Return the unit of the result of an operation; rejects, for example, sums of different units."""
        if symbol in ("+", "-"):
            if left.unit is not None and right.unit is not None and left.unit != right.unit:
                self.refuse(
                    tree,
                    f"combines different units, {spoken(left.unit)} and {spoken(right.unit)}",
                    "multiply one part by a number or a constant with the required unit",
                )
            return left.unit if right.unit is None else right.unit
        if symbol in ("*", "/"):
            return combined(left.unit, right.unit, 1.0 if symbol == "*" else -1.0)
        if right.unit not in (None, PLAIN):
            self.refuse(
                tree.right,
                f"is an exponent in {spoken(right.unit)}",
                "use a dimensionless exponent",
            )
        if right.number is None and left.unit not in (None, PLAIN):
            self.refuse(
                tree.left,
                f"is in {spoken(left.unit)}, so its exponent must be a number",
                "use a number",
            )
        return raised(left.unit, right.number) if right.number is not None else left.unit

    def _folded(self, tree: ast.expr, symbol: str, left: float, right: float) -> float:
        """Return the result of an operation on two numbers."""
        try:
            value = self.vocabulary.operators[symbol](left, right)
        except ZeroDivisionError:
            self.refuse(tree, "divides by zero", "change the divisor")
        except OverflowError:
            self.refuse(tree, "is not finite", "use smaller numbers")
        if isinstance(value, complex):
            self.refuse(tree, "is not a real number", "use a positive base")
        return float(value)

    def call(self, tree: ast.Call, name: str) -> _Term:
        if len(tree.args) != 1:
            count = counted(len(tree.args), "argument")
            self.refuse(tree, f"has {count} instead of 1", f"write {self.functions[name]}")
        inner = self.evaluate(tree.args[0])
        root = name == "sqrt"
        if inner.unit not in (None, PLAIN) and not root:
            self.refuse(
                tree.args[0],
                f"is in {spoken(inner.unit)}, but {name}() requires a dimensionless number",
                "divide it by a length or a time, or multiply it by a number",
            )
        unit = raised(inner.unit, 0.5) if root else inner.unit
        if inner.number is not None:
            try:
                value = FUNCTIONS[name](inner.number)
            except (ValueError, OverflowError):
                self.refuse(tree, "is not finite", "use another number there")
            return self._number_in(tree, value, unit)
        function = symbolic().get(name) or getattr(self._sympy, name)
        return _Term(function(inner.expression), unit, None, product_size((1, 1, 1), inner.size))
