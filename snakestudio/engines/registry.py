"""All formulations of the dynamics by name; an engine is imported, and numba with it, only when one is made."""

from __future__ import annotations

from collections.abc import Callable
from importlib import metadata
from pathlib import Path

from snakestudio.engines.base import Engine
from snakestudio.engines.compiled_arithmetic import (
    ARITHMETIC_PARTS,
    compile_arithmetic,
    use_compiled_arithmetic,
)
from snakestudio.errors import Fix, Problem, SceneError
from snakestudio.kernels._cache import (
    cache_trouble,
    jit_disabled,
    mark_compiled,
    remove_old_code,
    was_compiled,
)
from snakestudio.kinds import plugin_kinds
from snakestudio.kinds.formulation import FORMULATIONS
from snakestudio.kinds.reads import findings
from snakestudio.model.recording import Schema
from snakestudio.model.registry import Unchecked
from snakestudio.model.robot.robot import Robot
from snakestudio.model.scene import Scene
from snakestudio.paths import compiled_kernels_dir
from snakestudio.plugins.faults import calling


def check(scene: Scene, base_dir: Path | None = None) -> list[Problem]:
    """What is wrong or doubtful in `scene` for its formulation (does not import numba)."""
    missing = plugin_kinds.problems(scene, base_dir)
    if isinstance(scene.model, Unchecked) or any(
        isinstance(each, Unchecked) for each in scene.obstacles
    ):
        return missing
    declared = FORMULATIONS[scene.model.kind]
    with calling():
        found: list[Problem] = declared.loaded(declared.check)(scene, base_dir)
        return missing + found + _law(scene) + findings(scene)


def _law(scene: Scene) -> list[Problem]:
    """Whether the scene's formulation knows the law of friction that the scene asks for."""
    asked = scene.ground.law
    known = FORMULATIONS[scene.model.kind].friction_laws
    if asked is None or asked in known or not known:
        return []
    others = [kind for kind, declared in FORMULATIONS.items() if asked in declared.friction_laws]
    kinds = [kind for kind in others if FORMULATIONS[kind].fields.body is scene.model.body]
    models = " or ".join(f'"{kind}"' for kind in kinds)
    remedy = "choose " + " or ".join(f'"{law}"' for law in known)
    if models:
        remedy += f", or set model.kind to {models}"
    name = FORMULATIONS[scene.model.kind].name
    fixes = (Fix(f"Use the law of the {name} model", (("ground.law", None),)),)
    message = f'the {name} model does not have the friction law "{asked}"'
    return [Problem("error", "ground.law", message, remedy, fixes=fixes)]


def largest_stable_step(scene: Scene) -> float:
    """Step up to which the explicit parts of the scene's formulation are stable, s (does not import numba)."""
    declared = FORMULATIONS[scene.model.kind]
    step: float = declared.loaded(declared.largest_stable_step)(scene)
    return step


def create(scene: Scene, base_dir: Path | None = None, *, checked: bool = False) -> Engine:
    """Build the engine of `scene`.

    Raises `SceneError` if the scene cannot be run as it stands; lists every mistake.

    Parameters
    ----------
    base_dir : Path or None
        Folder that file names in the scene are relative to.
    checked : bool
        Whether `check` has just found no error in it: among thousands of obstacles it takes as long
        as the rest.
    """
    if not checked:
        _refuse_mistakes(scene, base_dir)
    use_compiled_arithmetic()
    declared = FORMULATIONS[scene.model.kind]
    with calling():
        engine: Engine = declared.loaded(declared.engine)(scene, base_dir)
    return engine


def schema(scene: Scene, base_dir: Path | None = None) -> Schema:
    """What the rows of the engine of `scene` hold; built-in formulations build no engine for that.

    Raises `SceneError` if the scene cannot be run as it stands; lists every mistake.
    """
    _refuse_mistakes(scene, base_dir)
    declared = FORMULATIONS[scene.model.kind]
    if not declared.schema:
        return create(scene, base_dir, checked=True).schema
    with calling():
        made: Schema = declared.loaded(declared.schema)(scene)
    return made


def _refuse_mistakes(scene: Scene, base_dir: Path | None) -> None:
    errors = [problem for problem in check(scene, base_dir) if problem.severity == "error"]
    if errors:
        raise SceneError.of(errors)


_WARM: set[str] = set()
"""What is known to be compiled."""


def is_warm(kind: str) -> bool:
    """Whether the code of `kind` is compiled, so that making and running an engine does not have to wait for it."""
    if kind not in _WARM and (jit_disabled() or not FORMULATIONS[kind].parts or was_compiled(kind)):
        _WARM.add(kind)  # asked at every edit; finding it out reads all sources
    return kind in _WARM


_READ_SHARE = 0.75
"""Share of the time at which the last function has been compiled: 0.75 to 0.83 were measured."""


def run_once(kind: str) -> None:
    """Call everything of an engine that is compiled: all that a tiny scene needs is all that any scene needs."""
    declared = FORMULATIONS[kind]
    if declared.parts:
        compile_arithmetic()
        declared.loaded(declared.engine)(
            Scene(model=declared.fields(), robot=Robot(n_links=2)), None
        ).run_once()


def warm_up(kind: str, progress: Callable[[float, str], None]) -> None:
    """Compile everything `kind` needs and keep it for later starts; takes up to half a minute the first time.

    Raises `OSError` if the compiled code could not be kept.

    Parameters
    ----------
    progress : callable
        Called with the fraction done (0 to 1) and what is being done, from the calling thread.
    """
    progress(0.0, "Loading the compiler")
    from snakestudio.kernels._compiler import used_files
    from snakestudio.kernels._jit import reporting_compilation

    parts = max(FORMULATIONS[kind].parts, 1) + ARITHMETIC_PARTS

    def report(count: int, doing: str) -> None:
        # In shares of the time: after the last one, all of them are optimised together.
        progress(min(_READ_SHARE * count / parts, _READ_SHARE), doing)

    with reporting_compilation(report):
        run_once(kind)
    mark_compiled(kind, used_files())
    if not is_warm(kind):
        raise OSError(cache_trouble() or "compiled code that was just kept is not there")
    remove_old_code()
    progress(1.0, "Ready")


def note() -> str:
    """What the user should know of where compiled code is kept or why it is not used, in a sentence; mostly empty."""
    if cache_trouble():
        return (
            f"{cache_trouble()[0].upper()}{cache_trouble()[1:]}: it lasts until the machine starts again at most. "
            "Let that folder be written, or name another one in SNAKESTUDIO_KERNELS_DIR."
        )
    wanted = next(
        (need for need in metadata.requires("snakestudio") or () if need.startswith("numba==")), ""
    )
    found = metadata.version("numba")
    if compiled_kernels_dir().is_dir() and wanted and wanted != f"numba=={found}":
        return (
            f"The engines that came with the program are compiled for {wanted.replace('==', ' ')}, and numba {found} "
            f"is installed: they are compiled here, once. pip install {wanted} lets those be used."
        )
    return ""
