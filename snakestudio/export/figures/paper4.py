"""Figures of results of P4: joints linearized by feedback, propulsion by friction alone, turning, path following.

The sections of P4 on which the program is based number no figure with a result; these are named by their
content.
"""

from __future__ import annotations

import cmath
import math
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
    time_axes,
)
from snakestudio.export.plan_drawing import draw_outlines, draw_robot
from snakestudio.export.printing import INK, PALE
from snakestudio.model.recording import Recording

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_JOINTS = (1, 5, 9)
_NOTHING = 1e-18
"""Value that represents 0 on a logarithmic axis."""


def _joints(figure: Figure, runs: Sequence[Recording], measured: Sequence[MeasuredTrack]) -> None:
    above, below = time_axes(figure, ("joint angle / °", "error / °"))
    yaw = runs[0].scene.waves.yaw
    law = runs[0].scene.joint_controller
    for joint, style in zip(_JOINTS, ("-", "--", ":"), strict=True):
        time, ref, angle = columns(
            runs[0], "time_s", f"joint_{joint}_yaw_ref_rad", f"joint_{joint}_yaw_rad"
        )
        above.plot(time, np.degrees(angle), style, color=RUN, label=f"joint {joint}")
        below.semilogy(time, np.abs(np.degrees(angle - ref)) + _NOTHING, style, color=RUN)
        # The robot starts at rest, its references do not.
        rate = yaw.amplitude * yaw.omega * math.cos((joint - 1) * yaw.phase_shift + yaw.phase)
        predicted = _decay(
            time,
            float(angle[0] - ref[0]),
            -rate,
            law.linearization_kp_per_s2,
            law.linearization_kd_per_s,
        )
        label = "according to (25)" if joint == _JOINTS[0] else None
        below.semilogy(
            time,
            np.abs(np.degrees(predicted)) + _NOTHING,
            color=EXPERIMENT,
            linewidth=2.5,
            alpha=0.4,
            label=label,
        )
    below.set_ylim(1e-9, 30.0)
    above.set_xlim(0.0, 2.0)
    above.legend(loc="best", ncols=3)
    below.legend(loc="best")


def _decay(time: FloatArray, error: float, rate: float, kp: float, kd: float) -> FloatArray:
    """Return the solution of e'' + k_d e' + k_p e = 0 for given e and e' at t = 0."""
    a = 0.5 * kd
    root = cmath.sqrt(a * a - kp)
    grows = time if root == 0.0 else np.sinh(root * time) / root
    return np.real(np.exp(-a * time) * (error * np.cosh(root * time) + (rate + a * error) * grows))


def _speed(figure: Figure, runs: Sequence[Recording], measured: Sequence[MeasuredTrack]) -> None:
    axes = figure.add_subplot()
    for recording, (colour, style) in zip(
        runs, ((RUN, "-"), (EXPERIMENT, "--"), (INK, ":")), strict=True
    ):
        ground = recording.scene.ground
        along, across = ground.viscous_along_ns_per_m, ground.viscous_across_ns_per_m
        time, speed = columns(recording, "time_s", "com_vx_mps")
        label = rf"$c_t$ = {along:g}, $c_n$ = {across:g} N s/m" if along else "no friction"
        axes.plot(time, 100.0 * speed, style, color=colour, label=label)
    axes.set_xlim(time[0], time[-1])
    axes.set_xlabel("time / s")
    axes.set_ylabel("speed of the centre of mass / cm s$^{-1}$")
    axes.legend(loc="best")


def _turning(figure: Figure, runs: Sequence[Recording], measured: Sequence[MeasuredTrack]) -> None:
    axes = plan_axes(figure.add_subplot(), runs[0])
    seen = []
    for recording, style in zip(runs, ("-", "--", ":"), strict=True):
        x, y = columns(recording, "com_x_m", "com_y_m")
        axes.plot(
            x, y, style, color=RUN, label=f"{math.degrees(recording.scene.waves.yaw.offset):g}°"
        )
        last = pose_at(recording, float(recording.times[-1]))
        draw_outlines(axes, recording.scene, last, PALE)
        seen += [np.column_stack([x, y]), last]
    frame_view(axes, *seen, pose_at(runs[0], 0.0), air=0.15)
    axes.legend(loc="best", title="offset of the joints")
    subtitle(
        axes,
        f"path of the centre of mass in {runs[0].times[-1]:g} s, and final posture of the robot",
    )


