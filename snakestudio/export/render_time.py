"""Measures the time per frame of a video with frames that are rendered and encoded like those of the video."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from snakestudio.drawing.style import Theme
from snakestudio.export.painter import FrameRenderer
from snakestudio.export.video import write_video
from snakestudio.export.video_options import VideoOptions
from snakestudio.model.recording import Recording

_FRAMES = 9
"""Largest number of rendered frames; the first is not counted, because it compiles shaders and
builds meshes."""

_LEAST = 3
_ENOUGH_S = 1.5
"""Minimum numbers of frames and seconds after which the measurement ends early."""


def seconds_per_frame(
    suffix: str,
    recording: Recording,
    options: VideoOptions,
    progress: Callable[[float], bool],
    renderer: Callable[[int, int, Theme], FrameRenderer] | None = None,
    base_dir: Path | None = None,
    *,
    clock: Callable[[], float] = time.perf_counter,
) -> float | None:
    """Return the time to render and encode a frame from the middle of a video, s; None if cancelled.

    The parameters are those of `write_video`, with the file extension, and the clock.
    """
    recordings = options.recordings(recording)
    first, _ = options.span(recordings)
    count = options.n_frames(recordings)
    measured = min(count, _FRAMES)
    step = options.speed / options.fps
    start = first + (count - measured) // 2 * step
    some = (
        replace(options, start=start, end=start + (measured - 1 + 1e-6) * step)
        if measured > 1
        else options
    )
    ends: list[float] = []
    cancelled = False

    def on_frame(fraction: float) -> bool:
        nonlocal cancelled
        ends.append(clock())
        cancelled = not progress(fraction)
        return not cancelled and not (len(ends) >= _LEAST and ends[-1] - ends[0] > _ENOUGH_S)

    began = clock()
    with tempfile.TemporaryDirectory(prefix="snakestudio-") as folder:
        path = Path(folder) / f"estimate{suffix}"
        written = write_video(
            path,
            recording,
            some,
            on_frame,
            renderer,
            base_dir,
        )
        if written is not None and len(ends) > 1:
            ends[-1] = clock()  # includes the encoding of pending frames
    if cancelled:
        return None
    return (ends[-1] - ends[0]) / (len(ends) - 1) if len(ends) > 1 else ends[0] - began
