"""What a viewport can draw on: the common face of the three surfaces, and the choice between them."""

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
    """Everything that makes a picture; all of it immutable, so that any thread may draw it."""

    scene: Scene
    snapshot: Snapshot | None
    overlays: Overlays
    camera: Camera
    theme: Theme
    base_dir: Path | None
    ratio: float = 1.0

    def draw_list(self) -> DrawList:
        """What the renderer draws."""
        return build(
            self.scene, self.snapshot, self.overlays, self.camera, self.theme, self.base_dir
        )


class Choice(NamedTuple):
    """Which surface suits this machine."""

    kind: str
    """"direct": a graphics card draws into the window. "threaded": the processor draws, in a thread
    of its own, as composing a whole window by OpenGL on it costs more than the picture. "flat": no
    OpenGL."""

    reason: str = ""
    """Why it is "flat", in a sentence."""


def set_default_format() -> None:
    """Ask for OpenGL 3.3 core for every context; call before the application is made."""
    wanted = QSurfaceFormat()
    wanted.setRenderableType(QSurfaceFormat.RenderableType.OpenGL)
    wanted.setVersion(3, 3)
    wanted.setProfile(QSurfaceFormat.OpenGLContextProfile.CoreProfile)
    wanted.setSamples(0)  # the renderer samples in a framebuffer of its own
    QSurfaceFormat.setDefaultFormat(wanted)


def choose() -> Choice:
    """Try what this machine can do; ``SNAKESTUDIO_VIEWPORT`` (direct, threaded, flat) decides otherwise."""
    wish = os.environ.get("SNAKESTUDIO_VIEWPORT", "")
    if wish == "flat":
        return Choice("flat", "SNAKESTUDIO_VIEWPORT is set to flat.")
    context = QOpenGLContext()
    if not context.create():
        return Choice("flat", "No OpenGL context can be made on this display.")
    surface = QOffscreenSurface()
    surface.setFormat(context.format())
    surface.create()
    try:
        if not context.makeCurrent(surface):
            return Choice("flat", "The OpenGL context of this display cannot be used.")
        version = context.format().version()
        if version < (3, 3):
            return Choice(
                "flat", f"This display offers OpenGL {version[0]}.{version[1]}; 3.3 is required."
            )
        if wish in ("direct", "threaded"):
            return Choice(wish)
        return Choice("threaded" if _is_software() else "direct")
    finally:
        context.doneCurrent()
        surface.destroy()


def _is_software() -> bool:
    """Whether the processor draws in the current context."""
    from snakestudio.render.renderer import Renderer

    return Renderer().info().is_software
