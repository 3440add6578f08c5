"""Picking: exact ray tests against links, obstacles and the ground, without OpenGL."""

from __future__ import annotations

import numpy as np

from snakestudio._arrays import FloatArray
from snakestudio.drawing.camera import Camera
from snakestudio.drawing.draw_list import DrawList
from snakestudio.drawing.obstacles import Obstacles
from snakestudio.drawing.overlays import Pick
from snakestudio.drawing.rays import ray_blocks, ray_prism, ray_relief, ray_triangles
from snakestudio.drawing.tube import Skin


def ray_capsules(
    origin: FloatArray,
    direction: FloatArray,
    centre: FloatArray,
    axis: FloatArray,
    half: FloatArray | float,
    radius: FloatArray | float,
) -> FloatArray:
    """Return the distance along a ray to the first point of each capsule, (k,), m; infinite where it misses.

    Parameters
    ----------
    origin, direction : (3,) arrays
        Start of the ray (m), unit direction.
    centre, axis : (k, 3) arrays
        Centres (m) and unit axes.
    half, radius : float or (k,) arrays
        Half-length of the cylindrical part and radius, m.
    """
    offset = origin - centre
    along = axis @ direction
    start = np.einsum("ij,ij->i", offset, axis)
    # Infinite cylinder: the component perpendicular to the axis has the length of the radius.
    a = 1.0 - along**2
    b = offset @ direction - start * along
    c = np.einsum("ij,ij->i", offset, offset) - start**2 - radius**2
    root = b * b - a * c
    with np.errstate(invalid="ignore", divide="ignore", over="ignore"):
        t = (-b - np.sqrt(root)) / a
        on_side = (root >= 0) & (a > 1e-12) & (np.abs(start + t * along) <= half) & (t >= 0)
    hit = np.where(on_side, t, np.inf)
    for end in (-half, half):
        to = offset - np.reshape(end, (-1, 1)) * axis
        b = to @ direction
        c = np.einsum("ij,ij->i", to, to) - radius**2
        root = b * b - c
        with np.errstate(invalid="ignore"):
            t = -b - np.sqrt(root)
        hit = np.minimum(hit, np.where((root >= 0) & (t >= 0), t, np.inf))
    return hit


def ray_cylinders(
    origin: FloatArray,
    direction: FloatArray,
    centre: FloatArray,
    radius: FloatArray,
    height: FloatArray,
) -> FloatArray:
    """Return the distance along a ray to the first point of each upright cylinder, (k,), m; infinite where it misses.

    Parameters
    ----------
    origin, direction : (3,) arrays
        Start of the ray (m), unit direction.
    centre : (k, 2) array
        m.
    radius, height : (k,) arrays
        m.
    """
    offset = origin[:2] - centre
    flat = direction[:2]
    a = float(flat @ flat)
    b = offset @ flat
    c = np.einsum("ij,ij->i", offset, offset) - radius**2
    hit = np.full(len(radius), np.inf)
    if a > 1e-14:
        root = b * b - a * c
        with np.errstate(invalid="ignore"):
            t = (-b - np.sqrt(root)) / a
            z = origin[2] + t * direction[2]
            side = (root >= 0) & (t >= 0) & (z >= 0) & (z <= height)
        hit = np.where(side, t, hit)
    if abs(direction[2]) > 1e-14:
        for level in (height, np.zeros_like(height)):
            t = (level - origin[2]) / direction[2]
            across = offset + t[:, None] * flat
            lid = (t >= 0) & (np.einsum("ij,ij->i", across, across) <= radius**2)
            hit = np.where(lid & (t < hit), t, hit)
    return hit


