"""What `import snakestudio` offers: simulate a scene and get its columns as numpy arrays, compare, draw, check."""

from snakestudio.api.comparing import (
    ChainReport,
    Comparison,
    compare_chain,
    compare_models,
    compare_scene,
    compare_scene_chain,
)
from snakestudio.api.running import Run, check, load_run, plan, prepare, simulate, simulate_scene
from snakestudio.errors import SnakeStudioError
from snakestudio.model.scene import Scene
from snakestudio.model.scene_file import load_scene, save_scene

__all__ = [
    "ChainReport",
    "Comparison",
    "Run",
    "Scene",
    "SnakeStudioError",
    "check",
    "compare_chain",
    "compare_models",
    "compare_scene",
    "compare_scene_chain",
    "load_run",
    "load_scene",
    "plan",
    "prepare",
    "save_scene",
    "simulate",
    "simulate_scene",
]
