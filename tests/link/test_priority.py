"""Priority and timer settings of the link, read back from the operating system."""

from __future__ import annotations

import ctypes
import platform
import struct
import sys
import threading

import pytest

from snakestudio.link.process import priority

_SCHED_GETATTR = {"x86_64": 315, "aarch64": 275, "riscv64": 275}
_KERNEL = tuple(
    int(part) for part in platform.release().split("-")[0].split(".")[:2] if part.isdecimal()
)


@pytest.mark.skipif(
    sys.platform != "linux" or platform.machine() not in _SCHED_GETATTR or _KERNEL < (6, 12),
    reason="ordinary threads have turns of their own length from Linux 6.12 on",
)
def test_ordinary_thread_gets_short_time_slices(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(priority.WANTED, "normal")
    slices: list[int] = []

    def ask() -> None:
        assert "normal, as requested" in priority.raise_priority()
        attributes = ctypes.create_string_buffer(48)
        ctypes.CDLL(None).syscall(_SCHED_GETATTR[platform.machine()], 0, attributes, 48, 0)
        slices.append(struct.unpack("=IIQiIQQQ", attributes.raw)[5])

    thread = threading.Thread(target=ask)
    thread.start()
    thread.join()
    assert slices == [100_000]  # ns
