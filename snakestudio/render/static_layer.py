"""What stands still among many obstacles is drawn once and kept; only those that move are drawn again.

Two thousand obstacles cost a software renderer some 50 ms a picture, wherever a cylinder is a few
pixels wide: vertices cost, not pixels. While one is dragged, or a robot moves among them, nothing
else about them changes.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from snakestudio.drawing.bodies import Body
from snakestudio.model.by_identity import others
from snakestudio.render import gl
from snakestudio.render.blending import blend_over, blend_over_premultiplied
from snakestudio.render.buffers import Quads
from snakestudio.render.program import Program
from snakestudio.render.targets import RenderTarget

Mask = NDArray[np.bool_]
"""Which obstacles of a scene are meant, (n,)."""

MANY = 100
"""Obstacles from which on it pays to keep a picture of them."""

_MOST_MOVING = 0.25
"""Share of the obstacles that may move beside it."""


class StaticInstances:
    """Which obstacles move, and whether what was drawn of all the others still holds."""

    def __init__(self) -> None:
        self.moving: frozenset[int] = frozenset()
        """0-based obstacles that were left out of what was drawn."""
        self._bodies: tuple[Body, ...] = ()
        self._key: Any = None

    def holds(self, bodies: tuple[Body, ...], key: Any) -> bool:
        """Whether what was drawn can be used; if not, it has to be drawn now, without those that are `moving`.

        Parameters
        ----------
        bodies : tuple of Body
            All obstacles.
        key : object
            Everything else that what is drawn depends on.
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

    def forget(self) -> None:
        """What was drawn is gone."""
        self._bodies = ()
        self._key = None
        self.moving = frozenset()

    def _changed(self, bodies: tuple[Body, ...]) -> frozenset[int] | None:
        """Obstacles that are others than those drawn; None if there are more or fewer of them."""
        if bodies is self._bodies:
            return frozenset()
        if len(bodies) != len(self._bodies):
            return None
        return frozenset(others(self._bodies, bodies))

    def mask(self) -> Mask:
        """The obstacles that move, (n,)."""
        moving = np.zeros(len(self._bodies), bool)
        moving[list(self.moving)] = True
        return moving


class StaticLayer:
    """Colours and depths of the obstacles that stand still, to be laid under everything else."""

    def __init__(self, quads: Quads) -> None:
        self._quads = quads
        self._copy = Program("screen.vert", "copy.frag")
        self._picture: RenderTarget | None = None
        self.standing = StaticInstances()

    def bind(self, width: int, height: int) -> None:
        """Begin to draw it anew; the viewport and depth test stay as they are."""
        have = self._picture
        if have is None or (have.width, have.height) != (width, height):
            if have is not None:
                have.release()
            have = self._picture = RenderTarget(width, height)
        gl.glBindFramebuffer(gl.GL_FRAMEBUFFER, have.name)
        gl.glClearColor(0.0, 0.0, 0.0, 0.0)
        gl.glClear(gl.GL_COLOR_BUFFER_BIT | gl.GL_DEPTH_BUFFER_BIT)

    def lay(self, target: RenderTarget) -> None:
        """Lay it over a picture of its size, whose depths become its own; culling has to be switched on again."""
        assert self._picture is not None
        self._picture.copy_to(target.name, gl.GL_DEPTH_BUFFER_BIT)
        gl.glBindFramebuffer(gl.GL_FRAMEBUFFER, target.name)
        gl.glDisable(gl.GL_DEPTH_TEST)
        gl.glDisable(gl.GL_CULL_FACE)
        gl.glEnable(gl.GL_BLEND)
        blend_over_premultiplied()
        self._copy.use()
        self._copy.set_integer("u_image", 0)
        gl.glBindTexture(gl.GL_TEXTURE_2D, self._picture.texture)
        self._quads.draw_one(3)
        blend_over()
        gl.glDisable(gl.GL_BLEND)
        gl.glEnable(gl.GL_DEPTH_TEST)

    def release(self) -> None:
        """Delete it."""
        self._copy.release()
        if self._picture is not None:
            self._picture.release()
        self._picture = None
        self.standing.forget()
