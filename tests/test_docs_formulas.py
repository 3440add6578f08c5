"""Formulas in the pages: the program accepts each of them, for the key or the run that the page means."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import snakestudio as ss
from snakestudio.analysis.signals import (
    FUNCTIONS,
    REDUCTIONS,
    SignalError,
    compile_reduction,
    compile_signal,
)
from snakestudio.model.edits import with_values
from snakestudio.model.scene_file import load_scene
from snakestudio.paths import docs_dir, scenes_dir
from snakestudio.session.scene_check import check
from tests.conftest import ROOT
from tests.test_docs import page_id

PAGES = [
    *(path for path in sorted(docs_dir().rglob("*.md")) if path.parent.name != "decisions"),
    ROOT / "README.md",
]

CASES: dict[str, tuple[str, dict[str, Any]]] = {
    "ground.friction_factor": ("planar_swimmer_9", {}),
    "ground.load_factor": ("continuum_friction", {}),
    "gait.torque_nm": (
        "table_gait",
        {"gait": {"kind": "joint_torque"}, "start": {"kind": "straight"}},
    ),
    "gait.angle_deg": (
        "table_gait",
        {"gait": {"kind": "joint_angle"}, "start": {"kind": "straight"}},
    ),
    "gait.envelope": ("alternating_16", {"gait": {"kind": "compound_serpenoid"}}),
}
"""Scene of each key with a formula, and values that the formula needs."""

_NAMES = {"t", "x", "y", "X", "i", "n", "N", "pi"}
_CALLS = {"sin", "cos", "tan", "exp", "log", "sqrt", "bump", "rise", "abs"}
_QUOTED = re.compile(r'`([^`\n]+)`|(\w+) = "([^"\n]+)"|"([^"\n]+)"')


def quotes(path: Path) -> Iterator[tuple[str, str]]:
    """Yield inline code and strings of a page, each with its key or the one named last before it."""
    key = ""
    for match in _QUOTED.finditer(path.read_text(encoding="utf-8")):
        code, named, value, string = match.groups()
        ending = f".{named or code or ''}"
        matches = [known for known in CASES if known == code or known.endswith(ending)]
        key = matches[0] if matches else key
        yield key, (code or value or string).strip('"')


def scene_formulas() -> list[tuple[str, str, str]]:
    """Return page, key and text of the formulas of scene values in all pages."""
    formulas = []
    for path in PAGES:
        for key, text in quotes(path):
            identifiers = set(re.findall(r"[A-Za-z_]\w*", text))
            operators = re.search(r"\w *[-+*/^] *[\w(]", text)
            if operators and identifiers & _NAMES and identifiers <= _NAMES | _CALLS:
                formulas.append((path.stem, key, text))
    return formulas


def signals() -> list[tuple[str, str]]:
    """Return page and text of the expressions over columns in all pages."""
    return [
        (page_id(path) if path.is_relative_to(docs_dir()) else path.stem, text)
        for path in PAGES
        for _, text in quotes(path)
        if re.match(rf"(?:{'|'.join(FUNCTIONS | REDUCTIONS)})\((?!\.\.\.|x\))", text)
        and re.search(r"_[a-z]+\d?\b", text)
    ]


def test_formulas_and_signals_are_found() -> None:
    keys = {key for _, key, _ in scene_formulas()}
    assert {"ground.friction_factor", "ground.load_factor", "gait.torque_nm"} <= keys
    assert len(signals()) >= 8


@pytest.mark.parametrize(("page", "key", "text"), scene_formulas())
def test_scene_accepts_the_formulas_of_pages(page: str, key: str, text: str) -> None:
    name, values = CASES[key]
    scene = with_values(load_scene(scenes_dir() / f"{name}.toml"), values)
    scene = with_values(scene, {key: text})
    assert [str(problem) for problem in check(scene) if problem.severity == "error"] == []


@pytest.mark.parametrize(("page", "text"), signals())
def test_runs_have_the_signals_of_pages(page: str, text: str) -> None:
    columns = [*ss.simulate("obstacle_aided", duration=0.01).columns, "phase_rad"]
    try:
        compile_reduction(text, columns)  # a measure of a run
    except SignalError:
        compile_signal(text, columns)
