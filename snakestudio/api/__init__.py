"""Public Python API, exported by `snakestudio`: simulate, compare, fit, study, draw and check scenes."""

from __future__ import annotations

import warnings
from importlib import import_module
from typing import TYPE_CHECKING, Any

from snakestudio import processor
from snakestudio.errors import SnakeStudioWarning as SnakeStudioWarning
from snakestudio.model.html_renderer import set_html_renderer

if TYPE_CHECKING:
    from snakestudio.analysis.fitting import JointTrack as JointTrack
    from snakestudio.analysis.fitting import Track as Track
    from snakestudio.analysis.fitting import Trial as Trial
    from snakestudio.api.batch import Batch as Batch
    from snakestudio.api.batch import open_batch as open_batch
    from snakestudio.api.comparing import ChainReport as ChainReport
    from snakestudio.api.comparing import Comparison as Comparison
    from snakestudio.api.comparing import compare_chain as compare_chain
    from snakestudio.api.comparing import compare_models as compare_models
    from snakestudio.api.comparing import compare_scene as compare_scene
    from snakestudio.api.comparing import compare_scene_chain as compare_scene_chain
    from snakestudio.api.experiments import ExperimentReport as ExperimentReport
    from snakestudio.api.experiments import compare_experiment as compare_experiment
    from snakestudio.api.experiments import load_experiment as load_experiment
    from snakestudio.api.fitting import Fit as Fit
    from snakestudio.api.fitting import fit as fit
    from snakestudio.api.gait_library import gaits as gaits
    from snakestudio.api.plugins import load_plugin as load_plugin
    from snakestudio.api.plugins import loaded_plugins as loaded_plugins
    from snakestudio.api.robot_import import RobotImport as RobotImport
    from snakestudio.api.robot_import import import_robot as import_robot
    from snakestudio.api.running import Run as Run
    from snakestudio.api.running import check as check
    from snakestudio.api.running import continue_from as continue_from
    from snakestudio.api.running import known_step_estimate as known_step_estimate
    from snakestudio.api.running import load_run as load_run
    from snakestudio.api.running import prepare as prepare
    from snakestudio.api.running import simulate as simulate
    from snakestudio.api.running import simulate_scene as simulate_scene
    from snakestudio.api.scene_exports import export_model as export_model
    from snakestudio.api.scene_exports import export_scene as export_scene
    from snakestudio.api.scene_exports import plan as plan
    from snakestudio.api.simulation import SavedState as SavedState
    from snakestudio.api.simulation import Simulation as Simulation
    from snakestudio.api.simulation import State as State
    from snakestudio.api.simulation import open_simulation as open_simulation
    from snakestudio.api.step_size import StepReport as StepReport
    from snakestudio.api.step_size import check_scene_step_size as check_scene_step_size
    from snakestudio.api.step_size import check_step_size as check_step_size
    from snakestudio.api.studying import Study as Study
    from snakestudio.drawing.camera import Camera as Camera
    from snakestudio.errors import ExperimentError as ExperimentError
    from snakestudio.errors import ExportError as ExportError
    from snakestudio.errors import GraphicsError as GraphicsError
    from snakestudio.errors import LinkError as LinkError
    from snakestudio.errors import PhysicsError as PhysicsError
    from snakestudio.errors import PluginError as PluginError
    from snakestudio.errors import PluginRuntimeError as PluginRuntimeError
    from snakestudio.errors import PreparationError as PreparationError
    from snakestudio.errors import ProfileError as ProfileError
    from snakestudio.errors import RobotFileError as RobotFileError
    from snakestudio.errors import RunFileError as RunFileError
    from snakestudio.errors import SceneError as SceneError
    from snakestudio.errors import SignalError as SignalError
    from snakestudio.errors import SnakeStudioError as SnakeStudioError
    from snakestudio.errors import SnakeStudioWarning as SnakeStudioWarning
    from snakestudio.errors import StateError as StateError
    from snakestudio.errors import StreamError as StreamError
    from snakestudio.errors import StudyError as StudyError
    from snakestudio.errors import TriggerError as TriggerError
    from snakestudio.errors import UsageError as UsageError
    from snakestudio.errors import UserError as UserError
    from snakestudio.model.scene import Scene as Scene
    from snakestudio.model.scene_file import load_scene as load_scene
    from snakestudio.model.scene_file import save_scene as save_scene
    from snakestudio.model.snapshot import Snapshot as Snapshot
    from snakestudio.plugins.loaded import Plugin as Plugin

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
    "snakestudio.api.gait_library": ("gaits",),
    "snakestudio.api.plugins": ("load_plugin", "loaded_plugins"),
    "snakestudio.api.robot_import": ("RobotImport", "import_robot"),
    "snakestudio.api.running": (
        "Run",
        "check",
        "continue_from",
        "known_step_estimate",
        "load_run",
        "prepare",
        "simulate",
        "simulate_scene",
    ),
    "snakestudio.api.scene_exports": ("export_model", "export_scene", "plan"),
    "snakestudio.api.simulation": ("SavedState", "Simulation", "State", "open_simulation"),
    "snakestudio.api.step_size": ("StepReport", "check_scene_step_size", "check_step_size"),
    "snakestudio.api.studying": ("Study",),
    "snakestudio.drawing.camera": ("Camera",),
    "snakestudio.errors": (
        "ExperimentError",
        "ExportError",
        "GraphicsError",
        "LinkError",
        "PluginError",
        "PluginRuntimeError",
        "PreparationError",
        "ProfileError",
        "RobotFileError",
        "RunFileError",
        "SignalError",
        "StreamError",
        "StudyError",
        "TriggerError",
        "PhysicsError",
        "SceneError",
        "SnakeStudioError",
        "StateError",
        "SnakeStudioWarning",
        "UsageError",
        "UserError",
    ),
    "snakestudio.model.scene": ("Scene",),
    "snakestudio.model.scene_file": ("load_scene", "save_scene"),
    "snakestudio.model.snapshot": ("Snapshot",),
    "snakestudio.plugins.loaded": ("Plugin",),
}
if processor.problem():
    warnings.warn(processor.problem(), SnakeStudioWarning, stacklevel=2)

_HOME = {name: module for module, names in _MODULES.items() for name in names}
__all__ = list(_HOME)


def _scene_html(scene: Scene) -> str:
    from snakestudio.api.notebook import scene_html

    return scene_html(scene)


set_html_renderer(_scene_html)


if not TYPE_CHECKING:  # type checkers would accept any name

    def __getattr__(name: str) -> Any:
        # Lazy: a command that only runs a scene does not load the modules that fit, compare and draw.
        if name in _HOME:
            globals()[name] = value = getattr(import_module(_HOME[name]), name)
            return value
        raise AttributeError(f"module 'snakestudio.api' has no attribute {name!r}")

    def __dir__() -> list[str]:
        return sorted({*globals(), *__all__})
