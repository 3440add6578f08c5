"""Contacts of a link with a height field: the surface under it, the walls at its borders, and exits from below.

Only cells whose highest point reaches the link's underside are checked in detail; other cells under
the link's outline are skipped one by one or, in blocks of eight by eight, by the greatest height of
a block. The cost of cells much smaller than the link thus increases with their number, but no part
of the surface is omitted or smoothed; a link has at most its eight deepest contacts.
"""

from __future__ import annotations

import math

from snakestudio.kernels._jit import inlined, jit
from snakestudio.kernels.axes import X, Y, Z
from snakestudio.kernels.solid_contacts import EQUAL, INNER, Capsule, ContactList, drop_contact
from snakestudio.kernels.terrain_features import (
    NEEDLESS,
    cell_contacts,
    offer_on_surface,
    segment_edge,
    sphere_edge,
)
from snakestudio.kernels.terrain_shape import BLOCK, Field, height, surface_below
from snakestudio.kernels.vec3 import vec3


@inlined
def _misses(c: Capsule, x: float, y: float, wide: float, deep: float, top: float) -> bool:
    """Whether the link clears everything below `top` in the rectangle around (x, y), as seen along the link's axis."""
    level = math.sqrt(c.ex * c.ex + c.ey * c.ey)
    ux, uy = (-c.ey / level, c.ex / level) if level > 1e-9 else (1.0, 0.0)
    # e x u, whose z component is `level`
    vx = -c.ez * uy
    vy = c.ez * ux
    if level > 1e-9:
        vx, vy = -c.ez * c.ex / level, -c.ez * c.ey / level
    x, y = x - c.x, y - c.y
    lateral = max(abs(x * ux + y * uy) - (abs(ux) * wide + abs(uy) * deep), 0.0)
    up = level * (top - c.z) + x * vx + y * vy + abs(vx) * wide + abs(vy) * deep
    touch = c.radius + c.tolerance
    return lateral > touch or (up < 0.0 and lateral * lateral + up * up > touch * touch)


@inlined
def _top_of_cell(field: Field, i: int, j: int) -> float:
    right = min(i + 1, field.nx - 1)
    up = min(j + 1, field.ny - 1)
    return max(
        height(field, i, j), height(field, right, j), height(field, i, up), height(field, right, up)
    )


