"""Shadows of blocks, ramps and uneven ground from a height map along the light, redrawn when they change.

Along a ray of light the first obstacle is the highest. So a depth image of the obstacles along the
light, with height as depth, determines whether any point of the world is in shadow: it is if it is
lower than the value of the image on its ray. The soft shadow on the floor is also computed from that
image, once and not in every frame.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from snakestudio._arrays import FloatArray
from snakestudio.drawing.light import FADING, SOFT_FOOT, SOFTNESS, THROW, Region
from snakestudio.drawing.obstacles import Obstacles
from snakestudio.render import gl
from snakestudio.render.buffers import Quads
from snakestudio.render.program import Program
from snakestudio.render.static_layer import MANY, Mask, StaticInstances
from snakestudio.render.targets import HeightImage, Image

_FINER = 2
"""Texels of the height map per texel of the floor's shadow, in each direction."""


def _clear(image: HeightImage) -> None:
    gl.glBindFramebuffer(gl.GL_FRAMEBUFFER, image.name)
    gl.glClear(gl.GL_DEPTH_BUFFER_BIT)


class TerrainShadow:
    """Height map, and the resulting shadow on the floor."""

    def __init__(self) -> None:
        self._depth_program = Program("solid.vert", "depth.frag")
        self._cast_program = Program("screen.vert", "cast.frag")
        self._copy_program = Program("screen.vert", "copy.frag")
        self._height_image: HeightImage | None = None
        self._static_image: HeightImage | None = None
        self._static_instances = StaticInstances()
        self._shaded: FloatArray | None = None
        self._floor_image: Image | None = None
        self._source: tuple[Obstacles, Region, tuple[int, int]] | None = None
        self._top = 1.0
        self._texel = 0.01

    def make(
        self,
        world: Obstacles,
        at: Region,
        size: tuple[int, int],
        quads: Quads,
        draw_obstacles: Callable[[float, Mask | None], None],
    ) -> None:
        """Draw both images, unless they are up to date.

        Parameters
        ----------
        size : (int, int)
            Size of the shadow on the floor in texels.
        draw_obstacles : callable
            Draws all obstacles, or those of a mask, with the current program; the first argument is
            the texel size, m.
        """
        if self._source is not None and self._source[0] is world and self._source[1:] == (at, size):
            return
        heights, floor = self._allocate(size)
        self._source = (world, at, size)
        self._top = 1.02 * max(float(world.box[1][2]), 1e-3)
        self._texel = max(at.width / heights.width, at.depth / heights.height)
        patch = self._draw_heights(world, at, heights, draw_obstacles)
        gl.glBindFramebuffer(gl.GL_FRAMEBUFFER, floor.name)
        gl.glViewport(0, 0, floor.width, floor.height)
        if patch is not None:
            gl.glEnable(gl.GL_SCISSOR_TEST)
            gl.glScissor(*patch)
        self._cast_program.use()
        self._cast_program.set("u_size", at.width, at.depth, self._top)
        # No sharper than the texels, or they would be visible at the edge.
        self._cast_program.set(
            "u_soft", max(SOFT_FOOT, 2.0 * _FINER * self._texel), SOFTNESS, FADING
        )
        self._cast_program.set_integer("u_heights", 0)
        heights.compared(False)
        quads.draw_one(3)
        heights.compared(True)
        gl.glDisable(gl.GL_SCISSOR_TEST)

    def _draw_heights(
        self,
        world: Obstacles,
        at: Region,
        heights: HeightImage,
        draw_obstacles: Callable[[float, Mask | None], None],
    ) -> tuple[int, int, int, int] | None:
        """Draw the height map; return the changed texels of the floor (corner, size), None for all."""
        gl.glViewport(0, 0, heights.width, heights.height)
        gl.glDisable(gl.GL_CULL_FACE)
        gl.glDisable(gl.GL_BLEND)
        gl.glEnable(gl.GL_DEPTH_TEST)
        gl.glEnable(gl.GL_CLIP_DISTANCE0)
        gl.glDepthMask(True)
        gl.glDepthFunc(gl.GL_LEQUAL)
        self._depth_program.use()
        self._depth_program.set("u_cut", 1.0)
        w, d = 2.0 / at.width, 2.0 / at.depth
        self._depth_program.set_matrix(
            "u_matrix",
            np.array(
                [
                    (w, 0.0, w * THROW[0], -w * at.x - 1.0),
                    (0.0, d, d * THROW[1], -d * at.y - 1.0),
                    (0.0, 0.0, -2.0 / self._top, 1.0),
                    (0.0, 0.0, 0.0, 1.0),
                ]
            ),
        )
        patch = None
        if len(world.bodies) < MANY or self._static_image is None:
            _clear(heights)
            draw_obstacles(self._texel, None)
        else:
            static = self._static_instances
            held = static.holds(world.bodies, (at, heights.width, heights.height, self._top))
            if not held:
                _clear(self._static_image)
                draw_obstacles(self._texel, ~static.mask())
            self._static_image.copy_to(heights)
            gl.glBindFramebuffer(gl.GL_FRAMEBUFFER, heights.name)
            if static.moving:
                draw_obstacles(self._texel, static.mask())
            patch = self._patch(world, at, heights, held)
        gl.glDisable(gl.GL_CLIP_DISTANCE0)
        gl.glDisable(gl.GL_DEPTH_TEST)
        return patch

    def _patch(
        self, world: Obstacles, at: Region, heights: HeightImage, held: bool
    ) -> tuple[int, int, int, int] | None:
        """Return the texels of the floor that moving obstacles shade now or shaded before; None for all."""
        moving = list(self._static_instances.moving)
        if not moving:
            return None
        low, high = np.fmin.reduce(world.low[moving]), np.fmax.reduce(world.high[moving])
        margin = SOFT_FOOT + SOFTNESS * self._top + 0.03 + 4.0 * _FINER * self._texel
        throw = THROW * float(high[2])
        own = np.concatenate(
            (np.minimum(low[:2], low[:2] + throw), np.maximum(high[:2], high[:2] + throw))
        )
        own += (-margin, -margin, margin, margin)
        before = self._shaded
        self._shaded = own
        if not held or before is None or not np.isfinite(own).all():
            return None
        both = np.concatenate((np.minimum(own[:2], before[:2]), np.maximum(own[2:], before[2:])))
        per_metre = np.array((heights.width / at.width, heights.height / at.depth)) / _FINER
        size = np.array((heights.width, heights.height)) // _FINER
        first = np.clip(np.floor((both[:2] - (at.x, at.y)) * per_metre), 0, size).astype(int)
        last = np.clip(np.ceil((both[2:] - (at.x, at.y)) * per_metre), 0, size).astype(int)
        return int(first[0]), int(first[1]), int(last[0] - first[0]), int(last[1] - first[1])

    def lay_down(self, quads: Quads) -> None:
        """Draw the shadow on the floor to the current framebuffer of the same size."""
        assert self._floor_image is not None
        self._copy_program.use()
        self._copy_program.set_integer("u_image", 0)
        gl.glBindTexture(gl.GL_TEXTURE_2D, self._floor_image.texture)
        quads.draw_one(3)

    def prepare(self, program: Program) -> None:
        """Set the uniforms of the height map in the current program of solids."""
        assert self._height_image is not None
        program.set(
            "u_map",
            1.0 / self._top,
            self._texel,
            1.0 / self._height_image.width,
            1.0 / self._height_image.height,
        )
        program.set_integer("u_heights", 1)
        gl.glActiveTexture(gl.GL_TEXTURE1)
        gl.glBindTexture(gl.GL_TEXTURE_2D, self._height_image.texture)
        gl.glActiveTexture(gl.GL_TEXTURE0)

    def _allocate(self, size: tuple[int, int]) -> tuple[HeightImage, Image]:
        if (
            self._floor_image is None
            or self._height_image is None
            or (self._floor_image.width, self._floor_image.height) != size
        ):
            self._drop()
            finer = (_FINER * size[0], _FINER * size[1])
            self._height_image = HeightImage(*finer)
            self._static_image = HeightImage(*finer)
            self._floor_image = Image(*size)
        return self._height_image, self._floor_image

    def _drop(self) -> None:
        for image in (self._height_image, self._static_image, self._floor_image):
            if image is not None:
                image.release()
        self._height_image = self._static_image = self._floor_image = self._source = (
            self._shaded
        ) = None
        self._static_instances.invalidate()

    def release(self) -> None:
        """Delete all OpenGL objects."""
        self._drop()
        for program in (self._depth_program, self._cast_program, self._copy_program):
            program.release()
