"""What can be put into a scene with one click: one table for the palette, the menus and the tree."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

from snakestudio.model.edits.groups import free_group_name, obstacle_with
from snakestudio.model.scene import Scene
from snakestudio.model.world import Box, Cylinder, HeightField, Obstacle, Ramp, Rubble, Stairs

__all__ = ["PRESETS", "Preset", "last_like", "preset_obstacles"]

_USUAL_LINK = 0.122
"""Link length of the robot that the defaults of obstacles suit, m."""

_WALL = 5.0
"""A box so many times longer than wide (or wider than long) is a wall."""

Place = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Preset:
    """Something to put into a scene.

    Attributes
    ----------
    name : str
        Its name in the program.
    title : str
        What people call it.
    help : str
        What it is, in a line.
    make : callable
        Makes its obstacles around a place (x, y), m, in sizes that suit the scene's robot.
    """

    name: str
    title: str
    help: str
    make: Callable[[Scene, Place], tuple[Obstacle, ...]]

    @property
    def icon(self) -> str:
        """Name of its picture."""
        return f"shape-{self.name}"


def _fit(scene: Scene) -> Callable[[float], float]:
    """Turns a length that suits a link of the usual length into one that suits the scene's, to three figures, m."""
    scale = scene.robot.link_length_m / _USUAL_LINK
    return lambda length: min(1e3, max(1e-4, float(f"{length * scale:.3g}")))


def last_like(scene: Scene, name: str) -> Obstacle | None:
    """The last obstacle that a new one of a preset is like; None if the preset goes by itself. A wall is no box."""
    return next((o for o in reversed(scene.obstacles) if o.kind == name and not _is_wall(o)), None)


def _is_wall(obstacle: Obstacle) -> bool:
    if not isinstance(obstacle, Box):
        return False
    sides = sorted((obstacle.length_m, obstacle.width_m))
    return sides[1] > _WALL * sides[0]


def _like_last(kind: str, fresh: Callable[[Scene, Place], Obstacle]) -> Callable[[Scene, Place], tuple[Obstacle, ...]]:
    """One obstacle, in sizes and friction like the last one of its kind if there is one."""

    def make(scene: Scene, place: Place) -> tuple[Obstacle, ...]:
        last = last_like(scene, kind)
        if last is None:
            return (fresh(scene, place),)
        own = {"name": "", "group": "", "locked": False, "hidden": False, "x_m": place[0], "y_m": place[1]}
        return (obstacle_with(last, **own),)

    return make


def _cylinder(scene: Scene, place: Place) -> Obstacle:
    fit = _fit(scene)
    return Cylinder(x_m=place[0], y_m=place[1], radius_m=fit(0.125), height_m=fit(0.3))


def _box(scene: Scene, place: Place) -> Obstacle:
    fit = _fit(scene)
    return Box(x_m=place[0], y_m=place[1], length_m=fit(0.3), width_m=fit(0.3), height_m=fit(0.1))


def _wall(scene: Scene, place: Place) -> tuple[Obstacle, ...]:
    fit = _fit(scene)
    return (Box(x_m=place[0], y_m=place[1], length_m=fit(1.2), width_m=fit(0.05), height_m=fit(0.3)),)


def _stairs(scene: Scene, place: Place) -> Obstacle:
    fit = _fit(scene)
    return Stairs(
        x_m=place[0], y_m=place[1], rise_m=fit(0.04), run_m=fit(0.3), width_m=fit(1.5), landing_m=fit(1.0)
    )  # fmt: skip


def _ramp(scene: Scene, place: Place) -> Obstacle:
    fit = _fit(scene)
    return Ramp(x_m=place[0], y_m=place[1], length_m=fit(1.0), rise_m=fit(0.15), width_m=fit(1.0))


def _height_field(scene: Scene, place: Place) -> Obstacle:
    """Low hills that end at the ground."""
    fit = _fit(scene)
    top, edge = fit(0.06), [math.sin(math.pi * k / 16) for k in range(17)]
    heights = tuple(
        tuple(
            round(top * edge[i] * edge[j] * (1.0 + 0.8 * math.sin(1.1 * i + 0.4 * j) * math.cos(0.9 * j)), 4)
            for i in range(17)
        )
        for j in range(17)
    )
    return HeightField(x_m=place[0], y_m=place[1], length_m=fit(2.0), width_m=fit(2.0), heights_m=heights)


def _rubble(scene: Scene, place: Place) -> Obstacle:
    fit = _fit(scene)
    return Rubble(
        x_m=place[0], y_m=place[1], length_m=fit(2.0), width_m=fit(2.0), smallest_m=fit(0.06), largest_m=fit(0.2),
        height_m=fit(0.05),
    )  # fmt: skip


def _peg_board(scene: Scene, place: Place) -> tuple[Obstacle, ...]:
    """Five columns and four rows of pegs, every other row shifted by half a spacing; one group."""
    fit, group = _fit(scene), free_group_name(scene, "Peg board")
    radius, height, spacing = fit(0.04), fit(0.15), fit(0.3)
    across = spacing * math.sqrt(3) / 2  # neighbours in all directions are equally far
    return tuple(
        Cylinder(
            x_m=round(place[0] + (column - 2.25 + 0.5 * (row % 2)) * spacing, 4),
            y_m=round(place[1] + (row - 1.5) * across, 4),
            radius_m=radius, height_m=height, group=group,
        )
        for row in range(4)
        for column in range(5)
    )  # fmt: skip


PRESETS: dict[str, Preset] = {
    preset.name: preset
    for preset in (
        Preset("cylinder", "Cylinder", "An upright cylinder", _like_last("cylinder", _cylinder)),
        Preset("box", "Box", "A block", _like_last("box", _box)),
        Preset("wall", "Wall", "A long thin box", _wall),
        Preset("stairs", "Stairs", "A flight of stairs with a landing", _like_last("stairs", _stairs)),
        Preset("ramp", "Ramp", "A wedge that rises from its foot", _like_last("ramp", _ramp)),
        Preset("height_field", "Height field", "Low hills, or a table of heights of your own",
               _like_last("height_field", _height_field)),
        Preset("rubble", "Rubble", "Blocks of random size, place and tilt", _like_last("rubble", _rubble)),
        Preset("peg_board", "Peg board", "Twenty pegs in staggered rows, as a group", _peg_board),
    )
}  # fmt: skip
"""All of them by name, in the order of the menus."""


def preset_obstacles(scene: Scene, name: str, place: Place) -> tuple[Obstacle, ...]:
    """The obstacles of a preset at a place (x, y), m.

    Raises
    ------
    KeyError
        If there is no preset of that name.
    pydantic.ValidationError
        If the place is farther away than an obstacle may be.
    """
    return PRESETS[name].make(scene, place)
