"""What a typed formula says: its text is parsed, never evaluated, and its units are checked.

Only the nodes, names and functions listed here get through, and what they make is a sympy expression.
"""

from __future__ import annotations

import ast
import math
import operator
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np

from snakestudio.errors import FormulaError
from snakestudio.model.formula.typed_text import parse
from snakestudio.model.robot.smooth_steps import bump, rise, symbolic

__all__ = ["FUNCTIONS", "expression"]

# What parts of a typed formula have beside a value: a unit (unknown where a number may carry any), and a size.

Unit = tuple[float, float] | None
"""Powers of metre and second; None: whatever is wanted, for a number was multiplied in."""

PLAIN: Unit = (0.0, 0.0)

Size = tuple[int, int, int]
"""About how many terms a part has, and its first and second derivative."""

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
"""Units by the names that scenes give them; "any" is for numbers that nobody has to divide by a unit first."""


def combined(a: Unit, b: Unit, sign: float = 1.0) -> Unit:
    """Unit of a product (`sign` 1) or quotient (-1)."""
    return None if a is None or b is None else (a[0] + sign * b[0], a[1] + sign * b[1])


def raised(a: Unit, exponent: float) -> Unit:
    """Unit of a power."""
    return None if a is None else (a[0] * exponent, a[1] * exponent)


def spoken(unit: Unit) -> str:
    """The unit for people."""
    if unit is None:
        return "any unit"
    names = {value: name for name, value in reversed(UNITS.items()) if name != "rad/s"}
    if unit in names:
        return names[unit] or "no unit"
    return " ".join(f"{symbol}^{power:g}" for symbol, power in zip(("m", "s"), unit, strict=True) if power)


def product_size(a: Size, b: Size) -> Size:
    """Size of a product, or of a function of something."""
    return a[0] + b[0], a[1] + b[1] + a[0] + b[0], a[2] + b[2] + 2 * (a[1] + b[1]) + a[0] + b[0]


# What a typed formula says: its text is parsed, never evaluated, and its units are checked.

LENGTH, DEPTH, GROWTH, EXPONENT = 500, 60, 3000, 20
"""Limits: characters, nesting, terms of the second derivative, exponents (9^9^9 must not hang)."""

FUNCTIONS: dict[str, Callable[[float], float]] = {
    **{name: getattr(math, name) for name in (
        "sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh", "tanh", "exp", "log", "sqrt",
    )},
    "bump": lambda v: float(bump(np.float64(v))),  # type: ignore[arg-type]
    "rise": lambda v: float(rise(np.float64(v))),  # type: ignore[arg-type]
}  # fmt: skip
"""The functions of one plain number, for numbers."""


_OPERATORS: dict[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.Pow: operator.pow,
}


def expression(
    text: str, unit: str, names: Mapping[str, str], zero: frozenset[str], elsewhere: Mapping[str, str]
) -> Any:
    """The sympy expression that `text` says, in symbols of the same names.

    Parameters
    ----------
    text : str
    unit : str
        What it must be in; a name in `UNITS`.
    names : mapping of str to str
        Names it may use and their units.
    zero : frozenset of str
        Those of them that are 0 anyway.
    elsewhere : mapping of str to str
        Names that are known elsewhere, and what to do about one.

    Raises
    ------
    FormulaError
        If it cannot be used.
    """
    made = _Reader(names, zero, elsewhere).term(parse(text, LENGTH, "10*cos(2*pi*X/l)").tree)
    if made.unit is not None and made.unit != UNITS[unit] and made.number != 0.0:
        wanted = spoken(UNITS[unit])
        remedy = "make it a plain number" if not unit else f"multiply it by a number or a constant to get {wanted}"
        raise FormulaError(f"'{text.strip()[:60]}' is in {spoken(made.unit)} where {wanted} is wanted", remedy)
    return made.expression


class _Term(NamedTuple):
    expression: Any
    unit: Unit
    number: float | None  # its value if it is one
    size: Size


