"""Figures 9 to 14 of P2: obstacle-aided locomotion of the planar model."""

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
    link_over_time,
    link_track,
    plan_axes,
    pose_at,
    subtitle,
    time_axes,
)
from snakestudio.export.plan_drawing import draw_robot
from snakestudio.export.printing import INK
from snakestudio.model.recording import Recording

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_MIDDLE = 6
_POSTURE_S = 5.2
_FORCES_S = (4.5, 5.5)
_SHIFTS_DEG = (-30.0, -70.0)
_WAY_S = 5.0

_SMALL = Need("obstacle_aided_small")
_EVERY_STEP = Need("obstacle_aided_small", (("run.duration_s", 5.6), ("run.log_rate_hz", 4000.0)))
"""(72) is the force over each single time step."""


def _path(figure: Figure, runs: Sequence[Recording], measured: Sequence[MeasuredTrack]) -> None:
    above, below = np.asarray(figure.subfigures(2, 1, height_ratios=(1.0, 1.5)))
    axes = plan_axes(above.add_subplot(), runs[0])
    link_track(axes, runs[0], _MIDDLE, measured)
    subtitle(axes, "path")
    link_over_time(below, runs[0], _MIDDLE, measured)


def _posture(figure: Figure, runs: Sequence[Recording], measured: Sequence[MeasuredTrack]) -> None:
    recording = runs[0]
    axes = plan_axes(figure.add_subplot(), recording)
    draw_robot(axes, recording.scene, pose_at(recording, _POSTURE_S))
    snapshot = recording.snapshot(recording.index_at(_POSTURE_S))
    contacts = snapshot.contacts
    force = contacts.force_normal + contacts.force_friction
    size = np.linalg.norm(force, axis=1)
    pushed = (contacts.other >= 0) & (size > 0.02 * max(float(size.max(initial=0.0)), 1e-9))
    if pushed.any():
        longest = float(size[pushed].max())
        length = 0.25 / longest  # a quarter of a metre for the largest
        for point, arrow in zip(contacts.point[pushed], force[pushed], strict=True):
            tip = point[:2] + length * arrow[:2]
            look = {
                "arrowstyle": "-|>",
                "color": EXPERIMENT,
                "linewidth": 1.0,
                "linestyle": "-",
                "shrinkA": 0.0,
            }
            axes.annotate("", xy=tip, xytext=point[:2], arrowprops=look, zorder=4)
        total = force[pushed].sum(axis=0)
        summary = f"largest force {longest:.0f} N, their sum ({total[0]:.0f}, {total[1]:.0f}) N"
        subtitle(axes, f"t = {_POSTURE_S:g} s; {summary}")
    frame_view(axes, pose_at(recording, _POSTURE_S), air=0.2)


def _forces(figure: Figure, runs: Sequence[Recording], measured: Sequence[MeasuredTrack]) -> None:
    time, fx, fy = _obstacle_forces(runs[0])
    seen = (time >= _FORCES_S[0]) & (time <= _FORCES_S[1])
    links = _carrying_most(np.hypot(fx, fy)[seen].mean(axis=0))
    every = time_axes(figure, [f"link {link + 1}: force / N" for link in links])
    for axes, link, letter in zip(every, links, "abc", strict=True):
        axes.plot(time[seen], fx[seen, link], color=RUN, linewidth=0.7, label="along x")
        axes.plot(time[seen], fy[seen, link], color=EXPERIMENT, linewidth=0.7, label="along y")
        # The peaks of impacts are cut off, as in the paper: their height only depends on the time
        # step.
        both = np.abs(np.concatenate([fx[seen, link], fy[seen, link]]))
        most = 1.6 * float(np.quantile(both[both > 0.0], 0.95)) if (both > 0.0).any() else 1.0
        axes.set_ylim(-most, most)
        axes.set_xlim(*_FORCES_S)
        subtitle(axes, f"({letter})")
    every[0].legend(loc="lower right", bbox_to_anchor=(1.0, 1.0), ncols=2, borderaxespad=0.2)


def _obstacle_forces(recording: Recording) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return times (k,) and the obstacle forces on all links along x and y, (k, n), N."""
    n = recording.schema.n_links
    names = [f"link_{link + 1}_obstacle_f{axis}_n" for axis in "xy" for link in range(n)]
    time, *forces = columns(recording, "time_s", *names)
    return time, np.stack(forces[:n], axis=1), np.stack(forces[n:], axis=1)


def _carrying_most(load: FloatArray) -> list[int]:
    """Return the three links (0-based) with the largest mean loads, from a mean load (n,), without neighbours."""
    chosen: list[int] = []
    for link in np.argsort(-load, kind="stable"):
        if len(chosen) < 3 and all(abs(link - other) > 1 for other in chosen):
            chosen.append(int(link))
    return sorted(chosen)


def _postures(figure: Figure, runs: Sequence[Recording], measured: Sequence[MeasuredTrack]) -> None:
    for number, (recording, shift) in enumerate(zip(runs, _SHIFTS_DEG, strict=True)):
        axes = plan_axes(figure.add_subplot(1, 2, number + 1), recording, obstacles=False)
        draw_robot(axes, recording.scene, pose_at(recording, 0.0))
        time, x, y = columns(recording, "time_s", f"link_{_MIDDLE}_x_m", f"link_{_MIDDLE}_y_m")
        until = time <= _WAY_S
        axes.plot(x[until], y[until], "--", color=INK, zorder=3)
        frame_view(axes, pose_at(recording, 0.0), np.column_stack([x, y])[until], air=0.12)
        subtitle(axes, rf"({'ab'[number]}) $\delta_h$ = {shift:g}°")


def _over_time(
    figure: Figure, runs: Sequence[Recording], measured: Sequence[MeasuredTrack]
) -> None:
    link_over_time(figure, runs[0], _MIDDLE, measured)


FIGURES = (
    PaperFigure(
        "9",
        "Position of link 6 during obstacle-aided locomotion between small obstacles",
        (_SMALL,),
        _path,
        height_mm=110.0,
    ),
    PaperFigure(
        "10",
        "The robot among small obstacles at 5.2 s with the contact forces",
        (_SMALL,),
        _posture,
        width_mm=120.0,
        height_mm=60.0,
    ),
    PaperFigure(
        "11",
        "Contact force (72) on the three links with the largest loads (2, 7 and 10 from the paper's start)",
        (_EVERY_STEP,),
        _forces,
        height_mm=100.0,
    ),
    PaperFigure(
        "12",
        "Posture at the start for two phase shifts, with the path of link 6 in 5 s on the open floor",
        tuple(
            Need("lateral_undulation_isotropic", (("gait.phase_shift_deg", shift),))
            for shift in _SHIFTS_DEG
        ),
        _postures,
        width_mm=140.0,
        height_mm=60.0,
    ),
    PaperFigure(
        "13",
        "Position of link 6 during lateral undulation on a flat plane",
        (Need("lateral_undulation_isotropic"),),
        _over_time,
        takes_measured=True,
    ),
    PaperFigure(
        "14",
        "Position of link 6 during obstacle-aided locomotion",
        (Need("obstacle_aided"),),
        _path,
        height_mm=110.0,
        takes_measured=True,
    ),
)
