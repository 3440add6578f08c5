"""Raw OpenGL 3.3 functions for the renderer.

PyOpenGL's wrappers store pointers per context and therefore query the window system (GLX or EGL, chosen
once per process) for the current context. The raw functions work in any current context, so that the
context of a window and an offscreen EGL context can exist in one process. They are also several times
faster to call.
"""

from __future__ import annotations

import ctypes
import os
import sys
from collections.abc import Callable

import OpenGL

from snakestudio.errors import GraphicsError

__all__ = [
    "GL_ARRAY_BUFFER",
    "GL_BACK",
    "GL_BLEND",
    "GL_CLAMP_TO_BORDER",
    "GL_CLAMP_TO_EDGE",
    "GL_CLIP_DISTANCE0",
    "GL_COLOR_ATTACHMENT0",
    "GL_COLOR_BUFFER_BIT",
    "GL_COMPARE_REF_TO_TEXTURE",
    "GL_COMPILE_STATUS",
    "GL_CULL_FACE",
    "GL_DEPTH_ATTACHMENT",
    "GL_DEPTH_BUFFER_BIT",
    "GL_DEPTH_COMPONENT",
    "GL_DEPTH_COMPONENT24",
    "GL_DEPTH_TEST",
    "GL_DITHER",
    "GL_DRAW_FRAMEBUFFER",
    "GL_ELEMENT_ARRAY_BUFFER",
    "GL_FLOAT",
    "GL_FRAGMENT_SHADER",
    "GL_FRAMEBUFFER",
    "GL_FRAMEBUFFER_COMPLETE",
    "GL_FRAMEBUFFER_SRGB",
    "GL_FRONT",
    "GL_FUNC_ADD",
    "GL_GREATER",
    "GL_LEQUAL",
    "GL_LINEAR",
    "GL_LINK_STATUS",
    "GL_MAJOR_VERSION",
    "GL_MAX",
    "GL_MAX_RENDERBUFFER_SIZE",
    "GL_MAX_SAMPLES",
    "GL_MAX_TEXTURE_SIZE",
    "GL_MINOR_VERSION",
    "GL_NEAREST",
    "GL_NONE",
    "GL_ONE",
    "GL_ONE_MINUS_SRC_ALPHA",
    "GL_PACK_ALIGNMENT",
    "GL_R8",
    "GL_READ_FRAMEBUFFER",
    "GL_RED",
    "GL_RENDERBUFFER",
    "GL_RENDERER",
    "GL_RGB",
    "GL_RGBA",
    "GL_RGBA8",
    "GL_SCISSOR_TEST",
    "GL_SHADING_LANGUAGE_VERSION",
    "GL_SRC_ALPHA",
    "GL_STATIC_DRAW",
    "GL_STENCIL_TEST",
    "GL_STREAM_DRAW",
    "GL_TEXTURE0",
    "GL_TEXTURE1",
    "GL_TEXTURE_2D",
    "GL_TEXTURE_2D_MULTISAMPLE",
    "GL_TEXTURE_COMPARE_MODE",
    "GL_TEXTURE_MAG_FILTER",
    "GL_TEXTURE_MIN_FILTER",
    "GL_TEXTURE_WRAP_S",
    "GL_TEXTURE_WRAP_T",
    "GL_TRIANGLES",
    "GL_TRIANGLE_STRIP",
    "GL_UNPACK_ALIGNMENT",
    "GL_UNSIGNED_BYTE",
    "GL_UNSIGNED_INT",
    "GL_VENDOR",
    "GL_VERSION",
    "GL_VERTEX_SHADER",
    "check",
    "delete",
    "generate",
    "glActiveTexture",
    "glAttachShader",
    "glBindBuffer",
    "glBindFramebuffer",
    "glBindRenderbuffer",
    "glBindTexture",
    "glBindVertexArray",
    "glBlendEquation",
    "glBlendFunc",
    "glBlendFuncSeparate",
    "glBlitFramebuffer",
    "glBufferData",
    "glCheckFramebufferStatus",
    "glClear",
    "glClearColor",
    "glColorMask",
    "glCompileShader",
    "glCreateProgram",
    "glCreateShader",
    "glCullFace",
    "glDeleteBuffers",
    "glDeleteFramebuffers",
    "glDeleteProgram",
    "glDeleteRenderbuffers",
    "glDeleteShader",
    "glDeleteTextures",
    "glDeleteVertexArrays",
    "glDepthFunc",
    "glDepthMask",
    "glDisable",
    "glDrawArrays",
    "glDrawArraysInstanced",
    "glDrawBuffers",
    "glDrawElementsInstanced",
    "glEnable",
    "glEnableVertexAttribArray",
    "glFinish",
    "glFramebufferRenderbuffer",
    "glFramebufferTexture2D",
    "glGenBuffers",
    "glGenFramebuffers",
    "glGenRenderbuffers",
    "glGenTextures",
    "glGenVertexArrays",
    "glGetError",
    "glGetProgramInfoLog",
    "glGetProgramiv",
    "glGetShaderInfoLog",
    "glGetShaderiv",
    "glGetUniformLocation",
    "glLinkProgram",
    "glPixelStorei",
    "glReadBuffer",
    "glReadPixels",
    "glRenderbufferStorage",
    "glScissor",
    "glShaderSource",
    "glTexImage2D",
    "glTexImage2DMultisample",
    "glTexParameteri",
    "glUniform1f",
    "glUniform1i",
    "glUniform2f",
    "glUniform2i",
    "glUniform3f",
    "glUniform4f",
    "glUniformMatrix4fv",
    "glUseProgram",
    "glVertexAttribDivisor",
    "glVertexAttribPointer",
    "glViewport",
    "integer",
    "text",
]