class _Reader:
    """Walks the tree of one text."""

    def __init__(self, names: Mapping[str, str], zero: frozenset[str], elsewhere: Mapping[str, str]) -> None:
        import sympy

        self._sympy, self._names, self._zero, self._elsewhere = sympy, names, zero, elsewhere

    def _number(self, value: float, unit: Unit = None) -> _Term:
        """A number; 17 digits, or its last bits would get lost on the way to numpy."""
        if not math.isfinite(value):
            raise FormulaError("a number in it is too large", "give smaller numbers")
        whole = value in (-1.0, 0.0, 1.0)
        return _Term(self._sympy.Integer(int(value)) if whole else self._sympy.Float(value, 17), unit, value, (1, 0, 0))

    def term(self, node: ast.AST, depth: int = 0) -> _Term:
        if depth > DEPTH:
            raise FormulaError("it is nested too deeply", "make it simpler")
        if isinstance(node, ast.Constant) and type(node.value) in (int, float):
            return self._number(float(node.value))  # type: ignore[arg-type]
        if isinstance(node, ast.Name):
            return self._name(node.id)
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub | ast.UAdd):
            inner = self.term(node.operand, depth + 1)
            if isinstance(node.op, ast.UAdd):
                return inner
            return self._number(-inner.number, inner.unit) if inner.number is not None else inner._replace(
                expression=-inner.expression
            )  # fmt: skip
        if isinstance(node, ast.BinOp):
            return self._operation(node, self.term(node.left, depth + 1), self.term(node.right, depth + 1))
        if isinstance(node, ast.Call):
            return self._call(node, depth)
        if isinstance(node, ast.Tuple):
            raise FormulaError("there is a comma in it", "write decimals with a point")
        what = ast.unparse(node) if not isinstance(node, ast.Constant) else repr(node.value)
        raise FormulaError(
            f"'{what[:40]}' is not allowed in a formula", "use numbers, names, + - * / ^ and functions of one number"
        )

    def _name(self, name: str) -> _Term:
        if name == "pi":
            return self._number(math.pi, PLAIN)
        if name in self._names:
            unit = UNITS[self._names[name]]
            if name in self._zero:
                return self._number(0.0, unit)
            return _Term(self._sympy.Symbol(name, real=True), unit, None, (1, 1, 1))
        if name in self._elsewhere:
            raise FormulaError(f"'{name}' cannot be used here", self._elsewhere[name])
        if name in FUNCTIONS:
            raise FormulaError(f"'{name}' is a function", f"write {name}(...) with a number in the parentheses")
        allowed = ", ".join((*self._names, "pi"))
        raise FormulaError(f"'{name[:40]}' is not known", f"use {allowed} and the functions {', '.join(FUNCTIONS)}")

    def _operation(self, node: ast.BinOp, a: _Term, b: _Term) -> _Term:
        power = isinstance(node.op, ast.Pow)
        if isinstance(node.op, ast.Add | ast.Sub):
            if a.unit is not None and b.unit is not None and a.unit != b.unit:
                sign = "+" if isinstance(node.op, ast.Add) else "-"
                raise FormulaError(
                    f"'{_short(node.left)}' ({spoken(a.unit)}) {sign} '{_short(node.right)}' ({spoken(b.unit)}) adds "
                    "different units", "multiply one of them by a number or a constant of the right unit",
                )  # fmt: skip
            unit = a.unit if b.unit is None else b.unit
            size = tuple(x + y for x, y in zip(a.size, b.size, strict=True))
        elif isinstance(node.op, ast.Mult | ast.Div):
            unit = combined(a.unit, b.unit, 1.0 if isinstance(node.op, ast.Mult) else -1.0)
            size = product_size(a.size, b.size)
        elif power:
            if b.unit not in (None, PLAIN):
                raise FormulaError(f"the exponent '{_short(node.right)}' is in {spoken(b.unit)}", "make it a number")
            if b.number is None and a.unit not in (None, PLAIN):
                raise FormulaError(
                    f"'{_short(node.left)}' is in {spoken(a.unit)}, so its exponent must be a number", "give a number"
                )
            if b.number is not None and abs(b.number) > EXPONENT:
                raise FormulaError(f"the exponent {b.number:g} is too large", f"give at most {EXPONENT}")
            unit = raised(a.unit, b.number) if b.number is not None else a.unit
            size = product_size(a.size, b.size)
        else:
            raise FormulaError("there is an operator in it that is not known", "use + - * / ^")
        if max(size) > GROWTH:
            raise FormulaError("it is too long to differentiate", "make it simpler")
        if a.number is not None and b.number is not None:
            value = _folded(node.op, a.number, b.number)
            return self._number(value, unit)
        if isinstance(node.op, ast.Div) and b.number == 0.0:
            raise FormulaError(f"'{_short(node)}' divides by zero", "divide by something else")
        left, right = a.expression, b.expression
        if power and b.number is not None and b.number == int(b.number):
            right = self._sympy.Integer(int(b.number))
        return _Term(_OPERATORS[type(node.op)](left, right), unit, None, (size[0], size[1], size[2]))

    def _call(self, node: ast.Call, depth: int) -> _Term:
        name = node.func.id if isinstance(node.func, ast.Name) else _short(node.func)
        if name not in FUNCTIONS or not isinstance(node.func, ast.Name):
            remedy = "write * between factors" if name in self._names else f"use one of {', '.join(FUNCTIONS)}"
            raise FormulaError(f"'{name}' is not a function", remedy)
        if len(node.args) != 1 or node.keywords or isinstance(node.args[0], ast.Starred):
            raise FormulaError(f"{name}() takes one number", f"write {name}(...) with one number in the parentheses")
        inner = self.term(node.args[0], depth + 1)
        root = name == "sqrt"
        if inner.unit not in (None, PLAIN) and not root:
            raise FormulaError(
                f"the '{_short(node.args[0])}' in {name}() is in {spoken(inner.unit)}, not a number",
                "divide it by a length or a time, or multiply it by a number",
            )
        unit = raised(inner.unit, 0.5) if root else inner.unit
        if inner.number is not None:
            try:
                return self._number(FUNCTIONS[name](inner.number), unit)
            except (ValueError, OverflowError) as error:
                raise FormulaError(f"'{_short(node)}' has no value", "give another number there") from error
        function = symbolic().get(name) or getattr(self._sympy, name)
        size = product_size((1, 1, 1), inner.size)
        return _Term(function(inner.expression), unit, None, size)


def _folded(kind: ast.operator, a: float, b: float) -> float:
    """A number made of two numbers."""
    try:
        value = _OPERATORS[type(kind)](a, b)
    except ZeroDivisionError as error:
        raise FormulaError("it divides by zero", "divide by something else") from error
    except OverflowError as error:
        raise FormulaError("a number in it is too large", "give smaller numbers") from error
    if isinstance(value, complex):
        raise FormulaError(f"{a:g}^{b:g} is not a real number", "give a positive number there")
    return float(value)


def _short(node: ast.AST) -> str:
    """What was typed, about."""
    text = ast.unparse(node).replace(" ** ", "^").replace("**", "^")
    return text if len(text) <= 40 else text[:37] + "..."
