"""Painter of labels: letters from the atlas, upright in the frame, anchored in the world."""

from __future__ import annotations

import ctypes

import numpy as np

from snakestudio._arrays import FloatArray
from snakestudio.drawing.instances import Batch
from snakestudio.drawing.view import View
from snakestudio.drawing.world import Label
from snakestudio.render import gl
from snakestudio.render.buffers import Quads
from snakestudio.render.program import Program
from snakestudio.render.text import atlas


def label_rows(labels: list[Label], pixel: float) -> Batch:
    """Return the instance rows of letters: anchor, box in pixels, box in the atlas, colour.

    Parameters
    ----------
    pixel : float
        Device pixels per unit of label size.

    Returns
    -------
    (k, 16) float32 array
    """
    letters = atlas()
    high, wide = letters.image.shape
    rows: list[tuple[float, ...]] = []
    for label in labels:
        size = letters.nearest(label.size * pixel)
        placed, width = letters.layout(label.text, size)
        line = letters.ascent[size] + letters.descent[size]
        left = -round(label.anchor[0] * width)
        top = round((1 - label.anchor[1]) * line)
        for glyph, pen in placed:
            if not glyph.width:
                continue
            rows.append(
                (
                    *label.position,
                    0.0,
                    left + pen + glyph.left,
                    top - glyph.top - glyph.height,
                    glyph.width,
                    glyph.height,
                    glyph.x / wide,
                    (glyph.y + glyph.height) / high,
                    glyph.width / wide,
                    -glyph.height / high,
                    *label.colour,
                    label.opacity,
                )
            )
    return np.array(rows, np.float32).reshape(-1, 16)


class LabelPainter:
    """The letter atlas on the graphics card and its shader program."""

    def __init__(self) -> None:
        self._program = Program("glyph.vert", "glyph.frag")
        image = np.ascontiguousarray(atlas().image)
        self._texture = gl.generate(gl.glGenTextures)
        gl.glBindTexture(gl.GL_TEXTURE_2D, self._texture)
        gl.glPixelStorei(gl.GL_UNPACK_ALIGNMENT, 1)
        gl.glTexImage2D(
            gl.GL_TEXTURE_2D,
            0,
            gl.GL_R8,
            image.shape[1],
            image.shape[0],
            0,
            gl.GL_RED,
            gl.GL_UNSIGNED_BYTE,
            ctypes.c_void_p(image.ctypes.data),
        )
        gl.glPixelStorei(gl.GL_UNPACK_ALIGNMENT, 4)
        for name, value in (
            (gl.GL_TEXTURE_MIN_FILTER, gl.GL_NEAREST),
            (gl.GL_TEXTURE_MAG_FILTER, gl.GL_NEAREST),
        ):
            gl.glTexParameteri(gl.GL_TEXTURE_2D, name, value)

    def draw(
        self, labels: list[Label], view: View, quads: Quads, matrix: FloatArray | None = None
    ) -> None:
        """Draw labels with blending.

        Parameters
        ----------
        matrix : (4, 4) array, optional
            Transforms the anchors to clip space; that of the view if omitted.
        """
        rows = label_rows(labels, view.pixel)
        if not len(rows):
            return
        self._program.use()
        self._program.set_matrix("u_matrix", view.matrix if matrix is None else matrix)
        self._program.set("u_pixels", view.width, view.height)
        self._program.set_integer("u_atlas", 0)
        gl.glBindTexture(gl.GL_TEXTURE_2D, self._texture)
        quads.draw(rows)

    def release(self) -> None:
        """Delete all OpenGL objects."""
        self._program.release()
        gl.delete(gl.glDeleteTextures, self._texture)
        self._texture = 0
