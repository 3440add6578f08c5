"""Which processor the program computes for: a stated baseline, so that a run has the same bits everywhere, or this one.

Compiled kernels and the libraries below them (numpy, OpenBLAS) would each take what the processor
at hand does best, and round differently on another one. For the baseline all of them are held to
it; numpy and OpenBLAS by variables that they read when they are loaded, hence `hold_libraries` at
the import of the package. Nothing here loads them.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import platform
import re
import sys
from functools import cache
from typing import NamedTuple

_VARIABLE = "SNAKESTUDIO_PROCESSOR"

BASELINE = "x86-64-v3"
"""Processors that the compiled code which comes with the program is for: those of the last ten
years (AVX2, FMA)."""

_BASELINE_FLAGS = {
    "abm",
    "avx",
    "avx2",
    "bmi1",
    "bmi2",
    "cx16",
    "f16c",
    "fma",
    "lahf_lm",
    "movbe",
    "popcnt",
    "sse4_1",
    "sse4_2",
    "ssse3",
    "xsave",
}
"""What the baseline needs, as Linux calls it."""

_HELD = {
    # Newer instructions that numpy has code of its own for.
    "NPY_DISABLE_CPU_FEATURES": "X86_V4 AVX512_ICL AVX512_SPR",
    # Processors that have AVX2 and FMA and nothing newer.
    "OPENBLAS_CORETYPE": "Haswell",
}


class Target(NamedTuple):
    """What code is compiled for."""

    name: str
    """As runs say it: the baseline's name, or the processor's."""

    tuned: bool
    """Whether that is the processor at hand, so that the code fits no other one."""


@cache
def identify() -> tuple[str, frozenset[str]]:
    """Name of the processor, and what it can do where the system tells that."""
    with contextlib.suppress(OSError), open("/proc/cpuinfo", errors="replace") as file:
        text = file.read(16384)  # the first of possibly hundreds of cores
        name = re.search(r"^model name\s*:\s*(.+)$", text, re.MULTILINE)
        flags = re.search(r"^flags\s*:\s*(.+)$", text, re.MULTILINE)
        if flags:
            return (name[1].strip() if name else platform.machine()), frozenset(flags[1].split())
    return platform.processor() or platform.machine(), frozenset()


def processor_name() -> str:
    """What the processor calls itself."""
    return identify()[0]


def processor_hash() -> str:
    """A short text that tells processors apart."""
    name, flags = identify()
    return hashlib.sha256(" ".join([name, *sorted(flags)]).encode()).hexdigest()[:8]


@cache
def has_baseline() -> bool:
    """Whether the processor runs code for the baseline."""
    if platform.machine().lower() not in ("x86_64", "amd64"):
        return False
    if sys.platform == "win32":
        import ctypes

        # PF_AVX2_INSTRUCTIONS_AVAILABLE; every processor with AVX2 has the rest of the baseline.
        return bool(ctypes.windll.kernel32.IsProcessorFeaturePresent(40))
    return identify()[1] >= _BASELINE_FLAGS


def target() -> Target:
    """What this process computes for: the baseline, unless ``SNAKESTUDIO_PROCESSOR`` is "native" or it cannot run."""
    if os.environ.get(_VARIABLE) != "native" and has_baseline():
        return Target(BASELINE, tuned=False)
    return Target(processor_name(), tuned=True)


def problem() -> str:
    """What is wrong with ``SNAKESTUDIO_PROCESSOR``, and what to do; empty if nothing is."""
    value = os.environ.get(_VARIABLE, "")
    if value in ("", "baseline", "native"):
        return ""
    return f'SNAKESTUDIO_PROCESSOR must be "baseline" or "native" (got "{value}"). Correct it, or unset it.'


def hold_libraries() -> None:
    """Hold numpy and OpenBLAS, which are about to be loaded, to the baseline if this process computes for it.

    Processes that it starts inherit that. Variables that are set already stay.
    """
    # Where the system does not report what the processor can do, finding out would load a library
    # at every start.
    if identify()[1] and not target().tuned:
        for name, value in _HELD.items():
            os.environ.setdefault(name, value)


def numpy_is_held() -> bool:
    """Whether numpy uses no instruction beyond the baseline."""
    if "avx512f" not in identify()[1]:
        return True
    numpy = sys.modules.get("numpy")
    if numpy is None:
        return os.environ.get("NPY_DISABLE_CPU_FEATURES") == _HELD["NPY_DISABLE_CPU_FEATURES"]
    features = getattr(getattr(numpy, "_core", None), "_multiarray_umath", None)
    return not getattr(features, "__cpu_features__", {}).get("X86_V4", True)


def computed_for() -> str:
    """What the results of this process were computed for, as the headers of runs say it."""
    now = target()
    if now.tuned:
        return f"tuned for {now.name}"
    if not numpy_is_held():
        # It was loaded before SnakeStudio was.
        return f"{now.name}, numpy for {processor_name()}"
    return now.name
