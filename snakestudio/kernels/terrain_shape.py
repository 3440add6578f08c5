"""Surface of a height field: its triangles, edges and corners, and their convexity.

The frame has x and y along the grid, from grid point (0, 0). A cell is split along the diagonal
from its lower left to its upper right corner; at the field's borders, vertical walls extend
downwards.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from snakestudio._arrays import FloatArray
from snakestudio.kernels._jit import inlined, jit

BLOCK = 8
"""Side of a block in cells; the greatest height of a block is stored, so that it can be skipped as
a whole."""

_Edge = tuple[float, float, float, float, float, float, float, float, float, float, float, float]


class Field(NamedTuple):
    """One height field: nx times ny grid points with spacing dx and dy, m, in rows of x."""

    heights: FloatArray
    """Heights of all fields, m; those of this one begin at `first`."""

    first: int
    tops: FloatArray
    """Greatest height of every block of cells, m, in rows of x; those of this field begin at
    `first_top`."""

    first_top: int
    nx: int
    ny: int
    dx: float
    dy: float
    floor: float
    """Height of the ground plane, m; anything lower does not belong to the surface."""


@inlined
def height(field: Field, i: int, j: int) -> float:
    """Height of grid point i along x, j along y, m."""
    h: float = field.heights[field.first + j * field.nx + i]
    return h


@jit
def surface_below(field: Field, x: float, y: float) -> tuple[bool, float, float, float, float]:
    """Whether there is a surface at (x, y), its height, m, and the unit normal of its triangle."""
    p, q = x / field.dx, y / field.dy
    if not (0.0 <= p <= field.nx - 1 and 0.0 <= q <= field.ny - 1):
        return False, 0.0, 0.0, 0.0, 1.0
    i, j = min(int(p), field.nx - 2), min(int(q), field.ny - 2)
    p -= i
    q -= j
    h00 = height(field, i, j)
    h11 = height(field, i + 1, j + 1)
    middle = height(field, i + 1, j) if p >= q else height(field, i, j + 1)
    if p >= q:
        rise_x, rise_y = middle - h00, h11 - middle
    else:
        rise_x, rise_y = h11 - middle, middle - h00
    gx, gy = rise_x / field.dx, rise_y / field.dy
    size = math.sqrt(1.0 + gx * gx + gy * gy)
    return True, h00 + p * rise_x + q * rise_y, -gx / size, -gy / size, 1.0 / size


@inlined
def _towards(field: Field, i: int, j: int, to_i: int, to_j: int) -> tuple[float, float, float]:
    """Vector from grid point (i, j) to another one; straight down if that is beyond the border."""
    if to_i < 0 or to_j < 0 or to_i >= field.nx or to_j >= field.ny:
        return 0.0, 0.0, -1.0
    rise = height(field, to_i, to_j) - height(field, i, j)
    return (to_i - i) * field.dx, (to_j - j) * field.dy, rise


@jit
def field_edge(field: Field, i: int, j: int, which: int) -> tuple[bool, _Edge]:
    """Edge 0 (along x), 1 (along y) or 2 (diagonal) from grid point (i, j).

    Returns
    -------
    convex : bool
        Whether the edge exists and the surface falls away from it; only then can a link touch
        it.
    edge : tuple of 12 floats
        Its start, the vector to its end, and vectors from its start into the faces on both sides.
    """
    to_i = i + 1 if which != 1 else i
    to_j = j + 1 if which != 0 else j
    if to_i >= field.nx or to_j >= field.ny:
        return False, (0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    ex, ey, ez = _towards(field, i, j, to_i, to_j)
    ax, ay, az = _towards(field, i, j, i + 1, j + 1 if which < 2 else j)
    bx, by, bz = _towards(
        field, i, j, i - 1 if which == 1 else i, j - 1 if which == 0 else j + which // 2
    )
    volume = (ey * az - ez * ay) * bx + (ez * ax - ex * az) * by + (ex * ay - ey * ax) * bz
    fall = -volume if which == 0 else volume
    convex = fall > 1e-8 * field.dx * field.dy * min(field.dx, field.dy)
    return convex, (
        i * field.dx,
        j * field.dy,
        height(field, i, j),
        ex,
        ey,
        ez,
        ax,
        ay,
        az,
        bx,
        by,
        bz,
    )


@inlined
def wedge_side(
    nx: float,
    ny: float,
    nz: float,
    dx: float,
    dy: float,
    dz: float,
    ax: float,
    ay: float,
    az: float,
) -> float:
    """Sine of the angle by which n (across an edge d) leans into the face that the vector a points into."""
    share = (ax * dx + ay * dy + az * dz) / (dx * dx + dy * dy + dz * dz)
    px, py, pz = ax - share * dx, ay - share * dy, az - share * dz
    return (nx * px + ny * py + nz * pz) / math.sqrt(px * px + py * py + pz * pz)


@jit
def corner_cone(
    field: Field, i: int, j: int, nx: float, ny: float, nz: float
) -> tuple[float, float]:
    """Greatest cosine between n and an edge that leaves grid point (i, j), and the sum of these cosines.

    The point is the highest of its neighbourhood along n if the greatest is not positive; the sum
    is 0 on flat ground.
    """
    worst = -1.0
    total = 0.0
    for k in range(6):
        along = 1 if k in (0, 2) else (-1 if k in (3, 5) else 0)
        up = 1 if k in (1, 2) else (-1 if k in (4, 5) else 0)
        ax, ay, az = _towards(field, i, j, i + along, j + up)
        cosine = (nx * ax + ny * ay + nz * az) / math.sqrt(ax * ax + ay * ay + az * az)
        worst = max(worst, cosine)
        total += cosine
    return worst, total
