from __future__ import annotations

import sys
from pathlib import Path

import pytest

from snakestudio.control.registry import create
from snakestudio.errors import PluginError, PluginRuntimeError
from snakestudio.kinds.controller import CONTROLLERS
from snakestudio.kinds.plugin_kinds import is_complete, renewed
from snakestudio.model.edits import with_values
from snakestudio.plugins.loaded import loaded
from snakestudio.plugins.loading import load, reload, unload
from snakestudio.session.scene_check import check

from .plugin_files import WAG, wagging, written


def test_plugin_adds_its_kind_until_it_is_unloaded(tmp_path: Path) -> None:
    plugin = load(written(tmp_path))
    assert plugin.adds == (("controller", "wag"),)
    assert CONTROLLERS.source("wag") == "wag"
    assert CONTROLLERS["wag"].title == "Wag"
    assert CONTROLLERS["wag"].help == "The tail wags."
    assert [plot.key for plot in CONTROLLERS["wag"].plots] == ["wag"]
    assert load(tmp_path / "wag.py") is plugin, "the same code is not run again"
    unload("wag")
    assert "wag" not in CONTROLLERS
    assert "snakestudio_plugin_wag" not in sys.modules


def test_code_that_runs_is_the_code_that_was_hashed(tmp_path: Path) -> None:
    path = written(tmp_path, here="import time")
    from snakestudio.plugins.source import read_source

    source = read_source(path)
    path.write_text("raise SystemExit(1)", encoding="utf-8")
    assert load(source).digest == source.digest


BAD = {
    "syntax": ("def f(:\n", "wag.py, line 1: Invalid syntax. Fix the line."),
    "import": (
        "import nosuch.module\n",
        'line 1: The module "nosuch" is not installed. .* pip install nosuch',
    ),
    "own import": (
        "from snakestudio.plugin import Nothing\n",
        "line 1: Cannot import name 'Nothing'",
    ),
    "no kind": ("x = 1\n", "= ControllerKind"),
    "another kind": (
        "KIND = 3\n",
        "KIND",
    ),
    "version": (
        "PLUGIN_API = 2\nimport nosuch\n",
        "version 2 of the plug-in interface, .* has version 1. Update",
    ),
    "old version": (
        "PLUGIN_API = 0\n",
        "0 .*.*docs/plugins.md",
    ),
    "built-in name": (
        WAG.replace('"wag"', '"heading"'),
        'controller "heading"',
    ),
    "two of a name": (
        WAG + "\nKINDS = (KIND, KIND)\n",
        'controller "wag"',
    ),
    "no name": (
        WAG.replace('    kind: Literal["wag"] = "wag"\n', ""),
        "'WagFields' of a controller have no kind",
    ),
    "no default": (
        WAG.replace("value(20.0, ", "value("),
        "WagFields.amplitude_deg has no default. Declare one",
    ),
    "fields": (WAG.replace("(ControllerFields)", "(dict)"), "have no kind"),
    "odd name": (
        WAG.replace('"wag"', '"Wag it"'),
        '"Wag it"',
    ),
    "not a tuple": (WAG + "\nKINDS = KIND\n", "KINDS is ControllerKind"),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_file_gets_one_message_and_adds_nothing(tmp_path: Path, name: str) -> None:
    text, sentence = BAD[name]
    with pytest.raises(PluginError, match=sentence) as caught:
        load(written(tmp_path, text=text))
    assert "\n" not in str(caught.value)
    assert loaded() == ()
    assert "snakestudio_plugin_wag" not in sys.modules


def test_unreadable_files_get_one_message(tmp_path: Path) -> None:
    (tmp_path / "folder.py").mkdir()
    (tmp_path / "latin.py").write_bytes("# ä".encode("latin-1"))
    with (tmp_path / "huge.py").open("wb") as file:
        file.truncate(100_000_000)
    (tmp_path / "other.txt").write_text("")
    (tmp_path / "my-gait.py").write_text("")
    for name, sentence in {
        "none.py": "file. Check",
        "folder.py": "folder",
        "latin.py": "Byte 3 is not UTF-8 text. Save the file as UTF-8.",
        "huge.py": "too large",
        "other.txt": "Python file",
        "my-gait.py": '"my-gait.py"',
    }.items():
        with pytest.raises(PluginError, match=sentence):
            load(tmp_path / name)
    with pytest.raises(PluginError, match=r'"nosuch" .installed: none'):
        load("nosuch")


def test_exception_in_the_file_names_its_line(tmp_path: Path) -> None:
    with pytest.raises(
        PluginRuntimeError, match=r"ZeroDivisionError: division by zero \(line 2 of .*wag.py\)"
    ) as caught:
        load(written(tmp_path, text="x = 1\ny = x / 0\n"))
    assert "y = x / 0" in caught.value.traceback
    with pytest.raises(PluginRuntimeError, match=r"asked.*exit"):
        load(written(tmp_path, text="raise SystemExit(3)\n"))


def test_two_plugins_of_one_name_or_kind_are_refused(tmp_path: Path) -> None:
    (tmp_path / "there").mkdir()
    load(written(tmp_path))
    with pytest.raises(PluginError, match=r"name.*Rename"):
        load(written(tmp_path / "there", here="pass"))
    with pytest.raises(PluginError, match=r"already.*Rename"):
        load(written(tmp_path, "wag_2"))


def test_failed_reload_keeps_the_previous_code(tmp_path: Path) -> None:
    first = load(written(tmp_path))
    written(tmp_path, text=WAG.replace("20.0", "25.0"))
    second = reload("wag")
    assert second.digest != first.digest
    assert CONTROLLERS["wag"].fields().amplitude_deg == 25.0  # type: ignore[attr-defined]
    written(tmp_path, text="def (")
    with pytest.raises(PluginError, match="line 1"):
        reload("wag")
    assert loaded() == (second,)
    assert CONTROLLERS["wag"].fields().amplitude_deg == 25.0  # type: ignore[attr-defined]
    assert create(wagging()) is not None


def test_installed_package_is_found_by_its_entry_point(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    package = tmp_path / "snake_extras"
    package.mkdir()
    (package / "__init__.py").write_text("")
    (package / "wagging.py").write_text(WAG)
    about = tmp_path / "snake_extras-1.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: snake-extras\nVersion: 1.0\n")
    (about / "entry_points.txt").write_text("[snakestudio]\nextras = snake_extras.wagging\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    from snakestudio.plugins.source import installed
    from snakestudio.plugins.trust import is_trusted, trust

    assert installed() == {"extras": "snake_extras.wagging"}
    assert "snake_extras" not in sys.modules, "to list it does not run it"
    assert not is_trusted("extras")
    trust("extras")
    assert is_trusted("extras")
    assert load("extras").adds == (("controller", "wag"),)
    (package / "__init__.py").write_text("# changed")
    assert not is_trusted("extras")
    for name in ("snake_extras", "snake_extras.wagging"):
        monkeypatch.delitem(sys.modules, name)


def test_scene_keeps_values_of_an_unloaded_kind(tmp_path: Path) -> None:
    path = written(tmp_path)
    load(path)
    scene = wagging(**{"controller.amplitude_deg": 33.0})
    assert renewed(scene) is scene
    unload("wag")
    without = renewed(scene)
    assert not is_complete(without)
    assert [problem.key for problem in check(without) if problem.severity == "error"] == [
        "controller.kind"
    ]
    edited = with_values(without, {"run.duration_s": 0.7})
    load(path)
    again = renewed(edited)
    assert is_complete(again)
    assert again == wagging(**{"controller.amplitude_deg": 33.0, "run.duration_s": 0.7})
