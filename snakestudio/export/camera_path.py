"""Camera paths: keyframes of a view over time with smooth interpolation, and their file format.

Between keyframes, target, distance, direction and angle of view follow cubic curves that do not
overshoot, start and end at rest, and pass through all keyframes; directions turn the shorter
way.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from snakestudio._arrays import FloatArray
from snakestudio.drawing.camera import Camera
from snakestudio.errors import ExportError, UsageError
from snakestudio.inputs import CAMERA_PATH, InputError, local_path, parse_toml, read_text
from snakestudio.model.atomic import write_atomically

_SAME_TIME = 1e-6


@dataclass(frozen=True, slots=True)
class CameraKey:
    """The camera at a given time."""

    time: float
    """Simulated time, s."""

    camera: Camera


@dataclass(frozen=True)
class CameraPath:
    """Keyframes in the order of their times."""

    keys: tuple[CameraKey, ...] = field(default=())
    follow: bool = False
    """Whether the camera also follows the robot: targets are then relative to its
    centre of mass."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "keys", tuple(sorted(self.keys, key=lambda key: key.time)))

    def with_key(self, key: CameraKey) -> CameraPath:
        """Return the path with a keyframe added, replacing one at the same time."""
        others = (old for old in self.keys if abs(old.time - key.time) > _SAME_TIME)
        return replace(self, keys=(*others, key))

    def without(self, index: int) -> CameraPath:
        """Return the path without one keyframe."""
        return replace(self, keys=self.keys[:index] + self.keys[index + 1 :])

    def relative_to(self, centre: Callable[[float], FloatArray]) -> CameraPath:
        """The path with targets relative to the robot's centre at each keyframe: for a path that follows the robot."""

        def shifted(key: CameraKey) -> CameraKey:
            x, y, z = np.array(key.camera.target) - centre(key.time)
            return replace(key, camera=replace(key.camera, target=(float(x), float(y), float(z))))

        return replace(self, keys=tuple(map(shifted, self.keys)))

    def at(self, time: float) -> Camera:
        """Return the camera at a time, s; constant before the first and after the last keyframe.

        Raises `UsageError` if there are no keyframes.
        """
        if not self.keys:
            raise UsageError("The camera path has no keyframes. Add at least one.")
        first = self.keys[0]
        last = self.keys[-1]
        if time <= first.time:
            return first.camera
        if time >= last.time:
            return last.camera
        x, y, z, distance, azimuth, elevation, fov = (float(value) for value in self._curve(time))
        after = next(index for index, key in enumerate(self.keys) if key.time > time)
        around = self.keys[after - 1].camera, self.keys[after].camera
        return Camera(
            target=(x, y, z),
            distance=math.exp(distance),
            azimuth=math.remainder(azimuth, math.tau),
            elevation=min(max(elevation, 0.0), math.pi / 2),
            fov=math.exp(fov),
            orthographic=around[0].orthographic and around[1].orthographic,
        )

    @cached_property
    def _curve(self) -> Callable[[float], FloatArray]:
        from scipy.interpolate import CubicHermiteSpline, PchipInterpolator

        times = np.array([key.time for key in self.keys])
        cameras = [key.camera for key in self.keys]
        azimuth = np.unwrap([camera.azimuth for camera in cameras])
        values = np.array(
            [
                (
                    *camera.target,
                    math.log(camera.distance),
                    turn,
                    camera.elevation,
                    math.log(camera.fov),
                )
                for camera, turn in zip(cameras, azimuth, strict=True)
            ]
        )
        slopes = np.asarray(PchipInterpolator(times, values, axis=0).derivative()(times))
        slopes[0] = slopes[-1] = 0.0  # starts and ends at rest
        return CubicHermiteSpline(times, values, slopes, axis=0)


