"""HTML of scenes, runs and comparisons for notebooks: a small table next to a drawing."""

from __future__ import annotations

import base64
import contextlib
import html
import io
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from snakestudio._arrays import FloatArray
from snakestudio.errors import SnakeStudioError
from snakestudio.export.comparison_tables import difference_rows
from snakestudio.export.plan_drawing import draw_outlines, draw_robot, draw_world
from snakestudio.export.printing import PALE, STYLE
from snakestudio.export.provenance import known_plausibility
from snakestudio.kinds.controller import CONTROLLERS
from snakestudio.kinds.formulation import FORMULATIONS
from snakestudio.kinds.gait import GAIT_KINDS
from snakestudio.model.columns import table
from snakestudio.model.recording import Recording
from snakestudio.model.robot.pose import initial_state
from snakestudio.model.scene import Scene

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from snakestudio.analysis.comparison.models import ModelComparison

_WIDTH = 6.4
_HEIGHT = 2.3
_DPI = 100
"""Size of the drawings, inches, and their resolution, pixels per inch."""

_MOST_POINTS = 400
"""Largest number of points of a curve."""

_AROUND = 0.25
"""Margin around the robot's path, as a fraction of the robot's length."""

_SHOWN_OBSTACLES = 500
"""Largest number of obstacles that are drawn."""

_ACCENT = "#1f6fb4"
_TABLE = "border-collapse:collapse;margin:0"
_BOX = "display:flex;flex-wrap:wrap;align-items:flex-start;gap:16px"


def scene_html(scene: Scene) -> str:
    """Return a summary of a scene, and a drawing from above of the robot at its start among the obstacles."""
    rows = {
        "Model": FORMULATIONS[scene.model.kind].title,
        **_robot_rows(scene),
        **_motion_rows(scene),
    }
    rows["Duration"] = f"{scene.run.duration_s:g} s in steps of {1000.0 * scene.solver.step_s:g} ms"
    picture = ""
    try:
        pose, _ = initial_state(scene, None)
    except SnakeStudioError:
        pass  # the start depends on a file in the unknown folder of the scene
    else:
        picture = _drawn(
            lambda figure: _draw_plan(figure.add_subplot(), scene, pose[:, :2], poses=(pose,))
        )
    return _side_by_side(_values_table(scene.title or "Scene", rows), picture)


def run_html(
    recording: Recording, scene_file: str | None, failure: str, base_dir: Path | None
) -> str:
    """Return a summary of a run, the robot's path from above, and its speed over time."""
    scene = recording.scene
    count = len(recording)
    if not count:
        return _values_table(scene_file or scene.title or "Run", {"Rows": "0"})
    span = float(recording.times[-1] - recording.times[0])
    rows = {
        "Model": FORMULATIONS[scene.model.kind].title,
        **_robot_rows(scene),
        **_motion_rows(scene),
    }
    rows["Time"] = (
        f"{float(recording.times[0]):g} to {float(recording.times[-1]):g} s, {count} rows"
    )
    values = _thinned(
        recording, ("time_s", "com_x_m", "com_y_m", "com_vx_mps", "com_vy_mps", "com_vz_mps")
    )
    track = values[:, 1:3]
    picture = ""
    if np.isfinite(values).all():
        distance = float(np.linalg.norm(track[-1] - track[0]))
        rows["Displacement"] = f"{distance:.4g} m" + (
            f", {distance / span:.4g} m/s" if span > 0.0 else ""
        )
        poses = recording.snapshot(0).link_pose, recording.snapshot(count - 1).link_pose
        speed = np.linalg.norm(values[:, 3:], axis=1)

        def draw(figure: Figure) -> None:
            plan, curve = figure.subplots(1, 2, width_ratios=(1.35, 1.0))
            _draw_plan(plan, scene, track, poses, base_dir)
            curve.plot(values[:, 0], speed, color=_ACCENT, linewidth=1.0)
            curve.set_xlabel("Time (s)")
            curve.set_ylabel("Speed of the centre of mass (m/s)")
            curve.set_ylim(bottom=0.0)
            _plain(curve)

        picture = _drawn(draw)
    if failure:
        rows["Stopped"] = failure
    result = known_plausibility(recording)
    if result is not None and not result.plausible:
        rows["Not plausible"] = " ".join(violation.text for violation in result.violations)
    return _side_by_side(_values_table(scene_file or scene.title or "Run", rows), picture)


def comparison_html(data: ModelComparison, scene_file: str | None) -> str:
    """Return the final values of each model, and the final differences from the first."""
    head = _values_table(scene_file or data.scene.title or "Comparison", _robot_rows(data.scene))
    if data.reference is None:
        reasons = {run.label: " ".join(run.refusals) for run in data.runs}
        return head + _values_table("No model can run this scene", reasons)
    first = data.reference.label
    names: dict[str, list[str]] = {}
    for run in data.ran[1:]:
        for row in difference_rows(data, run.label):
            title = f"{row.label} ({row.unit})" if row.unit else row.label
            names.setdefault(title, [row.reference]).extend((row.run, row.end, row.rms))
    titles = ["", first]
    for run in data.ran[1:]:
        titles += [run.label, "difference at the end", "RMS"]
    parts = (
        [_rows_table(titles, [[name, *cells] for name, cells in names.items()])] if names else []
    )
    for run in data.runs:
        if reason := run.failure or " ".join(run.refusals):
            parts.append(f"<p><b>{html.escape(run.label)}</b>: {html.escape(reason)}</p>")
    tracks = {
        run.label: _thinned(run.recording, ("com_x_m", "com_y_m"))
        for run in data.ran
        if run.recording is not None
    }
    return head + _side_by_side(
        "".join(parts), _drawn(lambda figure: _draw_tracks(figure.add_subplot(), tracks))
    )


