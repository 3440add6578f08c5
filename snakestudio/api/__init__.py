"""What `import snakestudio` offers: simulate a scene and get its columns, compare, fit, study, draw, check."""

from __future__ import annotations

import warnings
from importlib import import_module
from typing import TYPE_CHECKING, Any

from snakestudio import processor
from snakestudio.model.html_renderer import set_html_renderer

if TYPE_CHECKING:
    from snakestudio.analysis.fitting import JointTrack, Track, Trial
    from snakestudio.api.batch import Batch, open_batch
    from snakestudio.api.comparing import (
        ChainReport,
        Comparison,
        compare_chain,
        compare_models,
        compare_scene,
        compare_scene_chain,
    )
    from snakestudio.api.experiments import ExperimentReport, compare_experiment, load_experiment
    from snakestudio.api.fitting import Fit, fit
    from snakestudio.api.plugins import Plugin, load_plugin, loaded_plugins
    from snakestudio.api.running import (
        Run,
        check,
        continue_from,
        export_model,
        known_step_estimate,
        load_run,
        plan,
        prepare,
        simulate,
        simulate_scene,
    )
    from snakestudio.api.simulation import SavedState, Simulation, State, open_simulation
    from snakestudio.api.step_size import StepReport, check_scene_step_size, check_step_size
    from snakestudio.api.studying import Study
    from snakestudio.drawing.camera import Camera
    from snakestudio.errors import (
        PhysicsError,
        SceneError,
        SnakeStudioError,
        StateError,
        UsageError,
    )
    from snakestudio.model.scene import Scene
    from snakestudio.model.scene_file import load_scene, save_scene
    from snakestudio.model.snapshot import Snapshot

__all__ = [
    "Batch",
    "Camera",
    "ChainReport",
    "Comparison",
    "ExperimentReport",
    "Fit",
    "JointTrack",
    "PhysicsError",
    "Plugin",
    "Run",
    "SavedState",
    "Scene",
    "SceneError",
    "Simulation",
    "SnakeStudioError",
    "Snapshot",
    "State",
    "StateError",
    "StepReport",
    "Study",
    "Track",
    "Trial",
    "UsageError",
    "check",
    "check_scene_step_size",
    "check_step_size",
    "compare_chain",
    "compare_experiment",
    "compare_models",
    "compare_scene",
    "compare_scene_chain",
    "continue_from",
    "export_model",
    "fit",
    "known_step_estimate",
    "load_experiment",
    "load_plugin",
    "load_run",
    "load_scene",
    "loaded_plugins",
    "open_batch",
    "open_simulation",
    "plan",
    "prepare",
    "save_scene",
    "simulate",
    "simulate_scene",
]

_MODULES = {
    "snakestudio.analysis.fitting": ("JointTrack", "Track", "Trial"),
    "snakestudio.api.batch": ("Batch", "open_batch"),
    "snakestudio.api.comparing": (
        "ChainReport",
        "Comparison",
        "compare_chain",
        "compare_models",
        "compare_scene",
        "compare_scene_chain",
    ),
    "snakestudio.api.experiments": ("ExperimentReport", "compare_experiment", "load_experiment"),
    "snakestudio.api.fitting": ("Fit", "fit"),
    "snakestudio.api.plugins": ("Plugin", "load_plugin", "loaded_plugins"),
    "snakestudio.api.running": (
        "Run",
        "check",
        "continue_from",
        "export_model",
        "known_step_estimate",
        "load_run",
        "plan",
        "prepare",
        "simulate",
        "simulate_scene",
    ),
    "snakestudio.api.simulation": ("SavedState", "Simulation", "State", "open_simulation"),
    "snakestudio.api.step_size": ("StepReport", "check_scene_step_size", "check_step_size"),
    "snakestudio.api.studying": ("Study",),
    "snakestudio.drawing.camera": ("Camera",),
    "snakestudio.errors": (
        "PhysicsError",
        "SceneError",
        "SnakeStudioError",
        "StateError",
        "UsageError",
    ),
    "snakestudio.model.scene": ("Scene",),
    "snakestudio.model.scene_file": ("load_scene", "save_scene"),
    "snakestudio.model.snapshot": ("Snapshot",),
}
if processor.problem():
    warnings.warn(processor.problem(), stacklevel=2)

_HOME = {name: module for module, names in _MODULES.items() for name in names}


def _scene_html(scene: Scene) -> str:
    from snakestudio.api.notebook import scene_html

    return scene_html(scene)


set_html_renderer(_scene_html)


def __getattr__(name: str) -> Any:
    # Lazy: a command that only runs a scene does not load what fits, compares and draws.
    if name in _HOME:
        globals()[name] = value = getattr(import_module(_HOME[name]), name)
        return value
    raise AttributeError(f"module 'snakestudio.api' has no attribute {name!r}")
