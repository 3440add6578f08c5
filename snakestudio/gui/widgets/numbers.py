"""Numbers as people type and read them: plain arithmetic, decimal comma, units, steps and figures that do not dance."""

from __future__ import annotations

import ast
import math
import operator
import re
from collections.abc import Callable

__all__ = ["NumberTextError", "format_number", "nice_step", "parse_number", "parse_numbers"]

MINUS = "\N{MINUS SIGN}"
_OPERATORS: dict[type[ast.operator], Callable[[float, float], float]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.Pow: operator.pow,
}
_CONSTANTS = {"pi": math.pi, "π": math.pi}


class NumberTextError(ValueError):
    """A text is no number; its message is a sentence that says why."""


def parse_number(text: str, unit: str = "") -> float:
    """The value of a typed number or sum such as ``1/4000``, ``2*(40-5)``, ``0,25`` or ``40 °``.

    Parameters
    ----------
    text : str
    unit : str
        May stand behind the number, as it does beside the field.

    Raises
    ------
    NumberTextError
        If the text has no finite value.
    """
    plain = text.strip().replace(MINUS, "-")
    if unit and plain.endswith(unit):
        plain = plain[: -len(unit)].rstrip()
    if not plain:
        raise NumberTextError("Type a number.")
    if "," in plain and ("." in plain or re.search(r",\d*,", plain)):
        raise NumberTextError(f"“{text.strip()}” is ambiguous: give one point or one comma, and nothing at thousands.")
    plain = plain.replace(",", ".").replace("×", "*").replace("·", "*").replace("^", "**")
    try:
        value = _value(ast.parse(plain, mode="eval").body)
    except ZeroDivisionError:
        raise NumberTextError("That divides by zero.") from None
    except (SyntaxError, ValueError, OverflowError, RecursionError, MemoryError, TypeError):
        raise NumberTextError(f"“{text.strip()}” is not a number; 0.25, 0,25 or 1/4 would be.") from None
    if not math.isfinite(value):
        raise NumberTextError(f"“{text.strip()}” is not a finite number.")
    return value


def _value(node: ast.expr) -> float:
    if isinstance(node, ast.Constant) and isinstance(node.value, int | float) and not isinstance(node.value, bool):
        return float(node.value)
    if isinstance(node, ast.Name) and node.id in _CONSTANTS:
        return _CONSTANTS[node.id]
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub | ast.UAdd):
        value = _value(node.operand)
        return -value if isinstance(node.op, ast.USub) else value
    if isinstance(node, ast.BinOp) and type(node.op) in _OPERATORS:
        result: object = _OPERATORS[type(node.op)](_value(node.left), _value(node.right))
        return result if isinstance(result, float) else _refuse()  # a root of a negative number is complex
    return _refuse()


def _refuse() -> float:
    raise ValueError


def parse_numbers(text: str) -> tuple[float, ...]:
    """Numbers apart by spaces, semicolons or line ends (a comma may be a decimal one).

    Raises
    ------
    NumberTextError
        If one of them is none.
    """
    return tuple(parse_number(part.rstrip(",")) for part in re.split(r"[\s;]+", text.strip()) if part.strip(","))


def nice_step(span: float) -> float:
    """About a two-hundredth of `span`, as 1, 2 or 5 times a power of ten."""
    if not math.isfinite(span) or span <= 0:
        return 1.0
    rough = span / 200
    power = 10.0 ** math.floor(math.log10(rough))
    return next(factor * power for factor in (1.0, 2.0, 5.0, 10.0) if factor * power >= rough * (1 - 1e-9))


def format_number(value: float, step: float = 0.0) -> str:
    """Text of `value` that loses nothing somebody typed, with the decimals of `step` if they suffice."""
    decimals = max(0, -math.floor(math.log10(step) + 1e-9)) if step > 0 else 0
    text = f"{value:.{decimals}f}" if decimals <= 6 else ""
    if not text or not math.isclose(float(text), value, rel_tol=1e-12, abs_tol=1e-15):
        text = f"{value:.12g}"
    text = re.sub(r"e([+-])0*(\d)", r"e\1\2", text).replace("e+", "e")
    if text.startswith("-"):
        text = MINUS + text[1:] if float(text) != 0 else text[1:]
    return text
