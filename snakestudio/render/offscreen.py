"""Rendering to numpy arrays without a window: video frames, screenshots, image tests.

All OpenGL calls run on a separate thread of the renderer, so that it works from anywhere: in a process
without a display, in a worker thread of the window's process, even on the thread of the window, whose
context is not affected.
"""

from __future__ import annotations

import ctypes
import ctypes.util
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from time import perf_counter

import numpy as np

from snakestudio._arrays import UInt8Array
from snakestudio.drawing.camera import Camera
from snakestudio.drawing.draw_list import DrawList, build
from snakestudio.drawing.overlays import Overlays
from snakestudio.drawing.quality import Quality
from snakestudio.drawing.style import DARK, Theme
from snakestudio.errors import GraphicsError
from snakestudio.model.scene import Scene
from snakestudio.model.snapshot import Snapshot
from snakestudio.render import gl
from snakestudio.render.egl import OffscreenContext
from snakestudio.render.renderer import GraphicsInfo, Renderer


class OffscreenRenderer:
    """Renderer of frames of a fixed size; equal input gives identical bytes.

    Raises `GraphicsError` if EGL is missing (with the name of the package), or OpenGL 3.3.

    Parameters
    ----------
    width, height : int
        Pixels.
    """

    def __init__(
        self, width: int, height: int, theme: Theme = DARK, quality: Quality = Quality.FULL
    ) -> None:
        if width <= 0 or height <= 0:
            raise GraphicsError(f"A frame of {width} x {height} pixels cannot be drawn")
        self.width = width
        self.height = height
        self.theme = theme
        self.quality = quality
        self._closed = False
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="snakestudio-offscreen")
        try:
            self._thread.submit(self._start).result()
        except BaseException:
            self._thread.shutdown()
            raise

    def _start(self) -> None:
        self._context = OffscreenContext()
        try:
            largest = gl.integer(gl.GL_MAX_RENDERBUFFER_SIZE)
            if max(self.width, self.height) > largest:
                raise GraphicsError(
                    f"A frame of {self.width} x {self.height} pixels is too large; the limit is {largest} per side"
                )
            self._renderer = Renderer()
            self._renderer.initialise()
            self._buffer = gl.generate(gl.glGenRenderbuffers)
            self._framebuffer = gl.generate(gl.glGenFramebuffers)
            gl.glBindFramebuffer(gl.GL_FRAMEBUFFER, self._framebuffer)
            gl.glBindRenderbuffer(gl.GL_RENDERBUFFER, self._buffer)
            gl.glRenderbufferStorage(gl.GL_RENDERBUFFER, gl.GL_RGBA8, self.width, self.height)
            gl.glFramebufferRenderbuffer(
                gl.GL_FRAMEBUFFER, gl.GL_COLOR_ATTACHMENT0, gl.GL_RENDERBUFFER, self._buffer
            )
            gl.check("create an offscreen frame")
        except BaseException:
            self._context.close()
            raise

    def frame(
        self,
        scene: Scene,
        snapshot: Snapshot | None,
        overlays: Overlays | None = None,
        camera: Camera | None = None,
        base_dir: Path | None = None,
    ) -> UInt8Array:
        """Render a frame, (height, width, 3) uint8, row 0 at the top.

        Parameters
        ----------
        base_dir : Path, optional
            Base folder of file names in the scene.
        """
        camera = camera or Camera()
        return self.draw(
            build(scene, snapshot, overlays or Overlays(), camera, self.theme, base_dir), camera
        )

    def draw(self, draw_list: DrawList, camera: Camera) -> UInt8Array:
        """Render a draw list, (height, width, 3) uint8, row 0 at the top."""
        return self._thread.submit(self._draw, draw_list, camera).result()

    def _draw(self, draw_list: DrawList, camera: Camera) -> UInt8Array:
        self._renderer.draw(
            draw_list, camera, self.width, self.height, self._framebuffer, self.quality
        )
        pixels = np.empty((self.height, self.width, 3), np.uint8)
        gl.glBindFramebuffer(gl.GL_READ_FRAMEBUFFER, self._framebuffer)
        gl.glPixelStorei(gl.GL_PACK_ALIGNMENT, 1)
        gl.glReadPixels(
            0,
            0,
            self.width,
            self.height,
            gl.GL_RGB,
            gl.GL_UNSIGNED_BYTE,
            ctypes.c_void_p(pixels.ctypes.data),
        )
        return pixels[::-1].copy()

    def time(
        self, draw_list: DrawList, camera: Camera, quality: Quality, frames: int = 20
    ) -> list[float]:
        """Return the wall times of complete frames, s, without reading them back, for benchmarks."""
        return self._thread.submit(self._time, draw_list, camera, quality, frames).result()

    def _time(
        self, draw_list: DrawList, camera: Camera, quality: Quality, frames: int
    ) -> list[float]:
        times = []
        for _ in range(frames):
            start = perf_counter()
            self._renderer.draw(
                draw_list, camera, self.width, self.height, self._framebuffer, quality
            )
            gl.glFinish()
            times.append(perf_counter() - start)
        return times

    def info(self) -> GraphicsInfo:
        """Return the names and limits of the graphics driver."""
        return self._thread.submit(self._renderer.info).result()

    def close(self) -> None:
        """Release all resources; safe to call repeatedly."""
        if self._closed:
            return
        self._closed = True
        self._thread.submit(self._stop).result()
        self._thread.shutdown()

    def _stop(self) -> None:
        self._renderer.release()
        gl.delete(gl.glDeleteFramebuffers, self._framebuffer)
        gl.delete(gl.glDeleteRenderbuffers, self._buffer)
        self._context.close()

    def __enter__(self) -> OffscreenRenderer:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
