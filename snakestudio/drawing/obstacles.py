"""Obstacles of a scene for drawing and picking: posts, blocks, surfaces and bounds, cached and shared."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from operator import attrgetter
from pathlib import Path
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from snakestudio._arrays import FloatArray, IndexArray
from snakestudio.drawing.bodies import ObstacleBody, body_of
from snakestudio.drawing.terrain import Blocks, Terrain, make_terrain, with_others
from snakestudio.errors import Problem
from snakestudio.model.by_identity import others
from snakestudio.model.obstacles.outlines import corners
from snakestudio.model.obstacles.shape import Obstacle
from snakestudio.model.obstacles.solids import Block, Post, Prism, Relief


@dataclass(frozen=True, slots=True, eq=False)
class Posts:
    """Upright cylinders on the ground, as arrays."""

    centre: FloatArray
    """m. Shape (k, 2)."""

    radius: FloatArray
    """Radii, m. Shape (k,)."""

    height: FloatArray
    """Heights, m. Shape (k,)."""

    owner: IndexArray
    """0-based obstacle of each, ascending. Shape (k,)."""


class Obstacles:
    """All obstacles of a scene.

    Parameters
    ----------
    bodies : tuple of ObstacleBody
        Bodies in the order of the scene.

    Attributes
    ----------
    blocks : Blocks
        Blocks, including steps of stairs.
    prisms, reliefs : tuple of (int, solid)
        Solids, each with its 0-based obstacle.
    low, high : (n, 3) arrays
        Box around the part of each obstacle above the ground, m; NaN for one without solids.
    """

    def __init__(self, bodies: tuple[ObstacleBody, ...]) -> None:
        self.bodies = bodies
        solids = [(i, solid) for i, body in enumerate(bodies) for solid in body.solids]
        posts = [(i, solid) for i, solid in solids if isinstance(solid, Post)]
        blocks = [(i, solid) for i, solid in solids if isinstance(solid, Block)]
        self.prisms = tuple((i, solid) for i, solid in solids if isinstance(solid, Prism))
        self.reliefs = tuple((i, solid) for i, solid in solids if isinstance(solid, Relief))
        numbers = np.array([(p.x, p.y, p.radius, p.high) for _, p in posts], float).reshape(-1, 4)
        self.posts = Posts(
            numbers[:, :2].copy(),
            numbers[:, 2].copy(),
            numbers[:, 3].copy(),
            np.array([i for i, _ in posts], np.intp),
        )
        self.blocks = Blocks(
            np.array([b.centre for _, b in blocks]).reshape(-1, 3),
            np.array([b.rotation for _, b in blocks]).reshape(-1, 3, 3),
            np.array([b.half for _, b in blocks]).reshape(-1, 3),
            np.array([i for i, _ in blocks], np.intp),
        )
        self.low, self.high = self._boxes()

    def _boxes(self) -> tuple[FloatArray, FloatArray]:
        """Return the boxes around the obstacles."""
        posts = self.posts
        blocks = self.blocks
        low = np.full((len(self.bodies), 3), np.inf)
        high = np.full((len(self.bodies), 3), -np.inf)
        reach = np.column_stack((posts.radius, posts.radius, 0.0 * posts.radius))
        foot = np.column_stack((posts.centre, 0.0 * posts.radius))
        top = np.column_stack((posts.centre + reach[:, :2], posts.height))
        np.minimum.at(low, posts.owner, foot - reach)
        np.maximum.at(high, posts.owner, top)
        extent = np.einsum("kij,kj->ki", np.abs(blocks.rotation), blocks.half)
        np.minimum.at(low, blocks.owner, blocks.centre - extent)
        np.maximum.at(high, blocks.owner, blocks.centre + extent)
        wholes: tuple[tuple[int, Prism | Relief], ...] = (*self.prisms, *self.reliefs)
        for i, body in wholes:
            points = corners(body)
            low[i], high[i] = (
                np.minimum(low[i], points.min(axis=0)),
                np.maximum(high[i], points.max(axis=0)),
            )
        low[:, 2] = np.maximum(low[:, 2], 0.0)
        high[:, 2] = np.maximum(high[:, 2], low[:, 2])
        empty = np.isinf(low[:, 0])
        low[empty] = np.nan
        high[empty] = np.nan
        return low, high

    @property
    def box(self) -> tuple[FloatArray, FloatArray]:
        """Corners (3,) of the box around all obstacles, m; NaN if empty."""
        if not len(self.low):
            return np.full(3, np.nan), np.full(3, np.nan)
        return np.fmin.reduce(self.low), np.fmax.reduce(self.high)

    @property
    def problems(self) -> list[tuple[int, Problem]]:
        """0-based obstacles with an unreadable shape, and the reasons."""
        return [(i, body.problem) for i, body in enumerate(self.bodies) if body.problem is not None]

    @cached_property
    def terrain(self) -> Terrain | None:
        """All obstacles except posts as triangles; None if there are only posts."""
        return make_terrain(self.bodies, self.blocks, self._balls())

    def _balls(self) -> FloatArray:
        """Bounding balls of everything except posts; small ones, because the covered area is multisampled."""
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

    def with_bodies(self, bodies: tuple[ObstacleBody, ...]) -> Obstacles:
        """Return the obstacles with new bodies; unchanged parts are reused, so that dragging one of many is fast."""
        if len(bodies) != len(self.bodies):
            return Obstacles(bodies)
        changed = others(self.bodies, bodies)
        if len(changed) > _MOST_CHANGED * len(bodies) + 1:
            return Obstacles(bodies)
        new = Obstacles(tuple(bodies[i] for i in changed))
        chosen = np.array(changed, np.intp)
        kinds = ("posts", "blocks", "prisms", "reliefs")
        if any(
            not np.array_equal(_counts(self, kind, chosen), _counts(new, kind)) for kind in kinds
        ):
            return Obstacles(bodies)
        copy = Obstacles.__new__(Obstacles)
        copy.bodies = bodies
        posts = self.posts
        blocks = self.blocks
        at = np.isin(posts.owner, chosen)
        copy.posts = (
            Posts(
                _put(posts.centre, at, new.posts.centre),
                _put(posts.radius, at, new.posts.radius),
                _put(posts.height, at, new.posts.height),
                posts.owner,
            )
            if at.any()
            else posts
        )
        at = np.isin(blocks.owner, chosen)
        copy.blocks = (
            Blocks(
                _put(blocks.centre, at, new.blocks.centre),
                _put(blocks.rotation, at, new.blocks.rotation),
                _put(blocks.half, at, new.blocks.half),
                blocks.owner,
            )
            if at.any()
            else blocks
        )
        copy.prisms = _solids_of(self.prisms, new.prisms, changed)
        copy.reliefs = _solids_of(self.reliefs, new.reliefs, changed)
        copy.low, copy.high = _put(self.low, chosen, new.low), _put(self.high, chosen, new.high)
        self._hand_on(copy, changed, new)
        return copy

    def _hand_on(self, other: Obstacles, changed: Sequence[int], new: Obstacles) -> None:
        """Pass the terrain on to `other`, if it exists already and the change permits."""
        terrain: Terrain | None = self.__dict__.get("terrain")
        if terrain is None:
            return
        part = make_terrain(new.bodies, new.blocks, new._balls(), terrain.rimmed)
        patched = terrain if part is None else with_others(terrain, changed, part, other._balls())
        if patched is not None:
            other.__dict__["terrain"] = patched


_MOST_CHANGED = 0.2
"""Largest fraction of changed obstacles for which reusing the arrays is worthwhile."""


def _counts(world: Obstacles, kind: str, chosen: IndexArray | None = None) -> IndexArray:
    """Return the number of solids of a kind of each (chosen) obstacle."""
    solids = getattr(world, kind)
    owner = np.array([i for i, _ in solids], np.intp) if isinstance(solids, tuple) else solids.owner
    count = np.bincount(owner, minlength=len(world.bodies))
    return count if chosen is None else count[chosen]


def _put(array: FloatArray, at: NDArray[np.generic], values: FloatArray) -> FloatArray:
    changed = array.copy()
    changed[at] = values
    return changed


_Whole = TypeVar("_Whole", Prism, Relief)


def _solids_of(
    solids: tuple[tuple[int, _Whole], ...],
    others: tuple[tuple[int, _Whole], ...],
    changed: Sequence[int],
) -> tuple[tuple[int, _Whole], ...]:
    if not others:
        return solids
    new = iter(others)
    chosen = set(changed)
    return tuple((i, next(new)[1] if i in chosen else solid) for i, solid in solids)


_OBSTACLE = attrgetter("obstacle")
_PROBLEM = attrgetter("problem")
_HIDDEN = attrgetter("hidden")


def _bodies(
    obstacles: tuple[Obstacle, ...], base_dir: Path | None, cached: tuple[ObstacleBody, ...]
) -> tuple[ObstacleBody, ...]:
    """Return the bodies of obstacles; existing ones are reused."""
    if len(cached) == len(obstacles):
        # Usually one of many has changed, so comparing by position is fast.
        other = others(tuple(map(_OBSTACLE, cached)), obstacles)
        if any(map(_PROBLEM, cached)):
            other = sorted(
                {*other, *(i for i, body in enumerate(cached) if body.problem is not None)}
            )
        if len(other) <= _MOST_CHANGED * len(obstacles):
            bodies = list(cached)
            for i in other:
                bodies[i] = body_of(obstacles[i], base_dir)
            return tuple(bodies)
    # Files that were unreadable before may exist now.
    known = {id(body.obstacle): body for body in cached if body.problem is None}
    return tuple(known.get(id(o)) or body_of(o, base_dir) for o in obstacles)


# Every frame has the same tuple of obstacles, so its result is cached; a new tuple reuses the shared
# parts. A few entries, because two scenes may be drawn alternately (window and video); replaced as a
# whole, so that threads never see a partial entry.
_cache: tuple[tuple[tuple[Obstacle, ...], Path | None, bool, Obstacles], ...] = ()
_KEEP = 6


def obstacles_of(
    obstacles: tuple[Obstacle, ...], base_dir: Path | None = None, *, shown_only: bool = False
) -> Obstacles:
    """Return the obstacles of a scene; the same object for the same tuple.

    Parameters
    ----------
    base_dir : Path or None
        Base folder of file names in the scene.
    shown_only : bool
        Omit the solids of hidden obstacles; their numbers stay.
    """
    global _cache
    alike = None
    for seen, folder, only, drawn in _cache:
        if folder == base_dir and only == shown_only:
            if seen is obstacles:
                return drawn
            if alike is None or (
                len(alike.bodies) != len(obstacles) and len(drawn.bodies) == len(obstacles)
            ):
                alike = drawn
    if shown_only:
        drawn = obstacles_of(obstacles, base_dir)
        if any(map(_HIDDEN, obstacles)):
            blank = {} if alike is None else {id(b.obstacle): b for b in alike.bodies}
            bodies = tuple(
                blank.get(id(body.obstacle)) or ObstacleBody(body.obstacle, (), None, None)
                if body.obstacle.hidden
                else body
                for body in drawn.bodies
            )
            drawn = Obstacles(bodies) if alike is None else alike.with_bodies(bodies)
    else:
        bodies = _bodies(obstacles, base_dir, () if alike is None else alike.bodies)
        drawn = Obstacles(bodies) if alike is None else alike.with_bodies(bodies)
    _cache = ((obstacles, base_dir, shown_only, drawn), *_cache[: _KEEP - 1])
    return drawn
