"""Parser of expressions over columns of a run: converts the text to a tree of nodes.

Functions of any number of signals accept patterns of columns (``link_*_x_m``); columns of a second run are
written as ``other.link_6_x_m``.
"""

from __future__ import annotations

import ast
import math
import operator
import re
from collections.abc import Mapping, Sequence
from fnmatch import fnmatchcase
from typing import NoReturn

import numpy as np

from snakestudio._arrays import FloatArray
from snakestudio.analysis.signals.functions import FUNCTIONS, Function
from snakestudio.analysis.signals.nodes import Column, Node, Number, PointwiseFunction, Time
from snakestudio.errors import FormulaError, SignalError
from snakestudio.model.column_units import (
    PLAIN,
    alike,
    combined,
    common,
    ending_of,
    raised,
    unit_text,
)
from snakestudio.model.formula.expressions import TYPOGRAPHIC, Interpreter, Vocabulary
from snakestudio.text import counted, listing

LARGEST = 4000
"""Largest number of columns that a pattern can match."""

_OTHER = "other"

VOCABULARY = Vocabulary(
    example="norm(link_1_vx_mps, link_1_vy_mps)",
    operators={
        "+": np.add,
        "-": np.subtract,
        "*": np.multiply,
        "/": np.divide,
        "**": np.power,
        "%": np.mod,
    },
    signs=frozenset({"+", "-", "not"}),
    comparisons={
        "<": operator.lt,
        "<=": operator.le,
        ">": operator.gt,
        ">=": operator.ge,
        "==": operator.eq,
        "!=": operator.ne,
    },
    conditions=True,
    prefix=_OTHER,
    names="columns",
)
# A star is part of a pattern next to an underscore: link_*_x_m; but
# link_1_x_m*link_2_x_m is a product.
_WORD = re.compile(
    r"(?<![\w.\])])(?:(?:[^\W\d]|\*(?=_)|\?|\[[\w-]+\](?=\w))(?:\w|\.(?=[\w*?])|\?|\[[\w-]+\]|(?<=_)\*|\*(?=_))*)"
)


def read(
    text: str,
    names: Sequence[str],
    other_names: Sequence[str],
    reductions: Mapping[str, Function] | None = None,
    *,
    vocabulary: Vocabulary = VOCABULARY,
    check_units: bool = False,
    owner: str = "the run",
    label: str = "",
) -> Node:
    """Parse the expression `text`.

    Raises `SignalError` if it is invalid, with the position in the text.

    Parameters
    ----------
    names, other_names : sequence of str
        Columns of the run, and of the one that ``other.`` refers to; the latter is empty if there is
        no second run.
    reductions : dict, optional
        Required if the result must be one number: signals can be used only inside these.
    check_units : bool
        Whether values of different units cannot be added or compared; always, if the result must be
        one number.
    owner : str
        Owner of the columns, for messages.
    label : str
        Text from which messages quote, of the same length as `text`; the text itself if omitted.
    """
    for at, c in enumerate(text.translate(TYPOGRAPHIC)):
        if not c.isascii():
            remedy = "use letters, digits and + - * / ^ ( )"
            raise SignalError(f"{c!r} at character {at + 1} is not understood", remedy, at, at + 1)
    covered, patterns = covered_patterns(text.translate(TYPOGRAPHIC))
    reader = _Reader(
        patterns, tuple(names), tuple(other_names), reductions, vocabulary, check_units, owner
    )
    try:
        return reader.read(covered, label or text)
    except FormulaError as error:
        raise SignalError(error.message, error.remedy, error.start, error.stop) from error


def covered_patterns(text: str) -> tuple[str, dict[int, str]]:
    """The text with a plain name of the same length for each pattern of columns, and the patterns by position."""
    patterns: dict[int, str] = {}

    def covered(match: re.Match[str]) -> str:
        text_part = match[0]
        if not re.search(r"[*?\[]", text_part):
            return text_part
        patterns[match.start()] = text_part
        prefix = f"{_OTHER}." if text_part.startswith(f"{_OTHER}.") else ""
        return prefix + "_" * (len(text_part) - len(prefix))

    return _WORD.sub(covered, text), patterns


