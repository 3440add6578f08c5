"""Formulas of ids, such as `0x200 + node` or `node << 5 | 0x0C`, evaluated for a node."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable
from functools import lru_cache

from snakestudio.errors import FormulaError
from snakestudio.model.formula.expressions import Interpreter, Limits, Vocabulary

_BITS = 64

_Evaluate = Callable[[int], int]


class Formula:
    """Integer arithmetic in `node`: + - * // << >> | & ^ ~, parentheses, decimal, 0x and 0b numbers.

    Created by `read_formula`. All intermediate values must fit into 64 bits.
    """

    def __init__(self, text: str, evaluate: _Evaluate, uses_node: bool) -> None:
        self.text = text
        self._evaluate = evaluate
        self.uses_node = uses_node
        """Whether its value depends on the node."""

    def __call__(self, node: int) -> int:
        """Return the value for a node.

        Raises `FormulaError` if it divides by zero, shifts too far or exceeds 64 bits.
        """
        return self._evaluate(node)


@lru_cache(maxsize=1000)
def read_formula(text: str) -> Formula:
    """Return the formula of a text.

    Raises `FormulaError` with the position of the error if the text is invalid.
    """
    plain = text.strip()
    interpreter = _IdFormula()
    evaluate = interpreter.read(plain)
    return Formula(plain, evaluate, interpreter.uses_node)


class _IdFormula(Interpreter[_Evaluate]):
    """Interpreter that turns a formula into a function of the node."""

    vocabulary = Vocabulary(
        example="0x200 + node or node << 5 | 0x0C",
        operators={
            "+": operator.add,
            "-": operator.sub,
            "*": operator.mul,
            "//": operator.floordiv,
            "<<": operator.lshift,
            ">>": operator.rshift,
            "|": operator.or_,
            "&": operator.and_,
            "^": operator.xor,
        },
        signs=frozenset({"+", "-", "~"}),
        names="node",
        integers=True,
        caret_is_power=False,
        limits=Limits(characters=200, depth=30),
    )

    def __init__(self) -> None:
        super().__init__()
        self.uses_node = False

    def number(self, tree: ast.expr, value: int) -> _Evaluate:
        _within(value)
        return lambda node: value

    def name(self, tree: ast.expr, name: str) -> _Evaluate:
        if name != "node":
            self.unknown_name(tree, name, ["node"], remedy="use node, the only name in formulas")
        self.uses_node = True
        return lambda node: node

    def sign(self, tree: ast.UnaryOp, symbol: str, value: _Evaluate) -> _Evaluate:
        change = operator.neg if symbol == "-" else operator.invert
        return lambda node: change(value(node))

    def operation(
        self, tree: ast.BinOp, symbol: str, left: _Evaluate, right: _Evaluate
    ) -> _Evaluate:
        operate = self.vocabulary.operators[symbol]

        def evaluate(node: int) -> int:
            a = left(node)
            b = right(node)
            if symbol in ("<<", ">>") and not 0 <= b <= _BITS:
                raise FormulaError(
                    f"it shifts by {b} bits for node {node}", f"shift by 0 to {_BITS}"
                )
            if symbol == "//" and b == 0:
                raise FormulaError(f"it divides by zero for node {node}", "change the divisor")
            return _within(operate(a, b))

        return evaluate


def _within(number: int) -> int:
    if abs(number) >= 1 << _BITS:
        raise FormulaError(f"a value exceeds {_BITS} bits", "use smaller numbers")
    return number
