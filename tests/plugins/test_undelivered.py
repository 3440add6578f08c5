"""Cancelling code that has already ended leaves nothing behind in the interpreter."""

from __future__ import annotations

import ctypes
import sys
import threading

from snakestudio.plugins.faults import cancel


def test_late_cancellation_leaves_profiling_intact() -> None:
    go_on = threading.Event()
    done = threading.Event()
    late = threading.Thread(target=go_on.wait)
    late.start()
    assert late.ident is not None
    ctypes.pythonapi.PyThreadState_SetAsyncExc(
        ctypes.c_ulong(late.ident), ctypes.py_object(KeyError)
    )
    assert cancel(late.ident)
    go_on.set()
    late.join()

    def profiled() -> None:
        sys.setprofile(lambda *_: None)
        (lambda: None)()
        sys.setprofile(None)
        done.set()

    threading.Thread(target=profiled, daemon=True).start()
    assert done.wait(20.0)
