"""Ask the operating system to let this process run before others, and say what it granted.

The link has one short thing to do at an exact moment, a hundred times a second, beside programs
that compute without a pause. Every call here may be refused; then the link works all the same, less
exactly.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import platform
import struct
import sys

WANTED = "SNAKESTUDIO_LINK_PRIORITY"
"""Environment variable that limits what is asked for: "real-time" (the default), "nice" or
"normal"."""

_FIFO = 50
"""Above everything ordinary, below the kernel's own interrupt threads (which have 50 and more from
drivers' side)."""
_NICE = (-15, -10, -5)

_MCL_CURRENT = 1
_MCL_FUTURE = 2
_MCL_ONFAULT = 4
_PR_SET_TIMERSLACK = 29
_SCHED_SETATTR = {"x86_64": 314, "aarch64": 274, "riscv64": 274}
_TURN_NS = 100_000
"""The shortest that there is."""


def raise_priority() -> str:
    """Get as much priority as there is, for this thread and those it starts from now on; for the link.

    Returns
    -------
    str
        What was granted: "SCHED_FIFO 50, memory locked", "nice -15", "normal" ...
    """
    wanted = os.environ.get(WANTED, "real-time")
    if wanted == "normal":
        _short_turns()
        return "normal, as asked for"
    if sys.platform == "win32":
        return _windows()
    if sys.platform == "darwin":
        return _mac()
    granted = (_real_time(_FIFO) if wanted == "real-time" else "") or _nice(_NICE) or "normal"
    _exact_timers()
    _short_turns()
    return f"{granted}, memory locked" if _lock_memory() else granted


def raise_below_link(*, computes: bool) -> str:
    """Get a priority one step below the link's: for a robot that is emulated, and for who drives without a window.

    Parameters
    ----------
    computes : bool
        Whether it may compute without a pause: it then gets none that would keep all ordinary
        programs from running.

    Returns
    -------
    str
        What was granted; "normal" on Windows and macOS, where nothing is asked for.
    """
    wanted = os.environ.get(WANTED, "real-time")
    if wanted == "normal" or sys.platform in ("win32", "darwin"):
        return "normal"
    real_time = wanted == "real-time" and not computes
    granted = (_real_time(_FIFO - 1) if real_time else "") or _nice(_NICE[1:]) or "normal"
    _exact_timers()
    return granted


def _real_time(level: int) -> str:
    if sys.platform != "linux":
        return ""
    # All threads of the process get it: one that holds the interpreter's lock at a lower priority
    # would hold up all.
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
    """Linux lets the timers of ordinary threads be late by 50 microseconds, to save power."""
    if sys.platform == "linux":
        with contextlib.suppress(OSError, AttributeError):
            ctypes.CDLL(None).prctl(_PR_SET_TIMERSLACK, 1, 0, 0, 0)


def _short_turns() -> None:
    """Linux gives a thread that asks for short turns its turn earlier, before others that compute (from 6.12 on).

    Nobody is refused that: what is asked for is no larger share. Without effect where threads are
    real-time ones.
    """
    number = _SCHED_SETATTR.get(platform.machine())
    if sys.platform != "linux" or number is None or os.sched_getscheduler(0) != os.SCHED_OTHER:
        return
    # struct sched_attr of linux/sched/types.h: of ordinary threads `runtime` is the length of a
    # turn, ns.
    attributes = struct.pack(
        "=IIQiIQQQ", 48, os.SCHED_OTHER, 0, os.getpriority(os.PRIO_PROCESS, 0), 0, _TURN_NS, 0, 0
    )
    with contextlib.suppress(OSError, AttributeError):
        ctypes.CDLL(None).syscall(number, 0, attributes, 0)


def _lock_memory() -> bool:
    """Whether pages that were touched once stay in memory."""
    if sys.platform != "linux":
        return False
    import resource

    soft, _ = resource.getrlimit(resource.RLIMIT_MEMLOCK)
    if soft != resource.RLIM_INFINITY and os.geteuid() != 0:
        return False  # granted now, it would make the next allocation beyond the limit fail
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
        windll.winmm.timeBeginPeriod(1)  # else waits end at multiples of 15.6 ms
        kernel = windll.kernel32
        kernel.GetCurrentProcess.restype = ctypes.c_void_p
        kernel.SetPriorityClass.argtypes = [ctypes.c_void_p, ctypes.c_uint32]
        kernel.GetPriorityClass.argtypes = [ctypes.c_void_p]
        process = kernel.GetCurrentProcess()
        # Without the privilege Windows gives HIGH in place of REALTIME, and says that it was well
        # done.
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
    """`thread_time_constraint_policy` of mach/thread_policy.h, in ticks of mach_absolute_time."""

    _fields_ = (
        ("period", ctypes.c_uint32),
        ("computation", ctypes.c_uint32),
        ("constraint", ctypes.c_uint32),
        ("preemptible", ctypes.c_int),
    )


class _Timebase(ctypes.Structure):
    _fields_ = (("numerator", ctypes.c_uint32), ("denominator", ctypes.c_uint32))


def _mac() -> str:
    """The calling thread's: a share of the processor that is guaranteed, as audio programs ask for it."""
    # THREAD_TIME_CONSTRAINT_POLICY and its size in integers
    policy = 2
    words = 4
    with contextlib.suppress(OSError, AttributeError):
        system = ctypes.CDLL("/usr/lib/libSystem.dylib")
        base = _Timebase()
        system.mach_timebase_info(ctypes.byref(base))
        ticks_per_ms = 1e6 * base.denominator / base.numerator
        asked = _TimeConstraint(
            int(10 * ticks_per_ms), int(2 * ticks_per_ms), int(4 * ticks_per_ms), 1
        )
        system.pthread_self.restype = ctypes.c_void_p
        system.pthread_mach_thread_np.argtypes = [ctypes.c_void_p]
        thread = system.pthread_mach_thread_np(system.pthread_self())
        if system.thread_policy_set(thread, policy, ctypes.byref(asked), words) == 0:
            return "THREAD_TIME_CONSTRAINT_POLICY"
    return _nice(_NICE) or "normal"
