"""Scenes and the small files of earlier versions: they open with their old contents."""

from __future__ import annotations

import json
import lzma
import shutil
import tomllib
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from snakestudio.analysis.experiment.layout import BodyColumns, JointColumns, Layout, load_layout
from snakestudio.cli import main
from snakestudio.drawing.camera import Camera
from snakestudio.errors import ExperimentError, UsageError
from snakestudio.export.camera_path import CameraKey, CameraPath, load_camera_path
from snakestudio.gui.robot.teleop.inputs import parse_input
from snakestudio.gui.robot.teleop.mapping import DEFAULT, Binding, InputMap, load_map
from snakestudio.link.bus.frame_log import read_log, read_source
from snakestudio.link.profile.loading import load_profile
from snakestudio.model.edits import get_value, with_values
from snakestudio.model.scene_file import load_scene, parse_scene
from snakestudio.model.scene_file.dump import dump_scene
from snakestudio.runfile.library import RunLibrary
from snakestudio.session.recovery import unsaved_scenes
from tests.stored import choices

HERE = Path(__file__).resolve().parent
VERSIONS = sorted(folder.name for folder in HERE.glob("[0-9]*"))
SCENES = [
    (version, path.stem)
    for version in VERSIONS
    for path in sorted((HERE / version / "scenes").glob("*.toml"))
]


def missing(expected: Any, actual: Any, where: str = "") -> list[str]:
    """Differences of `found` from `wanted`; additional entries of `found` are from later versions and are ignored."""
    if isinstance(expected, dict) and isinstance(actual, dict):
        return [
            line
            for key, value in expected.items()
            for line in (
                missing(value, actual[key], f"{where}.{key}")
                if key in actual
                else [f"{where}.{key} is gone"]
            )
        ]
    if isinstance(expected, list) and isinstance(actual, list) and len(expected) == len(actual):
        pairs = zip(expected, actual, strict=True)
        return [
            line
            for i, (one, other) in enumerate(pairs)
            for line in missing(one, other, f"{where}[{i}]")
        ]
    return (
        []
        if expected == actual and type(expected) is type(actual)
        else [f"{where}: {expected!r} became {actual!r}"]
    )


# ------------------------------------------------------------------------------------------- scenes


@pytest.mark.parametrize(("version", "name"), SCENES)
def test_scene_keeps_its_values(version: str, name: str) -> None:
    path = HERE / version / "scenes" / f"{name}.toml"
    stored = json.loads(lzma.decompress((HERE / version / "scenes.json.xz").read_bytes()))[name]
    scene = load_scene(path)
    assert missing(stored, scene.model_dump(mode="json")) == []
    assert parse_scene(dump_scene(scene)) == scene


@pytest.mark.parametrize("version", VERSIONS)
def test_scenes_pass_check(version: str, capsys: pytest.CaptureFixture[str]) -> None:
    paths = sorted(map(str, (HERE / version / "scenes").glob("*.toml")))
    assert len(paths) == 23
    assert main(["check", *paths]) == 0
    assert "error" not in capsys.readouterr().err


@pytest.mark.parametrize("version", VERSIONS)
def test_unsaved_scene_is_offered(version: str, tmp_path: Path) -> None:
    shutil.copy(HERE / version / "files" / "unsaved-99999999-1.toml", tmp_path)
    (unsaved,) = unsaved_scenes(tmp_path)
    assert unsaved.path == Path(choices.SCENE_PATH)
    assert unsaved.name == "mine.toml"
    for key, value in choices.SCENE.items():
        assert get_value(unsaved.scene, key) == value
    main_scene = load_scene(HERE / version / "scenes" / "obstacle_aided.toml")
    assert unsaved.scene == with_values(main_scene, choices.SCENE)
    assert main(["check", str(unsaved.kept_in)]) == 0


# -------------------------------------------------------------------------------------- small files


@pytest.mark.parametrize("version", VERSIONS)
def test_profile_with_its_dbc_is_read(version: str) -> None:
    path = HERE / version / "files" / "patient.toml"
    loaded = load_profile(path)
    expected = tomllib.loads(path.read_text(encoding="utf-8"))
    assert missing(expected, _plain(loaded.profile.model_dump(by_alias=True))) == []
    assert loaded.dbc_text == (path.parent / "lab_robot.dbc").read_text(encoding="utf-8")
    assert main(["profile", "check", str(path)]) == 0


def _plain(value: Any) -> Any:
    """Return a profile's values as in a file: lists instead of tuples."""
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    return [_plain(item) for item in value] if isinstance(value, tuple | list) else value


