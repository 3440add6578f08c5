"""Measures of the layout of code and tests: formatting, assignments, copies, private members, phrases.

They are part of `python -m tests.architecture`, and `test_architecture` compares each with its bar.
"""

from __future__ import annotations

import ast
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

Count = tuple[int, tuple[str, ...]]
"""A count, and the places that count."""

_SKIP = "# fmt" + ": skip"
_REEXPORTING = ("snakestudio/plugin.py", "snakestudio/render/gl.py")
"""Modules whose purpose is to re-export names."""

_COPY_LINES = 8
"""Lines of the shortest copy."""
_PHRASE_WORDS = 4
"""Words of a phrase."""
_WORD = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*")
_PUNCTUATION = ",.;:!?()[]{}\"'“”‘’…"


def by_file(places: Iterable[str]) -> Count:
    """Return the places, those of the files with most of them first."""
    listed = list(places)
    per_file = Counter(place.partition(":")[0] for place in listed)
    return len(listed), tuple(
        sorted(listed, key=lambda place: (-per_file[place.partition(":")[0]], place))
    )


def _files(root: Path, *folders: str) -> list[Path]:
    return [path for folder in folders for path in sorted((root / folder).rglob("*.py"))]


@cache
def _text(path: Path) -> str:
    return path.read_text(encoding="utf-8")


@dataclass
class _File:
    """Parsed file."""

    assignments: list[ast.Assign] = field(default_factory=list)
    attributes: list[ast.Attribute] = field(default_factory=list)
    texts: list[ast.Constant] = field(default_factory=list)
    """Strings that are not docstrings."""
    without_code: set[int] = field(default_factory=set)
    """Lines of imports and docstrings."""


@cache
def _file(path: Path) -> _File:
    """Parse a file and walk over it once. Only the listed nodes stay in memory."""
    file = _File()
    stack: list[ast.AST] = [ast.parse(_text(path))]
    while stack:
        node = stack.pop()
        if isinstance(node, ast.Name):
            continue
        if isinstance(node, ast.Constant):
            if isinstance(node.value, str):
                file.texts.append(node)
            continue
        if isinstance(node, ast.Import | ast.ImportFrom) or (
            isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
        ):
            file.without_code.update(range(node.lineno, (node.end_lineno or node.lineno) + 1))
            continue
        if isinstance(node, ast.Attribute):
            file.attributes.append(node)
        elif isinstance(node, ast.Assign):
            file.assignments.append(node)
        for value in node.__dict__.values():
            if isinstance(value, ast.AST):
                stack.append(value)
            elif type(value) is list:
                stack.extend(item for item in value if isinstance(item, ast.AST))
    return file


def format_skips(root: Path) -> Count:
    """Statements of the package and its tests excluded from formatting. Only matrices and tables need it."""
    return by_file(
        f"{path.relative_to(root)}:{number}"
        for path in _files(root, "snakestudio", "tests", "packaging")
        for number, line in enumerate(_text(path).splitlines(), 1)
        if _SKIP in line
    )


def parallel_assignments(root: Path) -> Count:
    """Assignments of several values in one statement, `a, b = x, y`, whose values do not have the same form.

    Exchanges, `a, b = b, a`, and values that depend on an earlier target do not count: they cannot be
    separated.
    """
    return by_file(
        f"{path.relative_to(root)}:{node.lineno}: {ast.unparse(node)}"
        for path in _files(root, "snakestudio")
        for node in _file(path).assignments
        if _is_parallel(node)
    )


def _is_parallel(node: ast.Assign) -> bool:
    target, value = node.targets[0], node.value
    if not isinstance(target, ast.Tuple) or not isinstance(value, ast.Tuple):
        return False
    if any(isinstance(each, ast.Starred) for each in (*target.elts, *value.elts)):
        return False
    roots = {_root(each) for each in target.elts}
    read = {each.id for each in ast.walk(value) if isinstance(each, ast.Name)}
    return not roots & read and len({_form(each) for each in value.elts}) > 1


