"""By what a run is known: its scene to the last value, the code that computes it, and what is measured of it."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from functools import cache
from importlib import metadata
from pathlib import Path

from snakestudio import _version, processor
from snakestudio.kernels._cache import source_hash
from snakestudio.model.scene import Scene

__all__ = ["code_hash", "run_key", "study_hash"]

_PACKAGE = Path(__file__).resolve().parent.parent
_COMPUTING = (
    "control", "model", "kinds", "session", "analysis/signals", "analysis/fitting", "study/evaluate.py",
    "study/goals.py",
)  # fmt: skip
"""Folders and files: what lies beside engines and kernels between a scene and its numbers, and between these and what
is measured."""


@cache
def code_hash() -> str:
    """Hash of all code that computes a run, and of the processor it computes for: the same hash, the same bits."""
    digest = hashlib.sha256(source_hash().encode())
    for place in _COMPUTING:
        part = _PACKAGE / place
        for path in [part] if part.is_file() else sorted(part.rglob("*.py")):
            digest.update(path.relative_to(_PACKAGE).as_posix().encode() + b"\0" + path.read_bytes())
    wanted = processor.target()
    parts = [_version.__version__, *(metadata.version(name) for name in ("numba", "numpy", "scipy"))]
    parts += [wanted.name, processor.processor_hash() if wanted.tuned else ""]
    digest.update("|".join(parts).encode())
    return digest.hexdigest()[:32]


def study_hash(measures: Iterable[str], files: dict[str, bytes]) -> str:
    """Hash of what all runs of a study share: the code, what is measured, and the files that the scene names."""
    digest = hashlib.sha256(code_hash().encode())
    for text in measures:
        digest.update(text.encode() + b"\0")
    for name in sorted(files):
        digest.update(name.encode() + b"\0" + hashlib.sha256(files[name]).digest())
    return digest.hexdigest()


def run_key(shared: str, scene: Scene) -> str:
    """The key of a run of `scene`, for the `study_hash` of its study."""
    return hashlib.sha256(shared.encode() + scene.model_dump_json().encode()).hexdigest()[:40]
