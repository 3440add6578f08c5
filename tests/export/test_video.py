"""Video: real files of the requested size and length, uniform motion, reproducible bytes, no partial files."""

from __future__ import annotations

import sys
from pathlib import Path

import av
import numpy as np
import pytest

from snakestudio import api
from snakestudio.drawing.obstacles import obstacles_of
from snakestudio.drawing.overlays import Overlays
from snakestudio.drawing.style import Theme
from snakestudio.errors import ExportError, UsageError
from snakestudio.export import codecs, encoder
from snakestudio.export.codecs import video_path
from snakestudio.export.encoder import Encoder
from snakestudio.export.formats import EXPORTS, write_as
from snakestudio.export.frame_source import FrameSource
from snakestudio.export.painter import overview_camera
from snakestudio.export.video import write_video
from snakestudio.export.video_options import VideoOptions
from snakestudio.kinds.formulation import FORMULATIONS
from snakestudio.model.edits import with_values
from snakestudio.model.obstacles.shapes.box import Box
from snakestudio.model.obstacles.shapes.stairs import Stairs
from snakestudio.model.scene import Scene
from snakestudio.model.scene_file import load_scene
from snakestudio.model.snapshot import Snapshot
from snakestudio.paths import scenes_dir
from snakestudio.runfile.recording import RunRecording
from snakestudio.session.offline import run_offline
from tests.body_recording import make_body_recording

SMALL = VideoOptions(width=161, height=90, fps=10)


@pytest.fixture(scope="module")
def recording() -> RunRecording:
    return run_offline(
        with_values(load_scene(scenes_dir() / "obstacle_aided.toml"), {"run.duration_s": 1.0})
    ).recording


def frames(path: Path) -> list[np.ndarray]:
    with av.open(str(path)) as container:
        return [frame.to_ndarray(format="rgb24") for frame in container.decode(video=0)]


def test_video_has_the_requested_frames_and_shows_motion(
    recording: RunRecording, tmp_path: Path
) -> None:
    path = write_video(tmp_path / "a.mp4", recording, SMALL)
    assert path == tmp_path / "a.mp4"
    pictures = frames(path)
    assert len(pictures) == 11  # 0 to 1 s at 10 Hz
    assert pictures[0].shape == (90, 162, 3)  # odd sizes are rounded up
    with av.open(str(path)) as container:
        assert container.streams.video[0].average_rate == 10
    picture = pictures[0].astype(float)
    assert picture.std() > 10  # something is drawn
    assert np.abs(picture - pictures[-1]).max() > 50  # and moves


def test_two_renders_are_equal_to_the_byte(recording: RunRecording, tmp_path: Path) -> None:
    options = VideoOptions(width=160, height=90, fps=5, follow=True)
    one = write_video(tmp_path / "one.mp4", recording, options)
    other = write_video(tmp_path / "other.mp4", recording, options)
    assert one is not None
    assert other is not None
    assert one.read_bytes() == other.read_bytes()


def test_a_cancelled_video_leaves_nothing(recording: RunRecording, tmp_path: Path) -> None:
    seen: list[float] = []

    def stop_soon(fraction: float) -> bool:
        seen.append(fraction)
        return len(seen) < 3

    run = api.Run(recording)
    assert write_as(EXPORTS["video"], run, tmp_path / "a.mp4", SMALL, stop_soon) is None
    assert len(seen) == 3
    assert list(tmp_path.iterdir()) == []