class _Reader(Interpreter[Node]):
    """Creates the nodes of one text."""

    def __init__(
        self,
        patterns: Mapping[int, str],
        names: tuple[str, ...],
        others: tuple[str, ...],
        reductions: Mapping[str, Function] | None,
        vocabulary: Vocabulary,
        check_units: bool,
        owner: str,
    ) -> None:
        super().__init__()
        self.vocabulary = vocabulary
        self._patterns = patterns
        self._names = {False: names, True: others}
        self._sets = {False: frozenset(names), True: frozenset(others)}
        self._reductions: Mapping[str, Function] = reductions or {}
        self._check_units = check_units or bool(self._reductions)
        self._signals = reductions is None  # whether the result may change with time
        self._owner = owner
        self.functions = {
            name: each.signature for name, each in {**FUNCTIONS, **self._reductions}.items()
        }

    def number(self, tree: ast.expr, value: float) -> Number:
        return Number(value)

    def name(self, tree: ast.expr, name: str) -> Node:
        start, _ = self.position(tree)
        if start in self._patterns:
            pattern = self._patterns[start]
            self.refuse(
                tree,
                "matches several columns",
                f"use it in a function of several signals, like sum({pattern})",
            )
        if isinstance(tree, ast.Attribute):
            return self._column(tree, tree.attr, True)
        if name in self._sets[False]:
            return self._column(tree, name, False)
        if name == "time":
            self._check_reduced(tree)
            return Time()
        return Number(math.pi) if name == "pi" else self._column(tree, name, False)

    def _column(self, tree: ast.expr, name: str, other: bool) -> Node:
        if other and not self._names[True]:
            self.refuse(tree, "needs a second run", "load one, or remove other.")
        if name in self._sets[other]:
            self._check_reduced(tree)
            return Column(name, other)
        prefix = f"{_OTHER}." if other else ""
        known = [prefix + each for each in self._names[other]]
        owner = f"the {_OTHER} run" if other else self._owner
        predicate = f"is not a column of {owner}"
        self.unknown_name(
            tree, prefix + name, known, predicate, f"use one of the columns of {owner}"
        )

    def _check_reduced(self, tree: ast.expr) -> None:
        """Refuse a signal if the result must be one number."""
        if not self._signals:
            self.refuse(
                tree,
                "changes with time, but one number is required",
                f"put it, or the expression around it, into {listing(self._reductions, 'or')}",
            )

    def sign(self, tree: ast.UnaryOp, symbol: str, value: Node) -> Node:
        if symbol == "-":
            return (
                Number(-value.value)
                if isinstance(value, Number)
                else PointwiseFunction(np.negative, (value,), value.unit)
            )
        return PointwiseFunction(lambda x: np.where(np.isnan(x), np.nan, x == 0.0), (value,), PLAIN)

    def operation(self, tree: ast.BinOp, symbol: str, left: Node, right: Node) -> Node:
        function = self.vocabulary.operators[symbol]
        if isinstance(left, Number) and isinstance(right, Number):
            with np.errstate(all="ignore"):
                value = function(np.float64(left.value), np.float64(right.value))
            return Number(self.finite(tree, value))
        if symbol in ("*", "/"):
            unit = combined(left.unit, right.unit, 1.0 if symbol == "*" else -1.0)
        elif symbol == "**":
            plain = PLAIN if left.unit == PLAIN else None
            unit = raised(left.unit, right.value) if isinstance(right, Number) else plain
        else:  # a number takes the unit of the other operand
            self._check_alike(tree, ((tree.left, left), (tree.right, right)))
            unit = common([part.unit for part in (left, right) if not isinstance(part, Number)])
        return PointwiseFunction(function, (left, right), unit)

    def comparison(self, tree: ast.Compare, symbols: Sequence[str], values: Sequence[Node]) -> Node:
        self._check_alike(tree, tuple(zip((tree.left, *tree.comparators), values, strict=True)))
        tests = [self.vocabulary.comparisons[symbol] for symbol in symbols]

        def compare(*values: FloatArray) -> FloatArray:
            holds = [
                test(a, b).astype(np.float64)
                for test, a, b in zip(tests, values, values[1:], strict=False)
            ]
            for part in holds:  # comparisons with NaN are NaN
                part[np.isnan(np.sum(values, axis=0))] = np.nan
            return _truth(True, holds)

        return PointwiseFunction(compare, tuple(values), PLAIN)

    def condition(self, tree: ast.BoolOp, symbol: str, values: Sequence[Node]) -> Node:
        every = symbol == "and"
        return PointwiseFunction(lambda *values: _truth(every, values), tuple(values), PLAIN)

    def not_a_function(self, tree: ast.Call, name: str) -> NoReturn:
        if name in self._sets[False]:
            self.refuse(tree.func, "is not a function", "write * between factors")
        super().not_a_function(tree, name)

    def call(self, tree: ast.Call, name: str) -> Node:
        reducing = not self._signals and name in self._reductions and self._is_of_one(tree, name)
        function = self._reductions[name] if reducing else FUNCTIONS.get(name)
        if function is None:
            self.refuse(tree.func, "is a reduction inside another reduction", "reduce once")
        if function.signals == 0:
            return self._of_many(tree, name, function)
        required = function.signals + len(function.numbers)
        if len(tree.args) != required:
            arguments = counted(len(tree.args), "argument")
            self.refuse(
                tree, f"has {arguments} instead of {required}", f"write {function.signature}"
            )
        within = self._signals
        self._signals = self._signals or reducing
        parts = [self.evaluate(argument) for argument in tree.args[: function.signals]]
        self._signals = within
        if len(parts) > 1:  # where() needs equal units only for its last two
            self._check_alike(tree, tuple(zip(tree.args, parts, strict=False))[-2:])
        numbers = [
            self._plain_number(argument, name, number, function)
            for argument, number in zip(
                tree.args[function.signals :], function.numbers, strict=True
            )
        ]
        node = self._folded(tree, function.make(*parts, *numbers))
        if not (self._signals or reducing or isinstance(node, PointwiseFunction | Number)):
            remedy = f"use it in a reduction, like mean({name}(...))"
            self.refuse(tree, f"is not one number: {name}() changes with time", remedy)
        return node

    def _is_of_one(self, tree: ast.Call, name: str) -> bool:
        """Return whether a reduction is meant, rather than the function of several numbers with the same name."""
        function = FUNCTIONS.get(name)
        return function is None or function.signals != 0 or len(tree.args) < 2

    def _plain_number(self, tree: ast.expr, name: str, number: str, function: Function) -> float:
        node = self.evaluate(tree)
        if not isinstance(node, Number):
            self.refuse(tree, f"in {name}() changes with time", f"give a plain number for {number}")
        if number in function.positive and node.value <= 0.0:
            self.refuse(
                tree,
                f"is {number} in {name}(), which must be greater than 0",
                "give a positive number",
            )
        low, high = function.between.get(number, (-math.inf, math.inf))
        if not low <= node.value <= high:
            self.refuse(
                tree, f"is {number} in {name}(), which is out of range", f"give {low:g} to {high:g}"
            )
        return node.value

    def _of_many(self, tree: ast.Call, name: str, function: Function) -> Node:
        parts: list[Node] = []
        trees: list[ast.expr] = []
        pattern = False
        for argument in tree.args:
            start, _ = self.position(argument)
            plain = isinstance(argument, ast.Name | ast.Attribute) and start in self._patterns
            pattern = pattern or plain
            parts += (
                self._matching(argument, self._patterns[start])
                if plain
                else [self.evaluate(argument)]
            )
            trees += [argument] * (len(parts) - len(trees))
        if len(parts) > LARGEST:
            self.refuse(tree, f"has {len(parts)} signals", f"use at most {LARGEST}")
        if not parts or (len(parts) == 1 and not pattern):
            over = "; the statistics of a span are those of one signal over time"
            over = over if name in ("mean", "max", "min") else ""
            self.refuse(
                tree,
                "needs several signals",
                f"write {function.signature} or {name}(link_*_x_m){over}",
            )
        self._check_alike(tree, tuple(zip(trees, parts, strict=True)))
        return self._folded(tree, function.make(*parts))

    def _check_alike(self, tree: ast.expr, parts: Sequence[tuple[ast.expr, Node]]) -> None:
        """Refuse to add or compare values with different units, if units are checked.

        A plot may contain such a sum (files of 0.1.0 do); it then has no unit. A value that decides between
        runs must be meaningful. A typed number takes the unit of the other operand.
        """
        if not self._check_units:
            return
        known = [
            (at, node)
            for at, node in parts
            if not isinstance(node, Number) and node.unit is not None
        ]
        for at, node in known[1:]:
            first, other = known[0]
            if not alike(other.unit, node.unit):
                self.refuse(
                    tree,
                    f"combines '{self.excerpt(first)}' ({_unit_shown(other)}) and '{self.excerpt(at)}' "
                    f"({_unit_shown(node)})",
                    "use values of one unit, or write plain(...) around each",
                )

    def _matching(self, tree: ast.expr, pattern: str) -> list[Node]:
        """Return the columns that match a pattern."""
        other = pattern.startswith(f"{_OTHER}.")
        plain = pattern.removeprefix(f"{_OTHER}.") if other else pattern
        if other and not self._names[True]:
            self.refuse(tree, "needs a second run", "load one, or remove other.")
        columns: list[Node] = [
            Column(name, other) for name in self._names[other] if fnmatchcase(name, plain)
        ]
        if not columns:
            remedy = "write * for any letters and ? for one letter; link_*_x_m matches the x of all links"
            self.refuse(tree, "matches no column", remedy)
        return columns

    def _folded(self, tree: ast.expr, node: Node) -> Node:
        """Return the node, or a number if it consists of numbers only."""
        if isinstance(node, PointwiseFunction) and all(
            isinstance(part, Number) for part in node.parts
        ):
            return Number(self.finite(tree, node.constant()))
        return node


def _unit_shown(node: Node) -> str:
    if node.unit == PLAIN:
        return "a plain number"
    return unit_text(ending_of(node.unit)) or "another unit"


def _truth(every: bool, values: Sequence[FloatArray]) -> FloatArray:
    """Return the 1 where all (or any) of them are not 0, NaN where one is unknown."""
    stacked = np.stack(values)
    holds = np.all(stacked != 0.0, axis=0) if every else np.any(stacked != 0.0, axis=0)
    return np.where(np.isnan(stacked).any(axis=0), np.nan, holds)
