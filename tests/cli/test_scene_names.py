"""Scenes by their bare names, and suggestions for unknown names, commands, options and keys."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

import snakestudio as ss
from snakestudio.cli import main
from snakestudio.errors import SceneError
from snakestudio.paths import bundled_scenes, find_scene, scenes_dir


def ended(arguments: list[str]) -> int:
    """Exit code of a command line."""
    try:
        return main(arguments)
    except SystemExit as error:
        return int(str(error.code))


def test_path_wins_over_own_scene_over_bundled_scene(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    name = Path("stairs")
    assert find_scene(name) == scenes_dir() / "stairs.toml"
    name.mkdir()  # a folder is not a scene: it may contain figures
    assert find_scene(name) == scenes_dir() / "stairs.toml"
    Path("stairs.toml").touch()
    assert find_scene(name) == Path("stairs.toml")
    name.rmdir()
    name.touch()
    assert find_scene(name) == name


@pytest.mark.parametrize(
    "name", ["stairs.toml", "folder/stairs", "nothing", "", ".", "..", "x" * 300, "a\0b"]
)
def test_other_paths_are_not_changed(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert find_scene(Path(name)) == Path(name)


def test_commands_take_bundled_scenes_by_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    # reads a table next to the scene
    assert main(["run", "table_gait", "--duration", "0.05", "--csv", "run.csv"]) == 0
    assert main(["check", "table_gait"]) == 0
    assert main(["plan", "table_gait", "plan.svg"]) == 0
    assert main(["diff", "table_gait", "run.csv"]) == 0
    assert sorted(path.name for path in tmp_path.iterdir()) == ["plan.svg", "run.csv"]


def test_study_of_a_bundled_scene_names_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["study", "new", "sidewinding"]) == 0
    study = tmp_path / "sidewinding.study.toml"
    assert 'scene = "sidewinding"' in study.read_text()
    assert main(["check", str(study)]) == 0
    ss.Study("sidewinding", {"gait.amplitude_deg": (10, 20, 2)}, file="own.study.toml")
    assert 'scene = "sidewinding"' in Path("own.study.toml").read_text()


def test_python_takes_bundled_scenes_by_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    run = ss.simulate("obstacle_aided", duration=0.01)
    assert run.scene_file == "obstacle_aided.toml"
    assert ss.load_scene("obstacle_aided") == ss.load_scene(scenes_dir() / "obstacle_aided.toml")
    with pytest.raises(SceneError, match='Did you mean "obstacle_aided"'):
        ss.load_scene("obstacle_aide")


def test_fix_leaves_bundled_scenes_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["check", "--fix", "stairs"]) == 2
    assert "bundled scenes" in capsys.readouterr().err
    shutil.copy(scenes_dir() / "stairs.toml", tmp_path)
    assert main(["check", "--fix", "stairs"]) == 0


@pytest.mark.parametrize(
    ("arguments", "meant"),
    [
        (["run", "sidewindng"], 'Did you mean "sidewinding"?'),
        (["run", "obstacle-aided"], '"obstacle_aided"'),
        (["run", "wrong/stairs.toml"], '"stairs"'),
        (["sidewindng"], 'Did you mean "sidewinding"?'),
        (["chek"], 'Did you mean "check"?'),
        (["chek", "stairs.toml"], 'Did you mean "check"?'),
        (["study", "rnu"], 'Did you mean "study run"?'),
        (["run", "stairs", "--csvv", "a.csv"], "did you mean --csv?"),
        (["fit-strain", "stairs", "--contacts", "rigs"], "did you mean rings?"),
        (["run", "stairs", "--set", "amplitude_deg=3"], "Did you mean gait.amplitude_deg?"),
        (["run", "stairs", "--set", "giat.amplitude_deg=3"], "Did you mean gait?"),
        (["run", "stairs", "--set", "gait.amplitud_deg=3"], "Did you mean amplitude_deg?"),
        (["run", "stairs", "--set", "gait.kind=two_wave"], 'Did you mean "two_waves"?'),
        (["run", "stairs", "--set", "model.kind=spatial"], 'Did you mean "spatial_nonsmooth"?'),
    ],
)
def test_misspelt_names_get_a_suggestion(
    arguments: list[str],
    meant: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    assert ended(arguments) == 2
    assert meant in capsys.readouterr().err


def test_own_scene_is_suggested(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "my_robot.toml").touch()
    assert ended(["run", "my_robt"]) == 2
    assert 'Did you mean "my_robot"?' in capsys.readouterr().err


def test_scenes_lists_all_bundled_scenes(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["scenes"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines[1:]] == sorted(bundled_scenes())
    assert main(["scenes", "--json", "up", "stairs"]) == 0
    (scene,) = json.loads(capsys.readouterr().out)["scenes"]
    assert (scene["name"], scene["title"], scene["papers"]) == (
        "stairs",
        "Sidewinding up stairs",
        ["P1"],
    )
