"""Meshes of the basic solids as numpy arrays.

All are oriented along the x axis and scaled by one rule, so that a single vertex shader places them: a
vertex is at ``radius * position + half_length * stretch * x_axis``, with radius and half-length of the
instance. So a capsule keeps its round ends, an arrow its head and a cylinder its bevel at any length.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Profile = Sequence[tuple[float, float, float, float, float, float]]
"""Points of a meridian: x, r, normal x, normal r, stretch, tone."""


@dataclass(frozen=True, slots=True)
class Mesh:
    """A triangle mesh."""

    vertices: NDArray[np.float32]
    """Position (3, in radii), normal (3), stretch (in half-lengths along x), tone (factor of the
    instance's colour). Shape (k, 8)."""

    indices: NDArray[np.uint32]
    """Three indices per triangle, counter-clockwise from outside. Shape (m,)."""


def _revolve(
    profile: Profile, angles: Sequence[float], plate: Callable[[int, int], float] | None = None
) -> Mesh:
    """Return the surface of revolution about x; a repeated point or angle creates a hard edge.

    Parameters
    ----------
    profile : sequence
        Meridian from the rear (-x) to the front.
    angles : sequence of float
        Angles about x from the z axis towards -y, rad; the last closes the surface if it is the
        first plus a full turn.
    plate : callable, optional
        Additional tone factor of (profile index, angle index).
    """
    p, a = np.array(profile, float), np.array(angles, float)
    rows, columns = len(p), len(a)
    ca, sa = np.cos(a), np.sin(a)
    vertices = np.empty((rows, columns, 8))
    vertices[..., 0] = p[:, None, 0]
    vertices[..., 1] = -p[:, None, 1] * sa
    vertices[..., 2] = p[:, None, 1] * ca
    vertices[..., 3] = p[:, None, 2]
    vertices[..., 4] = -p[:, None, 3] * sa
    vertices[..., 5] = p[:, None, 3] * ca
    vertices[..., 6] = p[:, None, 4]
    vertices[..., 7] = p[:, None, 5]
    if plate is not None:
        for i in range(rows):
            for j in range(columns):
                vertices[i, j, 7] *= plate(i, j)
    triangles: list[tuple[int, int, int]] = []
    for i in range(rows - 1):
        if np.allclose(p[i, [0, 1, 4]], p[i + 1, [0, 1, 4]]):
            continue
        for j in range(columns - 1):
            if abs(a[j] - a[j + 1]) < 1e-9:
                continue
            k = i * columns + j
            if p[i, 1] > 1e-9:
                triangles.append((k, k + columns, k + 1))
            if p[i + 1, 1] > 1e-9:
                triangles.append((k + 1, k + columns, k + columns + 1))
    flat = vertices.reshape(-1, 8).astype(np.float32)
    indices = np.array(triangles, np.uint32)
    return Mesh(flat, _outward(flat, indices).ravel())


def _outward(vertices: NDArray[np.float32], triangles: NDArray[np.uint32]) -> NDArray[np.uint32]:
    """Return the triangles oriented according to their normals (at radius 1 and half-length 1)."""
    solid = vertices[:, :3].astype(float)
    solid[:, 0] += vertices[:, 6]
    a, b, c = (solid[triangles[:, i]] for i in range(3))
    facing = np.cross(b - a, c - a)
    normal = vertices[triangles, 3:6].sum(axis=1)
    wrong = np.einsum("ij,ij->i", facing, normal) < 0
    triangles[wrong] = triangles[wrong][:, ::-1]
    return triangles


def _merge(*meshes: Mesh) -> Mesh:
    vertices = []
    indices = []
    offset = 0
    for mesh in meshes:
        vertices.append(mesh.vertices)
        indices.append(mesh.indices + np.uint32(offset))
        offset += len(mesh.vertices)
    return Mesh(np.concatenate(vertices), np.concatenate(indices))


def _turn(detail: int) -> list[float]:
    return [2 * math.pi * k / detail for k in range(detail + 1)]


def _cap(
    detail: int, end: float, tone: float = 1.0, pole: float = math.pi / 2
) -> list[tuple[float, float, float, float, float, float]]:
    """Return the meridian of an end sphere, from the rear pole, or to the front pole, or up to an angle `pole`."""
    steps = max(2, round(detail / 4 * pole / (math.pi / 2)))
    quarter = [pole * k / steps for k in range(steps + 1)]
    arc = [
        (math.sin(q) * end, math.cos(q), math.sin(q) * end, math.cos(q), end, tone) for q in quarter
    ]
    return arc if end > 0 else arc[::-1]


def _capsule(detail: int) -> Mesh:
    """Return the plain cylinder with round ends: ghosts and outlines."""
    return _revolve([*_cap(detail, -1.0), *_cap(detail, 1.0)], _turn(detail))


_SEAM = 0.13
_DEPTH = 0.93
_TRIM = 0.36
"""Width and radius of the dark groove at either end of a link's shell, and its tone."""


_BACK = 0.24
"""Additional lightness at the middle of a link's back."""

_HIDDEN = math.radians(66)
"""Part of an end sphere that can be visible next to a neighbour, even at a joint bent by 90°."""

_FINE = 32
"""Number of facets from which grooves are geometry instead of colour."""


def _shell(detail: int, pole: float) -> Mesh:
    """Link: shell between two dark grooves, with a lighter back that shows its roll angle.

    The colour fades gradually, because any edge along a cylinder looks like a facet.
    """
    angles = _turn(detail)
    s, t = _SEAM, _TRIM
    d = _DEPTH if detail >= _FINE else 1.0
    body = [
        (0.0, 1.0, 0.0, 1.0, -1.0, 1.0), (0.0, 1.0, 1.0, 0.0, -1.0, t), (0.0, d, 1.0, 0.0, -1.0, t),
        (0.0, d, 0.0, 1.0, -1.0, t), (s, d, 0.0, 1.0, -1.0, t), (s, d, -1.0, 0.0, -1.0, t),
        (s, 1.0, -1.0, 0.0, -1.0, t),
        (s, 1.0, 0.0, 1.0, -1.0, 1.0), (-s, 1.0, 0.0, 1.0, 1.0, 1.0),
        (-s, 1.0, 1.0, 0.0, 1.0, t), (-s, d, 1.0, 0.0, 1.0, t), (-s, d, 0.0, 1.0, 1.0, t), (0.0, d, 0.0, 1.0, 1.0, t),
        (0.0, d, -1.0, 0.0, 1.0, t), (0.0, 1.0, -1.0, 0.0, 1.0, t), (0.0, 1.0, 0.0, 1.0, 1.0, 1.0),
    ]  # fmt: skip
    rear = _cap(detail, -1.0, pole=pole)
    front = _cap(detail, 1.0, pole=pole)
    profile = [*rear[:-1], *body, *front[1:]]
    first = len(rear) - 1 + 7

    def back(i: int, j: int) -> float:
        return (
            1.0 + _BACK * (0.5 + 0.5 * math.cos(angles[j])) ** 3 if i in (first, first + 1) else 1.0
        )

    return _revolve(profile, angles, back)


def _link(detail: int) -> Mesh:
    """Return the link between two neighbours, without the parts deep inside them."""
    return _shell(detail, _HIDDEN)


def _end_link(detail: int) -> Mesh:
    """Return the link with a visible end."""
    return _shell(detail, math.pi / 2)


def _patch(radius: float, azimuths: Sequence[float], elevations: Sequence[float]) -> Mesh:
    """Return the part of a sphere around the front end, between azimuths about z and elevations, rad."""
    az, el = np.meshgrid(np.array(azimuths), np.array(elevations))
    normal = np.stack((np.cos(el) * np.cos(az), np.cos(el) * np.sin(az), np.sin(el)), axis=-1)
    rows, columns = az.shape
    vertices = np.concatenate((normal * radius, normal, np.ones((rows, columns, 2))), axis=-1)
    k = np.arange(rows * columns).reshape(rows, columns)
    a, b, c, d = (x.ravel() for x in (k[:-1, :-1], k[:-1, 1:], k[1:, 1:], k[1:, :-1]))
    triangles = np.concatenate((np.stack((a, b, c), 1), np.stack((a, c, d), 1))).astype(np.uint32)
    flat = vertices.reshape(-1, 8).astype(np.float32)
    return Mesh(flat, _outward(flat, triangles).ravel())


def _visor(detail: int) -> Mesh:
    """Return the dark glass across the front of the head."""
    wide = math.radians(78)
    low = math.radians(2)
    high = math.radians(56)
    # Independent of the detail of the head: its facets are inside the sphere of radius 1, and the
    # visor must not intersect it.
    steps = max(25, detail // 2)
    rows = max(10, detail // 6)
    return _patch(
        1.012, np.linspace(-wide, wide, steps).tolist(), np.linspace(low, high, rows).tolist()
    )


def _collar(detail: int) -> Mesh:
    """Return the band in the groove behind the front end of the head, with the facets of the shell below it."""
    over = 0.01  # covers the edges of the groove, visible at a flat angle
    return _revolve([(-_SEAM - over, 1.006, 0, 1, 1, 1), (over, 1.006, 0, 1, 1, 1)], _turn(detail))


def _eyes(detail: int) -> Mesh:
    """Return two discs on the visor."""
    eyes = []
    for side in (-1.0, 1.0):
        azimuth = side * math.radians(36)
        elevation = math.radians(33)
        size = math.radians(13)
        forward = np.array(
            [
                math.cos(elevation) * math.cos(azimuth),
                math.cos(elevation) * math.sin(azimuth),
                math.sin(elevation),
            ]
        )
        across = np.array([-math.sin(azimuth), math.cos(azimuth), 0.0])
        up = np.cross(forward, across)
        around = np.linspace(0, 2 * math.pi, max(20, detail // 2), endpoint=False)
        outwards = np.outer(np.cos(around), across) + np.outer(np.sin(around), up)
        rings = [
            forward * math.cos(size * fraction) + math.sin(size * fraction) * outwards
            for fraction in (0.5, 1.0)
        ]
        normal = np.vstack((forward, *rings))
        # Just above the visor: a larger gap would be visible at the outline of the head.
        vertices = np.hstack((normal * 1.019, normal, np.ones((len(normal), 2)))).astype(np.float32)
        k = np.arange(1, len(around) + 1)
        following = np.roll(k, -1)
        inner = np.stack((np.zeros_like(k), k, following), axis=1)
        outer = [(k, k + len(k), following + len(k)), (k, following + len(k), following)]
        triangles = np.concatenate((inner, *(np.stack(each, axis=1) for each in outer))).astype(
            np.uint32
        )
        eyes.append(Mesh(vertices, _outward(vertices, triangles).ravel()))
    return _merge(*eyes)


def _ring(detail: int) -> Mesh:
    """Outer half of a torus of radius 1 around x: the gasket of a joint, whose inner half is inside the links."""
    minor = 0.17
    around = max(4, detail // 4)
    profile = []
    for k in range(around + 1):
        q = math.pi * (k / around - 0.5) * 1.2
        profile.append(
            (minor * math.sin(q), 1 + minor * math.cos(q), math.sin(q), math.cos(q), 0.0, 1.0)
        )
    return _revolve(profile, _turn(detail))


def _rod(detail: int) -> Mesh:
    """Open cylinder: joint shafts and joint axes."""
    return _revolve([(0, 1, 0, 1, -1, 1), (0, 1, 0, 1, 1, 1)], _turn(max(8, detail // 2)))


def _sphere(detail: int) -> Mesh:
    return _revolve(
        [*((*p[:4], 0.0, p[5]) for p in (*_cap(detail, -1.0), *_cap(detail, 1.0)[1:]))],
        _turn(detail),
    )


def _mass(detail: int) -> Mesh:
    """Return the sphere with alternating octants, the symbol of a centre of mass."""
    count = max(4, detail // 4) * 4
    quarter = count // 4
    angles = [2 * math.pi * k / count for k in range(count + 1)]
    angles = sorted([*angles, *(2 * math.pi * k / 4 for k in (1, 2, 3))])
    rear = [(*p[:4], 0.0, 1.0) for p in _cap(detail, -1.0)]
    front = [(*p[:4], 0.0, 1.0) for p in _cap(detail, 1.0)]

    def octant(i: int, j: int) -> float:
        return 1.0 if ((j // (quarter + 1)) + (i >= len(rear))) % 2 else 0.07

    return _revolve([*rear, *front], angles, octant)


def _arrow(detail: int) -> Mesh:
    """Return the arrow from the origin to stretch 2 (its length is two half-lengths) with a head of radius 1."""
    head = 2.7
    shaft = 0.42
    slope = 1 / math.hypot(1, head)
    ball = [
        (-shaft * math.cos(q), shaft * math.sin(q), -math.cos(q), math.sin(q), 0.0, 1.0)
        for q in np.linspace(0, math.pi / 2, 4)
    ]
    profile = [
        *ball, (-head, shaft, 0, 1, 2, 1), (-head, shaft, -1, 0, 2, 0.8), (-head, 1, -1, 0, 2, 0.8),
        (-head, 1, slope, head * slope, 2, 1), (0, 0.0, slope, head * slope, 2, 1),
    ]  # fmt: skip
    return _revolve(profile, _turn(max(10, detail // 2)))


def _cone(detail: int) -> Mesh:
    """Pointed head with a base of radius 1, two radii behind the tip at x = 1.2: the end of an axis."""
    base = -1.4
    tip = 1.2
    slope = math.hypot(1.0, tip - base)
    profile = [
        (base, 0.0, -1, 0, 0, 0.8), (base, 1, -1, 0, 0, 0.8), (base, 1, 1 / slope, (tip - base) / slope, 0, 1),
        (tip, 0.0, 1 / slope, (tip - base) / slope, 0, 1),
    ]  # fmt: skip
    return _revolve(profile, _turn(max(16, detail // 2)))


def _box(thickness: float) -> Mesh:
    """Return the square box from -1 to 1 along x and y, with half of `thickness` along z."""
    size = np.array((1.0, 1.0, thickness))
    vertices = []
    indices = []
    for k in range(3):
        for side in (-1.0, 1.0):
            normal, u, v = (np.roll((1.0, 0.0, 0.0), k + turn) for turn in range(3))
            for a, b in ((-1, -1), (1, -1), (1, 1), (-1, 1)):
                at = (side * normal + a * side * u + b * v) * size
                vertices.append((*at, *(side * normal), 0.0, 1.0))
            first = len(vertices) - 4
            indices += [first, first + 1, first + 2, first, first + 2, first + 3]
    return Mesh(np.array(vertices, np.float32), np.array(indices, np.uint32))


def _obstacle(detail: int) -> Mesh:
    """Return the cylinder with a bevelled top edge, darker towards its foot at stretch -1."""
    bevel = 0.05
    s = math.sqrt(0.5)
    profile = [
        (0, 1, 0, 1, -1, 0.72), (0, 1, 0, 1, -0.3, 0.94), (-bevel, 1, 0, 1, 1, 1.0),
        (-bevel, 1, 0.1, 1, 1, 1.06), (-bevel * 0.3, 1 - bevel * 0.3, s, s, 1, 1.12), (0, 1 - bevel, 1, 0, 1, 1.06),
        (0, 1 - bevel, 1, 0, 1, 1.0), (0, 0.0, 1, 0, 1, 1.0),
    ]  # fmt: skip
    return _revolve(profile, _turn(detail))


def _stub(detail: int) -> Mesh:
    """Return the cylinder without bevel and foot, darker downwards: an obstacle a few pixels wide."""
    profile = [
        (0, 1, 0, 1, -1, 0.72),
        (0, 1, 0, 1, 1, 1.0),
        (0, 1, 1, 0, 1, 1.0),
        (0, 0.0, 1, 0, 1, 1.0),
    ]
    return _revolve(profile, _turn(detail))


def _drum(detail: int) -> Mesh:
    """Return the plain closed cylinder: outlines and translucent obstacles."""
    profile = [
        (0, 0.0, -1, 0, -1, 1),
        (0, 1, -1, 0, -1, 1),
        (0, 1, 0, 1, -1, 1),
        (0, 1, 0, 1, 1, 1),
        (0, 1, 1, 0, 1, 1.1),
        (0, 0.0, 1, 0, 1, 1.1),
    ]
    return _revolve(profile, _turn(detail))


def _hoop(detail: int) -> Mesh:
    """Return the torus of radius 1 around x: an annular support."""
    minor = 0.1
    around = max(8, detail // 2)
    profile = []
    for k in range(around + 1):
        q = 2.0 * math.pi * k / around
        profile.append(
            (minor * math.sin(q), 1 + minor * math.cos(q), math.sin(q), math.cos(q), 0.0, 1.0)
        )
    return _revolve(profile, _turn(detail))


_SPOKES = 6
"""Number of alternating light and dark sectors of a wheel."""


def _wheel(detail: int) -> Mesh:
    """Return the wheel around x with a dark tyre and sectors that make its rotation visible."""
    steps = max(2, detail // _SPOKES)
    angles = [
        2.0 * math.pi * (sector + k / steps) / _SPOKES
        for sector in range(_SPOKES)
        for k in range(steps + 1)
    ]
    rim = 0.66
    tyre = 0.3
    side = [
        (0, 0.0, 1, 0, 1, 1),
        (0, rim, 1, 0, 1, 1),
        (0, rim, 1, 0, 1, tyre),
        (0, 1, 1, 0, 1, tyre),
    ]
    far = [(x, r, -nx, nr, -stretch, tone) for x, r, nx, nr, stretch, tone in side]
    profile = [*far, (0, 1, 0, 1, -1, tyre), (0, 1, 0, 1, 1, tyre), *side[::-1]]

    def spoke(i: int, j: int) -> float:
        face = i < 2 or i >= len(profile) - 2
        return 0.4 if face and (j // (steps + 1)) % 2 else 1.0

    return _revolve(profile, angles, spoke)


_STUDS = 8
"""Number of spikes of an anchor."""


def _clamp(detail: int) -> Mesh:
    """Return the bevelled collar of radius 1 around x with spikes: an anchor."""
    half = 0.34
    bevel = 0.07
    inner = 0.86
    s = math.sqrt(0.5)
    collar = _revolve(
        [(-half, inner, -1, 0, 0, 0.8), (-half, 1 - bevel, -1, 0, 0, 0.8), (-half, 1 - bevel, -s, s, 0, 1.1),
         (bevel - half, 1, -s, s, 0, 1.1), (bevel - half, 1, 0, 1, 0, 1), (half - bevel, 1, 0, 1, 0, 1),
         (half - bevel, 1, s, s, 0, 1.1), (half, 1 - bevel, s, s, 0, 1.1), (half, 1 - bevel, 1, 0, 0, 0.8),
         (half, inner, 1, 0, 0, 0.8)],
        _turn(detail),
    )  # fmt: skip
    base = 0.95
    tip = 1.38
    wide = 0.17
    slope = math.hypot(wide, tip - base)
    across = (tip - base) / slope
    along = wide / slope
    spike = _revolve(
        [(base, wide, along, across, 0, 0.9), (tip, 0.0, along, across, 0, 1.15)],
        _turn(max(8, detail // 3)),
    )
    studs = []
    for k in range(_STUDS):
        angle = 2.0 * math.pi * (k + 0.5) / _STUDS
        out = np.array((0.0, -math.sin(angle), math.cos(angle)))
        turn = np.stack((out, np.array((1.0, 0.0, 0.0)), np.cross(out, (1.0, 0.0, 0.0))), axis=0)
        vertices = spike.vertices.copy()
        vertices[:, 0:3], vertices[:, 3:6] = vertices[:, 0:3] @ turn, vertices[:, 3:6] @ turn
        studs.append(Mesh(vertices, spike.indices))
    return _merge(collar, *studs)


MESHES: dict[str, Callable[[int], Mesh]] = {
    "arrow": _arrow,
    "capsule": _capsule,
    "clamp": _clamp,
    "collar": _collar,
    "cone": _cone,
    "cube": lambda detail: _box(1.0),
    "drum": _drum,
    "end_link": _end_link,
    "eyes": _eyes,
    "hoop": _hoop,
    "link": _link,
    "mass": _mass,
    "obstacle": _obstacle,
    "pin": lambda detail: _drum(max(12, detail // 3)),
    "plate": lambda detail: _box(0.04),
    "ring": _ring,
    "rod": _rod,
    "sleeve": _drum,
    "sphere": _sphere,
    "stub": _stub,
    "visor": _visor,
    "wheel": _wheel,
}
"""Functions that build the solids by name, given the number of facets."""


def build_mesh(name: str, detail: int) -> Mesh:
    """Build the mesh of a solid by name, with a number of facets."""
    return MESHES[name](detail)
