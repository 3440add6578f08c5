"""Identification of runs: by all scene values, the code that computes them, and the measures."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable
from functools import cache
from importlib import metadata
from pathlib import Path

from snakestudio import _version, processor
from snakestudio.kernels._cache import source_hash
from snakestudio.kinds.plugin_kinds import plugins_in_use
from snakestudio.model.scene import Scene
from snakestudio.plugins.loaded import loaded

_PACKAGE = Path(__file__).resolve().parent.parent
_COMPUTING = (
    "control",
    "model",
    "kinds",
    "plugins",
    "session",
    "analysis/signals",
    "analysis/fitting",
    "study/evaluate.py",
    "study/goals.py",
)
"""Folders and files, in addition to engines and kernels, that affect the results and the measures of a
scene."""


_MEASURING = ("reduction", "filter", "quantity")
"""Roles of plug-in kinds that measures can use."""


@cache
def code_hash() -> str:
    """Return the hash of all code that computes a run and of the target processor: equal hashes mean equal bits."""
    digest = hashlib.sha256(source_hash().encode())
    for relative in _COMPUTING:
        part = _PACKAGE / relative
        for path in [part] if os.path.isfile(part) else sorted(part.rglob("*.py")):
            digest.update(
                path.relative_to(_PACKAGE).as_posix().encode() + b"\0" + path.read_bytes()
            )
    target = processor.target()
    parts = [
        _version.__version__,
        *(metadata.version(name) for name in ("numba", "numpy", "scipy")),
    ]
    parts += [target.name, processor.processor_hash() if target.tuned else ""]
    digest.update("|".join(parts).encode())
    return digest.hexdigest()[:32]


def study_hash(measures: Iterable[str], files: dict[str, bytes]) -> str:
    """Hash of everything that the runs of a study share: the code, the measures and the files of the scene."""
    digest = hashlib.sha256(code_hash().encode())
    for text in measures:
        digest.update(text.encode() + b"\0")
    for name in sorted(files):
        digest.update(name.encode() + b"\0" + hashlib.sha256(files[name]).digest())
    for plugin in loaded():
        if any(role in _MEASURING for role, _ in plugin.adds):
            digest.update(plugin.digest.encode())
    return digest.hexdigest()


def run_key(shared: str, scene: Scene) -> str:
    """Return the key of a run of `scene`, given the `study_hash` of its study."""
    plugins = "".join(plugin.digest for plugin in plugins_in_use(scene))
    return hashlib.sha256((shared + plugins + scene.model_dump_json()).encode()).hexdigest()[:40]
