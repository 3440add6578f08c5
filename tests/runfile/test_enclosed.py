"""Files named by a scene are stored in its run file, and used where the run is opened without them."""

from __future__ import annotations

import json
import logging
import shutil
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from snakestudio import api
from snakestudio.cli import main
from snakestudio.errors import SceneError
from snakestudio.model.edits import with_values
from snakestudio.model.obstacles.shapes.height_field import HeightField
from snakestudio.model.scene import Scene
from snakestudio.model.scene_file import load_scene, save_scene
from snakestudio.paths import cache_dir, scenes_dir
from snakestudio.runfile.mcap import RunFile, open_run
from snakestudio.runfile.mcap.enclosed import contained_name
from snakestudio.session.runner import Runner

SIDEWINDING = scenes_dir() / "sidewinding.toml"


def picture(path: Path, seed: int) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    grey = np.random.default_rng(seed).integers(0, 255, (16, 16), dtype=np.uint8)
    Image.fromarray(grey).save(path)
    return path


def scene_on(name: str) -> Scene:
    scene = load_scene(SIDEWINDING)
    ground = HeightField(
        x_m=0.0, y_m=0.0, length_m=4.0, width_m=4.0, relief_m=0.02, z_m=-0.01, picture=name
    )
    return with_values(
        scene, {"obstacles": [ground.model_dump()], "run.duration_s": 0.3, "start.z_m": 0.1}
    )


