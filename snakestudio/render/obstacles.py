"""The obstacles of a scene as the viewport needs them: posts, blocks, surfaces, bounds; made once, shared by all."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from snakestudio.errors import Problem, SceneError
from snakestudio.model.rotations import rotation
from snakestudio.model.solids import Block, Post, Prism, Relief, Solid, obstacle_solids
from snakestudio.model.world import HeightField, Obstacle, Stairs
from snakestudio.render import surfaces
from snakestudio.render.footprints import corners
from snakestudio.render.instances import FloatArray
from snakestudio.render.meshes import Mesh
from snakestudio.render.surfaces import Surface

__all__ = ["Blocks", "Body", "Obstacles", "Posts", "Terrain", "obstacles_of"]

IntArray = NDArray[np.intp]

_PLATE = 0.005
"""Thickness of what stands for a height field that cannot be read, m."""


@dataclass(frozen=True, slots=True, eq=False)
class Posts:
    """Upright cylinders standing on the ground, as arrays.

    Attributes
    ----------
    centre : (k, 2) array
        m.
    radius, height : (k,) arrays
        m.
    owner : (k,) int array
        0-based obstacle they belong to.
    """

    centre: FloatArray
    radius: FloatArray
    height: FloatArray
    owner: IntArray


@dataclass(frozen=True, slots=True, eq=False)
class Blocks:
    """Boxes as arrays.

    Attributes
    ----------
    centre, half : (k, 3) arrays
        m.
    rotation : (k, 3, 3) array
        Columns are the axes.
    owner : (k,) int array
        0-based obstacle they belong to.
    """

    centre: FloatArray
    rotation: FloatArray
    half: FloatArray
    owner: IntArray


@dataclass(frozen=True, slots=True, eq=False)
class Body:
    """One obstacle.

    Attributes
    ----------
    obstacle : Obstacle
    solids : tuple of Solid
    problem : Problem or None
        Why its shape is not known; a flat plate stands for it.
    surface : Surface or None
        None for what is made of posts or of blocks that are drawn together with all others.
    """

    obstacle: Obstacle
    solids: tuple[Solid, ...]
    problem: Problem | None
    surface: Surface | None

    @property
    def earthen(self) -> bool:
        """Whether it is ground to move on rather than a thing to push against: it has the colour of ground."""
        return self.obstacle.kind in ("stairs", "ramp", "height_field", "rubble")


@dataclass(frozen=True, slots=True, eq=False)
class Terrain:
    """Everything but posts as triangles.

    Attributes
    ----------
    skin, shell : Mesh
        As of a `Surface`.
    skin_range, shell_range : (n, 2) int arrays
        First index and number of indices of every obstacle of the scene; none for posts.
    earthen : (n,) bool array
        Whether an obstacle has the colour of ground.
    balls : (k, 4) array
        Balls (centre, radius) that together hold all of it, m.
    sunk : bool
        Whether some of it lies in the ground and has to be left out.
    """

    skin: Mesh
    shell: Mesh
    skin_range: IntArray
    shell_range: IntArray
    earthen: NDArray[np.bool_]
    balls: FloatArray
    sunk: bool


def _plate(o: HeightField) -> Block:
    """A thin plate as large as a height field whose heights are not known."""
    half = 0.5 * np.array([o.length_m, o.width_m, _PLATE])
    return Block(np.array([o.x_m, o.y_m, half[2]]), rotation(math.radians(o.yaw_deg)), half)


def _body(obstacle: Obstacle, base_dir: Path | None) -> Body:
    try:
        solids = tuple(obstacle_solids(obstacle, base_dir))
    except SceneError as error:
        if not isinstance(obstacle, HeightField):
            raise
        plate = _plate(obstacle)
        problem = error.problems[0] if error.problems else Problem("error", "", str(error), "")
        return Body(obstacle, (plate,), problem, surfaces.plate(plate))
    surface: Surface | None = None
    if isinstance(obstacle, Stairs):
        surface = surfaces.staircase([solid for solid in solids if isinstance(solid, Block)])
    elif isinstance(solids[0], Prism):
        surface = surfaces.prism(solids[0])
    elif isinstance(solids[0], Relief):
        surface = surfaces.relief(solids[0])
    return Body(obstacle, solids, None, surface)


class Obstacles:
    """All obstacles of a scene.

    Parameters
    ----------
    bodies : tuple of Body
        In the order of the scene.

    Attributes
    ----------
    posts : Posts
    blocks : Blocks
        Steps of stairs among them.
    prisms, reliefs : tuple of (int, solid)
        With the 0-based obstacle they belong to.
    low, high : (n, 3) arrays
        Box around every obstacle, as far as it is above the ground, m.
    """

    def __init__(self, bodies: tuple[Body, ...]) -> None:
        self.bodies = bodies
        solids = [(i, solid) for i, body in enumerate(bodies) for solid in body.solids]
        posts = [(i, solid) for i, solid in solids if isinstance(solid, Post)]
        blocks = [(i, solid) for i, solid in solids if isinstance(solid, Block)]
        self.prisms = tuple((i, solid) for i, solid in solids if isinstance(solid, Prism))
        self.reliefs = tuple((i, solid) for i, solid in solids if isinstance(solid, Relief))
        numbers = np.array([(p.x, p.y, p.radius, p.high) for _, p in posts], float).reshape(-1, 4)
        self.posts = Posts(
            numbers[:, :2].copy(), numbers[:, 2].copy(), numbers[:, 3].copy(), np.array([i for i, _ in posts], np.intp)
        )
        self.blocks = Blocks(
            np.array([b.centre for _, b in blocks]).reshape(-1, 3),
            np.array([b.rotation for _, b in blocks]).reshape(-1, 3, 3),
            np.array([b.half for _, b in blocks]).reshape(-1, 3),
            np.array([i for i, _ in blocks], np.intp),
        )
        self.low, self.high = np.full((len(bodies), 3), np.inf), np.full((len(bodies), 3), -np.inf)
        self._enclose()

    def _enclose(self) -> None:
        """Boxes around the obstacles."""
        posts, blocks = self.posts, self.blocks
        reach = np.column_stack((posts.radius, posts.radius, 0.0 * posts.radius))
        foot = np.column_stack((posts.centre, 0.0 * posts.radius))
        self.low[posts.owner] = foot - reach
        self.high[posts.owner] = foot + reach
        self.high[posts.owner, 2] = posts.height
        room = np.einsum("kij,kj->ki", np.abs(blocks.rotation), blocks.half)
        np.minimum.at(self.low, blocks.owner, blocks.centre - room)
        np.maximum.at(self.high, blocks.owner, blocks.centre + room)
        wholes: tuple[tuple[int, Prism | Relief], ...] = (*self.prisms, *self.reliefs)
        for i, body in wholes:
            points = corners(body)
            self.low[i], self.high[i] = points.min(axis=0), points.max(axis=0)
        self.low[:, 2] = np.maximum(self.low[:, 2], 0.0)
        self.high[:, 2] = np.maximum(self.high[:, 2], self.low[:, 2])

    @property
    def problems(self) -> list[tuple[int, Problem]]:
        """Obstacles whose shape cannot be read, 0-based, and why."""
        return [(i, body.problem) for i, body in enumerate(self.bodies) if body.problem is not None]

    @cached_property
    def terrain(self) -> Terrain | None:
        """Everything but posts as triangles; None if there is nothing but posts."""
        n = len(self.bodies)
        plain = np.array([body.surface is None for body in self.bodies], bool)
        drawn = np.flatnonzero(plain[self.blocks.owner]) if n else np.zeros(0, np.intp)
        own = [i for i in range(n) if not plain[i]]
        if not len(drawn) and not own:
            return None
        blocks = self.blocks
        together = surfaces.blocks(blocks.centre[drawn], blocks.rotation[drawn], blocks.half[drawn])
        parts = [together, *(body.surface for body in self.bodies if body.surface is not None)]
        count = np.bincount(blocks.owner[drawn], minlength=n)
        ranges = {}
        for name in ("skin", "shell"):
            each = len(getattr(together, name).indices) // max(len(drawn), 1)
            span = np.column_stack((each * (np.cumsum(count) - count), each * count))
            at = len(getattr(together, name).indices)
            for i, part in zip(own, parts[1:], strict=True):
                span[i] = at, len(getattr(part, name).indices)
                at += span[i, 1]
            ranges[name] = span
        skin = surfaces.join([part.skin for part in parts])
        shell = surfaces.join([part.shell for part in parts])
        earthen = np.array([body.earthen for body in self.bodies])
        sunk = bool((skin.vertices[:, 2] < -1e-6).any())
        return Terrain(skin, shell, ranges["skin"], ranges["shell"], earthen, self._balls(), sunk)

    def _balls(self) -> FloatArray:
        """Balls around everything but posts: small ones, as what they cover of the picture is drawn with care."""
        balls = [np.column_stack((self.blocks.centre, np.linalg.norm(self.blocks.half, axis=1)))]
        for i, _ in (*self.prisms, *self.reliefs):
            low, high = self.low[i], self.high[i]
            count = 6
            step = (high - low)[:2] / count
            x, y = (low[k] + step[k] * (np.arange(count) + 0.5) for k in (0, 1))
            at = np.stack(np.meshgrid(x, y), axis=-1).reshape(-1, 2)
            reach = 0.5 * float(np.linalg.norm((*step, high[2] - low[2])))
            level = np.full(len(at), 0.5 * (low[2] + high[2]))
            balls.append(np.column_stack((at, level, np.full(len(at), reach))))
        return np.concatenate(balls)


# The same tuple of obstacles comes with every frame: what was made of it is kept, and of another tuple what it shares
# with that. A few entries, because two scenes may be drawn in turns (window and video); replaced as a whole, so that
# threads never see half an entry.
_cache: tuple[tuple[tuple[Obstacle, ...], Path | None, Obstacles], ...] = ()
_KEEP = 4


def obstacles_of(obstacles: tuple[Obstacle, ...], base_dir: Path | None = None) -> Obstacles:
    """The obstacles of a scene; the same object for the same tuple.

    Parameters
    ----------
    obstacles : tuple of Obstacle
    base_dir : Path or None
        Folder that file names in the scene are relative to.
    """
    global _cache
    known: dict[int, Body] = {}
    for seen, folder, made in _cache:
        if folder == base_dir:
            if seen is obstacles:
                return made
            # A picture that could not be read may be there now.
            known |= {id(body.obstacle): body for body in made.bodies if body.problem is None}
    bodies = tuple(known.get(id(o)) or _body(o, base_dir) for o in obstacles)
    made = Obstacles(bodies)
    _cache = ((obstacles, base_dir, made), *_cache[: _KEEP - 1])
    return made