def _path(figure: Figure, runs: Sequence[Recording], measured: Sequence[MeasuredTrack]) -> None:
    recording = runs[0]
    axes = plan_axes(figure.add_subplot(), recording)
    end = float(recording.times[-1])
    poses = [pose_at(recording, time) for time in np.linspace(0.0, end, 5)]
    for pose in poses[:-1]:
        draw_outlines(axes, recording.scene, pose, PALE)
    draw_robot(axes, recording.scene, poses[-1])
    x, y = columns(recording, "com_x_m", "com_y_m")
    axes.plot(x, y, color=RUN, linewidth=0.8, zorder=3)
    frame_view(axes, *poses, np.column_stack([x, y]), air=0.15)
    subtitle(
        axes,
        f"the robot every {0.25 * end:g} s, the path of its centre of mass, and the desired path",
    )


def _errors(figure: Figure, runs: Sequence[Recording], measured: Sequence[MeasuredTrack]) -> None:
    names = ("time_s", "cross_track_m", "heading_rad", "heading_ref_rad", "gait_offset_rad")
    time, cross, heading, reference, offset = columns(runs[0], *names)
    first, second, third = time_axes(figure, ("cross-track error / m", "heading / °", "offset / °"))
    first.plot(time, cross, color=RUN)
    first.axhline(0.0, color=PALE, linewidth=0.6)
    second.plot(time, np.degrees(reference), "--", color=EXPERIMENT, label="wanted")
    second.plot(time, np.degrees(heading), color=RUN, label="mean of the links")
    second.legend(loc="best", ncols=2)
    third.plot(time, np.degrees(offset), color=RUN)
    first.set_xlim(time[0], time[-1])


def _momentum(figure: Figure, runs: Sequence[Recording], measured: Sequence[MeasuredTrack]) -> None:
    recording = runs[0]
    scene = recording.scene
    axes = figure.add_subplot()
    names = ("vx_mps", "vy_mps")
    links = range(1, recording.schema.n_links + 1)
    time, *every = columns(
        recording, "time_s", *(f"link_{i}_{name}" for name in names for i in links)
    )
    speed = np.array(every).reshape(2, len(links), -1)
    total = np.hypot(*np.einsum("aik,i->ak", speed, recording.schema.mass_shares)) * scene.body.mass
    parts = np.abs(speed).sum(axis=(0, 1)) * scene.robot.mass_kg
    axes.semilogy(
        time,
        parts + _NOTHING,
        "--",
        color=EXPERIMENT,
        label="links, sum of absolute values",
    )
    axes.semilogy(time, total + _NOTHING, color=RUN, label="whole robot")
    axes.set_xlim(time[0], time[-1])
    axes.set_xlabel("time / s")
    axes.set_ylabel("linear momentum / N s")
    axes.legend(loc="center right")


_FREE = (("ground.viscous_along_ns_per_m", 0.0), ("ground.viscous_across_ns_per_m", 0.0))
_EQUAL = (("ground.viscous_across_ns_per_m", 1.0),)
_UNDULATION = Need("lagrangian_undulation")
_FOLLOWING = Need("path_following")
_OFFSETS = tuple(
    Need("lagrangian_undulation", (("gait.offset_deg", offset),)) for offset in (-5.0, 5.0)
)

FIGURES = (
    PaperFigure(
        "joints",
        "Joints linearized by feedback, (25): the errors of a start at rest decay as specified",
        (_UNDULATION,),
        _joints,
        width_mm=120.0,
        height_mm=90.0,
    ),
    PaperFigure(
        "speed",
        "Speed of the centre of mass: friction across must differ from friction along, (31) and (32)",
        (_UNDULATION, Need("lagrangian_undulation", _EQUAL), Need("lagrangian_undulation", _FREE)),
        _speed,
    ),
    PaperFigure(
        "momentum",
        "Without friction the joints cannot change the linear momentum, Remark 2",
        (Need("lagrangian_undulation", _FREE),),
        _momentum,
    ),
    PaperFigure(
        "turning",
        "An offset of the joints turns the robot",
        (_OFFSETS[0], _UNDULATION, _OFFSETS[1]),
        _turning,
        width_mm=120.0,
        height_mm=80.0,
    ),
    PaperFigure(
        "path",
        "The robot follows a path",
        (_FOLLOWING,),
        _path,
        width_mm=140.0,
        height_mm=80.0,
    ),
    PaperFigure(
        "errors",
        "Distance from the path, heading and offset while the robot follows a path",
        (_FOLLOWING,),
        _errors,
        width_mm=120.0,
        height_mm=100.0,
    ),
)
