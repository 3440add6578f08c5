"""Obstacles in planar models: their outlines, unsupported obstacles, and links that start inside one."""

from __future__ import annotations

import math
from typing import Protocol

import numpy as np

from snakestudio._arrays import FloatArray
from snakestudio.engines import checks
from snakestudio.engines.grid import Grid, make_grid
from snakestudio.errors import Fix, Problem
from snakestudio.kernels.planar_problem import TURN
from snakestudio.model.by_identity import by_identity
from snakestudio.model.obstacles.shape import Obstacle, obstacle_solids, shape_of
from snakestudio.model.obstacles.solids import Block, Post, Solid
from snakestudio.model.obstacles.walls import as_wall, vertical_axis
from snakestudio.model.scene import Scene

OUTLINE = ("x", "y", "radius", "half_x", "half_y", "cos", "sin", "met", "friction", "owner")
"""Columns of an outline: a rectangle of half sizes half_x, half_y about (x, y), m, whose x axis has
the direction (cos, sin), or if these are 0 a circle of that radius, m; 1 if links can meet it, 0 if
it ends below or begins above them; its friction coefficient; the index of its obstacle, 0-based."""

RADIUS, HALF_X, HALF_Y, BOX_COS, BOX_SIN, MET, MU, OWNER = range(2, 10)
"""Indices of these columns; X and Y are first."""


@by_identity
def fits_the_plane(obstacle: Obstacle) -> bool:
    """Return whether `obstacle` is a wall to a planar robot: not terrain, and made of posts and upright blocks."""
    return not shape_of(obstacle).terrain and all(
        as_wall(solid) is not None for solid in obstacle_solids(obstacle)
    )


@by_identity
def _outlines(obstacle: Obstacle) -> list[tuple[tuple[float, ...], float, float]]:
    """Return the parts of a wall: the first seven columns of `OUTLINE`, and the heights of lower and upper face, m."""
    return [_outline(solid) for solid in obstacle_solids(obstacle)]


def _outline(solid: Solid) -> tuple[tuple[float, ...], float, float]:
    if isinstance(solid, Post):
        return (solid.x, solid.y, solid.radius, 0.0, 0.0, 1.0, 0.0), solid.low, solid.high
    block = as_wall(solid)
    assert isinstance(block, Block)
    up = vertical_axis(block)
    first, second = (a for a in range(3) if a != up)
    x, y, z = (float(c) for c in block.centre)
    along = block.rotation[:2, first]
    length = math.hypot(*along)
    half_x, half_y, half_z = (float(block.half[a]) for a in (first, second, up))
    return (
        (x, y, 0.0, half_x, half_y, float(along[0]) / length, float(along[1]) / length),
        z - half_z,
        z + half_z,
    )


_NOTHING = (0.0,) * (len(OUTLINE) - 1)


def outlines(obstacles: tuple[Obstacle, ...], radius: float) -> FloatArray:
    """Return the outlines of all obstacles for links of `radius` (m) that lie on the ground, (k, 10); see `OUTLINE`.

    Each obstacle has as many outlines as solids. Obstacles that `check` rejects for planar models
    cannot be met.
    """
    rows = [
        (*row, float(j))
        for j, obstacle in enumerate(obstacles)
        for row in (_rows(obstacle, radius) if fits_the_plane(obstacle) else [_NOTHING])
    ]
    return np.array(rows, float).reshape(-1, len(OUTLINE))


def _rows(obstacle: Obstacle, radius: float) -> list[tuple[float, ...]]:
    return [
        (*outline, float(low < 2.0 * radius and high > 0.0), obstacle.friction)
        for outline, low, high in _outlines(obstacle)
    ]


class _Walls(Protocol):
    """Constants of a run among obstacles."""

    @property
    def obstacles(self) -> FloatArray: ...

    @property
    def grid(self) -> Grid: ...


