"""Drawing of a robot's body, by its type: links as solids, a continuous body as a tube."""

from __future__ import annotations

from collections.abc import Callable
from functools import singledispatch
from typing import NamedTuple

import numpy as np

from snakestudio._arrays import FloatArray
from snakestudio.drawing import beam as beam_parts
from snakestudio.drawing import robot as robot_parts
from snakestudio.drawing.camera import Camera
from snakestudio.drawing.instances import Batch
from snakestudio.drawing.overlays import Ghost, Overlays
from snakestudio.drawing.style import Colour, Theme, greyed
from snakestudio.model.body import Body, ChainBody, ContinuousBody
from snakestudio.model.scene import Scene
from snakestudio.model.snapshot import Snapshot

_Outlines = Callable[[list[int], FloatArray, Colour], dict[str, list[Batch]]]


class DrawnBody(NamedTuple):
    """A body for drawing."""

    reach: float
    """Largest distance of any point from the position of its part, m."""

    opaque: dict[str, Batch] = {}  # noqa: RUF012
    """Solids, by mesh."""

    outlines: _Outlines | None = None
    """Function that returns shells around parts, by mesh, for their indices, enlargement (n,), m, and
    colour."""

    tube: beam_parts.Tube | None = None
    """Tube of a continuous body."""


@singledispatch
def drawn_body(
    body: Body,
    scene: Scene,
    snapshot: Snapshot,
    links: robot_parts.Chain,
    overlays: Overlays,
    camera: Camera,
    theme: Theme,
) -> DrawnBody:
    """Return the scene's body at an instant; `links` are its parts, at least one."""
    raise NotImplementedError(type(body))


@drawn_body.register
def _(
    body: ChainBody,
    scene: Scene,
    snapshot: Snapshot,
    links: robot_parts.Chain,
    overlays: Overlays,
    camera: Camera,
    theme: Theme,
) -> DrawnBody:
    def outlines(indices: list[int], grow: FloatArray, colour: Colour) -> dict[str, list[Batch]]:
        return {"capsule": [robot_parts.outline(links, body, indices, grow, colour)]}

    shades = greyed(theme) if overlays.stale else theme
    return DrawnBody(
        body.reach,
        robot_parts.body(links, body, shades, _selected(overlays), overlays.travelled),
        outlines,
    )


@drawn_body.register
def _(
    body: ContinuousBody,
    scene: Scene,
    snapshot: Snapshot,
    links: robot_parts.Chain,
    overlays: Overlays,
    camera: Camera,
    theme: Theme,
) -> DrawnBody:
    tube = beam_parts.tube(scene, snapshot, links, overlays, camera, theme, _selected(overlays))
    if tube is None:
        return DrawnBody(body.radius)
    opaque = beam_parts.head(links, float(tube.radius[0]), theme)
    opaque |= beam_parts.holds(tube, snapshot, scene, overlays, theme)
    opaque |= beam_parts.bands(tube, links, overlays, theme)

    def outlines(indices: list[int], grow: FloatArray, colour: Colour) -> dict[str, list[Batch]]:
        return beam_parts.outlines(tube, links, indices, grow, colour)

    return DrawnBody(1.6 * tube.reach, opaque, outlines, tube)


def _selected(overlays: Overlays) -> frozenset[int]:
    return frozenset(pick.index for pick in overlays.selection if pick.kind == "link")


def ghosts(
    these: tuple[Ghost, ...], scene: Scene, camera: Camera, theme: Theme
) -> tuple[list[Batch], list[beam_parts.Tube]]:
    """Return translucent robots: those with links, and continuous ones."""
    capsules = []
    tubes = []
    for one in these:
        ghost = _ghost(one.body or scene.body, one, camera, one.colour or theme.ghost)
        if isinstance(ghost, beam_parts.Tube):
            tubes.append(ghost)
        elif ghost is not None:
            capsules.append(ghost)
    return capsules, tubes


@singledispatch
def _ghost(
    body: Body, one: Ghost, camera: Camera, colour: Colour
) -> Batch | beam_parts.Tube | None:
    raise NotImplementedError(type(body))


@_ghost.register
def _(body: ChainBody, one: Ghost, camera: Camera, colour: Colour) -> Batch:
    return robot_parts.ghost(np.asarray(one.pose, float), body, colour, one.opacity)


@_ghost.register
def _(body: ContinuousBody, one: Ghost, camera: Camera, colour: Colour) -> beam_parts.Tube | None:
    return beam_parts.ghost(np.asarray(one.pose, float), body.beam, camera, colour, one.opacity)
