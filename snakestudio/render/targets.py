"""Render targets: the frame, its multisampled layer of solids, the shadow image."""

from __future__ import annotations

import ctypes

from snakestudio.errors import GraphicsError
from snakestudio.render import gl

_COLOUR = gl.GL_RGBA8, gl.GL_RGBA, gl.GL_UNSIGNED_BYTE
_DEPTH = gl.GL_DEPTH_COMPONENT24, gl.GL_DEPTH_COMPONENT, gl.GL_FLOAT


class RenderTarget:
    """Colour (and depth) of the whole frame, one sample per pixel, to be copied to the framebuffer.

    Parameters
    ----------
    width, height : int
        Pixels.
    depth : bool
        Whether to create a depth buffer.
    """

    def __init__(self, width: int, height: int, depth: bool = True) -> None:
        self.width = width
        self.height = height
        self.name = gl.generate(gl.glGenFramebuffers)
        self.texture = _texture(width, height, _COLOUR, gl.GL_CLAMP_TO_EDGE)
        self._depth = gl.generate(gl.glGenRenderbuffers) if depth else 0
        gl.glBindFramebuffer(gl.GL_FRAMEBUFFER, self.name)
        gl.glFramebufferTexture2D(
            gl.GL_FRAMEBUFFER, gl.GL_COLOR_ATTACHMENT0, gl.GL_TEXTURE_2D, self.texture, 0
        )
        if depth:
            gl.glBindRenderbuffer(gl.GL_RENDERBUFFER, self._depth)
            gl.glRenderbufferStorage(gl.GL_RENDERBUFFER, gl.GL_DEPTH_COMPONENT24, width, height)
            gl.glFramebufferRenderbuffer(
                gl.GL_FRAMEBUFFER, gl.GL_DEPTH_ATTACHMENT, gl.GL_RENDERBUFFER, self._depth
            )
        _complete(f"a frame of {width} x {height} pixels")

    def copy_to(self, framebuffer: int, what: int = gl.GL_COLOR_BUFFER_BIT) -> None:
        """Copy colours (or depths) to the lower left corner of another framebuffer of the same format."""
        gl.glBindFramebuffer(gl.GL_READ_FRAMEBUFFER, self.name)
        gl.glBindFramebuffer(gl.GL_DRAW_FRAMEBUFFER, framebuffer)
        box = (0, 0, self.width, self.height)
        gl.glBlitFramebuffer(*box, *box, what, gl.GL_NEAREST)

    def release(self) -> None:
        """Delete the OpenGL objects."""
        gl.delete(gl.glDeleteFramebuffers, self.name)
        gl.delete(gl.glDeleteTextures, self.texture)
        gl.delete(gl.glDeleteRenderbuffers, self._depth)
        self.name = self.texture = self._depth = 0


class Layer:
    """Multisampled colour with coverage, and depth, for the part of a frame with solids.

    Multisampling the whole frame takes a software renderer 25 ms before anything is drawn; floor
    and sky have no edges and do not need it.

    Parameters
    ----------
    width, height : int
        Pixels.
    samples : int
        Samples per pixel, at least 2.
    """

    def __init__(self, width: int, height: int, samples: int) -> None:
        self.width = width
        self.height = height
        self.samples = samples
        self.texture = gl.generate(gl.glGenTextures)
        gl.glBindTexture(gl.GL_TEXTURE_2D_MULTISAMPLE, self.texture)
        gl.glTexImage2DMultisample(
            gl.GL_TEXTURE_2D_MULTISAMPLE, samples, gl.GL_RGBA8, width, height, True
        )
        self._depth = gl.generate(gl.glGenTextures)
        gl.glBindTexture(gl.GL_TEXTURE_2D_MULTISAMPLE, self._depth)
        gl.glTexImage2DMultisample(
            gl.GL_TEXTURE_2D_MULTISAMPLE, samples, gl.GL_DEPTH_COMPONENT24, width, height, True
        )
        gl.glBindTexture(gl.GL_TEXTURE_2D_MULTISAMPLE, 0)
        self.name = gl.generate(gl.glGenFramebuffers)
        gl.glBindFramebuffer(gl.GL_FRAMEBUFFER, self.name)
        for texture, point in (
            (self.texture, gl.GL_COLOR_ATTACHMENT0),
            (self._depth, gl.GL_DEPTH_ATTACHMENT),
        ):
            gl.glFramebufferTexture2D(
                gl.GL_FRAMEBUFFER, point, gl.GL_TEXTURE_2D_MULTISAMPLE, texture, 0
            )
        _complete(f"a frame of {width} x {height} pixels with {samples} samples")

    def release(self) -> None:
        """Delete the OpenGL objects."""
        gl.delete(gl.glDeleteFramebuffers, self.name)
        gl.delete(gl.glDeleteTextures, self.texture)
        gl.delete(gl.glDeleteTextures, self._depth)
        self.name = self.texture = self._depth = 0


