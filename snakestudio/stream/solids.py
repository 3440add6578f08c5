"""Robot, ground and obstacles as simple solids that the 3D views of other programs support."""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from snakestudio._arrays import FloatArray, IndexArray
from snakestudio.drawing.obstacles import Obstacles, obstacles_of
from snakestudio.drawing.style import DARK, Colour
from snakestudio.model.recording import Schema
from snakestudio.model.scene import Scene
from snakestudio.model.world import STANDARD_GRAVITY
from snakestudio.runfile.mcap.views import WORLD, part_names

ALONG_X = (math.sqrt(0.5), 0.0, math.sqrt(0.5), 0.0)
"""Unit quaternion (w x y z) that turns a cylinder along z into one along x."""

_MARGIN = 1.0
"""Margin of the drawn ground around everything on it, m."""


@dataclass(frozen=True, slots=True)
class Capsule:
    """A link, or a cross-section of a continuous body, in its own frame."""

    frame: str
    middle: float
    """Centre of the capsule on the x axis, m."""

    half_length: float
    """Distance from the centre to the centre of each hemispherical end, m."""

    radius: float
    colour: Colour


@dataclass(frozen=True, slots=True)
class Post:
    """An upright cylinder on the ground, m."""

    x: float
    y: float
    radius: float
    height: float


@dataclass(frozen=True, slots=True)
class Surface:
    """Triangles in the world."""

    points: FloatArray
    """(k, 3), m."""

    triangles: IndexArray
    """(m, 3) indices of points, counter-clockwise from outside."""

    colour: Colour


@dataclass(frozen=True, slots=True)
class Floor:
    """Drawn part of the ground plane z = 0, m."""

    centre: tuple[float, float]
    size: tuple[float, float]
    colour: Colour


@dataclass(frozen=True, slots=True)
class Solids:
    """Everything that does not change while only the robot moves."""

    frame: str
    """Frame of everything except the links."""

    links: tuple[Capsule, ...]
    posts: tuple[Post, ...]
    post_colour: Colour
    surfaces: tuple[Surface, ...]
    floor: Floor


def solids_of(scene: Scene, schema: Schema, pose: FloatArray, base_dir: Path | None) -> Solids:
    """Create the solids of a scene whose robot has the link poses (n, 7)."""
    sizes = scene.body.sizes.of(schema.n_links)
    links = tuple(
        Capsule(
            name,
            float(sizes.middle[i]),
            float(sizes.half_length[i]),
            float(sizes.radius[i]),
            DARK.head if i == schema.head else DARK.link,
        )
        for i, name in enumerate(part_names(schema))
    )
    world = obstacles_of(scene.obstacles, base_dir, shown_only=True)
    these = world.posts
    posts = tuple(
        Post(float(x), float(y), float(radius), float(height))
        for (x, y), radius, height in zip(these.centre, these.radius, these.height, strict=True)
    )
    return Solids(WORLD, links, posts, DARK.obstacle, _surfaces(world), _floor(scene, world, pose))


def _surfaces(world: Obstacles) -> tuple[Surface, ...]:
    """Return the surfaces of everything except posts, one per colour."""
    terrain = world.terrain
    if terrain is None:
        return ()
    surfaces = []
    for earthen, colour in ((False, DARK.obstacle), (True, DARK.terrain)):
        ranges = terrain.skin_range[terrain.earthen == earthen]
        parts = [terrain.skin.indices[start : start + count] for start, count in ranges if count]
        if parts:
            used, indices = np.unique(np.concatenate(parts), return_inverse=True)
            points = terrain.skin.vertices[used, :3].astype(float)
            surfaces.append(Surface(points, indices.reshape(-1, 3), colour))
    return tuple(surfaces)


def _floor(scene: Scene, world: Obstacles, pose: FloatArray) -> Floor:
    low, high = world.box
    known = pose[np.isfinite(pose).all(axis=1), :2] if len(pose) else pose[:, :2]
    corners = np.concatenate([known, low[None, :2], high[None, :2]])
    corners = corners[np.isfinite(corners).all(axis=1)]
    if not len(corners):
        corners = np.zeros((1, 2))
    margin = max(_MARGIN, scene.body.length)
    low = corners.min(axis=0) - margin
    high = corners.max(axis=0) + margin
    middle = 0.5 * (low + high)
    size = high - low
    return Floor((float(middle[0]), float(middle[1])), (float(size[0]), float(size[1])), DARK.floor)


def arrow_scale(scene: Scene) -> float:
    """Return the length of arrows per newton, m/N: the weight of the robot is half as long as the robot."""
    return 0.5 * scene.body.length / (scene.body.mass * STANDARD_GRAVITY)


def contact_arrows(
    point: FloatArray, force: FloatArray, metres_per_newton: float
) -> tuple[FloatArray, FloatArray]:
    """Return the origins and vectors of force arrows, (k, 3) each, m; forces too small to be visible are omitted."""
    length = np.linalg.norm(force, axis=1) * metres_per_newton
    seen = np.isfinite(length) & (length > 1e-4)
    return point[seen], force[seen] * metres_per_newton
