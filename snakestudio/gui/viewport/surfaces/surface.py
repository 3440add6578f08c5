"""Drawing surfaces of a viewport: their common data, and the choice between the three."""

from __future__ import annotations

import os
from pathlib import Path
from typing import NamedTuple

from PySide6.QtGui import QOffscreenSurface, QOpenGLContext, QSurfaceFormat

from snakestudio.drawing.camera import Camera
from snakestudio.drawing.draw_list import DrawList, build
from snakestudio.drawing.overlays import Overlays
from snakestudio.drawing.style import Theme
from snakestudio.model.scene import Scene
from snakestudio.model.snapshot import Snapshot


class FrameRequest(NamedTuple):
    """Complete content of a frame; all of it is immutable, so that any thread can draw it."""

    scene: Scene
    snapshot: Snapshot | None
    overlays: Overlays
    camera: Camera
    theme: Theme
    base_dir: Path | None
    ratio: float = 1.0

    def draw_list(self) -> DrawList:
        """Draw list for the renderer."""
        return build(
            self.scene, self.snapshot, self.overlays, self.camera, self.theme, self.base_dir
        )


class SurfaceChoice(NamedTuple):
    """Surface that suits this computer."""

    kind: str
    """"direct": a graphics card draws into the window. "threaded": software OpenGL in a separate
    thread, because composing a whole window with it takes longer than the frame. "flat": no
    OpenGL."""

    reason: str = ""
    """Reason for "flat", as a sentence."""


def set_default_format() -> None:
    """Request OpenGL 3.3 core for all contexts; call before the application is created."""
    surface_format = QSurfaceFormat()
    surface_format.setRenderableType(QSurfaceFormat.RenderableType.OpenGL)
    surface_format.setVersion(3, 3)
    surface_format.setProfile(QSurfaceFormat.OpenGLContextProfile.CoreProfile)
    surface_format.setSamples(0)  # the renderer samples in its framebuffer
    QSurfaceFormat.setDefaultFormat(surface_format)


def choose() -> SurfaceChoice:
    """Determine the surface for this computer; ``SNAKESTUDIO_VIEWPORT`` (direct, threaded, flat) overrides it."""
    requested = os.environ.get("SNAKESTUDIO_VIEWPORT", "")
    if requested == "flat":
        return SurfaceChoice("flat", "SNAKESTUDIO_VIEWPORT is set to flat.")
    context = QOpenGLContext()
    if not context.create():
        return SurfaceChoice("flat", "No OpenGL context can be made on this display.")
    surface = QOffscreenSurface()
    surface.setFormat(context.format())
    surface.create()
    try:
        if not context.makeCurrent(surface):
            return SurfaceChoice("flat", "The OpenGL context of this display cannot be used.")
        version = context.format().version()
        if version < (3, 3):
            return SurfaceChoice(
                "flat", f"This display offers OpenGL {version[0]}.{version[1]}; 3.3 is required."
            )
        if requested in ("direct", "threaded"):
            return SurfaceChoice(requested)
        return SurfaceChoice("threaded" if _is_software() else "direct")
    finally:
        context.doneCurrent()
        surface.destroy()


def _is_software() -> bool:
    """Return whether the current context is software OpenGL."""
    from snakestudio.render.renderer import Renderer

    return Renderer().info().is_software