def obstacle_grid(obstacles: FloatArray, reach: float, old: _Walls | None = None) -> Grid:
    """Return the grid of the outlines that can be met, with their indices among all.

    The grid of `old` is reused if the obstacles are unchanged.

    Parameters
    ----------
    obstacles : (k, 9) array
        Outlines from `outlines`.
    reach : float
        Reach of a link from its centre, m.
    """
    if old is not None and np.array_equal(old.obstacles[:, :MU], obstacles[:, :MU]):
        return old.grid
    met = np.flatnonzero(obstacles[:, MET])
    x, y, radius, half_x, half_y, cos, sin = obstacles[met, :7].T
    centre = np.column_stack([x, y])
    spread = np.column_stack(
        [abs(cos) * half_x + abs(sin) * half_y, abs(sin) * half_x + abs(cos) * half_y]
    )
    grid = make_grid(centre - spread, centre + spread, radius + reach)
    return grid._replace(items=met[grid.items])


def gaps(
    outline: FloatArray, q: FloatArray, half: FloatArray | float, radius: FloatArray | float
) -> FloatArray:
    """Return gaps between one obstacle and the links, (n,), m; a link through a wall has its thickness as depth.

    Parameters
    ----------
    outline : (9,) array
    q : (n, 3) array
        x, y of the middles of the links' contact segments, and theta.
    half, radius : float or (n,) array
        L_GS and L_SC of the links, m.
    """
    halves = np.broadcast_to(half, len(q))
    half = halves[:, None]
    x, y, round_off, half_x, half_y, cos, sin = outline[:7]
    turn = np.array([[cos, sin], [-sin, cos]])
    centre = (q[:, :2] - (x, y)) @ turn.T  # in the frame of the obstacle, as everything below
    axis = np.column_stack([np.cos(q[:, TURN]), np.sin(q[:, TURN])]) @ turn.T
    size = np.array([half_x, half_y])
    corners = size * np.array([[1.0, 1.0], [-1.0, 1.0], [-1.0, -1.0], [1.0, -1.0]])
    lever = np.clip(np.einsum("nci,ni->nc", corners - centre[:, None], axis), -half, half)
    nearest = np.linalg.norm(
        centre[:, None] + lever[..., None] * axis[:, None] - corners, axis=2
    ).min(axis=1)
    for end in (-half, half):
        out = np.abs(centre + end * axis) - size
        outside = np.linalg.norm(np.maximum(out, 0.0), axis=1)
        nearest = np.minimum(nearest, outside + np.minimum(out.max(axis=1), 0.0))
    # The part of the axis between each pair of faces; if both parts overlap, the link goes through.
    with np.errstate(
        divide="ignore", invalid="ignore", over="ignore"
    ):  # a link parallel to a face never leaves the pair
        one = (-size - centre) / axis
        other = (size - centre) / axis
    enters = np.maximum(np.fmin(one, other).max(axis=1), -halves)
    leaves = np.minimum(np.fmax(one, other).min(axis=1), halves)
    nearest = np.where(enters < leaves, np.minimum(nearest, 0.0), nearest)
    gap: FloatArray = nearest - round_off - radius
    return gap


def _label(obstacle: Obstacle, j: int) -> str:
    return f"obstacle {j + 1} ({obstacle.name})" if obstacle.name else f"obstacle {j + 1}"


