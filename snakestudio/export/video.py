"""Off-line video of a recording: evenly moving whatever the log rate, at full quality, the same bytes every time."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from snakestudio.errors import UsageError
from snakestudio.export.encoder import Encoder, video_path
from snakestudio.export.files import replacing
from snakestudio.export.frames import FrameSource
from snakestudio.model.recording import Recording
from snakestudio.model.scene import Scene
from snakestudio.model.snapshot import Snapshot
from snakestudio.render.body_range import BodyRange
from snakestudio.render.camera import Camera
from snakestudio.render.obstacles import obstacles_of
from snakestudio.render.overlays import Overlays
from snakestudio.render.quantities import QUANTITIES, shown_quantity
from snakestudio.render.style import DARK, Colour, Theme
from snakestudio.render.text import draw_text

__all__ = ["FramePainter", "FrameRenderer", "VideoOptions", "overview_camera", "write_video"]

MAX_PIXELS = 7680 * 4320


@dataclass(frozen=True, slots=True)
class VideoOptions:
    """What a video looks like.

    Attributes
    ----------
    width, height : int
        Size, px; odd sizes are rounded up, as video codecs want even ones.
    fps : int
        Frames a second.
    speed : float
        Simulated over shown time: 0.5 is slow motion.
    camera : Camera or None
        None for a view of everything that happens.
    follow : bool
        The camera keeps its distance to the robot's centre.
    forces, friction_forces, time_stamp : bool
        What is drawn.
    force_scale, friction_scale : float
        Length of an arrow, m/N.
    trail_link : int or None
        0-based link whose trail is drawn; -1 for the middle one, None for none.
    theme : Theme
    body_quantity : str
        What a continuous body is coloured by, a key of `quantities.QUANTITIES`; "" for its own colour.
    """

    width: int = 1280
    height: int = 720
    fps: int = 30
    speed: float = 1.0
    camera: Camera | None = None
    follow: bool = False
    forces: bool = True
    friction_forces: bool = False
    force_scale: float = 0.03
    friction_scale: float = 0.06
    time_stamp: bool = True
    trail_link: int | None = -1
    theme: Theme = DARK
    body_quantity: str = "torque"

    def __post_init__(self) -> None:
        if self.width < 16 or self.height < 16 or self.width * self.height > MAX_PIXELS:
            raise UsageError(f"a video of {self.width} x {self.height} pixels: give a size from 16x16 to 7680x4320.")
        if not 1 <= self.fps <= 240:
            raise UsageError(f"{self.fps} frames a second: give a number from 1 to 240.")
        if not 0.001 <= self.speed <= 1000:
            raise UsageError(f"speed {self.speed:g}: give a number from 0.001 to 1000.")
        if self.body_quantity and self.body_quantity not in QUANTITIES:
            raise UsageError(f"a body coloured by {self.body_quantity}: give one of {', '.join(QUANTITIES)}.")


class FrameRenderer(Protocol):
    """Something that draws a frame without a window."""

    def frame(
        self, scene: Scene, snapshot: Snapshot, overlays: Overlays, camera: Camera, base_dir: Path | None = None
    ) -> NDArray[np.uint8]:
        """A frame, (height, width, 3), RGB; file names in the scene are relative to `base_dir`."""
        ...

    def close(self) -> None:
        """Give back what it holds."""
        ...


class FramePainter:
    """Pictures of any instants of a recording, all in the same look.

    Parameters
    ----------
    recording : Recording
    options : VideoOptions
    drawing : FrameRenderer
    aspect : float
        Width over height of its pictures.
    base_dir : Path, optional
        Folder that file names in the scene are relative to.
    """

    def __init__(
        self,
        recording: Recording,
        options: VideoOptions,
        drawing: FrameRenderer,
        aspect: float,
        base_dir: Path | None = None,
    ) -> None:
        self._recording, self._options, self._drawing, self._base_dir = recording, options, drawing, base_dir
        self._link = recording.schema.n_links // 2 if options.trail_link == -1 else options.trail_link
        self._source = FrameSource(recording, self._link)
        self._camera = options.camera or overview_camera(recording, aspect, base_dir)
        self._offset = np.array(self._camera.target) - self._source.snapshot(0.0).centre_of_mass()
        beam = recording.scene.beam
        self._quantity = shown_quantity(options.body_quantity, beam)
        self._look = _body_range(recording, self._quantity)
        self._forces, self._friction = _arrow_lengths(self._look, beam.length_m, options)

    @property
    def duration(self) -> float:
        """Time of the last row, s."""
        return self._source.duration

    def paint(self, time: float) -> NDArray[np.uint8]:
        """The picture of an instant, (height, width, 3), RGB."""
        options, look = self._options, self._look
        snapshot = self._source.snapshot(time)
        camera = self._camera
        if options.follow:
            camera = camera.follow(snapshot.centre_of_mass() + self._offset)
        overlays = Overlays(
            show_forces=options.forces,
            show_friction_forces=options.friction_forces,
            force_scale=self._forces,
            friction_scale=self._friction,
            force_minimum=(look.weakest_force if look is not None else None) or Overlays().force_minimum,
            trail=self._source.trail(time) if self._link is not None else None,
            body_quantity=self._quantity if look is not None else "",
            body_range=look.span if look is not None else None,
            stretch_scale=look.stretch_scale if look is not None else None,
        )
        frame = self._drawing.frame(self._recording.scene_at(time), snapshot, overlays, camera, self._base_dir)
        if options.time_stamp:
            _stamp(frame, time, options.theme.text)
        return frame


def write_video(
    path: str | Path,
    recording: Recording,
    options: VideoOptions | None = None,
    progress: Callable[[float], bool] | None = None,
    renderer: Callable[[int, int, Theme], FrameRenderer] | None = None,
    base_dir: Path | None = None,
) -> Path | None:
    """Render a recording as a video.

    Parameters
    ----------
    path : path
        Ends in .mp4, .mkv or .webm.
    recording : Recording
    options : VideoOptions, optional
    progress : callable, optional
        Gets the finished fraction; the export is cancelled, leaving no file, when it returns False.
    renderer : callable, optional
        Makes the frame renderer from width, height and theme; one on a context without any window if left out.
    base_dir : Path, optional
        Folder that file names in the scene are relative to.

    Returns
    -------
    Path or None
        The file written (its ending is .webm where no encoder for the wanted kind is installed); None if cancelled.

    Raises
    ------
    ExportError
        If the file cannot be written.
    GraphicsError
        If there is no usable OpenGL.
    """
    options = options or VideoOptions()
    target = video_path(Path(path))
    width, height = options.width + options.width % 2, options.height + options.height % 2
    if renderer is None:
        from snakestudio.render.offscreen import OffscreenRenderer

        renderer = OffscreenRenderer
    count = max(1, int(np.floor(float(recording.times[-1]) / options.speed * options.fps + 1e-9)) + 1)
    with replacing(target) as partial:
        drawing = renderer(width, height, options.theme)
        try:
            painter = FramePainter(recording, options, drawing, width / height, base_dir)
            with Encoder(partial.path, width, height, options.fps, recording.scene.title) as encoder:
                for index in range(count):
                    encoder.write(painter.paint(min(index * options.speed / options.fps, painter.duration)))
                    if progress is not None and not progress((index + 1) / count):
                        partial.keep = False
                        break
        finally:
            drawing.close()
    return target if partial.keep else None


def _body_range(recording: Recording, quantity: str) -> BodyRange | None:
    """What colours and radius of a continuous body span over the whole run; None for a robot of links."""
    if not recording.schema.sections:
        return None
    look = BodyRange(quantity)
    for rows in recording.chunks():
        look.show_rows(rows)
    return look


def _arrow_lengths(look: BodyRange | None, length: float, options: VideoOptions) -> tuple[float, float]:
    """Lengths of arrows of forces and friction, m/N: on a continuous body options are in units of what suits it."""
    chosen = {"force": options.force_scale, "friction": options.friction_scale}
    if look is not None:
        usual = VideoOptions()
        for kind, default in (("force", usual.force_scale), ("friction", usual.friction_scale)):
            chosen[kind] *= (look.arrow_length(kind, length) or default) / default
    return chosen["force"], chosen["friction"]


def _stamp(frame: NDArray[np.uint8], time: float, colour: Colour) -> None:
    """Write the simulated time into the upper left corner."""
    size = max(12.0, frame.shape[0] / 30)
    margin = round(0.8 * size)
    draw_text(frame, f"{time:.2f} s", margin, margin, size, colour)


def overview_camera(recording: Recording, aspect: float, base_dir: Path | None = None) -> Camera:
    """A camera that sees all obstacles near the robot's way and everything the robot does."""
    low = np.full(3, np.inf)
    high = -low
    for rows in recording.chunks():
        positions = rows.link_pose[:, :, :3].reshape(-1, 3)
        positions = positions[np.isfinite(positions).all(axis=1)]
        if len(positions):
            low, high = np.minimum(low, positions.min(axis=0)), np.maximum(high, positions.max(axis=0))
    if not np.isfinite(low).all():
        low, high = np.zeros(3), np.ones(3)
    scene = recording.scene
    radius, reach = scene.robot.radius_m, scene.robot.length
    if scene.model.continuum:
        radius, reach = scene.beam.radius_m, scene.beam.length_m
    low[:2] -= radius
    high[:2] += radius
    near_low, near_high = low[:2] - reach, high[:2] + reach
    world = obstacles_of(recording.scene.obstacles, base_dir, shown_only=True)
    for begin, end in zip(world.low, world.high, strict=True):
        if np.all(end[:2] > near_low) and np.all(begin[:2] < near_high):
            # Of a large one the part around the robot's way is enough.
            low[:2] = np.minimum(low[:2], np.maximum(begin[:2], near_low))
            high[:2] = np.maximum(high[:2], np.minimum(end[:2], near_high))
            high[2] = max(high[2], end[2])
    low[2] = min(low[2], 0.0)
    return Camera().frame(low, high, aspect)
