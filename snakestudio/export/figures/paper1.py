"""Figures 6 to 11 of P1: lateral undulation and sidewinding of the spatial model."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from snakestudio.export.figures.figure import MeasuredTrack, Need, PaperFigure
from snakestudio.export.figures.parts import (
    frame_view,
    link_over_time,
    link_track,
    plan_axes,
    pose_at,
    subtitle,
)
from snakestudio.export.plan_drawing import draw_robot
from snakestudio.export.printing import INK, PALE
from snakestudio.model.recording import Recording

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_MIDDLE = 6
"""The tracked link of P1 and P2, 1-based."""

_SOFT_START_S = (0.0, 0.6, 1.2, 1.8, 2.4, 3.0)
_SNAPSHOTS_S = (0.0, 5.0, 10.0, 15.0)
_PIXELS = (900, 600)


def _track(figure: Figure, runs: Sequence[Recording], measured: Sequence[MeasuredTrack]) -> None:
    axes = plan_axes(figure.add_subplot(), runs[0])
    link_track(axes, runs[0], _MIDDLE, measured)


def _over_time(
    figure: Figure, runs: Sequence[Recording], measured: Sequence[MeasuredTrack]
) -> None:
    link_over_time(figure, runs[0], _MIDDLE, measured)


def _soft_start(
    figure: Figure, runs: Sequence[Recording], measured: Sequence[MeasuredTrack]
) -> None:
    recording = runs[0]
    every = figure.subplots(2, 3, sharex=True, sharey=True)
    for axes, time in zip(every.flat, _SOFT_START_S, strict=True):
        draw_robot(axes, recording.scene, pose_at(recording, time))
        subtitle(axes, f"t = {time:g} s")
    positions = np.concatenate([pose_at(recording, time)[:, :2] for time in _SOFT_START_S])
    for axes in every.flat:
        frame_view(axes, positions, air=1.4 * recording.scene.robot.link_length_m)
    for axes in every[-1]:
        axes.set_xlabel("x / m")
    for axes in every[:, 0]:
        axes.set_ylabel("y / m")


def _snapshots(
    figure: Figure, runs: Sequence[Recording], measured: Sequence[MeasuredTrack]
) -> None:
    from snakestudio.drawing.style import LIGHT
    from snakestudio.export.painter import FramePainter
    from snakestudio.export.video_options import VideoOptions
    from snakestudio.render.offscreen import OffscreenRenderer

    width, height = _PIXELS
    drawing = OffscreenRenderer(width, height, LIGHT)
    try:
        options = VideoOptions(width, height, forces=False, time_stamp=False, theme=LIGHT)
        painter = FramePainter(runs[0], options, drawing, width / height)
        for axes, time in zip(figure.subplots(2, 2).flat, _SNAPSHOTS_S, strict=True):
            axes.imshow(painter.paint(min(time, painter.duration)))
            axes.set_xticks([])
            axes.set_yticks([])
            axes.spines[:].set_visible(True)
            axes.spines[:].set_color(PALE)
            subtitle(axes, f"t = {time:g} s")
    finally:
        drawing.close()


def _start_and_end(
    figure: Figure, runs: Sequence[Recording], measured: Sequence[MeasuredTrack]
) -> None:
    axes = plan_axes(figure.add_subplot(), runs[0])
    link_track(axes, runs[0], _MIDDLE, measured)
    end = float(runs[0].times[-1])
    for time, colour in ((0.0, PALE), (end, INK)):
        x, y = pose_at(runs[0], time)[:, :2].T
        axes.plot(x, y, "-", color=colour, linewidth=0.8, label=f"robot at {time:g} s", zorder=1)
    axes.legend(loc="best")


FIGURES = (
    PaperFigure(
        "6",
        "Position of the centre of mass of link 6 during lateral undulation with orthotropic friction",
        (Need("spatial_lateral_undulation"),),
        _track,
        height_mm=45.0,
    ),
    PaperFigure(
        "7",
        "Position of link 6 during lateral undulation with isotropic friction on a flat plane",
        (Need("spatial_lateral_undulation_isotropic"),),
        _over_time,
        takes_measured=True,
    ),
    PaperFigure(
        "8",
        "Postures from above at the soft start of sidewinding",
        (Need("sidewinding"),),
        _soft_start,
        width_mm=180.0,
        height_mm=80.0,
    ),
    PaperFigure(
        "9",
        "The robot during sidewinding at 0, 5, 10 and 15 s",
        (Need("sidewinding"),),
        _snapshots,
        width_mm=180.0,
        height_mm=130.0,
    ),
    PaperFigure(
        "10",
        "Position of link 6 during sidewinding on a flat plane",
        (Need("sidewinding"),),
        _start_and_end,
        height_mm=90.0,
        takes_measured=True,
    ),
    PaperFigure(
        "11",
        "Position of link 6 over time during sidewinding on a flat plane",
        (Need("sidewinding"),),
        _over_time,
        takes_measured=True,
    ),
)
