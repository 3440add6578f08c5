"""Shader programs, compiled in variants, with uniforms set by name."""

from __future__ import annotations

import ctypes

from snakestudio._arrays import FloatArray
from snakestudio.errors import GraphicsError
from snakestudio.paths import resource
from snakestudio.render import gl

_HEADER = "#version 330 core\n"


class Program:
    """A linked shader program of the current context.

    Raises `GraphicsError` with the message of the compiler, the file and the variant.

    Parameters
    ----------
    vertex, fragment : str
        File names under ``resources/shaders``.
    defines : tuple of str
        Preprocessor names that select a variant.
    """

    def __init__(self, vertex: str, fragment: str, defines: tuple[str, ...] = ()) -> None:
        self._locations: dict[str, int] = {}
        self.name = 0
        shaders = []
        try:
            for kind, file in ((gl.GL_VERTEX_SHADER, vertex), (gl.GL_FRAGMENT_SHADER, fragment)):
                shaders.append(_compile(kind, file, defines))
            self.name = gl.glCreateProgram()
            for shader in shaders:
                gl.glAttachShader(self.name, shader)
            gl.glLinkProgram(self.name)
        finally:
            for shader in shaders:
                gl.glDeleteShader(shader)
        status = ctypes.c_int()
        gl.glGetProgramiv(self.name, gl.GL_LINK_STATUS, ctypes.byref(status))
        if not status.value:
            log = _log(self.name, gl.glGetProgramInfoLog)
            self.release()
            raise GraphicsError(
                f"The graphics driver cannot link {vertex} with {fragment} {defines or ''}: {log}"
            )

    def use(self) -> None:
        """Make this the current program."""
        gl.glUseProgram(self.name)

    def location(self, uniform: str) -> int:
        """Return the location of a uniform; -1 if the program lacks it."""
        location = self._locations.get(uniform)
        if location is None:
            location = gl.glGetUniformLocation(self.name, uniform.encode())
            self._locations[uniform] = location
        return location

    def set(self, uniform: str, *values: float) -> None:
        """Set a float or float vector of the current program; unknown names are ignored."""
        _SET[len(values)](self.location(uniform), *values)

    def set_integer(self, uniform: str, value: int) -> None:
        """Set an integer or sampler of the current program."""
        gl.glUniform1i(self.location(uniform), value)

    def set_matrix(self, uniform: str, matrix: FloatArray) -> None:
        """Set a 4 x 4 matrix of the current program."""
        flat = (ctypes.c_float * 16)(*matrix.ravel())
        gl.glUniformMatrix4fv(self.location(uniform), 1, True, flat)

    def release(self) -> None:
        """Delete the OpenGL objects."""
        if self.name:
            gl.glDeleteProgram(self.name)
            self.name = 0


_SET = {1: gl.glUniform1f, 2: gl.glUniform2f, 3: gl.glUniform3f, 4: gl.glUniform4f}


def _compile(kind: int, file: str, defines: tuple[str, ...]) -> int:
    path = resource("shaders", file)
    try:
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        raise GraphicsError(f"The shader {path} cannot be read. Reinstall SnakeStudio") from error
    # The line directive makes line numbers match the file.
    source = (
        _HEADER + "".join(f"#define {name} 1\n" for name in defines) + "#line 1\n" + text
    ).encode()
    shader: int = gl.glCreateShader(kind)
    buffer = ctypes.create_string_buffer(source)
    strings = (ctypes.POINTER(ctypes.c_char) * 1)(
        ctypes.cast(buffer, ctypes.POINTER(ctypes.c_char))
    )
    gl.glShaderSource(shader, 1, strings, None)
    gl.glCompileShader(shader)
    status = ctypes.c_int()
    gl.glGetShaderiv(shader, gl.GL_COMPILE_STATUS, ctypes.byref(status))
    if not status.value:
        log = _log(shader, gl.glGetShaderInfoLog)
        gl.glDeleteShader(shader)
        raise GraphicsError(f"The graphics driver cannot compile {file} {defines or ''}: {log}")
    return shader


def _log(name: int, function: object) -> str:
    buffer = ctypes.create_string_buffer(4096)
    length = ctypes.c_int()
    function(name, len(buffer), ctypes.byref(length), buffer)  # type: ignore[operator]
    return buffer.value.decode(errors="replace").strip() or "no message from the driver"
