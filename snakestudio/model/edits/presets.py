"""Objects that one click inserts into a scene: one table for the palette, the menus and the tree."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial

from snakestudio.model.edits.groups import free_group_name, obstacle_with
from snakestudio.model.labels import obstacle_title
from snakestudio.model.obstacles.shape import (
    SHAPES,
    Arrangement,
    Fit,
    Obstacle,
    ShapeKind,
    shape_of,
)
from snakestudio.model.scene import Scene

_USUAL_LINK = 0.122
"""Link length of the robot that the default obstacle sizes suit, m."""

Point = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Preset:
    """Object to insert into a scene."""

    name: str
    """Unique identifier."""

    title: str
    """Name for users."""

    help: str
    """One-line description."""

    icon: str
    """Name of its icon."""

    make: Callable[[Scene, Point], tuple[Obstacle, ...]]
    """Creates its obstacles around a position (x, y), m, in sizes that suit the scene's robot."""


def _fit(scene: Scene) -> Fit:
    """Return the function that scales a length for the default link length to the scene's, to three digits, m."""
    scale = scene.robot.link_length_m / _USUAL_LINK
    return lambda length: min(1e3, max(1e-4, float(f"{length * scale:.3g}")))


def last_like(scene: Scene, name: str) -> Obstacle | None:
    """Return the last obstacle of the kind of a preset, or None. Walls and boxes are separate."""
    return next(
        (o for o in reversed(scene.obstacles) if o.kind == name and shape_of(o).typical(o)), None
    )


def _named(scene: Scene, title: str, obstacle: Obstacle) -> Obstacle:
    """Return the obstacle with a name that counts those of its title, unless its title is the same without one."""
    index = len(scene.obstacles)
    titles = {obstacle_title(each, i) for i, each in enumerate(scene.obstacles)}
    name = next(name for i in range(1, index + 2) if (name := f"{title} {i}") not in titles)
    return (
        obstacle if name == obstacle_title(obstacle, index) else obstacle_with(obstacle, name=name)
    )


def _one(kind: ShapeKind, name: str, scene: Scene, position: Point) -> tuple[Obstacle, ...]:
    """Return one obstacle, with sizes and friction of the last one of its kind if there is one."""
    at = {"x_m": position[0], "y_m": position[1]}
    last = last_like(scene, name)
    if last is not None:
        new = obstacle_with(last, name="", group="", locked=False, hidden=False, **at)
        return (_named(scene, kind.title, new),)
    fit = _fit(scene)
    sizes = {key: fit(kind.fields.model_fields[key].default) for key in kind.fitted}
    return (_named(scene, kind.title, kind.fields(**at, **sizes, **kind.fresh(fit))),)


def _several(of: Arrangement, scene: Scene, position: Point) -> tuple[Obstacle, ...]:
    obstacles = of.make(_fit(scene), *position)
    if len(obstacles) == 1:
        return (_named(scene, of.title, obstacles[0]),)
    group = free_group_name(scene, of.title)
    return tuple(obstacle_with(one, group=group) for one in obstacles)


def _all() -> dict[str, Preset]:
    """Return the presets of every shape: a single obstacle, and its arrangements."""
    presets: list[tuple[float, Preset]] = []
    for name, kind in SHAPES.items():
        presets.append(
            (kind.place, Preset(name, kind.title, kind.help, kind.icon, partial(_one, kind, name)))
        )
        presets += [
            (of.place, Preset(of.name, of.title, of.help, of.icon, partial(_several, of)))
            for of in kind.arrangements
        ]
    return {preset.name: preset for _, preset in sorted(presets, key=lambda each: each[0])}


class _Presets(Mapping[str, Preset]):
    def __getitem__(self, name: str) -> Preset:
        return _all()[name]

    def __iter__(self) -> Iterator[str]:
        return iter(_all())

    def __len__(self) -> int:
        return len(_all())


PRESETS: Mapping[str, Preset] = _Presets()
"""All presets by name, in menu order."""


def preset_obstacles(scene: Scene, name: str, position: Point) -> tuple[Obstacle, ...]:
    """Return the obstacles of a preset at a position (x, y), m.

    Raises `KeyError` if there is no preset with that name. Raises `pydantic.ValidationError` if the
    position is out of range.
    """
    return PRESETS[name].make(scene, position)
