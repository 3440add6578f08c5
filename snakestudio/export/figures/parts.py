"""Parts of several figures: tracks and time series of a link, postures from above, and measured tracks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from snakestudio._arrays import FloatArray
from snakestudio.drawing.style import Colour, colour
from snakestudio.export.figures.figure import MeasuredTrack, columns
from snakestudio.export.plan_drawing import draw_world
from snakestudio.export.printing import PALE
from snakestudio.model.recording import Recording

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure, SubFigure

RUN: Colour = colour("#0b5fa5")
EXPERIMENT: Colour = colour("#c2570c")
"""Colours of simulations and experiments in print; they also differ in greyscale."""


def plan_axes(axes: Axes, recording: Recording, obstacles: bool = True) -> Axes:
    """Set up a view from above, in metres, with the obstacles of the run's scene."""
    axes.set_aspect("equal", adjustable="datalim")
    axes.set_xlabel("x / m")
    axes.set_ylabel("y / m")
    if obstacles:
        draw_world(axes, recording.scene)
    return axes


def frame_view(axes: Axes, *places: FloatArray, air: float) -> None:
    """Show the ground around positions (k, 2 or more), m, with a margin (m), cropped, at equal scales."""
    low = np.min([np.nanmin(part[:, :2], axis=0) for part in places], axis=0) - air
    high = np.max([np.nanmax(part[:, :2], axis=0) for part in places], axis=0) + air
    axes.set_aspect("equal", adjustable="box")
    axes.set_xlim(low[0], high[0])
    axes.set_ylim(low[1], high[1])


def time_axes(figure: Figure | SubFigure, labels: Sequence[str]) -> list[Axes]:
    """Return the stacked axes with a common time, one for each label."""
    stacked: list[Axes] = []
    for number, label in enumerate(labels):
        axes = figure.add_subplot(
            len(labels), 1, number + 1, sharex=stacked[0] if stacked else None
        )
        axes.set_ylabel(label)
        stacked.append(axes)
        axes.tick_params(labelbottom=number == len(labels) - 1)
    stacked[-1].set_xlabel("time / s")
    return stacked


def subtitle(axes: Axes, text: str) -> None:
    """Add a small title at the left, such as "(a) position of the head"."""
    axes.set_title(text, loc="left", color=PALE, pad=3.0)


def link_track(
    axes: Axes, recording: Recording, link: int, measured: Sequence[MeasuredTrack] = ()
) -> None:
    """Path of a link (1-based) from above; a circle at its start, a triangle at its end."""
    x, y = columns(recording, f"link_{link}_x_m", f"link_{link}_y_m")
    style = "--" if measured else "-"
    axes.plot(x, y, style, color=RUN, label="simulation", zorder=3)
    axes.plot(x[0], y[0], "o", color=RUN, markersize=3.5, markerfacecolor="white", zorder=3)
    axes.plot(x[-1], y[-1], "^", color=RUN, markersize=4.5, zorder=3)
    for track in measured:
        axes.plot(
            track.position[:, 0],
            track.position[:, 1],
            "-",
            color=EXPERIMENT,
            label=track.label,
            zorder=2.8,
        )
        end = track.position[np.isfinite(track.position[:, 0])]
        if len(end):
            axes.plot(end[-1, 0], end[-1, 1], "o", color=EXPERIMENT, markersize=4.0, zorder=2.8)
    if measured:
        axes.legend(loc="best")


def link_over_time(
    figure: Figure | SubFigure,
    recording: Recording,
    link: int,
    measured: Sequence[MeasuredTrack] = (),
) -> list[Axes]:
    """Return the X and y of a link (1-based) over time, in stacked axes."""
    both = time_axes(figure, (rf"$x_{{{link}}}$ / m", rf"$y_{{{link}}}$ / m"))
    time, x, y = columns(recording, "time_s", f"link_{link}_x_m", f"link_{link}_y_m")
    for axes, values, axis, letter in zip(both, (x, y), (0, 1), "ab", strict=True):
        axes.plot(time, values, "--" if measured else "-", color=RUN, label="simulation", zorder=3)
        for track in measured:
            axes.plot(track.time, track.position[:, axis], "-", color=EXPERIMENT, label=track.label)
        subtitle(axes, f"({letter})")
        axes.set_xlim(time[0], time[-1])
    if measured:
        both[0].legend(loc="best")
    return both


def pose_at(recording: Recording, time: float) -> FloatArray:
    """Return poses (n, 7) of the links or cross-sections at the row nearest to a time (s)."""
    index = recording.index_at(time)
    pose: FloatArray = recording.rows(index, index + 1).link_pose[0]
    return pose