@jit
def _cells(
    field: Field, c: Capsule, rear: bool, front: bool, out: ContactList, start: int, count: int
) -> int:
    """Add the contacts with the surface; `rear` and `front` indicate whether these end spheres are above it."""
    touch = c.radius + c.tolerance
    wide = abs(c.ex) * c.half + touch
    deep = abs(c.ey) * c.half + touch
    if c.x + wide < 0.0 or c.y + deep < 0.0 or c.x - wide > (field.nx - 1) * field.dx:
        return count
    if c.y - deep > (field.ny - 1) * field.dy:
        return count
    i_low = max(int((c.x - wide) / field.dx), 0)
    i_high = min(int((c.x + wide) / field.dx), field.nx - 1)
    j_low = max(int((c.y - deep) / field.dy), 0)
    j_high = min(int((c.y + deep) / field.dy), field.ny - 1)
    blocks = (field.nx + BLOCK - 1) // BLOCK
    half_x, half_y = 0.5 * field.dx, 0.5 * field.dy
    for block_j in range(j_low // BLOCK, j_high // BLOCK + 1):
        for block_i in range(i_low // BLOCK, i_high // BLOCK + 1):
            top = field.tops[field.first_top + block_j * blocks + block_i]
            x = (block_i * BLOCK + 0.5 * BLOCK) * field.dx
            y = (block_j * BLOCK + 0.5 * BLOCK) * field.dy
            if _misses(c, x, y, BLOCK * half_x, BLOCK * half_y, top):
                continue
            for j in range(
                max(j_low, block_j * BLOCK), min(j_high, block_j * BLOCK + BLOCK - 1) + 1
            ):
                for i in range(
                    max(i_low, block_i * BLOCK), min(i_high, block_i * BLOCK + BLOCK - 1) + 1
                ):
                    top = _top_of_cell(field, i, j)
                    if _misses(
                        c, i * field.dx + half_x, j * field.dy + half_y, half_x, half_y, top
                    ):
                        continue
                    count = cell_contacts(field, i, j, top, c, rear, front, out, start, count)
    return count


@inlined
def _border_height(field: Field, side: int, along: float) -> float:
    """Height of the surface at its border 0 (x low), 1 (x high), 2 (y low), 3 (y high); -inf outside."""
    n = field.ny if side < 2 else field.nx
    place = along / (field.dy if side < 2 else field.dx)
    if not 0.0 <= place <= n - 1:
        return -math.inf
    k = min(int(place), n - 2)
    fixed = 0 if side in (0, 2) else (field.nx - 1 if side == 1 else field.ny - 1)
    one = height(field, fixed, k) if side < 2 else height(field, k, fixed)
    two = height(field, fixed, k + 1) if side < 2 else height(field, k + 1, fixed)
    return one + (place - k) * (two - one)


@inlined
def _outwards(field: Field, side: int, x: float, y: float) -> tuple[float, float, float, float]:
    """Distance of (x, y) beyond a border, m (negative inside), its position along it, and the outward normal."""
    if side == 0:
        return -x, y, -1.0, 0.0
    if side == 1:
        return x - (field.nx - 1) * field.dx, y, 1.0, 0.0
    if side == 2:
        return -y, x, 0.0, -1.0
    return y - (field.ny - 1) * field.dy, x, 0.0, 1.0


@jit
def _end(
    field: Field, c: Capsule, feature: int, t: float, out: ContactList, start: int, count: int
) -> tuple[bool, int]:
    """Add an end sphere's contacts with the walls, or its exit if its centre is below the surface.

    Returns
    -------
    above : bool
        Whether the centre is above the surface or outside the field.
    count : int
    """
    x, y, z = c.x + t * c.ex, c.y + t * c.ey, c.z + t * c.ez
    there, surface, nx, ny, nz = surface_below(field, x, y)
    if there:
        if z >= surface:
            return True, count
        best = (z - surface) * nz
        for side in range(4):
            beyond, _, wall_x, wall_y = _outwards(field, side, x, y)
            if beyond > best:
                best = beyond
                nx = wall_x
                ny = wall_y
                nz = 0.0
        return False, offer_on_surface(
            field, c, feature, t, best - c.radius, nx, ny, nz, out, start, count
        )
    for side in range(4):
        beyond, along, wall_x, wall_y = _outwards(field, side, x, y)
        if 0.0 <= beyond <= c.radius + c.tolerance and z < _border_height(field, side, along):
            count = offer_on_surface(
                field, c, feature, t, beyond - c.radius, wall_x, wall_y, 0.0, out, start, count
            )
    return True, count


@jit
def _upright_edges(field: Field, c: Capsule, out: ContactList, start: int, count: int) -> int:
    """Add the contacts with the four vertical edges where the walls meet."""
    reach = c.half + c.radius + c.tolerance
    for corner in range(4):
        i = field.nx - 1 if corner % 2 else 0
        j = field.ny - 1 if corner >= 2 else 0
        x = i * field.dx
        y = j * field.dy
        z = height(field, i, j)
        if abs(x - c.x) > reach or abs(y - c.y) > reach or z <= field.floor:
            continue
        inward_x = -1.0 if corner % 2 else 1.0
        inward_y = -1.0 if corner >= 2 else 1.0
        edge = (x, y, z, 0.0, 0.0, field.floor - z, inward_x, 0.0, 0.0, 0.0, inward_y, 0.0)
        ends = 2 if c.half > EQUAL else 1
        for end in range(ends):
            count = sphere_edge(field, c, end, (2 * end - 1) * c.half, edge, out, start, count)
        if ends == 2:
            count = segment_edge(field, c, edge, out, start, count)
    return count


@jit
def _drop_needless(c: Capsule, out: ContactList, start: int, count: int) -> int:
    """Remove contacts inside the segment that are redundant with those of the two ends."""
    stored = min(count, out.link.shape[0])
    rear = -1
    front = -1
    for k in range(start, stored):
        if out.feature[k] == 0 and (rear < 0 or out.gap[k] < out.gap[rear]):
            rear = k
        if out.feature[k] == 1 and (front < 0 or out.gap[k] < out.gap[front]):
            front = k
    if rear < 0 or front < 0 or count > stored:
        return count
    low_rear = out.gap[rear]
    low_front = out.gap[front]
    ax, ay, az = vec3(out.normal, rear)
    bx, by, bz = vec3(out.normal, front)
    k = start
    while k < count:
        nx, ny, nz = vec3(out.normal, k)
        x, y, z = out.point[k, X] - c.x, out.point[k, Y] - c.y, out.point[k, Z] - c.z
        t = x * c.ex + y * c.ey + z * c.ez + c.radius * (nx * c.ex + ny * c.ey + nz * c.ez)
        line = 0.5 * (low_rear + low_front) + 0.5 * t / c.half * (low_front - low_rear)
        alike = min(nx * ax + ny * ay + nz * az, nx * bx + ny * by + nz * bz)
        if out.feature[k] == INNER and alike > 0.9 and out.gap[k] > line - NEEDLESS * c.radius:
            count = drop_contact(out, k, count)
        else:
            k += 1
    return count


@jit
def relief_contacts(field: Field, capsule: Capsule, out: ContactList, count: int) -> int:
    """Append the contacts of a link with a height field, both in the field's frame.

    A feature is 0 or 1 for an end and 2 inside the segment, plus 4 times the number of preceding
    contacts of the link there.
    """
    c = capsule
    start = count
    rear = front = c.half >= 0.0  # true; with a literal numba would compile the callee twice
    for end in range(2 if c.half > EQUAL else 1):
        rear = front
        front, count = _end(field, c, end, (2 * end - 1) * c.half, out, start, count)
    if c.half <= EQUAL:
        rear = front
    count = _upright_edges(field, c, out, start, count)
    count = _cells(field, c, rear, front, out, start, count)
    if rear and front and count == start:
        there, surface, nx, ny, nz = surface_below(field, c.x, c.y)
        if there and c.z < surface:
            gap = (c.z - surface) * nz - c.radius
            count = offer_on_surface(field, c, int(INNER), 0.0, gap, nx, ny, nz, out, start, count)
    count = _drop_needless(c, out, start, count)
    for k in range(start, min(count, out.link.shape[0])):
        # Index of the contact among those of the same end or of the inside.
        before = 0
        for other in range(start, k):
            before += 1 if out.feature[other] % 4 == out.feature[k] else 0
        out.feature[k] += 4 * before
    return count
