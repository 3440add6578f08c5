"""Surface for computers with a graphics card: an OpenGL widget whose context the renderer uses."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QImage, QOpenGLContext
from PySide6.QtOpenGL import QOpenGLFramebufferObject
from PySide6.QtOpenGLWidgets import QOpenGLWidget
from PySide6.QtWidgets import QWidget

from snakestudio.drawing.quality import AdaptiveQuality, Quality
from snakestudio.errors import GraphicsError
from snakestudio.gui.viewport.surfaces.surface import FrameRequest

if TYPE_CHECKING:
    from snakestudio.render.renderer import GraphicsInfo, Renderer

log = logging.getLogger(__name__)

FRAME_BUDGET = 0.012
"""Maximum time for drawing, s: the window's thread waits for it."""


class GlView(QOpenGLWidget):
    """Draws frames with the renderer. Mouse and keys are handled by its parent.

    Parameters
    ----------
    picture : callable
        Returns the content of a frame for an aspect ratio.

    Signals
    -------
    drawn(seconds: float)
        A frame was drawn in this time.
    failed(message: str)
        Drawing is no longer possible.
    """

    drawn = Signal(float)
    failed = Signal(str)

    def __init__(self, picture: Callable[[float], FrameRequest], parent: QWidget) -> None:
        super().__init__(parent)
        self._picture = picture
        self._renderer: Renderer | None = None
        self._context: QOpenGLContext | None = None
        self._has_failed = False
        self.quality = AdaptiveQuality(budget=FRAME_BUDGET)
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)

    # --- Qt calls these with the context current --------------------------------------------------

    def initializeGL(self) -> None:
        context = self.context()
        if context is not self._context:
            # A window on another screen or with another parent has another context.
            context.aboutToBeDestroyed.connect(self.close_surface)
            self._context = context
        self._renderer = None
        self._guarded(self._make_renderer)

    def paintGL(self) -> None:
        if not self._has_failed:
            self._guarded(self._draw)

    def resizeGL(self, w: int, h: int) -> None:
        self.quality.reset()

    def _guarded(self, action: Callable[[], None]) -> None:
        """Run a drawing function; an exception must not reach Qt and ends drawing with a message."""
        try:
            action()
        except GraphicsError as error:
            self._fail(str(error))
        except Exception as error:
            log.exception("drawing failed")
            self._fail(f"Drawing failed: {error!r}.")

    def _fail(self, message: str) -> None:
        self._has_failed = True
        self.failed.emit(message)

    def _make_renderer(self) -> None:
        from snakestudio.render.renderer import Renderer

        renderer = Renderer()
        renderer.initialise()
        self._renderer = renderer

    def _draw(self) -> None:
        from snakestudio.render import gl

        if self._renderer is None:
            self._make_renderer()
        began = time.perf_counter()
        ratio = self.devicePixelRatio()
        width, height = max(1, round(self.width() * ratio)), max(1, round(self.height() * ratio))
        self._render(width, height, self.defaultFramebufferObject(), self.quality.level)
        gl.glFinish()  # without it, the time would be counted elsewhere
        seconds = time.perf_counter() - began
        self.quality.add(seconds)
        self.drawn.emit(seconds)

    def _render(self, width: int, height: int, framebuffer: int, quality: Quality) -> None:
        assert self._renderer is not None
        picture = self._picture(width / height)
        ratio = self.devicePixelRatio()
        self._renderer.draw(
            picture.draw_list(), picture.camera, width, height, framebuffer, quality, ratio
        )

    # --- for the viewport -------------------------------------------------------------------------

    def refresh(self) -> None:
        """Schedule a frame."""
        self.update()

    def info(self) -> GraphicsInfo | None:
        """Return the properties of the context; None before it exists."""
        if self._renderer is None:
            return None
        self.makeCurrent()
        try:
            return self._renderer.info()
        finally:
            self.doneCurrent()

    def image(self, width: int, height: int) -> QImage:
        """Return the current view at full quality in any size.

        Raises `GraphicsError` if it cannot be drawn.
        """
        if self._renderer is None or self._has_failed:
            raise GraphicsError("There is no image to save because nothing has been drawn yet.")
        self.makeCurrent()
        try:
            buffer = QOpenGLFramebufferObject(width, height)
            if not buffer.isValid():
                raise GraphicsError(
                    f"An image of {width} x {height} pixels is too large for this display."
                )
            self._render(width, height, buffer.handle(), Quality.FULL)
            image = buffer.toImage().convertToFormat(QImage.Format.Format_RGB32)
            del buffer
        finally:
            self.doneCurrent()
        return image

    def close_surface(self) -> None:
        """Free the renderer's resources in the context, if the context still exists."""
        renderer = self._renderer
        self._renderer = None
        if renderer is None or self.context() is None:
            return
        self.makeCurrent()
        self._guarded(renderer.release)
        self.doneCurrent()
