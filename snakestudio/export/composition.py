"""Layout of a video frame: one run or two side by side, names, time, and the plot strip below."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from snakestudio._arrays import FloatArray, UInt8Array
from snakestudio.drawing.style import Colour, Theme
from snakestudio.export.painter import (
    FramePainter,
    FrameRenderer,
    letter_size,
    overview_camera,
    stamp,
)
from snakestudio.export.video_options import Companion, VideoOptions, check_columns
from snakestudio.model.column_units import unit_of
from snakestudio.model.columns import column_names, table
from snakestudio.model.recording import Recording
from snakestudio.render.text import draw_text, text_size


class Composition:
    """Draws the frames of a video; the parameters are those of `write_video`."""

    def __init__(
        self,
        recording: Recording,
        options: VideoOptions,
        renderer: Callable[[int, int, Theme], FrameRenderer] | None = None,
        base_dir: Path | None = None,
    ) -> None:
        if renderer is None:
            from snakestudio.render.offscreen import OffscreenRenderer

            renderer = OffscreenRenderer
        self._options = options
        width, height = options.size
        strip = strip_height(height, options.strip)
        self._height = height - strip
        ghosts = options.ghosts
        companion = options.companion
        runs = [Companion(recording, options.name), *([] if companion is None else [companion])]
        recordings = [run.recording for run in runs]
        self._strip: PlotStrip | None = None
        if strip:
            others = [*ghosts] if companion is None else [companion, *ghosts]
            span = options.span(recordings)
            self._strip = PlotStrip(
                recording, options.strip, span, width, strip, options.theme, others
            )
        self._panes: list[_Pane] = []
        edges = np.linspace(0, width, len(runs) + 1).astype(int).tolist()
        factor = options.supersample
        aspect = (edges[1] - edges[0]) / self._height
        camera = (
            None if options.camera is not None else overview_camera(recordings, aspect, base_dir)
        )
        try:
            for run, left, right in zip(runs, edges[:-1], edges[1:], strict=True):
                drawing = renderer(factor * (right - left), factor * self._height, options.theme)
                self._panes.append(_Pane(run, left, right, drawing))
                own = ghosts if run is runs[0] else ()
                self._panes[-1].painter = FramePainter(
                    run.recording, options, drawing, aspect, base_dir, own, camera
                )
        except BaseException:
            self.close()
            raise
        theme = options.theme
        self._ghost_names = [
            (ghost.colour or theme.ghost, ghost.name) for ghost in ghosts if ghost.name
        ]
        if self._ghost_names and options.name and companion is None:
            self._ghost_names.insert(0, (theme.link, options.name))

    def paint(self, time: float) -> UInt8Array:
        """Return the frame at a time, (height, width, 3), RGB."""
        options = self._options
        width, height = options.size
        frame = np.empty((height, width, 3), np.uint8)
        for pane in self._panes:
            painter = pane.painter
            picture = painter.scene_picture(min(time, painter.duration))
            if len(self._panes) > 1:
                late = time > painter.duration + 1e-9
                _title(
                    picture,
                    pane.run.name + (f", ended at {painter.duration:.3g} s" if late else ""),
                    options.theme,
                )
            frame[: self._height, pane.left : pane.right] = picture
            if pane.left:
                frame[: self._height, pane.left - 1 : pane.left + 1] = _bytes(
                    options.theme.grid_major
                )
        upper = frame[: self._height]
        if options.time_stamp:
            stamp(upper, time, options)
        _legend(upper, self._ghost_names, options.theme)
        if self._strip is not None:
            self._strip.draw(frame[self._height :], time)
        return frame

    def close(self) -> None:
        """Release the resources for drawing."""
        for pane in self._panes:
            pane.drawing.close()
        self._panes = []


class _Pane:
    """Part of the image that shows one run."""

    painter: FramePainter

    def __init__(self, run: Companion, left: int, right: int, drawing: FrameRenderer) -> None:
        self.run = run
        self.left = left
        self.right = right
        self.drawing = drawing


def _bytes(colour: Colour) -> UInt8Array:
    return np.asarray(np.rint(255 * np.array(colour)), np.uint8)


def _title(picture: UInt8Array, text: str, theme: Theme) -> None:
    """Write the name of a run at the middle of the upper edge."""
    size = letter_size(picture.shape[0])
    wide, _ = text_size(text, size)
    draw_text(
        picture, text, max(0, (picture.shape[1] - wide) // 2), round(0.8 * size), size, theme.text
    )


def _legend(picture: UInt8Array, names: Sequence[tuple[Colour, str]], theme: Theme) -> None:
    """List the robots with their colours in the upper right corner, below the axes."""
    size = 0.8 * letter_size(picture.shape[0])
    step = round(1.5 * size)
    square = round(0.62 * size)
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


_AHEAD = 0.28
"""Opacity of curves after the cursor."""

_MAX_POINTS = 4000
"""Largest number of points of a curve; longer ones are reduced to the extremes of intervals."""


@dataclass(frozen=True, slots=True)
class _Curve:
    """A column of a recording for drawing."""

    label: str
    colour: Colour
    times: FloatArray
    values: FloatArray
    dashed: bool


def strip_height(height: int, names: Sequence[str]) -> int:
    """Return the height of the strip in an image of this height, px: even, 0 without curves."""
    groups = len({unit_of(name) for name in names})
    if not groups:
        return 0
    preferred = max(height * (0.14 + 0.1 * groups), 56 + 34 * groups)
    return round(min(preferred, 0.6 * height) / 2) * 2


class PlotStrip:
    """Curves of some columns over a time span.

    Raises `UsageError` if the recording has no such column.

    Parameters
    ----------
    names : sequence of str
        Columns; those with the same unit share an axis.
    span : (float, float)
        Times of the first and the last frame, s.
    width, height : int
        px.
    others : sequence of Companion
        Further recordings, drawn dashed where they have the columns.
    """

    def __init__(
        self,
        recording: Recording,
        names: Sequence[str],
        span: tuple[float, float],
        width: int,
        height: int,
        theme: Theme,
        others: Sequence[Companion] = (),
    ) -> None:
        check_columns(names, column_names(recording.schema))
        self._span = span
        self._theme = theme
        units = list(dict.fromkeys(map(unit_of, names)))
        groups = [[name for name in names if unit_of(name) == unit] for unit in units]
        colours = (
            theme.accent,
            theme.force,
            theme.stick,
            theme.friction,
            theme.axis_x,
            theme.axis_z,
            theme.path,
        )
        inks = {name: colours[index % len(colours)] for index, name in enumerate(names)}
        curves = [[*_curves(recording, group, inks, span, False)] for group in groups]
        for other in others:
            available = column_names(other.recording.schema)
            for group, drawn in zip(groups, curves, strict=True):
                shared = [name for name in group if name in available]
                drawn += _curves(other.recording, shared, inks, span, True)
        self.curves = curves
        self._past = self._drawn(units, width, height, 1.0)
        self._ahead = self._drawn(units, width, height, _AHEAD)

    def _drawn(self, units: Sequence[str], width: int, height: int, strength: float) -> UInt8Array:
        """Return an image of all curves; also stores the positions of the axes in it."""
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure

        theme = self._theme
        letters = max(7.0, width / 128)
        figure = Figure(figsize=(width / 100, height / 100), dpi=100, facecolor=theme.horizon)
        canvas = FigureCanvasAgg(figure)
        axes = figure.subplots(len(units), 1, sharex=True, squeeze=False)[:, 0]
        for axis, unit, curves in zip(axes, units, self.curves, strict=True):
            axis.set_facecolor(theme.horizon)
            for side in ("top", "right"):
                axis.spines[side].set_visible(False)
            for side in ("left", "bottom"):
                axis.spines[side].set_color(theme.grid_major)
            axis.tick_params(colors=theme.text_dim, labelsize=0.72 * letters, length=3, width=0.8)
            axis.grid(True, color=theme.grid_minor, linewidth=0.7)
            axis.locator_params(axis="y", nbins=4)
            for curve in curves:
                ink = tuple(
                    strength * c + (1 - strength) * s
                    for c, s in zip(curve.colour, theme.horizon, strict=True)
                )
                label = None if curve.dashed else curve.label
                style = (0, (4, 2)) if curve.dashed else "-"
                axis.plot(
                    curve.times,
                    curve.values,
                    color=ink,
                    linewidth=letters / 6.5,
                    linestyle=style,
                    label=label,
                )
            axis.set_ylabel(unit, color=theme.text_dim, fontsize=0.8 * letters)
            legend = axis.legend(
                loc="lower left",
                bbox_to_anchor=(0, 0.98),
                ncols=8,
                frameon=False,
                fontsize=0.78 * letters,
                labelcolor=theme.text,
                borderaxespad=0,
                handlelength=1.2,
                columnspacing=1.4,
                handletextpad=0.5,
            )
            for handle in legend.get_lines():
                handle.set_alpha(1.0)
            axis.margins(y=0.12)
        axes[-1].set_xlim(self._span[0], max(self._span[1], self._span[0] + 1e-9))
        axes[-1].set_xlabel("t (s)", color=theme.text_dim, fontsize=0.8 * letters)
        figure.subplots_adjust(
            left=5.2 * letters / width,
            right=1 - 1.6 * letters / width,
            bottom=(2.6 * letters + 15) / height,
            top=1 - 2.3 * letters / height,
            hspace=0.42,
        )
        figure.align_ylabels()
        canvas.draw()  # type: ignore[no-untyped-call]
        self._boxes = [axis.get_window_extent() for axis in axes]
        self.to_pixels = [axis.transData for axis in axes]
        self._dot = max(2.5, letters / 3)
        pixels: UInt8Array = np.array(canvas.buffer_rgba())[:, :, :3]  # type: ignore[no-untyped-call]
        return pixels

    def draw(self, picture: UInt8Array, time: float) -> None:
        """Draw the strip for a time into an image of its size."""
        height = len(picture)
        x = float(self.to_pixels[0].transform((time, 0.0))[0])
        cut = int(np.clip(round(x), 0, picture.shape[1]))
        picture[:, :cut] = self._past[:, :cut]
        picture[:, cut:] = self._ahead[:, cut:]
        for box, curves, transform in zip(self._boxes, self.curves, self.to_pixels, strict=True):
            _bar(
                picture,
                (x - 0.75, x + 0.75),
                (height - box.y1, height - box.y0),
                self._theme.text,
                0.75,
            )
            for curve in curves:
                value = _value(curve, time)
                if value is not None:
                    y = height - float(transform.transform((time, value))[1])
                    if height - box.y1 <= y <= height - box.y0:
                        _dot(picture, x, y, self._dot, curve.colour)


def _curves(
    recording: Recording,
    names: Sequence[str],
    inks: dict[str, Colour],
    span: tuple[float, float],
    dashed: bool,
) -> list[_Curve]:
    if not names:
        return []
    columns = tuple(names)
    values = np.concatenate(list(table(recording, columns)))
    times = recording.times[: len(values)].copy()
    inside = slice(*np.searchsorted(times, (span[0], np.nextafter(span[1], np.inf))).tolist())
    return [
        _Curve(name, inks[name], *_thinned(times[inside], values[inside, index]), dashed)
        for index, name in enumerate(columns)
    ]


def _thinned(times: FloatArray, values: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return a curve with fewer points that looks the same: the extremes of each interval."""
    if len(times) <= _MAX_POINTS:
        return times, values
    ends = np.linspace(0, len(times), _MAX_POINTS // 2 + 1).astype(int)
    chosen: list[int] = [0, len(times) - 1]
    for start, stop in itertools.pairwise(ends):
        part = values[start:stop]
        if np.isnan(part).all():
            chosen.append(int(start))
            continue
        chosen += [int(start + np.nanargmin(part)), int(start + np.nanargmax(part))]
    indices = np.unique(chosen)
    return times[indices], values[indices]


def _value(curve: _Curve, time: float) -> float | None:
    """Return the value of a curve at a time; None if it has none."""
    if not len(curve.times) or not curve.times[0] <= time <= curve.times[-1] + 1e-9:
        return None
    value = float(np.interp(time, curve.times, curve.values))
    return value if np.isfinite(value) else None


def _bar(
    picture: UInt8Array,
    across: tuple[float, float],
    down: tuple[float, float],
    ink: Colour,
    opacity: float,
) -> None:
    """Fill a box given by its edges (px), with anti-aliasing."""

    def cover(ends: tuple[float, float], count: int) -> FloatArray:
        pixels = np.arange(count)
        return np.asarray(
            np.clip(np.minimum(pixels + 1, ends[1]) - np.maximum(pixels, ends[0]), 0, 1)
        )

    rows, columns = cover(down, picture.shape[0]), cover(across, picture.shape[1])
    left = max(0, int(across[0]))
    right = min(picture.shape[1], int(across[1]) + 1)
    fraction = opacity * np.outer(rows, columns[left:right])[:, :, None]
    area = picture[:, left:right]
    area[...] = np.rint(area + (255.0 * np.array(ink) - area) * fraction).astype(np.uint8)


def _dot(picture: UInt8Array, x: float, y: float, radius: float, ink: Colour) -> None:
    """Fill a disc around a point (px), with anti-aliasing."""
    top = max(0, int(y - radius - 1))
    left = max(0, int(x - radius - 1))
    area = picture[top : int(y + radius + 2), left : int(x + radius + 2)]
    rows, columns = np.ogrid[: area.shape[0], : area.shape[1]]
    fraction = np.clip(
        radius + 0.5 - np.hypot(columns + left + 0.5 - x, rows + top + 0.5 - y), 0, 1
    )[:, :, None]
    area[...] = np.rint(area + (255.0 * np.array(ink) - area) * fraction).astype(np.uint8)
