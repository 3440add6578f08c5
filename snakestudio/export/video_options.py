"""What a video looks like: size, time, camera, what is drawn, and how it is encoded."""

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
    """Another recording in a video: a ghost over the run, or a run beside it."""

    recording: Recording
    name: str
    """What the picture calls it."""

    colour: Colour | None = None
    """Of its ghost and its curves; None for the theme's."""


@dataclass(frozen=True, slots=True)
class VideoOptions:
    """What a video looks like."""

    width: int = 1280
    height: int = 720
    """`width` and `height`: size, px; odd sizes are rounded up, as video codecs want even ones."""

    fps: int = 30
    """Frames a second."""

    speed: float = 1.0
    """Simulated over shown time: 0.5 is slow motion."""

    start: float | None = None
    end: float | None = None
    """`start` and `end`: simulated times of the first and the last frame, s; None for those of the
    recording."""

    camera: Camera | None = None
    """None for a view of everything that happens."""

    follow: bool = False
    """The camera keeps its distance to the robot's centre."""

    camera_time_s: float = 0.0
    """When the robot is as far from `camera` as it is to stay under `follow`."""

    path: CameraPath | None = None
    """Keyframes that the camera moves along, instead of `camera` and `follow`."""

    forces: bool = True
    friction_forces: bool = False
    ground_forces: bool | None = None
    """What the ground does to a robot that it carries, reaction and friction; None: with
    `forces`."""

    force_scale: float = 0.03
    friction_scale: float = 0.06
    ground_scale: float = 0.005
    """`force_scale`, `friction_scale` and `ground_scale`: length of an arrow, m/N."""

    time_stamp: bool = True
    """`forces`, `friction_forces` and `time_stamp`: what is drawn."""

    trail_link: int | None = -1
    """0-based link whose trail is drawn; -1 for the middle one, None for none."""

    theme: Theme = DARK
    body_quantity: str = "torque"
    """What a continuous body is coloured by, a key of `quantities.QUANTITIES`; "" for its own
    colour."""

    strip: tuple[str, ...] = ()
    """Names of columns, drawn as curves under the picture; those of one unit share an axis."""

    supersample: int = 1
    """Pictures are drawn that many times as large either way and averaged: finer lines, more
    time."""

    codec: str = ""
    """A key of `codecs.CODECS`; "" for the usual one of that kind of file."""

    quality: Quality = "good"
    """One of `codecs.QUALITIES`."""

    def __post_init__(self) -> None:
        if self.width < 16 or self.height < 16 or self.width * self.height > MAX_PIXELS:
            raise UsageError(
                f"a video of {self.width} x {self.height} pixels: give a size from 16x16 to 7680x4320."
            )
        if not 1 <= self.fps <= 240:
            raise UsageError(f"{self.fps} frames a second: give a number from 1 to 240.")
        if not 0.001 <= self.speed <= 1000:
            raise UsageError(f"speed {self.speed:g}: give a number from 0.001 to 1000.")
        if self.body_quantity and self.body_quantity not in QUANTITIES:
            raise UsageError(
                f"a body coloured by {self.body_quantity}: give one of {', '.join(QUANTITIES)}."
            )
        if self.start is not None and self.end is not None and not self.start < self.end:
            raise UsageError(
                f"a video from {self.start:g} to {self.end:g} s: the end must be later than the start."
            )
        if self.path is not None and not self.path.keys:
            raise UsageError("the camera path has no keyframes; add at least one.")
        if not 1 <= self.supersample <= 4:
            raise UsageError(f"supersampling {self.supersample}: give a whole number from 1 to 4.")
        if self.quality not in QUALITIES:
            raise UsageError(f"quality {self.quality!r}: give one of {', '.join(QUALITIES)}.")
        if self.strip and (self.height < 240 or self.width < 240):
            raise UsageError(
                f"curves in a video of {self.width} x {self.height} pixels: give at least 240 either way."
            )
        if len({unit_of(name) for name in self.strip}) > MAX_AXES:
            raise UsageError(
                f"curves of more than {MAX_AXES} different units do not fit under a picture; choose fewer."
            )
        if len(self.strip) > MAX_STRIP:
            raise UsageError(
                f"{len(self.strip)} curves under the picture: choose at most {MAX_STRIP}."
            )

    @property
    def size(self) -> tuple[int, int]:
        """Width and height of the frames, px: even."""
        return self.width + self.width % 2, self.height + self.height % 2

    def span(self, recordings: Sequence[Recording]) -> tuple[float, float]:
        """Simulated times of the first and the last frame, s; of several recordings the longest counts.

        Raises `UsageError` if nothing is recorded in the wanted span.
        """
        first = min(float(recording.times[0]) for recording in recordings)
        last = max(float(recording.times[-1]) for recording in recordings)
        start = first if self.start is None else max(first, self.start)
        end = last if self.end is None else min(last, self.end)
        if start > last or end < start:
            asked = f"from {start:g} s" if self.end is None else f"from {start:g} to {self.end:g} s"
            raise UsageError(
                f"a video {asked}: the run goes from {first:g} to {last:g} s; choose times in there."
            )
        return start, end

    def n_frames(self, recordings: Sequence[Recording]) -> int:
        """How many frames there will be."""
        start, end = self.span(recordings)
        return max(1, int((end - start) / self.speed * self.fps + 1e-9) + 1)


def check_columns(names: Sequence[str], there: Sequence[str]) -> None:
    """See that all columns are there.

    Raises `UsageError`: naming one that is not, and those it may have been meant for.
    """
    for name in names:
        if name not in there:
            near = difflib.get_close_matches(name, there, 3, 0.5)
            hint = (
                f"did you mean {' or '.join(near)}?"
                if near
                else "columns are called as in the CSV, like com_x_m."
            )
            raise UsageError(f"there is no column {name!r} in this run; {hint}")