def overlaps(scene: Scene, q: FloatArray) -> list[Problem]:
    """Return problems of links that start inside an obstacle; one problem per obstacle.

    Parameters
    ----------
    q : (n, 3) array
        x, y, theta of the links at the start.
    """
    if not scene.obstacles:
        return []
    links = scene.robot.links
    half = np.array([link.contact_half_length for link in links])
    radius = np.array([link.radius for link in links])
    centre = np.array([link.centre_of_mass for link in links])
    q = q.copy()
    q[:, :2] -= centre[:, None] * np.column_stack([np.cos(q[:, TURN]), np.sin(q[:, TURN])])
    table = outlines(scene.obstacles, float(radius.max()))
    owner = table[:, OWNER].astype(np.int64)
    around = float((half + radius).max())
    low = q[:, :2].min(axis=0) - around
    high = q[:, :2].max(axis=0) + around
    reach = (table[:, RADIUS] + np.hypot(table[:, HALF_X], table[:, HALF_Y]))[:, None]
    near = np.all((table[:, :2] + reach >= low) & (table[:, :2] - reach <= high), axis=1)
    problems: list[Problem] = []
    met = near & (table[:, MET] > 0.0)
    for j in np.unique(owner[met]):
        own = table[met & (owner == j)]
        gap = np.min([gaps(outline, q, half, radius) for outline in own], axis=0)
        k = int(gap.argmin())
        if gap[k] < -checks.TOLERATED:
            few = len(problems) < checks.MAX_FIXED_OBSTACLES

            def clear(shift: FloatArray, outlines: FloatArray = table[owner == j]) -> bool:
                moved = outlines.copy()
                moved[:, :2] += shift
                return all(float(gaps(outline, q, half, radius).min()) > 0.0 for outline in moved)

            problems.append(
                checks.inside_obstacle(scene, int(j), [k], -float(gap[k]), clear if few else None)
            )
    return problems


def obstacle_problems(obstacles: tuple[Obstacle, ...], radius: float) -> list[Problem]:
    """Return problems of obstacles that planar models reject, and of those that links of `radius` (m) could climb."""
    problems = []
    for j, obstacle in enumerate(obstacles):
        key = f"obstacles[{j + 1}]"
        kind = shape_of(obstacle)
        fits = fits_the_plane(obstacle)
        if not fits and not (kind.tilts and not kind.terrain):
            message = f"{_label(obstacle, j)} is {kind.mention}, which a planar model cannot climb"
            remedy = "set model.kind to spatial_nonsmooth, or remove it"
            if not kind.terrain:
                message = (
                    f"{_label(obstacle, j)} is {kind.mention}, and walls of planar models consist of posts and upright "
                    "blocks"
                )
                remedy = "build it of these, set model.kind to spatial_nonsmooth, or remove it"
            problems.append(
                Problem(
                    "error", f"{key}.kind", message, remedy, obstacles=(j,), fixes=(checks.SPATIAL,)
                )
            )
            continue
        if not fits:
            message = (
                f"{_label(obstacle, j)} is a tilted {kind.title.lower()}, and this model is planar"
            )
            remedy = (
                "set pitch_deg and roll_deg to 0, set model.kind to spatial_nonsmooth, or remove it"
            )
            flat = Fix("Set it upright", ((f"{key}.pitch_deg", 0.0), (f"{key}.roll_deg", 0.0)))
            problems.append(
                Problem(
                    "error",
                    f"{key}.pitch_deg",
                    message,
                    remedy,
                    obstacles=(j,),
                    fixes=(flat, checks.SPATIAL),
                )
            )
            continue
        heights = [(low, high) for _, low, high in _outlines(obstacle)]
        low, high = min(low for low, _ in heights), max(high for _, high in heights)
        if not low < 2.0 * radius or not high > 0.0 or low <= radius <= high:
            continue
        face, height = ("ends", high) if high < radius else ("begins", low)
        message = (
            f"{_label(obstacle, j)} {face} {1e3 * height:.3g} mm above the ground, where the links' axes are at "
            f"{1e3 * radius:.3g} mm, but this planar model treats it as a wall"
        )
        name = "z_m" if kind.raised and high >= radius else "height_m"
        problems.append(
            Problem(
                "warning",
                f"{key}.{name}" if name in kind.fields.model_fields else key,
                message,
                "change it, or choose a spatial model",
                obstacles=(j,),
                fixes=(checks.SPATIAL,),
            )
        )
    return problems


def same_structure(one: Scene, other: Scene) -> bool:
    """Return whether a running planar engine of `one` can continue with `other`."""
    return (
        one.model == other.model
        and one.start == other.start
        and all(fits_the_plane(o) for o in other.obstacles)
        and one.solver.step_s == other.solver.step_s
        and one.robot.model_copy(update={"name": other.robot.name, "head": other.robot.head})
        == other.robot
        and np.array_equal(one.axis_values.rotor, other.axis_values.rotor)
    )
