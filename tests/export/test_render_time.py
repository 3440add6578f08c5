"""The time per frame is measured on frames of the video itself, without the first one."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from snakestudio.export.render_time import seconds_per_frame
from snakestudio.export.video_options import VideoOptions
from snakestudio.model.scene_file import load_scene
from snakestudio.paths import scenes_dir
from tests.gui.fake import make_recording

OPTIONS = VideoOptions(width=64, height=48, fps=100, supersample=1)


class Drawing:
    """A renderer whose clock advances only while drawing: 60 s for the first frame, a fixed time for the others."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self.now = 0.0
        self.frames = 0
        self.size = (0, 0)

    def make(self, width: int, height: int, theme: Any) -> Drawing:
        self.size = width, height
        return self

    def frame(self, *_: object) -> np.ndarray:
        self.now += self.seconds if self.frames else 60.0
        self.frames += 1
        return np.zeros((self.size[1], self.size[0], 3), np.uint8)

    def close(self) -> None: ...


@pytest.fixture(scope="module")
def recording() -> Any:
    return make_recording(load_scene(scenes_dir() / "obstacle_aided.toml"), 400)


def measured(
    recording: Any, drawing: Drawing, options: VideoOptions = OPTIONS, needed: bool = True
) -> float | None:
    return seconds_per_frame(
        ".png",
        recording,
        options,
        lambda _: needed,
        drawing.make,
        Path(),
        clock=lambda: drawing.now,
    )


def test_first_frame_is_not_counted(recording: Any) -> None:
    drawing = Drawing(0.02)
    assert measured(recording, drawing) == pytest.approx(0.02)
    assert (drawing.frames, drawing.size) == (9, (64, 48))


def test_slow_frames_are_measured_on_three(recording: Any) -> None:
    drawing = Drawing(4.0)
    assert measured(recording, drawing) == pytest.approx(4.0)
    assert drawing.frames == 3


def test_video_of_one_frame_has_its_duration(recording: Any) -> None:
    still = VideoOptions(width=64, height=48, fps=10, supersample=1, start=0.1, end=0.11)
    assert measured(recording, Drawing(0.02), still) == pytest.approx(60.0)


def test_cancelled_measurement_has_no_result(recording: Any) -> None:
    drawing = Drawing(0.02)
    assert measured(recording, drawing, needed=False) is None
    assert drawing.frames == 1