def _thinned(recording: Recording, names: tuple[str, ...]) -> FloatArray:
    """Return the columns at rows that are evenly spaced over a run, (k, columns)."""
    values = np.concatenate(list(table(recording, names)))
    count = len(values)
    chosen: FloatArray = values[
        np.linspace(0, count - 1, min(count, _MOST_POINTS)).round().astype(int)
    ]
    return chosen


def _robot_rows(scene: Scene) -> dict[str, str]:
    body = scene.body
    rows = {
        "Robot": f"{body.n_parts} {body.part_name.lower()}s, {body.length:.3g} m, {body.mass:.3g} kg"
    }
    if body.axes:
        rows["Joint axes"] = str(len(body.axes))
    if scene.obstacles:
        rows["Obstacles"] = str(len(scene.obstacles))
    return rows


def _motion_rows(scene: Scene) -> dict[str, str]:
    if scene.body.strained:
        return {}
    return {
        "Gait": GAIT_KINDS[scene.gait.kind].title,
        "Controller": CONTROLLERS[scene.controller.kind].title,
    }


# ------------------------------------------------------------------------------------------- tables


def _values_table(title: str, rows: Mapping[str, str]) -> str:
    lines = "".join(
        f'<tr><th style="text-align:left">{html.escape(name)}</th>'
        f'<td style="text-align:left">{html.escape(value)}</td></tr>'
        for name, value in rows.items()
    )
    return f'<table style="{_TABLE}"><caption><b>{html.escape(title)}</b></caption><tbody>{lines}</tbody></table>'


def _rows_table(titles: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    head = "".join(f"<th>{html.escape(title)}</th>" for title in titles)
    body = "".join(
        "<tr>" + "".join(f"<td>{html.escape(cell)}</td>" for cell in row) + "</tr>" for row in rows
    )
    return f'<table style="{_TABLE}"><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>'


def _side_by_side(table: str, picture: str) -> str:
    return f'<div style="{_BOX}"><div>{table}</div>{picture}</div>'


# ----------------------------------------------------------------------------------------- drawings


def _drawn(draw: Any) -> str:
    """Return the drawing as an embedded image."""
    import matplotlib
    from matplotlib.figure import Figure

    with matplotlib.rc_context(STYLE):
        figure = Figure(figsize=(_WIDTH, _HEIGHT), facecolor="white", layout="constrained")
        draw(figure)
        data = io.BytesIO()
        figure.savefig(data, format="png", dpi=2 * _DPI)
    size = f'width="{int(_WIDTH * _DPI)}" height="{int(_HEIGHT * _DPI)}"'
    code = base64.b64encode(data.getvalue()).decode()
    return (
        f'<img {size} style="max-width:100%;height:auto" alt="" src="data:image/png;base64,{code}">'
    )


def _draw_plan(
    axes: Axes,
    scene: Scene,
    track: FloatArray,
    poses: Sequence[FloatArray],
    base_dir: Path | None = None,
) -> None:
    """Draw the world from above, the robot at its last pose, its first pose in outline, and a track (k, 2), m."""
    seen = np.concatenate([track, *(pose[:, :2] for pose in poses)])
    margin = _AROUND * scene.body.length
    low = seen.min(axis=0) - margin
    high = seen.max(axis=0) + margin
    if len(scene.obstacles) <= _SHOWN_OBSTACLES:
        with contextlib.suppress(SnakeStudioError):  # the file of an obstacle is unknown here
            draw_world(axes, scene, base_dir)
    if len(poses) > 1:
        draw_outlines(axes, scene, poses[0], PALE, style="--", width=0.5)
        axes.plot(track[:, 0], track[:, 1], color=_ACCENT, linewidth=1.2)
    draw_robot(axes, scene, poses[-1])
    axes.set_aspect("equal")
    axes.set_xlim(low[0], high[0])
    axes.set_ylim(low[1], high[1])
    axes.set_xlabel("x (m)")
    axes.set_ylabel("y (m)")
    _plain(axes)


def _draw_tracks(axes: Axes, tracks: Mapping[str, FloatArray]) -> None:
    for label, track in tracks.items():
        axes.plot(track[:, 0], track[:, 1], linewidth=1.2, label=label)
    axes.set_aspect("equal", adjustable="datalim")
    axes.set_xlabel("x of the centre of mass (m)")
    axes.set_ylabel("y of the centre of mass (m)")
    axes.legend(frameon=False)
    _plain(axes)


def _plain(axes: Axes) -> None:
    axes.spines[["top", "right"]].set_visible(False)
