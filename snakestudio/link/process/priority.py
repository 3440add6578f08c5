"""Requests to the operating system for a higher priority of this process.

The link has a short task at exact times, a hundred times a second, while other programs compute
without a pause. All requests may be refused; the link then works with less precise timing.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import platform
import struct
import sys

WANTED = "SNAKESTUDIO_LINK_PRIORITY"
"""Environment variable that limits the requested priority: "real-time" (the default), "nice" or
"normal"."""

_FIFO = 50
"""Above all ordinary threads, not above the kernel's interrupt threads (50 and more)."""
_NICE = (-15, -10, -5)

_MCL_CURRENT = 1
_MCL_FUTURE = 2
_MCL_ONFAULT = 4
_PR_SET_TIMERSLACK = 29
_SCHED_SETATTR = {"x86_64": 314, "aarch64": 274, "riscv64": 274}
_TURN_NS = 100_000
"""Shortest possible time slice, ns."""


def raise_priority() -> str:
    """Request the highest priority for this thread and those that it starts later; for the link.

    Returns
    -------
    str
        Granted priority: "SCHED_FIFO 50, memory locked", "nice -15", "normal" ...
    """
    mode = os.environ.get(WANTED, "real-time")
    if mode == "normal":
        _short_turns()
        return "normal, as requested"
    if sys.platform == "win32":
        return _windows()
    if sys.platform == "darwin":
        return _mac()
    granted = (_real_time(_FIFO) if mode == "real-time" else "") or _nice(_NICE) or "normal"
    _exact_timers()
    _short_turns()
    return f"{granted}, memory locked" if _lock_memory() else granted


def raise_below_link(*, computes: bool) -> str:
    """Request a priority one step below the link's: for emulated robots, and for driving without a window.

    Parameters
    ----------
    computes : bool
        Whether the process may compute without a pause: it then gets no priority that would block
        all ordinary programs.

    Returns
    -------
    str
        Granted priority; "normal" on Windows and macOS, where none is requested.
    """
    mode = os.environ.get(WANTED, "real-time")
    if mode == "normal" or sys.platform in ("win32", "darwin"):
        return "normal"
    real_time = mode == "real-time" and not computes
    granted = (_real_time(_FIFO - 1) if real_time else "") or _nice(_NICE[1:]) or "normal"
    _exact_timers()
    return granted


def _real_time(level: int) -> str:
    if sys.platform != "linux":
        return ""
    # All threads of the process get the priority: one that holds the interpreter's lock at a lower
    # priority would block all.
    with contextlib.suppress(OSError):
        os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(level))
        return f"SCHED_FIFO {level}"
    return ""


def _nice(steps: tuple[int, ...]) -> str:
    for niceness in steps:
        with contextlib.suppress(OSError, AttributeError):
            os.setpriority(os.PRIO_PROCESS, 0, niceness)
            return f"nice {niceness}"
    return ""


def _exact_timers() -> None:
    # Linux delays the timers of ordinary threads by up to 50 microseconds to save power.
    if sys.platform == "linux":
        with contextlib.suppress(OSError, AttributeError):
            ctypes.CDLL(None).prctl(_PR_SET_TIMERSLACK, 1, 0, 0, 0)


def _short_turns() -> None:
    # Linux (from 6.12) schedules threads with short time slices earlier than others that compute.
    # This needs no permission because the share does not increase. It has no effect on real-time
    # threads.
    number = _SCHED_SETATTR.get(platform.machine())
    if sys.platform != "linux" or number is None or os.sched_getscheduler(0) != os.SCHED_OTHER:
        return
    # struct sched_attr of linux/sched/types.h: `runtime` is the time slice of ordinary threads, ns.
    attributes = struct.pack(
        "=IIQiIQQQ", 48, os.SCHED_OTHER, 0, os.getpriority(os.PRIO_PROCESS, 0), 0, _TURN_NS, 0, 0
    )
    with contextlib.suppress(OSError, AttributeError):
        ctypes.CDLL(None).syscall(number, 0, attributes, 0)


def _lock_memory() -> bool:
    """Lock pages in memory once they are used; return whether it was granted."""
    if sys.platform != "linux":
        return False
    import resource

    soft, _ = resource.getrlimit(resource.RLIMIT_MEMLOCK)
    if soft != resource.RLIM_INFINITY and os.geteuid() != 0:
        return False  # the next allocation beyond the limit would fail
    try:
        locked: int = ctypes.CDLL(None).mlockall(_MCL_CURRENT | _MCL_FUTURE | _MCL_ONFAULT)
    except (OSError, AttributeError):
        return False
    return locked == 0


def _windows() -> str:
    windll = getattr(ctypes, "windll", None)
    if windll is None:
        return "normal"
    high = 0x80
    real_time = 0x100
    time_critical = 15
    with contextlib.suppress(OSError, AttributeError):
        windll.winmm.timeBeginPeriod(1)  # waits end at multiples of 15.6 ms by default
        kernel = windll.kernel32
        kernel.GetCurrentProcess.restype = ctypes.c_void_p
        kernel.SetPriorityClass.argtypes = [ctypes.c_void_p, ctypes.c_uint32]
        kernel.GetPriorityClass.argtypes = [ctypes.c_void_p]
        process = kernel.GetCurrentProcess()
        # Without the privilege, Windows grants HIGH instead of REALTIME, and reports success.
        kernel.SetPriorityClass(process, real_time)
        granted = kernel.GetPriorityClass(process)
        kernel.GetCurrentThread.restype = ctypes.c_void_p
        kernel.SetThreadPriority.argtypes = [ctypes.c_void_p, ctypes.c_int]
        kernel.SetThreadPriority(kernel.GetCurrentThread(), time_critical)
        return {real_time: "REALTIME_PRIORITY_CLASS", high: "HIGH_PRIORITY_CLASS"}.get(
            granted, "normal"
        )
    return "normal"


class _TimeConstraint(ctypes.Structure):
    """``thread_time_constraint_policy`` of mach/thread_policy.h, in ticks of mach_absolute_time."""

    _fields_ = (
        ("period", ctypes.c_uint32),
        ("computation", ctypes.c_uint32),
        ("constraint", ctypes.c_uint32),
        ("preemptible", ctypes.c_int),
    )


class _Timebase(ctypes.Structure):
    _fields_ = (("numerator", ctypes.c_uint32), ("denominator", ctypes.c_uint32))


def _mac() -> str:
    # A guaranteed share of the processor for the calling thread, as audio programs request it.
    # THREAD_TIME_CONSTRAINT_POLICY and its size in integers
    policy = 2
    count = 4
    with contextlib.suppress(OSError, AttributeError):
        system = ctypes.CDLL("/usr/lib/libSystem.dylib")
        base = _Timebase()
        system.mach_timebase_info(ctypes.byref(base))
        ticks_per_ms = 1e6 * base.denominator / base.numerator
        constraint = _TimeConstraint(
            int(10 * ticks_per_ms), int(2 * ticks_per_ms), int(4 * ticks_per_ms), 1
        )
        system.pthread_self.restype = ctypes.c_void_p
        system.pthread_mach_thread_np.argtypes = [ctypes.c_void_p]
        thread = system.pthread_mach_thread_np(system.pthread_self())
        if system.thread_policy_set(thread, policy, ctypes.byref(constraint), count) == 0:
            return "THREAD_TIME_CONSTRAINT_POLICY"
    return _nice(_NICE) or "normal"
