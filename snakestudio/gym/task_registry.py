"""Tasks by their names in Gymnasium, bundled and own ones."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import gymnasium

from snakestudio.errors import UsageError
from snakestudio.gym.checked_task import CheckedTask, check_class
from snakestudio.gym.jam_escape import JamEscape
from snakestudio.gym.obstacle_aided import ObstacleAided
from snakestudio.gym.path_following import PathFollowing
from snakestudio.gym.settings import Settings
from snakestudio.gym.sidewinding import Sidewinding
from snakestudio.gym.task import Task

BUNDLED: dict[str, type[Task]] = {
    "SnakeStudio/Sidewinding-v0": Sidewinding,
    "SnakeStudio/ObstacleAided-v0": ObstacleAided,
    "SnakeStudio/PathFollowing-v0": PathFollowing,
    "SnakeStudio/JamEscape-v0": JamEscape,
}
"""Tasks of the program."""

TASKS: dict[str, type[Task]] = {}
"""All registered tasks."""


def register(name: str, task: type[Task]) -> None:
    """Register a task with Gymnasium, so that `gymnasium.make` and `gymnasium.make_vec` create it.

    Registering a name again, as in a cell of a notebook that is run again, replaces its class.

    Raises `UsageError` if the name or the class is invalid; the message names the method.

    Parameters
    ----------
    name : str
        Name as in Gymnasium: "Me/Turn-v0".
    task : type of Task
        Subclass of `Task` or `WaveTask`.

    Examples
    --------
    >>> snakestudio.gym.register("Me/Turn-v0", Turn)
    >>> env = gymnasium.make("Me/Turn-v0")
    >>> envs = gymnasium.make_vec("Me/Turn-v0", num_envs=64)
    """
    check_class(task)
    if TASKS.get(name, task) is not task and name in BUNDLED:
        raise UsageError(f"{name} is an environment of the program. Choose another name.")
    gymnasium.registry.pop(name, None)
    try:
        gymnasium.register(
            name,
            entry_point="snakestudio.gym.environment:SnakeEnv",
            vector_entry_point="snakestudio.gym.vector:SnakeVectorEnv",
            kwargs={"task": name if name in BUNDLED else task},
        )
    except (gymnasium.error.Error, TypeError):
        raise UsageError(
            f'"{name}" is not a valid name of an environment. Use the form "Me/Turn-v0".'
        ) from None
    TASKS[name] = task


def make_task(choice: str | type[Task], n: int, options: Mapping[str, Any]) -> CheckedTask:
    """Create a task of n worlds.

    Raises `UsageError` or `SceneError` if the task, an option or the scene is invalid.

    Parameters
    ----------
    choice : str or type of Task
        Key of `TASKS`, or a class.
    options : mapping
        Fields of `Settings`.
    """
    if isinstance(choice, str):
        if choice not in TASKS:
            raise UsageError(f'There is no task "{choice}". Choose from {", ".join(TASKS)}.')
        choice = TASKS[choice]
    else:
        check_class(choice)
    return CheckedTask(choice, Settings.of(options), n)


for _name, _task in BUNDLED.items():
    register(_name, _task)
