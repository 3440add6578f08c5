"""All formulations of the dynamics by name; an engine, and numba with it, is imported only when one is created."""

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
from snakestudio.model.registry import UncheckedFields
from snakestudio.model.robot.robot import Robot
from snakestudio.model.scene import Scene
from snakestudio.paths import compiled_kernels_dir


def check(scene: Scene, base_dir: Path | None = None) -> list[Problem]:
    """Return errors and warnings of `scene` for its formulation (does not import numba)."""
    missing = plugin_kinds.problems(scene, base_dir)
    if isinstance(scene.model, UncheckedFields) or any(
        isinstance(each, UncheckedFields) for each in scene.obstacles
    ):
        return missing
    declared = FORMULATIONS[scene.model.kind]
    problems: list[Problem] = declared.loaded(declared.check)(scene, base_dir)
    return missing + problems + _law(scene) + findings(scene)


def _law(scene: Scene) -> list[Problem]:
    """Return the problem of a friction law that the scene's formulation does not have."""
    law = scene.ground.law
    known = FORMULATIONS[scene.model.kind].friction_laws
    if law is None or law in known or not known:
        return []
    others = [kind for kind, declared in FORMULATIONS.items() if law in declared.friction_laws]
    kinds = [kind for kind in others if FORMULATIONS[kind].fields.body is scene.model.body]
    models = " or ".join(f'"{kind}"' for kind in kinds)
    remedy = "choose " + " or ".join(f'"{each}"' for each in known)
    if models:
        remedy += f", or set model.kind to {models}"
    name = FORMULATIONS[scene.model.kind].name
    fixes = (Fix(f"Use the law of the {name} model", (("ground.law", None),)),)
    message = f'the {name} model does not have the friction law "{law}"'
    return [Problem("error", "ground.law", message, remedy, fixes=fixes)]


def largest_stable_step(scene: Scene) -> float:
    """Return the largest stable step of the explicit parts of the scene's formulation, s (does not import numba)."""
    declared = FORMULATIONS[scene.model.kind]
    step: float = declared.loaded(declared.largest_stable_step)(scene)
    return step


def create(scene: Scene, base_dir: Path | None = None, *, checked: bool = False) -> Engine:
    """Build the engine of `scene`.

    Raises `SceneError` with all mistakes if the scene cannot be simulated.

    Parameters
    ----------
    base_dir : Path or None
        Folder that relative file names in the scene refer to.
    checked : bool
        Whether `check` has just found no error in it, so that it is not repeated: with
        thousands of obstacles it takes as long as the rest.
    """
    if not checked:
        _refuse_mistakes(scene, base_dir)
    use_compiled_arithmetic()
    declared = FORMULATIONS[scene.model.kind]
    engine: Engine = declared.loaded(declared.engine)(scene, base_dir)
    return engine


def schema(scene: Scene, base_dir: Path | None = None) -> Schema:
    """Return the schema of the rows of `scene`; for built-in formulations, no engine is built.

    Raises `SceneError` with all mistakes if the scene cannot be simulated.
    """
    _refuse_mistakes(scene, base_dir)
    declared = FORMULATIONS[scene.model.kind]
    if not declared.schema:
        return create(scene, base_dir, checked=True).schema
    schema_of_kind: Schema = declared.loaded(declared.schema)(scene)
    return schema_of_kind


def _refuse_mistakes(scene: Scene, base_dir: Path | None) -> None:
    errors = [problem for problem in check(scene, base_dir) if problem.severity == "error"]
    if errors:
        raise SceneError.of(errors)


_WARM: set[str] = set()
"""Kinds that are known to be compiled."""


def is_warm(kind: str) -> bool:
    """Return whether the code of `kind` is compiled, so that creating and running an engine is immediate."""
    if kind not in _WARM and (jit_disabled() or not FORMULATIONS[kind].parts or was_compiled(kind)):
        _WARM.add(kind)  # called at each edit, and checking reads all sources
    return kind in _WARM


_READ_SHARE = 0.75
"""Fraction of the time after which the last function is compiled: 0.75 to 0.83 were measured."""


def run_once(kind: str) -> None:
    """Call all compiled code of an engine: a tiny scene needs the same code as any other."""
    declared = FORMULATIONS[kind]
    if declared.parts:
        compile_arithmetic()
        declared.loaded(declared.engine)(
            Scene(model=declared.fields(), robot=Robot(n_links=2)), None
        ).run_once()


def warm_up(kind: str, progress: Callable[[float, str], None]) -> None:
    """Compile the code of `kind` and save it for later starts; takes up to half a minute the first time.

    Raises `OSError` if the compiled code could not be saved.

    Parameters
    ----------
    progress : callable
        Called with the completed fraction (0 to 1) and the present activity, from the calling
        thread.
    """
    progress(0.0, "Loading the compiler")
    from snakestudio.kernels._compiler import used_files
    from snakestudio.kernels._jit import reporting_compilation

    parts = max(FORMULATIONS[kind].parts, 1) + ARITHMETIC_PARTS

    def report(count: int, doing: str) -> None:
        # In fractions of the time: after the last function, all of them are optimized together.
        progress(min(_READ_SHARE * count / parts, _READ_SHARE), doing)

    with reporting_compilation(report):
        run_once(kind)
    mark_compiled(kind, used_files())
    if not is_warm(kind):
        raise OSError(cache_trouble() or "the compiled code was saved but cannot be found")
    remove_old_code()
    progress(1.0, "Ready")


def note() -> str:
    """Return a message about the location of compiled code or why it is not used; usually empty."""
    if cache_trouble():
        return (
            f"{cache_trouble()[0].upper()}{cache_trouble()[1:]}, so it is lost when the computer restarts, or earlier. "
            "Make the folder writable, or set SNAKESTUDIO_KERNELS_DIR to another folder."
        )
    if not compiled_kernels_dir().is_dir():
        return ""
    required = next(
        (need for need in metadata.requires("snakestudio") or () if need.startswith("numba==")), ""
    )
    installed = metadata.version("numba")
    if required and required != f"numba=={installed}":
        return (
            f"The bundled engines are compiled for {required.replace('==', ' ')}, but numba {installed} is installed, "
            f"so the engines are compiled once on this computer. Run pip install {required} to use the bundled ones."
        )
    return ""
