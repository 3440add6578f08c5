"""Reads an expression over columns: the text is parsed, never evaluated, and every mistake is told with its place.

Only the syntax, names and functions listed here get through. Columns can be given by patterns (``link_*_x_m``) where a
function takes any number of signals, and those of a second run as ``other.link_6_x_m``.
"""

from __future__ import annotations

import ast
import difflib
import math
import operator
import re
from collections.abc import Callable, Mapping, Sequence
from fnmatch import fnmatchcase
from typing import NoReturn

import numpy as np

from snakestudio._arrays import FloatArray
from snakestudio.analysis.signals.functions import FUNCTIONS, Function
from snakestudio.analysis.signals.nodes import Column, Node, Number, Pointwise, Time
from snakestudio.errors import FormulaError, SignalError
from snakestudio.model.column_units import PLAIN, alike, combined, common, ending_of, raised, unit_text
from snakestudio.model.formula.typed_text import Typed, parse

__all__ = ["LENGTH", "covered_patterns", "read"]

LENGTH, DEPTH, LARGEST = 2000, 60, 4000
"""Limits: characters, nesting, columns a pattern may stand for."""

EXAMPLE = "norm(link_1_vx_mps, link_1_vy_mps)"

_OTHER = "other"

_ARITHMETIC: dict[type[ast.operator], Callable[..., FloatArray]] = {
    ast.Add: np.add,
    ast.Sub: np.subtract,
    ast.Mult: np.multiply,
    ast.Div: np.divide,
    ast.Pow: np.power,
    ast.Mod: np.mod,
}
_COMPARISONS: dict[type[ast.cmpop], Callable[[FloatArray, FloatArray], FloatArray]] = {
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
}
# A star is part of a pattern where an underscore is beside it: link_*_x_m, but link_1_x_m*link_2_x_m is a product.
_WORD = re.compile(
    r"(?<![\w.\])])(?:(?:[^\W\d]|\*(?=_)|\?|\[[\w-]+\](?=\w))(?:\w|\.(?=[\w*?])|\?|\[[\w-]+\]|(?<=_)\*|\*(?=_))*)"
)
_TYPOGRAPHIC = {"−": "-", "·": "*", "×": "*", "÷": "/"}


def read(
    text: str, names: Sequence[str], other_names: Sequence[str], reductions: Mapping[str, Function] | None = None
) -> Node:
    """The expression that `text` says.

    Parameters
    ----------
    text : str
    names, other_names : sequence of str
        Columns of the run, and of the one that ``other.`` means; none of the latter where there is no second run.
    reductions : dict, optional
        One number is wanted: signals may stand within these alone.

    Raises
    ------
    SignalError
        If it cannot be used, with the place in the text.
    """
    plain = "".join(_TYPOGRAPHIC.get(c, c) for c in text)
    for at, c in enumerate(plain):
        if not c.isascii():
            raise SignalError(f"{c!r} at character {at + 1} is not understood", "use letters, digits and + - * / ^ ( )",
                              at, at + 1)  # fmt: skip
    covered_text, patterns = covered_patterns(plain)
    try:
        typed = parse(covered_text, LENGTH, EXAMPLE)
    except FormulaError as error:
        place = re.search(r"at character (\d+)", error.message)
        at = int(place[1]) - 1 if place is not None else 0
        raise SignalError(error.message, error.remedy, at, at + 1 if place is not None else 0) from error
    return _Reader(plain, typed, patterns, tuple(names), tuple(other_names), reductions).node(typed.tree)


def covered_patterns(text: str) -> tuple[str, dict[int, str]]:
    """The text with a plain name of the same length for each pattern of columns, and the patterns by their place."""
    patterns: dict[int, str] = {}

    def covered(match: re.Match[str]) -> str:
        word = match[0]
        if not re.search(r"[*?\[]", word):
            return word
        patterns[match.start()] = word
        prefix = f"{_OTHER}." if word.startswith(f"{_OTHER}.") else ""
        return prefix + "_" * (len(word) - len(prefix))

    return _WORD.sub(covered, text), patterns