def dump_camera_path(path: CameraPath) -> str:
    """Return a camera path as TOML text."""
    lines = [
        "# A camera path of SnakeStudio: snakestudio export RUN --video F.mp4 --camera THIS_FILE.toml",
        f"follow = {str(path.follow).lower()}  # whether the camera also follows the robot",
    ]
    for key in path.keys:
        camera = key.camera
        lines += [
            "",
            "[[keyframes]]",
            f"time_s = {key.time!r}",
            f"target_m = [{', '.join(map(repr, camera.target))}]",
            f"distance_m = {camera.distance!r}",
            f"azimuth_deg = {math.degrees(camera.azimuth)!r}",
            f"elevation_deg = {math.degrees(camera.elevation)!r}",
            f"view_angle_deg = {math.degrees(camera.fov)!r}",
            f"orthographic = {str(camera.orthographic).lower()}",
        ]
    return "\n".join(lines) + "\n"


def parse_camera_path(text: str, source: str = "camera path") -> CameraPath:
    """Parse a camera path from TOML text.

    Raises `UsageError` that names the keyframe and the problem.
    """
    try:
        values = parse_toml(text, CAMERA_PATH)
    except InputError as error:
        raise UsageError(f"{source}: {error}") from None
    keyframes = values.get("keyframes")
    if not isinstance(keyframes, list) or not keyframes:
        raise UsageError(
            f"{source}: There are no [[keyframes]]. Add some, each with time_s, target_m and distance_m."
        )
    keys = [
        _key(entry, f"{source}: keyframe {number}") for number, entry in enumerate(keyframes, 1)
    ]
    times = sorted(key.time for key in keys)
    for before, after in itertools.pairwise(times):
        if after - before <= _SAME_TIME:
            raise UsageError(
                f"{source}: Two keyframes are at {after:g} s. Remove one, or change its time_s."
            )
    return CameraPath(tuple(keys), values.get("follow") is True)


def _key(entry: Any, where: str) -> CameraKey:
    usual = Camera()

    def number(name: str, default: float | None, low: float, high: float) -> float:
        value = entry.get(name, default) if isinstance(entry, dict) else None
        if (
            isinstance(value, bool)
            or not isinstance(value, int | float)
            or not low <= value <= high
        ):
            state = "is missing" if value is None else f"= {value!r}"
            raise UsageError(
                f"{where}: {name} {state}. Set it to a number from {low:g} to {high:g}."
            )
        return float(value)

    time = number("time_s", None, -1e9, 1e9)
    target = entry.get("target_m")
    if not isinstance(target, list) or len(target) != 3 or not all(_finite(target)):
        raise UsageError(
            f"{where}: target_m = {target!r}. Set it to three numbers, like [0.5, 0.0, 0.0]."
        )
    x, y, z = map(float, target)
    camera = Camera(
        (x, y, z),
        number("distance_m", None, 0.01, 1e4),
        math.radians(number("azimuth_deg", math.degrees(usual.azimuth), -3600, 3600)),
        math.radians(number("elevation_deg", math.degrees(usual.elevation), 0, 90)),
        math.radians(number("view_angle_deg", math.degrees(usual.fov), 1, 150)),
        entry.get("orthographic") is True,
    )
    return CameraKey(time, camera)


def _finite(values: Iterable[object]) -> Iterable[bool]:
    return (
        isinstance(v, int | float) and not isinstance(v, bool) and math.isfinite(v) for v in values
    )


def load_camera_path(path: str | Path) -> CameraPath:
    """Read a camera path from a file.

    Raises `UsageError` if the file does not exist or is invalid.
    """
    try:
        text = read_text(local_path(path), CAMERA_PATH)
    except InputError as error:
        raise UsageError(f"{path}: {error}") from None
    return parse_camera_path(text, str(path))


def save_camera_path(path: str | Path, keys: CameraPath) -> None:
    """Write a camera path to a file.

    Raises `ExportError` if it cannot be written.
    """
    try:
        write_atomically(local_path(path), dump_camera_path(keys).encode())
    except OSError as error:
        raise ExportError(
            f"{path}: The camera path cannot be written ({error.strerror or error}). Choose another file."
        ) from None
