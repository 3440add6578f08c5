"""Import of obstacles from files of other programs: circles of a table or drawing become a group of cylinders."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from snakestudio.inputs import CIRCLES, DRAWING, InputError, read_bytes, read_text
from snakestudio.model.obstacles.circles import MAX_OBSTACLES, Circles, circles_of_csv, refuse
from snakestudio.model.obstacles.shapes.cylinder import Cylinder
from snakestudio.model.obstacles.svg_file import circles_of_svg
from snakestudio.model.scene import Scene

UNITS = {"m": 1.0, "cm": 0.01, "mm": 0.001, "in": 0.0254, "px": 0.0254 / 96}
"""Metres per unit; a pixel of a drawing is 1/96 inch, as in CSS."""


Cylinders = tuple[Cylinder, ...]


def cylinders_of(scene: Scene) -> Cylinders:
    """Return the cylinders that a scene already contains."""
    return tuple(o for o in scene.obstacles if isinstance(o, Cylinder))


def read_circles(path: Path) -> Circles:
    """Read circles from a CSV (x, y, radius) or an SVG drawing.

    Raises `SceneError` with every invalid line.
    """
    try:
        if path.suffix.lower() == ".svg":
            return circles_of_svg(read_bytes(path, DRAWING), str(path))
        return circles_of_csv(read_text(path, CIRCLES), str(path))
    except InputError as error:
        raise refuse(str(path), [f"{error}"]) from None


def as_cylinders(
    circles: Circles, unit: str, scale: float, group: str, source: str = ""
) -> Cylinders:
    """Convert circles to cylinders.

    Raises `SceneError` with every circle that is too large or too far away for a scene.

    Parameters
    ----------
    unit : str
        Unit of the numbers, a key of `UNITS`.
    scale : float
        Additional factor of positions and radii.
    group : str
        Group of the cylinders.
    source : str
        Name of the file in messages.
    """
    metres = UNITS[unit] * scale
    mistakes = []
    cylinders = []
    for circle in circles.circles:
        # Ten digits, so that inches and transformations of drawings do not leave 0.30000000000000004 in a
        # scene.
        x, y, radius = (
            float(f"{value * metres:.10g}") for value in (circle.x, circle.y, circle.radius)
        )
        if abs(x) > 1e4 or abs(y) > 1e4:
            mistakes.append(
                f"{circle.where}: ({x:g}, {y:g}) m is more than 10 km away; choose another unit or scale."
            )
        elif not 0 < radius <= 1e3:
            mistakes.append(
                f"{circle.where}: a radius of {radius:g} m is out of range; choose another unit or scale."
            )
        else:
            cylinders.append(
                Cylinder(x_m=x, y_m=y, radius_m=radius, group=group[:80], name=circle.name[:80])
            )
    if mistakes:
        raise refuse(source, mistakes)
    return tuple(cylinders)


def bounds(cylinders: Sequence[Cylinder]) -> tuple[float, float, float, float]:
    """Return the bounding rectangle of at least one cylinder: x and y of its corners, m (left, bottom, right, top)."""
    return (
        min(c.x_m - c.radius_m for c in cylinders),
        min(c.y_m - c.radius_m for c in cylinders),
        max(c.x_m + c.radius_m for c in cylinders),
        max(c.y_m + c.radius_m for c in cylinders),
    )


def with_imported(scene: Scene, cylinders: Sequence[Cylinder]) -> Scene:
    """Return the scene with these cylinders appended to its obstacles.

    Raises `SceneError` if the scene would have too many obstacles.
    """
    total = len(scene.obstacles) + len(cylinders)
    if total > MAX_OBSTACLES:
        raise refuse(
            "obstacles",
            [
                f"{total} obstacles are more than the {MAX_OBSTACLES} that a scene can have; import fewer."
            ],
        )
    return scene.model_copy(update={"obstacles": (*scene.obstacles, *cylinders)})
