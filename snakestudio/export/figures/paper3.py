"""Figures 5 to 9 of P3: obstacle-aided locomotion without and with jam resolution."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from snakestudio._arrays import FloatArray
from snakestudio.export.figures.figure import MeasuredTrack, Need, PaperFigure, columns
from snakestudio.export.figures.parts import (
    EXPERIMENT,
    RUN,
    frame_view,
    plan_axes,
    pose_at,
    subtitle,
)
from snakestudio.export.plan_drawing import draw_outlines, draw_robot
from snakestudio.export.printing import INK, PALE
from snakestudio.model.recording import Recording

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_GOOD = "#2a7f3f"
_MEAN_S = 0.1
"""Averaging time of the speed: contacts make the instantaneous speed jump."""


def _path(figure: Figure, runs: Sequence[Recording], measured: Sequence[MeasuredTrack]) -> None:
    recording = runs[0]
    axes = plan_axes(figure.add_subplot(), recording)
    end = float(recording.times[-1])
    draw_outlines(axes, recording.scene, pose_at(recording, 0.0), PALE)
    draw_robot(axes, recording.scene, pose_at(recording, end))
    head = recording.scene.robot.head_index + 1
    x, y = columns(recording, f"link_{head}_x_m", f"link_{head}_y_m")
    axes.plot(x, y, "--", color=RUN, linewidth=0.8, zorder=3)
    frame_view(
        axes, pose_at(recording, 0.0), pose_at(recording, end), np.column_stack([x, y]), air=0.15
    )
    (centre,) = columns(recording, "com_x_m")
    far = f"the centre of mass moved {centre[-1] - centre[0]:.2f} m"
    subtitle(axes, f"start (outline) and t = {end:g} s; dashed: path of the head; {far}")


def _speed(figure: Figure, runs: Sequence[Recording], measured: Sequence[MeasuredTrack]) -> None:
    recording = runs[0]
    time, vx, vy = columns(recording, "time_s", "com_vx_mps", "com_vy_mps")
    speed = 100.0 * _mean(time, np.hypot(vx, vy))
    axes = figure.add_subplot()
    axes.plot(time, speed, color=RUN)
    for begin, finish in _jams(recording):
        for at, mark, hue in ((begin, "v", EXPERIMENT), (finish, "^", _GOOD)):
            if at is not None:
                axes.plot(at, np.interp(at, time, speed), mark, color=hue, markersize=4.0, zorder=3)
    axes.set_xlim(time[0], time[-1])
    axes.set_ylim(bottom=0.0)
    axes.set_xlabel("time / s")
    axes.set_ylabel("speed of the centre of mass / cm s$^{-1}$")


def _resolution(
    figure: Figure, runs: Sequence[Recording], measured: Sequence[MeasuredTrack]
) -> None:
    recording = runs[0]
    complete = [
        (begin, finish)
        for begin, finish in _jams(recording)
        if begin is not None and finish is not None
    ]
    axes = plan_axes(figure.add_subplot(), recording)
    if not complete:
        subtitle(axes, "no jam was resolved in this run")
        return
    begin, finish = complete[0]
    before, after = pose_at(recording, begin), pose_at(recording, finish)
    draw_outlines(axes, recording.scene, before, EXPERIMENT, style="--")
    draw_outlines(axes, recording.scene, after, INK, width=1.0)
    frame_view(axes, before, after, air=0.15)
    subtitle(
        axes,
        f"before (dashed, {begin:.2f} s) and after (solid, {finish:.2f} s) the resolution of a jam",
    )


def _jams(recording: Recording) -> list[tuple[float | None, float | None]]:
    """Times at which each jam was detected and its resolution ended (s); None if the run begins or ends in one."""
    if "controller_state" not in recording.schema.extra:
        return []
    time, state = columns(recording, "time_s", "controller_state")
    on = np.concatenate([[False], np.nan_to_num(state) > 0.5, [False]])
    edges = np.flatnonzero(on[1:] != on[:-1]).reshape(-1, 2)
    return [(float(time[a]), float(time[b]) if b < len(time) else None) for a, b in edges]


def _mean(time: FloatArray, values: FloatArray) -> FloatArray:
    """Return the moving mean over `_MEAN_S`, narrower at the ends."""
    area = np.concatenate([[0.0], np.cumsum(0.5 * (values[1:] + values[:-1]) * np.diff(time))])
    low = np.maximum(time - 0.5 * _MEAN_S, time[0])
    high = np.minimum(time + 0.5 * _MEAN_S, time[-1])
    return np.asarray((np.interp(high, time, area) - np.interp(low, time, area)) / (high - low))


_WITHOUT = Need("jam_without_resolution")
_WITH = Need("jam_resolution")

FIGURES = (
    PaperFigure(
        "5", "Path without jam resolution", (_WITHOUT,), _path, width_mm=180.0, height_mm=70.0
    ),
    PaperFigure("6", "Speed of the centre of mass without jam resolution", (_WITHOUT,), _speed),
    PaperFigure("7", "Path with jam resolution", (_WITH,), _path, width_mm=180.0, height_mm=60.0),
    PaperFigure(
        "8",
        "Speed of the centre of mass with jam resolution; triangles: a jam is detected, and resolved",
        (_WITH,),
        _speed,
        width_mm=140.0,
    ),
    PaperFigure(
        "9",
        "The robot before and after the resolution of its first jam",
        (_WITH,),
        _resolution,
        width_mm=120.0,
    ),
)
