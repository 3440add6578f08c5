"""Obstacles as triangles in the world frame: flat faces with light edges, uneven ground, and the shells of outlines."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from snakestudio._arrays import FloatArray, IndexArray
from snakestudio.drawing.meshes import Mesh
from snakestudio.model.obstacles.solids import Block, Prism, Relief
from snakestudio.model.rotations import rotation

MOST_CELLS = 128
"""Largest number of drawn cells of a height field in each direction; finer fields are subsampled evenly.

A million points in full are two million triangles: 3 s to build and 1 s per frame on a software
renderer, compared with 0.05 s and 0.03 s with this bound. Picking and physics always use all
points.
"""

_FACETED = 48
"""Largest number of cells in each direction with visible triangles; finer height fields are smooth."""

_RIM = 0.008
_EDGE = 1.18
"""Largest width of the light border of a flat face (m), and its tone at the edge, like an edge that
reflects light."""


@dataclass(frozen=True, slots=True, eq=False)
class Surface:
    """Triangles of an obstacle."""

    skin: Mesh
    """Visible mesh; positions in the world, m, stretch 0."""

    shell: Mesh
    """Closed mesh for outlines, with the displacement of each vertex for an enlargement of 1 m instead
    of normals."""


def _mesh(
    position: FloatArray, normal: FloatArray, tone: FloatArray | float, triangles: IndexArray
) -> Mesh:
    vertices = np.empty((len(position), 8), np.float32)
    vertices[:, 0:3] = position
    vertices[:, 3:6] = normal
    vertices[:, 6] = 0.0
    vertices[:, 7] = tone
    return Mesh(vertices, np.ascontiguousarray(triangles, np.uint32).ravel())


def join(meshes: Sequence[Mesh]) -> Mesh:
    """Join meshes into one."""
    if not meshes:
        return Mesh(np.zeros((0, 8), np.float32), np.zeros(0, np.uint32))
    offset = np.cumsum([0, *(len(mesh.vertices) for mesh in meshes[:-1])]).astype(np.uint32)
    return Mesh(
        np.concatenate([mesh.vertices for mesh in meshes]),
        np.concatenate([mesh.indices + start for mesh, start in zip(meshes, offset, strict=True)]),
    )


# --- blocks, in batches ---------------------------------------------------------------------------

_SIGNS = np.array([(x, y, z) for z in (-1.0, 1.0) for y in (-1.0, 1.0) for x in (-1.0, 1.0)])
_QUADS = np.array(
    [(0, 4, 6, 2), (1, 3, 7, 5), (0, 1, 5, 4), (2, 6, 7, 3), (0, 2, 3, 1), (4, 5, 7, 6)]
)
"""Corners of a block, and its faces -x, +x, -y, +y, -z, +z, counter-clockwise from outside."""

_NORMALS = np.array([(-1, 0, 0), (1, 0, 0), (0, -1, 0), (0, 1, 0), (0, 0, -1), (0, 0, 1)], float)


def _fans(quads: IndexArray) -> IndexArray:
    """Split quads into two triangles each."""
    return quads[..., [0, 1, 2, 0, 2, 3]].reshape(*quads.shape[:-1], 2, 3)


def blocks(
    centre: FloatArray, rotation: FloatArray, half: FloatArray, rimmed: bool = True
) -> Surface:
    """Return the surface of any number of blocks with the same number of indices each.

    Parameters
    ----------
    centre, half : (k, 3) arrays
        m.
    rotation : (k, 3, 3) array
        Columns are the blocks' axes.
    rimmed : bool
        Whether their faces have a light border.
    """
    k = len(centre)
    out = np.einsum("kij,cj->kci", rotation, _SIGNS)
    corner = _above_ground(
        centre[:, None] + np.einsum("kij,kcj->kci", rotation, _SIGNS * half[:, None])
    )
    shell = (_fans(_QUADS).reshape(-1, 3) + 8 * np.arange(k)[:, None, None]).reshape(-1, 3)
    face = corner[:, _QUADS]  # (k, 6, 4, 3)
    tone = np.ones((k, 6, 4))
    quads = np.arange(24).reshape(6, 4)
    triangles = _fans(quads).reshape(-1, 3)
    count = 24
    if rimmed:
        ahead = np.roll(face, -1, axis=2) - face
        length = np.linalg.norm(ahead, axis=-1, keepdims=True)
        width = np.minimum(_RIM, 0.25 * length.min(axis=(1, 2, 3)))[:, None, None, None]
        ahead *= width / np.maximum(length, 1e-12)
        face = np.concatenate((face + ahead - np.roll(ahead, 1, axis=2), face), axis=2)
        tone = np.concatenate((tone, np.full((k, 6, 4), _EDGE)), axis=2)
        own = np.arange(48).reshape(6, 8)
        ring = [
            np.stack((own[:, 4 + i], own[:, 4 + (i + 1) % 4], own[:, (i + 1) % 4], own[:, i]), -1)
            for i in range(4)
        ]
        triangles = np.concatenate([_fans(q).reshape(-1, 3) for q in (own[:, :4], *ring)])
        count = 48
    normal = np.einsum("kij,fj->kfi", rotation, _NORMALS)[:, :, None].repeat(count // 6, axis=2)
    first = count * np.arange(k)[:, None, None]
    skin = _mesh(
        face.reshape(-1, 3), normal.reshape(-1, 3), tone.ravel(), (triangles + first).reshape(-1, 3)
    )
    return Surface(skin, _mesh(corner.reshape(-1, 3), out.reshape(-1, 3), 1.0, shell))


def _above_ground(corner: FloatArray) -> FloatArray:
    """Return corners (k, 8, 3) of blocks, with the part below the ground cut off along their upright edges.

    So no clipping is needed in drawing. Blocks with an upright edge that is not cut are
    unchanged.
    """
    low = corner[:, :4]
    high = corner[:, 4:]
    crossing = ((low[..., 2] < 0.0) & (high[..., 2] > 0.0)).all(axis=1, keepdims=True)
    fraction = np.where(
        crossing, -low[..., 2] / np.where(crossing, high[..., 2] - low[..., 2], 1.0), 0.0
    )
    cut = low + fraction[..., None] * (high - low)
    cut[..., 2] = np.where(crossing, 0.0, cut[..., 2])
    return np.concatenate((cut, high), axis=1)


# --- flat faces of any shape ----------------------------------------------------------------------


def _face(corners: FloatArray, rims: Sequence[bool], width: float, tone: float = 1.0) -> Mesh:
    """Return a convex face (m, 3), counter-clockwise from outside, with a light border along some of its edges."""
    m = len(corners)
    ahead = np.roll(corners, -1, axis=0) - corners
    length = np.linalg.norm(ahead, axis=1, keepdims=True)
    ahead = ahead / np.maximum(length, 1e-12)
    area = np.cross(corners - corners[0], np.roll(corners, -1, axis=0) - corners[0]).sum(axis=0)
    normal = area / max(float(np.linalg.norm(area)), 1e-12)
    inward = np.cross(normal, ahead)
    depth = np.where(rims, width, 0.0)
    inner = corners.astype(float).copy()
    for i in range(m):
        before = inward[i - 1]
        own = inward[i]
        cosine = float(before @ own)
        if cosine > 0.999:  # collinear: the border of one edge thins out towards this corner
            continue
        # The point at the given depths from both edges.
        a, b = np.linalg.solve([[1.0, cosine], [cosine, 1.0]], [depth[i - 1], depth[i]])
        inner[i] += a * before + b * own
    fan = np.array([(0, i, i + 1) for i in range(1, m - 1)])
    parts = [_mesh(inner, np.tile(normal, (m, 1)), tone, fan)]
    for i in range(m):
        if rims[i]:
            j = (i + 1) % m
            strip = np.stack((corners[i], corners[j], inner[j], inner[i]))
            light = tone * np.array([_EDGE, _EDGE, 1.0, 1.0])
            parts.append(
                _mesh(strip, np.tile(normal, (4, 1)), light, np.array([(0, 1, 2), (0, 2, 3)]))
            )
    return join(parts)


def _placed(mesh: Mesh, origin: FloatArray, rotation: FloatArray) -> Mesh:
    vertices = mesh.vertices.copy()
    vertices[:, 0:3] = origin + mesh.vertices[:, 0:3] @ rotation.T
    vertices[:, 3:6] = mesh.vertices[:, 3:6] @ rotation.T
    return Mesh(vertices, mesh.indices)


def _at(profile: Sequence[tuple[float, float]], y: float) -> FloatArray:
    return np.array([(x, y, z) for x, z in profile])


def _shell(profile: FloatArray, half_width: float) -> Mesh:
    """Return the shell of an extruded convex profile (m, 2), anticlockwise, in its own frame."""
    m = len(profile)
    ahead = np.roll(profile, -1, axis=0) - profile
    ahead /= np.maximum(np.linalg.norm(ahead, axis=1, keepdims=True), 1e-12)
    normal = np.stack((ahead[:, 1], -ahead[:, 0]), axis=1)
    before = np.roll(normal, 1, axis=0)
    # At a sharp corner the shell would extend far; limit it to four times its thickness.
    out = (normal + before) / np.maximum(1.0 + (normal * before).sum(axis=1, keepdims=True), 0.125)
    position = np.empty((2 * m, 3))
    normals = np.empty((2 * m, 3))
    for k, side in enumerate((-1.0, 1.0)):
        rows = slice(k * m, (k + 1) * m)
        position[rows, 0] = profile[:, 0]
        position[rows, 1] = side * half_width
        position[rows, 2] = profile[:, 1]
        normals[rows, 0] = out[:, 0]
        normals[rows, 1] = side
        normals[rows, 2] = out[:, 1]
    fan = [(0, i, i + 1) for i in range(1, m - 1)]
    triangles = [*fan, *((m, m + c, m + b) for _, b, c in fan)]
    for i in range(m):
        j = (i + 1) % m
        triangles += [(i, m + i, m + j), (i, m + j, j)]
    return _mesh(position, normals, 1.0, np.array(triangles))


def prism(body: Prism) -> Surface:
    """Return the surface of an extruded convex profile, without light edges at the ground."""
    profile = [(float(x), float(z)) for x, z in body.profile]
    m = len(profile)
    w = body.half_width
    size = np.ptp(body.profile, axis=0)
    width = min(_RIM, 0.2 * float(size.min()), 0.25 * w)
    grounded = [abs(profile[i][1]) < 1e-9 and abs(profile[(i + 1) % m][1]) < 1e-9 for i in range(m)]
    faces = [
        _face(_at(profile, -w), [not g for g in grounded], width),
        _face(_at(profile[::-1], w), [not grounded[(m - 2 - i) % m] for i in range(m)], width),
    ]
    for i in range(m):
        if not grounded[i]:
            (x0, z0), (x1, z1) = profile[i], profile[(i + 1) % m]
            corners = np.array([(x0, -w, z0), (x0, w, z0), (x1, w, z1), (x1, -w, z1)])
            faces.append(_face(corners, [z0 > 1e-9, True, z1 > 1e-9, True], width))
    skin = _placed(join(faces), body.origin, body.rotation)
    return Surface(skin, _placed(_shell(np.array(profile), w), body.origin, body.rotation))


def staircase(steps: Sequence[Block]) -> Surface:
    """Return the surface of stairs: blocks of the same width and end, each shorter and higher than the previous one.

    If drawn separately, their coplanar sides would flicker.
    """
    first = steps[0]
    origin = np.array([*first.centre[:2], 0.0])
    rotation = first.rotation
    along = [float((block.centre - origin) @ rotation[:, 0]) for block in steps]
    begin = [s - float(block.half[0]) for s, block in zip(along, steps, strict=True)]
    end = along[0] + float(first.half[0])
    top = [float(block.centre[2] + block.half[2]) for block in steps]
    w = float(first.half[1])
    rises = np.diff([0.0, *top])
    width = min(_RIM, 0.2 * float(rises.min()), 0.2 * float(np.diff([*begin, end]).min()), 0.25 * w)
    faces = []
    for i, x in enumerate(begin):
        low = top[i - 1] if i else 0.0
        high = top[i]
        after = begin[i + 1] if i + 1 < len(begin) else end
        last = i + 1 == len(begin)
        faces.append(
            _face(
                np.array([(x, -w, low), (x, -w, high), (x, w, high), (x, w, low)]),
                [True] * 4,
                width,
            )
        )
        faces.append(
            _face(
                np.array([(x, -w, high), (after, -w, high), (after, w, high), (x, w, high)]),
                [True] * 4,
                width,
            )
        )
        column = [(x, 0.0), (after, 0.0), (after, high), (x, high)] + ([(x, low)] if i else [])
        rims = [False, last, True, True] + ([False] if i else [])
        faces.append(_face(_at(column, -w), rims, width))
        back = [rims[(len(rims) - 2 - k) % len(rims)] for k in range(len(rims))]
        faces.append(_face(_at(column[::-1], w), back, width))
    faces.append(
        _face(
            np.array([(end, -w, 0.0), (end, w, 0.0), (end, w, top[-1]), (end, -w, top[-1])]),
            [False] + [True] * 3,
            width,
        )
    )
    shell = blocks(
        np.array([b.centre for b in steps]),
        np.array([b.rotation for b in steps]),
        np.array([b.half for b in steps]),
    ).shell
    return Surface(_placed(join(faces), origin, rotation), shell)


# --- uneven ground --------------------------------------------------------------------------------


def _chosen(count: int) -> IndexArray:
    """Return the indices of the drawn grid points, including both ends."""
    return np.unique(
        np.round(np.linspace(0, count - 1, min(count, MOST_CELLS + 1))).astype(np.intp)
    )


def relief(body: Relief) -> Surface:
    """Return the surface of a height field with surrounding walls down to the ground."""
    rows, columns = _chosen(body.heights.shape[0]), _chosen(body.heights.shape[1])
    x, y = columns * body.dx, rows * body.dy
    z = np.ascontiguousarray(body.heights[np.ix_(rows, columns)])
    slope_y, slope_x = np.gradient(z, y, x)
    normal = np.stack((-slope_x, -slope_y, np.ones_like(z)), axis=-1)
    normal /= np.linalg.norm(normal, axis=-1, keepdims=True)
    at = np.stack((*np.meshgrid(x, y), z), axis=-1)
    ny, nx = z.shape
    k = np.arange(ny * nx).reshape(ny, nx)
    a = k[:-1, :-1]
    b = k[:-1, 1:]
    c = k[1:, 1:]
    d = k[1:, :-1]
    # Split as in the physics, along the diagonal from [j, i] to [j + 1, i + 1].
    triangles = np.concatenate(
        (np.stack((a, b, c), -1).reshape(-1, 3), np.stack((a, c, d), -1).reshape(-1, 3))
    )
    ground = -float(body.origin[2])
    low = max(float(z.min()), ground)
    high = max(float(z.max()), ground + 1e-9)
    tone = 0.84 + 0.28 * np.clip((z - low) / max(high - low, 1e-9), 0.0, 1.0)
    flat = at.reshape(-1, 3)
    normals = normal.reshape(-1, 3)
    shade = tone.ravel()
    skin = _mesh(flat, normals, shade, triangles)
    if max(ny, nx) <= _FACETED + 1:
        corner = flat[triangles]
        facet = np.cross(corner[:, 1] - corner[:, 0], corner[:, 2] - corner[:, 0])
        facet /= np.linalg.norm(facet, axis=1, keepdims=True)
        skin = _mesh(
            corner.reshape(-1, 3),
            facet.repeat(3, axis=0),
            shade[triangles].ravel(),
            np.arange(triangles.size),
        )
    rim = np.concatenate((k[0, :-1], k[:-1, -1], k[-1, :0:-1], k[:0:-1, 0]))
    outward = np.concatenate(
        (
            np.tile((0, -1, 0), (nx - 1, 1)),
            np.tile((1, 0, 0), (ny - 1, 1)),
            np.tile((0, 1, 0), (nx - 1, 1)),
            np.tile((-1, 0, 0), (ny - 1, 1)),
        )
    ).astype(float)
    upper = flat[rim]
    after = flat[np.roll(rim, -1)]
    wall = np.stack((_dropped(upper, ground), _dropped(after, ground), after, upper), axis=1)
    quads = np.arange(4 * len(rim)).reshape(-1, 4)
    walls = _mesh(wall.reshape(-1, 3), outward.repeat(4, axis=0), 0.9, _fans(quads).reshape(-1, 3))
    # Shell: rim points and their feet also move outwards.
    grown = normals.copy()
    grown[rim] += outward + np.roll(outward, 1, axis=0)
    foot = len(flat) + np.arange(len(rim))
    sides = np.stack((foot, np.roll(foot, -1), np.roll(rim, -1), rim), axis=1)
    shell = _mesh(
        np.concatenate((flat, _dropped(upper, ground))),
        np.concatenate((grown, outward + np.roll(outward, 1, axis=0))),
        1.0,
        np.concatenate((triangles, _fans(sides).reshape(-1, 3))),
    )
    turn = rotation(body.yaw)
    return Surface(
        _placed(join((skin, walls)), body.origin, turn), _placed(shell, body.origin, turn)
    )


def _dropped(points: FloatArray, ground: float) -> FloatArray:
    """Project points above the ground onto it; points below are unchanged."""
    low = points.copy()
    low[:, 2] = np.minimum(low[:, 2], ground)
    return low


def plate(body: Block) -> Surface:
    """Return a chequered plate, the placeholder of an unreadable height field."""
    count = 8
    base = blocks(body.centre[None], body.rotation[None], body.half[None])
    edge = np.linspace(-1.0, 1.0, count + 1)
    faces = [base.skin]
    for i in range(count):
        for j in range((i + 1) % 2, count, 2):
            corners = [
                (edge[i], edge[j]),
                (edge[i + 1], edge[j]),
                (edge[i + 1], edge[j + 1]),
                (edge[i], edge[j + 1]),
            ]
            # Slightly above the top of the plate.
            local = np.array([(x, y, 1.1) for x, y in corners]) * body.half
            faces.append(_face(body.centre + local @ body.rotation.T, [False] * 4, 0.0, 0.25))
    return Surface(join(faces), base.shell)
