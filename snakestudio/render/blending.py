"""Blend functions, one name each."""

from __future__ import annotations

from snakestudio.render import gl

__all__ = ["blend_over", "blend_over_premultiplied"]


def blend_over() -> None:
    """Colour over what is there, keeping coverage right: a layer's colours are multiplied with it already."""
    gl.glBlendFuncSeparate(gl.GL_SRC_ALPHA, gl.GL_ONE_MINUS_SRC_ALPHA, gl.GL_ONE, gl.GL_ONE_MINUS_SRC_ALPHA)


def blend_over_premultiplied() -> None:
    """Colour that is multiplied with its coverage, over what is there."""
    gl.glBlendFunc(gl.GL_ONE, gl.GL_ONE_MINUS_SRC_ALPHA)
