"""Plug-ins in workers of studies, sent as code with its hash."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from snakestudio import api
from snakestudio.cli import main
from snakestudio.errors import PluginError, StudyError
from snakestudio.model.scene_file import dump_scene
from snakestudio.plugins.loaded import find, loaded
from snakestudio.plugins.loading import load, unload
from snakestudio.plugins.packing import packed, use_packed
from snakestudio.study.evaluate import Chunk, evaluate
from snakestudio.study.run_key import code_hash, run_key, study_hash

from .plugin_files import WAG, scene_file, wagging, written

TOTAL = """
from snakestudio.plugin import ReductionKind

KIND = ReductionKind(name="total", of=lambda times, values: values.sum())
"""


def test_worker_gets_the_loaded_code_and_checks_its_hash(tmp_path: Path) -> None:
    load(written(tmp_path))
    load(written(tmp_path, "total", TOTAL))
    scene = wagging()
    chunk = Chunk(
        "s", dump_scene(scene), {}, ("total(phase_rad)",), code_hash(), (("a", {}),), packed()
    )
    for plugin in loaded():
        unload(plugin.name)
    for path in tmp_path.iterdir():
        path.unlink()  # the worker does not read the files
    (outcome,) = evaluate(chunk)
    assert outcome.state == "done", outcome.sentence
    assert outcome.measures[0] > 0.0
    spoilt = replace(chunk.plugins[0], data=b"1 / 0", digest="0" * 64)
    with pytest.raises(PluginError, match=r"arrived.*damaged"):
        use_packed([spoilt])


def test_worker_uses_the_code_of_each_study(tmp_path: Path) -> None:
    load(written(tmp_path))
    first = packed()
    written(tmp_path, text=WAG.replace("20.0", "40.0"))
    load(tmp_path / "wag.py")
    second = packed()
    text = dump_scene(wagging())
    reach = []
    for plugins in (first, second, first):
        chunk = Chunk(
            "s", text, {}, ("max(joint_3_yaw_ref_rad)",), code_hash(), (("a", {}),), plugins
        )
        (outcome,) = evaluate(chunk)
        reach.append(outcome.measures[0])
    assert reach[1] == reach[0] == reach[2], "values are those of the scene's text"
    assert find("wag") is not None


def test_results_depend_on_the_code_of_plugins(tmp_path: Path) -> None:
    load(written(tmp_path))
    keys = {run_key(study_hash((), {}), wagging())}
    load(written(tmp_path, text=WAG + "# changed\n"))
    keys.add(run_key(study_hash((), {}), wagging()))
    load(written(tmp_path, "total", TOTAL))
    keys.add(run_key(study_hash((), {}), wagging()))
    assert len(keys) == 3


def test_check_of_a_study_does_not_run_its_plugin(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    written(tmp_path, text="raise RuntimeError('this code must not run')")
    scene_file(tmp_path)
    study = tmp_path / "wag.study.toml"
    study.write_text(
        'format = 2\nscene = "scene.toml"\n[[vary]]\nkey = "controller.pace_hz"\nlow = 0.5\nhigh = 2.0\nsteps = 2\n'
        '[[goals]]\nmeasure = "net_speed"\naim = "maximise"\n'
    )
    assert main(["check", str(study)]) == 0
    assert "checked" in capsys.readouterr().out
    assert main(["study", "run", str(study)]) == 2
    assert "snakestudio plugin trust" in capsys.readouterr().err


def test_study_and_fit_name_the_plugin_that_is_not_trusted(tmp_path: Path) -> None:
    written(tmp_path)
    path = scene_file(tmp_path)
    vary = {"controller.amplitude_deg": (10.0, 40.0, 2)}
    with pytest.raises(PluginError, match="not trusted") as caught:
        api.Study(path, vary)
    assert "study.toml" not in str(caught.value)
    with pytest.raises(PluginError, match="not trusted"):
        api.fit(path, tmp_path / "track.csv", {"controller.amplitude_deg": (10.0, 40.0)})
    study = api.Study(path, vary, plugins=[tmp_path / "wag.py"])
    assert study.description.n_points == 2
    with pytest.raises(StudyError, match="pace") as unknown:
        api.Study(path, {"controller.paces_hz": (1.0, 2.0, 2)})
    assert "/tmp" not in str(unknown.value).replace(str(tmp_path), "")
