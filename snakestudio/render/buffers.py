"""Meshes and instance rows on the graphics card."""

from __future__ import annotations

import ctypes

import numpy as np
from numpy.typing import NDArray

from snakestudio.drawing.floor import floor_mesh
from snakestudio.drawing.instances import Batch
from snakestudio.drawing.meshes import Mesh, build_mesh
from snakestudio.render import gl


class RowBuffer:
    """Buffer of instance rows; the same array is not uploaded twice."""

    def __init__(self) -> None:
        self.name = gl.generate(gl.glGenBuffers)
        self._last: NDArray[np.generic] | None = None

    def upload(self, rows: Batch) -> None:
        """Bind the buffer and upload the rows if necessary."""
        gl.glBindBuffer(gl.GL_ARRAY_BUFFER, self.name)
        if self._last is rows and not rows.flags.writeable:
            return
        flat = np.ascontiguousarray(rows, np.float32)
        gl.glBufferData(
            gl.GL_ARRAY_BUFFER, flat.nbytes, ctypes.c_void_p(flat.ctypes.data), gl.GL_STREAM_DRAW
        )
        # Only a read-only array is certain to be unchanged next time.
        self._last = None if rows.flags.writeable else rows

    def release(self) -> None:
        """Delete the OpenGL objects."""
        gl.delete(gl.glDeleteBuffers, self.name)
        self.name = 0
        self._last = None


def _columns(first: int, count: int, stride: int, divisor: int, size: int = 4) -> None:
    """Point attributes from `first` on at consecutive groups of `size` floats of the bound buffer."""
    for k in range(count):
        gl.glEnableVertexAttribArray(first + k)
        gl.glVertexAttribPointer(
            first + k, size, gl.GL_FLOAT, False, stride, ctypes.c_void_p(4 * size * k)
        )
        gl.glVertexAttribDivisor(first + k, divisor)


class MeshStore:
    """Meshes of solids by name and detail, each with a vertex array that connects it to instance rows."""

    def __init__(self) -> None:
        self._buffers: dict[tuple[str, int], tuple[int, int, int, int]] = {}

    def draw(self, name: str, detail: int, rows: RowBuffer, count: int) -> None:
        """Draw `count` instances of a solid with uploaded rows."""
        buffers = self._buffers.get((name, detail))
        if buffers is None:
            buffers = self._buffers[name, detail] = _upload(build_mesh(name, detail))
        array, _, _, n_indices = buffers
        gl.glBindVertexArray(array)
        gl.glBindBuffer(gl.GL_ARRAY_BUFFER, rows.name)
        _columns(3, 4, 64, 1)
        gl.glDrawElementsInstanced(
            gl.GL_TRIANGLES, n_indices, gl.GL_UNSIGNED_INT, ctypes.c_void_p(0), count
        )

    def release(self) -> None:
        """Delete all OpenGL objects."""
        for buffers in self._buffers.values():
            _delete(buffers)
        self._buffers.clear()


def _upload(mesh: Mesh) -> tuple[int, int, int, int]:
    """Upload a mesh; return vertex array, both buffers and number of indices."""
    array = gl.generate(gl.glGenVertexArrays)
    vertices = gl.generate(gl.glGenBuffers)
    indices = gl.generate(gl.glGenBuffers)
    gl.glBindVertexArray(array)
    gl.glBindBuffer(gl.GL_ARRAY_BUFFER, vertices)
    data = np.ascontiguousarray(mesh.vertices)
    gl.glBufferData(
        gl.GL_ARRAY_BUFFER, data.nbytes, ctypes.c_void_p(data.ctypes.data), gl.GL_STATIC_DRAW
    )
    for at, (size, offset) in enumerate(((3, 0), (3, 12), (2, 24))):
        gl.glEnableVertexAttribArray(at)
        gl.glVertexAttribPointer(at, size, gl.GL_FLOAT, False, 32, ctypes.c_void_p(offset))
    gl.glBindBuffer(gl.GL_ELEMENT_ARRAY_BUFFER, indices)
    faces = np.ascontiguousarray(mesh.indices)
    gl.glBufferData(
        gl.GL_ELEMENT_ARRAY_BUFFER,
        faces.nbytes,
        ctypes.c_void_p(faces.ctypes.data),
        gl.GL_STATIC_DRAW,
    )
    return array, vertices, indices, len(faces)


def _delete(buffers: tuple[int, int, int, int]) -> None:
    array, vertices, indices, _ = buffers
    gl.delete(gl.glDeleteVertexArrays, array)
    gl.delete(gl.glDeleteBuffers, vertices)
    gl.delete(gl.glDeleteBuffers, indices)


class RangeMesh:
    """A mesh in world coordinates of which ranges are drawn; uploaded only when it changes."""

    def __init__(self) -> None:
        self._buffers: tuple[int, int, int, int] | None = None
        self._mesh: Mesh | None = None
        self._row = RowBuffer()

    def draw(self, mesh: Mesh, ranges: NDArray[np.intp], row: Batch) -> None:
        """Draw ranges (first index, count) of a mesh, all with the appearance of one row."""
        if self._buffers is None or self._mesh is not mesh:
            self._delete_buffers()
            self._buffers = _upload(mesh)
            self._mesh = mesh
        gl.glBindVertexArray(self._buffers[0])
        self._row.upload(row)
        _columns(3, 4, 64, 1)
        for first, count in ranges.tolist():
            gl.glDrawElementsInstanced(
                gl.GL_TRIANGLES, count, gl.GL_UNSIGNED_INT, ctypes.c_void_p(4 * first), 1
            )

    def _delete_buffers(self) -> None:
        if self._buffers is not None:
            _delete(self._buffers)
        self._buffers = self._mesh = None

    def release(self) -> None:
        """Delete all OpenGL objects."""
        self._delete_buffers()
        self._row.release()


