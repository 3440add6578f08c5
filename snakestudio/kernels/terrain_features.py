"""Contacts between an end sphere or the inside of a link's segment and one cell of a height field.

A contact is a local minimum of the distance between the surface and the point or segment: on a face
that contains the foot of the perpendicular, or at an edge or corner where the surface falls away to
all sides. Inner edges of flat ground are neither, so a link slides over them undisturbed.
"""

from __future__ import annotations

import math

from snakestudio.kernels._jit import inlined, jit
from snakestudio.kernels.solid_contacts import EQUAL, INNER, Capsule, ContactList, offer_contact
from snakestudio.kernels.terrain_shape import (
    Field,
    corner_cone,
    field_edge,
    height,
    surface_below,
    wedge_side,
)

CONVEX = 1e-7
"""Convexity below which edges and corners count as flat, rad."""

WIDER = 0.02
"""Angle (rad), or half the edge's own, by which the segment may lean over the face of an edge that
still supports it, so that a link lying flat on a face and extending over its edge is supported at
the edge before it tips."""

NEEDLESS = 1e-5
"""Minimum depth of a contact inside the segment below the line between those of the two ends, in
radii of the link: ground that is flat except for such deviations supports a link at its ends
only."""

_FOOT_SLACK = 1e-8
_SAME = math.cos(0.02)
_NEAR = 0.9


@jit
def offer_on_surface(
    field: Field,
    capsule: Capsule,
    feature: int,
    t: float,
    gap: float,
    nx: float,
    ny: float,
    nz: float,
    out: ContactList,
    start: int,
    count: int,
) -> int:
    """Add a contact, unless the surface there is below the ground plane.

    Two contacts of one end sphere are merged if their normals differ by less than 0.02 rad.
    """
    c = capsule
    if c.z + t * c.ez - (gap + c.radius) * nz <= field.floor + 1e-9:
        return count
    return offer_contact(
        out, start, count, c, feature, t, gap, nx, ny, nz, _SAME, _NEAR, NEEDLESS * c.radius
    )


@jit
def sphere_edge(
    field: Field,
    capsule: Capsule,
    feature: int,
    t: float,
    edge: tuple[float, ...],
    out: ContactList,
    start: int,
    count: int,
) -> int:
    """Add the contact of the end sphere at `t` with an edge (see `field_edge`), if any."""
    c = capsule
    x0, y0, z0, dx, dy, dz, ax, ay, az, bx, by, bz = edge
    x, y, z = c.x + t * c.ex - x0, c.y + t * c.ey - y0, c.z + t * c.ez - z0
    share = (x * dx + y * dy + z * dz) / (dx * dx + dy * dy + dz * dz)
    if not 0.0 <= share <= 1.0:
        return count
    x, y, z = x - share * dx, y - share * dy, z - share * dz
    square = x * x + y * y + z * z
    touch = c.radius + c.tolerance
    if (
        square > touch * touch
        or square == 0.0
        or x * ax + y * ay + z * az > 0.0
        or x * bx + y * by + z * bz > 0.0
    ):
        return count
    distance = math.sqrt(square)
    x, y, z = x / distance, y / distance, z / distance
    if (
        wedge_side(x, y, z, dx, dy, dz, ax, ay, az) + wedge_side(x, y, z, dx, dy, dz, bx, by, bz)
        > -CONVEX
    ):
        return count
    return offer_on_surface(field, c, feature, t, distance - c.radius, x, y, z, out, start, count)


@inlined
def _under(field: Field, c: Capsule, t: float) -> bool:
    """Whether the segment's point at `t` is below the surface itself, not only beyond the planes of an edge."""
    there, surface, _, _, _ = surface_below(field, c.x + t * c.ex, c.y + t * c.ey)
    return there and c.z + t * c.ez < surface


@jit
def segment_edge(
    field: Field,
    capsule: Capsule,
    edge: tuple[float, ...],
    out: ContactList,
    start: int,
    count: int,
) -> int:
    """Add the contact of the segment's inside with an edge (see `field_edge`) that it crosses, if any."""
    c = capsule
    x0, y0, z0, dx, dy, dz, ax, ay, az, bx, by, bz = edge
    x, y, z = c.x - x0, c.y - y0, c.z - z0
    nx, ny, nz = c.ey * dz - c.ez * dy, c.ez * dx - c.ex * dz, c.ex * dy - c.ey * dx
    square = nx * nx + ny * ny + nz * nz
    length = dx * dx + dy * dy + dz * dz
    if square < 1e-10 * length:  # parallel: the end spheres, or corners, carry the load
        return count
    along = c.ex * dx + c.ey * dy + c.ez * dz
    by_axis = c.ex * x + c.ey * y + c.ez * z
    by_edge = x * dx + y * dy + z * dz
    t = (along * by_edge - length * by_axis) / square
    share = (by_edge - along * by_axis) / square
    if not (-c.half < t < c.half and 0.0 <= share <= 1.0):
        return count
    size = math.sqrt(square)
    gap = (nx * x + ny * y + nz * z) / size - c.radius
    other = -gap - 2.0 * c.radius
    if min(gap, other) > c.tolerance or max(gap, other) < -2.0 * c.radius:
        return count
    nx, ny, nz = nx / size, ny / size, nz / size
    lean_a = wedge_side(nx, ny, nz, dx, dy, dz, ax, ay, az)
    lean_b = wedge_side(nx, ny, nz, dx, dy, dz, bx, by, bz)
    convex = -(lean_a + lean_b)
    if convex < 0.0:  # n points into the solid
        nx = -nx
        ny = -ny
        nz = -nz
        gap = other
        convex = -convex
        lean_a = -lean_a
        lean_b = -lean_b
    if convex < CONVEX or nz < -1e-12 or gap > c.tolerance or gap < -2.0 * c.radius:
        return count
    lean = min(WIDER, 0.5 * convex)
    if lean_a > lean or lean_b > lean or (gap < -c.radius and not _under(field, c, t)):
        return count
    return offer_on_surface(field, c, int(INNER), t, gap, nx, ny, nz, out, start, count)