if "OpenGL.platform" not in sys.modules:
    # Checking every call takes longer than the call; the renderer checks where needed (`check`).
    OpenGL.ERROR_CHECKING = False
    if sys.platform.startswith("linux") and not (
        os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")
    ):
        # Without a display, libGL with GLX may be missing.
        os.environ.setdefault("PYOPENGL_PLATFORM", "egl")

from OpenGL.raw.GL.VERSION.GL_1_0 import (
    GL_BACK,
    GL_BLEND,
    GL_COLOR_BUFFER_BIT,
    GL_CULL_FACE,
    GL_DEPTH_BUFFER_BIT,
    GL_DEPTH_COMPONENT,
    GL_DEPTH_TEST,
    GL_DITHER,
    GL_FLOAT,
    GL_FRONT,
    GL_GREATER,
    GL_LEQUAL,
    GL_LINEAR,
    GL_MAX_TEXTURE_SIZE,
    GL_NEAREST,
    GL_NONE,
    GL_ONE,
    GL_ONE_MINUS_SRC_ALPHA,
    GL_PACK_ALIGNMENT,
    GL_RED,
    GL_RENDERER,
    GL_RGB,
    GL_RGBA,
    GL_SCISSOR_TEST,
    GL_SRC_ALPHA,
    GL_STENCIL_TEST,
    GL_TEXTURE_2D,
    GL_TEXTURE_MAG_FILTER,
    GL_TEXTURE_MIN_FILTER,
    GL_TEXTURE_WRAP_S,
    GL_TEXTURE_WRAP_T,
    GL_TRIANGLE_STRIP,
    GL_TRIANGLES,
    GL_UNPACK_ALIGNMENT,
    GL_UNSIGNED_BYTE,
    GL_UNSIGNED_INT,
    GL_VENDOR,
    GL_VERSION,
    glBlendFunc,
    glClear,
    glClearColor,
    glColorMask,
    glCullFace,
    glDepthFunc,
    glDepthMask,
    glDisable,
    glEnable,
    glFinish,
    glGetError,
    glGetIntegerv,
    glGetString,
    glPixelStorei,
    glReadBuffer,
    glReadPixels,
    glScissor,
    glTexImage2D,
    glTexParameteri,
    glViewport,
)
from OpenGL.raw.GL.VERSION.GL_1_1 import (
    GL_RGBA8,
    glBindTexture,
    glDeleteTextures,
    glDrawArrays,
    glGenTextures,
)
from OpenGL.raw.GL.VERSION.GL_1_2 import (
    GL_CLAMP_TO_EDGE,
)
from OpenGL.raw.GL.VERSION.GL_1_3 import (
    GL_CLAMP_TO_BORDER,
    GL_TEXTURE0,
    GL_TEXTURE1,
    glActiveTexture,
)
from OpenGL.raw.GL.VERSION.GL_1_4 import (
    GL_DEPTH_COMPONENT24,
    GL_FUNC_ADD,
    GL_MAX,
    GL_TEXTURE_COMPARE_MODE,
    glBlendEquation,
    glBlendFuncSeparate,
)
from OpenGL.raw.GL.VERSION.GL_1_5 import (
    GL_ARRAY_BUFFER,
    GL_ELEMENT_ARRAY_BUFFER,
    GL_STATIC_DRAW,
    GL_STREAM_DRAW,
    glBindBuffer,
    glBufferData,
    glDeleteBuffers,
    glGenBuffers,
)
from OpenGL.raw.GL.VERSION.GL_2_0 import (
    GL_COMPILE_STATUS,
    GL_FRAGMENT_SHADER,
    GL_LINK_STATUS,
    GL_SHADING_LANGUAGE_VERSION,
    GL_VERTEX_SHADER,
    glAttachShader,
    glCompileShader,
    glCreateProgram,
    glCreateShader,
    glDeleteProgram,
    glDeleteShader,
    glDrawBuffers,
    glEnableVertexAttribArray,
    glGetProgramInfoLog,
    glGetProgramiv,
    glGetShaderInfoLog,
    glGetShaderiv,
    glGetUniformLocation,
    glLinkProgram,
    glShaderSource,
    glUniform1f,
    glUniform1i,
    glUniform2f,
    glUniform2i,
    glUniform3f,
    glUniform4f,
    glUniformMatrix4fv,
    glUseProgram,
    glVertexAttribPointer,
)
from OpenGL.raw.GL.VERSION.GL_3_0 import (
    GL_CLIP_DISTANCE0,
    GL_COLOR_ATTACHMENT0,
    GL_COMPARE_REF_TO_TEXTURE,
    GL_DEPTH_ATTACHMENT,
    GL_DRAW_FRAMEBUFFER,
    GL_FRAMEBUFFER,
    GL_FRAMEBUFFER_COMPLETE,
    GL_FRAMEBUFFER_SRGB,
    GL_MAJOR_VERSION,
    GL_MAX_RENDERBUFFER_SIZE,
    GL_MAX_SAMPLES,
    GL_MINOR_VERSION,
    GL_R8,
    GL_READ_FRAMEBUFFER,
    GL_RENDERBUFFER,
    glBindFramebuffer,
    glBindRenderbuffer,
    glBindVertexArray,
    glBlitFramebuffer,
    glCheckFramebufferStatus,
    glDeleteFramebuffers,
    glDeleteRenderbuffers,
    glDeleteVertexArrays,
    glFramebufferRenderbuffer,
    glFramebufferTexture2D,
    glGenFramebuffers,
    glGenRenderbuffers,
    glGenVertexArrays,
    glRenderbufferStorage,
)
from OpenGL.raw.GL.VERSION.GL_3_1 import (
    glDrawArraysInstanced,
    glDrawElementsInstanced,
)
from OpenGL.raw.GL.VERSION.GL_3_2 import (
    GL_TEXTURE_2D_MULTISAMPLE,
    glTexImage2DMultisample,
)
from OpenGL.raw.GL.VERSION.GL_3_3 import (
    glVertexAttribDivisor,
)


