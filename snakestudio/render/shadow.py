"""Soft shadows on the floor, drawn as what they are: the shadow of a link or of an obstacle is a stadium.

A capsule or an upright cylinder, projected along the light onto the floor, is a segment grown by a radius. All of them
are drawn with soft edges into one small image, which the floor looks up once a pixel; that is an order of magnitude
cheaper on a software renderer than a shadow map, and has no steps. The higher a body, the softer and fainter its
shadow, and the dark around a contact (a second channel) goes when a link lifts, so that lifted links read as lifted. A
third channel holds what the obstacles alone shade, for the links to look up.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from snakestudio.render import gl
from snakestudio.render.buffers import Quads
from snakestudio.render.camera import Camera
from snakestudio.render.instances import Batch, FloatArray
from snakestudio.render.program import Program
from snakestudio.render.robot_parts import Chain
from snakestudio.render.targets import Image
from snakestudio.render.world_parts import Posts

__all__ = ["LIGHT_DIRECTION", "THROW", "Casters", "Region", "Shadows", "link_shadows", "post_shadows", "region"]

LIGHT_DIRECTION: FloatArray = np.array([-0.42, -0.30, 1.0]) / math.sqrt(0.42**2 + 0.30**2 + 1.0)
"""Unit vector towards the key light."""

THROW: FloatArray = -LIGHT_DIRECTION[:2] / LIGHT_DIRECTION[2]
"""Way of a shadow on the floor for a metre of height."""

_SOFTNESS = 0.22
"""Half of a shadow edge's width for a metre of height: the tangent of the light's angular radius."""

_CONTACT_HEIGHT = 0.05
"""Height at which a link no longer darkens the floor below it, m."""

_FLOOR, _CONTACT, _LINKS = 0.0, 1.0, 2.0


@dataclass(frozen=True, slots=True)
class Region:
    """Rectangle of the floor that shadows are made for: corner and extent along x and y, m."""

    x: float
    y: float
    width: float
    depth: float


def region(low: FloatArray, high: FloatArray, camera: Camera) -> Region | None:
    """The floor that shadows can fall on, near enough to be seen; None if there is nothing to throw any.

    Parameters
    ----------
    low, high : (3,) arrays
        Box around everything that throws shadows, m; NaN if there is nothing.
    camera : Camera
    """
    if not np.isfinite(low).all():
        return None
    throw = THROW * max(float(high[2]), 0.01)
    margin = 0.04 + _SOFTNESS * max(float(high[2]), 0.0)
    seen = 2.2 * float(camera.view_height(camera.target)) + 0.5
    middle = np.array(camera.target[:2])
    lo = np.maximum(np.minimum(low[:2], low[:2] + throw) - margin, middle - seen)
    hi = np.minimum(np.maximum(high[:2], high[:2] + throw) + margin, middle + seen)
    # A region that moved with every step of the robot would make shadow edges crawl.
    step = 2.0 ** math.ceil(math.log2(max(seen / 32, 0.06)))
    lo, hi = np.floor(lo / step) * step, np.ceil(hi / step) * step
    if (hi <= lo).any():
        return None
    return Region(float(lo[0]), float(lo[1]), float(hi[0] - lo[0]), float(hi[1] - lo[1]))


def _rows(
    start: FloatArray, end: FloatArray, radius: FloatArray | float, soft: tuple[FloatArray | float, FloatArray | float],
    stretch: float, strength: tuple[FloatArray | float, FloatArray | float], channel: float,
) -> Batch:  # fmt: skip
    rows = np.empty((len(start), 12), np.float32)
    rows[:, 0:2], rows[:, 2:4] = start, end
    rows[:, 4], rows[:, 5], rows[:, 6], rows[:, 7] = radius, soft[0], soft[1], stretch
    rows[:, 8], rows[:, 9], rows[:, 10], rows[:, 11] = strength[0], strength[1], channel, 0.0
    return rows


def link_shadows(links: Chain, half: float, radius: float) -> Batch:
    """Stadiums of the links, (k, 12): shadow and contact.

    Parameters
    ----------
    links : Chain
    half, radius : float
        Half-length of the links' cylinders and radius, m.
    """
    centre, axis = links.position[links.known], half * links.axis[links.known]
    ends = (centre - axis, centre + axis)
    height = [np.maximum(end[:, 2], 0.0) for end in ends]
    soft = (0.006 + _SOFTNESS * height[0], 0.006 + _SOFTNESS * height[1])
    strength = (1.0 / (1.0 + 1.4 * height[0]), 1.0 / (1.0 + 1.4 * height[1]))
    start, end = (e[:, :2] + THROW * h[:, None] for e, h in zip(ends, height, strict=True))
    shadow = _rows(start, end, radius, soft, float(LIGHT_DIRECTION[2]), strength, _FLOOR)
    near = tuple(np.clip(1.0 - (h - radius) / _CONTACT_HEIGHT, 0.0, 1.0) for h in height)
    contact = _rows(
        ends[0][:, :2], ends[1][:, :2], 0.75 * radius, (0.55 * radius, 0.55 * radius), 1.0, (near[0], near[1]), _CONTACT
    )
    return np.concatenate((shadow, contact))


def post_shadows(these: Posts, link_radius: float) -> Batch:
    """Stadiums of the obstacles, (k, 12): shadow, contact, and shadow at the height of the links' middle.

    Parameters
    ----------
    these : Posts
    link_radius : float
        m.
    """
    height = these.height[:, None]
    end = these.centre + THROW * height
    soft, strength = 0.006 + _SOFTNESS * these.height, 1.0 / (1.0 + 1.4 * these.height)
    rise = np.minimum(height, link_radius)
    return np.concatenate(
        (
            _rows(these.centre, end, these.radius, (0.006, soft), 1.0, (1.0, strength), _FLOOR),
            _rows(these.centre, these.centre, these.radius + 0.004, (0.03, 0.03), 1.0, (1.0, 1.0), _CONTACT),
            _rows(these.centre + THROW * rise, end, these.radius, (0.006, soft), 1.0, (1.0, strength), _LINKS),
        )
    )


@dataclass(frozen=True, slots=True, eq=False)
class Casters:
    """What throws shadows: links with their half-length and radius (m), and obstacles."""

    links: Chain
    half: float
    radius: float
    posts: Posts


class Shadows:
    """The shadow image of a renderer."""

    def __init__(self) -> None:
        self._program = Program("shadow.vert", "shadow.frag")
        self._image: Image | None = None
        self._posts: tuple[Posts, float, Batch] | None = None
        self.region: Region | None = None

    @property
    def texture(self) -> int:
        """The image; 0 if nothing throws a shadow."""
        return self._image.texture if self._image and self.region else 0

    @property
    def place(self) -> tuple[float, float, float, float]:
        """Scale and offset from x, y on the floor to the image."""
        at = self.region
        return (
            (0.0, 0.0, -1.0, -1.0) if at is None else (1 / at.width, 1 / at.depth, -at.x / at.width, -at.y / at.depth)
        )

    def make(self, at: Region | None, bodies: Casters, size: int, quads: Quads) -> None:
        """Draw the image.

        Parameters
        ----------
        at : Region or None
        bodies : Casters
        size : int
            Texels along the longer side.
        quads : Quads
        """
        self.region = at
        if at is None:
            return
        image = self._allocate(at, size)
        these, radius = bodies.posts, bodies.radius
        if self._posts is None or self._posts[0] is not these or self._posts[1] != radius:
            rows = post_shadows(these, radius)
            rows.setflags(write=False)
            self._posts = (these, radius, rows)
        gl.glBindFramebuffer(gl.GL_FRAMEBUFFER, image.name)
        gl.glViewport(0, 0, image.width, image.height)
        gl.glClearColor(0.0, 0.0, 0.0, 0.0)
        gl.glClear(gl.GL_COLOR_BUFFER_BIT)
        gl.glDisable(gl.GL_DEPTH_TEST)
        gl.glDisable(gl.GL_CULL_FACE)
        gl.glEnable(gl.GL_BLEND)
        gl.glBlendEquation(gl.GL_MAX)
        self._program.use()
        self._program.set("u_region", at.x, at.y, 1 / at.width, 1 / at.depth)
        self._program.set("u_throw", *(THROW / np.linalg.norm(THROW)))
        for rows in (self._posts[2], link_shadows(bodies.links, bodies.half, radius)):
            if len(rows):
                quads.draw(rows)
        gl.glBlendEquation(gl.GL_FUNC_ADD)
        gl.glDisable(gl.GL_BLEND)

    def _allocate(self, at: Region, size: int) -> Image:
        """An image of the region's shape; its shorter side comes in steps, so that it can be kept mostly."""
        longer, shorter = max(at.width, at.depth), min(at.width, at.depth)
        short = max(64, 64 * math.ceil(size * shorter / longer / 64))
        wanted = (size, short) if at.width >= at.depth else (short, size)
        if self._image is None or (self._image.width, self._image.height) != wanted:
            if self._image is not None:
                self._image.release()
            self._image = Image(*wanted)
        return self._image

    def release(self) -> None:
        """Delete everything."""
        if self._image is not None:
            self._image.release()
            self._image = None
        self._program.release()
