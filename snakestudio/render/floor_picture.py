"""Painter of the friction map on the floor."""

from __future__ import annotations

import ctypes

from snakestudio.drawing.friction_picture import OPACITY, FrictionPicture, tint_colours
from snakestudio.drawing.style import Theme
from snakestudio.drawing.view import View
from snakestudio.render import gl
from snakestudio.render.buffers import Quads
from snakestudio.render.program import Program


class FloorPicture:
    """The friction map on the graphics card; uploaded only when it changes."""

    def __init__(self) -> None:
        self._program = Program("picture.vert", "picture.frag")
        self._texture = 0
        self._picture: FrictionPicture | None = None

    def draw(self, picture: FrictionPicture, theme: Theme, view: View, quads: Quads) -> None:
        """Draw the tint; blending must be enabled."""
        dark, light = tint_colours(theme)
        self._program.use()
        self._program.set_matrix("u_matrix", view.matrix)
        self._program.set("u_corner", *picture.corner)
        self._program.set("u_edges", *picture.along, *picture.up)
        self._program.set("u_dark", *dark)
        self._program.set("u_light", *light, OPACITY)
        self._program.set_integer("u_picture", 0)
        self._bind(picture)
        quads.draw_one()

    def _bind(self, picture: FrictionPicture) -> None:
        if not self._texture:
            self._texture = gl.generate(gl.glGenTextures)
        gl.glBindTexture(gl.GL_TEXTURE_2D, self._texture)
        if self._picture is picture:
            return
        height, width = picture.grey.shape
        gl.glPixelStorei(gl.GL_UNPACK_ALIGNMENT, 1)
        gl.glTexImage2D(
            gl.GL_TEXTURE_2D,
            0,
            gl.GL_R8,
            width,
            height,
            0,
            gl.GL_RED,
            gl.GL_UNSIGNED_BYTE,
            ctypes.c_void_p(picture.grey.ctypes.data),
        )
        gl.glPixelStorei(gl.GL_UNPACK_ALIGNMENT, 4)
        for name, mode in (
            (gl.GL_TEXTURE_MIN_FILTER, gl.GL_LINEAR),
            (gl.GL_TEXTURE_MAG_FILTER, gl.GL_LINEAR),
            (gl.GL_TEXTURE_WRAP_S, gl.GL_CLAMP_TO_EDGE),
            (gl.GL_TEXTURE_WRAP_T, gl.GL_CLAMP_TO_EDGE),
        ):
            gl.glTexParameteri(gl.GL_TEXTURE_2D, name, mode)
        self._picture = picture

    def release(self) -> None:
        """Delete all OpenGL objects."""
        self._program.release()
        if self._texture:
            gl.delete(gl.glDeleteTextures, self._texture)
        self._texture = 0
        self._picture = None
