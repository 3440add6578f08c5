"""What `import snakestudio` offers: simulate a scene and get its columns, compare, fit, study, draw, check."""

from snakestudio.analysis.fitting import JointTrack, Track, Trial
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
from snakestudio.api.running import (
    Run,
    check,
    continue_from,
    known_step_estimate,
    load_run,
    plan,
    prepare,
    simulate,
    simulate_scene,
)
from snakestudio.api.step_size import StepReport, check_scene_step_size, check_step_size
from snakestudio.api.studying import Study
from snakestudio.errors import SnakeStudioError
from snakestudio.model.scene import Scene
from snakestudio.model.scene_file import load_scene, save_scene

__all__ = [
    "ChainReport",
    "Comparison",
    "ExperimentReport",
    "Fit",
    "JointTrack",
    "Run",
    "Scene",
    "SnakeStudioError",
    "StepReport",
    "Study",
    "Track",
    "Trial",
    "check",
    "check_scene_step_size",
    "check_step_size",
    "compare_chain",
    "compare_experiment",
    "compare_models",
    "compare_scene",
    "compare_scene_chain",
    "continue_from",
    "fit",
    "known_step_estimate",
    "load_experiment",
    "load_run",
    "load_scene",
    "plan",
    "prepare",
    "save_scene",
    "simulate",
    "simulate_scene",
]
