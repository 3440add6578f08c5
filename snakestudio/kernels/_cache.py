"""Where compiled code is kept between starts; does not load the compiler, so that asking costs nothing.

numba does not notice that a function in another file, which a cached function calls, has changed. So the cache folder
carries a hash of all sources with compiled code.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import sys
import time
from importlib import metadata
from pathlib import Path

from snakestudio.paths import cache_dir

__all__ = ["compile_cache", "forget_old_code", "jit_disabled"]

_PACKAGE = Path(__file__).resolve().parent.parent
_ENVIRONMENT = ("NUMBA_BOUNDSCHECK", "NUMBA_OPT", "NUMBA_DEBUGINFO", "NUMBA_CPU_NAME", "NUMBA_CPU_FEATURES")

_COMPILED = (b"@jit", b"@inlined", b"(NamedTuple)", b"numba.njit")
"""What tells a source that compiled code depends on; constants of kernels must stand in one of these, too."""


def _source_hash() -> str:
    """Hash of everything that compiled code depends on."""
    digest = hashlib.sha256()
    for part in (metadata.version("numba"), metadata.version("numpy"), sys.version, sys.platform):
        digest.update(part.encode() + b"\0")
    # numba's own key does not contain these, although they change the code.
    for name in _ENVIRONMENT:
        digest.update(f"{name}={os.environ.get(name, '')}\0".encode())
    found = False
    for path in (path for folder in ("kernels", "engines") for path in sorted((_PACKAGE / folder).rglob("*.py"))):
        found = True
        source = path.read_bytes()
        if any(mark in source for mark in _COMPILED):
            digest.update(path.relative_to(_PACKAGE).as_posix().encode() + b"\0" + source + b"\0")
    if not found:  # a frozen program has no sources beside it
        stamp = os.stat(sys.executable)
        digest.update(f"{stamp.st_size} {stamp.st_mtime_ns}".encode())
    return digest.hexdigest()[:16]


def compile_cache() -> Path:
    """Folder of the code compiled from the present sources; made if missing."""
    folder = cache_dir() / "numba" / _source_hash()
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def forget_old_code(days: float = 30.0) -> None:
    """Remove what was compiled from other sources and has not been used for a while: every update leaves megabytes."""
    present = compile_cache()
    before = time.time() - 86400 * days
    for folder in present.parent.iterdir():
        if folder != present and folder.is_dir() and folder.stat().st_mtime < before:
            shutil.rmtree(folder, ignore_errors=True)


def jit_disabled() -> bool:
    """Whether the kernels run as plain Python (``NUMBA_DISABLE_JIT=1``)."""
    return os.environ.get("NUMBA_DISABLE_JIT", "0") not in ("", "0")
