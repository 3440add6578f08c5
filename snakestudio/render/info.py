"""What the current OpenGL is: for Help > OpenGL information and for bug reports."""

from __future__ import annotations

from dataclasses import dataclass

from snakestudio.render import gl

__all__ = ["GraphicsInfo", "graphics_info"]


@dataclass(frozen=True, slots=True)
class GraphicsInfo:
    """Names and limits of an OpenGL context; `str()` is a text for people."""

    vendor: str
    renderer: str
    version: str
    shading_language: str
    max_samples: int
    max_texture_size: int

    @property
    def is_software(self) -> bool:
        """Whether the processor draws instead of a graphics card."""
        return any(name in self.renderer.lower() for name in ("llvmpipe", "softpipe", "swrast", "swiftshader"))

    def __str__(self) -> str:
        return (
            f"Vendor: {self.vendor}\nRenderer: {self.renderer}\nOpenGL: {self.version}\n"
            f"Shading language: {self.shading_language}\nSamples a pixel: up to {self.max_samples}\n"
            f"Textures: up to {self.max_texture_size} x {self.max_texture_size}"
        )


def graphics_info() -> GraphicsInfo:
    """Names and limits of the current context."""
    return GraphicsInfo(
        gl.text(gl.GL_VENDOR),
        gl.text(gl.GL_RENDERER),
        gl.text(gl.GL_VERSION),
        gl.text(gl.GL_SHADING_LANGUAGE_VERSION),
        gl.integer(gl.GL_MAX_SAMPLES),
        gl.integer(gl.GL_MAX_TEXTURE_SIZE),
    )
