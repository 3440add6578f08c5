"""Drawing of a continuum robot as a smooth tube: shape, colours, head, anchors, outlines and ghosts."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from snakestudio._arrays import FloatArray
from snakestudio.drawing import quaternion as quat
from snakestudio.drawing.camera import Camera
from snakestudio.drawing.instances import Batch, solid_rows
from snakestudio.drawing.overlays import Overlays
from snakestudio.drawing.quantities import (
    QUANTITIES,
    Range,
    colours,
    quantity_values,
    range_of,
    stretch_scale,
)
from snakestudio.drawing.robot import Chain, chain
from snakestudio.drawing.style import Colour, Theme
from snakestudio.drawing.tube import TAIL_CAP, Skin, band_step, rings, skin, smooth
from snakestudio.model.robot.beam import Beam
from snakestudio.model.scene import Scene
from snakestudio.model.snapshot import BodyFields, Snapshot

_TURNED = np.array([0.0, 0.0, 0.0, 1.0])
"""Half a turn about z: the head faces -x."""

_TALLEST = 1080.0
"""Largest frame height, pixels, at which the tube looks round."""

_GLOW = 0.3
"""Emission of quantity colours, so that shading does not change their meaning."""


@dataclass(frozen=True, slots=True, eq=False)
class Tube:
    """A continuous body for drawing and picking."""

    skin: Skin
    colours: Batch
    """Colours of its vertices, linear, with opacity. Shape (k, 4)."""

    row: Batch
    """Instance row with glow and gloss. Shape (1, ROW_WIDTH)."""

    links: Chain
    """Straight segments between the cross-sections, for shadows and for the extent in the
    frame."""

    half: FloatArray
    """Half-lengths of the segments, m. Shape (n-1,)."""

    radius: FloatArray
    """Drawn radii of the cross-sections, m. Shape (n,)."""

    reach: float
    """Largest distance of any part from the axis, m."""

    span: Range
    """Values at the ends of the colours, SI."""

    stretch_scale: float
    """Exaggeration factor of radius changes."""


def segments(position: FloatArray) -> tuple[Chain, FloatArray]:
    """Return the straight segments between points (n, 3), and their half-lengths (n-1,), m."""
    offset = np.diff(position, axis=0)
    length = np.sqrt(np.einsum("ij,ij->i", offset, offset))
    axis = offset / np.maximum(length, 1e-12)[:, None]
    axis[length < 1e-12] = (1.0, 0.0, 0.0)
    known: NDArray[np.bool_] = np.ones(len(offset), bool)
    return Chain(
        0.5 * (position[:-1] + position[1:]), quat.between(axis), axis, known
    ), 0.5 * length


def _columns(pixels: float) -> int:
    """Return the facets around a body with a radius in pixels, for an outline error of at most 0.25 pixels."""
    needed = math.pi / math.acos(1.0 - min(0.25 / max(pixels, 0.5), 0.5))
    return min(48, max(12, 4 * math.ceil(needed / 4)))


def _fitting(snapshot: Snapshot, n: int) -> BodyFields | None:
    """Return the internal fields of the body, if known at all cross-sections."""
    body = snapshot.body
    return (
        body
        if body is not None and body.strain.shape == (n, 6) and body.wrench.shape == (n, 6)
        else None
    )


def tube(
    scene: Scene,
    snapshot: Snapshot,
    links: Chain,
    overlays: Overlays,
    camera: Camera,
    theme: Theme,
    bright: frozenset[int],
) -> Tube | None:
    """Return the body at an instant; None if the pose of a cross-section is unknown.

    Parameters
    ----------
    links : Chain
        The cross-sections, the head first.
    bright : frozenset of int
        Cross-sections to draw lighter (selected ones).
    """
    n = len(links.known)
    if n < 2 or not links.known.all():
        return None
    fields = _fitting(snapshot, n)
    beam = scene.beam
    strain = fields.strain if fields is not None else np.tile((1.0, 0, 0, 0, 0, 0), (n, 1))
    gamma = np.where(np.isfinite(strain[:, 0]) & (strain[:, 0] > 1e-3), strain[:, 0], 1.0)
    scale = overlays.stretch_scale if overlays.stretch_scale is not None else stretch_scale(gamma)
    # P5 (37): constant volume. The radius stays between a tenth and five times its value at any
    # scale.
    radius = beam.radius_m * np.clip(gamma ** (-0.5 * scale), 0.1, 5.0)
    tangent = links.axis
    if np.isfinite(strain[:, :3]).all() and np.abs(strain[:, 1:3]).max() > 1e-9:
        derivative = np.einsum(
            "kij,kj->ki", quat.matrix(links.quaternion), np.column_stack((gamma, strain[:, 1:3]))
        )
        tangent = derivative / np.linalg.norm(derivative, axis=1, keepdims=True)
    shape = _shape(links, tangent, radius, beam, camera)
    tint, span = _tint(fields, shape, overlays, theme, bright)
    pieces, half = segments(links.position)
    glow = _GLOW if overlays.body_quantity and fields is not None else 0.0
    row = solid_rows(
        np.zeros((1, 3)),
        (1.0, 0.0, 0.0, 0.0),
        0.0,
        1.0,
        theme.link,
        glow=glow,
        gloss=0.3 * (1 - glow),
        shaded=0.85,
    )
    reach = float(radius.max())
    return Tube(shape, tint, row, pieces, half, radius, reach, span, scale)


def _shape(
    links: Chain, tangent: FloatArray, radius: FloatArray, beam: Beam, camera: Camera
) -> Skin:
    """Return the mesh, with the necessary resolution."""
    n = len(links.known)
    spacing = beam.length_m / (n - 1)
    at = rings(n, band_step(spacing, beam.radius_m), float(f"{spacing / beam.radius_m:.6g}"))
    height = float(np.min(camera.view_height(links.position)))
    columns = _columns(beam.radius_m / height * _TALLEST)
    return skin(links.position, links.quaternion, tangent, radius, at, columns)


def _tint(
    fields: BodyFields | None, shape: Skin, overlays: Overlays, theme: Theme, bright: frozenset[int]
) -> tuple[Batch, Range]:
    """Return the colours of the vertices, and the range of the shown quantity."""
    rows = len(shape.section)
    head = shape.head_rings
    tail = shape.tail_rings
    span = overlays.body_range or (0.0, 0.0)
    tint = np.tile(np.array(theme.link), (rows, 1))
    tint[:head] = theme.head
    if overlays.body_quantity and fields is not None:
        values = quantity_values(fields, overlays.body_quantity)
        signed = QUANTITIES[overlays.body_quantity].signed
        span = overlays.body_range or range_of(values, signed)
        tint[head : rows - tail] = colours(smooth(values, shape.rings), span, signed, theme.support)
        tint[rows - tail :] = tint[rows - tail - 1]
    elif bright:
        # With quantity colours, only a band around the cross-section marks it.
        chosen = np.isin(shape.section, list(bright))
        tint[chosen] = 0.65 * tint[chosen] + 0.35
    linear = np.ones((rows, 4), np.float32)
    linear[:, :3] = np.square(tint)
    if overlays.body_quantity and fields is not None:
        # The stripe along the back would distort the value colours.
        tone = shape.vertices.reshape(rows, shape.columns, 8)[head:, :, 7]
        tone[tone > 1.0] = 1.0
    return linear.repeat(shape.columns, axis=0), span


def head(links: Chain, radius: float, theme: Theme) -> dict[str, Batch]:
    """Return the visor, eyes and a bright collar at the first cross-section with a radius (m)."""
    at = links.position[:1]
    turn = quat.multiply(links.quaternion[0], _TURNED)
    return {
        "visor": solid_rows(at, turn, 0.0, radius, theme.visor, gloss=1.2),
        "collar": solid_rows(at, turn, 0.0, 1.02 * radius, theme.accent, glow=0.55, gloss=0.3),
        "eyes": solid_rows(at, turn, 0.0, radius, theme.accent, glow=0.9, gloss=0.2),
    }


def holds(
    this: Tube, snapshot: Snapshot, scene: Scene, overlays: Overlays, theme: Theme
) -> dict[str, Batch]:
    """Return the rings or anchors that hold the body: in the colour of forces if loaded, else dim."""
    body = snapshot.body
    if body is None or not len(body.active) or not scene.support.kinematic:
        return {}
    sound = np.isfinite(body.point).all(axis=1) & np.isfinite(body.axis).all(axis=1)
    on = np.flatnonzero(body.active & sound & (np.linalg.norm(body.axis, axis=1) > 0.5))
    if not len(on):
        return {}
    material = np.linspace(0.0, scene.beam.length_m, len(this.radius))
    if len(body.abscissa) == len(this.radius):
        material = body.abscissa
    radius = np.interp(body.hold[on], material, this.radius)
    force, torque = (
        np.linalg.norm(np.nan_to_num(v[on]), axis=1) for v in (body.force, body.torque)
    )
    loaded = (force >= overlays.force_minimum) | (
        torque >= overlays.force_minimum * scene.beam.radius_m
    )
    tint = np.where(loaded[:, None], np.array(theme.force), np.array(theme.support))
    axis = body.axis[on] / np.linalg.norm(body.axis[on], axis=1, keepdims=True)
    mesh, size = ("hoop", 1.17) if scene.support.guides else ("clamp", 1.12)
    return {
        mesh: solid_rows(
            body.point[on], quat.between(axis), 0.0, size * radius, tint, glow=0.08, gloss=0.9
        )
    }


def outlines(
    this: Tube, links: Chain, indices: list[int], extra: FloatArray, colour: Colour
) -> dict[str, list[Batch]]:
    """Return the shells around cross-sections and half of the body to their neighbours, enlarged by `extra` (n,), m."""
    last = len(links.known) - 1
    batches: dict[str, list[Batch]] = {"sleeve": [], "capsule": []}
    for mesh, chosen in (
        ("sleeve", np.array([i for i in indices if 0 < i < last], int)),
        ("capsule", np.array([i for i in indices if i in (0, last)], int)),
    ):
        if not len(chosen):
            continue
        radius = this.radius[chosen]
        before = this.half[np.maximum(chosen - 1, 0)]
        behind = this.half[np.minimum(chosen, last - 1)]
        # The head ends in a half sphere around its cross-section, the tail in a longer cap.
        before = np.where(chosen == 0, 0.0, before)
        behind = np.where(chosen == last, (TAIL_CAP - 1.0) * radius, behind)
        half = 0.5 * (before + behind)
        at = links.position[chosen] + (0.5 * (behind - before))[:, None] * links.axis[chosen]
        if mesh == "sleeve":
            half = np.maximum(half, 0.3 * radius)
        batches[mesh].append(
            solid_rows(
                at,
                links.quaternion[chosen],
                half,
                radius + extra[chosen],
                colour,
                glow=1.0,
                gloss=0.0,
            )
        )
    return batches


def _marked(this: Tube, links: Chain, indices: list[int], colour: Colour) -> Batch:
    """Return the thin bright bands at cross-sections."""
    chosen = np.array([i for i in indices if 0 <= i < len(links.known)], int)
    radius = this.radius[chosen]
    return solid_rows(
        links.position[chosen],
        links.quaternion[chosen],
        0.09 * radius,
        1.03 * radius,
        colour,
        glow=0.9,
        gloss=0.0,
    )


def bands(this: Tube, links: Chain, overlays: Overlays, theme: Theme) -> dict[str, Batch]:
    """Return the bands at the cross-sections that are selected or under the cursor."""
    picks = [(pick, theme.accent) for pick in overlays.selection if pick.kind == "link"]
    if (
        overlays.hover is not None
        and overlays.hover.kind == "link"
        and overlays.hover not in overlays.selection
    ):
        picks.append((overlays.hover, theme.hover))
    rows = [_marked(this, links, [pick.index], colour) for pick, colour in picks]
    return {"sleeve": np.concatenate(rows)} if rows else {}


def ghost(
    pose: FloatArray, beam: Beam, camera: Camera, colour: Colour, opacity: float
) -> Tube | None:
    """Return a translucent, unstretched body; None if the pose of a cross-section is unknown."""
    links = chain(pose)
    if len(pose) < 2 or not links.known.all():
        return None
    shape = _shape(links, links.axis, np.full(len(pose), 0.985 * beam.radius_m), beam, camera)
    tint = np.empty((len(shape.vertices), 4), np.float32)
    tint[:, :3] = np.square(colour)
    tint[:, 3] = opacity
    # Grooves would be visible through each other.
    shape.vertices[:, 7] = 1.0
    row = solid_rows(np.zeros((1, 3)), (1.0, 0.0, 0.0, 0.0), 0.0, 1.0, colour, glow=0.25, gloss=0.2)
    pieces, half = segments(links.position)
    radius = np.full(len(pose), beam.radius_m)
    return Tube(shape, tint, row, pieces, half, radius, beam.radius_m, (0.0, 0.0), 1.0)
