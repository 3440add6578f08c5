"""Signed distance of a point to an extruded convex profile (polygon or disc): a block, a prism, a post.

The frame of such a solid has the profile in its u-v plane, extruded along a from -half to half.
Faces entirely below the ground count for the shape, but never as the nearest exit: nothing can be
pushed into the ground.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from snakestudio._arrays import FloatArray
from snakestudio.kernels._jit import inlined, jit
from snakestudio.kernels.solid_contacts import Capsule

LOWER_OPEN = 1
"""Bit of `open_caps`: the end face at -half reaches above the ground."""

UPPER_OPEN = 2
"""Bit of `open_caps`: the end face at +half reaches above the ground."""


# Entries of Extrusion.corners.
CORNER_U, CORNER_V, OUT_U, OUT_V, LENGTH, ABOVE = range(6)


class Extrusion(NamedTuple):
    """One solid in its own frame."""

    corners: FloatArray
    """For all profiles: corner u, v; outward normal of the edge that follows it; the edge's length;
    whether its face reaches above the ground (1) or not (0). Rows `first` to `last` belong to this
    solid; without any, it is a disc."""

    first: int
    last: int
    disc: float
    """Radius of the disc, m."""

    half: float
    """Half the extent along a: the solid reaches from -half to half, m."""

    open_caps: int
    """Bits `LOWER_OPEN` and `UPPER_OPEN`."""


@jit
def _profile_distance(
    solid: Extrusion, u: float, v: float, eu: float, ev: float
) -> tuple[float, float, float, float]:
    """Signed distance in the plane of the profile, its gradient, and the slope as in `solid_distance`."""
    corners = solid.corners
    first = solid.first
    last = solid.last
    disc = solid.disc
    if first == last:  # a disc
        rho = math.sqrt(u * u + v * v)
        if rho < 1e-140:  # squares underflow: the direction from the axis is undefined
            return -disc, 1.0, 0.0, 0.0
        nu, nv = u / rho, v / rho
        along = nu * eu + nv * ev
        across = eu * eu + ev * ev - along * along
        return rho - disc, nu, nv, along * along + (rho - disc) / rho * across
    inner = -math.inf
    outer = math.inf  # squared
    nu, nv, mu, mv = 0.0, 0.0, 0.0, 0.0
    at_corner = False
    outside = False
    for k in range(first, last):
        ru, rv = u - corners[k, CORNER_U], v - corners[k, CORNER_V]
        ku, kv = corners[k, OUT_U], corners[k, OUT_V]
        d = ru * ku + rv * kv
        if d <= 0.0:
            if corners[k, ABOVE] > 0.0 and d > inner:
                inner = d
                mu = ku
                mv = kv
            continue
        outside = True
        s = rv * ku - ru * kv
        length = corners[k, LENGTH]
        if 0.0 <= s <= length:
            if d * d < outer:
                outer = d * d
                nu = ku
                nv = kv
                at_corner = False
        else:
            if s > length:
                ru += length * kv
                rv -= length * ku
            square = ru * ru + rv * rv
            if square < outer:
                outer = square
                nu = ru
                nv = rv
                at_corner = True
    if not outside:
        return inner, mu, mv, 0.0
    distance = math.sqrt(outer)
    if at_corner:
        return distance, nu / distance, nv / distance, eu * eu + ev * ev
    along = nu * eu + nv * ev
    return distance, nu, nv, along * along


@jit
def solid_distance(
    solid: Extrusion, capsule: Capsule, t: float
) -> tuple[float, float, float, float, float]:
    """Signed distance of the segment's point at `t` to the solid, with its derivatives along the segment.

    Both are in the solid's frame.

    Returns
    -------
    distance : float
        m; inside, minus the least distance to a face that reaches above the ground.
    nu, nv, na : float
        Its gradient, a unit vector.
    slope : float
        Outside, derivative along the segment of distance * (n . e), which is half the second
        derivative of the squared distance.
    """
    eu, ev, ea = capsule.ex, capsule.ey, capsule.ez
    a = capsule.z + t * ea
    half = solid.half
    open_caps = solid.open_caps
    flat, nu, nv, slope = _profile_distance(solid, capsule.x + t * eu, capsule.y + t * ev, eu, ev)
    side = 1.0 if a >= 0.0 else -1.0
    beyond = side * a - half
    if beyond <= 0.0:
        if flat > 0.0:
            return flat, nu, nv, 0.0, slope
        best = flat
        na = 0.0
        if open_caps & UPPER_OPEN and a - half > best:
            best = a - half
            na = 1.0
        if open_caps & LOWER_OPEN and -a - half > best:
            best = -a - half
            na = -1.0
        if na != 0.0:
            return best, 0.0, 0.0, na, 0.0
        return best, nu, nv, 0.0, 0.0
    if flat <= 0.0:
        return beyond, 0.0, 0.0, side, ea * ea
    distance = math.sqrt(flat * flat + beyond * beyond)
    part = flat / distance
    return distance, nu * part, nv * part, side * beyond / distance, slope + ea * ea


@inlined
def clearance(solid: Extrusion, capsule: Capsule) -> float:
    """Greatest separation of the whole segment from the plane of one face, m: a lower bound of the distance."""
    c = capsule
    corners = solid.corners
    best = abs(c.z) - solid.half - abs(c.ez) * c.half
    for k in range(solid.first, solid.last):
        ku, kv = corners[k, OUT_U], corners[k, OUT_V]
        d = (
            (c.x - corners[k, CORNER_U]) * ku
            + (c.y - corners[k, CORNER_V]) * kv
            - abs(c.ex * ku + c.ey * kv) * c.half
        )
        best = max(best, d)
    return best


@jit
def clip_profile(solid: Extrusion, capsule: Capsule) -> tuple[float, float]:
    """Part of the segment over the profile: start and end, m; start > end if empty."""
    c = capsule
    corners = solid.corners
    first = solid.first
    last = solid.last
    disc = solid.disc
    low = -c.half
    high = c.half
    if first == last:
        square = c.ex * c.ex + c.ey * c.ey
        over = c.x * c.x + c.y * c.y - disc * disc
        if square < 1e-30:
            return (low, high) if over <= 0.0 else (1.0, -1.0)
        middle = -(c.x * c.ex + c.y * c.ey) / square
        rest = middle * middle - over / square
        if rest < 0.0:
            return 1.0, -1.0
        root = math.sqrt(rest)
        return max(low, middle - root), min(high, middle + root)
    for k in range(first, last):
        ku, kv = corners[k, OUT_U], corners[k, OUT_V]
        d = (c.x - corners[k, CORNER_U]) * ku + (c.y - corners[k, CORNER_V]) * kv
        rate = c.ex * ku + c.ey * kv
        if abs(rate) < 1e-300:
            if d > 0.0:
                return 1.0, -1.0
        elif rate > 0.0:
            high = min(high, -d / rate)
        else:
            low = max(low, -d / rate)
    return low, high


@jit
def clip_caps(solid: Extrusion, capsule: Capsule) -> tuple[float, float]:
    """Part of the segment between the end faces: start and end, m; start > end if empty."""
    c = capsule
    half = solid.half
    if abs(c.ez) < 1e-300:
        return (-c.half, c.half) if abs(c.z) <= half else (1.0, -1.0)
    one = (-half - c.z) / c.ez
    two = (half - c.z) / c.ez
    return max(-c.half, min(one, two)), min(c.half, max(one, two))
