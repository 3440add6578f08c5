"""Off-line video of a recording: smooth motion at any log rate, at full quality, with reproducible bytes."""

from __future__ import annotations

import contextlib
import os
import queue
import re
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Protocol

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from snakestudio._arrays import UInt8Array
from snakestudio.drawing.style import Theme
from snakestudio.errors import ExportError, UsageError
from snakestudio.export.codecs import video_path
from snakestudio.export.composition import Composition
from snakestudio.export.files import replacing_files
from snakestudio.export.painter import FrameRenderer
from snakestudio.export.video_options import VideoOptions
from snakestudio.inputs import local_path
from snakestudio.model.recording import Recording

_AHEAD = 3
"""Number of frames that may be drawn before earlier ones are encoded."""

_SAMPLES = 6
"""Number of frames from which the palette of an animation is computed."""


class _Sink(Protocol):
    def write(self, frame: UInt8Array) -> None: ...


class _Cancellation(Exception):  # noqa: N818 (nothing went wrong)
    """Ends the writing of images after cancellation."""


def write_video(
    path: str | Path,
    recording: Recording,
    options: VideoOptions | None = None,
    progress: Callable[[float], bool] | None = None,
    renderer: Callable[[int, int, Theme], FrameRenderer] | None = None,
    base_dir: Path | None = None,
) -> Path | None:
    """Render a recording as a video.

    Images of each frame appear when all are complete; another file is written directly, see `write_as`.

    Raises `ExportError` if there is no such format. Raises `OSError` if the file cannot be written.
    Raises `UsageError` if the options do not fit the run. Raises `GraphicsError` if OpenGL is not usable.

    Parameters
    ----------
    path : path
        Ends in .mp4, .mkv, .webm or .mov; in .gif for an animation; in .png for an image of each
        frame, with a placeholder for its number (``robot_%05d.png``) or without (a number is then inserted before
        the extension).
    progress : callable, optional
        Called with the finished fraction; the export is cancelled when it returns False.
    renderer : callable, optional
        Creates the frame renderer from width, height and theme; by default one in a context without a
        window.
    base_dir : Path, optional
        Folder to which file names in the scene are relative.

    Returns
    -------
    Path or None
        The written file (with .webm if no encoder for the requested format is installed; for
        images the first); None if cancelled.
    """
    options = options or VideoOptions()
    target = video_path(local_path(path), options.codec)
    kind = target.suffix.lower()
    recordings = options.recordings(recording)
    start, end = options.span(recordings)
    count = options.n_frames(recordings)
    times = [min(start + index * options.speed / options.fps, end) for index in range(count)]
    if kind == ".gif":
        from snakestudio.export.animation import MAX_FPS

        if options.fps > MAX_FPS:
            raise UsageError(
                f"A GIF has at most {MAX_FPS} frames per second (got {options.fps}). Choose fewer."
            )
    if kind == ".png":
        target = picture_pattern(target)
    composition = Composition(recording, options, renderer, base_dir)
    try:
        with (
            _sink(target, options, recording.scene.title, composition, times) as sink,
            _Writer(sink) as writer,
        ):
            for index, time in enumerate(times):
                writer.write(composition.paint(time))
                if progress is not None and not progress((index + 1) / count):
                    raise _Cancellation
    except _Cancellation:
        return None
    finally:
        composition.close()
    return target.with_name(target.name % 0) if kind == ".png" else target


@contextmanager
def _sink(
    target: Path,
    options: VideoOptions,
    title: str,
    composition: Composition,
    times: Sequence[float],
) -> Iterator[_Sink]:
    """Destination of the frames."""
    kind = target.suffix.lower()
    (width, height) = options.size
    if kind == ".png":
        with writing_pictures(target) as pictures:
            yield pictures
        return
    if kind == ".gif":
        from snakestudio.export.animation import Animation, palette_of

        chosen = np.linspace(0, len(times) - 1, min(_SAMPLES, len(times))).astype(int)
        palette = palette_of([composition.paint(times[index]) for index in chosen.tolist()])
        with Animation(target, width, height, options.fps, palette) as animation:
            yield animation
        return
    from snakestudio.export.encoder import Encoder  # a build may have no FFmpeg

    with Encoder(
        target, width, height, options.fps, title, options.codec, options.quality
    ) as encoder:
        yield encoder


class _Writer:
    """Writes frames in a separate thread while the next one is drawn; a context manager."""

    def __init__(self, sink: _Sink) -> None:
        self._sink = sink
        self._frames: queue.Queue[UInt8Array | None] = queue.Queue(_AHEAD)
        self._error: BaseException | None = None
        self._thread = threading.Thread(target=self._run, name="snakestudio-encoder", daemon=True)
        self._thread.start()

    def _run(self) -> None:
        while (frame := self._frames.get()) is not None:
            if self._error is None:  # after an error the remaining frames are discarded
                try:
                    self._sink.write(frame)
                except BaseException as error:  # raised in the drawing thread
                    self._error = error

    def write(self, frame: UInt8Array) -> None:
        """Queue a frame; raises any error of earlier frames."""
        if self._error is not None:
            raise self._error
        self._frames.put(frame)

    def __enter__(self) -> _Writer:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        self._frames.put(None)
        self._thread.join()
        if kind is None and self._error is not None:
            raise self._error


_NUMBER = re.compile(r"%0?\d*d")


def picture_pattern(path: Path) -> Path:
    """Return the name pattern of images with a placeholder for the number: ``robot_%05d.png`` for ``robot.png``.

    Raises `ExportError` if the name has several placeholders, or other percent signs.
    """
    places = _NUMBER.findall(path.name)
    if len(places) > 1 or path.name.count("%") > len(places):
        raise ExportError(
            f"{path}: The name needs one placeholder for the number. Use robot_%05d.png."
        )
    return path if places else path.with_name(f"{path.stem}_%05d{path.suffix}")


class PictureFiles:
    """Writer of images into a folder.

    Parameters
    ----------
    pattern : str
        Name pattern with a placeholder for the number.
    """

    def __init__(self, folder: Path, pattern: str) -> None:
        self._folder = folder
        self._pattern = pattern
        self.count = 0

    def write(self, frame: NDArray[np.uint8]) -> None:
        """Add a frame, (height, width, 3), RGB."""
        Image.fromarray(frame).save(self._folder / (self._pattern % self.count), compress_level=4)
        self.count += 1


@contextlib.contextmanager
def writing_pictures(pattern: Path) -> Iterator[PictureFiles]:
    """Write images that get their names when all are complete, replacing an earlier sequence of the same name.

    They are deleted if the block ends with an exception.

    Raises `ExportError` if the folder cannot be created or written to.
    """
    with replacing_files(pattern.parent) as partial:
        files = PictureFiles(partial.path, pattern.name)
        yield files
    # Remove the end of a longer earlier sequence, which would be taken for part of this one.
    number = files.count
    while os.path.exists(rest := pattern.parent / (pattern.name % number)):
        rest.unlink()
        number += 1
