"""Soft shadows on the floor, drawn analytically: the shadow of a link or a post is a stadium.

A capsule or an upright cylinder, projected along the light onto the floor, is a segment enlarged by a
radius. All of them are drawn with soft edges to one small image, which the floor samples once per
pixel; on a software renderer this is ten times as fast as a shadow map, and has no steps. Shadows of
higher bodies are softer and fainter, and the dark area around a contact (a second channel) vanishes
when a link lifts, so that lifting is visible. A third channel contains the shadows of obstacles only,
for the links. Blocks, ramps and uneven ground use a height map (terrain_shadow.py), which changes only
when they do.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from snakestudio._arrays import FloatArray
from snakestudio.drawing.camera import Camera
from snakestudio.drawing.instances import Batch
from snakestudio.drawing.light import FADING, LIGHT_DIRECTION, SOFT_FOOT, SOFTNESS, THROW, Region
from snakestudio.drawing.obstacles import Obstacles, Posts
from snakestudio.drawing.quality import Settings
from snakestudio.drawing.robot import Chain
from snakestudio.render import gl
from snakestudio.render.buffers import Quads
from snakestudio.render.program import Program
from snakestudio.render.static_layer import MANY, Mask, StaticInstances
from snakestudio.render.targets import Image
from snakestudio.render.terrain_shadow import TerrainShadow

_CONTACT_HEIGHT = 0.05
"""Height above which a link does not darken the floor below it, m."""

_FLOOR = 0.0
_CONTACT = 1.0
_LINKS = 2.0
_FIELD = 3.0

_EDGE = 0.05
"""Width on either side of the edge of a link's shadow in which the distance to it is stored,
m."""


def region(low: FloatArray, high: FloatArray, camera: Camera) -> Region | None:
    """Return the visible region of the floor with shadows; None if there is nothing to cast any.

    Parameters
    ----------
    low, high : (3,) arrays
        Box around everything that casts shadows, m; NaN if there is nothing.
    """
    if not np.isfinite(low).all() or high[2] < 0.0:
        return None  # bodies below the floor cast no shadow on it
    throw = THROW * max(float(high[2]), 0.01)
    margin = 0.04 + SOFTNESS * max(float(high[2]), 0.0)
    seen = 2.2 * float(camera.view_height(camera.target)) + 0.5
    middle = np.array(camera.target[:2])
    lo = np.maximum(np.minimum(low[:2], low[:2] + throw) - margin, middle - seen)
    hi = np.minimum(np.maximum(high[:2], high[:2] + throw) + margin, middle + seen)
    # A region that moves with every step of the robot would make shadow edges flicker.
    step = 2.0 ** math.ceil(math.log2(max(seen / 32, 0.06)))
    lo, hi = np.floor(lo / step) * step, np.ceil(hi / step) * step
    if (hi <= lo).any():
        return None
    return Region(float(lo[0]), float(lo[1]), float(hi[0] - lo[0]), float(hi[1] - lo[1]))


def _rows(
    start: FloatArray,
    end: FloatArray,
    radius: FloatArray | float,
    soft: tuple[FloatArray | float, FloatArray | float],
    stretch: float,
    strength: tuple[FloatArray | float, FloatArray | float],
    channel: float,
) -> Batch:
    rows = np.empty((len(start), 12), np.float32)
    rows[:, 0:2] = start
    rows[:, 2:4] = end
    rows[:, 4] = radius
    rows[:, 5] = soft[0]
    rows[:, 6] = soft[1]
    rows[:, 7] = stretch
    rows[:, 8] = strength[0]
    rows[:, 9] = strength[1]
    rows[:, 10] = channel
    rows[:, 11] = 0.0
    return rows


def _axes(links: Chain, half: FloatArray | float) -> tuple[FloatArray, FloatArray]:
    """Return the centres and half-axes of the links with known pose, (k, 3) each, m."""
    every: FloatArray = np.broadcast_to(half, links.known.shape)
    return links.position[links.known], every[links.known, None] * links.axis[links.known]


def link_shadows(links: Chain, half: FloatArray | float, radius: FloatArray | float) -> Batch:
    """Return the stadiums of links, (k, 12): shadow and contact.

    Parameters
    ----------
    half, radius : float or (n,) array
        Half-length of the links' cylinders, and radius, m.
    """
    centre, axis = _axes(links, half)
    radius = np.broadcast_to(radius, links.known.shape)[links.known]
    ends = (centre - axis, centre + axis)
    height = [np.maximum(end[:, 2], 0.0) for end in ends]
    soft = (SOFT_FOOT + SOFTNESS * height[0], SOFT_FOOT + SOFTNESS * height[1])
    strength = (1.0 / (1.0 + FADING * height[0]), 1.0 / (1.0 + FADING * height[1]))
    start, end = (e[:, :2] + THROW * h[:, None] for e, h in zip(ends, height, strict=True))
    shadow = _rows(start, end, radius, soft, float(LIGHT_DIRECTION[2]), strength, _FLOOR)
    near = tuple(np.clip(1.0 - (h - radius) / _CONTACT_HEIGHT, 0.0, 1.0) for h in height)
    contact = _rows(
        ends[0][:, :2],
        ends[1][:, :2],
        0.75 * radius,
        (0.55 * radius, 0.55 * radius),
        1.0,
        (near[0], near[1]),
        _CONTACT,
    )
    return np.concatenate((shadow, contact))


def link_field(
    links: Chain, half: FloatArray | float, radius: FloatArray | float, low: float, span: float
) -> Batch:
    """Return the stadiums of links, (k, 12), for terrain: depth inside the shadow, and height of the caster.

    Parameters
    ----------
    half, radius : float or (n,) array
        m.
    low, span : float
        Height of the lowest end, and height of the highest end above it, m.
    """
    centre, axis = _axes(links, half)
    radius = np.broadcast_to(radius, links.known.shape)[links.known]
    ends = (centre - axis, centre + axis)
    start, end = (e[:, :2] + THROW * e[:, 2:] for e in ends)
    level = tuple((e[:, 2] - low) / span for e in ends)
    return _rows(
        start, end, radius, (_EDGE, _EDGE), float(LIGHT_DIRECTION[2]), (level[0], level[1]), _FIELD
    )


def post_shadows(these: Posts, link_radius: float) -> Batch:
    """Return the stadiums of posts, (k, 12): shadow, contact, and shadow at the height of the link centres.

    Parameters
    ----------
    link_radius : float
        m.
    """
    height = these.height[:, None]
    end = these.centre + THROW * height
    soft = SOFT_FOOT + SOFTNESS * these.height
    strength = 1.0 / (1.0 + FADING * these.height)
    rise = np.minimum(height, link_radius)
    return np.concatenate(
        (
            _rows(these.centre, end, these.radius, (SOFT_FOOT, soft), 1.0, (1.0, strength), _FLOOR),
            _rows(
                these.centre,
                these.centre,
                these.radius + 0.004,
                (0.03, 0.03),
                1.0,
                (1.0, 1.0),
                _CONTACT,
            ),
            _rows(
                these.centre + THROW * rise,
                end,
                these.radius,
                (SOFT_FOOT, soft),
                1.0,
                (1.0, strength),
                _LINKS,
            ),
        )
    )


@dataclass(frozen=True, slots=True, eq=False)
class Casters:
    """Shadow casters: links with half-lengths and radii (m), and obstacles."""

    links: Chain
    half: FloatArray | float
    radii: FloatArray | float
    radius: float
    """Largest radius."""

    world: Obstacles

    @property
    def span(self) -> tuple[float, float]:
        """Height of the lowest link end, and height of the highest above it, m."""
        known = self.links.known
        if not known.any():
            return 0.0, 1.0
        centre, axis = _axes(self.links, self.half)
        height = centre[:, 2]
        reach = np.abs(axis[:, 2])
        low = float((height - reach).min())
        return low, max(float((height + reach).max()) - low, 0.01)


def _clear(image: Image) -> None:
    gl.glBindFramebuffer(gl.GL_FRAMEBUFFER, image.name)
    gl.glClear(gl.GL_COLOR_BUFFER_BIT)


class Shadows:
    """The shadow image of a renderer."""

    def __init__(self) -> None:
        self._program = Program("shadow.vert", "shadow.frag")
        self._image: Image | None = None
        self._posts: tuple[Posts, float, Batch] | None = None
        self._terrain = TerrainShadow()
        self._copy_program = Program("screen.vert", "copy.frag")
        self._static_image: Image | None = None
        self._static_instances = StaticInstances()
        self.region: Region | None = None

    @property
    def texture(self) -> int:
        """Texture of the image; 0 if there are no shadows."""
        return self._image.texture if self._image and self.region else 0

    @property
    def place(self) -> tuple[float, float, float, float]:
        """Scale and offset from x, y on the floor to image coordinates."""
        at = self.region
        return (
            (0.0, 0.0, -1.0, -1.0)
            if at is None
            else (1 / at.width, 1 / at.depth, -at.x / at.width, -at.y / at.depth)
        )

    def make(
        self,
        at: Region | None,
        bodies: Casters,
        settings: Settings,
        quads: Quads,
        draw_obstacles: Callable[[float, Mask | None], None],
    ) -> None:
        """Draw the image.

        Parameters
        ----------
        draw_obstacles : callable
            Draws all obstacles, or those of a mask, with the current program; the first argument is
            the texel size, m.
        """
        self.region = at
        if at is None:
            return
        image = self._allocate(at, settings.shadow_size)
        these = bodies.world.posts
        radius = bodies.radius
        terrain = bodies.world.terrain is not None
        if terrain:
            self._terrain.make(bodies.world, at, (image.width, image.height), quads, draw_obstacles)
        if self._posts is None or self._posts[0] is not these or self._posts[1] != radius:
            rows = post_shadows(these, radius)
            rows.setflags(write=False)
            self._posts = (these, radius, rows)
        posts = self._posts[2]
        if terrain or not settings.shaded:
            # On terrain the height map contains the shadows of posts.
            posts = posts[: 2 * len(these.radius)]
        gl.glViewport(0, 0, image.width, image.height)
        gl.glClearColor(0.0, 0.0, 0.0, 0.0)
        gl.glDisable(gl.GL_DEPTH_TEST)
        gl.glDisable(gl.GL_CULL_FACE)
        gl.glEnable(gl.GL_BLEND)
        gl.glBlendEquation(gl.GL_MAX)
        many = len(bodies.world.bodies) >= MANY
        if many:
            posts = self._draw_static(posts, bodies.world, at, image, quads)
        _clear(image)
        if terrain:
            self._terrain.lay_down(quads)
        if many and self._static_image is not None:
            self._copy_program.use()
            self._copy_program.set_integer("u_image", 0)
            gl.glBindTexture(gl.GL_TEXTURE_2D, self._static_image.texture)
            quads.draw_one(3)
        self._use(at)
        batches = [posts, link_shadows(bodies.links, bodies.half, bodies.radii)]
        if terrain and settings.shaded:
            batches.append(link_field(bodies.links, bodies.half, bodies.radii, *bodies.span))
        for rows in batches:
            if len(rows):
                quads.draw(rows)
        gl.glBlendEquation(gl.GL_FUNC_ADD)
        gl.glDisable(gl.GL_BLEND)

    def _draw_static(
        self, posts: Batch, world: Obstacles, at: Region, image: Image, quads: Quads
    ) -> Batch:
        """Draw the shadows of static posts to a separate image, if necessary; return those of the others."""
        size = (image.width, image.height)
        if (
            self._static_image is None
            or (self._static_image.width, self._static_image.height) != size
        ):
            if self._static_image is not None:
                self._static_image.release()
            self._static_image = Image(*size)
            self._static_instances.invalidate()
        held = self._static_instances.holds(world.bodies, (at, size, len(posts)))
        moving = np.tile(
            self._static_instances.mask()[world.posts.owner],
            len(posts) // max(1, len(world.posts.owner)),
        )
        if not held:
            _clear(self._static_image)
            self._use(at)
            quads.draw(posts[~moving])
        return posts[moving]

    def _use(self, at: Region) -> None:
        self._program.use()
        self._program.set("u_region", at.x, at.y, 1 / at.width, 1 / at.depth)
        self._program.set("u_throw", *(THROW / np.linalg.norm(THROW)))

    def prepare(self, program: Program, bodies: Casters) -> None:
        """Set the uniforms of the current program of solids: the shadow image and the terrain."""
        program.set("u_throw", *THROW)
        program.set("u_shadow_place", *self.place)
        program.set_integer("u_shadow", 0)
        if bodies.world.terrain is not None:
            self._terrain.prepare(program)
            program.set("u_links", *bodies.span, _EDGE, bodies.radius)
        gl.glBindTexture(gl.GL_TEXTURE_2D, self.texture)

    def _allocate(self, at: Region, size: int) -> Image:
        """Image with the aspect of the region; its shorter side is quantised, so that it can usually be reused."""
        longer = max(at.width, at.depth)
        shorter = min(at.width, at.depth)
        short = max(64, 64 * math.ceil(size * shorter / longer / 64))
        shape = (size, short) if at.width >= at.depth else (short, size)
        if self._image is None or (self._image.width, self._image.height) != shape:
            if self._image is not None:
                self._image.release()
            self._image = Image(*shape)
        return self._image

    def release(self) -> None:
        """Delete all OpenGL objects."""
        if self._image is not None:
            self._image.release()
            self._image = None
        if self._static_image is not None:
            self._static_image.release()
            self._static_image = None
            self._static_instances.invalidate()
        self._terrain.release()
        self._copy_program.release()
        self._program.release()
