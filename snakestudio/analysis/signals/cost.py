"""Sign with which an expression over columns changes with costs, as far as its arithmetic shows it."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from snakestudio.analysis.signals.functions import FUNCTIONS
from snakestudio.analysis.signals.reader import VOCABULARY, covered_patterns
from snakestudio.analysis.signals.reductions import REDUCTIONS
from snakestudio.errors import FormulaError
from snakestudio.model.formula.expressions import Interpreter
from snakestudio.model.quantities import is_cost


def cost_sign(text: str) -> int:
    """Sign with which an expression changes as costs increase.

    1 for ``max(solver_unconverged)``, -1 for ``last(com_x_m) / last(work_actuator_j)``; 0 if it contains no
    cost, if costs act in opposite directions, or if the text is invalid.
    Columns need not exist.
    """
    plain, patterns = covered_patterns(text)
    try:
        return _CostSign(patterns).read(plain)
    except FormulaError:
        return 0


class _CostSign(Interpreter[int]):
    """Propagates the sign through the arithmetic."""

    vocabulary = VOCABULARY

    def __init__(self, patterns: dict[int, str]) -> None:
        super().__init__()
        self._patterns = patterns
        self.functions = {
            name: function.signature for name, function in {**FUNCTIONS, **REDUCTIONS}.items()
        }

    def number(self, tree: ast.expr, value: float) -> int:
        return 0

    def name(self, tree: ast.expr, name: str) -> int:
        if isinstance(tree, ast.Attribute):
            return 0
        return int(is_cost(self._patterns.get(self.position(tree)[0], name)))

    def sign(self, tree: ast.UnaryOp, symbol: str, value: int) -> int:
        return -value

    def operation(self, tree: ast.BinOp, symbol: str, left: int, right: int) -> int:
        if symbol in ("+", "*"):
            return _common_sign(left, right)
        if symbol == "/":
            return _common_sign(left, -right)
        return left or (-right if symbol == "-" else 0)  # last(work) - first(work) is a cost

    def comparison(self, tree: ast.Compare, symbols: Sequence[str], values: Sequence[int]) -> int:
        if len(symbols) > 1:
            return 0
        above = values[0] or -values[1]
        return {">": above, ">=": above, "<": -above, "<=": -above}.get(symbols[0], 0)

    def condition(self, tree: ast.BoolOp, symbol: str, values: Sequence[int]) -> int:
        return 0

    def call(self, tree: ast.Call, name: str) -> int:
        return _common_sign(*(self.evaluate(part) for part in tree.args))


def _common_sign(*signs: int) -> int:
    """Return the common sign of all nonzero signs; 0 if they differ."""
    return sum({*signs})
