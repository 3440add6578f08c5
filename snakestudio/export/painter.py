"""Images of a recording at any time with a fixed appearance: robot, forces, ghosts and camera."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain
from pathlib import Path
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from snakestudio.drawing.body_range import BodyRange
from snakestudio.drawing.camera import Camera
from snakestudio.drawing.obstacles import obstacles_of
from snakestudio.drawing.odometer import Odometer
from snakestudio.drawing.overlays import Overlays
from snakestudio.drawing.pull import pull_mark
from snakestudio.drawing.quantities import shown_quantity
from snakestudio.export.frame_source import FrameSource
from snakestudio.export.ghost_source import GhostSource
from snakestudio.export.video_options import Companion, VideoOptions
from snakestudio.model.recording import Recording
from snakestudio.model.run_time import run_time
from snakestudio.model.scene import Scene
from snakestudio.model.snapshot import Snapshot
from snakestudio.render.text import draw_text


class FrameRenderer(Protocol):
    """Draws frames without a window."""

    def frame(
        self,
        scene: Scene,
        snapshot: Snapshot,
        overlays: Overlays,
        camera: Camera,
        base_dir: Path | None = None,
    ) -> NDArray[np.uint8]:
        """Return a frame, (height, width, 3), RGB; file names in the scene are relative to `base_dir`."""
        ...

    def close(self) -> None:
        """Release its resources."""
        ...


class FramePainter:
    """Images of a recording at any time with a fixed appearance.

    Parameters
    ----------
    aspect : float
        Width divided by height of the images.
    base_dir : Path, optional
        Folder to which file names in the scene are relative.
    ghosts : sequence of Companion
        Recordings that are drawn as translucent robots.
    camera : Camera, optional
        Used instead of a view of everything if the options have no camera.
    """

    def __init__(
        self,
        recording: Recording,
        options: VideoOptions,
        drawing: FrameRenderer,
        aspect: float,
        base_dir: Path | None = None,
        ghosts: Sequence[Companion] = (),
        camera: Camera | None = None,
    ) -> None:
        self._recording = recording
        self._options = options
        self._drawing = drawing
        self._base_dir = base_dir
        self._link = (
            recording.schema.n_links // 2 if options.trail_link == -1 else options.trail_link
        )
        self._source = FrameSource(recording, self._link)
        self._odometer = Odometer()
        self._ghosts = [GhostSource(ghost) for ghost in ghosts]
        self._path = options.path
        if self._path is not None and self._path.follow:
            self._path = self._path.relative_to(self._centre)
        self._camera = options.camera or camera or overview_camera([recording], aspect, base_dir)
        at = options.camera_time_s if options.camera is not None else 0.0
        self._offset = np.array(self._camera.target) - self._centre(at)
        beam = recording.scene.beam
        self._quantity = shown_quantity(options.body_quantity, beam)
        self._look = _body_range(recording, self._quantity)
        self._forces, self._friction = _arrow_lengths(self._look, beam.length_m, options)

    @property
    def duration(self) -> float:
        """Time of the last row, s."""
        return self._source.duration

    def _centre(self, time: float) -> NDArray[np.float64]:
        """Return the centre of mass, m; after the end that of the last row."""
        return self._source.snapshot(min(time, self.duration)).centre_of_mass

    def camera(self, time: float) -> Camera:
        """Return the camera at a time."""
        if self._path is not None:
            camera = self._path.at(time)
            return (
                camera.follow(np.array(camera.target) + self._centre(time))
                if self._path.follow
                else camera
            )
        if self._options.follow:
            return self._camera.follow(self._centre(time) + self._offset)
        return self._camera

    def paint(self, time: float) -> NDArray[np.uint8]:
        """Return the image at a time, (height, width, 3), RGB."""
        frame = self.scene_picture(time)
        if self._options.time_stamp:
            stamp(frame, time, self._options)
        return frame

    def scene_picture(self, time: float) -> NDArray[np.uint8]:
        """Return the same image without text."""
        options = self._options
        look = self._look
        snapshot = self._source.snapshot(time)
        scene = self._recording.scene_at(time)
        overlays = Overlays(
            show_forces=options.forces,
            show_friction_forces=options.friction_forces,
            force_scale=self._forces,
            friction_scale=self._friction,
            force_minimum=(look.weakest_force if look is not None else None)
            or Overlays().force_minimum,
            trail=self._source.trail(time) if self._link is not None else None,
            body_quantity=self._quantity if look is not None else "",
            body_range=look.span if look is not None else None,
            stretch_scale=look.stretch_scale if look is not None else None,
            pull=pull_mark(self._recording, snapshot) if options.forces else None,
            ghosts=tuple(ghost for source in self._ghosts for ghost in source.at(time)),
            travelled=self._odometer.travelled(scene, snapshot),
        )
        ground = options.forces if options.ground_forces is None else options.ground_forces
        overlays = overlays.with_ground(scene, ground, options.ground_scale)
        frame = self._drawing.frame(scene, snapshot, overlays, self.camera(time), self._base_dir)
        return _shrunk(frame, options.supersample)


def _body_range(recording: Recording, quantity: str) -> BodyRange | None:
    """Return the range of colours and radius of a continuous body over the whole run; None for a robot with links."""
    if not recording.schema.sections:
        return None
    look = BodyRange(quantity)
    for rows in recording.chunks():
        look.show_rows(rows)
    return look


def _arrow_lengths(
    look: BodyRange | None, length: float, options: VideoOptions
) -> tuple[float, float]:
    """Lengths of force and friction arrows, m/N; for a continuous body the options are relative to a suitable scale."""
    chosen = {"force": options.force_scale, "friction": options.friction_scale}
    if look is not None:
        usual = VideoOptions()
        for kind, default in (("force", usual.force_scale), ("friction", usual.friction_scale)):
            chosen[kind] *= (look.arrow_length(kind, length) or default) / default
    return chosen["force"], chosen["friction"]


def stamp(frame: NDArray[np.uint8], time: float, options: VideoOptions) -> None:
    """Write the simulated time, and the playback speed, in the upper left corner."""
    size = letter_size(frame.shape[0])
    margin = round(0.8 * size)
    text = run_time(time, 2) if options.speed == 1 else f"{run_time(time, 2)}  {options.speed:g}×"
    draw_text(frame, text, margin, margin, size, options.theme.text)


def letter_size(height: int) -> float:
    """Return the font size of text in an image, px."""
    return max(12.0, height / 30)


def _shrunk(frame: NDArray[np.uint8], factor: int) -> NDArray[np.uint8]:
    """Average an image that was drawn `factor` times larger in both directions."""
    if factor == 1:
        return frame
    height, width = frame.shape[0] // factor, frame.shape[1] // factor
    parts = frame.reshape(height, factor, width, factor, 3).sum(axis=(1, 3), dtype=np.uint16)
    return np.asarray((parts + factor * factor // 2) // (factor * factor), np.uint8)


def overview_camera(
    recordings: Sequence[Recording], aspect: float, base_dir: Path | None = None
) -> Camera:
    """Return a camera that shows the whole motion of the robots, and all obstacles of the first scene near it."""
    low = np.full(3, np.inf)
    high = -low
    for rows in chain.from_iterable(recording.chunks() for recording in recordings):
        positions = rows.link_pose[:, :, :3].reshape(-1, 3)
        positions = positions[np.isfinite(positions).all(axis=1)]
        if len(positions):
            low = np.minimum(low, positions.min(axis=0))
            high = np.maximum(high, positions.max(axis=0))
    if not np.isfinite(low).all():
        low, high = np.zeros(3), np.ones(3)
    scene = recordings[0].scene
    radius = scene.body.radius
    reach = scene.body.length
    low[:2] -= radius
    high[:2] += radius
    near_low = low[:2] - reach
    near_high = high[:2] + reach
    world = obstacles_of(scene.obstacles, base_dir, shown_only=True)
    for begin, end in zip(world.low, world.high, strict=True):
        if np.all(end[:2] > near_low) and np.all(begin[:2] < near_high):
            # For a large obstacle, the part around the robot's path is enough.
            low[:2] = np.minimum(low[:2], np.maximum(begin[:2], near_low))
            high[:2] = np.maximum(high[:2], np.minimum(end[:2], near_high))
            high[2] = max(high[2], end[2])
    low[2] = min(low[2], 0.0)
    return Camera().frame(low, high, aspect)