def check(what: str) -> None:
    """Raise if OpenGL has reported an error since the last check.

    Parameters
    ----------
    what : str
        Operation for the message, such as "draw the frame".

    Raises
    ------
    GraphicsError
    """
    code = glGetError()
    if code:
        name = {
            0x500: "invalid enum",
            0x501: "invalid value",
            0x502: "invalid operation",
            0x505: "out of memory",
            0x506: "invalid framebuffer operation",
        }.get(code, f"code {code:#x}")
        while glGetError():
            pass
        raise GraphicsError(f"OpenGL could not {what}: {name}")


def integer(name: int) -> int:
    """Return the value of an OpenGL integer, such as the largest texture size."""
    box = (ctypes.c_int * 4)()
    glGetIntegerv(name, box)
    return int(box[0])


def text(name: int) -> str:
    """Return the value of an OpenGL string, such as the name of the renderer; empty if missing."""
    address = glGetString(name)
    raw = ctypes.cast(address, ctypes.c_char_p).value if address else None
    return raw.decode(errors="replace") if raw else ""


def generate(function: Callable[..., None]) -> int:
    """Create an object with a `glGen...` function and return its name."""
    box = ctypes.c_uint()
    function(1, ctypes.byref(box))
    return box.value


def delete(function: Callable[..., None], name: int) -> None:
    """Delete an object with its `glDelete...` function; 0 is ignored."""
    if name:
        function(1, ctypes.byref(ctypes.c_uint(name)))