@jit
def _corner(
    field: Field,
    i: int,
    j: int,
    capsule: Capsule,
    feature: int,
    t: float,
    out: ContactList,
    start: int,
    count: int,
) -> int:
    """Add the contact of the segment's point at `t` with a grid point, if any."""
    c = capsule
    x, y = c.x + t * c.ex - i * field.dx, c.y + t * c.ey - j * field.dy
    z = c.z + t * c.ez - height(field, i, j)
    square = x * x + y * y + z * z
    touch = c.radius + c.tolerance
    if square > touch * touch or square == 0.0:
        return count
    distance = math.sqrt(square)
    x, y, z = x / distance, y / distance, z / distance
    worst, total = corner_cone(field, i, j, x, y, z)
    if worst > 1e-9 and feature == INNER:  # a peak above the axis
        distance = -distance
        x = -x
        y = -y
        z = -z
        worst, total = corner_cone(field, i, j, x, y, z)
    if worst > 1e-9 or total > -CONVEX or (distance < 0.0 and not _under(field, c, t)):
        return count
    return offer_on_surface(field, c, feature, t, distance - c.radius, x, y, z, out, start, count)


@jit
def _face(
    field: Field,
    i: int,
    j: int,
    upper: bool,
    capsule: Capsule,
    feature: int,
    t: float,
    out: ContactList,
    start: int,
    count: int,
) -> int:
    """Add the contact of the end sphere at `t` with the upper left or the lower right triangle of a cell, if any."""
    h00 = height(field, i, j)
    h11 = height(field, i + 1, j + 1)
    middle = height(field, i, j + 1) if upper else height(field, i + 1, j)
    gx = (h11 - middle if upper else middle - h00) / field.dx
    gy = (middle - h00 if upper else h11 - middle) / field.dy
    size = math.sqrt(1.0 + gx * gx + gy * gy)
    x = capsule.x + t * capsule.ex - i * field.dx
    y = capsule.y + t * capsule.ey - j * field.dy
    z = capsule.z + t * capsule.ez - h00
    distance = (z - gx * x - gy * y) / size
    if distance < 0.0 or distance > capsule.radius + capsule.tolerance:
        return count
    across, along = (x + distance * gx / size) / field.dx, (y + distance * gy / size) / field.dy
    small, large = (across, along) if upper else (along, across)
    slack = _FOOT_SLACK / min(field.dx, field.dy)
    if small < -slack or large > 1.0 + slack or small > large + slack:
        return count
    return offer_on_surface(
        field,
        capsule,
        feature,
        t,
        distance - capsule.radius,
        -gx / size,
        -gy / size,
        1.0 / size,
        out,
        start,
        count,
    )


@jit
def cell_contacts(
    field: Field,
    i: int,
    j: int,
    top: float,
    capsule: Capsule,
    rear: bool,
    front: bool,
    out: ContactList,
    start: int,
    count: int,
) -> int:
    """Add contacts with the elements of cell (i, j), none above `top`: two faces, three edges, one corner.

    `rear` and `front` indicate whether contacts of these end spheres are computed.
    """
    c = capsule
    ends = 2 if c.half > EQUAL else 1
    touch = c.radius + c.tolerance
    is_inner = i < field.nx - 1 and j < field.ny - 1
    for end in range(ends):
        t = (2 * end - 1) * c.half
        x, y, z = c.x + t * c.ex, c.y + t * c.ey, c.z + t * c.ez
        away_x = max(i * field.dx - x, 0.0, x - (i + 1) * field.dx)
        away_y = max(j * field.dy - y, 0.0, y - (j + 1) * field.dy)
        away_z = max(z - top, 0.0)
        near = away_x * away_x + away_y * away_y + away_z * away_z <= touch * touch
        in_reach = near and (front if end else rear)
        rear, front = (in_reach, front) if end == 0 else (rear, in_reach)
        for half in range(2 if in_reach and is_inner else 0):
            count = _face(field, i, j, half == 1, c, end, t, out, start, count)
    for which in range(3):
        convex, edge = field_edge(field, i, j, which)
        if not convex:
            continue
        for end in range(ends):
            if front if end else rear:
                count = sphere_edge(field, c, end, (2 * end - 1) * c.half, edge, out, start, count)
        if ends == 2:
            count = segment_edge(field, c, edge, out, start, count)
    x = i * field.dx - c.x
    y = j * field.dy - c.y
    z = height(field, i, j) - c.z
    middle = x * c.ex + y * c.ey + z * c.ez
    for place in range(ends + 1):
        if place == 2:
            if -c.half < middle < c.half:
                count = _corner(field, i, j, c, place, middle, out, start, count)
        elif place < ends and (front if place else rear):
            count = _corner(field, i, j, c, place, (2 * place - 1) * c.half, out, start, count)
    return count
