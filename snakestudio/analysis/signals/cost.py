"""Whether an expression over columns grows with what costs, as far as its arithmetic shows it."""

from __future__ import annotations

import ast

from snakestudio.analysis.signals.reader import LENGTH, covered_patterns
from snakestudio.errors import FormulaError
from snakestudio.model.formula.typed_text import Typed, parse
from snakestudio.model.quantities import is_cost

__all__ = ["cost_sign"]

_DEPTH = 60


def cost_sign(text: str) -> int:
    """Sign with which an expression changes as costs grow.

    1 for ``max(solver_unconverged)``, -1 for ``last(com_x_m) / last(work_actuator_j)``; 0 where no column in it is a
    cost, where costs work against each other, and where the text cannot be read. Columns need not exist.
    """
    plain, patterns = covered_patterns(text)
    try:
        typed = parse(plain, LENGTH, "")
    except FormulaError:
        return 0
    return _sign(typed.tree, typed, patterns, 0)


def _sign(tree: ast.expr, typed: Typed, patterns: dict[int, str], depth: int) -> int:
    if depth > _DEPTH:
        return 0

    def sign(part: ast.expr) -> int:
        return _sign(part, typed, patterns, depth + 1)

    if isinstance(tree, ast.Name):
        return int(is_cost(patterns.get(typed.place(tree)[0], tree.id)))
    if isinstance(tree, ast.UnaryOp):
        return -sign(tree.operand) if isinstance(tree.op, ast.USub | ast.Not) else sign(tree.operand)
    if isinstance(tree, ast.BinOp):
        left, right = sign(tree.left), sign(tree.right)
        if isinstance(tree.op, ast.Add | ast.Mult):
            return _together(left, right)
        if isinstance(tree.op, ast.Div):
            return _together(left, -right)
        return left or (-right if isinstance(tree.op, ast.Sub) else 0)  # last(work) - first(work) is a cost
    if isinstance(tree, ast.Compare) and len(tree.ops) == 1:
        above = sign(tree.left) or -sign(tree.comparators[0])
        return {ast.Gt: above, ast.GtE: above, ast.Lt: -above, ast.LtE: -above}.get(type(tree.ops[0]), 0)
    if isinstance(tree, ast.Call):
        return _together(*(sign(part) for part in tree.args))
    return 0


def _together(*signs: int) -> int:
    """The sign that all have which have one; 0 where they differ."""
    return sum({*signs})
