"""The list of contacts between links and solids, and the one rule for which of several close contacts is kept.

Two contacts of one link at (nearly) the same place say the same thing twice: the solver then has
more unknowns than the motion has freedoms, and rounding decides how the load is shared. So of
contacts that lie closer together along the link than `spacing` only the one that is deepest is
kept.
"""

from __future__ import annotations

from typing import NamedTuple

from snakestudio._arrays import FloatArray, IntArray
from snakestudio.kernels._jit import inlined
from snakestudio.kernels.axes import X, Y, Z
from snakestudio.kernels.vec3 import vec3

EQUAL = 1e-9
"""Gaps that differ by less are the same, m."""

SPACING = 0.1
"""Contacts closer together along the link than this times its half length (5 % of its segment) are
one."""

MOST = 8
"""Contacts that a link may have with one solid; of more, the deepest are kept."""

INNER = 2
"""Features from this on are inside the segment; 0 and 1 are its ends."""


# Where a solid's frame stands in its row: origin X, Y, Z, then the three axes.
U_X, U_Y, U_Z, V_X, V_Y, V_Z, A_X, A_Y, A_Z = range(3, 12)


class ContactList(NamedTuple):
    """Contacts found; what exceeds the capacity c is counted and not stored."""

    link: IntArray
    """0-based, in the order in which links were asked for."""

    body: IntArray
    """0-based obstacle of the scene."""

    feature: IntArray
    """Tells the contacts of a link with an obstacle apart, from step to step."""

    gap: FloatArray
    """m, negative where they overlap."""

    normal: FloatArray
    """Unit vector from the obstacle to the link."""

    point: FloatArray
    """Where the link's surface is nearest, m: point of the link's segment - radius * normal."""


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
    """Contacts are wanted up to this gap, m."""


@inlined
def to_frame(frames: FloatArray, solid: int, capsule: Capsule) -> Capsule:
    """The capsule in the frame of a solid, whose rows are origin (3) and three axes (9)."""
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
    """Where stored contact k lies along the link, m."""
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
    """Enter a contact of the solid whose contacts begin at `start`, unless a deeper one at its place is there already.

    All in the solid's frame; `finish_contacts` turns it into the world's.

    Parameters
    ----------
    t : float
        Place along the link, m.
    alike_same, alike_near : float
        Contacts are one if the cosine between their normals is at least this, at the same place and
        at places closer than `SPACING`; -2 for whatever the normals are.
    handicap : float
        A contact inside the segment counts as shallower by this when it is weighed against others,
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
    """Take stored contact k out; the last one takes its place. Returns the new number of contacts."""
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
    """Turn contacts start to count from the frame of a solid into the world's; `base` is added to their features."""
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