def _root(node: ast.expr) -> str:
    while isinstance(node, ast.Attribute | ast.Subscript):
        node = node.value
    return node.id if isinstance(node, ast.Name) else ""


def _form(node: ast.expr) -> str:
    """Return the expression without its names and values."""
    return re.sub(r"(id|attr|value|arg)='[^']*'|value=[\d.e+-]+", r"\1", ast.dump(node))


def copied_lines(root: Path) -> Count:
    """Runs of eight or more identical lines of code in two places of the package."""
    places: dict[tuple[str, ...], list[tuple[Path, int]]] = defaultdict(list)
    lines = {path: _code(path) for path in _files(root, "snakestudio")}
    for path, code in lines.items():
        for at in range(len(code) - _COPY_LINES + 1):
            places[tuple(line for _, line in code[at : at + _COPY_LINES])].append((path, at))
    copies = []
    seen: set[tuple[Path, int]] = set()
    for shared in places.values():
        if len(shared) < 2:
            continue
        fresh = [(path, at) for path, at in shared if (path, at - 1) not in seen]
        seen.update(shared)
        if len(fresh) == len(shared):
            first, second = shared[:2]
            copies.append(
                f"{first[0].relative_to(root)}:{lines[first[0]][first[1]][0]} and "
                f"{second[0].relative_to(root)}:{lines[second[0]][second[1]][0]}"
            )
    return by_file(copies)


def _code(path: Path) -> list[tuple[int, str]]:
    """Lines of code, stripped, with their numbers, without blank ones, comments, imports and docstrings."""
    numbered = ((number, line.strip()) for number, line in enumerate(_text(path).splitlines(), 1))
    return [
        (number, line)
        for number, line in numbered
        if line and not line.startswith("#") and number not in _file(path).without_code
    ]


def listed_names(root: Path) -> Count:
    """Modules that list their names in `__all__` although they re-export none."""
    return by_file(
        f"{path.relative_to(root)}:{node.lineno}"
        for path in _files(root, "snakestudio")
        if path.name != "__init__.py" and path.relative_to(root).as_posix() not in _REEXPORTING
        for node in ast.parse(_text(path)).body
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__"
    )


def private_in_tests(root: Path) -> Count:
    """Accesses of tests to private members (`_x`) of the package's objects."""
    return by_file(
        f"{path.relative_to(root)}:{node.lineno}: {ast.unparse(node)}"
        for path, node in _private_accesses(root)
    )


def _private_accesses(root: Path) -> Iterator[tuple[Path, ast.Attribute]]:
    for path in _files(root, "tests"):
        attributes = _file(path).attributes
        own = {
            node.attr
            for node in attributes
            if isinstance(node.value, ast.Name) and node.value.id == "self"
        }
        for node in attributes:
            if not re.fullmatch(r"_[a-z](\w*[^\W_])?", node.attr):
                continue
            if isinstance(node.value, ast.Name) and node.value.id in ("self", "cls", "os", "sys"):
                continue
            if node.attr not in own and node.attr not in ("_replace", "_asdict", "_fields"):
                yield path, node


def quoted_phrases(root: Path) -> Count:
    """Strings in tests that quote four or more consecutive words of a string of the package: rewording breaks them."""
    phrases = {
        phrase
        for path in _files(root, "snakestudio")
        for node in _file(path).texts
        for phrase in _phrases(str(node.value))
    }
    return by_file(
        f"{path.relative_to(root)}:{node.lineno}: {ast.unparse(node)}"
        for path in _files(root, "tests")
        for node in _file(path).texts
        if not phrases.isdisjoint(_phrases(str(node.value)))
    )


def _phrases(text: str) -> Iterator[tuple[str, ...]]:
    """Runs of four words. Keys, numbers and placeholders end a run; backslashes of patterns are ignored."""
    run: list[str] = []
    for token in text.replace("\\", "").split():
        plain = token.strip(_PUNCTUATION)
        if not _WORD.fullmatch(plain):
            run.clear()
            continue
        run.append(plain)
        if len(run) >= _PHRASE_WORDS:
            yield tuple(run[-_PHRASE_WORDS:])
