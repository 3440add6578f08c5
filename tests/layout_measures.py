"""Measures of the layout of code and tests: formatting, assignments, copies, private members, phrases.

They are part of `python -m tests.architecture`, and `test_architecture` compares each with its bar.
"""

from __future__ import annotations

import ast
import gc
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, TypeGuard

if TYPE_CHECKING:
    from tests.architecture import Module, Package

Count = tuple[int, tuple[str, ...]]
"""A count, and the places that count."""

_SKIP = "# fmt" + ": skip"
_REEXPORTING = ("snakestudio/plugin.py", "snakestudio/render/gl.py")
"""Modules whose purpose is to re-export names."""

_COPY_LINES = 8
"""Lines of the shortest copy."""
_PHRASE_WORDS = 4
"""Words of a phrase."""
_PRIVATE = re.compile(r"_[a-z](\w*[^\W_])?")
_WORD = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*")
_PUNCTUATION = ",.;:!?()[]{}\"'“”‘’…"


def by_file(places: Iterable[str]) -> Count:
    """Return the places, those of the files with most of them first."""
    listed = list(places)
    per_file = Counter(position.partition(":")[0] for position in listed)
    return len(listed), tuple(
        sorted(listed, key=lambda position: (-per_file[position.partition(":")[0]], position))
    )


def _files(root: Path, *folders: str) -> list[Path]:
    return [path for folder in folders for path in sorted((root / folder).rglob("*.py"))]


@contextmanager
def without_collector() -> Iterator[None]:
    """Parse without garbage collection: over a million nodes, which all stay, it takes longer than the parser."""
    collecting = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collecting:
            gc.enable()


def is_docstring(node: ast.AST) -> TypeGuard[ast.Expr]:
    """Whether a statement consists of a constant."""
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def lines_of(node: ast.stmt) -> range:
    """Numbers of the lines of a statement."""
    return range(node.lineno, (node.end_lineno or node.lineno) + 1)


@dataclass
class _Test:
    """What the measures need of a file of the tests; its syntax tree would take a hundred times as much memory."""

    private: list[ast.Attribute] = field(default_factory=list)
    """Accesses to private members of others than the own object."""

    own: set[str] = field(default_factory=set)
    """Members of the own objects."""

    texts: list[ast.Constant] = field(default_factory=list)
    """Strings of the length of a phrase that are not docstrings."""


@cache
def _tests(root: Path) -> dict[Path, _Test]:
    """Parse all tests and walk over each once."""
    with without_collector():
        return {path: _read_test(path) for path in _files(root, "tests")}


def _read_test(path: Path) -> _Test:
    file = _Test()
    stack: list[ast.AST] = [ast.parse(path.read_bytes())]
    while stack:
        node = stack.pop()
        if isinstance(node, ast.Name):
            continue
        if isinstance(node, ast.Constant):
            if (
                isinstance(node.value, str)
                and len(node.value.split(None, _PHRASE_WORDS)) >= _PHRASE_WORDS
            ):
                file.texts.append(node)
            continue
        if is_docstring(node):
            continue
        if isinstance(node, ast.Attribute):
            receiver = node.value.id if isinstance(node.value, ast.Name) else ""
            if receiver == "self":
                file.own.add(node.attr)
            elif receiver not in ("cls", "os", "sys") and _PRIVATE.fullmatch(node.attr):
                file.private.append(node)
        for value in node.__dict__.values():
            if isinstance(value, ast.AST):
                stack.append(value)
            elif type(value) is list:
                stack.extend(item for item in value if isinstance(item, ast.AST))
    return file


def format_skips(package: Package) -> Count:
    """Statements of the package and its tests excluded from formatting. Only matrices and tables need it."""
    root = package.root.parent
    texts = {module.path: module.text for module in package.modules.values()}
    for path in _files(root, "tests", "packaging"):
        texts[path] = path.read_text(encoding="utf-8")
    return by_file(
        f"{path.relative_to(root)}:{number}"
        for path, text in texts.items()
        if _SKIP in text
        for number, line in enumerate(text.splitlines(), 1)
        if _SKIP in line
    )


def parallel_assignments(package: Package) -> Count:
    """Assignments of several values in one statement, `a, b = x, y`, whose values do not have the same form.

    Exchanges, `a, b = b, a`, and values that depend on an earlier target do not count: they cannot be
    separated.
    """
    return by_file(
        module.at(node)
        for module in package.modules.values()
        for node in module.assignments
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


def copied_lines(package: Package) -> Count:
    """Runs of eight or more identical lines of code in two places of the package."""
    places: dict[tuple[str, ...], list[tuple[str, int]]] = defaultdict(list)
    numbers: dict[str, list[int]] = {}
    for module in package.modules.values():
        code = _code(module)
        numbers[module.file] = list(code)
        lines = tuple(code.values())
        for at in range(len(lines) - _COPY_LINES + 1):
            places[lines[at : at + _COPY_LINES]].append((module.file, at))
    copies = []
    seen: set[tuple[str, int]] = set()
    for shared in places.values():
        if len(shared) < 2:
            continue
        fresh = [(file, at) for file, at in shared if (file, at - 1) not in seen]
        seen.update(shared)
        if len(fresh) == len(shared):
            copies.append(" and ".join(f"{file}:{numbers[file][at]}" for file, at in shared[:2]))
    return by_file(copies)


def _code(module: Module) -> dict[int, str]:
    """Lines of code by number, stripped, without blank ones, comments, imports and docstrings."""
    numbered = ((number, line.strip()) for number, line in enumerate(module.text.splitlines(), 1))
    return {
        number: line
        for number, line in numbered
        if line and not line.startswith("#") and number not in module.without_code
    }


def listed_names(package: Package) -> Count:
    """Modules that list their names in `__all__` although they re-export none."""
    return by_file(
        f"{module.file}:{node.lineno}"
        for module in package.modules.values()
        if not module.is_package and module.file not in _REEXPORTING
        for node in module.assignments
        if isinstance(node.targets[0], ast.Name) and node.targets[0].id == "__all__"
    )


def private_in_tests(package: Package) -> Count:
    """Accesses of tests to private members (`_x`) of the package's objects."""
    root = package.root.parent
    return by_file(
        f"{path.relative_to(root)}:{node.lineno}: {ast.unparse(node)}"
        for path, node in _private_accesses(root)
    )


def _private_accesses(root: Path) -> Iterator[tuple[Path, ast.Attribute]]:
    for path, test in _tests(root).items():
        for node in test.private:
            if node.attr not in test.own and node.attr not in ("_replace", "_asdict", "_fields"):
                yield path, node


def quoted_phrases(package: Package) -> Count:
    """Strings in tests that quote four or more consecutive words of a string of the package: rewording breaks them."""
    root = package.root.parent
    phrases = {
        phrase
        for module in package.modules.values()
        for node in module.texts
        for phrase in _phrases(str(node.value))
    }
    return by_file(
        f"{path.relative_to(root)}:{node.lineno}: {ast.unparse(node)}"
        for path, test in _tests(root).items()
        for node in test.texts
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
