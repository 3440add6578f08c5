"""Closed triangle mesh of a continuous body: smooth between its cross-sections, round at its ends."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from snakestudio._arrays import FloatArray, IndexArray
from snakestudio.drawing import quaternion as quat
from snakestudio.drawing.instances import Batch

TAIL_CAP = 1.5
"""Length of the tail's tip in radii; the head is a half sphere."""

_CAP_RINGS = 8
_GROOVE = 0.09
_EDGE = 0.07
"""Half-width of a groove, and width of the bright edge next to it, in radii."""

_TILT = math.radians(38)
"""Tilt of the normal into the groove at its edge, which makes it look cut although the mesh is
smooth."""

_DARK = 0.5
_STRIPE = 1.2
"""Tones of a groove and of the stripe along the back."""

_RINGS_WANTED = 120
_NEAREST_BANDS = 1.7
"""Smallest number of rings without grooves; smallest distance of neighbouring grooves, in
radii."""


@dataclass(frozen=True, slots=True, eq=False)
class Rings:
    """Positions of rings between the cross-sections; the same for all frames of a body."""

    first: IndexArray
    """Cross-section before the ring. Shape (m,)."""

    part: FloatArray
    """Fraction of the distance to the next one, 0 to 1. Shape (m,)."""

    weights: FloatArray
    """Weights of the cubic between both: position and tangent before, position and tangent after. Shape (4, m,
    1)."""

    slopes: FloatArray
    """Derivatives of the weights with respect to `part`. Shape (4, m)."""

    dark: NDArray[np.bool_]
    """Whether the ring is in a groove. Shape (m,)."""

    tilt: FloatArray
    """Tilt of the normals towards the tail, rad. Shape (m,)."""


@dataclass(frozen=True, slots=True, eq=False)
class Skin:
    """Mesh of a continuous body."""

    vertices: Batch
    """Vertices as in `meshes.Mesh`, in the world, m. Shape (m * columns, 8)."""

    indices: NDArray[np.uint32]
    """Three indices per triangle, counter-clockwise from outside; the same array for the same rings
    and columns. Shape (k,)."""

    columns: int
    """Number of vertices per ring."""

    section: IndexArray
    """Nearest cross-section of every ring, the head first. Shape (m,)."""

    middle: FloatArray
    """Centre of each ring, m. Shape (m, 3)."""

    radius: FloatArray
    """Radius of each ring, m. Shape (m,)."""

    rings: Rings
    """Rings between the ends."""

    head_rings: int
    """Number of rings that form the end at the head."""

    tail_rings: int
    """Number of rings that form the end at the tail."""


def band_step(spacing: float, radius: float) -> int:
    """Return the number of cross-sections per groove, so that grooves can be distinguished (lengths in m)."""
    needed = _NEAREST_BANDS * radius / max(spacing, 1e-12)
    return next((step for step in (1, 2, 4, 5, 10, 20, 25, 50, 100, 200) if step >= needed), 1000)


