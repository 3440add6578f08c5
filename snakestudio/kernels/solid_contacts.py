"""List of contacts between links and solids, and the rule that selects one of several close contacts.

Two contacts of one link at (nearly) the same place are redundant: the solver then has more unknowns
than the motion has degrees of freedom, and rounding decides how the load is shared. Of contacts
that are closer together along the link than `spacing`, therefore, only the deepest is retained.
"""

from __future__ import annotations

from typing import NamedTuple

from snakestudio._arrays import FloatArray, IntArray
from snakestudio.kernels._jit import inlined
from snakestudio.kernels.axes import X, Y, Z
from snakestudio.kernels.vec3 import vec3

EQUAL = 1e-9
"""Tolerance below which gaps count as equal, m."""

SPACING = 0.1
"""Distance along the link, in half lengths of its segment, below which contacts count as one (5 %
of the segment)."""

MOST = 8
"""Largest number of contacts of a link with one solid; the deepest are retained."""

INNER = 2
"""First of the features inside the segment; 0 and 1 are its ends."""


# Columns of a solid's row: origin X, Y, Z, then the three axes.
U_X, U_Y, U_Z, V_X, V_Y, V_Z, A_X, A_Y, A_Z = range(3, 12)


class ContactList(NamedTuple):
    """Detected contacts; those beyond the capacity c are counted but not stored."""

    link: IntArray
    """0-based, in the order of the queried links."""

    body: IntArray
    """0-based index of the obstacle in the scene."""

    feature: IntArray
    """Identifies a contact of a link with an obstacle across steps."""

    gap: FloatArray
    """m, negative where they overlap."""

    normal: FloatArray
    """Unit vector from the obstacle to the link."""

    point: FloatArray
    """Nearest point of the link's surface, m: point of the link's segment - radius * normal."""


class Capsule(NamedTuple):
    """A link: centre (x, y, z), unit axis (ex, ey, ez), half the segment's length and radius, m."""

    x: float
    y: float
    z: float
    ex: float
    ey: float
    ez: float
    half: float
    radius: float
    tolerance: float
    """Largest gap of a contact, m."""


@inlined
def to_frame(frames: FloatArray, solid: int, capsule: Capsule) -> Capsule:
    """Transform the capsule to the frame of a solid, whose row is origin (3) and three axes (9)."""
    x = capsule.x - frames[solid, X]
    y = capsule.y - frames[solid, Y]
    z = capsule.z - frames[solid, Z]
    ex, ey, ez = capsule.ex, capsule.ey, capsule.ez
    return Capsule(
        x * frames[solid, U_X] + y * frames[solid, U_Y] + z * frames[solid, U_Z],
        x * frames[solid, V_X] + y * frames[solid, V_Y] + z * frames[solid, V_Z],
        x * frames[solid, A_X] + y * frames[solid, A_Y] + z * frames[solid, A_Z],
        ex * frames[solid, U_X] + ey * frames[solid, U_Y] + ez * frames[solid, U_Z],
        ex * frames[solid, V_X] + ey * frames[solid, V_Y] + ez * frames[solid, V_Z],
        ex * frames[solid, A_X] + ey * frames[solid, A_Y] + ez * frames[solid, A_Z],
        capsule.half,
        capsule.radius,
        capsule.tolerance,
    )


@inlined
def _place(out: ContactList, k: int, c: Capsule) -> float:
    """Position of stored contact k along the link, m."""
    r = c.radius
    x = out.point[k, X] + r * out.normal[k, X] - c.x
    y = out.point[k, Y] + r * out.normal[k, Y] - c.y
    z = out.point[k, Z] + r * out.normal[k, Z] - c.z
    place: float = x * c.ex + y * c.ey + z * c.ez
    return place


