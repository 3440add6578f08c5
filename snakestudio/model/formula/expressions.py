"""Typed arithmetic: one parser and one interpreter base class for all uses.

A text is parsed with Python's grammar and never evaluated by Python: an `Interpreter` walks the
syntax tree and accepts only what the `Vocabulary` of its use contains. Subclasses define the meaning
of names, operators and functions (numbers, sympy expressions, columns of a run); limits, positions
and error messages are shared.
"""

from __future__ import annotations

import ast
import difflib
import math
import warnings
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Generic, NoReturn, TypeVar

from snakestudio.errors import FormulaError
from snakestudio.text import listing, shortened

Value = TypeVar("Value")
"""Result of an interpreter for a part of a text."""

_SYMBOLS: dict[type[ast.AST], str] = {
    ast.Add: "+",
    ast.Sub: "-",
    ast.Mult: "*",
    ast.Div: "/",
    ast.FloorDiv: "//",
    ast.Mod: "%",
    ast.Pow: "**",
    ast.LShift: "<<",
    ast.RShift: ">>",
    ast.BitAnd: "&",
    ast.BitXor: "^",
    ast.BitOr: "|",
    ast.UAdd: "+",
    ast.USub: "-",
    ast.Invert: "~",
    ast.Not: "not",
    ast.Lt: "<",
    ast.LtE: "<=",
    ast.Gt: ">",
    ast.GtE: ">=",
    ast.Eq: "==",
    ast.NotEq: "!=",
    ast.And: "and",
    ast.Or: "or",
}
TYPOGRAPHIC = str.maketrans({"\N{MINUS SIGN}": "-", "·": "*", "×": "*", "÷": "/"})
"""Typographic characters and their meaning; each is one character, so positions are unchanged."""

_EXCERPT = 40
"""Largest number of characters of the text that a message quotes."""


@dataclass(frozen=True, slots=True)
class Limits:
    """Limits of an expression, so that no text takes too much time or memory."""

    characters: int = 2000
    depth: int = 60
    """Levels of nesting."""
    parts: int = 1000
    """Number of numbers, names, operations and calls."""
    exponent: float = math.inf
    """Largest absolute value of a numeric exponent."""


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """Allowed syntax of one use."""

    example: str
    """Text that the remedy of a syntax error shows."""
    operators: Mapping[str, Callable[[Any, Any], Any]]
    """Operations by symbol in Python notation (a power is "**")."""
    signs: frozenset[str] = frozenset({"+", "-"})
    """Allowed unary signs out of + - ~ not."""
    comparisons: Mapping[str, Callable[[Any, Any], Any]] = field(default_factory=dict)
    conditions: bool = False
    """Whether `and` and `or` are allowed."""
    prefix: str = ""
    """Allowed prefix of a name, before a dot: "other" for ``other.link_6_x_m``."""
    names: str = "names"
    """Noun for names in messages."""
    integers: bool = False
    """Whether all numbers are integers of any size; otherwise they are floating-point numbers."""
    caret_is_power: bool = True
    limits: Limits = Limits()

    def description(self, functions: bool) -> str:
        """Return the allowed syntax as text for remedies."""
        symbols = [
            *self.operators,
            *(sign for sign in sorted(self.signs) if sign not in self.operators),
        ]
        symbols += [*self.comparisons, *(("and", "or") if self.conditions else ())]
        spelled = " ".join(
            "^" if symbol == "**" and self.caret_is_power else symbol for symbol in symbols
        )
        return listing(
            [f"numbers, {self.names}, {spelled}", "functions" if functions else "parentheses"]
        )


