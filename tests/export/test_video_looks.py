"""Options of videos: curves, ghosts, two runs, camera paths, animations, images; always reproducible."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import av
import numpy as np
import pytest
from PIL import Image

from snakestudio import api
from snakestudio.drawing.camera import Camera
from snakestudio.drawing.overlays import Overlays
from snakestudio.drawing.style import DARK, LIGHT, Theme
from snakestudio.errors import ExportError, UsageError
from snakestudio.export import codecs
from snakestudio.export.camera_path import CameraKey, CameraPath
from snakestudio.export.codecs import CODECS, KINDS, encoder_of, video_path
from snakestudio.export.composition import PlotStrip, strip_height
from snakestudio.export.formats import EXPORTS, write_as
from snakestudio.export.ghost_source import GhostSource
from snakestudio.export.painter import FramePainter
from snakestudio.export.video import write_video
from snakestudio.export.video_options import Companion, VideoOptions
from snakestudio.kinds.formulation import FORMULATIONS
from snakestudio.model.columns import column_names, table
from snakestudio.model.scene import Scene
from snakestudio.model.snapshot import Snapshot
from snakestudio.runfile.recording import RunRecording
from tests.body_recording import make_body_recording
from tests.gui.fake import make_recording

GREY = 90


class Drawing:
    """Replacement for OpenGL: a grey image that encodes the request."""

    seen: list[tuple[float, Overlays, Camera]]

    def __init__(self, width: int, height: int, theme: Theme) -> None:
        self.size = height, width, 3
        self.seen = []

    def frame(
        self, scene: Scene, snapshot: Snapshot, overlays: Overlays, camera: Camera, *_: object
    ) -> np.ndarray:
        self.seen.append((snapshot.time, overlays, camera))
        return np.full(self.size, GREY, np.uint8)

    def close(self) -> None:
        pass


@pytest.fixture(scope="module")
def run() -> RunRecording:
    return make_recording(Scene(title="One"), 101)


@pytest.fixture(scope="module")
def shorter() -> RunRecording:
    return make_recording(Scene(title="Other"), 51)


def decoded(path: Path | None) -> list[np.ndarray]:
    assert path is not None
    with av.open(str(path)) as container:
        return [frame.to_ndarray(format="rgb24") for frame in container.decode(video=0)]


@pytest.mark.parametrize(
    ("codec", "suffix"), [(codec, suffix) for codec in CODECS for suffix in CODECS[codec].kinds[:1]]
)
def test_every_codec_writes_the_same_bytes_twice(
    run: RunRecording, tmp_path: Path, codec: str, suffix: str
) -> None:
    if encoder_of(codec) is None:
        pytest.skip(f"PyAV has no encoder for {codec} here")
    options = VideoOptions(width=128, height=96, fps=10, codec=codec, quality="small")
    result = [write_video(tmp_path / f"{n}{suffix}", run, options, renderer=Drawing) for n in "ab"]
    assert result[0] is not None
    assert result[1] is not None
    assert result[0].read_bytes() == result[1].read_bytes()
    pictures = decoded(result[0])
    assert len(pictures) == 11
    assert abs(float(np.median(pictures[5])) - GREY) < 4


def test_better_quality_is_nearer_to_the_original(run: RunRecording, tmp_path: Path) -> None:
    def noisy(width: int, height: int, theme: Theme) -> Drawing:
        drawing = Drawing(width, height, theme)
        picture = np.random.default_rng(3).integers(0, 255, drawing.size, np.uint8)
        drawing.frame = lambda *_: picture  # type: ignore[method-assign]
        return drawing

    sizes = []
    for quality in ("small", "good", "best"):
        options = VideoOptions(width=128, height=96, fps=5, quality=quality)  # type: ignore[arg-type]
        path = write_video(tmp_path / f"{quality}.mp4", run, options, renderer=noisy)
        assert path is not None
        sizes.append(path.stat().st_size)
    assert sizes[0] < sizes[1] < sizes[2]


def test_missing_or_unsuitable_codec_is_reported(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with pytest.raises(ExportError, match=r"\.mp4.*ProRes 422.*\.mov"):
        video_path(Path("a.mp4"), "prores")
    monkeypatch.setattr(codecs, "encoder_of", lambda codec: None if codec == "h265" else "yes")
    with pytest.raises(ExportError, match=r"cannot encode H\.265 .* one of these: h264, vp9, av1"):
        video_path(Path("a.mp4"), "h265")
    assert all(codec in CODECS for kinds in KINDS.values() for codec in kinds)


def test_animation_has_all_frames_at_their_times(run: RunRecording, tmp_path: Path) -> None:
    options = VideoOptions(width=240, height=240, fps=15, strip=("com_x_m",))
    path = write_video(tmp_path / "a.gif", run, options, renderer=Drawing)
    assert path == tmp_path / "a.gif"
    with Image.open(path) as animation:
        assert animation.n_frames == 16  # type: ignore[attr-defined]
        assert animation.info["loop"] == 0
        displayed = 0
        for index in range(15):
            animation.seek(index)
            displayed += animation.info["duration"]
            assert abs(displayed - 1000 * (index + 1) / 15) < 10
        picture = np.asarray(animation.convert("RGB")).astype(float)
    assert abs(picture[60:90].mean() - GREY) < 3
    again = write_video(tmp_path / "b.gif", run, options, renderer=Drawing)
    assert again is not None
    assert again.read_bytes() == path.read_bytes()


def test_images_are_exact_and_replace_a_longer_sequence(run: RunRecording, tmp_path: Path) -> None:
    options = VideoOptions(width=64, height=48, fps=10, time_stamp=False)
    first = write_video(tmp_path / "robot.png", run, options, renderer=Drawing)
    assert first == tmp_path / "robot_00000.png"
    assert len(list(tmp_path.iterdir())) == 11
    assert write_video(
        tmp_path / "robot_%05d.png", run, VideoOptions(width=64, height=48, fps=5), renderer=Drawing
    )
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        f"robot_{n:05d}.png" for n in range(6)
    ]
    with Image.open(tmp_path / "robot_00003.png") as picture:
        assert np.asarray(picture)[30, 40].tolist() == [GREY] * 3
    assert (
        write_video(tmp_path / "none.png", run, options, lambda fraction: fraction < 0.5, Drawing)
        is None
    )
    assert len(list(tmp_path.iterdir())) == 6


def test_span_and_slow_motion_are_shown_frame_by_frame(run: RunRecording, tmp_path: Path) -> None:
    result: list[Drawing] = []

    def renderer(width: int, height: int, theme: Theme) -> Drawing:
        result.append(Drawing(width, height, theme))
        return result[-1]

    options = VideoOptions(
        width=64, height=48, fps=10, speed=0.25, start=0.2, end=0.4, supersample=2
    )
    assert write_video(tmp_path / "a.mp4", run, options, renderer=renderer)
    assert result[0].size == (96, 128, 3)
    np.testing.assert_allclose(
        [time for time, _, _ in result[0].seen], np.linspace(0.2, 0.4, 9), atol=1e-9
    )
    for wrong in ({"start": 1.5}, {"start": -2.0, "end": -1.0}):
        with pytest.raises(UsageError, match="0 to 1 s"):
            write_video(tmp_path / "b.mp4", run, VideoOptions(**wrong), renderer=Drawing)  # type: ignore[arg-type]
    with pytest.raises(UsageError, match="after the start"):
        VideoOptions(start=2.0, end=1.0)


@pytest.mark.parametrize("follow", [False, True])
def test_camera_moves_along_its_keyframes(run: RunRecording, follow: bool) -> None:
    path = CameraPath(
        (CameraKey(0.0, Camera((0.3, 0, 0))), CameraKey(1.0, Camera((0.9, 0, 0), 5.0))), follow
    )
    painter = FramePainter(run, VideoOptions(path=path), Drawing(64, 48, DARK), 4 / 3)
    for key in path.keys:
        np.testing.assert_allclose(painter.camera(key.time).target, key.camera.target, atol=1e-12)
    middle = painter.camera(0.5)
    centre = [run.snapshot(index).centre_of_mass for index in (0, 50, 100)]
    away = centre[1] - (centre[0] + centre[2]) / 2 if follow else np.zeros(3)
    np.testing.assert_allclose(middle.target, np.array([0.6, 0, 0]) + away, atol=1e-9)


def test_camera_follows_from_its_position_at_the_set_time(run: RunRecording) -> None:
    """A robot followed at the end has the same position in every frame."""
    first, last = run.snapshot(0).centre_of_mass, run.snapshot(100).centre_of_mass
    camera = Camera((float(last[0]), float(last[1]), float(last[2])))
    options = VideoOptions(camera=camera, follow=True, camera_time_s=1.0)
    painter = FramePainter(run, options, Drawing(64, 48, DARK), 4 / 3)
    assert np.linalg.norm(last - first) > 1e-3
    np.testing.assert_allclose(painter.camera(1.0).target, last, atol=1e-9)
    np.testing.assert_allclose(painter.camera(0.0).target, first, atol=1e-9)


def test_ghost_follows_its_recording_and_ends_with_it(
    run: RunRecording, shorter: RunRecording
) -> None:
    source = GhostSource(Companion(shorter, "Other", (1.0, 0.0, 0.0)))
    (ghost,) = source.at(0.3)
    np.testing.assert_allclose(ghost.pose, shorter.snapshot(30).link_pose)
    assert ghost.colour == (1.0, 0.0, 0.0)
    assert source.at(0.52) == ()
    body = make_body_recording(Scene(model=FORMULATIONS["continuum_beam"].fields()), 20)
    assert GhostSource(Companion(body, "Body")).at(0.1)[0].body == body.scene.body


def test_two_runs_are_side_by_side_until_the_later_end(
    run: RunRecording, shorter: RunRecording, tmp_path: Path
) -> None:
    result: list[Drawing] = []

    def renderer(width: int, height: int, theme: Theme) -> Drawing:
        result.append(Drawing(width, height, theme))
        return result[-1]

    options = VideoOptions(
        width=320,
        height=240,
        fps=10,
        strip=("com_x_m",),
        companion=Companion(run, "Longer"),
        name="Shorter",
    )
    assert write_video(tmp_path / "a.mp4", shorter, options, renderer=renderer)
    assert [drawing.size[1] for drawing in result] == [160, 160]
    left, right = ([time for time, _, _ in drawing.seen] for drawing in result)
    np.testing.assert_allclose(right, np.linspace(0, 1, 11), atol=1e-9)
    np.testing.assert_allclose(left, np.minimum(right, 0.5), atol=1e-9)
    assert result[0].seen[-1][2] == result[1].seen[-1][2], "both are seen from the same place"


@pytest.mark.parametrize("theme", [DARK, LIGHT])
def test_curves_and_cursor_follow_their_values(run: RunRecording, theme: Theme) -> None:
    strip = PlotStrip(run, ("com_x_m",), (0.0, 1.0), 640, 160, theme)
    values = np.concatenate(list(table(run, ("com_x_m",))))[:, 0]
    picture = np.zeros((160, 640, 3), np.uint8)
    ink = np.array(theme.accent) * 255
    cursors = []
    for time in (0.2, 0.8):
        strip.draw(picture, time)
        rows, columns = np.nonzero(np.abs(picture - ink).max(axis=2) < 12)
        cursor = columns.max()
        cursors.append(cursor)
        dot = rows[columns >= cursor - 1].mean()
        transform = strip.to_pixels[0]
        x, y = transform.transform((time, np.interp(time, run.times, values)))
        assert abs(cursor - x) < 6
        assert abs(160 - dot - y) < 2.5
    assert cursors[1] - cursors[0] > 300


def test_curves_of_one_unit_share_an_axis() -> None:
    one = strip_height(720, ("com_x_m", "com_y_m"))
    two = strip_height(720, ("com_x_m", "com_vx_mps"))
    assert 0 == strip_height(720, ()) < one < two < 360
    with pytest.raises(UsageError, match="at most 8"):
        VideoOptions(strip=("com_x_m",) * 9)
    with pytest.raises(UsageError, match="more than 3 different units"):
        VideoOptions(strip=("com_x_m", "com_vx_mps", "energy_kinetic_j", "contact_ground_fx_n"))


def test_curves_of_a_long_run_keep_their_extremes() -> None:
    run = make_recording(Scene(), 20_000)
    spike = "link_1_obstacle_fy_n"
    assert spike in column_names(run.schema)
    strip = PlotStrip(run, (spike,), (0.0, 200.0), 640, 160, DARK)
    values = np.concatenate(list(table(run, (spike,))))[:, 0]
    curve = strip.curves[0][0]
    assert len(curve.times) <= 4100
    assert curve.values.max() == values.max()
    assert curve.values.min() == values.min()


@pytest.mark.parametrize("body", [False, True])
def test_complete_frames_are_reproducible(
    run: RunRecording, shorter: RunRecording, tmp_path: Path, body: bool
) -> None:
    displayed = (
        make_body_recording(Scene(model=FORMULATIONS["continuum_beam"].fields()), 40)
        if body
        else run
    )
    options = VideoOptions(
        width=240,
        height=240,
        fps=4,
        supersample=2,
        strip=() if body else ("com_x_m",),
        theme=LIGHT,
        ghosts=() if body else (Companion(shorter, "Other"),),
        name="One",
    )
    write: Callable[[str], Path | None] = lambda name: write_video(  # noqa: E731
        tmp_path / name, displayed, options
    )
    one = write("a.mp4")
    two = write("b.mp4")
    assert one is not None
    assert two is not None
    assert one.read_bytes() == two.read_bytes()
    assert decoded(one)[0].std() > 5


def test_failed_video_is_reported_and_leaves_no_file(
    run: RunRecording, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from snakestudio.export.encoder import Encoder

    def full(self: Encoder, frame: np.ndarray) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Encoder, "write", full)
    options = VideoOptions(width=64, height=48)
    with pytest.raises(ExportError, match="No space left on device"):
        write_as(EXPORTS["video"], api.Run(run), tmp_path / "a.mp4", options)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("kind", "chosen", "drawn"),
    [
        ("spatial_nonsmooth", {}, True),
        ("spatial_nonsmooth", {"ground_forces": False}, False),
        ("spatial_nonsmooth", {"forces": False}, False),
        ("spatial_nonsmooth", {"forces": False, "ground_forces": True}, True),
        ("planar_nonsmooth", {}, False),
    ],
)
def test_ground_contact_is_drawn_as_in_the_viewport(
    kind: str, chosen: dict[str, bool], drawn: bool
) -> None:
    run = make_recording(Scene(model=FORMULATIONS[kind].fields()), 3)
    drawing = Drawing(64, 64, DARK)
    FramePainter(run, VideoOptions(ground_scale=0.01, **chosen), drawing, 1.0).paint(0.01)  # type: ignore[arg-type]
    ((_, overlays, _),) = drawing.seen
    assert overlays.show_ground_normal_forces is overlays.show_friction_forces is drawn
    if drawn:
        assert overlays.ground_scale == overlays.friction_scale == 0.01
