"""Where compiled code is kept between starts; does not load the compiler, so that asking costs nothing.

It may come with the program (a wheel or bundle for one version of Python) and is else kept in the
user's cache folder, for every checkout and environment alike: a folder's name carries a hash of all
that the code depends on, and nothing of where the program lies.
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
"""What changes compiled code without changing a source."""

_COMPILABLE = Path("model", "compilable.py")
"""What is compiled of another package, which must not load the compiler."""

TESTED = "0.68."
"""Versions of numba whose inner parts are as `_compiler` takes them; any other compiles functions
in its own way."""


def _sources() -> list[tuple[str, bytes]]:
    """All that compiled code may depend on: every file of both packages, those of constants alone, too."""
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
    if not sources:  # a frozen program without its sources knows what it was built from
        return (compiled_kernels_dir() / "sources").read_text().strip()
    compilable = [
        (path.name, path.read_bytes()) for path in [_PACKAGE / _COMPILABLE] if path.is_file()
    ]
    for name, text in sources + compilable:
        digest.update(f"{name}\0{len(text)}\0".encode() + text)
    return digest.hexdigest()


def _key() -> str:
    """Name of the folder of code compiled from the present sources for the present target."""
    wanted = processor.target()
    parts = [
        metadata.version("numba"),
        metadata.version("llvmlite"),
        sys.platform,
        platform.machine(),
        source_hash(),
    ]
    parts += [f"{name}={os.environ.get(name, '')}" for name in _ENVIRONMENT]
    if wanted.tuned:
        parts.append(processor.processor_hash())
    digest = hashlib.sha256("|".join(parts).encode()).hexdigest()[:16]
    return f"{sys.implementation.cache_tag or 'python'}-{'tuned' if wanted.tuned else wanted.name}-{digest}"


_trouble = ""


def cache_trouble() -> str:
    """Why compiled code is not kept where it should be; empty if it is."""
    return _trouble


def note_cache_trouble(reason: str) -> None:
    """Remember the first reason why compiled code could not be kept."""
    global _trouble
    _trouble = _trouble or reason


@cache
def _writable(folder: Path) -> bool:
    reason = why_unwritable(folder)
    if reason:
        note_cache_trouble(f"compiled code cannot be kept in {folder} ({reason})")
    return not reason


def _kept_in() -> Path:
    """Folder of all compiled code of this user; where it cannot be written, a temporary one."""
    folder = kernels_dir()
    return folder if _writable(folder) else temporary_dir() / "kernels"


def compile_cache() -> Path:
    """Folder that newly compiled code goes to; made if missing."""
    folder = _kept_in() / _key()
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def compiled_folders() -> tuple[Path, ...]:
    """Folders to look for compiled code in: what comes with the program, and what was compiled on this machine."""
    return compiled_kernels_dir() / _key(), compile_cache()


def was_compiled(kind: str) -> bool:
    """Whether all code of an engine is there, compiled."""
    folders = compiled_folders()
    for folder in folders:
        with contextlib.suppress(OSError):
            names = (folder / f"{kind}.warm").read_text().split()
            return all(any((other / name).is_file() for other in folders) for name in names)
    return False


def mark_compiled(kind: str, names: list[str]) -> None:
    """Note that the files `names` are all that an engine needs."""
    with contextlib.suppress(OSError):
        (compile_cache() / f"{kind}.warm").write_text("\n".join(sorted(names)) + "\n")


def forget_old_code(days: float = 30.0) -> None:
    """Remove what was compiled from other sources and has not been used for a while: every update leaves megabytes."""
    present = compile_cache()
    before = time.time() - 86400 * days
    with contextlib.suppress(OSError):
        os.utime(present)  # used today: another checkout's sweep shall see it
        for folder in present.parent.iterdir():
            if folder != present and folder.is_dir() and folder.stat().st_mtime < before:
                shutil.rmtree(folder, ignore_errors=True)


def jit_disabled() -> bool:
    """Whether the kernels run as plain Python (``NUMBA_DISABLE_JIT=1``)."""
    return os.environ.get("NUMBA_DISABLE_JIT", "0") not in ("", "0")
