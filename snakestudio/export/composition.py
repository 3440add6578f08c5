"""The whole picture of a video's frame: one run or two side by side, names, time, and curves below."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np

from snakestudio._arrays import UInt8Array
from snakestudio.drawing.style import Colour, Theme
from snakestudio.export.painter import FramePainter, FrameRenderer, letter_size, overview_camera, stamp
from snakestudio.export.plot_strip import PlotStrip, strip_height
from snakestudio.export.video_options import Companion, VideoOptions
from snakestudio.model.recording import Recording
from snakestudio.render.text import draw_text, text_size

__all__ = ["Composition"]


class Composition:
    """Draws frames of a video; parameters as in `write_video`."""

    def __init__(
        self,
        recording: Recording,
        options: VideoOptions,
        renderer: Callable[[int, int, Theme], FrameRenderer] | None = None,
        base_dir: Path | None = None,
        ghosts: Sequence[Companion] = (),
        beside: Companion | None = None,
        name: str = "",
    ) -> None:
        if renderer is None:
            from snakestudio.render.offscreen import OffscreenRenderer

            renderer = OffscreenRenderer
        self._options = options
        width, height = options.size
        strip = strip_height(height, options.strip)
        self._height = height - strip
        runs = [Companion(recording, name)] if beside is None else [Companion(recording, name), beside]
        recordings = [run.recording for run in runs]
        self._strip: PlotStrip | None = None
        if strip:
            others = [*ghosts] if beside is None else [beside, *ghosts]
            span = options.span(recordings)
            self._strip = PlotStrip(recording, options.strip, span, width, strip, options.theme, others)
        self._panes: list[_Pane] = []
        edges = np.linspace(0, width, len(runs) + 1).astype(int).tolist()
        factor, aspect = options.supersample, (edges[1] - edges[0]) / self._height
        camera = None if options.camera is not None else overview_camera(recordings, aspect, base_dir)
        try:
            for run, left, right in zip(runs, edges[:-1], edges[1:], strict=True):
                drawing = renderer(factor * (right - left), factor * self._height, options.theme)
                self._panes.append(_Pane(run, left, right, drawing))
                own = ghosts if run is runs[0] else ()
                self._panes[-1].painter = FramePainter(
                    run.recording, options, drawing, aspect, base_dir, own, camera
                )  # fmt: skip
        except BaseException:
            self.close()
            raise
        theme = options.theme
        self._ghost_names = [(ghost.colour or theme.ghost, ghost.name) for ghost in ghosts if ghost.name]
        if self._ghost_names and name and beside is None:
            self._ghost_names.insert(0, (theme.link, name))

    def paint(self, time: float) -> UInt8Array:
        """The frame of an instant, (height, width, 3), RGB."""
        options = self._options
        width, height = options.size
        frame = np.empty((height, width, 3), np.uint8)
        for pane in self._panes:
            painter = pane.painter
            picture = painter.scene_picture(min(time, painter.duration))
            if len(self._panes) > 1:
                late = time > painter.duration + 1e-9
                _title(picture, pane.run.name + (f", ended at {painter.duration:.3g} s" if late else ""), options.theme)
            frame[: self._height, pane.left : pane.right] = picture
            if pane.left:
                frame[: self._height, pane.left - 1 : pane.left + 1] = _bytes(options.theme.grid_major)
        upper = frame[: self._height]
        if options.time_stamp:
            stamp(upper, time, options)
        _legend(upper, self._ghost_names, options.theme)
        if self._strip is not None:
            self._strip.draw(frame[self._height :], time)
        return frame

    def close(self) -> None:
        """Give back what drawing holds."""
        for pane in self._panes:
            pane.drawing.close()
        self._panes = []


class _Pane:
    """The part of the picture that shows one run."""

    painter: FramePainter

    def __init__(self, run: Companion, left: int, right: int, drawing: FrameRenderer) -> None:
        self.run, self.left, self.right, self.drawing = run, left, right, drawing


def _bytes(colour: Colour) -> UInt8Array:
    return np.asarray(np.rint(255 * np.array(colour)), np.uint8)


def _title(picture: UInt8Array, text: str, theme: Theme) -> None:
    """Write the name of a run into the middle of its upper edge."""
    size = letter_size(picture.shape[0])
    wide, _ = text_size(text, size)
    draw_text(picture, text, max(0, (picture.shape[1] - wide) // 2), round(0.8 * size), size, theme.text)


def _legend(picture: UInt8Array, names: Sequence[tuple[Colour, str]], theme: Theme) -> None:
    """Say in the upper right corner, below the axes' figure, which robot has which colour."""
    size = 0.8 * letter_size(picture.shape[0])
    step, square = round(1.5 * size), round(0.62 * size)
    top = round(0.8 * size)
    for row, (colour, name) in enumerate(names):
        wide, tall = text_size(name, size)
        left = picture.shape[1] - wide - round(0.8 * size)
        y = top + row * step
        middle = y + tall // 2
        first = middle - square // 2
        x = left - round(1.6 * square)
        picture[first : first + square, x : x + square] = _bytes(colour)
        draw_text(picture, name, left, y, size, theme.text)
