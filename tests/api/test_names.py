"""Names of the Python API: complete lists, exceptions that pages name, and types of a script of users."""

from __future__ import annotations

import ast
import builtins
import inspect
import re
import subprocess
import sys
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest

import snakestudio as ss
from snakestudio import api, errors, plugin
from snakestudio.paths import docs_dir
from tests.conftest import ROOT

EXCEPTIONS = {
    name
    for name, value in vars(errors).items()
    if isinstance(value, type) and issubclass(value, (ss.SnakeStudioError, ss.SnakeStudioWarning))
}
_NAME = re.compile(r"\b(?:ss\.)?([A-Z][A-Za-z]+(?:Error|Warning))\b")


@pytest.mark.parametrize("module", [ss, plugin], ids=lambda module: module.__name__)
def test_all_names_exist_and_are_completed(module: Any) -> None:
    assert sorted(set(module.__all__)) == sorted(module.__all__)
    assert set(module.__all__) <= set(dir(module))
    for name in module.__all__:
        assert getattr(module, name) is not None
    with pytest.raises(AttributeError, match="no_such_name"):
        module.no_such_name  # noqa: B018


def _imports_for_types(module: Any) -> dict[str, str]:
    """Names that a lazy module imports for type checkers, with their modules."""
    tree = ast.parse(Path(module.__file__).read_text(encoding="utf-8"))
    (block,) = (
        each
        for each in tree.body
        if isinstance(each, ast.If) and getattr(each.test, "id", "") == "TYPE_CHECKING"
    )
    return {
        alias.asname or alias.name: str(each.module)
        for each in block.body
        if isinstance(each, ast.ImportFrom)
        for alias in each.names
    }


@pytest.mark.parametrize(("module", "lazy"), [(plugin, plugin._MODULES), (api, api._HOME)])
def test_lazy_names_are_those_of_type_checkers(module: Any, lazy: dict[str, str]) -> None:
    assert _imports_for_types(module) == lazy
    assert set(module.__all__) - {"PLUGIN_API"} == set(lazy)


def test_all_exceptions_are_exported() -> None:
    public = {name for name in EXCEPTIONS if not name.startswith("_")}
    assert public <= set(ss.__all__)


def _is_own(member: Any) -> bool:
    module = getattr(getattr(member, "fget", member), "__module__", "")
    return str(module).startswith("snakestudio")


def texts() -> dict[str, str]:
    """Pages for users, and docstrings of the API with those of the methods."""
    pages = {
        path.name: path.read_text(encoding="utf-8")
        for path in docs_dir().rglob("*.md")
        if path.parent.name != "decisions"
    }
    for name in ss.__all__:
        value = getattr(ss, name)
        members = inspect.getmembers(value) if inspect.isclass(value) else []
        own = [member for key, member in members if not key.startswith("_") and _is_own(member)]
        docs = [value, *own]
        pages[f"ss.{name}"] = "\n".join(inspect.getdoc(each) or "" for each in docs)
    return pages


def test_exceptions_that_pages_and_docstrings_name_can_be_caught() -> None:
    named: dict[str, str] = {}
    for source, text in texts().items():
        named |= dict.fromkeys(_NAME.findall(text), source)
    assert {"StudyError", "SceneError", "PluginRuntimeError"} <= set(named)
    unknown = {
        name: source
        for name, source in named.items()
        if not hasattr(ss, name) and not hasattr(builtins, name)
    }
    assert unknown == {}


def test_missing_library_raises_the_same_error_everywhere(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setitem(__import__("sys").modules, "pandas", None)
    run = ss.simulate("lagrangian_undulation", duration=0.05)
    study = ss.Study(
        "lagrangian_undulation",
        {"gait.amplitude_deg": [20.0, 30.0]},
        fixed={"run.duration_s": 0.05},
        file=tmp_path / "two.study.toml",
    ).run(workers=1)
    for table in (run, study):
        with pytest.raises(ss.UsageError, match="pip install pandas"):
            table.to_pandas()
    assert study.best is not None
    assert study.best.row == study.best["row"]


def test_type_checker_accepts_user_script_except_marks() -> None:
    assert files("snakestudio").joinpath("py.typed").is_file()
    script = ROOT / "tests" / "api" / "user_script.py"
    # In an own process, as mypy keeps 200 MB.
    done = subprocess.run(
        [sys.executable, "-m", "mypy", "--config-file", ROOT / "pyproject.toml", script],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