class Image:
    """A texture with a black border and a framebuffer."""

    def __init__(self, width: int, height: int) -> None:
        self.width = width
        self.height = height
        self.texture = _texture(width, height, _COLOUR, gl.GL_CLAMP_TO_BORDER)
        self.name = gl.generate(gl.glGenFramebuffers)
        gl.glBindFramebuffer(gl.GL_FRAMEBUFFER, self.name)
        gl.glFramebufferTexture2D(
            gl.GL_FRAMEBUFFER, gl.GL_COLOR_ATTACHMENT0, gl.GL_TEXTURE_2D, self.texture, 0
        )
        _complete(f"a shadow of {width} x {height} texels")

    def release(self) -> None:
        """Delete the OpenGL objects."""
        gl.delete(gl.glDeleteFramebuffers, self.name)
        gl.delete(gl.glDeleteTextures, self.texture)
        self.name = self.texture = 0


class HeightImage:
    """A depth texture with a framebuffer, for height comparisons in shaders.

    Parameters
    ----------
    width, height : int
        Texels.
    """

    def __init__(self, width: int, height: int) -> None:
        self.width = width
        self.height = height
        self.texture = _texture(width, height, _DEPTH, gl.GL_CLAMP_TO_EDGE)
        self.name = gl.generate(gl.glGenFramebuffers)
        gl.glBindFramebuffer(gl.GL_FRAMEBUFFER, self.name)
        gl.glFramebufferTexture2D(
            gl.GL_FRAMEBUFFER, gl.GL_DEPTH_ATTACHMENT, gl.GL_TEXTURE_2D, self.texture, 0
        )
        none = (ctypes.c_uint * 1)(gl.GL_NONE)
        gl.glDrawBuffers(1, none)
        gl.glReadBuffer(gl.GL_NONE)
        _complete(f"a height map of {width} x {height} texels")

    def compared(self, compare: bool) -> None:
        """Bind the texture; with `compare`, samples are fractions of lower texels, else the depths."""
        gl.glBindTexture(gl.GL_TEXTURE_2D, self.texture)
        mode, look = (
            (gl.GL_COMPARE_REF_TO_TEXTURE, gl.GL_LINEAR) if compare else (gl.GL_NONE, gl.GL_NEAREST)
        )
        gl.glTexParameteri(gl.GL_TEXTURE_2D, gl.GL_TEXTURE_COMPARE_MODE, mode)
        gl.glTexParameteri(gl.GL_TEXTURE_2D, gl.GL_TEXTURE_MIN_FILTER, look)
        gl.glTexParameteri(gl.GL_TEXTURE_2D, gl.GL_TEXTURE_MAG_FILTER, look)

    def copy_to(self, other: HeightImage) -> None:
        """Copy the depths to another image of the same size."""
        gl.glBindFramebuffer(gl.GL_READ_FRAMEBUFFER, self.name)
        gl.glBindFramebuffer(gl.GL_DRAW_FRAMEBUFFER, other.name)
        box = (0, 0, self.width, self.height)
        gl.glBlitFramebuffer(*box, *box, gl.GL_DEPTH_BUFFER_BIT, gl.GL_NEAREST)

    def release(self) -> None:
        """Delete the OpenGL objects."""
        gl.delete(gl.glDeleteFramebuffers, self.name)
        gl.delete(gl.glDeleteTextures, self.texture)
        self.name = self.texture = 0


def _texture(width: int, height: int, pixels: tuple[int, int, int], wrap: int) -> int:
    """Create an empty texture; `pixels` are its internal format, and format and type of its source."""
    stored, layout, kind = pixels
    name = gl.generate(gl.glGenTextures)
    gl.glBindTexture(gl.GL_TEXTURE_2D, name)
    gl.glTexImage2D(gl.GL_TEXTURE_2D, 0, stored, width, height, 0, layout, kind, None)
    gl.glTexParameteri(gl.GL_TEXTURE_2D, gl.GL_TEXTURE_MIN_FILTER, gl.GL_LINEAR)
    gl.glTexParameteri(gl.GL_TEXTURE_2D, gl.GL_TEXTURE_MAG_FILTER, gl.GL_LINEAR)
    gl.glTexParameteri(gl.GL_TEXTURE_2D, gl.GL_TEXTURE_WRAP_S, wrap)
    gl.glTexParameteri(gl.GL_TEXTURE_2D, gl.GL_TEXTURE_WRAP_T, wrap)
    return name


def _complete(what: str) -> None:
    if gl.glCheckFramebufferStatus(gl.GL_FRAMEBUFFER) != gl.GL_FRAMEBUFFER_COMPLETE:
        raise GraphicsError(f"The graphics driver cannot create {what}")
