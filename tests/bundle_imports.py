"""Imports of the tested program that PyInstaller cannot follow, so that the bundle would lack the modules."""

from __future__ import annotations

import importlib.machinery
import importlib.util
import os
import re
import sys
from collections.abc import Iterable, Iterator
from functools import cache
from importlib.metadata import packages_distributions
from modulefinder import ModuleFinder
from pathlib import Path
from types import CodeType, ModuleType
from typing import Any, NamedTuple

PACKAGING = Path(__file__).resolve().parents[1] / "packaging"
PROGRAM = "snakestudio"

_NOT_FOLLOWED = re.compile(r"^PySide6\.support\b|pytest_plugin$")
"""Modules that PyInstaller's hook for Qt adds, and modules that pytest imports."""


class Module(NamedTuple):
    """A module that was imported while tests ran."""

    name: str
    path: str
    """File with its code."""


@cache
def contents() -> ModuleType:
    """The rules for the contents of the bundle, `packaging/bundle/contents.py`."""
    path = PACKAGING / "bundle" / "contents.py"
    spec = importlib.util.spec_from_file_location("bundle_contents", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@cache
def bundled_packages() -> frozenset[str]:
    """Top-level modules of the program and of the distributions that are installed for the bundle."""
    pins = (PACKAGING / "requirements-bundle.txt").read_text(encoding="utf-8")
    pinned = {line.partition("==")[0] for line in pins.splitlines() if "==" in line}
    installed = (
        top
        for top, distributions in packages_distributions().items()
        if pinned & {name.lower().replace("_", "-") for name in distributions}
    )
    return frozenset((PROGRAM, *installed))


def imported_modules() -> list[Module]:
    """Modules of bundled packages that this process has imported, and that the bundle does not have in any case."""
    rules = contents()
    modules = []
    for name, module in list(sys.modules.items()):
        path = getattr(getattr(module, "__spec__", None), "origin", None)
        if (
            path is not None
            and name.partition(".")[0] in bundled_packages()
            and not rules.is_left_out(name)
            and os.path.isfile(path)
        ):
            modules.append(Module(name, path))
    return modules


def unbundled(modules: Iterable[Module]) -> list[str]:
    """Names of the imported modules that no import statement, followed from the program, leads to."""
    rules = contents()
    paths = dict(modules)
    pending = [name for name in paths if rules.is_whole(name) or name in rules.HIDDEN]
    reached: set[str] = set()
    while pending:
        name = pending.pop()
        if name in reached or name not in paths:
            continue
        reached.add(name)
        parts = name.split(".")
        pending += [".".join(parts[:count]) for count in range(1, len(parts))]
        pending += _imports(name, paths[name])
    files = {paths[name] for name in reached}  # packages give some modules a second name
    return sorted(
        name
        for name, path in paths.items()
        # Test tools import packages that the program does not use in these tests.
        if name.partition(".")[0] in reached
        and path not in files
        and not _NOT_FOLLOWED.search(name)
    )


def _imports(name: str, path: str) -> Iterator[str]:
    """Names in the import statements of a module, in functions, too; none of compiled modules."""
    if not path.endswith(".py"):
        return
    code = importlib.machinery.SourceFileLoader(name, path).get_code(name)
    package = name if Path(path).stem == "__init__" else name.rpartition(".")[0]
    finder: Any = ModuleFinder()
    pending = [code]
    while pending:
        code = pending.pop()
        pending += [each for each in code.co_consts if isinstance(each, CodeType)]
        for kind, what in finder.scan_opcodes(code):
            if kind == "store":
                continue
            level, names, target = what if kind == "relative_import" else (0, *what)
            if level:
                outer = package.split(".")[: len(package.split(".")) - level + 1]
                target = ".".join([*outer, *([target] if target else [])])
            yield target
            yield from (f"{target}.{each}" for each in names or ())
