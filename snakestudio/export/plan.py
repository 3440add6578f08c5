"""Plan of a scene as a figure file, to scale: obstacles, the robot at its start and the path, from above."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from snakestudio._arrays import FloatArray
from snakestudio.drawing import path as path_parts
from snakestudio.drawing.bodies import body_outlines
from snakestudio.drawing.obstacles import obstacles_of
from snakestudio.drawing.style import LIGHT
from snakestudio.errors import UsageError
from snakestudio.export.plan_drawing import draw_robot, draw_world
from snakestudio.export.printing import INK, PALE, STYLE, about_file, printed_suffix, save_figure
from snakestudio.model.robot.pose import initial_state
from snakestudio.model.scene import Scene
from snakestudio.model.ticks import step_above, step_below

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_NARROWEST = 50.0
_WIDEST = 2000.0
_LEFT = 14.0
_RIGHT = 5.0
_BOTTOM = 11.0
_TOP = 13.0
"""Margins around the drawing for tick labels and the title, mm."""

_AIR = 0.06
"""Margin of ground around everything, as a fraction of its size."""


@dataclass(frozen=True, slots=True, eq=False)
class Sheet:
    """Placement of a plan on its sheet."""

    width: float
    """Width of the sheet, mm."""

    height: float
    """Height of the sheet, mm."""

    scale: float
    """Scale denominator: metres of ground per metre of the sheet."""

    low: FloatArray
    """Lower left corner of the drawn ground, m. Shape (2,)."""

    high: FloatArray
    """Upper right corner of the drawn ground, m. Shape (2,)."""

    def on_sheet(self, point: FloatArray) -> FloatArray:
        """Return the position of a point (2,) of the ground, m, on the sheet, mm from its lower left corner."""
        position: FloatArray = (
            np.array([_LEFT, _BOTTOM]) + (np.asarray(point) - self.low) * 1000.0 / self.scale
        )
        return position


def sheet_of(low: FloatArray, high: FloatArray, width: float) -> Sheet:
    """Return the sheet for the ground between two corners (2,), m, at the largest round scale that fits.

    Parameters
    ----------
    low, high : (2,) arrays
    width : float
        Width of the sheet, mm.
    """
    air = _AIR * float((high - low).max())
    low = low - air
    high = high + air
    space = width - _LEFT - _RIGHT
    least = 1000.0 * max(float(high[0] - low[0]) / space, float(high[1] - low[1]) / (1.4 * space))
    scale = step_above(least, (1.0, 2.0, 2.5, 5.0))
    middle = 0.5 * (low[0] + high[0])
    across = 0.5 * space * scale / 1000.0
    low = np.array([middle - across, low[1]])
    high = np.array([middle + across, high[1]])
    height = _BOTTOM + _TOP + 1000.0 * float(high[1] - low[1]) / scale
    return Sheet(width, height, scale, low, high)


def write_plan(
    path: Path,
    scene: Scene,
    base_dir: Path | None = None,
    *,
    width_mm: float = 180.0,
    names: bool = False,
) -> Path:
    """Write the plan of a scene as SVG, PNG or PDF, by file extension. Hidden obstacles are omitted.

    The same scene gives the same file, byte for byte.

    Raises `OSError` if the file cannot be written, see `write_as`. Raises `ExportError` if the
    extension is another. Raises `SceneError` if the start refers to a file that cannot be read.
    Raises `UsageError` if the width is out of range.

    Parameters
    ----------
    base_dir : Path or None
        Folder to which file names in the scene are relative.
    width_mm : float
        Width of the sheet; the height follows.
    names : bool
        Whether obstacles are labelled.
    """
    suffix = printed_suffix(path, "plans")
    if not _NARROWEST <= width_mm <= _WIDEST:
        raise UsageError(
            f"The width must be from {_NARROWEST:g} to {_WIDEST:g} mm (got {width_mm:g} mm)."
        )
    import matplotlib
    from matplotlib.figure import Figure

    pose, _ = initial_state(scene, base_dir)
    robot = scene.body.outlines(pose)
    world = obstacles_of(scene.obstacles, base_dir)
    visible = [body for body in world.bodies if not body.obstacle.hidden]
    path_outline = path_parts.outline(scene.path)
    corners = [outline for body in visible for outline in body_outlines(body)] + list(robot)
    points = np.array(
        [corner for one in corners for corner in (one.low, one.high)] + list(path_outline)
    ).reshape(-1, 2)
    sheet = sheet_of(points.min(axis=0), points.max(axis=0), width_mm)
    size = sheet.width / 25.4, sheet.height / 25.4
    with matplotlib.rc_context(STYLE):
        figure = Figure(figsize=size, facecolor="white")
        axes = _axes(figure, sheet)
        draw_world(axes, scene, base_dir, names)
        draw_robot(axes, scene, pose)
        _title(figure, sheet, scene)
        dpi = 300 if suffix == ".png" else 72
        save_figure(figure, path, dpi=dpi, metadata=about_file(suffix))
    return path


def _axes(figure: Figure, sheet: Sheet) -> Axes:
    """Return the axes of the drawing, with metres along the edges, exactly to scale."""
    low, high = sheet.on_sheet(sheet.low), sheet.on_sheet(sheet.high)
    left, bottom = low / (sheet.width, sheet.height)
    across, up = (high - low) / (sheet.width, sheet.height)
    axes = figure.add_axes((left, bottom, across, up))
    axes.set_xlim(sheet.low[0], sheet.high[0])
    axes.set_ylim(sheet.low[1], sheet.high[1])
    axes.set_xlabel("x / m", labelpad=1.5)
    axes.set_ylabel("y / m", labelpad=1.5)
    axes.tick_params(length=2.5, pad=2.0, direction="out")
    axes.grid(color=LIGHT.grid_minor, linewidth=0.4)
    axes.set_axisbelow(True)
    return axes


def _title(figure: Figure, sheet: Sheet, scene: Scene) -> None:
    """Title, numeric scale, and a scale bar of a round length."""
    from matplotlib.patches import Rectangle

    def place(x: float, y: float) -> tuple[float, float]:
        return x / sheet.width, y / sheet.height

    top = sheet.height - 4.5
    title = scene.title or "Untitled scene"
    figure.text(
        *place(_LEFT, top), _shortened(title, sheet), fontsize=9.0, fontweight="bold", va="center"
    )
    figure.text(
        *place(_LEFT, top - 4.5), f"Plan at the start, 1 : {sheet.scale:g}", color=PALE, va="center"
    )
    space = 0.22 * (sheet.width - _LEFT - _RIGHT) * sheet.scale / 1000.0
    length = step_below(space)
    long = 1000.0 * length / sheet.scale
    left = sheet.width - _RIGHT - long
    for part, ink in ((0, INK), (1, (1.0, 1.0, 1.0))):
        corner = place(left + 0.5 * part * long, top - 5.2)
        bar = Rectangle(
            corner,
            0.5 * long / sheet.width,
            1.4 / sheet.height,
            facecolor=ink,
            edgecolor=INK,
            linewidth=0.5,
            transform=figure.transFigure,
            gid=f"scale-bar-{part + 1}",
        )
        figure.add_artist(bar)
    figure.text(*place(left, top - 1.8), "0", color=PALE, ha="center", va="center", fontsize=6.0)
    text = f"{length:g} m" if length >= 1.0 else f"{1000.0 * length:g} mm"
    figure.text(
        *place(left + long, top - 1.8), text, color=PALE, ha="right", va="center", fontsize=6.0
    )


def _shortened(title: str, sheet: Sheet) -> str:
    """Return a title shortened to the space next to the scale bar."""
    most = max(12, int(0.7 * (sheet.width - _LEFT - _RIGHT) / 1.9))
    return title if len(title) <= most else f"{title[: most - 1]}…"
