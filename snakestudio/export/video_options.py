"""Options of a video: size, time, camera, content and encoding."""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from dataclasses import dataclass

from snakestudio.drawing.camera import Camera
from snakestudio.drawing.quantities import QUANTITIES
from snakestudio.drawing.style import DARK, Colour, Theme
from snakestudio.errors import UsageError
from snakestudio.export.camera_path import CameraPath
from snakestudio.export.codecs import QUALITIES, Quality
from snakestudio.model.column_units import unit_of
from snakestudio.model.recording import Recording

MAX_PIXELS = 7680 * 4320
MAX_STRIP = 8
MAX_AXES = 3


@dataclass(frozen=True, slots=True, eq=False)
class Companion:
    """Another recording in a video: a ghost, or a second run side by side."""

    recording: Recording
    name: str
    """Name in the image."""

    colour: Colour | None = None
    """Colour of its ghost and curves; None for that of the theme."""


@dataclass(frozen=True, slots=True)
class VideoOptions:
    """Options of a video."""

    width: int = 1280
    """Width, pixels; odd sizes are rounded up, because video codecs require even ones."""

    height: int = 720
    """Height, pixels; rounded up in the same way."""

    fps: int = 30
    """Frames per second."""

    speed: float = 1.0
    """Simulated time per video time: 0.5 is slow motion."""

    start: float | None = None
    """Simulated time of the first frame, s; None for the start of the recording."""

    end: float | None = None
    """Simulated time of the last frame, s; None for the end of the recording."""

    camera: Camera | None = None
    """None for a view of the whole motion."""

    follow: bool = False
    """Whether the camera keeps its distance to the robot's centre."""

    camera_time_s: float = 0.0
    """Time that defines the distance between `camera` and the robot under `follow`."""

    path: CameraPath | None = None
    """Keyframes of the camera, instead of `camera` and `follow`."""

    forces: bool = True
    """Whether normal forces of obstacles are drawn."""

    friction_forces: bool = False
    """Whether friction forces are drawn."""

    ground_forces: bool | None = None
    """Whether reaction and friction of the ground on a robot are drawn; None: as
    `forces`."""

    force_scale: float = 0.03
    """Length of the arrows of normal forces, m/N."""

    friction_scale: float = 0.06
    """Length of the arrows of friction forces, m/N."""

    ground_scale: float = 0.005
    """Length of the arrows of forces of the ground, m/N."""

    time_stamp: bool = True
    """Whether the time is shown."""

    trail_link: int | None = -1
    """0-based link whose trail is drawn; -1 for the middle one, None for no trail."""

    theme: Theme = DARK
    """Colours."""

    body_quantity: str = "torque"
    """Quantity that colours a continuous body, a key of `quantities.QUANTITIES`; "" for its own
    colour."""

    strip: tuple[str, ...] = ()
    """Names of columns that are drawn as curves below the image; those with the same unit share an axis."""

    supersample: int = 1
    """Factor by which images are drawn larger in both directions before averaging: finer lines, more
    time."""

    codec: str = ""
    """A key of `codecs.CODECS`; "" for the default of the file format."""

    quality: Quality = "good"
    """One of `codecs.QUALITIES`."""

    ghosts: tuple[Companion, ...] = ()
    """Recordings that are drawn as translucent robots, and as dashed curves."""

    companion: Companion | None = None
    """Another run to show next to this one, at the same times and from the same camera."""

    name: str = ""
    """Name of the run in the image if there are others."""

    def __post_init__(self) -> None:
        if self.width < 16 or self.height < 16 or self.width * self.height > MAX_PIXELS:
            raise UsageError(
                f"The size of a video must be from 16x16 to 7680x4320 pixels (got {self.width}x{self.height})."
            )
        if not 1 <= self.fps <= 240:
            raise UsageError(
                f"The frame rate must be from 1 to 240 frames per second (got {self.fps})."
            )
        if not 0.001 <= self.speed <= 1000:
            raise UsageError(f"The speed must be from 0.001 to 1000 (got {self.speed:g}).")
        if self.body_quantity and self.body_quantity not in QUANTITIES:
            raise UsageError(
                f"A body cannot be coloured by {self.body_quantity}. Choose one of {', '.join(QUANTITIES)}."
            )
        if self.start is not None and self.end is not None and not self.start < self.end:
            raise UsageError(
                f"A video from {self.start:g} to {self.end:g} s is not possible. Choose an end after the start."
            )
        if self.path is not None and not self.path.keys:
            raise UsageError("The camera path has no keyframes. Add at least one.")
        if not 1 <= self.supersample <= 4:
            raise UsageError(
                f"Supersampling must be an integer from 1 to 4 (got {self.supersample})."
            )
        if self.quality not in QUALITIES:
            raise UsageError(
                f"There is no quality {self.quality!r}. Choose one of {', '.join(QUALITIES)}."
            )
        if self.strip and (self.height < 240 or self.width < 240):
            raise UsageError(
                f"A video of {self.width}x{self.height} pixels is too small for curves. Choose at least 240 both ways."
            )
        if len({unit_of(name) for name in self.strip}) > MAX_AXES:
            raise UsageError(
                f"Curves with more than {MAX_AXES} different units do not fit below an image. Choose fewer."
            )
        if len(self.strip) > MAX_STRIP:
            raise UsageError(
                f"A video has at most {MAX_STRIP} curves (got {len(self.strip)}). Choose fewer."
            )

    @property
    def size(self) -> tuple[int, int]:
        """Even width and height of the frames, px."""
        return self.width + self.width % 2, self.height + self.height % 2

    def recordings(self, recording: Recording) -> list[Recording]:
        """Return a recording and that of its companion."""
        return [recording] if self.companion is None else [recording, self.companion.recording]

    def span(self, recordings: Sequence[Recording]) -> tuple[float, float]:
        """Simulated times of the first and the last frame, s, by default up to the end of the longest recording.

        Raises `UsageError` if nothing is recorded in the requested span.
        """
        first = min(float(recording.times[0]) for recording in recordings)
        last = max(float(recording.times[-1]) for recording in recordings)
        start = first if self.start is None else max(first, self.start)
        end = last if self.end is None else min(last, self.end)
        if start > last or end < start:
            requested = (
                f"from {start:g} s" if self.end is None else f"from {start:g} to {self.end:g} s"
            )
            raise UsageError(
                f"A video {requested} is not possible: the run covers {first:g} to {last:g} s. Choose times within it."
            )
        return start, end

    def n_frames(self, recordings: Sequence[Recording]) -> int:
        """Return the number of frames."""
        start, end = self.span(recordings)
        return max(1, int((end - start) / self.speed * self.fps + 1e-9) + 1)


def check_columns(names: Sequence[str], available: Sequence[str]) -> None:
    """Check that all columns exist.

    Raises `UsageError` that names an unknown column, with suggestions.
    """
    for name in names:
        if name not in available:
            near = difflib.get_close_matches(name, available, 3, 0.5)
            hint = (
                f"Did you mean {' or '.join(near)}?"
                if near
                else "Use the column names of the CSV, such as com_x_m."
            )
            raise UsageError(f"There is no column {name!r} in this run. {hint}")
