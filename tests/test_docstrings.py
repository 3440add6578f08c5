"""Docstrings are true and whole: names in them exist, their paragraphs are not broken, and none is empty.

`make lint` compares the documented parameters of functions with their signatures.
"""

from __future__ import annotations

import ast
import builtins
import keyword
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from tests.conftest import ROOT

PACKAGE = ROOT / "snakestudio"
WIDTH = 100
SLACK = 16
"""Columns by which a line may be shorter than the next word allows."""

_NAME = re.compile(r"(?<!`)`([A-Za-z_]\w*)`(?!`)")
_WORD = re.compile(r"[A-Za-z_]\w*")
_FIELD_LIST = re.compile(
    r"`?\w+`?((, | and |, and )`?\w+`?)*( are | is | in m\b| for |: |; |, (m|s|rad)\b)"
)
"""Names of fields at the beginning of a docstring that describes them."""

_LIST_OR_TABLE = re.compile(
    r"\s*([-*+>|`#{]|\d+\.|\.\.|===|---|\w+\(.*\)$)|.*([├└│]|\S {2,}\S)|\s*\"?\S+\"? ?: "
)


@cache
def sources() -> dict[Path, str]:
    return {path: path.read_text(encoding="utf-8") for path in sorted(PACKAGE.rglob("*.py"))}


@cache
def docstrings(text: str) -> tuple[ast.Constant, ...]:
    """All strings that are statements: docstrings, also those of fields."""
    return tuple(
        node.value
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.Expr)
        and isinstance(node.value, ast.Constant)
        and isinstance(node.value.value, str)
    )


def without_docstrings(text: str) -> str:
    lines = text.splitlines()
    for each in docstrings(text):
        for k in range(each.lineno - 1, each.end_lineno or each.lineno):
            lines[k] = ""
    return "\n".join(lines)


def defined_names() -> set[str]:
    """Names of modules, classes, functions and fields of the package."""
    names = {part for path in sources() for part in (path.stem, *path.parts)}
    for text in sources().values():
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.ClassDef | ast.FunctionDef):
                names.add(node.name)
            elif isinstance(node, ast.AnnAssign | ast.Assign):
                targets = node.targets if isinstance(node, ast.Assign) else [node.target]
                names |= {each.id for each in targets if isinstance(each, ast.Name)}
    return names


def broken(text: str) -> Iterator[tuple[int, str]]:
    """Line and text of each line of a docstring that ends in mid-sentence although the next word fits."""
    lines = text.splitlines()
    for each in docstrings(text):
        for k in range(each.lineno - 1, (each.end_lineno or each.lineno) - 1):
            line, following = lines[k], lines[k + 1]
            ends = not line.strip() or line.rstrip()[-1] in '.:;!?"' or line.strip() == '"""'
            if ends or not following.strip(' "'):
                continue
            indents = [len(one) - len(one.lstrip()) for one in (line, following)]
            if indents[0] != indents[1] or any(map(_LIST_OR_TABLE.match, (line, following))):
                continue
            if " " not in line.strip():
                continue  # a type or an exception of a section
            if len(line.rstrip()) + 1 + len(following.split()[0]) <= WIDTH - SLACK:
                yield k + 1, line


@pytest.mark.parametrize(
    ("text", "count"),
    [
        (
            'def f():\n    """One.\n\n    A red\n    fox jumps.\n    """\n',
            1,
        ),
        (
            'def f():\n    """One.\n\n    A red.\n    Fox jumps.\n    """\n',
            0,
        ),
        ('class A:\n    a: int\n    """A long\n    field."""\n', 1),
    ],
)
def test_broken_lines_are_detected(text: str, count: int) -> None:
    assert len(list(broken(text))) == count


def test_paragraphs_are_not_broken() -> None:
    places = [
        f"{path.relative_to(ROOT)}:{number}: {line.strip()}"
        for path, text in sources().items()
        if path.parts[len(ROOT.parts) + 1] != "kernels"  # a change there compiles all engines again
        for number, line in broken(text)
    ]
    assert places == []


def grouped(text: str) -> Iterator[tuple[int, str]]:
    """Line and text of each docstring of a field that describes other fields of the same run.

    It does so if it begins with a list of fields (``x and y: position, m``), or names fields that
    precede it without a docstring.
    """
    for owner in ast.walk(ast.parse(text)):
        if not isinstance(owner, ast.ClassDef):
            continue
        run: list[str] = []
        for node in owner.body:
            match node:
                case ast.AnnAssign(target=ast.Name(id=name)):
                    run.append(name)
                    continue
                case ast.Expr(value=ast.Constant(value=str(doc), lineno=line)) if run:
                    head = _FIELD_LIST.match(doc)
                    listed = set(_WORD.findall(head.group())) if head else set()
                    if listed & set(run) or set(_NAME.findall(doc)) & set(run[:-1]):
                        yield line, doc
            run = []


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ('class A:\n    x: int\n    y: int\n    """`x` and `y`: position, m."""\n', 1),
        ('class A:\n    x: int\n    y: int\n    """x, y: position, m."""\n', 1),
        ('class A:\n    x: int\n    y: int\n    """Begin (`x`) and end, s."""\n', 1),
        ('class A:\n    x: int\n    """`x` is in m."""\n', 1),
        ('class A:\n    x: int\n    """Begin, s."""\n    y: int\n    """End, as `x`."""\n', 0),
        ('class A:\n    x: int\n    y: int\n    """End, s."""\n', 0),
    ],
)
def test_grouped_docstrings_are_detected(text: str, count: int) -> None:
    assert len(list(grouped(text))) == count


def test_each_field_has_its_own_docstring() -> None:
    places = [
        f"{path.relative_to(ROOT)}:{number}: {doc}"
        for path, text in sources().items()
        for number, doc in grouped(text)
    ]
    assert places == []


def test_names_in_docstrings_exist() -> None:
    known = {*dir(builtins), *keyword.kwlist, *defined_names()}
    unknown = []
    for path, text in sources().items():
        if path.parts[len(ROOT.parts) + 1] in ("engines", "kernels"):
            continue  # a change there compiles all engines again
        used = set(_WORD.findall(without_docstrings(text)))
        unknown += [
            f"{path.relative_to(ROOT)}:{each.lineno}: {name}"
            for each in docstrings(text)
            for name in _NAME.findall(str(each.value))
            if name not in known and name not in used
        ]
    assert unknown == []


def test_no_docstring_is_empty() -> None:
    assert [
        f"{path.relative_to(ROOT)}:{each.lineno}"
        for path, text in sources().items()
        for each in docstrings(text)
        if not str(each.value).strip()
    ] == []