def ray_skin(origin: FloatArray, direction: FloatArray, skin: Skin) -> tuple[float, int]:
    """Return the distance along a ray to the first point of a continuous body, m, and its nearest cross-section there.

    Infinite and -1 where it misses. Only triangles near the ray are tested.
    """
    away = skin.middle - origin
    along = away @ direction
    gap = np.linalg.norm(np.diff(skin.middle, axis=0, append=skin.middle[-1:]), axis=1)
    near = np.einsum("ij,ij->i", away, away) - along**2 <= (skin.radius + gap + 1e-9) ** 2
    near[:-1] |= near[1:]
    triangles = skin.indices.reshape(-1, 3)
    triangles = triangles[near[triangles[:, 0] // skin.columns]]
    if not len(triangles):
        return np.inf, -1
    hits = ray_triangles(origin, direction, skin.vertices[:, :3].astype(float)[triangles])
    first = int(np.argmin(hits))
    if not np.isfinite(hits[first]):
        return np.inf, -1
    point = origin + hits[first] * direction
    row = int(triangles[first].min()) // skin.columns
    rows = np.arange(max(row - 1, 0), min(row + 3, len(skin.middle)))
    nearest = rows[np.argmin(np.square(skin.middle[rows] - point).sum(axis=1))]
    return float(hits[first]), int(skin.section[nearest])


def pick(
    draw_list: DrawList, camera: Camera, ndc: tuple[float, float], aspect: float
) -> Pick | None:
    """Return the first object on the ray through a point of the frame.

    Parameters
    ----------
    ndc : (float, float)
        Point of the frame, -1 to 1 from left to right and from bottom to top.
    aspect : float
        Width over height of the frame.

    Returns
    -------
    Pick or None
        None for the sky.
    """
    origin, direction = camera.ray(ndc, aspect)
    nearest = np.inf
    kind = ""
    index = -1
    links = draw_list.links
    known = np.flatnonzero(links.known)
    if draw_list.tube is not None:
        t, k = ray_skin(origin, direction, draw_list.tube.skin)
        if t < nearest:
            nearest = t
            kind = "link"
            index = k
    elif len(known):
        radius, half, _ = (size[known] for size in draw_list.sizes)
        hits = ray_capsules(
            origin, direction, links.position[known], links.axis[known], half, radius
        )
        first = int(np.argmin(hits))
        if hits[first] < nearest:
            nearest = float(hits[first])
            kind = "link"
            index = int(known[first])
    t, k = _first_obstacle(draw_list.world, origin, direction)
    if t < nearest:
        nearest = t
        kind = "obstacle"
        index = k
    ground = camera.ground_point(ndc, aspect)
    if ground is not None and float(np.linalg.norm(ground - origin)) < nearest:
        return Pick("ground", -1, (float(ground[0]), float(ground[1]), 0.0))
    if not kind:
        return None
    x, y, z = origin + nearest * direction
    return Pick(kind, index, (float(x), float(y), float(z)))


def _first_obstacle(
    world: Obstacles, origin: FloatArray, direction: FloatArray
) -> tuple[float, int]:
    """Return the distance along a ray to the nearest obstacle, m, and its index; infinite and -1 if missing."""
    posts = world.posts
    blocks = world.blocks
    candidates = [(np.inf, -1)]
    for hits, owner in (
        (ray_cylinders(origin, direction, posts.centre, posts.radius, posts.height), posts.owner),
        (ray_blocks(origin, direction, blocks.centre, blocks.rotation, blocks.half), blocks.owner),
    ):
        if len(hits):
            k = int(np.argmin(hits))
            candidates.append((float(hits[k]), int(owner[k])))
    candidates += [(ray_prism(origin, direction, body), i) for i, body in world.prisms]
    candidates += [(ray_relief(origin, direction, body), i) for i, body in world.reliefs]
    return min(candidates)


def pick_rectangle(
    draw_list: DrawList,
    camera: Camera,
    corner: tuple[float, float],
    opposite: tuple[float, float],
    aspect: float,
) -> tuple[Pick, ...]:
    """Return the links and obstacles whose centre is in a rectangle of the frame, including occluded ones.

    Parameters
    ----------
    corner, opposite : (float, float)
        Any two opposite corners, in normalised device coordinates.
    aspect : float
        Width over height of the frame.
    """
    low, high = np.minimum(corner, opposite), np.maximum(corner, opposite)
    picks: list[Pick] = []
    middles = 0.5 * (draw_list.world.low + draw_list.world.high)
    for kind, points in (("link", draw_list.links.position), ("obstacle", middles)):
        ndc = camera.project(points, aspect)[:, :2]
        inside = np.all((ndc >= low) & (ndc <= high), axis=1)
        picks += [Pick(kind, int(i), _triple(points[i])) for i in np.flatnonzero(inside)]
    return tuple(picks)


def _triple(point: FloatArray) -> tuple[float, float, float]:
    x, y, z = point
    return float(x), float(y), float(z)
