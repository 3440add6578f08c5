"""Typed numbers: arithmetic, decimal commas and units, parsed safely."""

from __future__ import annotations

import ast
import math
import operator
import re

from snakestudio.errors import FormulaError
from snakestudio.model.formula.expressions import Interpreter, Vocabulary
from snakestudio.text import MINUS, listing

FACTOR = "×"
"""Unit of a factor."""

_CONSTANTS = {"pi": math.pi, "π": math.pi}
_DIMENSIONS: dict[str, dict[str, float]] = {
    "length": {
        "m": 1.0,
        "cm": 1e-2,
        "mm": 1e-3,
        "um": 1e-6,
        "µm": 1e-6,
        "km": 1e3,
        "in": 0.0254,
        "ft": 0.3048,
    },
    "angle": {"°": 1.0, "deg": 1.0, "rad": 180.0 / math.pi},
    "time": {"s": 1.0, "ms": 1e-3, "min": 60.0},
    "factor": {FACTOR: 1.0, "x": 1.0, "%": 0.01},
}
"""Convertible units of each dimension, and their values."""

_EXAMPLES = "0.25, 0,25 or 1/4"

_TOKEN = re.compile(r"(?P<number>(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)|(?P<name>[^\W\d_]+|[°%])")


class NumberTextError(ValueError):
    """Text that is not a number; the message contains the reason and what to type."""


def parse_number(text: str, unit: str = "") -> float:
    """Value of a typed number or sum such as ``1/4000``, ``2*(40-5)``, ``0,25``, ``40 °`` or ``12cm + 3 mm``.

    Raises `NumberTextError` if the text has no finite value.

    Parameters
    ----------
    unit : str
        Unit of the result, and of numbers without a unit. Other units of its dimension are converted:
        for lengths mm, cm, m, km, in and ft; for angles °, deg and rad; for times ms, s and min.

    """
    plain = text.strip().replace(MINUS, "-")
    units = _units_of(unit)
    if unit and unit not in units and plain.endswith(unit):
        plain = plain[: -len(unit)].rstrip()
    if not plain:
        raise NumberTextError("Type a number.")
    if "," in plain and ("." in plain or re.search(r",\d*,", plain)):
        raise NumberTextError(
            f"“{text.strip()}” is ambiguous. Use one point or one comma, and no thousands separators."
        )
    plain = _with_factors(plain.replace(",", "."), units)
    try:
        value = _Quantity().read(plain)
    except ZeroDivisionError:
        raise NumberTextError("This divides by zero. Type a number.") from None
    except (FormulaError, OverflowError):
        raise NumberTextError(f"“{text.strip()}” is not a number. Type {_EXAMPLES}.") from None
    if not math.isfinite(value):
        raise NumberTextError(f"“{text.strip()}” is not a finite number. Type a smaller number.")
    return value


def is_unfinished(text: str, unit: str = "") -> bool:
    """Return whether the text can be the start of a number: ``-``, ``1/``, ``2*(``, ``12c``."""
    plain = text.strip()
    if not plain or plain[-1] in "+-*/^(.,×·" + MINUS or plain.count("(") > plain.count(")"):
        return True
    if re.search(r"\d[eE]$", plain):
        return True
    ending = re.search(r"[^\W\d_]+$", plain)
    return ending is not None and any(
        name != ending[0] and name.startswith(ending[0]) for name in (*_units_of(unit), *_CONSTANTS)
    )


def _units_of(unit: str) -> dict[str, float]:
    """Return the values of convertible units relative to `unit`; empty if it is not convertible."""
    for units in _DIMENSIONS.values():
        if unit in units:
            return {name: size / units[unit] for name, size in units.items()}
    return {}


def _with_factors(plain: str, units: dict[str, float]) -> str:
    """Return the text in which units after operands are replaced by factors."""
    end = 0  # end of the previous operand, if any
    done: list[str] = []
    for match in _TOKEN.finditer(plain):
        between = plain[end : match.start()]
        name = match["name"]
        operand = (not between.strip() and end > 0) or between.rstrip().endswith(")")
        if name in units and operand:
            done += [between, f"*{units[name]!r}"]
        elif name is not None and name not in _CONSTANTS and operand:
            raise NumberTextError(_unknown(name, units))
        else:
            done += [between, match[0]]
        end = match.end()
    return "".join(done) + plain[end:]


def _unknown(name: str, units: dict[str, float]) -> str:
    kind = next(
        (kind for kind, known in _DIMENSIONS.items() if units and known.keys() == units.keys()), ""
    )
    if not kind:
        return f"“{name}” is not known here. Type {_EXAMPLES}."
    known = listing((unit for unit in units if unit not in ("um", FACTOR)), "or")
    return f"“{name}” is not a unit of {'an' if kind == 'angle' else 'a'} {kind}. Use {known}."


class _Quantity(Interpreter[float]):
    """Evaluates a number whose units were replaced by factors."""

    vocabulary = Vocabulary(
        example=_EXAMPLES,
        operators={
            "+": operator.add,
            "-": operator.sub,
            "*": operator.mul,
            "/": operator.truediv,
            "**": operator.pow,
        },
        names="pi",
    )

    def finite(self, tree: ast.expr, value: float) -> float:
        return float(value)  # intermediate values may overflow; the result must be finite

    def number(self, tree: ast.expr, value: float) -> float:
        return value

    def name(self, tree: ast.expr, name: str) -> float:
        if name not in _CONSTANTS:
            self.unknown_name(tree, name, _CONSTANTS)
        return _CONSTANTS[name]

    def sign(self, tree: ast.UnaryOp, symbol: str, value: float) -> float:
        return -value

    def operation(self, tree: ast.BinOp, symbol: str, left: float, right: float) -> float:
        result = self.vocabulary.operators[symbol](left, right)
        if not isinstance(result, float):  # a root of a negative number is complex
            self.refuse(tree, "is not a real number", "use a positive base")
        return result


def parse_numbers(text: str) -> tuple[float, ...]:
    """Return the numbers separated by spaces, semicolons or line ends (a comma can be a decimal comma).

    Raises `NumberTextError` if one of them is not a number.
    """
    return tuple(
        parse_number(part.rstrip(","))
        for part in re.split(r"[\s;]+", text.strip())
        if part.strip(",")
    )
