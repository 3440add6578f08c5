"""Blend modes, by name."""

from __future__ import annotations

from collections.abc import Callable

from snakestudio.render import gl


def blend_over() -> None:
    """Blend colours over the target and update its coverage, as layers with premultiplied colours need."""
    gl.glBlendFuncSeparate(
        gl.GL_SRC_ALPHA, gl.GL_ONE_MINUS_SRC_ALPHA, gl.GL_ONE, gl.GL_ONE_MINUS_SRC_ALPHA
    )


def blend_over_premultiplied() -> None:
    """Blend premultiplied colours over the target."""
    gl.glBlendFunc(gl.GL_ONE, gl.GL_ONE_MINUS_SRC_ALPHA)


def translucent(draw: Callable[[], None]) -> None:
    """Draw solids with only their nearest surface visible: depth first, then colour."""
    gl.glColorMask(False, False, False, False)
    draw()
    gl.glColorMask(True, True, True, True)
    draw()
