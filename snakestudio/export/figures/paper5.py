"""Figures 7 to 19 of P5: worm, inchworm and the two snakes of the continuum model (14 is a drawing, not a result)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from snakestudio.export.figures.figure import MeasuredTrack, Need, PaperFigure, columns
from snakestudio.export.figures.parts import EXPERIMENT, RUN, subtitle, time_axes
from snakestudio.export.printing import INK, PALE
from snakestudio.model.recording import Recording
from snakestudio.model.rotations import matrices
from snakestudio.model.snapshot import Snapshot

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_WORM = Need("worm")
_FASTER = Need("worm_accelerating")
_INCHWORM = Need("inchworm")
_FLAT = Need("continuum_snake_2d")
_SPATIAL = Need("continuum_snake_3d")

_INCHWORM_TORQUES_S = 4.5
_SNAKE_S = 2.0
_WORM_S = (0.0, 2.0, 4.0, 6.0, 8.0, 10.0)


def _at(recording: Recording, time: float) -> Snapshot:
    return recording.snapshot(recording.index_at(time))


def _worm(figure: Figure, runs: Sequence[Recording], measured: Sequence[MeasuredTrack]) -> None:
    """The body at several times in rows; because its volume is constant, it is thin where it is long."""
    recording = runs[0]
    axes = figure.add_subplot()
    radius = recording.scene.beam.radius_m
    apart = 4.0 * radius
    for row, time in enumerate(_WORM_S):
        snapshot = _at(recording, time)
        assert snapshot.body is not None
        x = snapshot.link_pose[:, 0]
        half = radius / np.sqrt(snapshot.body.strain[:, 0])
        middle = -row * apart
        axes.fill_between(x, middle - half, middle + half, color=RUN, alpha=0.75, linewidth=0.0)
        axes.plot(x[0], middle, "o", color=INK, markersize=2.0)
    axes.set_yticks(
        [-row * apart for row in range(len(_WORM_S))], [f"{time:g} s" for time in _WORM_S]
    )
    axes.set_xlabel("x / m")
    axes.set_xlim(axes.get_xlim()[::-1])  # forward is towards -x


def _head(figure: Figure, runs: Sequence[Recording], measured: Sequence[MeasuredTrack]) -> None:
    recording = runs[0]
    time, x, vx = columns(recording, "time_s", "link_1_x_m", "link_1_vx_mps")
    for axes, values, letter in zip(
        time_axes(figure, ("position / m", "velocity / m s$^{-1}$")), (x, vx), "ab", strict=True
    ):
        axes.plot(time, values, color=RUN)
        axes.set_xlim(time[0], time[-1])
        subtitle(axes, f"({letter}) head, along x")


def _axial(figure: Figure, runs: Sequence[Recording], measured: Sequence[MeasuredTrack]) -> None:
    recording = runs[0]
    above, below = figure.subplots(2, 1)
    time, force = columns(recording, "time_s", "resultant_fx_n")
    above.plot(time[1:], 1000.0 * force[1:], color=RUN)
    most = max(1.3 * float(np.abs(1000.0 * force[1:]).max()), 1.0)
    above.set_ylim(-most, most)
    above.set_xlim(0.0, time[-1])
    above.set_xlabel("time / s")
    above.set_ylabel("contact force / mN")
    subtitle(above, "(a)")
    _inside(
        below,
        recording,
        0.5 * float(time[-1]),
        component=0,
        factor=1000.0,
        label="internal force / mN",
    )
    subtitle(below, f"(b) t = {0.5 * time[-1]:g} s")


def _inside(
    axes: Axes, recording: Recording, time: float, component: int, factor: float, label: str
) -> None:
    """A component of the internal wrench over the length, with the positions of the supports."""
    body = _at(recording, time).body
    assert body is not None
    axes.plot(body.abscissa, factor * body.wrench[:, component], color=RUN)
    for abscissa in body.hold[body.active]:
        axes.axvline(abscissa, color=EXPERIMENT, linewidth=0.7, linestyle=":")
    axes.axhline(0.0, color=PALE, linewidth=0.5)
    axes.set_xlim(body.abscissa[0], body.abscissa[-1])
    axes.set_xlabel("abscissa from the head / m")
    axes.set_ylabel(label)


def _inchworm(figure: Figure, runs: Sequence[Recording], measured: Sequence[MeasuredTrack]) -> None:
    """Centre line over two strides; up the wall is to the right."""
    recording = runs[0]
    axes = figure.add_subplot()
    axes.set_aspect("equal", adjustable="datalim")
    times = np.arange(0.0, 4.01, 0.25)
    for time in times:
        pose = _at(recording, float(time)).link_pose
        shade = 0.25 + 0.75 * time / times[-1]
        axes.plot(-pose[:, 0], pose[:, 2], color=RUN, alpha=float(shade), linewidth=0.8)
    axes.axhline(0.0, color=PALE, linewidth=0.8)
    axes.set_xlabel("up the wall / m")
    axes.set_ylabel("off the wall / m")
    subtitle(axes, f"0 to {times[-1]:g} s, every 0.25 s; later is darker")


def _inchworm_torques(
    figure: Figure, runs: Sequence[Recording], measured: Sequence[MeasuredTrack]
) -> None:
    recording = runs[0]
    above, below = figure.subplots(2, 1)
    time, torque, holds = columns(recording, "time_s", "contact_1_my_nm", "contact_1_active")
    above.plot(time, np.where(holds > 0.5, torque, 0.0), color=RUN)
    above.set_xlim(time[0], time[-1])
    above.set_xlabel("time / s")
    above.set_ylabel("torque at the head / N m")
    subtitle(above, "(a)")
    _inside(
        below,
        recording,
        _INCHWORM_TORQUES_S,
        component=5,
        factor=1.0,
        label="internal torque / N m",
    )
    subtitle(below, f"(b) t = {_INCHWORM_TORQUES_S:g} s")


def _profile(figure: Figure, runs: Sequence[Recording], measured: Sequence[MeasuredTrack]) -> None:
    """Curvature over the length at three times: one profile that moves along the body."""
    axes = figure.add_subplot()
    axes.set_xlim(0.0, runs[0].scene.beam.length_m)
    for time, style in ((_SNAKE_S, "-"), (_SNAKE_S + 0.2, "--"), (_SNAKE_S + 0.4, ":")):
        body = _at(runs[0], time).body
        assert body is not None
        axes.plot(body.abscissa, body.strain[:, 5], style, color=RUN, label=f"{time:g} s")
    axes.set_xlabel("abscissa from the head / m")
    axes.set_ylabel("curvature / m$^{-1}$")
    axes.legend(loc="lower right", bbox_to_anchor=(1.0, 1.0), ncols=3, borderaxespad=0.2)


def _supports(figure: Figure, runs: Sequence[Recording], measured: Sequence[MeasuredTrack]) -> None:
    snapshot = _at(runs[0], _SNAKE_S)
    body = snapshot.body
    assert body is not None
    axes = figure.add_subplot()
    axes.set_aspect("equal", adjustable="datalim")
    axes.plot(
        snapshot.link_pose[:, 0],
        snapshot.link_pose[:, 1],
        color=INK,
        linewidth=2.5,
        solid_capstyle="round",
    )
    axes.plot(snapshot.link_pose[0, 0], snapshot.link_pose[0, 1], "o", color=INK, markersize=4.0)
    longest = max(float(np.linalg.norm(body.force[body.active], axis=1).max(initial=0.0)), 1e-9)
    for number, (point, force) in enumerate(
        zip(body.point[body.active], body.force[body.active], strict=True), 1
    ):
        axes.plot(point[0], point[1], "o", color=EXPERIMENT, markersize=3.0)
        tip = point[:2] + 0.15 / longest * force[:2]
        axes.annotate(
            "", xy=tip, xytext=point[:2], arrowprops={"arrowstyle": "-|>", "color": EXPERIMENT}
        )
        away = point[:2] - 0.06 * force[:2] / max(float(np.linalg.norm(force[:2])), 1e-9)
        axes.annotate(f"$C_{number}$", (away[0], away[1]), ha="center", va="center")
    axes.set_xlabel("x / m")
    axes.set_ylabel("y / m")
    subtitle(axes, f"supports at t = {_SNAKE_S:g} s with their forces, the largest {longest:.3f} N")


def _turn(figure: Figure, runs: Sequence[Recording], measured: Sequence[MeasuredTrack]) -> None:
    recording = runs[0]
    axes = figure.add_subplot()
    axes.set_aspect("equal", adjustable="datalim")
    x, y = columns(recording, "link_1_x_m", "link_1_y_m")
    axes.plot(x, y, "--", color=PALE, linewidth=0.7, label="head")
    for time in np.arange(0.0, recording.times[-1] + 0.01, 2.0):
        pose = _at(recording, float(time)).link_pose
        axes.plot(pose[:, 0], pose[:, 1], color=RUN, linewidth=1.6, solid_capstyle="round")
        axes.plot(pose[0, 0], pose[0, 1], "o", color=INK, markersize=2.5)
        axes.annotate(
            f"{time:g} s",
            (pose[0, 0], pose[0, 1]),
            (3.0, 3.0),
            textcoords="offset points",
            color=PALE,
        )
    axes.set_xlabel("x / m")
    axes.set_ylabel("y / m")


def _snake_forces(
    figure: Figure, runs: Sequence[Recording], measured: Sequence[MeasuredTrack]
) -> None:
    recording = runs[0]
    snapshot = _at(recording, _SNAKE_S)
    body = snapshot.body
    assert body is not None
    above, below = figure.subplots(2, 1)
    # Lateral: the y axis of the cross-section nearest to each support.
    nearest = np.abs(body.abscissa[None, :] - body.hold[body.active][:, None]).argmin(axis=1)
    across = matrices(snapshot.link_pose[nearest, 3:])[:, :, 1]
    lateral = np.einsum("pa,pa->p", across, body.force[body.active])
    above.stem(body.hold[body.active], lateral, linefmt=EXPERIMENT, markerfmt="o", basefmt=" ")
    above.axhline(0.0, color=PALE, linewidth=0.5)
    above.set_xlim(body.abscissa[0], body.abscissa[-1])
    above.set_xlabel("abscissa from the head / m")
    above.set_ylabel("contact force / N")
    subtitle(above, f"(a) t = {_SNAKE_S:g} s")
    _inside(below, recording, _SNAKE_S, component=5, factor=1.0, label="internal torque / N m")
    subtitle(below, f"(b) t = {_SNAKE_S:g} s")


def _spatial(figure: Figure, runs: Sequence[Recording], measured: Sequence[MeasuredTrack]) -> None:
    from matplotlib.ticker import MultipleLocator

    recording = runs[0]
    path = np.stack(columns(recording, "link_1_x_m", "link_1_y_m", "link_1_z_m"), axis=1)
    poses = [
        _at(recording, float(time)).link_pose
        for time in np.arange(0.0, recording.times[-1] + 0.01, 2.0)
    ]
    points = np.concatenate([path, *(pose[:, :3] for pose in poses)])
    low, high = points.min(axis=0), points.max(axis=0)
    for number, text in enumerate(("(a) path of the head", "(b) the body every 2 s")):
        axes: Any = figure.add_subplot(2, 1, number + 1, projection="3d")
        if number == 0:
            axes.plot(*path.T, color=RUN)
        else:
            for pose in poses:
                axes.plot(*pose[:, :3].T, color=RUN, linewidth=1.6)
                axes.plot(*pose[:1, :3].T, "o", color=INK, markersize=2.5)
        axes.view_init(elev=28.0, azim=-70.0)
        axes.set_box_aspect(high - low + 0.1, zoom=1.3)
        for axis, name in enumerate("xyz"):
            getattr(axes, f"set_{name}lim")(low[axis] - 0.05, high[axis] + 0.05)
            getattr(axes, f"set_{name}label")(f"{name} / m", labelpad=-4.0 if axis else 4.0)
            getattr(axes, f"{name}axis").set_major_locator(MultipleLocator(0.5))
        axes.tick_params(pad=-2.0)
        axes.set_title(text, loc="left", color=PALE, pad=-6.0)


FIGURES = (
    PaperFigure("7", "The worm in the plane, every 2 s", (_WORM,), _worm, height_mm=70.0),
    PaperFigure("8", "Worm: position and velocity of the head", (_WORM,), _head, height_mm=75.0),
    PaperFigure(
        "9",
        "Worm at constant speed: contact force and internal force",
        (_WORM,),
        _axial,
        height_mm=85.0,
    ),
    PaperFigure(
        "10",
        "Worm that accelerates: contact force and internal force",
        (_FASTER,),
        _axial,
        height_mm=85.0,
    ),
    PaperFigure(
        "11", "The inchworm in its plane", (_INCHWORM,), _inchworm, width_mm=140.0, height_mm=50.0
    ),
    PaperFigure(
        "12", "Inchworm: position and velocity of the head", (_INCHWORM,), _head, height_mm=75.0
    ),
    PaperFigure(
        "13",
        "Inchworm: reaction torque at the head, internal torque over the length",
        (_INCHWORM,),
        _inchworm_torques,
        height_mm=85.0,
    ),
    PaperFigure(
        "15",
        "Curvature along the snake's backbone, a profile that moves along it",
        (_FLAT,),
        _profile,
    ),
    PaperFigure(
        "16", "The 2D snake on five supports", (_FLAT,), _supports, width_mm=120.0, height_mm=65.0
    ),
    PaperFigure("17", "The turn of the 2D snake", (_FLAT,), _turn, width_mm=120.0, height_mm=80.0),
    PaperFigure(
        "18",
        "2D snake: contact forces and internal torque over the length",
        (_FLAT,),
        _snake_forces,
        height_mm=85.0,
    ),
    PaperFigure(
        "19", "The turn of the 3D snake", (_SPATIAL,), _spatial, width_mm=120.0, height_mm=130.0
    ),
)
