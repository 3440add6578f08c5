"""Contacts of a link with an extruded convex solid (block, prism, post): few, and continuous from step to step.

The signed distance f(t) of the segment's points to a convex solid is convex in t. Contacts are
placed at:

- both end spheres;
- the minimum of f, if it is inside the segment: an edge or a corner that the link lies across;
- *lips*: positions where a segment nearly parallel to a face leaves that face. Without them a link
  that lies flat on a block and extends over its edge would be supported at the edge only after it
  has begun to tip, and one that lies flat across a narrow block would be supported alternately at
  its two edges.

All are points of the segment with the solid's own distance and gradient there, so each of them is
a valid contact, and a contact that appears or disappears while the link moves slightly has an open
gap or is near a deeper one.
"""

from __future__ import annotations

import math

from snakestudio.kernels._jit import jit
from snakestudio.kernels.solid_contacts import EQUAL, INNER, Capsule, ContactList, offer_contact
from snakestudio.kernels.solid_distance import (
    ABOVE,
    CORNER_U,
    CORNER_V,
    LENGTH,
    LOWER_OPEN,
    OUT_U,
    OUT_V,
    UPPER_OPEN,
    Extrusion,
    clearance,
    clip_caps,
    clip_profile,
    solid_distance,
)

LIPS = 4
"""First feature of lips; `INNER` is the minimum of the distance or the point of entry, followed by
the point of exit."""

PARALLEL = 0.1
"""Largest sine of the angle between a face with lips and the link. At larger angles the link either
clears one side of a lip, or is supported so much lower beyond it, that the lip could not carry
load."""

MOST_SEARCH = 60
_ANY = -2.0


@jit
def _at(
    solid: Extrusion,
    capsule: Capsule,
    feature: int,
    t: float,
    out: ContactList,
    start: int,
    count: int,
) -> tuple[int, float, float]:
    """Add the contact at position t; return the number of contacts, the distance and its derivative."""
    c = capsule
    f, nu, nv, na, _ = solid_distance(solid, c, t)
    count = offer_contact(
        out, start, count, c, feature, t, f - c.radius, nu, nv, na, _ANY, _ANY, 0.0
    )
    return count, f, nu * c.ex + nv * c.ey + na * c.ez


@jit
def _lips(solid: Extrusion, capsule: Capsule, out: ContactList, start: int, count: int) -> int:
    """Add the contacts at the lips of all faces that the segment is nearly parallel to and in front of."""
    c = capsule
    corners = solid.corners
    half = solid.half
    between_low, between_high = clip_caps(solid, c)
    # First the end faces, then the disc's side or the faces of the polygon.
    for face in range(-1, max(solid.last - solid.first, 1)):
        height = half
        rate = 0.0
        low = between_low
        high = between_high
        if face < 0:
            if abs(c.ez) >= PARALLEL or abs(c.z) + abs(c.ez) * c.half <= half:
                continue
            side = 1.0 if c.z > 0.0 else -1.0
            height = side * c.z - half
            rate = side * c.ez
            low, high = clip_profile(solid, c)
        elif between_low > between_high:
            break
        elif solid.first == solid.last:
            if c.ex * c.ex + c.ey * c.ey >= PARALLEL * PARALLEL:
                continue
        else:
            k = solid.first + face
            ku, kv = corners[k, OUT_U], corners[k, OUT_V]
            rate = c.ex * ku + c.ey * kv
            ru, rv = c.x - corners[k, CORNER_U], c.y - corners[k, CORNER_V]
            height = ru * ku + rv * kv
            if abs(rate) >= PARALLEL or height + abs(rate) * c.half <= 0.0:
                continue
            s = rv * ku - ru * kv
            along = c.ey * ku - c.ex * kv
            if abs(along) > 1e-300:
                one = -s / along
                two = (corners[k, LENGTH] - s) / along
                low, high = max(low, min(one, two)), min(high, max(one, two))
            elif not 0.0 <= s <= corners[k, LENGTH]:
                continue
        if low > high:
            continue
        for end in range(2):
            t = low if end == 0 else high
            if -c.half < t < c.half and height + t * rate > 0.0:
                count, _, _ = _at(solid, c, LIPS + 2 * (face + 1) + end, t, out, start, count)
    return count


@jit
def _nearest(
    solid: Extrusion, capsule: Capsule, low_rate: float, high_rate: float
) -> tuple[float, float, float, float, float]:
    """Position of the minimum of the distance, which decreases at one end of the segment and increases at the other.

    It is the root of half the derivative of the squared distance (`low_rate` and `high_rate` at the
    ends), which increases monotonically and is piecewise linear except at a rim: a bracketed Newton
    iteration takes about as many steps as there are pieces.

    Returns
    -------
    t, distance : float
    nu, nv, na : float
        The gradient at that position.
    """
    c = capsule
    low = -c.half
    high = c.half
    t = low - low_rate * (high - low) / (high_rate - low_rate)
    f, nu, nv, na, slope = solid_distance(solid, c, t)
    for i in range(MOST_SEARCH):
        rate = max(f, 0.0) * (nu * c.ex + nv * c.ey + na * c.ez)
        if rate < 0.0:
            low = t
        elif rate > 0.0:
            high = t
        else:
            break
        step = -rate / slope if slope > 0.0 else math.inf
        # After ten steps of Newton's method, every other step halves the bracket.
        if not low < t + step < high or (i >= 10 and i % 2):
            step = 0.5 * (low + high) - t
        t += step
        f, nu, nv, na, slope = solid_distance(solid, c, t)
        if abs(step) < 1e-13 * c.half:
            break
    return t, f, nu, nv, na


