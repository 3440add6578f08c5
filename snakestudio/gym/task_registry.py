"""Tasks by their names in Gymnasium."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from snakestudio.errors import UsageError
from snakestudio.gym.jam_escape import JamEscape
from snakestudio.gym.obstacle_aided import ObstacleAided
from snakestudio.gym.path_following import PathFollowing
from snakestudio.gym.settings import Settings
from snakestudio.gym.sidewinding import Sidewinding
from snakestudio.gym.task import Task

TASKS: dict[str, type[Task]] = {
    "SnakeStudio/Sidewinding-v0": Sidewinding,
    "SnakeStudio/ObstacleAided-v0": ObstacleAided,
    "SnakeStudio/PathFollowing-v0": PathFollowing,
    "SnakeStudio/JamEscape-v0": JamEscape,
}


def make_task(name: str, n: int, options: Mapping[str, Any]) -> Task:
    """Create a task of n worlds.

    Raises `UsageError` or `SceneError` if the name, an option or the scene is invalid.

    Parameters
    ----------
    name : str
        Key of `TASKS`.
    options : mapping
        Fields of `Settings`.
    """
    if name not in TASKS:
        raise UsageError(f'There is no task "{name}". Choose from {", ".join(TASKS)}.')
    return TASKS[name](Settings.of(options), n)