class Interpreter(ABC, Generic[Value]):
    """Computes the value of one text."""

    vocabulary: Vocabulary
    functions: Mapping[str, str]
    """Call syntax of each function: ``{"sin": "sin(x)"}``."""

    def __init__(self) -> None:
        self.functions = {}
        self._label = ""
        self._source = ""
        self._positions: Sequence[int] = ()
        self._depth = 0
        self._parts = 0

    def read(self, text: str, label: str = "") -> Value:
        """Evaluate a text.

        Raises `FormulaError` with the position of the error.

        Parameters
        ----------
        label : str
            Text quoted in messages, as long as `text`; `text` itself if omitted.
        """
        self._label = label or text
        self._depth = 0
        self._parts = 0
        return self.evaluate(self._parsed(text))

    def evaluate(self, tree: ast.expr) -> Value:
        """Evaluate a part of the text."""
        limits = self.vocabulary.limits
        self._parts += 1
        if self._parts > limits.parts:
            raise FormulaError(
                f"the text has more than {limits.parts} numbers, names and operations",
                "simplify it",
            )
        if self._depth > limits.depth:
            self.refuse(tree, "is nested too deeply", "simplify it")
        self._depth += 1
        try:
            return self._value(tree)
        finally:
            self._depth -= 1

    @abstractmethod
    def number(self, tree: ast.expr, value: Any) -> Value:
        """Return the value of a number: a finite float, or an int if the vocabulary has integers."""

    @abstractmethod
    def name(self, tree: ast.expr, name: str) -> Value:
        """Return the value of a name, which can have the vocabulary's prefix; `unknown_name` rejects it."""

    @abstractmethod
    def sign(self, tree: ast.UnaryOp, symbol: str, value: Value) -> Value:
        """Return the result of a sign other than + before a value."""

    @abstractmethod
    def operation(self, tree: ast.BinOp, symbol: str, left: Value, right: Value) -> Value:
        """Return the result of an operation on two values."""

    def comparison(
        self, tree: ast.Compare, symbols: Sequence[str], values: Sequence[Value]
    ) -> Value:
        """Return the result of a chain of comparisons; there is one more value than symbols."""
        self.not_understood(tree)

    def condition(self, tree: ast.BoolOp, symbol: str, values: Sequence[Value]) -> Value:
        """Return the result of conditions joined by "and" or "or"."""
        self.not_understood(tree)

    def call(self, tree: ast.Call, name: str) -> Value:
        """Return the result of a call of one of `functions`, with positional arguments that are not evaluated yet."""
        self.not_understood(tree)

    def constant(self, value: Value) -> float | None:
        """Return the number that a value is; None if it depends on names."""
        return None

    def position(self, tree: ast.expr) -> tuple[int, int]:
        """Return the indices of the first character of a part of the text, and of the character after its last."""
        end = tree.end_col_offset if tree.end_col_offset is not None else tree.col_offset + 1
        return self._position(tree.col_offset), self._position(end - 1) + 1

    def excerpt(self, tree: ast.expr) -> str:
        """Return the part of the text as typed, shortened."""
        start, stop = self.position(tree)
        return shortened(self._label[start:stop], _EXCERPT)

    def refuse(self, tree: ast.expr, predicate: str, remedy: str) -> NoReturn:
        """Raise a FormulaError about a part of the text, which becomes the subject of the predicate."""
        start, stop = self.position(tree)
        raise FormulaError(
            f"'{self.excerpt(tree)}' at character {start + 1} {predicate}", remedy, start, stop
        )

    def not_understood(self, tree: ast.expr) -> NoReturn:
        """Reject syntax that is not in the vocabulary."""
        self.refuse(
            tree, "is not understood", f"use {self.vocabulary.description(bool(self.functions))}"
        )

    def unknown_name(
        self,
        tree: ast.expr,
        name: str,
        known: Iterable[str],
        predicate: str = "is not known",
        remedy: str = "",
    ) -> NoReturn:
        """Reject a name, suggesting similar known names."""
        if name in self.functions:
            self.refuse(tree, "is a function", f"write {self.functions[name]}")
        self.refuse(tree, predicate, _suggestion(name, [*known], [*self.functions]) or remedy)

    def not_a_function(self, tree: ast.Call, name: str) -> NoReturn:
        """Reject a call of anything but `functions`."""
        self.refuse(
            tree.func,
            "is not a function",
            _suggestion(name, [*self.functions]) or f"use {listing(self.functions, 'or')}",
        )

    def _value(self, tree: ast.expr) -> Value:
        vocabulary = self.vocabulary
        if isinstance(tree, ast.Constant):
            return self._number(tree)
        if isinstance(tree, ast.Name):
            return self.name(tree, tree.id)
        if isinstance(tree, ast.Attribute) and vocabulary.prefix:
            if not (isinstance(tree.value, ast.Name) and tree.value.id == vocabulary.prefix):
                self.refuse(
                    tree, "is not understood", f"only the prefix {vocabulary.prefix}. is allowed"
                )
            return self.name(tree, f"{vocabulary.prefix}.{tree.attr}")
        if isinstance(tree, ast.UnaryOp) and _SYMBOLS[type(tree.op)] in vocabulary.signs:
            value = self.evaluate(tree.operand)
            return (
                value
                if isinstance(tree.op, ast.UAdd)
                else self.sign(tree, _SYMBOLS[type(tree.op)], value)
            )
        if isinstance(tree, ast.BinOp) and _SYMBOLS.get(type(tree.op)) in vocabulary.operators:
            return self._operation(tree, _SYMBOLS[type(tree.op)])
        if isinstance(tree, ast.Compare) and vocabulary.comparisons:
            symbols = [_SYMBOLS.get(type(operator), "") for operator in tree.ops]
            if all(symbol in vocabulary.comparisons for symbol in symbols):
                return self.comparison(
                    tree, symbols, [self.evaluate(part) for part in (tree.left, *tree.comparators)]
                )
        if isinstance(tree, ast.BoolOp) and vocabulary.conditions:
            return self.condition(
                tree, _SYMBOLS[type(tree.op)], [self.evaluate(part) for part in tree.values]
            )
        if isinstance(tree, ast.Call) and self.functions:
            return self._call(tree)
        if isinstance(tree, ast.Tuple):
            self.refuse(tree, "contains a comma", "write decimals with a point")
        self.not_understood(tree)

    def _number(self, tree: ast.Constant) -> Value:
        value = tree.value
        if self.vocabulary.integers:
            if type(value) is not int:
                self.refuse(
                    tree, "is not a whole number", f"write it like {self.vocabulary.example}"
                )
            return self.number(tree, value)
        if type(value) not in (int, float):
            self.not_understood(tree)
        return self.number(tree, self.finite(tree, value))

    def finite(self, tree: ast.expr, value: Any) -> float:
        """Return the number as a float; rejects values that are not finite."""
        try:
            number = float(value)
        except OverflowError:
            number = math.inf
        if not math.isfinite(number):
            self.refuse(tree, "is not finite", "use another number")
        return number

    def _operation(self, tree: ast.BinOp, symbol: str) -> Value:
        left, right = self.evaluate(tree.left), self.evaluate(tree.right)
        exponent = self.constant(right) if symbol == "**" else None
        most = self.vocabulary.limits.exponent
        if exponent is not None and abs(exponent) > most:
            self.refuse(tree.right, "is too large an exponent", f"use at most {most:g}")
        return self.operation(tree, symbol, left, right)

    def _call(self, tree: ast.Call) -> Value:
        name = tree.func.id if isinstance(tree.func, ast.Name) else ""
        if name not in self.functions:
            self.not_a_function(tree, name)
        if tree.keywords or any(isinstance(argument, ast.Starred) for argument in tree.args):
            self.refuse(
                tree, "must have positional arguments only", f"write {self.functions[name]}"
            )
        return self.call(tree, name)

    def _parsed(self, text: str) -> ast.expr:
        example = f"write it like {self.vocabulary.example}"
        if len(text) > self.vocabulary.limits.characters:
            most = self.vocabulary.limits.characters
            raise FormulaError(f"the text has {len(text)} characters", f"use at most {most}")
        if "#" in text:
            at = text.index("#")
            raise FormulaError(f"there is a '#' at character {at + 1}", "remove it", at, at + 1)
        if not text.strip():
            raise FormulaError(
                "it is empty", f"type a formula, for example {self.vocabulary.example}"
            )
        plain = "".join(" " if c.isspace() else c for c in text).translate(TYPOGRAPHIC)
        indent = len(plain) - len(plain.lstrip())
        source = plain.strip()
        power = self.vocabulary.caret_is_power
        self._positions = [
            i + indent for i, c in enumerate(source) for _ in range(2 if power and c == "^" else 1)
        ]
        self._source = source.replace("^", "**") if power else source
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # style warnings of Python
                return ast.parse(self._source, mode="eval").body
        except SyntaxError as error:
            _check_brackets(plain)
            if not error.offset:
                raise FormulaError("the text is incomplete", example) from error
            at = self._positions[min(error.offset, len(self._positions)) - 1]
            near = plain[max(at - 6, 0) : at + 6].strip()
            message = f"there is a syntax error at character {at + 1}, near '{near}'"
            raise FormulaError(message, example, at, at + 1) from error
        except (ValueError, RecursionError, MemoryError, OverflowError) as error:
            raise FormulaError("there is a syntax error", example) from error

    def _position(self, offset: int) -> int:
        """Return the index of the character at a byte offset of the source."""
        if not self._source.isascii():
            offset = len(self._source.encode()[: max(offset, 0)].decode(errors="ignore"))
        return self._positions[min(max(offset, 0), len(self._positions) - 1)]


def _check_brackets(text: str) -> None:
    """Check that brackets match, because Python's syntax errors do not show that.

    Raises
    ------
    FormulaError
    """
    open_: list[int] = []
    for at, character in enumerate(text):
        if character == "(":
            open_.append(at)
        elif character == ")" and not open_:
            message = f"the ')' at character {at + 1} has no matching '('"
            raise FormulaError(message, "remove it, or add a '(' before it", at, at + 1)
        elif character == ")":
            open_.pop()
    if open_:
        at = open_[-1]
        message = f"a ')' is missing: the '(' at character {at + 1} is not closed"
        raise FormulaError(message, "add the ')'", at, at + 1)


def _suggestion(name: str, *known: Sequence[str]) -> str:
    """Question that suggests similar names, from the first group that has any, or ""."""
    for names in known:
        near = difflib.get_close_matches(name, names, 3, 0.5)
        if near:
            return f"did you mean {listing(near, 'or')}"
    return ""