@lru_cache(maxsize=16)
def rings(sections: int, step: int, slenderness: float) -> Rings:
    """Return the tube surface as rings between cross-sections.

    Parameters
    ----------
    step : int
        Number of cross-sections per groove.
    slenderness : float
        Distance of two cross-sections in radii; rounded, so that it is the same in all frames.
    """
    inner = max(1, -(-_RINGS_WANTED // (sections - 1)))
    groove = min(_GROOVE / slenderness, 0.2)
    edge = groove + min(_EDGE / slenderness, 0.15)
    rows: list[tuple[int, float, bool, float]] = []
    for k in range(sections - 1):
        before = k % step == 0 and k > 0
        after = (k + 1) % step == 0 and k + 2 < sections
        begin = edge if before else 0.0
        end = 1.0 - edge if after else 1.0
        if before:
            rows += [(k, 0.0, True, 0.0), (k, groove, True, 0.0), (k, groove, False, -_TILT)]
        # The start of the next section is at this position.
        rows += [
            (k, float(u), False, 0.0)
            for u in np.linspace(begin, end, inner + 1)[: inner + 1 if after else inner]
        ]
        if after:
            rows += [(k, 1.0 - groove, False, _TILT), (k, 1.0 - groove, True, 0.0)]
    rows.append((sections - 2, 1.0, False, 0.0))
    first, part, dark, tilt = (np.array(column) for column in zip(*rows, strict=True))
    u = part
    v = 1.0 - part
    weights = np.stack(((1 + 2 * u) * v * v, u * v * v, u * u * (3 - 2 * u), -u * u * v))
    slopes = np.stack((-6 * u * v, v * (1 - 3 * u), 6 * u * v, u * (3 * u - 2)))
    return Rings(first.astype(np.intp), part, weights[..., None], slopes, dark.astype(bool), tilt)


def smooth(values: FloatArray, at: Rings) -> FloatArray:
    """Return the linear interpolation of values (n,) of the cross-sections at the rings, (m,)."""
    between: FloatArray = values[at.first] + at.part * (values[at.first + 1] - values[at.first])
    return between


def _turned(quaternion: FloatArray, at: Rings) -> tuple[FloatArray, FloatArray]:
    """Return the orientations of the rings, (m, 4), interpolated between cross-sections, and the angles between these.

    Returns
    -------
    (m, 4) array, (n-1,) array
    """
    cosine = np.einsum("ij,ij->i", quaternion[:-1], quaternion[1:])
    sign = np.cumprod(np.concatenate(([1.0], np.where(cosine < 0.0, -1.0, 1.0))))
    q = quaternion * sign[:, None]
    half = np.arccos(np.minimum(np.abs(cosine), 1.0))
    angle = half[at.first]
    u = at.part
    flat = angle < 1e-4
    safe = np.where(flat, 1.0, np.sin(angle))
    a = np.where(flat, 1.0 - u, np.sin((1.0 - u) * angle) / safe)
    b = np.where(flat, u, np.sin(u * angle) / safe)
    turned = a[:, None] * q[at.first] + b[:, None] * q[at.first + 1]
    turned /= np.sqrt(np.einsum("ij,ij->i", turned, turned))[:, None]
    return turned, 2.0 * half


def skin(
    position: FloatArray,
    quaternion: FloatArray,
    tangent: FloatArray,
    radius: FloatArray,
    at: Rings,
    columns: int,
) -> Skin:
    """Build the mesh of a body.

    Parameters
    ----------
    position, quaternion : (n, 3), (n, 4) arrays
        Poses of the cross-sections, the head first; m, and w x y z, x along the body to the tail.
    tangent : (n, 3) array
        Unit vectors along the axis of the body; equal to x without shear.
    radius : (n,) array
        m.
    columns : int
        Number of facets around the body.
    """
    turned, angle = _turned(quaternion, at)
    chord = np.diff(position, axis=0)
    # A cubic fits an arc best if its tangents have the length of the arc.
    length = np.sqrt(np.einsum("ij,ij->i", chord, chord)) / np.sinc(
        0.5 * np.minimum(angle, np.pi) / np.pi
    )
    i = at.first
    j = at.first + 1
    w = at.weights
    span = length[i, None]
    middle = (
        w[0] * position[i] + w[2] * position[j] + span * (w[1] * tangent[i] + w[3] * tangent[j])
    )
    rise = np.gradient(radius)
    parts = (radius[i], rise[i], radius[j], rise[j])
    wide = sum(weight[:, 0] * part for weight, part in zip(w, parts, strict=True))
    slope = sum(s * part for s, part in zip(at.slopes, parts, strict=True)) / np.maximum(
        span[:, 0], 1e-12
    )
    lean = at.tilt - np.arctan(slope)

    # Ends: half ellipsoids whose widest rings are the first and the last cross-section.
    quarter = 0.5 * math.pi * np.arange(1, _CAP_RINGS + 1) / _CAP_RINGS
    frame = quat.matrix(turned)
    x = frame[:, :, 0]
    ends = []
    widths = []
    leans = []
    for end, angles, out in ((0, quarter[::-1], -1.0), (-1, quarter, TAIL_CAP)):
        ends.append(middle[end] + np.sin(angles)[:, None] * (out * radius[end] * x[end]))
        widths.append(radius[end] * np.cos(angles))
        leans.append(np.arctan2(np.sin(angles) / out, np.cos(angles)))
    middle = np.concatenate((ends[0], middle, ends[1]))
    wide = np.concatenate((widths[0], wide, widths[1]))
    lean = np.concatenate((leans[0], lean, leans[1]))
    dark = np.pad(at.dark, _CAP_RINGS)
    keep = np.pad(np.arange(len(turned)), _CAP_RINGS, mode="edge")
    frame = frame[keep].astype(np.float32)

    sine, cosine, stripe = _around(columns)
    vertices = np.empty((len(middle), len(sine), 8), np.float32)
    out = np.cos(lean).astype(np.float32)
    along = np.sin(lean).astype(np.float32)
    centre = middle.astype(np.float32)
    reach = wide.astype(np.float32)[:, None]
    for k in range(3):  # numpy is slow along an axis of length three
        radial = frame[:, k, 2, None] * cosine - frame[:, k, 1, None] * sine
        vertices[..., k] = centre[:, k, None] + reach * radial
        vertices[..., 3 + k] = out[:, None] * radial + (along * frame[:, k, 0])[:, None]
    vertices[..., 6] = 0.0
    vertices[..., 7] = np.where(dark, np.float32(_DARK), np.float32(1.0))[:, None] * stripe
    section = at.first + (at.part >= 0.5)
    return Skin(
        vertices.reshape(-1, 8),
        _triangles(at, columns),
        len(sine),
        np.pad(section, _CAP_RINGS, mode="edge"),
        middle,
        wide,
        at,
        _CAP_RINGS,
        _CAP_RINGS,
    )


@lru_cache(maxsize=16)
def _around(columns: int) -> tuple[Batch, Batch, Batch]:
    """Return the sine, cosine and tone of the vertices of a ring; the angle is measured from t_Z towards -t_Y.

    The stripe along the back shows the roll angle of the body; its edges are duplicated, in both
    tones.
    """
    step = 2.0 * math.pi / columns
    wide = max(1, round(columns / 15))
    index = [*range(-wide, wide + 1), *range(wide, columns - wide + 1)]
    angle = step * np.array(index)
    tone = np.where(np.arange(len(index)) <= 2 * wide, _STRIPE, 1.0)
    return (
        np.sin(angle).astype(np.float32),
        np.cos(angle).astype(np.float32),
        tone.astype(np.float32),
    )


_templates: dict[tuple[int, int], tuple[Rings, NDArray[np.uint32]]] = {}


def _triangles(at: Rings, columns: int) -> NDArray[np.uint32]:
    """Return the indices of the mesh; cached, so that they are uploaded once."""
    key = (id(at), columns)
    known = _templates.get(key)
    if known is not None and known[0] is at:
        return known[1]
    apart = np.ones(len(at.first) + 2 * _CAP_RINGS - 1, bool)
    apart[_CAP_RINGS : len(apart) - _CAP_RINGS] = (np.diff(at.first) != 0) | (
        np.diff(at.part) > 1e-12
    )
    wide = max(1, round(columns / 15))
    across = np.ones(columns + 1, bool)
    across[2 * wide] = False
    count = columns + 2
    row = np.flatnonzero(apart)[:, None]
    column = np.flatnonzero(across)
    a = row * count + column
    quads = np.stack((a, a + 1, a + count, a + count, a + 1, a + count + 1), axis=-1)
    # At the poles every other triangle has no area.
    quads[0, :, 0:3], quads[-1, :, 3:6] = quads[0, :, 3:6], quads[-1, :, 0:3]
    flat = quads.reshape(-1, 3)
    order = np.concatenate(
        (flat[: 2 * columns : 2], flat[2 * columns : -2 * columns], flat[-2 * columns :: 2])
    )
    indices = np.ascontiguousarray(order, np.uint32).ravel()
    indices.setflags(write=False)
    if len(_templates) >= 16:
        _templates.clear()
    _templates[key] = (at, indices)
    return indices
