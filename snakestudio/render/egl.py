"""A surfaceless EGL context: OpenGL without any window system.

libEGL is called directly, not through PyOpenGL, which chooses its platform once per process and may
already have chosen that of a window. On one thread either a window's context or an EGL
context can be current, not both; see `offscreen`.
"""

from __future__ import annotations

import ctypes
import ctypes.util
from typing import Any

from snakestudio.errors import GraphicsError

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
        f"Rendering without a window needs EGL, which is not installed on this computer. {_ADVICE}."
    )


class OffscreenContext:
    """An OpenGL 3.3 core context without a display; current on the creating thread until closed.

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
        requested = (ctypes.c_int * 5)(_RENDERABLE_TYPE, _OPENGL_BIT, _SURFACE_TYPE, 0, _NONE)
        egl.eglChooseConfig(self._display, requested, ctypes.byref(config), 1, ctypes.byref(count))
        attributes = (ctypes.c_int * 7)(
            _MAJOR_VERSION, 3, _MINOR_VERSION, 3, _PROFILE_MASK, _CORE_PROFILE_BIT, _NONE
        )
        context = (
            egl.eglCreateContext(self._display, config, None, attributes) if count.value else None
        )
        if not context:
            raise GraphicsError(
                f"EGL does not provide an OpenGL 3.3 context (error {egl.eglGetError():#x}). {_ADVICE}."
            )
        self._context = ctypes.c_void_p(context)
        self.make_current()

    def _open(self) -> ctypes.c_void_p:
        """Open an EGL display without a screen: Mesa's surfaceless platform, else the first graphics device."""
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
        raise GraphicsError(f"EGL on this computer cannot render without a display. {_ADVICE}.")

    def _devices(self) -> list[ctypes.c_void_p]:
        address = self._egl.eglGetProcAddress(b"eglQueryDevicesEXT")
        if not address:
            return []
        query: Any = ctypes.CFUNCTYPE(
            ctypes.c_uint, ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p
        )(address)
        devices = (ctypes.c_void_p * 8)()
        count = ctypes.c_int()
        query(8, devices, ctypes.byref(count))
        return [ctypes.c_void_p(devices[k]) for k in range(count.value)]

    def make_current(self) -> None:
        """Make the context current on the calling thread.

        Raises `GraphicsError`, for example on a thread with the context of a window.
        """
        self._egl.eglBindAPI(_OPENGL_API)
        if not self._egl.eglMakeCurrent(self._display, None, None, self._context):
            raise GraphicsError(
                f"EGL cannot use its context on this thread (error {self._egl.eglGetError():#x})"
            )

    def close(self) -> None:
        """Destroy the context, but not the display, which EGL shares within the process."""
        if self._context is not None:
            self._egl.eglMakeCurrent(self._display, None, None, None)
            self._egl.eglDestroyContext(self._display, self._context)
            self._context = None
