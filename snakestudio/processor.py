"""Target processor of computations: a fixed baseline, so that runs have the same bits everywhere, or this processor.

Compiled kernels and the libraries below them (numpy, OpenBLAS) would each use the best instructions
of this processor, and round differently on another one. For the baseline all of them are restricted
to it; numpy and OpenBLAS by variables that they read on loading, so that the package calls
`hold_libraries` when it is imported. Nothing here loads them.
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
"""Processors supported by the bundled compiled code: those of the last ten years (AVX2, FMA)."""


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
"""Features of the baseline, by their names in Linux."""

_HELD = {
    # Newer instructions for which numpy has special code.
    "NPY_DISABLE_CPU_FEATURES": "X86_V4 AVX512_ICL AVX512_SPR",
    # Processors with AVX2 and FMA but nothing newer.
    "OPENBLAS_CORETYPE": "Haswell",
}


class Target(NamedTuple):
    """Target of code compilation."""

    name: str
    """Name in the metadata of runs: that of the baseline, or of the processor."""

    tuned: bool
    """Whether the target is this processor, so that the code may not run on others."""


@cache
def identify() -> tuple[str, frozenset[str]]:
    """Return the name of the processor, and its features if the system reports them."""
    with contextlib.suppress(OSError), open("/proc/cpuinfo", errors="replace") as file:
        text = file.read(16384)  # the first of up to hundreds of cores
        name = re.search(r"^model name\s*:\s*(.+)$", text, re.MULTILINE)
        flags = re.search(r"^flags\s*:\s*(.+)$", text, re.MULTILINE)
        if flags:
            return (name[1].strip() if name else platform.machine()), frozenset(flags[1].split())
    return platform.processor() or platform.machine(), frozenset()


def processor_name() -> str:
    """Return the name that the processor reports."""
    return identify()[0]


def processor_hash() -> str:
    """Return the short text that identifies the processor model."""
    name, flags = identify()
    return hashlib.sha256(" ".join([name, *sorted(flags)]).encode()).hexdigest()[:8]


@cache
def has_baseline() -> bool:
    """Return whether the processor can run code for the baseline."""
    if platform.machine().lower() not in ("x86_64", "amd64"):
        return False
    if sys.platform == "win32":
        import ctypes

        # PF_AVX2_INSTRUCTIONS_AVAILABLE; every processor with AVX2 has the rest of the baseline.
        return bool(ctypes.windll.kernel32.IsProcessorFeaturePresent(40))
    return identify()[1] >= _BASELINE_FLAGS


def target() -> Target:
    """Target of this process: the baseline, unless ``SNAKESTUDIO_PROCESSOR`` is "native" or it is not supported."""
    if os.environ.get(_VARIABLE) != "native" and has_baseline():
        return Target(BASELINE, tuned=False)
    return Target(processor_name(), tuned=True)


def problem() -> str:
    """Return the problem with ``SNAKESTUDIO_PROCESSOR``, and remedy, or ""."""
    value = os.environ.get(_VARIABLE, "")
    if value in ("", "baseline", "native"):
        return ""
    return f'SNAKESTUDIO_PROCESSOR must be "baseline" or "native" (got "{value}"). Correct it, or unset it.'


def hold_libraries() -> None:
    """Restrict numpy and OpenBLAS, which are about to be loaded, to the baseline if it is the target.

    Child processes inherit the restriction. Variables that are already set are unchanged.
    """
    # If the system does not report the processor's features, detecting them would load a library at
    # every start.
    if identify()[1] and not target().tuned:
        for name, value in _HELD.items():
            os.environ.setdefault(name, value)


def use_one_thread() -> None:
    """Restrict OpenBLAS, which is about to be loaded, to one thread.

    All matrices are small, so that its threads wait for each other most of the time: on a machine whose
    cores are busy, a system of two equations takes a thousand times as long. Child processes inherit the
    restriction. A variable that is already set is unchanged.
    """
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")


def numpy_is_held() -> bool:
    """Return whether numpy uses no instructions beyond the baseline."""
    if "avx512f" not in identify()[1]:
        return True
    numpy = sys.modules.get("numpy")
    if numpy is None:
        return os.environ.get("NPY_DISABLE_CPU_FEATURES") == _HELD["NPY_DISABLE_CPU_FEATURES"]
    features = getattr(getattr(numpy, "_core", None), "_multiarray_umath", None)
    return not getattr(features, "__cpu_features__", {}).get("X86_V4", True)


def computed_for() -> str:
    """Return the target of the results of this process, for the headers of runs."""
    now = target()
    if now.tuned:
        return f"tuned for {now.name}"
    if not numpy_is_held():
        # It was loaded before SnakeStudio.
        return f"{now.name}, numpy for {processor_name()}"
    return now.name