class StreamMesh:
    """A mesh in world coordinates that changes in every frame, with one colour per vertex."""

    def __init__(self) -> None:
        self._array = gl.generate(gl.glGenVertexArrays)
        self._vertex_buffer = RowBuffer()
        self._colour_buffer = RowBuffer()
        self._row = RowBuffer()
        self._indices = gl.generate(gl.glGenBuffers)
        self._last: NDArray[np.uint32] | None = None

    def upload(
        self, vertices: Batch, colours: Batch, indices: NDArray[np.uint32], row: Batch
    ) -> None:
        """Upload a mesh: vertices (k, 8), colours (k, 4), indices (m,), and a row of common values."""
        gl.glBindVertexArray(self._array)
        self._vertex_buffer.upload(vertices)
        for at, (size, offset) in enumerate(((3, 0), (3, 12), (2, 24))):
            gl.glEnableVertexAttribArray(at)
            gl.glVertexAttribPointer(at, size, gl.GL_FLOAT, False, 32, ctypes.c_void_p(offset))
        self._row.upload(row)
        _columns(3, 4, 64, 1)
        # Colours come from the vertices instead of the row.
        self._colour_buffer.upload(colours)
        _columns(5, 1, 16, 0)
        gl.glBindBuffer(gl.GL_ELEMENT_ARRAY_BUFFER, self._indices)
        if self._last is not indices:
            gl.glBufferData(
                gl.GL_ELEMENT_ARRAY_BUFFER,
                indices.nbytes,
                ctypes.c_void_p(indices.ctypes.data),
                gl.GL_STATIC_DRAW,
            )
            self._last = indices

    def draw(self) -> None:
        """Draw the uploaded mesh."""
        if self._last is not None:
            gl.glBindVertexArray(self._array)
            gl.glDrawElementsInstanced(
                gl.GL_TRIANGLES, len(self._last), gl.GL_UNSIGNED_INT, ctypes.c_void_p(0), 1
            )

    def release(self) -> None:
        """Delete all OpenGL objects."""
        gl.delete(gl.glDeleteVertexArrays, self._array)
        gl.delete(gl.glDeleteBuffers, self._indices)
        for buffer in (self._vertex_buffer, self._colour_buffer, self._row):
            buffer.release()
        self._array = self._indices = 0
        self._last = None


class Quads:
    """Instanced rectangles whose corners are generated by the vertex shader: lines, letters, floor, full screen."""

    def __init__(self) -> None:
        self._array = gl.generate(gl.glGenVertexArrays)
        self._empty = gl.generate(gl.glGenVertexArrays)
        self._rows = RowBuffer()

    def draw(self, rows: Batch) -> None:
        """Draw one rectangle per row; groups of four floats are attributes 3, 4, ..."""
        gl.glBindVertexArray(self._array)
        self._rows.upload(rows)
        _columns(3, rows.shape[1] // 4, 4 * rows.shape[1], 1)
        gl.glDrawArraysInstanced(gl.GL_TRIANGLE_STRIP, 0, 4, len(rows))

    def draw_one(self, corners: int = 4) -> None:
        """Draw one rectangle (or triangle) without any attributes."""
        gl.glBindVertexArray(self._empty)
        gl.glDrawArrays(gl.GL_TRIANGLE_STRIP, 0, corners)

    def release(self) -> None:
        """Delete all OpenGL objects."""
        gl.delete(gl.glDeleteVertexArrays, self._array)
        gl.delete(gl.glDeleteVertexArrays, self._empty)
        self._rows.release()
        self._array = self._empty = 0


class FloorMesh:
    """The floor's mesh."""

    def __init__(self) -> None:
        corners, triangles = floor_mesh()
        self._array = gl.generate(gl.glGenVertexArrays)
        self._corners, self._triangles = gl.generate(gl.glGenBuffers), gl.generate(gl.glGenBuffers)
        self._count = len(triangles)
        gl.glBindVertexArray(self._array)
        gl.glBindBuffer(gl.GL_ARRAY_BUFFER, self._corners)
        gl.glBufferData(
            gl.GL_ARRAY_BUFFER,
            corners.nbytes,
            ctypes.c_void_p(corners.ctypes.data),
            gl.GL_STATIC_DRAW,
        )
        _columns(0, 1, 16, 0)
        gl.glBindBuffer(gl.GL_ELEMENT_ARRAY_BUFFER, self._triangles)
        gl.glBufferData(
            gl.GL_ELEMENT_ARRAY_BUFFER,
            triangles.nbytes,
            ctypes.c_void_p(triangles.ctypes.data),
            gl.GL_STATIC_DRAW,
        )

    def draw(self) -> None:
        """Draw the floor with the current program."""
        gl.glBindVertexArray(self._array)
        gl.glDrawElementsInstanced(
            gl.GL_TRIANGLES, self._count, gl.GL_UNSIGNED_INT, ctypes.c_void_p(0), 1
        )

    def release(self) -> None:
        """Delete the OpenGL objects."""
        gl.delete(gl.glDeleteVertexArrays, self._array)
        gl.delete(gl.glDeleteBuffers, self._corners)
        gl.delete(gl.glDeleteBuffers, self._triangles)
        self._array = self._corners = self._triangles = 0
