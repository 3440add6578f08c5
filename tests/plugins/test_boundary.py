"""Effects of a plug-in on its process, its saved state and its values end at the guard."""

from __future__ import annotations

import gc
import os
import shutil
import sys
import weakref
from pathlib import Path

import pytest

from snakestudio import api
from snakestudio.cli import main
from snakestudio.errors import PluginRuntimeError
from snakestudio.plugins.loading import load
from snakestudio.session.offline import run_offline
from snakestudio.session.runner import Runner

from .plugin_files import WAG, scene_file, wagging, written


def test_channel_without_its_attribute_names_class_and_attribute(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    plugin = written(tmp_path, text=WAG.replace('("phase_rad",)', '("phase_rad", "speed_mps")'))
    assert main(["run", str(scene_file(tmp_path)), "--plugin", str(plugin)]) == 3
    lines = capfd.readouterr().err.splitlines()
    assert "plug-in wag" in lines[-1]
    assert 'Wag has no attribute "speed_mps"' in lines[-1]
    assert len(lines) == 1


@pytest.mark.parametrize(
    ("value", "text"),
    [("None", "None"), ("'x'", "'x'"), ("[1, 2]", r"\[1, 2\]"), ("object()", "object")],
)
def test_channel_that_is_not_a_number_is_named(tmp_path: Path, value: str, text: str) -> None:
    load(written(tmp_path, here=f"self.phase_rad = {value}"))
    with pytest.raises(PluginRuntimeError, match=rf"wag .*phase_rad.*{text}"):
        api.simulate(wagging())


def test_init_that_skips_the_base_is_explained(tmp_path: Path) -> None:
    text = WAG.replace(
        "def begin(self):", "def __init__(self, scene, start):\n        pass\n    def begin(self):"
    )
    load(written(tmp_path, text=text))
    with pytest.raises(PluginRuntimeError, match=r"wag .*super\(\).__init__"):
        api.simulate(wagging())


@pytest.mark.parametrize("where", ["import", "begin", "angles"])
def test_replaced_streams_and_folder_are_restored(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, where: str
) -> None:
    work = tmp_path / "work"
    away = tmp_path / "away"
    for folder in (work, away):
        folder.mkdir()
    change = f"import os, sys; os.chdir({str(away)!r}); sys.stdout = sys.stderr = None"
    if where == "import":
        text = f"{change}\n{WAG}"
    elif where == "begin":
        text = WAG.replace("self.phase_rad = 0.0", f"self.phase_rad = 0.0; {change}")
    else:
        text = WAG.replace("# HERE", change)
    written(work, text=text)
    scene_file(work)
    monkeypatch.chdir(work)
    streams = sys.stdout, sys.stderr
    options = ["--csv", "a.csv", "--hdf5", "a.h5", "--mcap", "a.mcap"]
    assert main(["run", "scene.toml", "--plugin", "wag.py", *options]) == 0
    assert (sys.stdout, sys.stderr) == streams
    assert Path.cwd() == work
    assert {"a.csv", "a.h5", "a.mcap"} <= set(os.listdir(work))
    assert os.listdir(away) == []


def test_output_of_a_plugin_does_not_hold_finished_runs(tmp_path: Path) -> None:
    """Its author is found among the callers, whose values must not be kept."""
    load(written(tmp_path, here="print(time)"))
    gc.collect()
    gc.disable()
    try:
        run = run_offline(wagging(), path=tmp_path / "run.mcap")  # written by a thread
        recording = weakref.ref(run.recording)
        del run
        assert recording() is None
    finally:
        gc.enable()


def test_table_of_the_scene_is_found_after_a_change_of_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    away = tmp_path / "away"
    away.mkdir()
    for name in ("table_gait.toml", "table_gait.csv"):
        shutil.copy(Path("scenes") / name, tmp_path)
    move = f"import os; os.chdir({str(away)!r})"
    written(tmp_path, text=f"{move}\n{WAG}")
    monkeypatch.chdir(tmp_path)
    run = api.simulate("table_gait.toml", duration=0.2, plugins=["wag.py"])
    run.to_csv("run.csv")
    assert (tmp_path / "run.csv").is_file()
    assert (
        main(
            ["run", "table_gait.toml", "--duration", "0.2", "--plugin", "wag.py", "--csv", "b.csv"]
        )
        == 0
    )
    assert (tmp_path / "b.csv").is_file()


def test_fields_that_fail_are_reported(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    uses = "    @property\n    def uses_gait(self):\n        return 1 / 0\n\n"
    text = WAG.replace("    amplitude_deg: float", f"{uses}    amplitude_deg: float")
    plugin = written(tmp_path, text=text)
    assert main(["run", str(scene_file(tmp_path)), "--plugin", str(plugin)]) == 3
    lines = capfd.readouterr().err.splitlines()
    assert "ZeroDivisionError" in lines[-1]
    with pytest.raises(PluginRuntimeError, match="ZeroDivisionError"):
        api.simulate(wagging())


@pytest.mark.parametrize("name", ["__repr__", "__eq__", "__hash__", "__bool__", "__len__"])
def test_special_methods_of_controllers_are_not_exposed(tmp_path: Path, name: str) -> None:
    own = f"    def {name}(self, *more):\n        1 / 0\n\n    def begin(self):"
    load(written(tmp_path, text=WAG.replace("    def begin(self):", own)))
    runner = Runner(wagging())
    runner.advance(100)
    state = runner.checkpoint()
    runner.restore(state, runner.scene, runner.time)
    assert runner.advance(1000).ok


IMPORTS = {
    "import": "import helpers_wave",
    "from": "from helpers_wave import wave",
    "relative": "from . import helpers_wave",
    "relative_name": "from .helpers_wave import wave",
    "folder": "import helpers.waves",
    "by_name": "import importlib; importlib.import_module('helpers_wave')",
}


@pytest.mark.parametrize("case", IMPORTS)
@pytest.mark.parametrize("inside", [False, True], ids=["at_import", "in_a_function"])
def test_file_next_to_the_plugin_cannot_be_imported(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], case: str, inside: bool
) -> None:
    (tmp_path / "helpers_wave.py").write_text("def wave(x):\n    return x\n")
    (tmp_path / "helpers").mkdir()
    statement = IMPORTS[case]
    text = f"{statement}\n{WAG}"
    if inside:
        text = WAG.replace("self.phase_rad = 0.0", f"self.phase_rad = 0.0; {statement}")
    plugin = written(tmp_path, text=text)
    code = main(["run", str(scene_file(tmp_path)), "--plugin", str(plugin)])
    assert code == (3 if inside else 2)
    line = capfd.readouterr().err.splitlines()[-1]
    assert "entry point" in line
    assert "pip" not in line


def test_missing_package_is_named_in_a_function_too(tmp_path: Path) -> None:
    load(written(tmp_path, here="import no_such_package_at_all"))
    with pytest.raises(PluginRuntimeError, match="pip install no_such_package_at_all"):
        api.simulate(wagging())


def test_validator_that_fails_is_reported(tmp_path: Path) -> None:
    validator = "    @field_validator('pace_hz')\n    @classmethod\n    def fail(cls, value):\n        return 1 / 0\n\n"
    text = "from pydantic import field_validator\n" + WAG.replace(
        "    amplitude_deg: float", f"{validator}    amplitude_deg: float"
    )
    load(written(tmp_path, text=text))
    with pytest.raises(PluginRuntimeError, match="wag raised ZeroDivisionError"):
        wagging(**{"controller.pace_hz": 2.0})
