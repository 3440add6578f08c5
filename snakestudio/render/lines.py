"""Painter of line segments of constant width, anti-aliased in the shader."""

from __future__ import annotations

from snakestudio._arrays import FloatArray
from snakestudio.drawing.instances import Batch
from snakestudio.drawing.view import View
from snakestudio.render import gl
from snakestudio.render.buffers import Quads
from snakestudio.render.program import Program


class LinePainter:
    """Shader program of line segments."""

    def __init__(self) -> None:
        self._program = Program("line.vert", "line.frag")

    def draw(
        self, lines: Batch, view: View, quads: Quads, matrix: FloatArray | None = None
    ) -> None:
        """Draw lines with blending and without writing depth; culling is disabled afterwards.

        Parameters
        ----------
        lines : (k, LINE_WIDTH) array
        matrix : (4, 4) array, optional
            Transforms to clip space; that of the view if omitted.
        """
        if not len(lines):
            return
        self._program.use()
        self._program.set_matrix("u_matrix", view.matrix if matrix is None else matrix)
        self._program.set("u_pixels", view.width, view.height, view.pixel)
        gl.glDepthMask(False)
        gl.glDisable(gl.GL_CULL_FACE)
        quads.draw(lines)
        gl.glDepthMask(True)

    def release(self) -> None:
        """Delete the OpenGL objects."""
        self._program.release()