@inlined
def offer_contact(
    out: ContactList,
    start: int,
    count: int,
    capsule: Capsule,
    feature: int,
    t: float,
    gap: float,
    nx: float,
    ny: float,
    nz: float,
    alike_same: float,
    alike_near: float,
    handicap: float,
) -> int:
    """Add a contact of the solid whose contacts begin at `start`, unless a deeper one at its place exists.

    All quantities are in the solid's frame; `finish_contacts` transforms them to the world's.

    Parameters
    ----------
    t : float
        Position along the link, m.
    alike_same, alike_near : float
        Contacts are merged if the cosine between their normals is at least this, at the same
        position and at positions closer than `SPACING`; -2 for any normals.
    handicap : float
        Amount by which a contact inside the segment counts as shallower when compared with others,
        m.

    Returns
    -------
    int
        The new number of contacts.
    """
    c = capsule
    if gap > c.tolerance:
        return count
    capacity = out.link.shape[0]
    spacing = SPACING * c.half
    stored = min(count, capacity)
    rank = gap + (handicap if feature >= INNER else 0.0)
    for k in range(start, stored):
        apart = abs(_place(out, k, c) - t)
        alike = out.normal[k, X] * nx + out.normal[k, Y] * ny + out.normal[k, Z] * nz
        if apart <= spacing and alike >= (alike_same if apart <= EQUAL else alike_near):
            other = out.gap[k] + (handicap if out.feature[k] >= INNER else 0.0)
            if other <= rank + EQUAL:
                return count
    place = -1
    k = start
    while k < stored:
        apart = abs(_place(out, k, c) - t)
        alike = out.normal[k, X] * nx + out.normal[k, Y] * ny + out.normal[k, Z] * nz
        if apart <= spacing and alike >= (alike_same if apart <= EQUAL else alike_near):
            if place < 0:
                place = k
            else:
                stored -= 1
                count -= 1
                _move(out, stored, k)
                continue
        k += 1
    if place < 0 and stored - start >= MOST:
        shallowest = rank
        for k in range(start, stored):
            other = out.gap[k] + (handicap if out.feature[k] >= INNER else 0.0)
            if other > shallowest:
                shallowest = other
                place = k
        if place < 0:
            return count
    if place < 0:
        place = count
        count += 1
    if place < capacity:
        out.feature[place] = feature
        out.gap[place] = gap
        out.normal[place, X] = nx
        out.normal[place, Y] = ny
        out.normal[place, Z] = nz
        out.point[place, X] = c.x + t * c.ex - c.radius * nx
        out.point[place, Y] = c.y + t * c.ey - c.radius * ny
        out.point[place, Z] = c.z + t * c.ez - c.radius * nz
    return count


@inlined
def _move(out: ContactList, source: int, target: int) -> None:
    out.feature[target] = out.feature[source]
    out.gap[target] = out.gap[source]
    for axis in range(3):
        out.normal[target, axis] = out.normal[source, axis]
        out.point[target, axis] = out.point[source, axis]


@inlined
def drop_contact(out: ContactList, k: int, count: int) -> int:
    """Remove stored contact k, replacing it by the last one; return the new number of contacts."""
    _move(out, count - 1, k)
    return count - 1


@inlined
def finish_contacts(
    frames: FloatArray,
    solid: int,
    link: int,
    body: int,
    base: int,
    out: ContactList,
    start: int,
    count: int,
) -> None:
    """Transform contacts `start` to `count` from the frame of a solid to the world's; add `base` to their features."""
    for k in range(start, min(count, out.link.shape[0])):
        out.link[k] = link
        out.body[k] = body
        out.feature[k] += base
        u, v, w = vec3(out.normal, k)
        a, b, c = vec3(out.point, k)
        for axis in range(3):
            one = frames[solid, 3 + axis]
            two = frames[solid, 6 + axis]
            three = frames[solid, 9 + axis]
            out.normal[k, axis] = u * one + v * two + w * three
            out.point[k, axis] = frames[solid, axis] + a * one + b * two + c * three
