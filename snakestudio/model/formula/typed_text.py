"""Arithmetic that people type, as Python's syntax tree: only parsed, never evaluated, with the place of mistakes."""

from __future__ import annotations

import ast
import warnings
from typing import NamedTuple

from snakestudio.errors import FormulaError

__all__ = ["Typed", "parse"]


class Typed(NamedTuple):
    """A parsed text.

    Attributes
    ----------
    tree : ast.expr
    where : tuple of int
        For every character of the source that was parsed, the place in the text it came from.
    """

    tree: ast.expr
    where: tuple[int, ...]

    def place(self, node: ast.expr) -> tuple[int, int]:
        """Where a part of the text begins and ends."""
        end = node.end_col_offset if node.end_col_offset is not None else node.col_offset + 1
        return self._typed(node.col_offset), self._typed(end - 1) + 1

    def _typed(self, offset: int) -> int:
        return self.where[min(max(offset, 0), len(self.where) - 1)]


def _see_brackets(plain: str) -> None:
    """See that every bracket has its other one, which Python's own remark on a mistake does not say.

    Raises
    ------
    FormulaError
    """
    open_: list[int] = []
    for at, c in enumerate(plain):
        if c == "(":
            open_.append(at)
        elif c == ")" and not open_:
            raise FormulaError(f"the ')' at character {at + 1} closes nothing", "leave it out, or put a '(' before it")
        elif c == ")":
            open_.pop()
    if open_:
        missing = f"a ')' is missing: the '(' at character {open_[-1] + 1} is not closed"
        raise FormulaError(missing, "put a ')' behind what belongs to it")


def parse(text: str, longest: int, example: str) -> Typed:
    """The syntax tree of one expression; ``^`` is a power.

    Parameters
    ----------
    text : str
    longest : int
        Characters it may have.
    example : str
        What the remedy shows.

    Raises
    ------
    FormulaError
        If it cannot be read, with the place.
    """
    if len(text) > longest:
        raise FormulaError(f"it has {len(text)} characters", f"give at most {longest}")
    if "#" in text:
        raise FormulaError("there is a '#' in it", "leave it out")
    if not text.strip():
        raise FormulaError("it is empty", f"give a formula, for example {example}")
    plain = "".join(" " if c.isspace() else c for c in text)
    indent = len(plain) - len(plain.lstrip())
    stripped = plain.strip()
    where = [i + indent for i, c in enumerate(stripped) for _ in range(2 if c == "^" else 1)]
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # Python's remarks on style
            return Typed(ast.parse(stripped.replace("^", "**"), mode="eval").body, tuple(where))
    except SyntaxError as error:
        _see_brackets(plain)
        if not error.offset:
            raise FormulaError("something is missing at its end", f"write it like {example}") from error
        at = where[min(error.offset, len(where)) - 1]
        raise FormulaError(
            f"it cannot be read at character {at + 1}, near '{plain[max(at - 6, 0) : at + 6].strip()}'",
            f"write it like {example}",
        ) from error
    except (ValueError, RecursionError, MemoryError, OverflowError) as error:
        raise FormulaError("it cannot be read", f"write it like {example}") from error
