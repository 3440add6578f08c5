"""`snakestudio export`: run files, and scenes that are run first, in all file formats; one message per mistake."""

from __future__ import annotations

import contextlib
from pathlib import Path

import av
import h5py
import pytest
from mcap.exceptions import McapError
from mcap.reader import make_reader

from snakestudio import api
from snakestudio.cli import main
from snakestudio.drawing.camera import Camera
from snakestudio.export.camera_path import CameraKey, CameraPath, save_camera_path
from snakestudio.model.edits import with_values
from snakestudio.model.scene_file import load_scene, save_scene
from snakestudio.paths import scenes_dir


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a scene, its run as a run file, and another run."""
    folder = tmp_path_factory.mktemp("runs")
    scene = with_values(load_scene(scenes_dir() / "obstacle_aided.toml"), {"run.duration_s": 0.3})
    save_scene(scene, folder / "short.toml")
    api.simulate_scene(scene, scene_file="short.toml").to_mcap(folder / "short.mcap")
    api.simulate_scene(with_values(scene, {"gait.amplitude_deg": 30.0})).to_mcap(
        folder / "other.mcap"
    )
    return folder


def test_run_file_is_exported_to_all_formats(runs: Path, tmp_path: Path, capsys: object) -> None:
    path = CameraPath((CameraKey(0.0, Camera()), CameraKey(0.3, Camera(distance=1.0))))
    save_camera_path(tmp_path / "path.toml", path)
    outputs = [tmp_path / f"a.{kind}" for kind in ("csv", "h5", "mcap", "webm")]
    kinds = [f"--{kind}" for kind in ("csv", "hdf5", "mcap", "video")]
    files = [str(argument) for pair in zip(kinds, outputs, strict=True) for argument in pair]
    looks = [
        "--size",
        "320x240",
        "--fps",
        "10",
        "--camera",
        str(tmp_path / "path.toml"),
        "--strip",
        "com_x_m",
    ]
    assert main(["export", str(runs / "short.mcap"), *files, *looks, "--codec", "vp9"]) == 0
    lines = outputs[0].read_text().splitlines()
    assert "# scene: short.toml" in lines
    assert len([line for line in lines if not line.startswith("#")]) == 1 + 31
    with h5py.File(outputs[1]) as file:
        assert len(file["columns/time_s"]) == 31
    with contextlib.closing(api.load_run(outputs[2])) as again:
        assert len(again.recording) == 31
    with av.open(str(outputs[3])) as container:
        frames = list(container.decode(video=0))
        assert (len(frames), frames[0].width, frames[0].height) == (4, 320, 240)
        assert container.streams.video[0].codec_context.name == "vp9"


@pytest.mark.parametrize("ghost", [(), ("--ghost",)])
def test_second_run_is_drawn_alongside_or_overlaid(
    runs: Path, tmp_path: Path, ghost: tuple[str, ...]
) -> None:
    pair = [str(runs / "short.mcap"), str(runs / "other.mcap")]
    looks = ["--size", "320x120", "--start", "0.3"]
    assert main(["export", *pair, *ghost, "--video", str(tmp_path / "a.png"), *looks]) == 0
    assert [path.name for path in tmp_path.iterdir()] == ["a_00000.png"]


def test_truncated_run_is_exported_and_reported(
    runs: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    data = (runs / "short.mcap").read_bytes()
    torn = tmp_path / "torn.mcap"
    torn.write_bytes(data[:-200])
    assert main(["export", str(torn), "--csv", str(tmp_path / "torn.csv")]) == 0
    output = capsys.readouterr()
    assert "torn.mcap" in output.err
    assert "snakestudio export torn.mcap --mcap NEW.mcap" in output.err
    with torn.open("rb") as file, pytest.raises(McapError):
        make_reader(file).get_summary()  # like programs that need a complete file
    assert main(["export", str(torn), "--mcap", str(tmp_path / "whole.mcap")]) == 0
    assert "snakestudio export" not in capsys.readouterr().err
    with (tmp_path / "whole.mcap").open("rb") as file:
        summary = make_reader(file).get_summary()
    assert summary is not None
    assert summary.chunk_indexes
    assert "wrote" in output.out


def test_exported_scene_is_run_first(
    runs: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["export", str(runs / "short.toml"), "--hdf5", str(tmp_path / "a.h5")]) == 0
    output = capsys.readouterr().out
    assert "running the scene for 0.3 s" in output
    assert f"wrote {tmp_path / 'a.h5'}: 31 rows" in output


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ([], "nothing to export"),
        (["--csv", "{runs}/short.mcap"], "Give another name"),
        (["{runs}/other.mcap", "--csv", "{tmp}/a.csv"], "video"),
        (["--video", "{tmp}/a.mp4", "--ghost"], "second"),
        (["--video", "{tmp}/a.avi"], "video format"),
        (["--video", "{tmp}/a.mp4", "--codec", "ffv1"], "FFV1"),
        (["--video", "{tmp}/a.mp4", "--codec", "divx"], "one of h264"),
        (["--video", "{tmp}/a.gif", "--codec", "vp9"], "A GIF has no codec"),
        (["--video", "{tmp}/a.mp4", "--camera", "above"], "all, follow"),
        (["--video", "{tmp}/a.mp4", "--camera", "{tmp}/no.toml"], "such file"),
        (
            ["--video", "{tmp}/a.mp4", "--strip", "com_x", "--size", "320x240"],
            "Did you mean com_x_m",
        ),
        (["--video", "{tmp}/a.mp4", "--strip", "com_x_m", "--size", "320x90"], "at least 240"),
        (["--video", "{tmp}/a.mp4", "--quality", "fine"], "one of small, good, best"),
        (
            ["--video", "{tmp}/a.mp4", "--start", "2", "--size", "64x64"],
            "0 to 0.3 s",
        ),
        (["--video", "{tmp}/a.gif", "--fps", "60"], "most 50"),
        (["--video", "{tmp}/a%d_%d.png"], "robot_%05d.png"),
        (["--video", "{tmp}/a.mp4", "--size", "big"], "WIDTHxHEIGHT"),
    ],
)
def test_mistakes_are_reported_and_leave_no_files(
    runs: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    arguments: list[str],
    sentence: str,
) -> None:
    filled = [argument.format(runs=runs, tmp=tmp_path) for argument in arguments]
    assert main(["export", str(runs / "short.mcap"), *filled]) == 2
    assert sentence in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []
