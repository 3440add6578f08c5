"""Cache of static obstacles: only moving ones are redrawn.

Two thousand obstacles take a software renderer about 50 ms per frame, even if each is a few pixels wide,
because the time depends on vertices, not pixels. While one is dragged, or a robot moves among them,
the others do not change.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from snakestudio.drawing.bodies import ObstacleBody
from snakestudio.model.by_identity import others
from snakestudio.render import gl
from snakestudio.render.blending import blend_over, blend_over_premultiplied
from snakestudio.render.buffers import Quads
from snakestudio.render.program import Program
from snakestudio.render.targets import RenderTarget

Mask = NDArray[np.bool_]
"""Mask of obstacles of a scene, (n,)."""

MANY = 100
"""Number of obstacles from which caching is worthwhile."""

_MOST_MOVING = 0.25
"""Largest fraction of moving obstacles."""


class StaticInstances:
    """Tracks which obstacles move, and whether the cache of the others is valid."""

    def __init__(self) -> None:
        self.moving: frozenset[int] = frozenset()
        """0-based obstacles that are not in the cache."""
        self._bodies: tuple[ObstacleBody, ...] = ()
        self._key: Any = None

    def holds(self, bodies: tuple[ObstacleBody, ...], key: Any) -> bool:
        """Return whether the cache is valid; otherwise it must be redrawn now, without the `moving` obstacles.

        Parameters
        ----------
        bodies : tuple of Body
            All obstacles.
        key : object
            Everything else that the cache depends on.
        """
        changed = self._changed(bodies)
        fits = changed is not None and changed <= self.moving
        if fits and key == self._key:
            return True
        if not fits:
            few = changed is not None and len(changed) <= _MOST_MOVING * len(bodies)
            self.moving = changed if few and changed is not None else frozenset()
        self._bodies = bodies
        self._key = key
        return False

    def invalidate(self) -> None:
        """Invalidate the cache."""
        self._bodies = ()
        self._key = None
        self.moving = frozenset()

    def _changed(self, bodies: tuple[ObstacleBody, ...]) -> frozenset[int] | None:
        """Return the obstacles that differ from the cached ones; None if their number has changed."""
        if bodies is self._bodies:
            return frozenset()
        if len(bodies) != len(self._bodies):
            return None
        return frozenset(others(self._bodies, bodies))

    def mask(self) -> Mask:
        """Return the mask of the moving obstacles, (n,)."""
        moving = np.zeros(len(self._bodies), bool)
        moving[list(self.moving)] = True
        return moving


class StaticLayer:
    """Colours and depths of the static obstacles, below everything else."""

    def __init__(self, quads: Quads) -> None:
        self._quads = quads
        self._copy_program = Program("screen.vert", "copy.frag")
        self._target: RenderTarget | None = None
        self.static_instances = StaticInstances()

    def bind(self, width: int, height: int) -> None:
        """Bind and clear the layer for redrawing; viewport and depth test are unchanged."""
        have = self._target
        if have is None or (have.width, have.height) != (width, height):
            if have is not None:
                have.release()
            have = self._target = RenderTarget(width, height)
        gl.glBindFramebuffer(gl.GL_FRAMEBUFFER, have.name)
        gl.glClearColor(0.0, 0.0, 0.0, 0.0)
        gl.glClear(gl.GL_COLOR_BUFFER_BIT | gl.GL_DEPTH_BUFFER_BIT)

    def lay(self, target: RenderTarget) -> None:
        """Copy colours and depths to a target of the same size; disables culling."""
        assert self._target is not None
        self._target.copy_to(target.name, gl.GL_DEPTH_BUFFER_BIT)
        gl.glBindFramebuffer(gl.GL_FRAMEBUFFER, target.name)
        gl.glDisable(gl.GL_DEPTH_TEST)
        gl.glDisable(gl.GL_CULL_FACE)
        gl.glEnable(gl.GL_BLEND)
        blend_over_premultiplied()
        self._copy_program.use()
        self._copy_program.set_integer("u_image", 0)
        gl.glBindTexture(gl.GL_TEXTURE_2D, self._target.texture)
        self._quads.draw_one(3)
        blend_over()
        gl.glDisable(gl.GL_BLEND)
        gl.glEnable(gl.GL_DEPTH_TEST)

    def release(self) -> None:
        """Delete the OpenGL objects."""
        self._copy_program.release()
        if self._target is not None:
            self._target.release()
        self._target = None
        self.static_instances.invalidate()