def test_without_an_mp4_encoder_the_video_is_a_webm(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(codecs, "encoder_of", lambda codec: "libvpx" if codec == "vp8" else None)
    monkeypatch.setattr(encoder, "encoder_of", codecs.encoder_of)
    path = video_path(tmp_path / "a.mp4")
    assert path == tmp_path / "a.webm"
    with Encoder(path, 64, 48, 10) as file:
        for level in (0, 128, 255):
            file.write(np.full((48, 64, 3), level, np.uint8))
    assert [round(float(picture.mean()), -1) for picture in frames(path)] == [0, 130, 260]


def test_without_pyav_a_message_names_the_alternatives(
    recording: RunRecording, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(codecs, "find_spec", lambda name: None)
    monkeypatch.setitem(sys.modules, "av", None)  # an attempt to import it fails
    for name in ("a.mp4", "a.webm", "a.mov"):
        with pytest.raises(ExportError, match=r"video.*encoder"):
            write_video(tmp_path / name, recording, SMALL)
    assert codecs.codecs_for(".mp4") == []
    assert codecs.usual_ending() == ".gif"
    assert write_video(tmp_path / "a.gif", recording, SMALL) == tmp_path / "a.gif"
    assert write_video(tmp_path / "a.png", recording, SMALL) == tmp_path / "a_00000.png"


def test_poses_between_rows_are_interpolated(recording: RunRecording) -> None:
    source = FrameSource(recording, trail_link=5)
    first = recording.snapshot(40)
    second = recording.snapshot(41)
    middle = source.snapshot(0.405)
    np.testing.assert_allclose(
        middle.link_pose[:, :3], (first.link_pose + second.link_pose)[:, :3] / 2, atol=1e-12
    )
    np.testing.assert_allclose(np.linalg.norm(middle.link_pose[:, 3:], axis=1), 1, atol=1e-12)
    np.testing.assert_allclose(source.snapshot(0.41).link_pose, second.link_pose, atol=1e-12)
    assert len(source.trail(0.405)) == 41
    np.testing.assert_array_equal(source.trail(0.0)[0], recording.snapshot(0).link_pose[5, :3])


def test_overview_always_contains_the_robot(recording: RunRecording) -> None:
    camera = overview_camera([recording], 16 / 9)
    for index in range(0, len(recording), 20):
        seen = camera.project(recording.snapshot(index).link_pose[:, :3], 16 / 9)
        assert np.abs(seen[:, :2]).max() < 1


def test_overview_shows_obstacles_near_the_path(recording: RunRecording) -> None:
    stairs = Stairs(x_m=1.0, y_m=0.8, width_m=0.5, landing_m=0.3)
    far = Box(x_m=50, y_m=0)
    scene = recording.scene.model_copy(update={"obstacles": (stairs, far)})
    other = RunRecording(scene, recording.schema)
    other.append(recording.rows(0, len(recording)))
    camera = overview_camera([other], 16 / 9)
    world = obstacles_of(scene.obstacles)
    seen = camera.project(np.array([world.low[0], world.high[0]]), 16 / 9)
    assert np.abs(seen[:, :2]).max() < 1
    assert camera.distance < 15, "what is far away does not matter"


@pytest.mark.parametrize(
    "values",
    [{"width": 8}, {"fps": 0}, {"fps": 1000}, {"speed": 0}, {"width": 100000, "height": 100000}],
)
def test_impossible_options_are_reported(values: dict[str, int]) -> None:
    with pytest.raises(UsageError):
        VideoOptions(**values)  # type: ignore[arg-type]


def test_impossible_names_are_reported(recording: RunRecording, tmp_path: Path) -> None:
    with pytest.raises(ExportError, match=r"\.gif"):
        write_video(tmp_path / "a.avi", recording, SMALL)


BODY = Scene(model=FORMULATIONS["continuum_beam"].fields())


def test_body_between_rows_is_interpolated() -> None:
    recording = make_body_recording(BODY, 20)
    source = FrameSource(recording, 20)
    first, between, second = (source.snapshot(time) for time in (0.10, 0.105, 0.11))
    assert first.body is not None
    assert between.body is not None
    assert second.body is not None
    for name in ("strain", "wrench", "point"):
        before, now, after = (getattr(held.body, name) for held in (first, between, second))
        assert np.allclose(now, 0.5 * (before + after))
        assert not np.array_equal(before, after)
    assert between.body.active.all()


def test_video_of_a_body_keeps_its_colours(tmp_path: Path) -> None:
    seen: list[Overlays] = []

    class Drawing:
        def __init__(self, width: int, height: int, theme: Theme) -> None:
            self.size = height, width, 3

        def frame(
            self, scene: Scene, snapshot: Snapshot, overlays: Overlays, *_: object
        ) -> np.ndarray:
            seen.append(overlays)
            return np.zeros(self.size, np.uint8)

        def close(self) -> None:
            pass

    recording = make_body_recording(BODY, 50)
    options = VideoOptions(width=160, height=90, fps=10, body_quantity="stretch")
    assert write_video(tmp_path / "a.mp4", recording, options, renderer=Drawing) is not None
    assert {overlays.body_range for overlays in seen} == {(-0.0025, 0.0025)}
    assert {overlays.stretch_scale for overlays in seen} == {80.0}
    camera = overview_camera([recording], 16 / 9)
    ends = np.array([(-0.5, 0.0, 0.02), (0.549, 0.0, 0.02)])
    assert (np.abs(camera.project(ends, 16 / 9)[:, :2]) < 1.0).all()
    pictures = frames(write_video(tmp_path / "b.mp4", recording, options) or tmp_path)
    assert pictures[0].std() > 8
    with pytest.raises(UsageError, match="one of torque"):
        VideoOptions(body_quantity="colour")
