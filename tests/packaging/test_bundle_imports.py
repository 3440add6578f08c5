"""The program runs without what the bundle leaves out, and modules that it imports by name are in the bundle."""

from __future__ import annotations

import ast
import json
import subprocess
import sys
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest

from tests.bundle_imports import PACKAGING, Module, bundled_packages, contents, unbundled
from tests.conftest import ROOT

SOURCES = ROOT / "snakestudio"
OPTIONAL = {
    "IPython",
    "foxglove",
    "gymnasium",
    "optuna",
    "pandas",
    "pyarrow",
    "pylsl",
    "rclpy",
    "rerun",
    "stable_baselines3",
    "xacro",
    "xarray",
}
"""Top-level modules that the program uses if they are installed, and reports otherwise."""

_IMPORTS = """
import importlib, importlib.abc, importlib.metadata, json, sys

sys.path.insert(0, sys.argv[1])
from contents import is_left_out

missing = set(json.loads(sys.argv[2]))


class Bundle(importlib.abc.MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        if is_left_out(name) or name.partition(".")[0] in missing:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)


for name in [name for name in sys.modules if is_left_out(name)]:
    del sys.modules[name]
sys.meta_path.insert(0, Bundle())
failed = []
for name in json.load(sys.stdin):
    try:
        importlib.import_module(name)
    except ImportError as error:
        failed.append(f"{name}: {error}")
print(json.dumps(failed))
"""


def imported_by_the_program() -> set[str]:
    """Modules of the program, and those that its import statements name, in functions, too."""
    names = set()
    for path in sorted(SOURCES.rglob("*.py")):
        module = ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")
        if not module.endswith("__main__"):
            names.add(module)
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import):
                names.update(each.name for each in node.names)
            elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
                names.add(node.module)
    return {
        name
        for name in names
        if name.partition(".")[0] not in OPTIONAL and not name.startswith("snakestudio.gym")
    }


def test_program_imports_nothing_that_the_bundle_leaves_out() -> None:
    names = sorted(imported_by_the_program() - {"_typeshed", "msvcrt", "winreg"})
    others = sorted(set(packages_distributions()) - bundled_packages())
    done = subprocess.run(
        [sys.executable, "-c", _IMPORTS, str(PACKAGING / "bundle"), json.dumps(others)],
        input=json.dumps(names),
        capture_output=True,
        text=True,
        check=True,
        cwd=ROOT,
    )
    assert json.loads(done.stdout) == []
    assert "distributed" in names


@pytest.mark.parametrize("name", ["_ssl", "scipy.signal", "csv", "sqlite3", "email.message"])
def test_modules_that_plugins_import_are_bundled(name: str) -> None:
    assert contents().is_whole(name)
    assert not contents().is_left_out(name)


def test_module_imported_by_name_is_reported(tmp_path: Path) -> None:
    package = tmp_path / "library"
    package.mkdir()
    files = {
        "library": ("__init__.py", "from library import seen\n"),
        "library.seen": ("seen.py", "def load():\n    from . import used\n"),
        "library.used": ("used.py", ""),
        "library.hidden": ("hidden.py", ""),
    }
    modules = []
    for name, (file, text) in files.items():
        (package / file).write_text(text)
        modules.append(Module(name, str(package / file)))
    program = tmp_path / "program.py"
    program.write_text("def run():\n    import library\n")
    assert unbundled([*modules, Module("snakestudio.program", str(program))]) == ["library.hidden"]
