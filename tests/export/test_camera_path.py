"""Camera paths: through every keyframe, smooth, without overshoot, by the shorter rotation; and their file."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

from snakestudio.drawing.camera import Camera
from snakestudio.errors import ExportError, UsageError
from snakestudio.export.camera_path import (
    CameraKey,
    CameraPath,
    dump_camera_path,
    load_camera_path,
    parse_camera_path,
    save_camera_path,
)

NEAR = Camera((0.0, 1.0, 0.0), 2.0, math.radians(170), 0.2, 0.4)
FAR = Camera((4.0, -1.0, 0.5), 8.0, math.radians(-170), 1.2, 0.6)
BACK = Camera((1.0, 0.0, 0.0), 3.0, math.radians(150), 0.5, 0.5)
PATH = CameraPath((CameraKey(3.0, FAR), CameraKey(1.0, NEAR), CameraKey(4.5, BACK)))


def same(first: Camera, second: Camera) -> None:
    np.testing.assert_allclose(first.target, second.target, atol=1e-12)
    np.testing.assert_allclose(first.eye, second.eye, atol=1e-9)
    assert first.fov == pytest.approx(second.fov, rel=1e-12)


def test_path_passes_all_keyframes_and_rests_outside() -> None:
    for key in PATH.keys:
        same(PATH.at(key.time), key.camera)
    same(PATH.at(-5.0), NEAR)
    same(PATH.at(99.0), BACK)


def test_path_starts_and_ends_at_rest_and_is_continuous() -> None:
    times = np.linspace(1.0, 4.5, 3501)
    eyes = np.array([PATH.at(float(time)).eye for time in times])
    speed = np.linalg.norm(np.diff(eyes, axis=0), axis=1) / np.diff(times)
    assert speed[0] < 0.02 * speed.max()
    assert speed[-1] < 0.02 * speed.max()
    assert np.abs(np.diff(speed)).max() < 0.02 * speed.max()


def test_path_turns_the_shorter_way_without_overshoot() -> None:
    cameras = [PATH.at(float(time)) for time in np.linspace(1.0, 4.5, 200)]
    turns = np.unwrap([camera.azimuth for camera in cameras])
    assert np.ptp(turns) == pytest.approx(math.radians(40), abs=1e-3)
    assert (
        2.0 - 1e-9
        <= min(c.distance for c in cameras)
        <= max(c.distance for c in cameras)
        <= 8.0 + 1e-9
    )
    assert max(c.target[0] for c in cameras) <= 4.0 + 1e-9


def test_keyframes_are_added_replaced_and_removed() -> None:
    path = PATH.with_key(CameraKey(3.0, BACK)).with_key(CameraKey(2.0, FAR))
    assert [key.time for key in path.keys] == [1.0, 2.0, 3.0, 4.5]
    assert path.keys[2].camera == BACK
    assert [key.time for key in path.without(0).keys] == [2.0, 3.0, 4.5]
    moved = path.relative_to(lambda time: np.array([time, 0.0, 0.0]))
    assert moved.keys[1].camera.target == (2.0, -1.0, 0.5)
    with pytest.raises(UsageError, match="no keyframes"):
        CameraPath().at(0.0)


def test_file_contains_the_full_path(tmp_path: Path) -> None:
    path = CameraPath(PATH.keys, follow=True)
    save_camera_path(tmp_path / "a.toml", path)
    again = load_camera_path(tmp_path / "a.toml")
    assert again.follow
    assert [key.time for key in again.keys] == [1.0, 3.0, 4.5]
    for key, old in zip(again.keys, path.keys, strict=True):
        same(key.camera, old.camera)
    with pytest.raises(ExportError, match="cannot be written"):
        save_camera_path(tmp_path / "no" / "a.toml", path)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("keyframes = 3", r"no \[\[keyframes\]\]"),
        ("[[keyframes", "not valid TOML"),
        ("[[keyframes]]\ntarget_m = [0, 0, 0]\ndistance_m = 1", "keyframe 1: time_s is missing"),
        ("[[keyframes]]\ntime_s = 1\ntarget_m = [0, 0]\ndistance_m = 1", "three numbers"),
        (
            "[[keyframes]]\ntime_s = 1\ntarget_m = [0, 0, 0]\ndistance_m = -1",
            "distance_m = -1",
        ),
        ("[[keyframes]]\ntime_s = true\ntarget_m = [0, 0, 0]\ndistance_m = 1", "time_s = True"),
        ("[[keyframes]]\ntime_s = nan\ntarget_m = [0, 0, 0]\ndistance_m = 1", "time_s = nan"),
        (
            dump_camera_path(PATH) + dump_camera_path(PATH).partition("\n\n")[2],
            "keyframes.*1 s",
        ),
    ],
)
def test_errors_in_the_file_are_reported(text: str, sentence: str) -> None:
    with pytest.raises(UsageError, match=sentence):
        parse_camera_path(text)