@jit
def _pierced(
    solid: Extrusion,
    capsule: Capsule,
    low: float,
    high: float,
    out: ContactList,
    start: int,
    count: int,
) -> int:
    """Add contacts of a link whose axis is in the solid from `low` to `high`, directed out of the face nearest to all.

    At this depth (a link's radius) the contact geometry has no physical meaning; it matters only
    that all contacts of the link push in the same direction.
    """
    c = capsule
    corners = solid.corners
    best = -math.inf
    nu = 0.0
    nv = 0.0
    na = 0.0
    d_low = 0.0
    d_high = 0.0
    for k in range(solid.first, solid.last):
        ku, kv = corners[k, OUT_U], corners[k, OUT_V]
        d = (c.x - corners[k, CORNER_U]) * ku + (c.y - corners[k, CORNER_V]) * kv
        rate = c.ex * ku + c.ey * kv
        if corners[k, ABOVE] > 0.0 and min(d + low * rate, d + high * rate) > best:
            d_low, d_high = d + low * rate, d + high * rate
            best = min(d_low, d_high)
            nu, nv = ku, kv
    if solid.first == solid.last:
        square = c.ex * c.ex + c.ey * c.ey
        t = min(max(-(c.x * c.ex + c.y * c.ey) / square, low), high) if square > 1e-30 else 0.0
        u, v = c.x + t * c.ex, c.y + t * c.ey
        rho = math.sqrt(u * u + v * v)
        if rho > 1e-140:  # below, squares underflow
            nu, nv = u / rho, v / rho
        elif square > 1e-30:  # as in the planar gap function: push to the link's left
            nu = -c.ey / math.sqrt(square)
            nv = c.ex / math.sqrt(square)
        else:
            nu, nv = 1.0, 0.0
        d_low = (c.x + low * c.ex) * nu + (c.y + low * c.ey) * nv - solid.disc
        d_high = (c.x + high * c.ex) * nu + (c.y + high * c.ey) * nv - solid.disc
        best = min(d_low, d_high)
    for cap in range(2):
        side = 1.0 if cap else -1.0
        one = side * (c.z + low * c.ez) - solid.half
        two = side * (c.z + high * c.ez) - solid.half
        if solid.open_caps & (UPPER_OPEN if cap else LOWER_OPEN) and min(one, two) > best:
            best = min(one, two)
            d_low = one
            d_high = two
            nu = 0.0
            nv = 0.0
            na = side
    for end in range(2):
        t, d = (low, d_low) if end == 0 else (high, d_high)
        feature = end + INNER if -c.half < t < c.half else end
        if d <= 0.5 * best:
            count = offer_contact(
                out, start, count, c, feature, t, d - c.radius, nu, nv, na, _ANY, _ANY, 0.0
            )
    return count


@jit
def extruded_contacts(solid: Extrusion, capsule: Capsule, out: ContactList, count: int) -> int:
    """Append the contacts of a link with one solid, both in the solid's frame, not excluded by `clearance`."""
    c = capsule
    start = count
    if clearance(solid, c) <= 0.0:
        low, high = clip_profile(solid, c)
        one, two = clip_caps(solid, c)
        low, high = max(low, one), min(high, two)
        if low < high:
            return _pierced(solid, c, low, high, out, start, count)
    f_rear = 0.0
    rear_rate = 0.0
    f_front = 0.0
    front_rate = 0.0
    for end in range(2 if c.half > EQUAL else 1):
        f_rear = f_front
        rear_rate = front_rate
        count, f_front, front_rate = _at(solid, c, end, (2 * end - 1) * c.half, out, start, count)
    if c.half <= EQUAL:
        return count
    count = _lips(solid, c, out, start, count)
    if f_rear <= 0.0 or f_front <= 0.0 or rear_rate >= 0.0 or front_rate <= 0.0:
        return count
    t, f, nu, nv, na = _nearest(solid, c, f_rear * rear_rate, f_front * front_rate)
    lower = min(f_rear, f_front)
    for k in range(start, min(count, out.link.shape[0])):
        lower = min(lower, out.gap[k] + c.radius)
    if f < lower - EQUAL:
        # Not the bare constant: numba would compile the callee again for every literal
        # argument.
        count = offer_contact(
            out, start, count, c, int(INNER), t, f - c.radius, nu, nv, na, _ANY, _ANY, 0.0
        )
    return count
