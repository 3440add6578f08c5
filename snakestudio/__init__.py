"""SnakeStudio: simulate, view and control snake robots.

>>> import snakestudio as ss
>>> run = ss.simulate("scenes/obstacle_aided.toml", duration=9.0, **{"gait.amplitude_deg": 40})
>>> run["link_6_x_m"]  # a numpy array
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from snakestudio import processor
from snakestudio._version import __version__

# Before numpy is loaded by anything below.
processor.hold_libraries()

if TYPE_CHECKING:
    from snakestudio.api import (
        Batch,
        Camera,
        Comparison,
        ExperimentError,
        ExperimentReport,
        ExportError,
        Fit,
        GraphicsError,
        JointTrack,
        LinkError,
        PhysicsError,
        Plugin,
        PluginError,
        PluginRuntimeError,
        PreparationError,
        ProfileError,
        RobotFileError,
        Run,
        RunFileError,
        SavedState,
        Scene,
        SceneError,
        SignalError,
        Simulation,
        SnakeStudioError,
        SnakeStudioWarning,
        Snapshot,
        State,
        StateError,
        StepReport,
        StreamError,
        Study,
        StudyError,
        Track,
        Trial,
        TriggerError,
        UsageError,
        UserError,
        check,
        check_step_size,
        compare_chain,
        compare_experiment,
        compare_models,
        continue_from,
        export_scene,
        fit,
        gaits,
        import_robot,
        load_experiment,
        load_plugin,
        load_run,
        load_scene,
        loaded_plugins,
        open_batch,
        open_simulation,
        save_scene,
        simulate,
    )

__all__ = [
    "Batch",
    "Camera",
    "Comparison",
    "ExperimentError",
    "ExperimentReport",
    "ExportError",
    "Fit",
    "GraphicsError",
    "JointTrack",
    "LinkError",
    "PhysicsError",
    "Plugin",
    "PluginError",
    "PluginRuntimeError",
    "PreparationError",
    "ProfileError",
    "RobotFileError",
    "Run",
    "RunFileError",
    "SavedState",
    "Scene",
    "SceneError",
    "SignalError",
    "Simulation",
    "SnakeStudioError",
    "SnakeStudioWarning",
    "Snapshot",
    "State",
    "StateError",
    "StepReport",
    "StreamError",
    "Study",
    "StudyError",
    "Track",
    "Trial",
    "TriggerError",
    "UsageError",
    "UserError",
    "__version__",
    "check",
    "check_step_size",
    "compare_chain",
    "compare_experiment",
    "compare_models",
    "continue_from",
    "export_scene",
    "fit",
    "gaits",
    "import_robot",
    "load_experiment",
    "load_plugin",
    "load_run",
    "load_scene",
    "loaded_plugins",
    "open_batch",
    "open_simulation",
    "save_scene",
    "simulate",
]


if not TYPE_CHECKING:  # type checkers would accept any name

    def __getattr__(name: str) -> Any:
        # Lazy: `snakestudio --help` and `import snakestudio` load nothing heavy.
        if name in __all__:
            from importlib import import_module

            return getattr(import_module("snakestudio.api"), name)
        raise AttributeError(f"module 'snakestudio' has no attribute {name!r}")

    def __dir__() -> list[str]:
        return sorted(__all__)
