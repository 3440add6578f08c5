"""Functions and classes of plug-ins are checked against the program's calls when they are loaded."""

from __future__ import annotations

import inspect
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest

from snakestudio import plugin as interface
from snakestudio.cli import main
from snakestudio.errors import PluginRuntimeError
from snakestudio.plugins.declaration import Declaration
from snakestudio.plugins.loading import load
from snakestudio.plugins.result_types import conforms, hints_of
from snakestudio.plugins.starting import ROLES, new_plugin

from .plugin_files import WAG, scene_file, written
from .test_every_call import FIELDS, METHODS, PROPERTIES

KINDS: tuple[type[Declaration], ...] = tuple(
    each
    for name in interface.__all__
    if isinstance(each := getattr(interface, name), type) and issubclass(each, Declaration)
)


def test_all_functions_of_all_declarations_are_in_the_tables() -> None:
    assert {kind.role for kind in KINDS} == set(ROLES)
    for kind in KINDS:
        hints = hints_of(kind)
        functions = {
            field.name
            for field in fields(kind)  # type: ignore[arg-type]  # all are dataclasses
            if "Callable" in str(hints[field.name]) and field.name not in ("effects", "states")
        }
        if kind.role == "formulation":
            functions -= {"formerly"}
        if kind.role == "gait":
            functions |= {"make", "torques"}
        assert functions == set(kind.calls), kind.role
        assert set(FIELDS[kind.role]) <= set(kind.calls), kind.role


BAD_METHODS = [
    (role, name)
    for role, names in METHODS.items()
    for name in names
    if name not in PROPERTIES and name != "__init__"
]


@pytest.mark.parametrize(("role", "name"), BAD_METHODS)
def test_wrong_signature_of_a_method_is_refused(tmp_path: Path, role: str, name: str) -> None:
    path = tmp_path / "my_kind.py"
    text = new_plugin(role, path)
    text += f"\n\ndef few():\n    pass\n\n\nMyKind.{name} = few\n"
    path.write_text(text)
    with pytest.raises(PluginRuntimeError) as caught:
        load(path)
    assert f"MyKind.{name}()" in str(caught.value)
    assert f"def {name}(self" in str(caught.value)
    assert str(path) in str(caught.value)


@pytest.mark.parametrize(
    ("role", "name"), [(role, name) for role, names in FIELDS.items() for name in names]
)
def test_wrong_signature_of_a_function_is_refused(tmp_path: Path, role: str, name: str) -> None:
    path = tmp_path / "my_kind.py"
    text = new_plugin(role, path)
    path.write_text(
        f"{text}\n\ndef few(*, none):\n    pass\n\n\nimport dataclasses\n\n"
        f"KIND = dataclasses.replace(KIND, {name}=few)\n"
    )
    with pytest.raises(PluginRuntimeError, match=r"few\(\*, none\).*def few\("):
        load(path)


ANGLES = "def angles(self, time, snapshot):"

REFUSED = {
    "few": (
        ANGLES,
        "def angles(self, time):",
        r"Wag.angles\(self, time\).*angles\(self, time, snap",
    ),
    "many": (ANGLES, "def angles(self, time, snapshot, more):", r"more\).*snapshot\)"),
    "keyword": (ANGLES, "def angles(self, *, time, snapshot):", r"\*, time"),
    "no_self": (ANGLES, "@staticmethod\n    def angles(time):", r"Wag.angles\(time\)"),
    "coroutine": (ANGLES, f"async {ANGLES}", "coroutine"),
    "generator": (ANGLES, f"{ANGLES}\n        yield 1", "generator"),
    "property": (
        ANGLES,
        "@property\n    def angles(self):\n        return 1\n    def x(self):",
        "not a method",
    ),
    "value": (ANGLES, "angles = 3\n    def x(self):", "not a method"),
    "missing": (ANGLES, "def angels(self, time, snapshot):", r"not define angles\(self, time"),
    "needs": (
        "def begin(self):",
        "def needs(self):\n        return 1\n    def begin(self):",
        "@property",
    ),
    "init": (
        "def begin(self):",
        "def __init__(self, fields):\n        self.phase_rad = 0\n    def begin(self):",
        r"Wag.__init__\(self, fields\).*__init__\(self, scene, start\)",
    ),
    "make": ("make=Wag)", "make=lambda scene: Wag)", "scene, start"),
    "not_callable": ("make=Wag)", "make=3)", "make = 3"),
    "text": ("make=Wag)", "make=Wag, title=3)", "title = 3|raised"),
    "effects": ("make=Wag)", "make=Wag, effects=((1, 2),))", "effects"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_unusable_code_is_refused_with_file_class_and_remedy(tmp_path: Path, case: str) -> None:
    before, after, sentence = REFUSED[case]
    path = written(tmp_path, text=WAG.replace(before, after))
    with pytest.raises(PluginRuntimeError, match=rf"wag.py.*({sentence})"):
        load(path)


ACCEPTED = {
    "renamed": (ANGLES, "def angles(self, t, state):\n        time, snapshot = t, state"),
    "any": (ANGLES, "def angles(self, *arguments, **named):\n        time = arguments[0]"),
    "default": (ANGLES, "def angles(self, time, snapshot=None, gain=1.0):"),
    "factory": ("make=Wag)", "make=lambda *arguments: Wag(*arguments))"),
}


@pytest.mark.parametrize("case", ACCEPTED)
def test_compatible_signatures_are_accepted(tmp_path: Path, case: str) -> None:
    before, after = ACCEPTED[case]
    load(written(tmp_path, text=WAG.replace(before, after)))


def test_class_without_a_base_needs_all_methods(tmp_path: Path) -> None:
    text = WAG.replace("class Wag(AngleController):", "class Wag:")
    with pytest.raises(PluginRuntimeError, match=r"Wag has no method \w+\(self"):
        load(written(tmp_path, text=text))


@pytest.mark.parametrize("case", ["few", "init"])
def test_command_line_exits_with_3_and_one_sentence(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], case: str
) -> None:
    before, after, _ = REFUSED[case]
    plugin = written(tmp_path, text=WAG.replace(before, after))
    assert main(["run", str(scene_file(tmp_path)), "--plugin", str(plugin)]) == 3
    (line,) = capfd.readouterr().err.splitlines()
    assert line.startswith(f"snakestudio: {plugin}, line ")


@pytest.mark.parametrize(
    ("value", "hint", "result"),
    [
        (1, float, True),
        (True, float, False),
        ("x", str, True),
        (None, int | None, True),
        ([1], list[int], True),
        (["x"], list[int], False),
        ((1, "x"), tuple[int, ...], False),
        ({"a": 1.0}, dict[str, float], True),
        ({1: 1.0}, dict[str, float], False),
        (int, type[int], True),
        (str, type[int], False),
        (3, Any, True),
    ],
)
def test_values_are_compared_with_hints(value: Any, hint: Any, result: bool) -> None:
    assert conforms(value, hint) is result


def test_classes_of_objects_keep_their_names(tmp_path: Path) -> None:
    plugin = load(written(tmp_path))
    assert inspect.isclass(plugin.module.Wag)