@pytest.fixture
def lab(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a scene, its map and a run of it."""
    monkeypatch.setenv("SNAKESTUDIO_CACHE_DIR", str(tmp_path / "cache"))
    folder = tmp_path / "lab"
    picture(folder / "maps" / "map.png", 1)
    save_scene(scene_on("maps/map.png"), folder / "scene.toml")
    assert main(["run", str(folder / "scene.toml"), "--mcap", str(folder / "run.mcap")]) == 0
    return folder


def rerun_equals(run: RunFile, path: Path) -> None:
    again = api.simulate(path)
    assert np.array_equal(again["link_1_z_m"], api.Run(run)["link_1_z_m"])


def test_run_with_an_existing_map_needs_nothing(
    lab: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with open_run(lab / "run.mcap") as run:
        assert run.note == ""
        assert run.base_dir == lab
        rerun_equals(run, lab / "run.mcap")
    assert not caplog.records
    assert not (cache_dir() / "enclosed").exists()


@pytest.mark.parametrize("how", ["gone", "other", "cut off"])
def test_map_in_the_run_file_is_used_and_reported_elsewhere(
    lab: Path, tmp_path: Path, how: str, caplog: pytest.LogCaptureFixture
) -> None:
    path = lab / "run.mcap"
    if how == "other":
        picture(lab / "maps" / "map.png", 2)
    else:
        path = tmp_path / "elsewhere" / "run.mcap"
        path.parent.mkdir()
        shutil.move(lab / "run.mcap", path)
        shutil.rmtree(lab)
    if how == "cut off":
        path.write_bytes(path.read_bytes()[:-40])
    with open_run(path) as run, caplog.at_level(logging.WARNING):
        why = "has changed" if how == "other" else "no longer exists"
        assert f"maps/map.png {why}" in run.note
        assert "copy in the run file" in run.note
        assert run.scene.obstacles[0].picture == "maps/map.png"  # type: ignore[union-attr]
        rerun_equals(run, path)
    assert run.note in caplog.text


def test_friction_image_is_stored_in_the_run_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SNAKESTUDIO_CACHE_DIR", str(tmp_path / "cache"))
    lab = tmp_path / "lab"
    path = tmp_path / "run.mcap"
    picture(lab / "maps" / "floor.png", 4)
    scene = with_values(
        load_scene(scenes_dir() / "lateral_undulation_isotropic.toml"),
        {"run.duration_s": 0.1, "ground.picture": {"file": "maps/floor.png"}},
    )
    save_scene(scene, lab / "scene.toml")
    assert main(["run", str(lab / "scene.toml"), "--mcap", str(path)]) == 0
    shutil.rmtree(lab)
    with open_run(path) as run:
        assert "run.mcap: maps/floor.png" in run.note
        again = api.simulate(path)
        assert np.array_equal(again["com_x_m"], api.Run(run)["com_x_m"])
    with pytest.raises(SceneError, match=r"ground\.picture\.file: .*floor\.png' cannot be used"):
        api.simulate(scene)


def test_copy_of_a_run_contains_the_map(lab: Path, tmp_path: Path) -> None:
    shutil.rmtree(lab / "maps")
    copy = tmp_path / "copy.mcap"
    assert main(["export", str(lab / "run.mcap"), "--mcap", str(copy)]) == 0
    shutil.rmtree(tmp_path / "cache")
    with open_run(copy) as run:
        assert "file is used" in run.note
        rerun_equals(run, copy)


def test_map_of_another_folder_gets_another_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SNAKESTUDIO_CACHE_DIR", str(tmp_path / "cache"))
    far = picture(tmp_path / "far" / "map.png", 3)
    path = tmp_path / "run.mcap"
    api.simulate(scene_on(str(far))).to_mcap(path)
    far.unlink()
    with open_run(path) as run:
        name = run.scene.obstacles[0].picture  # type: ignore[union-attr]
        assert name is not None
        assert "/" not in name
        assert (run.base_dir / name).is_file()
        rerun_equals(run, path)
    assert not far.exists()


@pytest.mark.parametrize(
    "name", ["../map.png", "/etc/map.png", "a/../../map.png", "C:\\map.png", "..\\map.png"]
)
def test_names_do_not_lead_out_of_the_folder(name: str) -> None:
    assert contained_name(name, "0" * 64) == f"{'0' * 16}.png"


def test_file_that_is_not_stored_is_reported(lab: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shutil.rmtree(lab / "maps")
    monkeypatch.setattr("snakestudio.runfile.mcap.enclosed._enclosed", lambda *of_file: iter(()))
    with open_run(lab / "run.mcap") as run:
        assert "maps/map.png" in run.note
        assert list(json.loads(run.about["files"])) == ["maps/map.png"]


def changed_run(lab: Path, path: Path, name: str) -> None:
    """A run during which another map is put into the scene."""
    runner = Runner(load_scene(lab / "scene.toml"), lab, path=path)
    runner.advance(runner.end_step // 3)
    assert runner.apply(with_values(runner.scene, {"obstacles[1].picture": name})) == []
    runner.advance(runner.end_step)
    runner.recording.close()


@pytest.mark.parametrize("how", ["whole", "cut off", "copied"])
@pytest.mark.parametrize("where", ["maps/other.png", "../other.png"])
def test_map_added_during_the_run_is_stored(
    lab: Path, tmp_path: Path, where: str, how: str
) -> None:
    picture(lab / where, 7)
    changed_run(lab, lab / "changed.mcap", where)
    with open_run(lab / "changed.mcap") as run:
        assert run.note == ""
        rerun_equals(run, lab / "changed.mcap")
    path = tmp_path / "elsewhere" / "changed.mcap"
    path.parent.mkdir()
    if how == "copied":
        assert main(["export", str(lab / "changed.mcap"), "--mcap", str(path)]) == 0
    else:
        shutil.move(lab / "changed.mcap", path)
    (lab / where).unlink()
    if how == "cut off":
        path.write_bytes(path.read_bytes()[:-40])
    with open_run(path) as run:
        assert f"{where} no longer exists" in run.note
        assert "copy in the run file" in run.note
        rerun_equals(run, path)
        continued, _ = api.continue_from(path, 0.2)
        assert np.array_equal(continued["link_1_z_m"], api.Run(run)["link_1_z_m"])


def test_replaced_map_is_reported(lab: Path) -> None:
    path = lab / "changed.mcap"
    runner = Runner(load_scene(lab / "scene.toml"), lab, path=path)
    runner.advance(400)
    while not path.is_file() or not path.stat().st_size:
        pass  # the map is in the file from its beginning
    picture(lab / "maps" / "map.png", 5)
    box = {"kind": "box", "x_m": 9.0, "y_m": 9.0}
    assert (
        runner.apply(
            with_values(runner.scene, {"obstacles": [runner.scene.obstacles[0].model_dump(), box]})
        )
        == []
    )
    runner.advance(400)
    runner.recording.close()
    (lab / "maps" / "map.png").unlink()
    with open_run(path) as run:
        assert "changed.mcap: maps/map.png" in run.note
        assert "maps/map.png" in run.note


def test_map_of_a_change_that_is_not_stored_is_reported(
    lab: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = picture(lab / "maps" / "other.png", 7)
    monkeypatch.setattr("snakestudio.runfile.mcap.enclosed._MOST_BYTES", 10)
    changed_run(lab, lab / "changed.mcap", "maps/other.png")
    other.unlink()
    with open_run(lab / "changed.mcap") as run:
        assert "maps/other.png" in run.note
