"""Which processor the program computes for: a stated baseline, so that a run has the same bits everywhere, or this one.

Compiled kernels and the libraries below them (numpy, OpenBLAS) would each take what the processor at hand does best,
and round differently on another one. For the baseline all of them are held to it; numpy and OpenBLAS by variables that
they read when they are loaded, hence `hold_libraries` at the import of the package. Nothing here loads them.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import platform
import re
import sys
from functools import cache
from pathlib import Path
from typing import NamedTuple

from snakestudio import paths

__all__ = [
    "BASELINE",
    "Target",
    "chosen",
    "computed_for",
    "environment_for",
    "given",
    "has_baseline",
    "has_wider_vectors",
    "hold_libraries",
    "note_told",
    "processor_hash",
    "processor_name",
    "target",
    "tune",
    "was_told",
]

_VARIABLE = "SNAKESTUDIO_PROCESSOR"

BASELINE = "x86-64-v3"
"""Processors that the compiled code which comes with the program is for: those of the last ten years (AVX2, FMA)."""

_BASELINE_FLAGS = {
    "abm", "avx", "avx2", "bmi1", "bmi2", "cx16", "f16c", "fma", "lahf_lm", "movbe", "popcnt", "sse4_1", "sse4_2",
    "ssse3", "xsave",
}  # fmt: skip
"""What the baseline needs, as Linux calls it."""

_HELD = {
    # Newer instructions that numpy has code of its own for.
    "NPY_DISABLE_CPU_FEATURES": "X86_V4 AVX512_ICL AVX512_SPR",
    # Processors that have AVX2 and FMA and nothing newer.
    "OPENBLAS_CORETYPE": "Haswell",
}


class Target(NamedTuple):
    """What code is compiled for.

    Attributes
    ----------
    name : str
        As runs say it: the baseline's name, or the processor's.
    tuned : bool
        Whether that is the processor at hand, so that the code fits no other one.
    """

    name: str
    tuned: bool


@cache
def _processor() -> tuple[str, frozenset[str]]:
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
    return _processor()[0]


def processor_hash() -> str:
    """A short text that tells processors apart."""
    name, flags = _processor()
    return hashlib.sha256(" ".join([name, *sorted(flags)]).encode()).hexdigest()[:8]


def has_wider_vectors() -> bool:
    """Whether the processor has instructions beyond the baseline that kernels would gain from (AVX-512)."""
    return "avx512f" in _processor()[1]


@cache
def has_baseline() -> bool:
    """Whether the processor runs code for the baseline."""
    if platform.machine().lower() not in ("x86_64", "amd64"):
        return False
    if sys.platform == "win32":
        import ctypes

        # PF_AVX2_INSTRUCTIONS_AVAILABLE; every processor with AVX2 has the rest of the baseline.
        return bool(ctypes.windll.kernel32.IsProcessorFeaturePresent(40))
    return _processor()[1] >= _BASELINE_FLAGS


def _tuned_mark() -> Path:
    return paths.kernels_dir() / f"tuned-for-{processor_hash()}"


def _told_mark() -> Path:
    return paths.kernels_dir() / f"told-of-tuning-{processor_hash()}"


def target() -> Target:
    """What this process computes for.

    ``SNAKESTUDIO_PROCESSOR`` ("baseline" or "native") goes before what was chosen with `tune`.
    """
    wanted = os.environ.get(_VARIABLE, "")
    if wanted != "native" and (wanted == "baseline" or not chosen()) and has_baseline():
        return Target(BASELINE, tuned=False)
    return Target(processor_name(), tuned=True)


def chosen() -> bool:
    """Whether it was chosen with `tune` to compute for this very processor."""
    return _tuned_mark().is_file()


_given = ""


def given() -> str:
    """What ``SNAKESTUDIO_PROCESSOR`` said when this process began; empty if nothing, so that the choice holds."""
    return _given


def tune(on: bool) -> None:
    """Compute for this very processor from the next start on, or for the baseline again.

    Raises
    ------
    OSError
        If the choice cannot be kept.
    """
    mark = _tuned_mark()
    if on:
        mark.parent.mkdir(parents=True, exist_ok=True)
        mark.touch()
    else:
        mark.unlink(missing_ok=True)


def was_told() -> bool:
    """Whether somebody has been told that computing for this very processor may be faster."""
    return _told_mark().is_file()


def note_told() -> None:
    """Somebody has been told.

    Raises
    ------
    OSError
        If that cannot be kept.
    """
    mark = _told_mark()
    mark.parent.mkdir(parents=True, exist_ok=True)
    mark.touch()


def hold_libraries() -> None:
    """Hold this process and those that it starts to one target.

    What is chosen while it goes on changes nothing in it then: a run is not begun for one target and helped by
    processes of another. numpy and OpenBLAS, which are about to be loaded, compute for the baseline, too; what somebody
    has set stays.
    """
    global _given
    _given = os.environ.get(_VARIABLE, "")
    if not _given:
        os.environ[_VARIABLE] = "native" if chosen() else "baseline"
    # Where the system does not say what the processor can do, it is not found out by loading a library at every start.
    if _processor()[1] and not target().tuned:
        for name, value in _HELD.items():
            os.environ.setdefault(name, value)


def environment_for(tuned: bool) -> dict[str, str]:
    """Environment of a process that computes for this very processor or for the baseline, whatever this one does."""
    environment = {name: text for name, text in os.environ.items() if _HELD.get(name) != text}
    return {**environment, _VARIABLE: "native" if tuned else "baseline"}


def _numpy_is_held() -> bool:
    """Whether numpy uses no instruction beyond the baseline."""
    if not has_wider_vectors():
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
    if not _numpy_is_held():
        # It was loaded before SnakeStudio was.
        return f"{now.name}, numpy for {processor_name()}"
    return now.name
