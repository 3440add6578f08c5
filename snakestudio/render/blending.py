"""How colours are laid over what is there, one name for each way."""

from __future__ import annotations

from collections.abc import Callable

from snakestudio.render import gl


def blend_over() -> None:
    """Colour over what is there, keeping coverage right: a layer's colours are multiplied with it already."""
    gl.glBlendFuncSeparate(
        gl.GL_SRC_ALPHA, gl.GL_ONE_MINUS_SRC_ALPHA, gl.GL_ONE, gl.GL_ONE_MINUS_SRC_ALPHA
    )


def blend_over_premultiplied() -> None:
    """Colour that is multiplied with its coverage, over what is there."""
    gl.glBlendFunc(gl.GL_ONE, gl.GL_ONE_MINUS_SRC_ALPHA)


def translucent(draw: Callable[[], None]) -> None:
    """Draw solids of which only the nearest surface shows: depth first, then colour."""
    gl.glColorMask(False, False, False, False)
    draw()
    gl.glColorMask(True, True, True, True)
    draw()
