"""Descriptions of the fields of dataclasses for `help()`, from the texts behind the fields in the source."""

from __future__ import annotations

import ast
import inspect
from textwrap import dedent
from typing import TypeVar

_Class = TypeVar("_Class", bound=type)


class _FieldDocs(dict[str, str]):
    """Slots of a class with their descriptions, which are read from the source when the first one is needed.

    `inspect.getdoc`, and therefore `help`, look up the description of a slot here.
    """

    def __init__(self, owner: type) -> None:
        super().__init__(dict.fromkeys(owner.__slots__, ""))  # type: ignore[attr-defined]
        self._owner = owner
        self._complete = False

    def __getitem__(self, name: str) -> str:
        if not self._complete:
            self._complete = True
            self.update(field_docs(self._owner))
        return super().__getitem__(name)


def with_field_docs(cls: _Class) -> _Class:
    """Let `help` show the descriptions of the fields of a dataclass with slots."""
    cls.__slots__ = _FieldDocs(cls)  # type: ignore[attr-defined]
    return cls


def field_docs(cls: type) -> dict[str, str]:
    """Return the description of each field of a class that has one behind it.

    Fields in lines directly above each other share it.

    Returns an empty dict if the source is not available.
    """
    try:
        tree = ast.parse(dedent(inspect.getsource(cls)))
    except (OSError, TypeError):
        return {}
    body = tree.body[0].body  # type: ignore[attr-defined]
    docs: dict[str, str] = {}
    pending: list[str] = []
    line = 0
    for node in body:
        if node.lineno > line + 1:
            pending.clear()
        line = node.end_lineno
        if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            pending.append(node.target.id)
        elif (
            isinstance(node, ast.Expr)
            and isinstance(node.value, ast.Constant)
            and isinstance(node.value.value, str)
        ):
            docs.update(dict.fromkeys(pending, inspect.cleandoc(node.value.value)))
            pending.clear()
        else:
            pending.clear()
    return docs
