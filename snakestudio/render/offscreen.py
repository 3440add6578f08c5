"""Pictures as numpy arrays, without a window: video frames, screenshots of the command line, image tests.

All OpenGL happens on a thread of the renderer's own, so that it works wherever it is called from:
in a process without a display, in a worker thread of the window's process, even on the window's
thread, whose own context is left alone.
"""

from __future__ import annotations

import ctypes
import ctypes.util
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from time import perf_counter
from typing import Any

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
from snakestudio.render.renderer import GraphicsInfo, Renderer

__all__ = ["OffscreenContext", "OffscreenRenderer"]


class OffscreenRenderer:
    """Draws pictures of one size; the same picture twice is the same to the byte.

    Raises `GraphicsError` if there is no EGL on this machine (names the package), or no OpenGL 3.3.

    Parameters
    ----------
    width, height : int
        Pixels.
    """

    def __init__(
        self, width: int, height: int, theme: Theme = DARK, quality: Quality = Quality.FULL
    ) -> None:
        if width <= 0 or height <= 0:
            raise GraphicsError(f"A picture of {width} x {height} pixels cannot be drawn")
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
                    f"A picture of {self.width} x {self.height} pixels is too large; at most {largest} either way"
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
            gl.check("make a picture in memory")
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
        """A picture, (height, width, 3) uint8, row 0 on top.

        Parameters
        ----------
        base_dir : Path, optional
            Folder that file names in the scene are relative to.
        """
        camera = camera or Camera()
        return self.draw(
            build(scene, snapshot, overlays or Overlays(), camera, self.theme, base_dir), camera
        )

    def draw(self, draw_list: DrawList, camera: Camera) -> UInt8Array:
        """A picture of a draw list, (height, width, 3) uint8, row 0 on top."""
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
        """Wall times of pictures until they are finished, s, without reading them back: for benchmarks."""
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
        """Names and limits of the graphics used."""
        return self._thread.submit(self._renderer.info).result()

    def close(self) -> None:
        """Give everything back; more than once does no harm."""
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


# A surfaceless EGL context: OpenGL without any window system.
#
# libEGL is called directly, not through PyOpenGL, whose choice of platform is made once per process
# and may already have been made for a window. On one thread either a window's context or an EGL
# context can be current, not both; see `offscreen`.


_SURFACELESS_MESA = 0x31DD
_DEVICE_EXT = 0x313F
_OPENGL_API = 0x30A2
_NONE = 0x3038
_EXTENSIONS = 0x3055
_SURFACE_TYPE = 0x3033
_RENDERABLE_TYPE = 0x3040
_OPENGL_BIT = 0x0008
_MAJOR_VERSION = 0x3098
_MINOR_VERSION = 0x30FB
_PROFILE_MASK = 0x30FD
_CORE_PROFILE_BIT = 0x0001

_ADVICE = "On Debian and Ubuntu install the packages libegl1 and libgl1-mesa-dri"


def _load() -> ctypes.CDLL:
    for name in ("libEGL.so.1", ctypes.util.find_library("EGL")):
        if name:
            try:
                return ctypes.CDLL(name)
            except OSError:
                continue
    raise GraphicsError(
        f"Pictures without a window need EGL, which is not on this machine. {_ADVICE}."
    )


class OffscreenContext:
    """An OpenGL 3.3 core context that needs no display; current on the thread that made it until closed.

    Raises `GraphicsError` with the name of the missing Debian package, if EGL is missing or has no
    surfaceless platform.
    """

    def __init__(self) -> None:
        self._egl = egl = _load()
        egl.eglGetProcAddress.restype = ctypes.c_void_p
        egl.eglQueryString.restype = ctypes.c_char_p
        egl.eglCreateContext.restype = ctypes.c_void_p
        self._context: ctypes.c_void_p | None = None
        self._display = self._open()
        egl.eglBindAPI(_OPENGL_API)
        config = ctypes.c_void_p()
        count = ctypes.c_int()
        wanted = (ctypes.c_int * 5)(_RENDERABLE_TYPE, _OPENGL_BIT, _SURFACE_TYPE, 0, _NONE)
        egl.eglChooseConfig(self._display, wanted, ctypes.byref(config), 1, ctypes.byref(count))
        attributes = (ctypes.c_int * 7)(
            _MAJOR_VERSION, 3, _MINOR_VERSION, 3, _PROFILE_MASK, _CORE_PROFILE_BIT, _NONE
        )
        made = (
            egl.eglCreateContext(self._display, config, None, attributes) if count.value else None
        )
        if not made:
            raise GraphicsError(
                f"EGL offers no OpenGL 3.3 context (error {egl.eglGetError():#x}). {_ADVICE}."
            )
        self._context = ctypes.c_void_p(made)
        self.make_current()

    def _open(self) -> ctypes.c_void_p:
        """A display that needs no display: Mesa's surfaceless platform, else the first graphics device."""
        known = self._egl.eglQueryString(None, _EXTENSIONS) or b""
        address = self._egl.eglGetProcAddress(b"eglGetPlatformDisplayEXT")
        if address:
            get: Any = ctypes.CFUNCTYPE(
                ctypes.c_void_p, ctypes.c_uint, ctypes.c_void_p, ctypes.c_void_p
            )(address)
            candidates: list[tuple[int, ctypes.c_void_p | None]] = []
            if b"EGL_MESA_platform_surfaceless" in known:
                candidates.append((_SURFACELESS_MESA, None))
            if b"EGL_EXT_platform_device" in known:
                candidates += [(_DEVICE_EXT, device) for device in self._devices()]
            for platform, native in candidates:
                display = get(platform, native, None)
                if display and self._egl.eglInitialize(ctypes.c_void_p(display), None, None):
                    return ctypes.c_void_p(display)
        raise GraphicsError(f"EGL on this machine cannot draw without a display. {_ADVICE}.")

    def _devices(self) -> list[ctypes.c_void_p]:
        address = self._egl.eglGetProcAddress(b"eglQueryDevicesEXT")
        if not address:
            return []
        query: Any = ctypes.CFUNCTYPE(
            ctypes.c_uint, ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p
        )(address)
        found = (ctypes.c_void_p * 8)()
        count = ctypes.c_int()
        query(8, found, ctypes.byref(count))
        return [ctypes.c_void_p(found[k]) for k in range(count.value)]

    def make_current(self) -> None:
        """Make it current on the calling thread.

        Raises `GraphicsError` for example on a thread where a window's context is current.
        """
        self._egl.eglBindAPI(_OPENGL_API)
        if not self._egl.eglMakeCurrent(self._display, None, None, self._context):
            raise GraphicsError(
                f"EGL cannot use its context on this thread (error {self._egl.eglGetError():#x})"
            )

    def close(self) -> None:
        """Give the context back. The display stays: EGL shares it with whoever else uses it in this process."""
        if self._context is not None:
            self._egl.eglMakeCurrent(self._display, None, None, None)
            self._egl.eglDestroyContext(self._display, self._context)
            self._context = None
