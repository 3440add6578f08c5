"""Exit with 0 if windows can be shown: the X or Wayland server named by the environment answers."""

import ctypes
import os
import socket
import sys


def x11_answers() -> bool:
    """Whether an X server accepts a connection, with the authority file."""
    if not os.environ.get("DISPLAY"):
        return False
    try:
        xcb = ctypes.CDLL("libxcb.so.1")
    except OSError:
        return False  # Qt cannot open a window without it either
    xcb.xcb_connect.restype = ctypes.c_void_p
    xcb.xcb_connect.argtypes = [ctypes.c_char_p, ctypes.c_void_p]
    xcb.xcb_connection_has_error.argtypes = [ctypes.c_void_p]
    xcb.xcb_disconnect.argtypes = [ctypes.c_void_p]
    connection = xcb.xcb_connect(None, None)
    usable = xcb.xcb_connection_has_error(connection) == 0
    xcb.xcb_disconnect(connection)
    return bool(usable)


def wayland_answers() -> bool:
    """Whether the compositor's socket accepts a connection."""
    name = os.environ.get("WAYLAND_DISPLAY")
    if not name:
        return False
    path = os.path.join(os.environ.get("XDG_RUNTIME_DIR", "/"), name)
    try:
        with socket.socket(socket.AF_UNIX) as client:
            client.connect(path)
    except OSError:
        return False
    return True


if __name__ == "__main__":
    native = sys.platform in ("darwin", "win32")
    sys.exit(0 if native or wayland_answers() or x11_answers() else 1)
