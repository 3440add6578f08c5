"""All formulations of the dynamics by name; an engine is imported, and numba with it, only when one is made."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from importlib import import_module, metadata
from pathlib import Path
from typing import Any

from snakestudio.engines.base import Engine
from snakestudio.errors import Problem, SceneError
from snakestudio.kernels._cache import cache_trouble, forget_old_code, jit_disabled, mark_compiled, was_compiled
from snakestudio.kinds.reads import Reads, findings, reason
from snakestudio.model.scene import Scene
from snakestudio.paths import compiled_kernels_dir

__all__ = ["check", "create", "is_warm", "kinds", "largest_stable_step", "note", "reads", "unused_reason", "warm_up"]

_FOLDERS = {
    "planar_nonsmooth": "snakestudio.engines.planar_nonsmooth",
    "spatial_nonsmooth": "snakestudio.engines.spatial_nonsmooth",
    "planar_lagrangian": "snakestudio.engines.planar_lagrangian",
    "planar_nonholonomic": "snakestudio.engines.planar_nonholonomic",
    "continuum_beam": "snakestudio.engines.continuum_beam",
}
_CLASSES = {
    "planar_nonsmooth": "engine:PlanarNonsmoothEngine",
    "spatial_nonsmooth": "engine:SpatialNonsmoothEngine",
    "planar_lagrangian": "engine:PlanarLagrangianEngine",
    "planar_nonholonomic": "engine:PlanarNonholonomicEngine",
    "continuum_beam": "engine:ContinuumBeamEngine",
}


def kinds() -> tuple[str, ...]:
    """Names of all formulations, as in `scene.model.kind`."""
    return tuple(_FOLDERS)


def _load(kind: str, where: str) -> Any:
    module, _, name = where.partition(":")
    return getattr(import_module(f"{_FOLDERS[kind]}.{module}"), name)


def check(scene: Scene, base_dir: Path | None = None) -> list[Problem]:
    """What is wrong or doubtful in `scene` for its formulation (does not import numba)."""
    found: list[Problem] = _load(scene.model.kind, "check:check")(scene, base_dir)
    return found + findings(scene, reads())


@cache
def reads() -> Reads:
    """The scene keys that each formulation reads, as it declares them (does not import numba)."""
    return {kind: _load(kind, "check:READS") for kind in _FOLDERS}


def unused_reason(scene: Scene, key: str) -> str:
    """Why the value at `key` has no effect in the scene as it stands, in a few words; "" if it has one."""
    return reason(scene, key, reads())


def largest_stable_step(scene: Scene) -> float:
    """Step up to which the explicit parts of the scene's formulation are stable, s (does not import numba)."""
    step: float = _load(scene.model.kind, "check:largest_stable_step")(scene)
    return step


def create(scene: Scene, base_dir: Path | None = None, *, checked: bool = False) -> Engine:
    """Build the engine of `scene`.

    Parameters
    ----------
    scene : Scene
    base_dir : Path or None
        Folder that file names in the scene are relative to.
    checked : bool
        Whether `check` has just found no error in it: among thousands of obstacles it takes as long as the rest.

    Raises
    ------
    SceneError
        If the scene cannot be run as it stands; lists every mistake.
    """
    errors = [] if checked else [problem for problem in check(scene, base_dir) if problem.severity == "error"]
    if errors:
        raise SceneError("\n".join(problem.sentence() for problem in errors), errors)
    engine: Engine = _load(scene.model.kind, _CLASSES[scene.model.kind])(scene, base_dir)
    return engine


_WARM: set[str] = set()
"""What is known to be compiled."""


def is_warm(kind: str) -> bool:
    """Whether the code of `kind` is compiled, so that making and running an engine does not have to wait for it."""
    if kind not in _WARM and (jit_disabled() or was_compiled(kind)):
        _WARM.add(kind)  # asked at every edit; finding it out reads all sources
    return kind in _WARM


def warm_up(kind: str, progress: Callable[[float, str], None]) -> None:
    """Compile everything `kind` needs and keep it for later starts; takes up to half a minute the first time.

    Parameters
    ----------
    kind : str
    progress : callable
        Called with the fraction done (0 to 1) and what is being done, from the calling thread.

    Raises
    ------
    OSError
        If the compiled code could not be kept.
    """
    progress(0.0, "Loading the compiler")
    from snakestudio.kernels._jit import reporting_compilation, used_files

    parts: int = _load(kind, "warm:PARTS")
    run: Callable[[], None] = _load(kind, "warm:run")

    def report(count: int, doing: str) -> None:
        # What is left after the last one is to optimise all of them together.
        progress(min(0.02 + 0.8 * count / parts, 0.82), doing)

    with reporting_compilation(report):
        run()
    mark_compiled(kind, used_files())
    if not is_warm(kind):
        raise OSError(cache_trouble() or "compiled code that was just kept is not there")
    forget_old_code()
    progress(1.0, "Ready")


def note() -> str:
    """What the user should know of where compiled code is kept or why it is not used, in a sentence; mostly empty."""
    if cache_trouble():
        return (
            f"{cache_trouble()[0].upper()}{cache_trouble()[1:]}: it lasts until the machine starts again at most. "
            "Let that folder be written, or name another one in SNAKESTUDIO_KERNELS_DIR."
        )
    wanted = next((need for need in metadata.requires("snakestudio") or () if need.startswith("numba==")), "")
    found = metadata.version("numba")
    if compiled_kernels_dir().is_dir() and wanted and wanted != f"numba=={found}":
        return (
            f"The engines that came with the program are compiled for {wanted.replace('==', ' ')}, and numba {found} "
            f"is installed: they are compiled here, once. pip install {wanted} lets those be used."
        )
    return ""