@pytest.mark.parametrize("version", VERSIONS)
def test_log_of_frames_is_read_with_its_profile(version: str) -> None:
    path = HERE / version / "files" / "robot.log"
    frames = list(read_log(path))
    assert len(frames) == 400
    lines = path.read_text(encoding="ascii").splitlines()
    for logged, line in zip(frames, lines, strict=True):
        number, _, data = line.split()[2].partition("#")
        assert (logged.frame.id, logged.frame.data.hex().upper()) == (int(number, 16), data)
        assert logged.sent is line.endswith(" T")
    source = read_source(path)
    assert source is not None
    loaded = load_profile(path.with_name("patient.toml"))
    # the bus was chosen manually
    assert source.profile.model_copy(update={"bus": loaded.profile.bus}) == loaded.profile
    assert source.dbc == loaded.dbc_text


@pytest.mark.parametrize("version", VERSIONS)
def test_mapping_of_keys_is_read(version: str) -> None:
    assert load_map(HERE / version / "files" / "mapping.toml") == chosen_mapping()


def chosen_mapping() -> InputMap:
    """The chosen mapping."""
    bindings = []
    for function, source, *numbers in choices.BINDINGS:
        read = parse_input(source)
        assert read is not None
        bindings.append(Binding(function, read, *numbers))  # type: ignore[arg-type]
    return replace(DEFAULT, bindings=tuple(bindings), **choices.MAPPING)


@pytest.mark.parametrize("version", VERSIONS)
def test_camera_path_is_read(version: str) -> None:
    assert_camera(load_camera_path(HERE / version / "files" / "camera_path.toml"))


def assert_camera(path: CameraPath) -> None:
    """Check that a path is the chosen one; angles are in degrees in its file."""
    assert path.follow
    assert len(path.keys) == len(choices.CAMERA)
    for key, (time, target, distance, azimuth, elevation, flat) in zip(
        path.keys, choices.CAMERA, strict=True
    ):
        expected = Camera(target, distance, azimuth, elevation, orthographic=flat)
        near = replace(
            key.camera, azimuth=expected.azimuth, elevation=expected.elevation, fov=expected.fov
        )
        assert CameraKey(key.time, near) == CameraKey(time, expected)
        for name in ("azimuth", "elevation", "fov"):
            assert getattr(key.camera, name) == pytest.approx(getattr(expected, name), rel=1e-15)


@pytest.mark.parametrize("version", VERSIONS)
def test_layout_of_tables_is_read(version: str) -> None:
    assert load_layout(HERE / version / "files" / "table_layout.toml") == chosen_table()


def chosen_table() -> Layout:
    """The chosen layout of measured tables."""
    bodies = tuple(BodyColumns(**body) for body in choices.TABLE["bodies"])
    joints = tuple(JointColumns(**joint) for joint in choices.TABLE["joints"])
    return Layout(**{**choices.TABLE, "bodies": bodies, "joints": joints})


@pytest.mark.parametrize("version", VERSIONS)
def test_notes_of_a_run_are_read(version: str, tmp_path: Path) -> None:
    run_file = tmp_path / "kept.mcap"
    run_file.write_bytes(
        lzma.decompress((HERE / version / "runs" / "heading.mcap.xz").read_bytes())
    )
    shutil.copy(HERE / version / "files" / "kept.json", tmp_path)
    (run,) = RunLibrary(tmp_path).runs()
    assert (run.label, run.tags) == (choices.RUN_NAME, choices.RUN_TAGS)
    assert run.info is not None
    assert run.info.model == "planar_lagrangian"


# --------------------------------------------------------------------------------------- newer ones


def newer(source: Path, folder: Path) -> Path:
    """Return a copy of a file that begins with its format, with the next format."""
    text = source.read_text(encoding="utf-8")
    assert text.count("format = 1\n") == 1
    path = folder / source.name
    path.write_text(text.replace("format = 1\n", "format = 2\n"), encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("scenes/stairs.toml", ["check"]),
        ("scenes/stairs.toml", ["run"]),
        ("files/unsaved-99999999-1.toml", ["check"]),
        ("files/patient.toml", ["profile", "check"]),
    ],
)
def test_file_of_a_newer_version_is_refused(
    name: str, arguments: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = newer(HERE / VERSIONS[-1] / name, tmp_path)
    assert main([*arguments, str(path)]) == 2
    output = "".join(capsys.readouterr())
    assert "1. Update SnakeStudio" in output


def test_mapping_of_a_newer_version_is_refused(tmp_path: Path) -> None:
    path = newer(HERE / VERSIONS[-1] / "files" / "mapping.toml", tmp_path)
    with pytest.raises(UsageError, match="format = 2"):
        load_map(path)


def test_layout_of_tables_with_unknown_keys_is_refused(
    tmp_path: Path,
) -> None:
    path = tmp_path / "table_layout.toml"
    text = (HERE / VERSIONS[-1] / "files" / path.name).read_text(encoding="utf-8")
    path.write_text(f"speed_column = 3\n{text}", encoding="utf-8")
    with pytest.raises(ExperimentError, match="speed_column"):
        load_layout(path)
