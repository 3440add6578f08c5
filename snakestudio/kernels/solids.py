"""Contacts of a link (capsule) with the solids of the world, found through a grid over the ground.

For any number of solids, only those listed in the cell of a link's centre are
checked, and of them only those whose height and outline (as seen from above) the link reaches.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from snakestudio._arrays import FloatArray, IntArray
from snakestudio.kernels._jit import inlined
from snakestudio.kernels.axes import X, Y, Z
from snakestudio.kernels.gap import stadium_circle, stadium_touches
from snakestudio.kernels.solid_contacts import (
    INNER,
    Capsule,
    ContactList,
    finish_contacts,
    offer_contact,
    to_frame,
)
from snakestudio.kernels.solid_distance import Extrusion, clearance
from snakestudio.kernels.solid_extruded import extruded_contacts
from snakestudio.kernels.terrain import relief_contacts
from snakestudio.kernels.terrain_shape import Field

POST = 0
EXTRUDED = 1
RELIEF = 2
"""Kinds of solids."""

FEATURES = 1 << 20
"""Stride of features: a contact's feature is this times the index of the solid within its obstacle,
plus its feature on the solid."""

STEEP = 0.5
"""Horizontal part of the axis from which a link touches the side of a post in one point, at any
depth."""


# Entries of World.reach after X and Y.
AROUND, LOW, HIGH = range(2, 5)
# Entries of World.labels: of all solids; of extruded solids and posts; of reliefs.
KIND, OBSTACLE, ORDINAL = range(3)
FIRST, LAST, OPEN_CAPS = range(3, 6)
HEIGHTS, TOPS, ALONG_X, ALONG_Y = range(3, 7)
# Entries of World.frames after origin and axes: of extruded solids and posts, and of reliefs.
HALF = 12
DISC = 13
DX, DY = 12, 13


class World(NamedTuple):
    """All solids; m, in the frame of the ground."""

    key: int
    """Identifies a world: equal for equal obstacles and reach."""

    grid_x: float
    """x of the corner of the grid, m."""

    grid_y: float
    """y of the corner of the grid, m."""

    grid_inverse: float
    """1 / size of its cells, 1/m."""

    grid_nx: int
    """Number of cells along x; 0 without solids."""

    grid_ny: int
    """Number of cells along y; 0 without solids."""

    grid_first: IntArray
    """Cell c lists the solids grid_items[grid_first[c]:grid_first[c + 1]], which a link whose
    centre is in the cell can touch."""

    grid_items: IntArray
    """Solids by cell, see `grid_first`."""

    reach: FloatArray
    """For every solid: centre and radius of a circle around it as seen from above, lowest and
    highest z."""

    labels: IntArray
    """Kind, obstacle, index within the obstacle; for extruded solids and posts the first corner,
    the one after the last, and `open_caps`; for reliefs the first height, the first block, the
    numbers of grid points along x and y."""

    frames: FloatArray
    """Origin and three axes of the solid's frame; for extruded solids and posts `half` and `disc`
    (see `Extrusion`), for reliefs the spacing dx, dy."""

    corners: FloatArray
    """See `Extrusion`."""

    heights: FloatArray
    """See `Field`."""

    tops: FloatArray
    """See `Field`."""


@inlined
def _extrusion(world: World, solid: int) -> Extrusion:
    labels = world.labels
    frames = world.frames
    return Extrusion(
        world.corners,
        labels[solid, FIRST],
        labels[solid, LAST],
        frames[solid, DISC],
        frames[solid, HALF],
        labels[solid, OPEN_CAPS],
    )


@inlined
def _field(world: World, solid: int) -> Field:
    labels = world.labels
    frames = world.frames
    return Field(
        world.heights,
        labels[solid, HEIGHTS],
        world.tops,
        labels[solid, TOPS],
        labels[solid, ALONG_X],
        labels[solid, ALONG_Y],
        frames[solid, DX],
        frames[solid, DY],
        -frames[solid, Z],
    )


@inlined
def link_contacts(
    world: World,
    link: int,
    x: float,
    y: float,
    z: float,
    ex: float,
    ey: float,
    ez: float,
    half: float,
    radius: float,
    tolerance: float,
    out: ContactList,
    count: int,
) -> int:
    """Append all contacts of a link with the world's solids.

    Parameters
    ----------
    link : int
        0-based; only stored in `out`.
    x, y, z : float
        Centre of gravity, m.
    ex, ey, ez : float
        Unit axis.
    half, radius : float
        Half the length of the segment and the radius around it, m.
    tolerance : float
        Largest gap of a contact, m; less than `solid_world.MARGIN` of the
        link's reach.
    count : int
        Index in `out` of the first new contact.

    Returns
    -------
    int
        `count` after the last contact; contacts beyond the capacity of `out` are counted but not
        stored.
    """
    across, along = (x - world.grid_x) * world.grid_inverse, (y - world.grid_y) * world.grid_inverse
    if not (0.0 <= across < world.grid_nx and 0.0 <= along < world.grid_ny):
        return count
    cell = int(along) * world.grid_nx + int(across)
    level = math.sqrt(ex * ex + ey * ey)
    cos, sin = (ex / level, ey / level) if level > 0.0 else (1.0, 0.0)
    up = abs(ez) * half + radius + tolerance
    capsule = Capsule(x, y, z, ex, ey, ez, half, radius, tolerance)
    reach = world.reach
    for i in range(world.grid_first[cell], world.grid_first[cell + 1]):
        s = world.grid_items[i]
        if z - up > reach[s, HIGH] or z + up < reach[s, LOW]:
            continue
        cx, cy, cr = reach[s, X], reach[s, Y], reach[s, AROUND]
        if not stadium_touches(x, y, cos, sin, level * half, radius + tolerance, cx, cy, cr):
            continue
        if world.labels[s, KIND] == POST and level >= STEEP:
            gap, nx, ny, _, lever = stadium_circle(x, y, cos, sin, level * half, radius, cx, cy, cr)
            t = lever / level
            below_top = reach[s, HIGH] - (z + t * ez)
            if below_top >= 0.0 and z + t * ez >= reach[s, LOW] and below_top >= -(gap + radius):
                before = count
                count = offer_contact(
                    out, count, count, capsule, int(INNER), t, gap, nx, ny, 0.0, -2.0, -2.0, 0.0
                )
                if before < count <= out.link.shape[0]:
                    out.link[before] = link
                    out.body[before] = world.labels[s, OBSTACLE]
                    out.feature[before] += FEATURES * world.labels[s, ORDINAL]
                continue
        local = to_frame(world.frames, s, capsule)
        before = count
        if world.labels[s, KIND] == RELIEF:
            count = relief_contacts(_field(world, s), local, out, count)
        else:
            shape = _extrusion(world, s)
            if clearance(shape, local) > radius + tolerance:
                continue
            count = extruded_contacts(shape, local, out, count)
        if count > before:
            base = FEATURES * world.labels[s, ORDINAL]
            finish_contacts(
                world.frames, s, link, world.labels[s, OBSTACLE], base, out, before, count
            )
    return count
