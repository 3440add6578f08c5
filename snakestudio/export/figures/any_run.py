"""Figures that any run can be drawn as, whatever scene it is of: track, velocity, joints, forces, energies."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from snakestudio.drawing.style import LIGHT
from snakestudio.export.figures.figure import Measured, PaperFigure, columns
from snakestudio.export.figures.parts import EXPERIMENT, RUN, link_track, plan_axes, pose_at, subtitle, time_axes
from snakestudio.export.plan_drawing import draw_outlines, draw_robot
from snakestudio.model.columns import column_names, filled_columns
from snakestudio.model.recording import Recording

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["figures_of"]


def _track(figure: Figure, runs: Sequence[Recording], measured: Sequence[Measured]) -> None:
    recording = runs[0]
    axes = plan_axes(figure.add_subplot(), recording)
    end = float(recording.times[-1])
    draw_outlines(axes, recording.scene, pose_at(recording, 0.0), LIGHT.link)
    draw_robot(axes, recording.scene, pose_at(recording, end))
    middle = (recording.schema.n_links + 1) // 2
    link_track(axes, recording, middle, measured)
    axes.autoscale_view()
    word = "section" if recording.schema.sections else "link"
    subtitle(axes, f"start (outline), end ({end:g} s) and way of {word} {middle}")


def _velocity(figure: Figure, runs: Sequence[Recording], measured: Sequence[Measured]) -> None:
    time, vx, vy = columns(runs[0], "time_s", "com_vx_mps", "com_vy_mps")
    axes = figure.add_subplot()
    axes.plot(time, vx, color=RUN, label="along x")
    axes.plot(time, vy, color=EXPERIMENT, label="along y")
    axes.set_xlim(time[0], time[-1])
    axes.set_xlabel("time / s")
    axes.set_ylabel("velocity of the centre of mass / m s$^{-1}$")
    axes.legend(loc="best")


def _joints(figure: Figure, runs: Sequence[Recording], measured: Sequence[Measured]) -> None:
    recording = runs[0]
    n = recording.schema.n_joints
    shown = sorted({round(place) for place in np.linspace(1, n, min(n, 3))})
    every = time_axes(figure, [f"joint {joint} / °" for joint in shown])
    for axes, joint in zip(every, shown, strict=True):
        time, ref, angle = columns(recording, "time_s", f"joint_{joint}_yaw_ref_rad", f"joint_{joint}_yaw_rad")
        axes.plot(time, np.degrees(ref), "--", color=EXPERIMENT, label="reference")
        axes.plot(time, np.degrees(angle), color=RUN, label="angle")
        axes.set_xlim(time[0], time[-1])
    every[0].legend(loc="best", ncols=2)


def _forces(figure: Figure, runs: Sequence[Recording], measured: Sequence[Measured]) -> None:
    kinds = [kind for kind in ("obstacle", "ground") if f"contact_{kind}_fx_n" in column_names(runs[0].schema)]
    every = time_axes(figure, [f"{kind} / N" for kind in kinds])
    for axes, kind in zip(every, kinds, strict=True):
        time, fx, fy = columns(runs[0], "time_s", f"contact_{kind}_fx_n", f"contact_{kind}_fy_n")
        axes.plot(time, fx, color=RUN, linewidth=0.8, label="along x")
        axes.plot(time, fy, color=EXPERIMENT, linewidth=0.8, label="along y")
        axes.set_xlim(time[0], time[-1])
    every[0].legend(loc="best", ncols=2)


def _energies(figure: Figure, runs: Sequence[Recording], measured: Sequence[Measured]) -> None:
    names = [name for name in column_names(runs[0].schema) if name.startswith(("energy_", "work_"))]
    axes = figure.add_subplot()
    time, *all_values = columns(runs[0], "time_s", *names)
    for name, values in zip(names, all_values, strict=True):
        if np.abs(values).max(initial=0.0) > 0.0:
            axes.plot(time, values, linewidth=0.9, label=name.removesuffix("_j").replace("_", " "))
    axes.set_xlim(time[0], time[-1])
    axes.set_xlabel("time / s")
    axes.set_ylabel("energy, work / J")
    axes.legend(loc="best", ncols=2)


def figures_of(recording: Recording) -> tuple[PaperFigure, ...]:
    """The figures that a run can be drawn as: of what nobody measured (the forces on a robot) there is none."""
    filled = set(filled_columns(recording.schema))
    figures = {
        "link_1_x_m": PaperFigure("track", "Way of the robot from above", (), _track, 140.0, 80.0, takes_measured=True),
        "com_vx_mps": PaperFigure("velocity", "Velocity of the centre of mass", (), _velocity),
        "joint_1_yaw_rad": PaperFigure("joints", "Joint angles and their references", (), _joints, height_mm=90.0),
        "contact_ground_fx_n": PaperFigure("forces", "Contact forces on the whole robot", (), _forces, height_mm=75.0),
        "energy_kinetic_j": PaperFigure("energies", "Energies and works", (), _energies),
    }
    return tuple(figure for needed, figure in figures.items() if needed in filled)
