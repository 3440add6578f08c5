"""Folders of compiled code. This module does not load the compiler, so that queries are fast.

Compiled code is either bundled with the program (a wheel or bundle for one version of Python) or
stored in the user's cache folder, for all checkouts and environments. The name of a folder contains
a hash of everything that the code depends on, and does not depend on where the program is
installed.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import platform
import shutil
import sys
import time
from functools import cache
from importlib import metadata
from pathlib import Path

from snakestudio import processor
from snakestudio.paths import compiled_kernels_dir, kernels_dir, temporary_dir, why_unwritable

_PACKAGE = Path(__file__).resolve().parent.parent
_ENVIRONMENT = (
    "NUMBA_BOUNDSCHECK",
    "NUMBA_CPU_FEATURES",
    "NUMBA_CPU_NAME",
    "NUMBA_DEBUGINFO",
    "NUMBA_LOOP_VECTORIZE",
    "NUMBA_OPT",
    "NUMBA_SLP_VECTORIZE",
)
"""Environment variables that change compiled code."""

_COMPILABLE = Path("model", "compilable.py")
"""Module of another package that is compiled although it must not load the compiler."""

TESTED = "0.68."
"""Versions of numba whose internals `_compiler` supports. With any other version, numba's own
compilation and cache are used."""


def _sources() -> list[tuple[str, bytes]]:
    """All sources that compiled code may depend on: every file of both packages, even those with constants only."""
    return sorted(
        (path.relative_to(_PACKAGE).as_posix(), path.read_bytes())
        for folder in ("kernels", "engines")
        for path in (_PACKAGE / folder).rglob("*.py")
    )


@cache
def source_hash() -> str:
    """Hash of the sources that compiled code depends on."""
    digest = hashlib.sha256()
    sources = _sources()
    if not sources:  # a frozen program without its sources stores the hash of its build
        return (compiled_kernels_dir() / "sources").read_text().strip()
    compilable = [
        (path.name, path.read_bytes()) for path in [_PACKAGE / _COMPILABLE] if path.is_file()
    ]
    for name, text in sources + compilable:
        digest.update(f"{name}\0{len(text)}\0".encode() + text)
    return digest.hexdigest()


def _key() -> str:
    """Name of the folder of code compiled from the current sources for the current target."""
    target = processor.target()
    parts = [
        metadata.version("numba"),
        metadata.version("llvmlite"),
        sys.platform,
        platform.machine(),
        source_hash(),
    ]
    parts += [f"{name}={os.environ.get(name, '')}" for name in _ENVIRONMENT]
    if target.tuned:
        parts.append(processor.processor_hash())
    digest = hashlib.sha256("|".join(parts).encode()).hexdigest()[:16]
    return f"{sys.implementation.cache_tag or 'python'}-{'tuned' if target.tuned else target.name}-{digest}"


_trouble = ""


def cache_trouble() -> str:
    """Why compiled code is not stored in its usual folder; empty if it is."""
    return _trouble


def note_cache_trouble(reason: str) -> None:
    """Record the first reason why compiled code could not be stored."""
    global _trouble
    _trouble = _trouble or reason


@cache
def _writable(folder: Path) -> bool:
    reason = why_unwritable(folder)
    if reason:
        note_cache_trouble(f"compiled code cannot be saved in {folder} ({reason})")
    return not reason


def _cache_root() -> Path:
    """Folder of all compiled code of this user; a temporary one if it cannot be written."""
    folder = kernels_dir()
    return folder if _writable(folder) else temporary_dir() / "kernels"


def compile_cache() -> Path:
    """Folder for newly compiled code; created if missing."""
    folder = _cache_root() / _key()
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def compiled_folders() -> tuple[Path, ...]:
    """Folders with compiled code: the one bundled with the program, and that of code compiled on this machine."""
    return compiled_kernels_dir() / _key(), compile_cache()


def was_compiled(kind: str) -> bool:
    """Whether all code of an engine is already compiled."""
    folders = compiled_folders()
    for folder in folders:
        with contextlib.suppress(OSError):
            names = (folder / f"{kind}.warm").read_text().split()
            return all(any((other / name).is_file() for other in folders) for name in names)
    return False


def mark_compiled(kind: str, names: list[str]) -> None:
    """Record that an engine needs exactly the files `names`."""
    with contextlib.suppress(OSError):
        (compile_cache() / f"{kind}.warm").write_text("\n".join(sorted(names)) + "\n")


def remove_old_code(days: float = 30.0) -> None:
    """Remove folders of other sources that are unused for some days, because every update leaves megabytes."""
    present = compile_cache()
    before = time.time() - 86400 * days
    with contextlib.suppress(OSError):
        os.utime(present)  # marks it as used, for the clean-up of other checkouts
        for folder in present.parent.iterdir():
            if folder != present and folder.is_dir() and folder.stat().st_mtime < before:
                shutil.rmtree(folder, ignore_errors=True)


def jit_disabled() -> bool:
    """Whether the kernels run as plain Python (``NUMBA_DISABLE_JIT=1``)."""
    return os.environ.get("NUMBA_DISABLE_JIT", "0") not in ("", "0")