class _Reader:
    """Walks the tree of one text."""

    def __init__(
        self, text: str, typed: Typed, patterns: dict[int, str], names: tuple[str, ...], others: tuple[str, ...],
        reductions: Mapping[str, Function] | None,
    ) -> None:  # fmt: skip
        self._text, self._typed, self._patterns = text, typed, patterns
        self._names = {False: names, True: others}
        self._sets = {False: frozenset(names), True: frozenset(others)}
        self._reductions: Mapping[str, Function] = reductions or {}
        self._signals = reductions is None  # whether what is read may change with time

    def _refuse(self, node: ast.expr, message: str, remedy: str) -> NoReturn:
        start, stop = self._typed.place(node)
        raise SignalError(f"{message} at character {start + 1}", remedy, start, stop)

    def _said(self, node: ast.expr) -> str:
        start, stop = self._typed.place(node)
        said = self._text[start:stop]
        return said if len(said) <= 40 else said[:37] + "..."

    def node(self, tree: ast.expr, depth: int = 0) -> Node:
        """The node for a part of the tree."""
        if depth > DEPTH:
            self._refuse(tree, "it is nested too deeply", "make it simpler")
        if isinstance(tree, ast.Constant) and type(tree.value) in (int, float):
            return self._number(tree, tree.value)
        if isinstance(tree, ast.Name | ast.Attribute):
            return self._named(tree)
        if isinstance(tree, ast.UnaryOp):
            return self._signed(tree, depth)
        if isinstance(tree, ast.BinOp):
            return self._operation(tree, depth)
        if isinstance(tree, ast.Compare):
            return self._comparison(tree, depth)
        if isinstance(tree, ast.BoolOp):
            parts = tuple(self.node(value, depth + 1) for value in tree.values)
            every = isinstance(tree.op, ast.And)
            return Pointwise(lambda *values: _truth(every, values), parts, PLAIN)
        if isinstance(tree, ast.Call):
            return self._call(tree, depth)
        if isinstance(tree, ast.Tuple):
            self._refuse(tree, "there is a comma in it", "write decimals with a point")
        self._refuse(
            tree, f"'{self._said(tree)}' is not understood",
            "use numbers, columns, + - * / ^, comparisons and functions",
        )  # fmt: skip

    def _number(self, tree: ast.expr, value: object) -> Number:
        try:
            number = float(value)  # type: ignore[arg-type]
        except OverflowError:
            number = math.inf
        if not math.isfinite(number):
            self._refuse(tree, f"'{self._said(tree)}' has no finite value", "give another number")
        return Number(number)

    def _named(self, tree: ast.Name | ast.Attribute) -> Node:
        start, _ = self._typed.place(tree)
        if start in self._patterns:
            self._refuse(
                tree, f"the pattern '{self._patterns[start]}' stands for several columns",
                f"put it into a function of several, like sum({self._patterns[start]})",
            )  # fmt: skip
        if isinstance(tree, ast.Attribute):
            if not (isinstance(tree.value, ast.Name) and tree.value.id == _OTHER):
                self._refuse(tree, f"'{self._said(tree)}' is not understood", "only other. can stand before a column")
            return self._column(tree, tree.attr, True)
        if tree.id in self._sets[False]:
            return self._column(tree, tree.id, False)
        if tree.id == "time":
            self._may_change(tree)
            return Time()
        if tree.id == "pi":
            return Number(math.pi)
        if tree.id in self._callable:
            self._refuse(tree, f"'{tree.id}' is a function", f"write {self._callable[tree.id].signature}")
        return self._column(tree, tree.id, False)

    def _column(self, tree: ast.expr, name: str, other: bool) -> Node:
        if other and not self._names[True]:
            self._refuse(tree, f"'other.{name}' needs a second run", "load one, or leave other. out")
        if name in self._sets[other]:
            self._may_change(tree)
            return Column(name, other)
        near = difflib.get_close_matches(name, self._names[other], 3, 0.5)
        prefix = "other." if other else ""
        if not near and not other:
            near = difflib.get_close_matches(name, self._callable, 3, 0.5)
        remedy = (
            f"did you mean {_listed([prefix + each for each in near])}" if near else "take one of the run's columns"
        )
        self._refuse(tree, f"'{prefix}{name}' is no column of the {'other ' if other else ''}run", remedy)

    @property
    def _callable(self) -> Mapping[str, Function]:
        """What can be called here."""
        return FUNCTIONS if self._signals else {**FUNCTIONS, **self._reductions}

    def _may_change(self, tree: ast.expr) -> None:
        """Refuse a signal where one number is wanted."""
        if not self._signals:
            self._refuse(
                tree, f"'{self._said(tree)}' changes with time, and one number is wanted",
                f"put it, or what it is part of, into one of {', '.join(self._reductions)}",
            )  # fmt: skip

    def _signed(self, tree: ast.UnaryOp, depth: int) -> Node:
        inner = self.node(tree.operand, depth + 1)
        if isinstance(tree.op, ast.UAdd):
            return inner
        if isinstance(tree.op, ast.USub):
            return Number(-inner.value) if isinstance(inner, Number) else Pointwise(np.negative, (inner,), inner.unit)
        if isinstance(tree.op, ast.Not):
            return Pointwise(lambda x: np.where(np.isnan(x), np.nan, x == 0.0), (inner,), PLAIN)
        self._refuse(tree, f"'{self._said(tree)}' is not understood", "write 'not' before a condition")

    def _operation(self, tree: ast.BinOp, depth: int) -> Node:
        function = _ARITHMETIC.get(type(tree.op))
        if function is None:
            self._refuse(tree, f"the operator in '{self._said(tree)}' is not known", "use + - * / ^ and %")
        a, b = self.node(tree.left, depth + 1), self.node(tree.right, depth + 1)
        if isinstance(a, Number) and isinstance(b, Number):
            with np.errstate(all="ignore"):
                return self._number(tree, function(np.float64(a.value), np.float64(b.value)))
        if isinstance(tree.op, ast.Mult | ast.Div):
            unit = combined(a.unit, b.unit, 1.0 if isinstance(tree.op, ast.Mult) else -1.0)
        elif isinstance(tree.op, ast.Pow):
            unit = raised(a.unit, b.value) if isinstance(b, Number) else PLAIN if a.unit == PLAIN else None
        else:  # a number takes the unit of what it is added to
            self._see_alike(tree, ((tree.left, a), (tree.right, b)))
            unit = common([part.unit for part in (a, b) if not isinstance(part, Number)])
        return Pointwise(function, (a, b), unit)

    def _comparison(self, tree: ast.Compare, depth: int) -> Node:
        trees = (tree.left, *tree.comparators)
        sides = tuple(self.node(side, depth + 1) for side in trees)
        self._see_alike(tree, tuple(zip(trees, sides, strict=True)))
        tests = [_COMPARISONS.get(type(op)) for op in tree.ops]
        known = [test for test in tests if test is not None]
        if len(known) < len(tests):
            self._refuse(tree, f"'{self._said(tree)}' is not understood", "compare with < <= > >= == or !=")

        def compare(*values: FloatArray) -> FloatArray:
            holds = [test(a, b).astype(np.float64) for test, a, b in zip(known, values, values[1:], strict=False)]
            for part in holds:  # what is not known compares with nothing
                part[np.isnan(np.sum(values, axis=0))] = np.nan
            return _truth(True, holds)

        return Pointwise(compare, sides, PLAIN)

    def _call(self, tree: ast.Call, depth: int) -> Node:
        name = tree.func.id if isinstance(tree.func, ast.Name) else ""
        reducing = not self._signals and name in self._reductions and self._is_of_one(tree, name)
        function = self._reductions[name] if reducing else FUNCTIONS.get(name)
        if function is None:
            if name in self._reductions:
                self._refuse(tree, f"{name}() gives one number, and stands within another reduction", "reduce once")
            known = self._callable
            near = difflib.get_close_matches(name, known, 2, 0.5)
            remedy = f"did you mean {_listed(near)}" if near else f"use one of {', '.join(known)}"
            if name in self._sets[False]:
                remedy = "write * between factors"
            self._refuse(tree, f"'{self._said(tree.func)}' is not a function", remedy)
        if tree.keywords or any(isinstance(argument, ast.Starred) for argument in tree.args):
            self._refuse(tree, f"{name}() takes plain arguments", f"write {function.signature}")
        if function.signals == 0:
            return self._of_many(tree, name, function, depth)
        wanted = function.signals + len(function.numbers)
        if len(tree.args) != wanted:
            given = f"{len(tree.args)} argument{'' if len(tree.args) == 1 else 's'}"
            self._refuse(tree, f"{name}() is given {given} instead of {wanted}", f"write {function.signature}")
        within, self._signals = self._signals, self._signals or reducing
        parts = [self.node(argument, depth + 1) for argument in tree.args[: function.signals]]
        self._signals = within
        if len(parts) > 1:  # of a choice and of a direction the last two
            self._see_alike(tree, tuple(zip(tree.args, parts, strict=False))[-2:])
        numbers = [
            self._plain_number(argument, name, number, function, depth)
            for argument, number in zip(tree.args[function.signals :], function.numbers, strict=True)
        ]
        made = self._made(tree, function.make(*parts, *numbers))
        if not (self._signals or reducing or isinstance(made, Pointwise | Number)):
            remedy = f"put it within a reduction, like mean({name}(...))"
            self._refuse(tree, f"{name}() is of signals that change with time", remedy)
        return made

    def _is_of_one(self, tree: ast.Call, name: str) -> bool:
        """Whether a reduction is meant, rather than the function of several numbers that is called the same."""
        function = FUNCTIONS.get(name)
        return function is None or function.signals != 0 or len(tree.args) < 2

    def _plain_number(self, tree: ast.expr, name: str, number: str, function: Function, depth: int) -> float:
        node = self.node(tree, depth + 1)
        if not isinstance(node, Number):
            self._refuse(
                tree, f"'{self._said(tree)}' in {name}() changes with time", f"give a plain number for {number}"
            )
        if number in function.positive and node.value <= 0.0:
            self._refuse(tree, f"{number} = {node.value:g} in {name}() is not above 0", "give a positive number")
        low, high = function.between.get(number, (-math.inf, math.inf))
        if not low <= node.value <= high:
            self._refuse(tree, f"{number} = {node.value:g} in {name}() is out of range", f"give {low:g} to {high:g}")
        return node.value

    def _of_many(self, tree: ast.Call, name: str, function: Function, depth: int) -> Node:
        parts: list[Node] = []
        trees: list[ast.expr] = []
        pattern = False
        for argument in tree.args:
            start, _ = self._typed.place(argument)
            plain = isinstance(argument, ast.Name | ast.Attribute) and start in self._patterns
            pattern = pattern or plain
            parts += self._matching(argument, self._patterns[start]) if plain else [self.node(argument, depth + 1)]
            trees += [argument] * (len(parts) - len(trees))
        if len(parts) > LARGEST:
            self._refuse(tree, f"{name}() is given {len(parts)} signals", f"give at most {LARGEST}")
        if not parts or (len(parts) == 1 and not pattern):
            over = "; statistics of a span tell that of one signal over time" if name in ("mean", "max", "min") else ""
            self._refuse(
                tree, f"{name}() needs several signals", f"write {function.signature} or {name}(link_*_x_m){over}"
            )
        self._see_alike(tree, tuple(zip(trees, parts, strict=True)))
        return self._made(tree, function.make(*parts))

    def _see_alike(self, tree: ast.expr, parts: Sequence[tuple[ast.expr, Node]]) -> None:
        """Refuse to add or compare metres and seconds, where one number is wanted.

        A plot may hold such a sum (files of 0.1.0 do), it has no unit then; what decides between runs must mean
        something. A typed number takes the unit of what it meets.
        """
        if not self._reductions:
            return
        known = [(at, node) for at, node in parts if not isinstance(node, Number) and node.unit is not None]
        for at, node in known[1:]:
            first, other = known[0]
            if not alike(other.unit, node.unit):
                self._refuse(
                    tree, f"'{self._said(first)}' is {_unit_said(other)} and '{self._said(at)}' {_unit_said(node)}",
                    "take values of one unit, or write plain(...) around each",
                )  # fmt: skip

    def _matching(self, tree: ast.expr, pattern: str) -> list[Node]:
        """The columns that a pattern stands for."""
        other = pattern.startswith(f"{_OTHER}.")
        wanted = pattern.removeprefix(f"{_OTHER}.") if other else pattern
        if other and not self._names[True]:
            self._refuse(tree, f"'{pattern}' needs a second run", "load one, or leave other. out")
        found: list[Node] = [Column(name, other) for name in self._names[other] if fnmatchcase(name, wanted)]
        if not found:
            self._refuse(
                tree, f"no column fits the pattern '{pattern}'",
                "* stands for any letters, ? for one; link_*_x_m are the x of all links",
            )  # fmt: skip
        return found

    def _made(self, tree: ast.expr, node: Node) -> Node:
        """The node, or a number if it is made of numbers only."""
        if isinstance(node, Pointwise) and all(isinstance(part, Number) for part in node.parts):
            return self._number(tree, node.constant())
        return node


def _unit_said(node: Node) -> str:
    if node.unit == PLAIN:
        return "a plain number"
    unit = unit_text(ending_of(node.unit))
    return f"in {unit}" if unit else "in another unit"


def _truth(every: bool, values: Sequence[FloatArray]) -> FloatArray:
    """1 where all (or any) of them are not 0, NaN where one is not known."""
    stacked = np.stack(values)
    holds = np.all(stacked != 0.0, axis=0) if every else np.any(stacked != 0.0, axis=0)
    return np.where(np.isnan(stacked).any(axis=0), np.nan, holds)


def _listed(words: Sequence[str]) -> str:
    return " or ".join([", ".join(words[:-1]), words[-1]]) if len(words) > 1 else words[0]
