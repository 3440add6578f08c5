"""Arithmetic of ids: what `0x200 + node` or `node << 5 | 0x0C` is for a node; its text is parsed, never evaluated."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable
from functools import lru_cache

from snakestudio.errors import FormulaError

__all__ = ["Formula", "read_formula"]

_LONGEST, _DEEPEST, _BITS = 200, 30, 64
_EXAMPLE = "write it like 0x200 + node or node << 5 | 0x0C"

_OPERATORS: dict[type[ast.operator], Callable[[int, int], int]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.FloorDiv: operator.floordiv,
    ast.LShift: operator.lshift,
    ast.RShift: operator.rshift,
    ast.BitOr: operator.or_,
    ast.BitAnd: operator.and_,
    ast.BitXor: operator.xor,
}
_SIGNS: dict[type[ast.unaryop], Callable[[int], int]] = {
    ast.UAdd: operator.pos,
    ast.USub: operator.neg,
    ast.Invert: operator.invert,
}


class Formula:
    """Whole-number arithmetic in `node`: + - * // << >> | & ^ ~, parentheses, decimal, 0x and 0b numbers.

    Made by `read_formula`. Every step of it has to stay within 64 bits.
    """

    def __init__(self, text: str, tree: ast.expr) -> None:
        self.text = text
        self._tree = tree
        self.uses_node = any(isinstance(part, ast.Name) for part in ast.walk(tree))
        """Whether its value depends on the node."""

    def __call__(self, node: int) -> int:
        """The value for a node.

        Raises
        ------
        FormulaError
            If it divides by zero, shifts too far or leaves 64 bits.
        """
        return _value(self._tree, node)


@lru_cache(maxsize=1000)
def read_formula(text: str) -> Formula:
    """Read a formula.

    Raises
    ------
    FormulaError
        If it is none; says at which character.
    """
    plain = text.strip()
    if not plain:
        raise FormulaError("it is empty", _EXAMPLE)
    if len(plain) > _LONGEST:
        raise FormulaError(f"it has {len(plain)} characters", f"give at most {_LONGEST}")
    if "\n" in plain or "\r" in plain or "#" in plain:
        raise FormulaError("there is a line end or a '#' in it", "leave it out")
    try:
        tree = ast.parse(plain, mode="eval").body
    except SyntaxError as error:
        at = min(max((error.offset or 1) - 1, 0), len(plain) - 1)
        near = plain[max(at - 6, 0) : at + 6].strip()
        raise FormulaError(f"it cannot be read at character {at + 1}, near '{near}'", _EXAMPLE) from None
    except (ValueError, RecursionError, MemoryError):
        raise FormulaError("it cannot be read", _EXAMPLE) from None
    _examine(tree, 0)
    return Formula(plain, tree)


def _examine(part: ast.expr, depth: int) -> None:
    """See that nothing but the arithmetic above stands in it."""
    if depth > _DEEPEST:
        raise FormulaError("its parentheses are nested too deeply", "make it simpler")
    if isinstance(part, ast.Constant):
        if type(part.value) is not int:
            raise FormulaError(f"{str(part.value)[:20]!r} is not a whole number", _EXAMPLE)
        _within(part.value)
    elif isinstance(part, ast.Name):
        if part.id != "node":
            raise FormulaError(f"'{part.id[:30]}' is not known", "the only name is node")
    elif isinstance(part, ast.UnaryOp) and type(part.op) in _SIGNS:
        _examine(part.operand, depth + 1)
    elif isinstance(part, ast.BinOp) and type(part.op) in _OPERATORS:
        _examine(part.left, depth + 1)
        _examine(part.right, depth + 1)
    else:
        raise FormulaError("there is something in it but + - * // << >> | & ^ ~ and parentheses", _EXAMPLE)


def _value(part: ast.expr, node: int) -> int:
    if isinstance(part, ast.Constant):
        assert isinstance(part.value, int)
        return part.value
    if isinstance(part, ast.Name):
        return node
    if isinstance(part, ast.UnaryOp):
        return _SIGNS[type(part.op)](_value(part.operand, node))
    assert isinstance(part, ast.BinOp)
    left, right = _value(part.left, node), _value(part.right, node)
    if isinstance(part.op, ast.LShift | ast.RShift) and not 0 <= right <= _BITS:
        raise FormulaError(f"it shifts by {right} bits for node {node}", f"shift by 0 to {_BITS}")
    if isinstance(part.op, ast.FloorDiv) and right == 0:
        raise FormulaError(f"it divides by zero for node {node}", "mend the divisor")
    return _within(_OPERATORS[type(part.op)](left, right))


def _within(number: int) -> int:
    if abs(number) >= 1 << _BITS:
        raise FormulaError(f"it leaves {_BITS} bits", "make it smaller")
    return number
