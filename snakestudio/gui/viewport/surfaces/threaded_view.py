"""Surface for computers with software OpenGL: a plain widget, and a thread that draws its content."""

from __future__ import annotations

import ctypes
import logging
import queue
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future
from typing import TYPE_CHECKING, NamedTuple, TypeVar

import numpy as np
from PySide6.QtCore import QObject, Qt, QTimer, Signal
from PySide6.QtGui import (
    QImage,
    QOffscreenSurface,
    QOpenGLContext,
    QPainter,
    QPaintEvent,
    QResizeEvent,
)
from PySide6.QtWidgets import QWidget

from snakestudio.drawing.quality import AdaptiveQuality, Quality
from snakestudio.errors import GraphicsError
from snakestudio.gui.core.delay import Delay
from snakestudio.gui.viewport.surfaces.surface import FrameRequest

if TYPE_CHECKING:
    from snakestudio.render.renderer import GraphicsInfo, Renderer

FRAME_BUDGET = 0.024
"""Maximum time for drawing, s."""

PAUSE = 0.006
"""Pause between two frames, s: the same cores draw plots and simulate."""

STILL_MS = 350
"""Delay after which an unchanged frame is drawn again in the best quality, which moving frames do not
have."""


class ThreadedView(QWidget):
    """Shows frames without waiting for them. Mouse and keys are handled by its parent.

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
        self._image: QImage | None = None
        self._drawing = False
        self._is_requested = False
        self._fine = False
        self._ended = 0.0
        self.quality = AdaptiveQuality(budget=FRAME_BUDGET)
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)
        self._thread = RenderThread(self)
        self._thread.finished.connect(self._on_finished, Qt.ConnectionType.QueuedConnection)
        self._thread.failed.connect(self.failed, Qt.ConnectionType.QueuedConnection)
        self._next = QTimer(self)
        self._next.setSingleShot(True)
        self._next.setTimerType(Qt.TimerType.PreciseTimer)
        self._next.timeout.connect(self._ask)
        self._still = Delay(STILL_MS, self._refine, self)

    def refresh(self) -> None:
        """Schedule a frame; requests during drawing result in one further frame."""
        self._is_requested = True
        self._still.stop()
        if not self._drawing and not self._next.isActive():
            rest = self._ended + PAUSE - time.perf_counter()
            self._next.start(max(0, round(1000 * rest)))

    def _ask(self) -> None:
        if not self._drawing and self.isVisible():
            self._is_requested = False
            self._start(self.quality.level)

    def _refine(self) -> None:
        if not self._drawing and self.isVisible():
            self._fine = True
            self._start(Quality.HIGH)

    def _start(self, quality: Quality) -> None:
        ratio = self.devicePixelRatio()
        width, height = max(1, round(self.width() * ratio)), max(1, round(self.height() * ratio))
        self._drawing = True
        self._thread.draw(
            self._picture(width / height)._replace(ratio=ratio), width, height, quality
        )

    def _on_finished(self, result: Result) -> None:
        self._drawing = False
        self._ended = time.perf_counter()
        fine = self._fine
        self._fine = False
        self._image = result.image
        self._image.setDevicePixelRatio(self.devicePixelRatio())
        self.update()
        if not fine:
            self.quality.add(result.seconds)
            self.drawn.emit(result.seconds)
        if self._is_requested:
            self.refresh()
        elif not fine and result.quality < Quality.HIGH:
            self._still.start()

    def info(self) -> GraphicsInfo | None:
        """Properties of the context, or None."""
        try:
            return self._thread.info()
        except GraphicsError:
            return None

    def image(self, width: int, height: int) -> QImage:
        """Current view at full quality in any size.

        Raises `GraphicsError` if it cannot be drawn.
        """
        picture = self._picture(width / height)._replace(ratio=self.devicePixelRatio())
        return self._thread.draw_now(picture, width, height, Quality.FULL)

    def close_surface(self) -> None:
        """Stop the thread."""
        self._next.stop()
        self._still.stop()
        self._thread.close()

    # --- Qt's events ------------------------------------------------------------------------------

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        try:
            if self._image is None:
                painter.fillRect(self.rect(), self.palette().window())
            else:
                # While the window is being resized the last frame is stretched until the next is
                # ready.
                painter.drawImage(self.rect(), self._image)
        finally:
            painter.end()

    def resizeEvent(self, event: QResizeEvent) -> None:
        self.quality.reset()
        self.refresh()


log = logging.getLogger(__name__)

_T = TypeVar("_T")


class Result(NamedTuple):
    """A finished frame and its drawing time, s."""

    image: QImage
    quality: Quality
    seconds: float


class RenderThread(QObject):
    """Draws requested frames one after the other. Create and close it in the window's thread.

    Signals
    -------
    finished(result: Result)
        A frame requested by `draw` is ready.
    failed(message: str)
        Drawing is no longer possible.
    """

    finished = Signal(object)
    failed = Signal(str)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._surface = QOffscreenSurface()
        self._surface.create()
        self._jobs: queue.SimpleQueue[Callable[[], None] | None] = queue.SimpleQueue()
        self._renderer: Renderer | None = None
        self._target: _Target | None = None
        self._thread = threading.Thread(target=self._work, name="snakestudio-render", daemon=True)
        self._thread.start()

    # --- for the window's thread ------------------------------------------------------------------

    def draw(self, picture: FrameRequest, width: int, height: int, quality: Quality) -> None:
        """Draw a frame; `finished` is emitted when it is ready."""
        self._jobs.put(lambda: self.finished.emit(self._draw(picture, width, height, quality)))

    def draw_now(self, picture: FrameRequest, width: int, height: int, quality: Quality) -> QImage:
        """Draw a frame and wait for it.

        Raises
        ------
        GraphicsError
        """
        return self._ask(lambda: self._draw(picture, width, height, quality).image)

    def info(self) -> GraphicsInfo:
        """Properties of the context.

        Raises
        ------
        GraphicsError
        """
        return self._ask(lambda: self._ready().info())

    def close(self) -> None:
        """Stop the thread and wait for its end. Repeated calls are harmless."""
        self._jobs.put(None)
        self._thread.join()
        self._surface.destroy()

    def _ask(self, work: Callable[[], _T]) -> _T:
        future: Future[_T] = Future()

        def job() -> None:
            try:
                future.set_result(work())
            except BaseException as error:
                future.set_exception(error)

        self._jobs.put(job)
        while self._thread.is_alive():
            try:
                return future.result(timeout=0.5)
            except TimeoutError:
                continue
        raise GraphicsError("There is no image because drawing has stopped.")

    # --- the thread -------------------------------------------------------------------------------

    def _work(self) -> None:
        context = QOpenGLContext()
        try:
            if not context.create() or not context.makeCurrent(self._surface):
                raise GraphicsError("No OpenGL context can be made on this display.")
            while (job := self._jobs.get()) is not None:
                job()
        except GraphicsError as error:
            self.failed.emit(str(error))
        except Exception as error:
            log.exception("drawing failed")
            self.failed.emit(f"Drawing failed: {error!r}.")
        finally:
            if self._target is not None:
                self._target.release()
            if self._renderer is not None:
                self._renderer.release()
            self._target = self._renderer = None
            context.doneCurrent()

    def _ready(self) -> Renderer:
        if self._renderer is None:
            from snakestudio.render.renderer import Renderer

            renderer = Renderer()
            renderer.initialise()
            self._renderer = renderer
        return self._renderer

    def _draw(self, picture: FrameRequest, width: int, height: int, quality: Quality) -> Result:
        renderer = self._ready()
        began = time.perf_counter()
        if self._target is None or self._target.size != (width, height):
            if self._target is not None:
                self._target.release()
            self._target = _Target(width, height)
        target = self._target.name
        renderer.draw(
            picture.draw_list(), picture.camera, width, height, target, quality, picture.ratio
        )
        image = self._target.read()
        return Result(image, quality, time.perf_counter() - began)


class _Target:
    """Framebuffer to draw into and read from."""

    def __init__(self, width: int, height: int) -> None:
        from snakestudio.render import gl

        self.size = width, height
        self.pixels = np.empty((height, width), np.uint32)
        """Buffer of the read pixels, the lowest row first."""
        self.name = gl.generate(gl.glGenFramebuffers)
        self._buffer = gl.generate(gl.glGenRenderbuffers)
        gl.glBindFramebuffer(gl.GL_FRAMEBUFFER, self.name)
        gl.glBindRenderbuffer(gl.GL_RENDERBUFFER, self._buffer)
        gl.glRenderbufferStorage(gl.GL_RENDERBUFFER, gl.GL_RGBA8, width, height)
        gl.glFramebufferRenderbuffer(
            gl.GL_FRAMEBUFFER, gl.GL_COLOR_ATTACHMENT0, gl.GL_RENDERBUFFER, self._buffer
        )
        gl.check(f"create an image of {width} x {height} pixels")

    def read(self) -> QImage:
        """Image of the framebuffer, row 0 at the top."""
        from snakestudio.render import gl

        width, height = self.size
        pixels = self.pixels
        gl.glBindFramebuffer(gl.GL_READ_FRAMEBUFFER, self.name)
        gl.glPixelStorei(gl.GL_PACK_ALIGNMENT, 4)
        gl.glReadPixels(0, 0, width, height, _BGRA, _PACKED, ctypes.c_void_p(pixels.ctypes.data))
        image = QImage(width, height, QImage.Format.Format_RGB32)
        np.copyto(np.frombuffer(image.bits(), np.uint32).reshape(height, width), pixels[::-1])
        return image

    def release(self) -> None:
        """Delete the framebuffer."""
        from snakestudio.render import gl

        gl.delete(gl.glDeleteFramebuffers, self.name)
        gl.delete(gl.glDeleteRenderbuffers, self._buffer)


_BGRA = 0x80E1
_PACKED = 0x8367
"""GL_BGRA and GL_UNSIGNED_INT_8_8_8_8_REV: pixel format of Qt, so that no conversion is
necessary."""
