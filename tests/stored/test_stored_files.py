"""Scenes and the small files of earlier versions: they open, and say what they said."""

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


def missing(wanted: Any, found: Any, where: str = "") -> list[str]:
    """What is not, or not so, in `found`; what is there besides came later and is none of the file's business."""
    if isinstance(wanted, dict) and isinstance(found, dict):
        return [
            line
            for key, value in wanted.items()
            for line in (
                missing(value, found[key], f"{where}.{key}")
                if key in found
                else [f"{where}.{key} is gone"]
            )
        ]
    if isinstance(wanted, list) and isinstance(found, list) and len(wanted) == len(found):
        pairs = zip(wanted, found, strict=True)
        return [
            line
            for i, (one, other) in enumerate(pairs)
            for line in missing(one, other, f"{where}[{i}]")
        ]
    return (
        []
        if wanted == found and type(wanted) is type(found)
        else [f"{where}: {wanted!r} became {found!r}"]
    )


# ------------------------------------------------------------------------------------------- scenes


@pytest.mark.parametrize(("version", "name"), SCENES)
def test_a_scene_has_the_values_that_it_had(version: str, name: str) -> None:
    path = HERE / version / "scenes" / f"{name}.toml"
    kept = json.loads(lzma.decompress((HERE / version / "scenes.json.xz").read_bytes()))[name]
    scene = load_scene(path)
    assert missing(kept, scene.model_dump(mode="json")) == []
    assert parse_scene(dump_scene(scene)) == scene


@pytest.mark.parametrize("version", VERSIONS)
def test_scenes_are_found_right(version: str, capsys: pytest.CaptureFixture[str]) -> None:
    paths = sorted(map(str, (HERE / version / "scenes").glob("*.toml")))
    assert len(paths) == 23
    assert main(["check", *paths]) == 0
    assert "error" not in capsys.readouterr().err


@pytest.mark.parametrize("version", VERSIONS)
def test_an_unsaved_scene_is_offered(version: str, tmp_path: Path) -> None:
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
def test_a_profile_with_its_dbc_is_read(version: str) -> None:
    path = HERE / version / "files" / "patient.toml"
    loaded = load_profile(path)
    wanted = tomllib.loads(path.read_text(encoding="utf-8"))
    assert missing(wanted, _plain(loaded.profile.model_dump(by_alias=True))) == []
    assert loaded.dbc_text == (path.parent / "lab_robot.dbc").read_text(encoding="utf-8")
    assert main(["profile", "check", str(path)]) == 0


def _plain(value: Any) -> Any:
    """A profile's values as a file has them: lists for tuples."""
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    return [_plain(item) for item in value] if isinstance(value, tuple | list) else value


@pytest.mark.parametrize("version", VERSIONS)
def test_a_log_of_frames_is_read_with_what_explains_it(version: str) -> None:
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
    # the bus was chosen by hand
    assert source.profile.model_copy(update={"bus": loaded.profile.bus}) == loaded.profile
    assert source.dbc == loaded.dbc_text


@pytest.mark.parametrize("version", VERSIONS)
def test_a_mapping_of_keys_is_read(version: str) -> None:
    assert load_map(HERE / version / "files" / "mapping.toml") == chosen_mapping()


def chosen_mapping() -> InputMap:
    """The mapping that was chosen."""
    bindings = []
    for function, source, *numbers in choices.BINDINGS:
        read = parse_input(source)
        assert read is not None
        bindings.append(Binding(function, read, *numbers))  # type: ignore[arg-type]
    return replace(DEFAULT, bindings=tuple(bindings), **choices.MAPPING)


@pytest.mark.parametrize("version", VERSIONS)
def test_a_camera_path_is_read(version: str) -> None:
    assert_camera(load_camera_path(HERE / version / "files" / "camera_path.toml"))


def assert_camera(path: CameraPath) -> None:
    """See that a path is the one that was chosen; angles stand in degrees in its file."""
    assert path.follow
    assert len(path.keys) == len(choices.CAMERA)
    for key, (time, target, distance, azimuth, elevation, flat) in zip(
        path.keys, choices.CAMERA, strict=True
    ):
        wanted = Camera(target, distance, azimuth, elevation, orthographic=flat)
        near = replace(
            key.camera, azimuth=wanted.azimuth, elevation=wanted.elevation, fov=wanted.fov
        )
        assert CameraKey(key.time, near) == CameraKey(time, wanted)
        for name in ("azimuth", "elevation", "fov"):
            assert getattr(key.camera, name) == pytest.approx(getattr(wanted, name), rel=1e-15)


@pytest.mark.parametrize("version", VERSIONS)
def test_a_layout_of_tables_is_read(version: str) -> None:
    assert load_layout(HERE / version / "files" / "table_layout.toml") == chosen_table()


def chosen_table() -> Layout:
    """The layout of measured tables that was chosen."""
    bodies = tuple(BodyColumns(**body) for body in choices.TABLE["bodies"])
    joints = tuple(JointColumns(**joint) for joint in choices.TABLE["joints"])
    return Layout(**{**choices.TABLE, "bodies": bodies, "joints": joints})


@pytest.mark.parametrize("version", VERSIONS)
def test_what_was_said_of_a_run_is_read(version: str, tmp_path: Path) -> None:
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
    """A copy of a file that begins with its format, as of the next one."""
    text = source.read_text(encoding="utf-8")
    assert text.count("format = 1\n") == 1
    path = folder / source.name
    path.write_text(text.replace("format = 1\n", "format = 2\n"), encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("scenes/stairs.toml", ["check"]),
        ("scenes/stairs.toml", ["run"]),
        ("files/unsaved-99999999-1.toml", ["check"]),
        ("files/patient.toml", ["profile", "check"]),
    ],
)
def test_a_file_of_a_newer_version_is_refused(
    name: str, words: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = newer(HERE / VERSIONS[-1] / name, tmp_path)
    assert main([*words, str(path)]) == 2
    said = "".join(capsys.readouterr())
    assert "1. Update SnakeStudio" in said


def test_a_mapping_of_a_newer_version_is_refused(tmp_path: Path) -> None:
    path = newer(HERE / VERSIONS[-1] / "files" / "mapping.toml", tmp_path)
    with pytest.raises(UsageError, match="format = 2"):
        load_map(path)


def test_a_layout_of_tables_has_no_format_and_is_refused_for_what_is_not_known(
    tmp_path: Path,
) -> None:
    path = tmp_path / "table_layout.toml"
    text = (HERE / VERSIONS[-1] / "files" / path.name).read_text(encoding="utf-8")
    path.write_text(f"speed_column = 3\n{text}", encoding="utf-8")
    with pytest.raises(ExperimentError, match="speed_column"):
        load_layout(path)
